"""Intervals of statistics: jackknife intervals over units or groups, and exact and score intervals of shares."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv, ndtri, stdtrit

from markscheme.stats.distinct import numbered
from markscheme.stats.estimate import Caveat, Estimate, Reason

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

FEWEST_DF = 5.0
"""Smallest number of degrees of freedom of a jackknife interval, however few examples determine the statistic;
chosen by simulation."""
OFF_TO_SHOW = 5
"""Smallest number of examples outside the most common level with which an interval of kappa is shown; with fewer,
simulated intervals miss too often."""
OFF_TO_TRUST = 10
"""Smallest number of examples outside the most common level with which intervals cover as much as they claim; with
fewer they are marked as approximate."""
STILL = 1e-13
"""Relative change of a statistic below which it is only rounding."""
NO_SPREAD = Reason("no-spread")


class Transform(NamedTuple):
    """A scale to which a statistic is converted so that a t interval, which is symmetric, fits its distribution.

    Attributes:
        name: Name in `Estimate.method`.
        forward: Function from the statistic's own unit to this scale.
        slope: Derivative of `forward`.
        back: Function from this scale to the statistic's own unit.
        low: Limit above which values must lie to be finite on the scale.
        high: Limit below which values must lie to be finite on the scale.
    """

    name: str
    forward: Callable[[float], float]
    slope: Callable[[float], float]
    back: Callable[[float], float]
    low: float
    high: float

    def reaches(self, value: float) -> bool:
        """Return True if a value is finite on the transformed scale."""
        return self.low < value < self.high


def _unlogit(y: float) -> float:
    return 1 / (1 + math.exp(-y)) if y > -700 else 0.0


ATANH = Transform("atanh", math.atanh, lambda x: 1 / (1 - x * x), math.tanh, -1.0, 1.0)
LOGIT = Transform("logit", lambda x: math.log(x / (1 - x)), lambda x: 1 / (x * (1 - x)), _unlogit, 0.0, 1.0)
LOG = Transform("log", math.log, lambda x: 1 / x, lambda y: math.exp(min(y, 700.0)), 0.0, math.inf)
IDENTITY = Transform("identity", float, lambda _: 1.0, float, -math.inf, math.inf)


class Spread(NamedTuple):
    """Standard error of a statistic by the jackknife, with its degrees of freedom.

    Attributes:
        se: Jackknife standard error, in the statistic's unit; 0 if no unit changes the statistic.
        df: Degrees of freedom of its t interval, which depend on the number of units that determine the statistic.
        n: Number of units (or groups) that were left out in turn.
    """

    se: float
    df: float
    n: int


def spread(left_out: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> Spread:
    """Compute the standard error and degrees of freedom of a statistic from its leave-one-out values.

    Args:
        left_out: The statistic without one unit (or group), shape (m,). Equal units, whose leaving out has the same
            effect, share one value.
        counts: Number of units that share each value, shape (m,); None for one each.

    Returns:
        The jackknife standard error, and Satterthwaite's degrees of freedom for it, between 5 and n - 1.

    Raises:
        ValueError: The shapes differ, or there are fewer than two units.

    Source:
        Hinkley (1977), Biometrika 64(1), 21-28; Satterthwaite (1946), Biometrics Bulletin 2(6), 110-114.
        doi:10.2307/3002019

    Example:
        >>> values = np.array([1.0, 2.0, 3.0, 4.0])
        >>> means_without_one = (values.sum() - values) / 3
        >>> float(round(spread(means_without_one).se, 6)), float(round(values.std(ddof=1) / 2, 6))
        (0.645497, 0.645497)
    """
    theta = np.asarray(left_out, dtype=np.float64)
    weight = np.ones_like(theta) if counts is None else np.asarray(counts, dtype=np.float64)
    if theta.shape != weight.shape or theta.ndim != 1:
        raise ValueError(f"left_out and counts must be equally long vectors, not {theta.shape} and {weight.shape}")
    n = round(float(weight.sum()))
    if n < 2:
        raise ValueError(f"leaving one out needs two units or more, not {n}")
    used = weight > 0
    theta = theta[used]
    weight = weight[used]
    centre = float(weight @ theta) / n
    moved = centre - theta
    if np.abs(moved).max() <= STILL * max(1.0, abs(centre)):
        return Spread(0.0, float(n - 1), n)
    squares = (moved / np.abs(moved).max()) ** 2
    second = float(weight @ squares)
    fourth = float(weight @ squares**2)
    carriers = second**2 / fourth
    excess = 1 / carriers - 1 / n
    df = 2 / excess if excess > 0 else math.inf
    se = math.sqrt((n - 1) / n * float(weight @ moved**2))
    return Spread(se, float(min(max(df, FEWEST_DF), n - 1)), n)


def t_quantile(df: float, level: float) -> float:
    """Compute the t for which a share `level` of Student's distribution, with `df` degrees of freedom, is within ±t.

    Example:
        >>> round(t_quantile(9, 0.95), 4)
        2.2622
    """
    return float(stdtrit(df, 0.5 + level / 2))


def t_limits(value: float, spread: Spread, transform: Transform, *, level: float = 0.95) -> tuple[float, float]:
    """Compute the limits of a t interval on the scale of `transform`, and convert them back to the statistic's unit.

    Args:
        value: The statistic.
        spread: Its standard error, in its own unit, with degrees of freedom.
        transform: The scale on which the interval is symmetric.
        level: Coverage of the interval.

    Example:
        >>> low, high = t_limits(0.6, Spread(se=0.080723, df=88.8889, n=100), ATANH)
        >>> round(low, 4), round(high, 4)
        (0.4157, 0.7369)
    """
    reach = t_quantile(spread.df, level) * spread.se * transform.slope(value)
    centre = transform.forward(value)
    return transform.back(centre - reach), transform.back(centre + reach)


def jackknife(
    value: float,
    left_out: npt.ArrayLike,
    *,
    counts: npt.ArrayLike | None = None,
    transform: Transform,
    level: float = 0.95,
    method: str | None = None,
    grouped: bool = False,
) -> Estimate:
    """Estimate a statistic with its interval, from its values with one unit (or group) left out.

    If no valid interval exists, the estimate has only the value, and its `note` says why: there is only one unit, the
    statistic is undefined (nan) without one of the units, no unit changes it, or the value is at the end of the scale.

    Args:
        value: The statistic of all units, finite.
        left_out: The statistic without one unit (or group), a value for each distinct kind of unit, shape (m,), nan
            where it is undefined.
        counts: Number of units of each kind, shape (m,); None for one each.
        transform: Scale of the interval: ATANH for coefficients and correlations, LOGIT for shares, LOG for sizes of
            error and ratios, IDENTITY for signed errors and differences.
        level: Coverage of the interval, 0 to 1.
        method: Text of `Estimate.method` before the kind of interval; None for only the kind of interval.
        grouped: True if groups are left out, for the wording of a note.

    Returns:
        The value and limits in the statistic's own unit; `n` is the number of units (or groups).

    Raises:
        ValueError: `left_out` and `counts` differ in shape.

    Source:
        Hinkley (1977), Biometrika 64(1), 21-28; Miller (1974), Biometrika 61(1), 1-15. doi:10.1093/biomet/61.1.1

    Example:
        >>> without_hit, without_miss = 79 / 99, 80 / 99
        >>> e = jackknife(0.8, [without_hit, without_miss], counts=[80, 20], transform=LOGIT)
        >>> round(e.low, 4), round(e.high, 4), e.method
        (0.7083, 0.8682, 'jackknife t, logit')
    """
    theta = np.asarray(left_out, dtype=np.float64)
    weight = np.ones_like(theta) if counts is None else np.asarray(counts, dtype=np.float64)
    if theta.shape != weight.shape:
        raise ValueError(f"left_out and counts must have one shape, not {theta.shape} and {weight.shape}")
    n = round(float(weight.sum()))
    bare = Estimate(value, level=level, n=n, method=method or "")
    if n < 2:
        return withhold(bare, Reason("one-unit", {"grouped": grouped}))
    if not np.isfinite(theta[weight > 0]).all():
        return withhold(bare, Reason("hangs-on-one-unit", {"grouped": grouped}))
    if not transform.reaches(value):
        return withhold(bare, Reason("end-of-scale", {"scale": transform.name}))
    spread_of_value = spread(theta, weight)
    if spread_of_value.se == 0:
        return withhold(bare, NO_SPREAD)
    low, high = t_limits(value, spread_of_value, transform, level=level)
    made = f"jackknife t, {transform.name}"
    return replace(bare, low=min(low, value), high=max(high, value), method=f"{method}; {made}" if method else made)


def withhold(estimate: Estimate, why: str | Reason) -> Estimate:
    """Return an estimate without its interval, and with the reason why.

    Example:
        >>> withhold(Estimate(0.4, -0.3, 0.8, n=20), "too few fails").note
        'withheld: too few fails'
    """
    return replace(estimate, low=None, high=None, caveat=Caveat("withheld", why))


def kept_within(estimate: Estimate, lowest: float, highest: float) -> Estimate:
    """Cut an estimate's interval to the range of its statistic, but not so far that it excludes the value.

    Example:
        >>> kept_within(Estimate(0.4, 0.1, 1.7, n=3), 0.0, 1.0).high
        1.0
    """
    value = estimate.value
    low = estimate.low
    high = estimate.high
    if value is None or low is None or high is None:
        return estimate
    return replace(estimate, low=min(value, max(lowest, low)), high=max(value, min(highest, high)))


def mapped(estimate: Estimate, monotone: Callable[[float], float]) -> Estimate:
    """Apply a monotone function to an estimate's value and limits; a falling function swaps the limits.

    Example:
        >>> flipped = mapped(Estimate(0.8, 0.7, 0.9, n=20), lambda share: 1 - share)
        >>> round(flipped.value, 2), round(flipped.low, 2), round(flipped.high, 2)
        (0.2, 0.1, 0.3)
    """
    if estimate.value is None:
        return estimate
    value = monotone(estimate.value)
    if estimate.low is None or estimate.high is None:
        return replace(estimate, value=value)
    low, high = sorted((monotone(estimate.low), monotone(estimate.high)))
    return replace(estimate, value=value, low=low, high=high)


def noted(estimate: Estimate, words: str | Reason) -> Estimate:
    """Return a copy of an estimate with a remark added to its caveat.

    Args:
        estimate: The estimate.
        words: The remark.

    Example:
        >>> noted(withhold(Estimate(0.4, n=2), "too few fails"), "from 2 of 52 units").note
        'withheld: too few fails; from 2 of 52 units'
    """
    caveat = estimate.caveat or Caveat()
    remark = f"{caveat.remark}; {words}" if caveat.remark else str(words)
    return replace(estimate, caveat=caveat._replace(remark=remark))


def mark_rough(estimate: Estimate, why: str | Reason) -> Estimate:
    """Mark an estimate's interval approximate, since it may cover less than its level.

    An estimate without an interval, or with another caveat, is returned unchanged.

    Args:
        estimate: The estimate.
        why: Reason why the interval is only approximate, such as "few fails".

    Example:
        >>> mark_rough(Estimate(0.4, -0.3, 0.8, n=20), "few fails").note
        'approximate: few fails'
    """
    if estimate.low is None or estimate.caveat is not None:
        return estimate
    return replace(estimate, caveat=Caveat("approximate", why))


def guard(estimate: Estimate, off: int, *, grouped: bool = False) -> Estimate:
    """Withhold a statistic's interval, or mark it as approximate, if few examples determine the statistic.

    Args:
        estimate: Estimate of a statistic that depends on how the ratings vary.
        off: Number of examples that a rater gave another level than that rater's most common one, or of groups with
            such an example; the smallest of these numbers over the raters.
        grouped: True if `off` counts groups, for the wording of the note.

    Returns:
        The estimate: without interval if `off` is below 5, marked approximate from 5 to 9, unchanged from 10. However
        its interval was computed makes no difference. An estimate without an interval is unchanged.

    Example:
        >>> e = Estimate(0.4, -0.3, 0.8, n=40)
        >>> guard(e, 3).low, guard(e, 7).note, guard(e, 12).note
        (None, 'approximate: only 7 examples outside the most common level', None)
        >>> guard(e, 7, grouped=True).note
        'approximate: only 7 groups with an example outside the most common level'
    """
    if estimate.low is None or off >= OFF_TO_TRUST:
        return estimate
    why = few_off(off, grouped=grouped)
    return withhold(estimate, why) if off < OFF_TO_SHOW else mark_rough(estimate, why)


def few_off(off: int, *, grouped: bool = False) -> Reason:
    """Make the Reason that too few examples, or groups with such examples, are off the rater's most common level.

    Args:
        off: Number of such examples or groups.
        grouped: True if groups are counted.

    Example:
        >>> str(few_off(1))
        'only 1 example outside the most common level'
        >>> str(few_off(4, grouped=True))
        'only 4 groups with an example outside the most common level'
    """
    return Reason("few-off", {"off": off, "grouped": grouped})


def unseen(n: int, level: float = 0.95) -> float:
    """Compute an upper limit of the true share of disagreement if raters agree on all of n examples.

    Source:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413. doi:10.1093/biomet/26.4.404

    Example:
        >>> round(unseen(25), 6)
        0.137185
    """
    return float(-math.expm1(math.log((1 - level) / 2) / n))


def no_disagreement(
    value: float,
    *,
    n: int,
    below: float = 0.0,
    above: float = 0.0,
    floor: float = -math.inf,
    level: float = 0.95,
    method: str | None = None,
) -> Estimate:
    """Estimate a statistic of ratings that all agree; its interval allows for disagreement on unseen examples.

    Args:
        value: The statistic under full agreement: 1 for shares and coefficients, 0 for errors.
        n: Number of examples (or groups), which all agree.
        below: How far the statistic would fall if raters disagreed on every example not seen: 1 for a share, (largest
            loss)/(expected loss) for a chance-corrected coefficient, one step of the scale for a signed error.
        above: How far the statistic would rise if raters disagreed on every example not seen: the scale's range for
            the mean absolute error, one step of the scale for a signed error.
        floor: Smallest possible value of the statistic.
        level: Coverage of the interval, 0 to 1.
        method: Text of `Estimate.method` before the kind of interval; None for only the kind of interval.

    Example:
        >>> e = no_disagreement(1.0, n=25, below=1.0)
        >>> round(e.low, 6), e.high
        (0.862815, 1.0)
    """
    share = unseen(n, level)
    made = "no disagreement seen, exact binomial bound"
    return Estimate(
        value,
        low=max(floor, value - share * below),
        high=value + share * above,
        level=level,
        n=n,
        method=f"{method}; {made}" if method else made,
    )


def clopper_pearson_upper(successes: float, n: float, *, confidence: float) -> float:
    """Compute the exact upper limit of a share: the share lies above it in at most 1 - `confidence` of samples.

    Args:
        successes: Number of examples that count for the share.
        n: Number of all examples.
        confidence: One-sided confidence of the limit.

    Example:
        >>> round(clopper_pearson_upper(0, 45, confidence=0.9), 6)
        0.049881
    """
    _check_share(successes, n)
    return 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, confidence))


def clopper_pearson_lower(successes: float, n: float, *, confidence: float) -> float:
    """Compute the exact lower limit of a share: the true share is below it in at most 1 - `confidence` of samples.

    Example:
        >>> round(clopper_pearson_lower(45, 45, confidence=0.9), 6)
        0.950119
    """
    _check_share(successes, n)
    return 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, 1 - confidence))


def wilson(successes: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Compute Wilson's score limits of a share, which stay within 0 to 1 and never coincide.

    Args:
        successes: Number of trials, of `n`, that count in the share.
        n: Number of trials.
        level: Coverage of the interval, 0 to 1.

    Source:
        Wilson (1927), Journal of the American Statistical Association 22(158), 209-212.
        doi:10.1080/01621459.1927.10502953

    Example:
        >>> [round(x, 6) for x in wilson(45, 50)]
        [0.786398, 0.956524]
    """
    _check_share(successes, n)
    z = float(ndtri(0.5 + level / 2))
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    low = 0.0 if successes == 0 else max(0.0, centre - reach)
    return low, 1.0 if successes == n else min(1.0, centre + reach)


def _check_share(successes: float, n: float) -> None:
    if not (n > 0 and 0 <= successes <= n):
        raise ValueError(f"a share needs 0 <= successes <= n and n > 0, not {successes} of {n}")


MANY_GROUPINGS: Final = 8
"""Number of groupings that are cached: that of all examples, and those of slices in turn."""


def group_numbers(groups: npt.ArrayLike | None, n_units: int) -> tuple[Integers, int]:
    """Number the group of each unit from 0, and count the groups.

    Args:
        groups: Name or number of each unit's group, shape (n_units,); None if each unit is its own group.
        n_units: Number of units.

    Raises:
        ValueError: `groups` hasn't one entry for each unit.

    Example:
        >>> numbers, n_groups = group_numbers(["b", "a", "b"], 3)
        >>> numbers.tolist(), n_groups
        ([1, 0, 1], 2)
    """
    if groups is None:
        return np.arange(n_units, dtype=np.int64), n_units
    if isinstance(groups, tuple) and groups and type(groups[0]) is str:
        numbers, n_groups = _numbers_of_tuple(groups)
    else:
        numbers, n_groups = _numbers_of(groups)
    if numbers.shape != (n_units,):
        raise ValueError(f"groups must have shape ({n_units},), one for each unit, not {numbers.shape}")
    return numbers, n_groups


@lru_cache(maxsize=MANY_GROUPINGS)
def _numbers_of_tuple(names: tuple[str, ...]) -> tuple[Integers, int]:
    """Return, for a tuple of names, the index of each one's group as a read-only array, and how many groups there are.

    The result is cached, since many statistics need it.
    """
    number_of = {name: number for number, name in enumerate(sorted(set(names)))}
    numbers = np.fromiter(map(number_of.__getitem__, names), dtype=np.int64, count=len(names))
    numbers.flags.writeable = False
    return numbers, len(number_of)


def _numbers_of(groups: npt.ArrayLike) -> tuple[Integers, int]:
    names = np.asarray(groups)
    if names.ndim != 1:
        return np.zeros(names.shape, dtype=np.int64), 0
    if names.dtype == object:
        numbers_of = {name: index for index, name in enumerate(dict.fromkeys(names.tolist()))}
        return np.array([numbers_of[name] for name in names.tolist()], dtype=np.int64), len(numbers_of)
    if names.dtype == np.int64 and names.min(initial=0) >= 0:
        distinct, numbers = numbered(names)
        return numbers, len(distinct)
    distinct, numbers = np.unique(names, return_inverse=True)
    return numbers.reshape(-1).astype(np.int64), len(distinct)


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups of units that the jackknife leaves out in turn; without groups, single units.

    A row may represent several equal units, so that a table of counts gives the same results as its units. The
    jackknife leaves out one set at a time: a group, or several groups if there are too many.

    Attributes:
        number: Index of the set with which each row is left out, shape (n_rows,).
        n: Number of groups; the number of units if units have no groups.
        times: Number of units that each row represents within its set, shape (n_rows,); None if each row is one unit.
        copies: Number of equal groups that each set represents, shape (n_sets,); None if each set is one group.
        named: True if units have groups.
    """

    number: Integers
    n: int
    times: Floats | None = None
    copies: Floats | None = None
    named: bool = False

    @classmethod
    def of(cls, names: "Grouping", n_rows: int) -> Self:
        """Make groups from the name of each row's group (None: each row is a group of its own), or copy given Groups.

        Raises:
            ValueError: The number of names isn't the number of rows.
        """
        if not isinstance(names, Groups):
            return cls(*group_numbers(names, n_rows), named=names is not None)
        if len(names.number) != n_rows:
            raise ValueError(f"groups must be those of {n_rows} rows, not of {len(names.number)}")
        return cls(names.number, names.n, names.times, names.copies, names.named)

    @classmethod
    def counted(cls, n: npt.ArrayLike, sets: npt.ArrayLike | None = None) -> Self:
        """Make the groups for rows each of which represents several units.

        Args:
            n: Number of units that each row represents, shape (n_rows,).
            sets: For each row, a number that is equal for rows whose units are left out together, shape (n_rows,); None
                if each unit is left out by itself.

        Example:
            >>> Groups.counted([3, 1]).left_out(np.array([1.0, 0.0])).tolist()
            [3.0, 2.0, 3.0]
            >>> Groups.counted([3, 1], sets=[7, 7]).left_out(np.array([1.0, 0.0])).tolist()
            [3.0, 0.0]
        """
        times = np.asarray(n, dtype=np.float64)
        if sets is None:
            return cls(np.arange(len(times), dtype=np.int64), round(float(times.sum())), copies=times)
        return cls(*group_numbers(sets, len(times)), times=times, named=True)

    @property
    def n_sets(self) -> int:
        """Number of sets to leave out in turn; groups with equal values share one set."""
        return self.n if self.copies is None else len(self.copies)

    @property
    def units(self) -> Floats:
        """Number of units that each row of ratings represents, shape (n_rows,)."""
        times = np.broadcast_to(1.0, len(self.number)) if self.times is None else self.times
        return times if self.copies is None else times * self.copies[self.number]

    @property
    def n_units(self) -> int:
        """Number of units in all rows together."""
        return len(self.number) if self.times is None and self.copies is None else round(float(self.units.sum()))

    @property
    def several(self) -> bool:
        """True if some group has more than one unit, so that grouping makes a difference."""
        return self.n < self.n_units

    def of_units(self, units: npt.NDArray[np.bool_]) -> Self:
        """Return the groups of the selected rows alone.

        Args:
            units: Mask of the rows to keep, shape (n_rows,).
        """
        if units.all():
            return self
        group_of = self.number[units]
        used = np.bincount(group_of, minlength=self.n_sets) > 0
        copies = None if self.copies is None else self.copies[used]
        return replace(
            self,
            number=np.cumsum(used)[group_of] - 1,
            n=int(used.sum()) if copies is None else round(float(copies.sum())),
            times=None if self.times is None else self.times[units],
            copies=copies,
        )

    def count(self, rows: npt.NDArray[np.bool_]) -> int:
        """Count the units that the selected rows represent."""
        if self.times is None and self.copies is None:
            return int(np.count_nonzero(rows))
        return round(float(self.units[rows].sum()))

    def groups_with(self, rows: npt.NDArray[np.bool_]) -> int:
        """Count the groups that have a unit among the selected rows."""
        sets = np.bincount(self.number[rows], minlength=self.n_sets) > 0
        return int(sets.sum()) if self.copies is None else round(float(self.copies[sets].sum()))

    def mean(self, values: Floats) -> float:
        """Compute the mean of `values`, shape (n_rows,), over all units; nan without any."""
        return float((values * self.units).sum()) / self.n_units if len(values) else math.nan

    def sums(self, values: Floats) -> Floats:
        """Sum `values`, shape (..., n_rows), over the units of each set, shape (..., n_sets)."""
        if self.times is None and self.n_sets == len(self.number):
            return values
        rows = (values if self.times is None else values * self.times).reshape(-1, len(self.number))
        if self.n_sets == 1:
            return np.asarray(rows.sum(axis=1).reshape(*values.shape[:-1], 1))
        sums = [np.bincount(self.number, weights=row, minlength=self.n_sets) for row in rows]
        return np.array(sums, dtype=np.float64).reshape(*values.shape[:-1], self.n_sets)

    def left_out(self, values: Floats) -> Floats:
        """Sum `values`, shape (..., n_rows), over all units, then without each set in turn, shape (..., 1 + n_sets)."""
        sums = self.sums(values)
        if self.times is None:
            of_rows = values if self.copies is None else values * self.units
            total = of_rows.sum(axis=-1, keepdims=True)
        else:
            total = (sums if self.copies is None else sums * self.copies).sum(axis=-1, keepdims=True)
        return np.concatenate([total, total - sums], axis=-1)

    def jackknife(self, values: Floats, *, transform: Transform, level: float, method: str) -> Estimate:
        """Estimate a statistic with its jackknife interval.

        Args:
            values: The statistic over all units, then its value without each set in turn, shape (1 + n_sets,).
            transform: Scale on which the interval is computed.
            level: Coverage of the interval, 0 to 1.
            method: Description of what was computed, for the Estimate's `method`.
        """
        return jackknife(
            float(values[0]),
            values[1:],
            counts=self.copies,
            transform=transform,
            level=level,
            method=method,
            grouped=self.several,
        )


Grouping: TypeAlias = npt.ArrayLike | Groups | None
"""Name of each unit's group, or Groups of rows that count units, or None if each unit is independent."""


def known_in_groups(values: npt.ArrayLike, names: Grouping) -> tuple[Floats, Groups]:
    """Return the values that aren't nan, and the Groups that these values belong to.

    Raises:
        ValueError: The values aren't a vector, or don't have one name each.
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1:
        raise ValueError(f"values must be a vector, not of shape {x.shape}")
    present = ~np.isnan(x)
    return x[present], Groups.of(names, len(x)).of_units(present)


def sum_of_choices(outcomes: npt.ArrayLike | Sequence[Sequence[int]]) -> tuple[int, Floats]:
    """Compute the exact distribution of a sum to which each row adds one of its outcomes at random.

    In the sign-flip test, each row has the outcomes d and -d. In the test of a new run against r stored ones, each row
    has r + 1 outcomes: one for each run that could be the new one.

    Args:
        outcomes: Possible outcomes of each row, whole numbers, shape (n_rows, n_outcomes).

    Returns:
        The smallest possible sum, and the probabilities of that sum and of each larger whole number up to the largest
        possible sum.

    Raises:
        ValueError: The outcomes aren't a table of whole numbers.

    Example:
        >>> lowest, probability = sum_of_choices([[1, -1], [1, -1]])
        >>> lowest, probability.tolist()
        (-2, [0.25, 0.0, 0.5, 0.0, 0.25])
    """
    table = np.asarray(outcomes)
    if table.ndim != 2 or (table.size and not np.array_equal(table, np.rint(table))):
        raise ValueError(f"outcomes must be a table of whole numbers, not shape {table.shape} of {table.dtype}")
    steps = table.astype(np.int64)
    lows = steps.min(axis=1) if steps.size else np.zeros(0, dtype=np.int64)
    rises = steps - lows[:, None]
    reach = int(rises.max(axis=1, initial=0).sum())
    probability = np.zeros(reach + 1)
    probability[0] = 1.0
    width = 1
    for row in rises.tolist():
        top = max(row)
        if top == 0:
            continue
        so_far = probability[:width] / len(row)
        probability[: width + top] = 0.0
        for rise in row:
            probability[rise : rise + width] += so_far
        width += top
    return int(lows.sum()), probability
