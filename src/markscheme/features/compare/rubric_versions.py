"""Two versions of a rubric as arguments of `compare`: files or names, on disk or in a commit."""

from collections.abc import Sequence
from pathlib import Path

from markscheme.errors import UsageError
from markscheme.features.compare.known_files import has_format
from markscheme.features.compare.rubric_change import RubricChange, rubric_change
from markscheme.rubrics.reading import shows_rubric
from markscheme.rubrics.search import RUBRIC_SUFFIXES, find_rubric


def change_between(sides: Sequence[str], report: Path | None) -> RubricChange | None:
    """Return the changes between two versions of a rubric; None if `compare` isn't called with versions of a rubric.

    Args:
        sides: The arguments of `compare`, as they were typed.
        report: The report that `calibrate --json` wrote on the second version; None if there is none.

    Raises:
        UsageError: The rubric, the commit or the repository doesn't exist.
        RatingError: The report, or the card of the first version, cannot be read.
    """
    if len(sides) != 2 or not all(_is_version(side) or names_rubric(side) for side in sides):
        return None
    old, new = map(_version, sides)
    return rubric_change(old, new, report)


def _is_version(side: str) -> bool:
    """Return True if an argument is a version of a rubric: a rubric's file, or a rubric in a commit."""
    path = Path(side)
    if path.is_file():
        return not has_format(path) and shows_rubric(path)
    name, sign, revision = side.rpartition("@")
    if sign and revision and _is_rubric(name):
        return True
    revision, colon, tail = side.partition(":")
    return bool(colon and revision) and Path(tail).suffix in RUBRIC_SUFFIXES


def names_rubric(side: str) -> bool:
    """Return True if an argument is the name of a rubric, and no file's."""
    return not Path(side).is_file() and _is_rubric(side)


def _is_rubric(name: str) -> bool:
    try:
        return shows_rubric(find_rubric(name))
    except UsageError:
        return False


def _version(side: str) -> tuple[Path, str | None]:
    """Return a version's file and its commit as the user named it; the commit is None for the file on disk."""
    name, _, revision = side.rpartition("@")
    if Path(side).is_file() or _is_rubric(side):
        return find_rubric(side), None
    if revision and _is_rubric(name):
        return find_rubric(name), revision
    revision, _, path = side.partition(":")
    return Path.cwd() / path, revision
