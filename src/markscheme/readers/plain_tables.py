"""Tables among the files that a command names, told from rubrics and from files of tools."""

from collections.abc import Sequence
from pathlib import Path

from markscheme.errors import RatingError, UsageError, naming
from markscheme.plain_data import LINES, json_lines
from markscheme.rubrics.reading import shows_rubric
from markscheme.rubrics.search import find_calibration


def names_table(names: Sequence[str]) -> bool:
    """Return whether all names are files of tables, and of no format that says itself who rated.

    A rubric's start is spared all readers.
    """
    paths = [Path(name) for name in names]
    if not all(path.is_file() for path in paths) or any(map(shows_rubric, paths)):
        return False
    if any(find_calibration(path.name, Path.cwd(), path.resolve().parent) for path in paths):
        return False  # rows that `label` keeps labels of
    from markscheme.readers.rated import is_plain_table

    return all(map(is_plain_table, paths))


def brings_rubrics(path: Path) -> bool:
    """Return whether the first line of a file is a row with criteria of its own."""
    if not path.is_file() or not path.name.casefold().endswith(LINES):
        return False
    try:
        _, first = next(iter(json_lines(path, RatingError)), (0, None))
    except RatingError:  # said by whoever reads it
        return False
    return isinstance(first, dict) and isinstance(first.get("rubric") or first.get("rubrics"), list | dict)


def refuse_table(name: str) -> None:
    """Refuse a table where a rubric is wanted: what is asked for are the words and weights of one.

    Raises:
        UsageError: It is a table, or rows that bring criteria of their own.
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
