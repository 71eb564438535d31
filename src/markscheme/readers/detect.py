"""A file of another tool to examples and ratings: which reader it is for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from markscheme.errors import RatingError
from markscheme.promptfoo.results import is_results
from markscheme.ratings.rating import JUDGES, Rating
from markscheme.readers.autorubric import import_autorubric, is_autorubric
from markscheme.readers.imported import Columns, Imported, Reading
from markscheme.readers.promptfoo import import_promptfoo
from markscheme.readers.tables import import_lines, import_list, import_table, is_lines, is_list, is_table
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True)
class Reader:
    """Reads the files of one tool.

    Attributes:
        reads: The files, as an error message names them.
        is_mine: Whether a file is one of them.
        read: The examples and ratings in such a file.
    """

    reads: str
    is_mine: Callable[[Path], bool]
    read: Callable[[Path, Reading], Imported]


READERS = (
    Reader("Promptfoo's results", is_results, import_promptfoo),
    Reader("a dataset of autorubric", is_autorubric, import_autorubric),
    Reader("a table (.csv, .tsv)", is_table, import_table),
    Reader("lines (.jsonl, .txt)", is_lines, import_lines),
    Reader("a list (.json)", is_list, import_list),
)
"""The first whose file it is reads it, so a tool's own format comes before tables and lines of any tool."""


def import_file(path: Path, rubric: Rubric, *, words: Mapping[str, str], columns: Columns) -> Imported:
    """The examples and ratings in a file of another tool.

    Args:
        path: The file.
        rubric: Whose criteria and scales the ratings must fit.
        words: What words of the file mean, beyond those that are known, by lower-case word.
        columns: What columns hold whose names don't say.

    Raises:
        RatingError: It is for no reader, or cannot be read.
    """
    for reader in READERS:
        if reader.is_mine(path):
            return reader.read(path, Reading(rubric, words, columns))
    *some, last = (reader.reads for reader in READERS)
    raise RatingError(f"is none of {', '.join(some)} or {last}", path=path)


def of_kind(ratings: tuple[Rating, ...], who: str | None) -> tuple[Rating, ...]:
    """The ratings of people (and what is true by construction), of judges, or of everybody."""
    if who is None:
        return ratings
    return tuple(rating for rating in ratings if (rating.kind in JUDGES) == (who == "judges"))
