"""A file of another tool to examples and ratings: which reader it is for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from markscheme.errors import RatingError
from markscheme.promptfoo.results_files import is_results
from markscheme.ratings.rating import JUDGES, Rating
from markscheme.readers.autorubric import is_autorubric, read_autorubric
from markscheme.readers.imported import Columns, Reading
from markscheme.readers.promptfoo import read_promptfoo
from markscheme.readers.tables import read_rows
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True)
class Reader:
    """Reads the files of one tool.

    Attributes:
        reads: The files, as an error message names them; what is in brackets says how they are recognized.
        is_mine: Whether a file is one of them.
        read: Adds the examples and ratings in such a file.
    """

    reads: str
    is_mine: Callable[[Reading], bool]
    read: Callable[[Reading], None]


READERS = (
    Reader("Promptfoo's results", lambda reading: is_results(reading.path), read_promptfoo),
    Reader("a dataset of autorubric", is_autorubric, read_autorubric),
    Reader("a table (.csv, .tsv)", lambda reading: reading.path.suffix in (".csv", ".tsv"), read_rows),
    Reader("lines (.jsonl, .txt)", lambda reading: reading.path.suffix in (".jsonl", ".ndjson", ".txt"), read_rows),
    Reader("a list (.json)", lambda reading: isinstance(reading.data, list), read_rows),
)
"""The first whose file it is reads it, so a tool's own format comes before tables and lines of any tool."""


def import_file(path: Path, rubric: Rubric, *, words: Mapping[str, str], columns: Columns) -> Reading:
    """The examples and ratings in a file of another tool.

    Args:
        path: The file.
        rubric: Whose criteria and scales the ratings must fit.
        words: What words of the file mean, beyond those that are known, by lower-case word.
        columns: What columns hold whose names don't say.

    Raises:
        RatingError: It is for no reader, or cannot be read.
    """
    reading = Reading(path, rubric, words, columns)
    for reader in READERS:
        if reader.is_mine(reading):
            reading.taken_for = reader.reads.partition(" (")[0]
            reader.read(reading)
            return reading
    *some, last = (reader.reads for reader in READERS)
    raise RatingError(f"is none of {', '.join(some)} or {last}", path=path)


def of_kind(ratings: Iterable[Rating], who: str | None) -> list[Rating]:
    """The ratings of people (and what is true by construction), of judges, or of everybody."""
    return [rating for rating in ratings if who is None or (rating.kind in JUDGES) == (who == "judges")]
