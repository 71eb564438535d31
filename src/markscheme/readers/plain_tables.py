"""Detection of tables among the file names that a command gets, which may also name rubrics or tools' exports."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Literal

from markscheme.errors import RatingError, UsageError, naming
from markscheme.plain_data import LINES, json_rows
from markscheme.rubrics.reading import shows_rubric
from markscheme.rubrics.search import find_calibration

_BEGINNING = 64
"""Number of bytes that are read to see whether JSON is a list."""


def names_table(names: Sequence[str]) -> bool:
    """Return True if all names are files of plain tables, not in the format of another tool.

    For a rubric's name, no reader is imported.
    """
    paths = [Path(name) for name in names]
    if not all(path.is_file() for path in paths) or any(map(shows_rubric, paths)):
        return False
    if any(find_calibration(path.name, Path.cwd(), path.resolve().parent) for path in paths):
        return False  # rows that `label` keeps labels of
    return hold("table", paths)


def hold(content: Literal["table", "results", "export"], paths: Sequence[Path]) -> bool:
    """Return True if all files hold the named content: a table that no tool wrote, Promptfoo's results, or an export.

    Asking loads all readers.

    Raises:
        RatingError: The files are exports of several tools.
    """
    from markscheme.readers.rated import are_of_tool, has_results, is_plain_table

    if content == "export":
        return are_of_tool(paths)
    return all(map(has_results if content == "results" else is_plain_table, paths))


def brings_rubrics(path: Path) -> bool:
    """Return True if the first rows of a JSON file bring a rubric of their own."""
    is_list = path.suffix.casefold() == ".json"
    if not path.is_file() or not (path.name.casefold().endswith(LINES) or (is_list and _begins_list(path))):
        return False
    try:
        first = [row for _, row in islice(json_rows(path, RatingError), 2 if is_list else 1)]
    except RatingError:  # said by whoever reads it
        return False
    return len(first) == (2 if is_list else 1) and all(map(_has_rubric, first))


def _begins_list(path: Path) -> bool:
    """Return True if a file begins with a JSON list, without reading all of it."""
    with path.open("rb") as file:
        return file.read(_BEGINNING).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def _has_rubric(row: object) -> bool:
    if not isinstance(row, dict):
        return False
    brought = (value for key, value in row.items() if str(key).endswith(("rubric", "rubrics")))
    return isinstance(next(brought, None), list | dict)


def refuse_table(name: str) -> None:
    """Raise UsageError if one of the names is a table, since the command needs a rubric's wording and weights.

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
