"""Detection of tables among the file names that a command gets, which may also name rubrics or tools' exports."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from json import dumps
from pathlib import Path
from typing import Any, Literal

from markscheme.errors import RatingError, UsageError, naming
from markscheme.plain_data import ANOTHER_LENGTH, LINES, PARQUET, TABLES, json_rows
from markscheme.ratings.parquet_rows import parquet_rows
from markscheme.row_files import table_rows
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.of_rows import row_rubric_in
from markscheme.rubrics.reading import shows_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_calibration, find_rubric, known_rubrics

_ROWS = (*LINES, *TABLES, PARQUET)
_FIRST_ROWS = 20
"""Number of rows that are searched for criteria of their own, since some rows may lack them by mistake."""
_BEGINNING = 64
"""Number of bytes that are read to see whether JSON is a list."""


def names_table(names: Sequence[str]) -> bool:
    """Return True if all names are files of plain tables, not in the format of another tool.

    If the names aren't of files, no reader is imported.
    """
    paths = [Path(name) for name in names]
    if not all(path.is_file() for path in paths) or any(map(shows_rubric, paths)):
        return False
    if any(find_calibration(path.name, Path.cwd(), path.resolve().parent) for path in paths):
        return False  # rows that `label` keeps labels of
    if any("labels" in (first_with_rubric(path) or ()) or is_one_row_with_rubric(path) for path in paths):
        return False
    return hold("table", paths)


def hold(content: Literal["table", "results", "export"], paths: Sequence[Path]) -> bool:
    """Return True if all files have a given content: a table that no tool wrote, Promptfoo's results, or an export.

    A call of this function imports all readers.

    Raises:
        RatingError: The files are exports of several tools.
    """
    from markscheme.readers.rated import are_of_tool, has_results, is_plain_table

    if content == "export":
        return are_of_tool(paths)
    return all(map(has_results if content == "results" else is_plain_table, paths))


def brings_rubrics(path: Path) -> bool:
    """Return True if the first rows of a JSON file bring a rubric of their own."""
    return not path.name.casefold().endswith((*TABLES, PARQUET)) and rows_bring_rubrics(path)


def rows_bring_rubrics(path: Path) -> bool:
    """Return True if one of the first rows of a file of JSON, or of a table, brings the criteria it is graded by."""
    return first_with_rubric(path) is not None


def first_with_rubric(path: Path) -> Mapping[str, Any] | None:
    """Return the first row of a JSON file or table that brings its own criteria; None if no early row does.

    A JSON list counts only if both of its first two rows bring criteria, since it may instead be the criteria of one
    rubric.
    """
    is_list = path.suffix.casefold() == ".json"
    if not path.is_file() or not (path.name.casefold().endswith(_ROWS) or (is_list and _begins_list(path))):
        return None
    first_rows = (row for _, row in islice(numbered_rows(path), 2 if is_list else _FIRST_ROWS))
    try:
        with_rubric = list(islice(filter(_has_rubric, first_rows), 2 if is_list else 1))
    except RatingError:  # said by whoever reads it
        return None
    return with_rubric[0] if len(with_rubric) == (2 if is_list else 1) else None


def is_one_row_with_rubric(path: Path) -> bool:
    """Return True if a file is one row that brings its own criteria, so that it isn't read as a table."""
    return first_with_rubric(path) is not None and len(list(islice(numbered_rows(path), 2))) == 1


def numbered_rows(path: Path) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a file of JSON, or of a table, with their line numbers.

    Raises:
        RatingError: The file can't be read, or a row of a table is longer or shorter than the header.
    """
    if not path.name.casefold().endswith((*TABLES, PARQUET)):
        yield from json_rows(path, RatingError)
        return
    is_text = path.name.casefold().endswith(TABLES)
    for line, row in table_rows(path, RatingError) if is_text else parquet_rows(path):
        if row is None:
            raise RatingError(ANOTHER_LENGTH, path=path, line=line)
        yield line, row


def _begins_list(path: Path) -> bool:
    """Return True if a file begins with a JSON list, without reading all of it."""
    with path.open("rb") as file:
        return file.read(_BEGINNING).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _has_rubric(row: object) -> bool:
    if not isinstance(row, Mapping):
        return False
    texts = {str(key): cell if isinstance(cell, str) else dumps(cell, default=str) for key, cell in row.items()}
    text = (row_rubric_in(texts, None) or "").strip()
    return text.startswith(("[", "{")) or bool(text and text in known_rubrics())


def load_rubric_named(name: str) -> Rubric:
    """Load a rubric by its name or its file.

    Raises:
        UsageError: There is no such rubric, or the name is that of a table or of rows with criteria of their own.
    """
    refuse_table(name)
    return load_rubric(find_rubric(name))


def refuse_table(name: str) -> None:
    """Raise UsageError if the name is that of a table, since the command needs a rubric's wording and weights.

    Raises:
        UsageError: The name is that of a table, or of rows with criteria of their own.
    """
    if brings_rubrics(Path(name)):
        raise UsageError(
            f"{name}: each task has criteria and weights of its own, which belong to its authors; what can be set is "
            "the pass mark, the guidelines, how many criteria a call, and a rubric's criteria that all tasks share"
        )
    if names_table([name]):
        from markscheme.readers.tabular.refusals import refusal

        with naming(name):
            raise refusal("needs-rubric")
