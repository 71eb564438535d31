"""Detect which tool a file comes from, and import its examples and ratings."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markscheme.errors import RatingError
from markscheme.promptfoo.results_files import is_results
from markscheme.ratings.rating import JUDGES, Rating
from markscheme.readers.autorubric import is_autorubric, read_autorubric
from markscheme.readers.deepeval import is_deepeval, read_deepeval
from markscheme.readers.export import Export
from markscheme.readers.imported import Columns, Reading
from markscheme.readers.inspect import is_inspect, read_inspect
from markscheme.readers.label_studio import is_label_studio, read_label_studio
from markscheme.readers.langfuse import is_langfuse, read_langfuse
from markscheme.readers.langsmith import is_langsmith, read_langsmith
from markscheme.readers.mlflow import is_mlflow, read_mlflow
from markscheme.readers.peek import Peek
from markscheme.readers.phoenix import is_phoenix, read_phoenix
from markscheme.readers.promptfoo import read_promptfoo
from markscheme.readers.sheet import is_sheet, read_sheet
from markscheme.readers.tables import read_rows
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True)
class Reader:
    """Reads the files of one tool.

    Attributes:
        reads: Description of the files for an error message; brackets hold how they are recognized.
        is_mine: Whether a file is one of them.
        read: Adds the examples and ratings of such a file.
    """

    reads: str
    is_mine: Callable[[Reading], bool]
    read: Callable[[Reading], None]


READERS = (
    Reader("answers of a labelling sheet (.json)", is_sheet, read_sheet),
    Reader("Promptfoo's results", lambda reading: is_results(reading.path), read_promptfoo),
    Reader("a dataset of autorubric", is_autorubric, read_autorubric),
    Reader("a table (.csv, .tsv)", lambda reading: reading.path.suffix in (".csv", ".tsv"), read_rows),
    Reader("lines (.jsonl, .txt)", lambda reading: reading.path.suffix in (".jsonl", ".ndjson", ".txt"), read_rows),
    Reader("a list (.json)", lambda reading: isinstance(reading.data, list), read_rows),
)
"""Tried in order, so a tool's own format comes before generic tables and lines."""


@dataclass(frozen=True)
class Tool:
    """Reads the exports of a tool that names its metrics and may spread them over several files.

    Attributes:
        reads: Description of the files for an error message.
        is_mine: Whether a file is one of them.
        read: Adds the content of the files of one export.
    """

    reads: str
    is_mine: Callable[[Peek], bool]
    read: Callable[[Sequence[Peek], Export], None]


TOOLS = (
    Tool("traces of MLflow", is_mlflow, read_mlflow),
    Tool("scores and traces of Langfuse", is_langfuse, read_langfuse),
    Tool("annotations of Label Studio", is_label_studio, read_label_studio),
    Tool("a log of Inspect", is_inspect, read_inspect),
    Tool("feedback and runs of LangSmith", is_langsmith, read_langsmith),
    Tool("annotations and spans of Phoenix", is_phoenix, read_phoenix),
    Tool("a test run of DeepEval", is_deepeval, read_deepeval),
)


def export_among(paths: Sequence[Path]) -> tuple[Tool, list[Peek]] | None:
    """The tool whose export the files are, with the files; None if the first file is from no known tool.

    Raises:
        RatingError: They are from several tools.
    """
    peeks = [Peek(path) for path in paths]
    tools = [next((tool for tool in TOOLS if tool.is_mine(peek)), None) for peek in peeks]
    if tools[0] is None:
        return None
    for peek, tool in zip(peeks, tools, strict=True):
        if tool is not tools[0]:
            found = f"is {tool.reads}" if tool else "is of no tool known here"
            raise RatingError(f"{found}; {paths[0].name} is {tools[0].reads}: name files of one export", path=peek.path)
    return tools[0], peeks


def import_files(
    paths: Sequence[Path], rubric: Rubric | None, *, words: Mapping[str, str], columns: Columns
) -> Reading:
    """The examples and ratings in the files of one export, or in one file of any tool.

    Args:
        paths: The files.
        rubric: The rubric whose criteria and scales the ratings must fit; None infers one from an export's metrics.
        words: Words of the files in addition to the known ones, by lower-case word.
        columns: What columns mean whose names don't say.

    Raises:
        RatingError: No reader recognizes them, or they cannot be read or lack information.
    """
    found = export_among(paths)
    if found is not None:
        tool, peeks = found
        export = Export(paths[0], rubric, words=words, columns=columns)
        tool.read(peeks, export)
        return export.reading(tool.reads)
    if len(paths) > 1:
        raise RatingError("is no part of an export; import such files one by one", path=paths[0])
    if rubric is None:
        raise RatingError("is no export that names its metrics; pass `--rubric`", path=paths[0])
    return _read_one(Reading(paths[0], rubric, words=words, columns=columns))


def _read_one(reading: Reading) -> Reading:
    for reader in READERS:
        if reader.is_mine(reading):
            reading.taken_for = reader.reads.partition(" (")[0]
            reader.read(reading)
            return reading
    *some, last = (reader.reads for reader in (*TOOLS, *READERS))
    raise RatingError(f"is none of {', '.join(some)} or {last}", path=reading.path)


def of_kind(ratings: Iterable[Rating], who: str | None) -> list[Rating]:
    """The ratings by annotators (and those true by construction), by judges, or all."""
    return [rating for rating in ratings if who is None or (rating.kind in JUDGES) == (who == "judges")]
