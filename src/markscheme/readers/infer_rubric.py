"""Inference of a rubric from ratings: its criteria and their scales."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError
from markscheme.plain_data import json_lines, mapping
from markscheme.rubrics.rubric import YES_NO, Criterion, Level, Rubric, Scale

YES_NO_WORDS = frozenset(["met", "unmet"])


def infer_rubric(paths: Sequence[Path], *, on_positions: Collection[str] = ()) -> Rubric:
    """Infer a rubric from files of ratings: the rated criteria, each with a scale that includes all its levels.

    Args:
        paths: The files of ratings.
        on_positions: Criteria whose numbers will be converted to positions from 0 to 1 when they are read.

    Raises:
        RatingError: No criterion in the files has a scale that can be inferred.
    """
    lines = (mapping(line) for path in paths for _, line in json_lines(path, RatingError))
    rubric = rubric_of_levels((mapping(line.get("criteria")) for line in lines), paths[0])
    moved = (
        replace(criterion, scale=scale_between(0.0, 1.0)) if criterion.name in on_positions else criterion
        for criterion in rubric.criteria
    )
    return replace(rubric, criteria=tuple(moved))


def rubric_of_levels(rows: Iterable[Mapping[str, Any]], path: Path) -> Rubric:
    """Infer a rubric from the levels given on each criterion; scales are the whole numbers from lowest to highest.

    MET and UNMET, true and false, and only 0 and 1 make a yes/no scale. All weights are 1.

    Args:
        rows: The rated items: for each one, its level by criterion, or an object with the key `level` in its place.
        path: The source of the rows, for messages.

    Raises:
        RatingError: No criterion has a scale that can be inferred.
    """
    seen: dict[str, set[Any]] = {}
    for row in rows:
        for name, entry in row.items():
            level = entry.get("level") if isinstance(entry, Mapping) else entry
            if isinstance(level, str | int | float):  # the rest is refused, with its line, when the file is read
                seen.setdefault(str(name), set()).add(level.casefold() if isinstance(level, str) else level)
    if not seen:
        raise RatingError("rates no criterion; name its rubric by --rubric", path=path)
    return Rubric(tuple(Criterion(1.0, name, name, _scale(name, levels, path)) for name, levels in seen.items()))


def rubric_of_wholes() -> Rubric:
    """Return the rubric for ratings of whole responses, which have a score or a decision and no levels."""
    return Rubric((Criterion(1.0, "The response passes.", "overall"),), name="overall")


def _scale(name: str, levels: set[Any], path: Path) -> Scale:
    if levels <= {0, 1} | YES_NO_WORDS:  # True and False are 1 and 0
        return YES_NO
    if not all(isinstance(level, int | float) for level in levels):
        raise RatingError(
            f"rates {name!r} by words whose order is not known here; name its rubric by --rubric", path=path
        )
    return scale_between(min(levels), max(levels))


def scale_between(low: float, high: float) -> Scale:
    """Make a scale of all whole numbers from `low` to `high`; of only the two if fractional or over 100 apart."""
    if low == high:
        high = low + 1
    if float(low).is_integer() and float(high).is_integer() and 1 < high - low <= 100:
        return Scale.numbered(int(low), int(high))
    return Scale((Level(float(low)), Level(float(high))))
