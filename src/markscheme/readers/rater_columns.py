"""Ratings of several raters side by side, from a table or from a file of ratings of any format."""

from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, UsageError
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.rating import Rating
from markscheme.readers.formats import TABLE, format_of
from markscheme.readers.own_scales import ScaleError
from markscheme.readers.peek import Peek
from markscheme.readers.rated import RatedFiles, open_rated
from markscheme.readers.rater_table import RaterTable, rater_table_from, read_rater_table

SCORE = "score"
DECISION = "pass"


def open_rater_table(
    path: Path,
    levels: str | None = None,
    *,
    between: bool = True,
    criterion: str | None = None,
) -> RaterTable:
    """Read the ratings that several raters gave each unit into a table with a column for each rater.

    Args:
        path: A table with raters in columns, or a rated file of any other format.
        levels: Names of the scale's levels, worst first, as `Recoding` reads them; None to use those that occur.
        between: True if a number between two levels is a valid rating, such as a mean of runs.
        criterion: Name of the criterion whose levels are compared, or "score" or "pass"; None if there is only one.

    Raises:
        UsageError: The file doesn't exist, or it has several criteria and `criterion` names none.
        RatingError: The file can't be read, or has only one rater.
    """
    file_format = format_of(Peek(path), "ratings") if path.is_file() else None
    if file_format is None or file_format is TABLE:
        if criterion is not None:
            raise UsageError(f"`criterion` is for files that name criteria; each column of {path} is a rater")
        if Peek(path).shape == "parquet":
            return rater_table_from(Peek(path).all_records(), levels, between=between, place=path)
        return read_rater_table(path, levels, between=between)
    try:
        rated = open_rated([path])
    except ScaleError as clash:
        raise UsageError(f"{clash.why}. Agreement needs one scale: write both as 0 to 1 first") from clash
    chosen = _chosen(rated, criterion)
    rows: dict[str, dict[str, Any]] = {}
    for rating in rated.ratings:
        value = _value(rating, chosen)
        if value is not None:
            rows.setdefault(rating.id, {"unit": rating.id})[_column_name(rating)] = value
    raters = list(dict.fromkeys(rating.rater for rating in rated.ratings))
    if len(raters) < 2:
        names = f"one rater ({raters[0]})" if raters else "no rater"
        raise RatingError(f"has ratings of {names}, and agreement is between two or more", path=path)
    return rater_table_from(rows.values(), levels, between=between, place=path)


def _column_name(rating: Rating) -> str:
    """Return the name of a rater's column, which begins with the rater's name.

    For a judge of pairs, the order in which it was shown a pair follows; for samples after the first, "#2" and so on.
    """
    order = f", {rating.shown}" if rating.shown is not None and rating.kind in JUDGES else ""
    again = f" #{rating.sample + 1}" if rating.sample else ""
    return f"{rating.rater}{order}{again}"


def _chosen(rated: RatedFiles, criterion: str | None) -> str:
    """Return the criterion on which raters are compared: the named one, or the only one that they rate."""
    names = [
        criterion_of_rubric.name
        for criterion_of_rubric in rated.rubric.criteria
        if any(criterion_of_rubric.name in rating.criteria for rating in rated.ratings)
    ]
    names += [SCORE] if not names and any(rating.overall is not None for rating in rated.ratings) else []
    names += [DECISION] if not names else []
    if criterion in (*names, SCORE, DECISION):
        return criterion
    if criterion is not None:
        raise UsageError(f"`criterion` must be one of {', '.join((*names, SCORE, DECISION))}, got {criterion!r}")
    if len(names) > 1:
        raise UsageError(f"{rated.files[0].path} rates {', '.join(names)}; agreement is on one: name it by `criterion`")
    return names[0]


def _value(rating: Rating, name: str) -> float | None:
    if name in rating.criteria:
        return rating.criteria[name].level
    if name == SCORE:
        return rating.overall
    return None if rating.passed is None or name != DECISION else float(rating.passed)
