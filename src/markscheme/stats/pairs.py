"""Ratings of judge and gold on the same units, with the moments and rank counts that statistics of both need.

Leaving one unit out is exact and costs no more than sorting, whatever the number of distinct values.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from markscheme.stats.distinct import numbered, numbered_values
from markscheme.stats.estimate import Reason, ScaleLevel
from markscheme.stats.intervals import Floats, Grouping, Groups, Integers
from markscheme.stats.wording import Fact

RELATIVE_ROUNDING = 1e-13
"""Variance, relative to the values' size, below which the values are equal except for rounding."""
_PLACES = 14
"""Number of significant digits to which scores are compared: two fewer than a float has, so that equal sums of
weights tie."""
MOST_CELLS = 50_000_000
"""Largest number of cells, in all groups' tables of levels together, with which groups are left out by counting in
the tables."""
TABLE_CELLS_AT_ONCE = 50_000
"""Number of cells of such tables that are held in memory at a time, 0.4 MB of float64."""
_SMALL_TABLE = 20_000
"""Largest number of cells with which pairs of levels are counted in a table; with more, units are sorted."""


class Moments(NamedTuple):
    """Means of judge, gold and their differences, over all units and then without each unit (or group).

    Attributes:
        n: Number of units, shape (1 + n_groups,), like all that follow.
        signed: Mean of judge minus gold.
        absolute: Mean of |judge minus gold|.
        square: Mean of (judge minus gold) squared.
        gold_variance: Variance of gold, dividing by n; exactly 0 if gold doesn't vary.
        judge_variance: Variance of the judge's ratings.
        covariance: Covariance of gold and judge, dividing by n.
    """

    n: Floats
    signed: Floats
    absolute: Floats
    square: Floats
    gold_variance: Floats
    judge_variance: Floats
    covariance: Floats


@dataclass(frozen=True)
class Pairs:
    """Ratings of gold and judge on the units that both rated; a row may represent several equal units.

    Attributes:
        gold: Gold's ratings, finite, shape (n_rows,).
        judge: The judge's ratings, finite, shape (n_rows,).
        groups: Groups to leave out in turn, with the number of units that each row represents.
        span: Distance from the worst to the best level of the scale.
        step: Smallest distance between two levels; if only the ends of the scale are known, their distance.
        raters: Names of gold and judge, for messages.
        scale_told: True if the scale's ends were given; False if they are only the lowest and the highest rating.
    """

    gold: Floats
    judge: Floats
    groups: Groups
    span: float
    step: float
    raters: tuple[str, str] = ("gold", "judge")
    scale_told: bool = False

    def __len__(self) -> int:
        return self.groups.n_units

    @cached_property
    def agree(self) -> bool:
        """True if judge and gold are equal on every unit."""
        return bool(np.array_equal(self.gold, self.judge))

    @cached_property
    def gold_levels(self) -> tuple[Floats, Integers]:
        """The distinct gold values, ascending, and the index of each row's value among them."""
        return numbered_values(self.gold)

    @cached_property
    def judge_levels(self) -> tuple[Floats, Integers]:
        """The judge's distinct values, ascending, and the index of each row's value among them."""
        return numbered_values(self.judge)

    @cached_property
    def off(self) -> int:
        """Number of units (or groups) whose value isn't the most common one.

        It is counted for gold and for the judge, each with its own most common value; the smaller number is returned.
        """
        return min(self._off(code) for _, code in (self.gold_levels, self.judge_levels))

    def _off(self, code: Integers) -> int:
        counts = np.bincount(code, weights=self.groups.units)
        return self.groups.groups_with(code != counts.argmax()) if len(counts) else 0

    @cached_property
    def stuck(self) -> Reason | None:
        """Reason that gold, the judge or both have a single value on all units; None if both vary."""
        columns = zip(self.raters, (self.gold, self.judge), strict=True)
        still = [(name, ScaleLevel(levels[0])) for name, levels in columns if np.ptp(levels) == 0]
        match still:
            case [(rater, level)]:
                return Reason("stuck", {"rater": rater, "level": level})
            case [(first, level), (second, other_level)]:
                facts: dict[str, Fact] = {"first": first, "level": level, "second": second, "other_level": other_level}
                return Reason("both-stuck", facts)
        return None

    @cached_property
    def moments(self) -> Moments:
        """Means and variances of gold and judge over all units, then without each unit (or group)."""
        gold = self.gold - self.groups.mean(self.gold)
        judge = self.judge - self.groups.mean(self.judge)
        difference = self.judge - self.gold
        columns = [gold, judge, gold**2, judge**2, gold * judge, difference, difference**2, np.abs(difference)]
        sums = self.groups.left_out(np.stack([np.ones(len(gold)), *columns]))
        n = sums[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            gold, judge, gold_square, judge_square, product, signed, square, absolute = sums[1:] / n
            return Moments(
                n=n,
                signed=signed,
                absolute=absolute,
                square=square,
                gold_variance=_unless_rounding(gold_square - gold**2, self.gold),
                judge_variance=_unless_rounding(judge_square - judge**2, self.judge),
                covariance=product - gold * judge,
            )

    @cached_property
    def standing(self) -> tuple[Floats, Floats]:
        """Rank of each row's unit, for gold and for the judge: number of lower units minus number of higher ones."""
        units = self.groups.units
        return _standing(self.gold_levels[1], units), _standing(self.judge_levels[1], units)

    @cached_property
    def orderings(self) -> Floats:
        """Three counts for each row's unit, from comparing it with all other units.

        The first is the number of units that gold and judge put on the same side (above or below) of the row's unit,
        minus the number that they put on opposite sides. The second counts units with another gold value, the third
        those with another value by the judge.
        """
        return _orderings(self.gold_levels[1], self.judge_levels[1], self.groups.units)

    @cached_property
    def orderings_in_sets(self) -> Floats:
        """Sums of the three counts of `orderings` over the units of each jackknife set, shape (3, n_sets).

        Here a unit is compared only with the units of its own set, so each pair of units is counted twice: once for
        each of the two.

        If there are few sets and levels, the pairs are counted in a table of levels for each set. Otherwise all values
        of a set are raised above those of the sets before it. Gold and judge then order any two units of different sets
        in the same way, so the number of such pairs is known and is subtracted.
        """
        n_gold, n_judge = (len(seen) for seen, _ in (self.gold_levels, self.judge_levels))
        if self.groups.n_sets * n_gold * n_judge <= MOST_CELLS:
            return self._orderings_in_tables(n_gold, n_judge)
        times = self.groups.times
        gold, judge = (_place_in_group(self.groups.number, levels) for levels in (self.gold_levels, self.judge_levels))
        size = self.groups.sums(np.ones(len(gold)))[self.groups.number]
        units = np.ones(len(gold)) if times is None else times
        return self.groups.sums(_orderings(gold, judge, units) - (units.sum() - size))

    def _orderings_in_tables(self, n_gold: int, n_judge: int) -> Floats:
        n_cells = n_gold * n_judge
        cell = self.gold_levels[1] * n_judge + self.judge_levels[1]
        at_once = max(1, TABLE_CELLS_AT_ONCE // n_cells)
        sums = []
        for start in range(0, self.groups.n_sets, at_once):
            stop = min(start + at_once, self.groups.n_sets)
            inside = (self.groups.number >= start) & (self.groups.number < stop)
            places = (self.groups.number[inside] - start) * n_cells + cell[inside]
            times = None if self.groups.times is None else self.groups.times[inside]
            flat = np.bincount(places, weights=times, minlength=(stop - start) * n_cells).astype(np.float64)
            tables = flat.reshape(stop - start, n_gold, n_judge)
            ordered = above_minus_below(above_minus_below(tables.transpose(1, 2, 0)).transpose(1, 0, 2))
            same_way = (tables * ordered.transpose(2, 1, 0)).sum(axis=(1, 2))
            pairs = tables.sum(axis=(1, 2)) ** 2
            apart = (pairs - (tables.sum(axis=axis) ** 2).sum(axis=1) for axis in (2, 1))
            sums.append(np.stack([same_way, *apart]))
        return np.concatenate(sums, axis=1)


def paired(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    groups: Grouping = None,
    levels: npt.ArrayLike | None = None,
) -> Pairs:
    """Make the Pairs of units that gold and judge both rated; values that differ only by rounding become equal.

    Args:
        gold: Gold's ratings, shape (n_units,), nan if missing.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        groups: Name or number of each unit's group, such as its task, shape (n_units,), whose units are left out
            together; None without groups.
        levels: Levels of the scale, or the two ends of a continuous scale; None for the lowest and the highest value
            seen.

    Raises:
        ValueError: The shapes differ, or a value isn't a number.

    Example:
        >>> pairs = paired([1, 2, np.nan, 4], [1, 3, 3, 5], levels=[1, 2, 3, 4, 5])
        >>> len(pairs), float(pairs.moments.signed[0]), pairs.span
        (3, 0.6666666666666666, 4.0)
    """
    gold_values, judge_values = equal_vectors(gold=gold, judge=judge)
    is_finite = np.isfinite(gold_values) & np.isfinite(judge_values)
    in_groups = Groups.of(groups, len(gold_values)).of_units(is_finite)
    gold_values, judge_values = _without_dust(gold_values[is_finite], judge_values[is_finite])
    scale = np.append(gold_values, judge_values) if levels is None else np.unique(np.asarray(levels, dtype=np.float64))
    span = float(np.ptp(scale)) if len(scale) else 0.0
    step = span if levels is None or len(scale) < 2 else float(np.diff(scale).min())
    return Pairs(gold_values, judge_values, in_groups, span, step, scale_told=levels is not None)


def numbers(values: npt.ArrayLike, name: str) -> Floats:
    """Convert `values` to an array of floats; None becomes nan.

    Args:
        values: Numbers, or rows of numbers.
        name: Name of the values, for the error.

    Raises:
        ValueError: A value isn't a number, or rows differ in length.

    Example:
        >>> numbers([1, None], "gold").tolist()
        [1.0, nan]
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be numbers in rows of one length, nan where a rating is missing") from None


def equal_vectors(**named: npt.ArrayLike) -> Floats:
    """Join vectors, each with one number per unit, in one array of shape (n_vectors, n_units).

    Raises:
        ValueError: The values aren't vectors of numbers of equal length.

    Example:
        >>> equal_vectors(gold=[1, None], judge=[2, 3]).tolist()
        [[1.0, nan], [2.0, 3.0]]
    """
    vectors = [numbers(values, name) for name, values in named.items()]
    if len({vector.shape for vector in vectors}) > 1 or vectors[0].ndim != 1:
        shapes = " and ".join(str(vector.shape) for vector in vectors)
        raise ValueError(f"{' and '.join(named)} must be equally long vectors, not {shapes}")
    return np.stack(vectors)


def concordance(gold: Integers, judge: Integers, units: Floats | None = None) -> Floats:
    """Count, for a unit of each row, units that both raters rank on the same side of it minus those on opposite sides.

    A side is above or below. Ties aren't counted.

    Args:
        gold: Ranks of gold's ratings, from 0 without gaps, with one rank for ties, shape (n_rows,).
        judge: Ranks of the judge's ratings, from 0 without gaps, shape (n_rows,).
        units: Number of equal units that each row represents, shape (n_rows,); None for one each.

    Returns:
        Whole numbers, one for a unit of each row, shape (n_rows,); their sum over units is twice the numerator of
        Kendall's tau.

    Source:
        Knight (1966), Journal of the American Statistical Association 61(314), 436-439, for n log n; here by halving
        the range of ranks rather than by merging. doi:10.1080/01621459.1966.10480879

    Example:
        >>> concordance(np.array([0, 1, 2]), np.array([0, 2, 1])).tolist()
        [2.0, 0.0, 0.0]
        >>> concordance(np.array([0, 1]), np.array([0, 1]), np.array([3.0, 2.0])).tolist()
        [2.0, 3.0]
    """
    n = len(gold) if units is None else round(float(units.sum()))
    if n == 0:
        return np.zeros(len(gold))
    n_gold = int(gold.max()) + 1
    n_judge = int(judge.max()) + 1
    if n_gold * n_judge <= max(_SMALL_TABLE, 4 * n):
        cells = np.bincount(gold * n_judge + judge, weights=units, minlength=n_gold * n_judge)
        by_cell = above_minus_below(above_minus_below(cells.astype(np.float64).reshape(n_gold, n_judge)).T).T
        return np.asarray(by_cell[gold, judge])
    if units is None or n == len(gold):
        return _concordance_of_units(gold, judge)
    times = np.rint(units).astype(np.int64)
    first_of_row = np.cumsum(times) - times
    of_units = _concordance_of_units(np.repeat(gold, times), np.repeat(judge, times))
    return np.asarray(of_units[first_of_row])


def _concordance_of_units(gold: Integers, judge: Integers) -> Floats:
    """Count, for each unit, the units that gold and judge put on the same side of it minus those on opposite sides.

    A side is above or below. Values are sorted instead of compared pair by pair, which takes little memory.

    Args:
        gold: Index of gold's value among gold's different values in ascending order, shape (n_units,).
        judge: Index of the judge's value among the judge's different values in ascending order, shape (n_units,).
    """
    gold_below, gold_equal = _below(gold)
    judge_below, judge_equal = _below(judge)
    tied_gold, same = _below_among_ties(gold, judge)
    tied_judge, _ = _below_among_ties(judge, gold)
    both_below = _earlier_and_smaller(gold, judge)
    gold_above = len(gold) - gold_below - gold_equal
    balance = 4 * both_below + gold_above - gold_below - 2 * judge_below + 2 * (tied_gold + tied_judge)
    return np.asarray(balance - judge_equal + same, dtype=np.float64)


def above_minus_below(rows: Floats) -> Floats:
    """Compute, for each row of an array, the sum of all later rows minus the sum of all earlier rows.

    Example:
        >>> above_minus_below(np.array([1.0, 2.0, 4.0])).tolist()
        [6.0, 3.0, -3.0]
    """
    up_to = np.cumsum(rows, axis=0)
    return np.asarray(up_to[-1] - 2 * up_to + rows)


def _without_dust(left: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Round two arrays to 14 significant digits of their largest value, so that rounding errors vanish."""
    largest = max(float(np.abs(left).max(initial=0.0)), float(np.abs(right).max(initial=0.0)))
    if largest == 0:
        return left, right
    decimals = _PLACES - math.ceil(math.log10(largest))
    return np.round(left, decimals), np.round(right, decimals)


def _place_in_group(group: Integers, levels: tuple[Floats, Integers]) -> Integers:
    seen, code = levels
    return numbered(group * len(seen) + code)[1]


def _unless_rounding(variance: Floats, values: Floats) -> Floats:
    """Return variances, set to exactly 0 where they are only rounding errors of equal values."""
    spread = float(np.var(values)) if len(values) else 0.0
    size = float(np.abs(values).max(initial=0.0))
    return np.where(variance > max(RELATIVE_ROUNDING * spread, (RELATIVE_ROUNDING * size) ** 2), variance, 0.0)


def _below(code: Integers) -> tuple[Integers, Integers]:
    """Count for each unit the units with a lower code, and those with the same code, which include itself.

    Args:
        code: Value of each unit as a whole number from 0, shape (n_units,).
    """
    counts = np.bincount(code)
    return (np.cumsum(counts) - counts)[code], counts[code]


def _standing(code: Integers, units: Floats) -> Floats:
    counts = np.bincount(code, weights=units)
    return np.asarray((2 * np.cumsum(counts) - counts - counts.sum())[code])


def _orderings(gold: Integers, judge: Integers, units: Floats) -> Floats:
    gold_apart, judge_apart = (units.sum() - np.bincount(code, weights=units)[code] for code in (gold, judge))
    return np.stack([concordance(gold, judge, units), gold_apart, judge_apart])


def _below_among_ties(tied: Integers, order: Integers) -> tuple[Integers, Integers]:
    """Count, for each unit, the units equal in `tied` and lower in `order`, then the units equal in both.

    A unit counts itself among the units equal in both.

    Args:
        tied: Value of each unit, as a whole number, shape (n_units,).
        order: A second value of each unit, as a whole number, shape (n_units,).
    """
    n = len(tied)
    if int(tied.max()) + 1 == n:
        return np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    _, code = numbered(tied * (int(order.max()) + 1) + order)
    below, equal = _below(code)
    return below - _below(tied)[0], equal


def _earlier_and_smaller(first: Integers, second: Integers) -> Integers:
    """Count, for each unit, the units whose value is smaller in `first` and also smaller in `second`.

    Units are sorted by `first`. Units with equal values there are sorted by `second`, the largest first, so that none
    of them counts another one. Then the range of `second` is halved repeatedly: each unit in an upper half counts the
    units of the lower half that come before it.
    """
    n = len(first)
    line = np.lexsort((-second, first))
    by_second = np.argsort(second[line][::-1], kind="stable")
    rank = np.empty(n, dtype=np.int32)
    rank[(n - 1) - by_second] = np.arange(n, dtype=np.int32)
    counts = np.zeros(n, dtype=np.int64)
    current = rank
    for bit in range(int(n - 1).bit_length() - 1, -1, -1):
        upper = ((current >> bit) & 1).astype(bool)
        start = (current >> (bit + 1)) << (bit + 1)
        lower_so_far = np.zeros(n + 1, dtype=np.int32)
        np.cumsum(~upper, out=lower_so_far[1:])
        lower_before = lower_so_far[:-1] - lower_so_far[start]
        counts[current[upper]] += lower_before[upper]
        goes_to = np.where(upper, np.arange(n, dtype=np.int32) + (1 << bit) - lower_before, start + lower_before)
        after = np.empty_like(current)
        after[goes_to] = current
        current = after
    earlier = np.empty(n, dtype=np.int64)
    earlier[line] = counts[rank]
    return earlier
