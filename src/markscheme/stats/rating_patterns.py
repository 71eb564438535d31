"""RatingPatterns: a table of ratings reduced to its distinct rows, with the number of units that have each.

A million units on five levels have a few hundred patterns, and every sum over the units, or over all but one of them,
is a sum over the patterns.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from markscheme.stats.distinct import first_of, numbered, numbered_values
from markscheme.stats.intervals import Floats, Grouping, Groups, Integers
from markscheme.stats.pairs import numbers

SAME_LEVEL = 1e-9
"""Distance, in the scale's unit or relative to its range, within which a rating counts as a level."""


@dataclass(frozen=True, slots=True)
class LeftOutSets:
    """The sets of units that the jackknife leaves out in turn.

    A set is stored as a list of entries: one for each distinct row of ratings among its units, with their number.

    Attributes:
        row: Index of each entry's row, shape (n_entries,).
        count: Number of the set's units that have the entry's row, shape (n_entries,).
        start: Index of the first entry of each set, shape (n_sets,).
        copies: Number of identical sets that each set represents, shape (n_sets,).
    """

    row: Integers
    count: Floats
    start: Integers
    copies: Floats


@dataclass(frozen=True)
class RatingPatterns:
    """A table of ratings, stored as its distinct rows with their counts; units without ratings are dropped.

    Attributes:
        levels: Levels of the scale, worst first.
        values: Possible ratings: the levels or, if a rating lies between two, all values that occur, ascending.
        codes: Distinct rows of ratings as indices into `values`, -1 where missing, shape (n_rows, n_raters).
        times: Number of units that have each row, shape (n_rows,).
        left_out: Sets of units that the jackknife leaves out in turn; empty if no intervals are needed.
        set_of: Index of the set to which each unit belongs, -1 for a unit without any rating, shape (n_units,).
        grouped: True if groups of units are left out instead of units.
        between: A rating that lies between levels; None if there is none.
        raters: Names of the raters, for messages.
    """

    levels: Floats
    values: Floats
    codes: Integers
    times: Floats
    left_out: LeftOutSets
    set_of: Integers
    grouped: bool
    between: float | None
    raters: tuple[str, ...]

    @cached_property
    def rated(self) -> Integers:
        """Number of ratings in each distinct row."""
        return np.asarray((self.codes >= 0).sum(axis=1), dtype=np.int64)

    @cached_property
    def unanimous(self) -> npt.NDArray[np.bool_]:
        """Flags of the distinct rows in which all raters who rated gave the same level."""
        highest = self.codes.max(axis=1, initial=-1)
        lowest = np.where(self.codes < 0, highest[:, None], self.codes).min(axis=1, initial=len(self.values))
        return np.asarray(lowest == highest)

    @cached_property
    def active(self) -> int:
        """Number of raters with at least one rating."""
        return int((self.codes >= 0).any(axis=0).sum())

    def in_groups(self) -> tuple[Integers, Groups]:
        """Return the distinct rows' indices in each jackknife set (units left out together), and the sets as Groups."""
        out = self.left_out
        sizes = np.diff(np.append(out.start, len(out.row)))
        number = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
        return out.row, Groups(number, round(float(out.copies.sum())), out.count, out.copies, self.grouped)

    def remaining(self, per_row: npt.NDArray[np.generic]) -> Floats:
        """Sum a value of each distinct row over all units, then without each jackknife set (units left out together).

        Args:
            per_row: The value (or vector) of each distinct row, shape (n_rows, ...).
        """
        worth = per_row.astype(np.float64)
        total = np.tensordot(self.times, worth, axes=1)[None]
        if not len(self.left_out.start):
            return np.asarray(total)
        taken = worth[self.left_out.row] * self.left_out.count.reshape(-1, *[1] * (worth.ndim - 1))
        return np.concatenate([total, total - np.add.reduceat(taken, self.left_out.start, axis=0)])


def as_table(ratings: npt.ArrayLike) -> Floats:
    """Convert ratings to an array of shape (n_units, n_raters); a ValueError if they have another shape."""
    table = numbers(ratings, "ratings")
    if table.ndim != 2:
        raise ValueError(f"ratings must have shape (n_units, n_raters), not {table.shape}")
    return table


def people_table(people: npt.ArrayLike) -> Floats:
    """Convert annotators' ratings to an array of shape (n_units, n_people); refuse any other shape, and inf."""
    table = np.asarray(people, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 1:
        raise ValueError(f"people's ratings must have shape (n_units, n_people), not {table.shape}")
    if np.isinf(table).any():
        raise ValueError("ratings must be finite numbers or nan")
    return table


def people_and_judge(people: npt.ArrayLike, judge: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Return annotators' and the judge's ratings as arrays, shape (n_units, n_people) and (n_units,).

    Args:
        people: Annotators' ratings, nan if missing.
        judge: The judge's ratings, nan if missing.

    Raises:
        ValueError: The shapes don't fit, or a rating is infinite.
    """
    table = people_table(people)
    rated = np.asarray(judge, dtype=np.float64)
    if rated.shape != (len(table),):
        raise ValueError(f"the judge's ratings must have shape ({len(table)},) as the people's have, not {rated.shape}")
    if np.isinf(rated).any():
        raise ValueError("ratings must be finite numbers or nan")
    return table, rated


def commonest(values: Floats, units: Floats | None = None) -> float:
    """Return the most frequent value, the lowest in a tie; nan if there are no values.

    Args:
        values: Values, shape (n_rows,), nan if missing.
        units: Number of units that each row represents, shape (n_rows,); None for one each.
    """
    is_known = np.isfinite(values)
    seen, code = numbered_values(values[is_known])
    counts = np.bincount(code, weights=None if units is None else units[is_known])
    return float(seen[counts.argmax()]) if len(seen) else math.nan


def as_levels(levels: npt.ArrayLike) -> Floats:
    """Convert the levels of a scale to an array, shape (n_levels,); a ValueError if they aren't distinct numbers."""
    scale = numbers(levels, "levels")
    if scale.ndim != 1 or not scale.size or not np.isfinite(scale).all() or len(np.unique(scale)) < scale.size:
        raise ValueError(f"levels must be one or more different numbers, worst first, not {levels!r}")
    return scale


def in_order(levels: Floats) -> bool:
    """Return True if levels strictly rise or strictly fall, so that a rating may lie between two."""
    steps = np.diff(levels)
    return bool((steps > 0).all() or (steps < 0).all())


def encode(table: Floats, levels: Floats) -> tuple[Floats, Integers, float | None]:
    """Convert ratings to indices into the values they can have.

    Args:
        table: Ratings, shape (n_units, n_raters), nan where missing.
        levels: Levels of the scale.

    Returns:
        The values: the levels as given or, if a rating lies between two, all values that occur, ascending; the index of
        each rating among them, -1 where missing, in the shape of `table`; and the lowest rating between levels, None if
        there is none.

    Raises:
        ValueError: A rating is off the scale, or between levels that have no order.
    """
    order = np.argsort(levels)
    ascending = levels[order]
    missing = np.isnan(table)
    code = _nearest(ascending, np.where(missing, ascending[0], table))
    with np.errstate(invalid="ignore"):
        astray = ~(np.abs(table - ascending[code]) <= SAME_LEVEL * max(1.0, float(np.ptp(levels)))) & ~missing
    if not astray.any():
        codes = order[code]
        codes[missing] = -1
        return levels, codes, None
    strays = table[astray]
    outside = strays[(strays < ascending[0]) | (strays > ascending[-1])] if in_order(levels) else strays
    if outside.size:
        raise ValueError(f"rating {outside[0]:g} is not on the scale {', '.join(f'{x:g}' for x in levels[:20])}")
    snapped = np.where(astray, table, ascending[code])
    values = np.unique(np.concatenate([levels, strays]))
    codes = np.searchsorted(values, snapped).astype(np.int64)
    codes[missing] = -1
    return values, codes, float(strays.min())


def _nearest(ascending: Floats, table: Floats) -> Integers:
    """Return the index of the level nearest to each rating.

    Args:
        ascending: The levels, lowest first.
        table: The ratings.
    """
    steps = np.diff(ascending)
    if len(steps) and (steps == steps[0]).all():
        nearest = (table - ascending[0]) / steps[0]
        return np.asarray(np.clip(np.rint(nearest, out=nearest), 0, len(steps), out=nearest), dtype=np.int64)
    return np.searchsorted((ascending[1:] + ascending[:-1]) / 2, table).astype(np.int64)


def _row_keys(codes: Integers, n_values: int) -> Integers:
    """Compute a whole number for each row of codes, such that only equal rows have equal numbers.

    Args:
        codes: The rows; a code is from 0 to `n_values` - 1, or -1 for a missing value.
        n_values: Number of different codes, not counting -1.
    """
    keys = np.zeros(len(codes), dtype=np.int64)
    reach = 1
    for column in codes.T:
        if reach > 2**62 // (n_values + 1):
            distinct, keys = numbered(keys)
            reach = len(distinct)
        keys = keys * (n_values + 1) + column + 1
        reach *= n_values + 1
    return keys


def rating_patterns(
    ratings: npt.ArrayLike,
    levels: npt.ArrayLike,
    *,
    groups: Grouping = None,
    leave_out: bool = True,
    raters: Sequence[str] = (),
) -> RatingPatterns:
    """Reduce a table of ratings to its distinct rows with their counts, and the sets of units to leave out in turn.

    Args:
        ratings: Ratings, shape (n_units, n_raters), nan where a rater gave none.
        levels: Levels of the scale, worst first.
        groups: Name of each unit's group, shape (n_units,), to leave out groups instead of units; None without groups.
        leave_out: True to prepare the sets to leave out, which only intervals need.
        raters: Names of the raters, for messages; () for "rater 1" and so on.

    Raises:
        ValueError: A shape doesn't fit, or a rating is off the scale.

    Example:
        >>> table = rating_patterns([[0, 0], [0, 1], [0, 0], [float("nan")] * 2], levels=[0, 1])
        >>> table.codes.tolist(), table.times.tolist()
        ([[0, 0], [0, 1]], [2.0, 1.0])
        >>> table.remaining(table.unanimous).tolist()
        [2.0, 1.0, 2.0]
    """
    table = as_table(ratings)
    scale = as_levels(levels)
    units = Groups.of(groups, len(table))
    values, codes, between = encode(table, scale)
    rated = np.any(np.ascontiguousarray(codes.T) >= 0, axis=0)
    of_rated = units
    if not rated.all():
        codes = codes[rated]
        of_rated = units.of_units(rated)
    keys, which = numbered(_row_keys(codes, len(values)))
    first = first_of(which, len(keys))
    times = np.bincount(which, weights=of_rated.units, minlength=len(first)).astype(np.float64)
    set_of = of_rated.number if units.named else which
    if not rated.all():
        set_of = np.full(len(table), -1, dtype=np.int64)
        set_of[rated] = of_rated.number if units.named else which
    return RatingPatterns(
        levels=scale,
        values=values,
        codes=codes[first],
        times=times,
        left_out=_sets_left_out(times, which, of_rated, leave_out=leave_out),
        set_of=set_of,
        grouped=units.named,
        between=between,
        raters=tuple(raters) or tuple(f"rater {i + 1}" for i in range(table.shape[1])),
    )


def _sets_left_out(times: Floats, which: Integers, groups: Groups, *, leave_out: bool) -> LeftOutSets:
    n_rows = len(times)
    if not leave_out or not n_rows:
        nothing = np.zeros(0, dtype=np.int64)
        return LeftOutSets(nothing, nothing.astype(np.float64), nothing, nothing.astype(np.float64))
    if not groups.named:
        one_each = np.arange(n_rows, dtype=np.int64)
        return LeftOutSets(one_each, np.ones(n_rows), one_each, times)
    pairs, place = numbered(groups.number * n_rows + which)
    count = np.bincount(place, weights=groups.times)
    start = np.flatnonzero(np.diff(pairs // n_rows, prepend=-1))
    copies = np.ones(len(start)) if groups.copies is None else groups.copies
    return LeftOutSets(pairs % n_rows, count.astype(np.float64), start.astype(np.int64), copies)


def over(above: Floats, below: Floats, *, empty: float = math.nan) -> Floats:
    """Divide `above` by `below`; where `below` isn't above 0, the result is `empty`."""
    quotients: Floats = np.full(np.broadcast(above, below).shape, empty)
    return np.divide(above, below, out=quotients, where=below > 0)
