"""Reliability of ratings of the same examples: intraclass correlations, and one judge asked repeatedly.

A table of ratings has shape (n_units, n_raters), nan where a rating is missing; for repeated verdicts of one judge its
runs take the place of raters.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import fdtri, ndtri

from markscheme.stats.coefficients import agreement
from markscheme.stats.estimate import Estimate, Reason, ScaleLevel
from markscheme.stats.intervals import LOG, Floats, Grouping, Groups, guard, mapped, no_disagreement, noted, withhold
from markscheme.stats.rating_patterns import as_table, commonest

Limits: TypeAlias = Literal["auto", "F", "jackknife"]

SQUARES_ROUNDING = 1e-12
"""Share of the total sum of squares below which a sum of squares is only rounding error."""
ENOUGH_TO_LEAVE_ONE_OUT = 20
"""Smallest number of units for which the jackknife is reliable on continuous ratings."""
MOST_LEVELS_OF_A_SCALE = 7
"""Largest number of distinct ratings that are treated as levels; more are scores."""


# -- intraclass correlation --------------------------------------------------------------------------------------------


def icc(
    ratings: npt.ArrayLike,
    name: str,
    *,
    groups: npt.ArrayLike | None = None,
    limits: Limits = "auto",
    level: float = 0.95,
) -> Estimate:
    """Compute one intraclass correlation of a table of ratings, by its name.

    Args:
        ratings: Ratings, shape (n_units, n_raters), nan where missing. A unit counts only if every rater rated it; a
            note says how many do.
        name: One of `ICC_NAMES`, which ends with 1 for one rating, or with k for the mean of all raters.

            * icc_1_1, icc_1_k: each unit has its own raters;
            * icc_2_1, icc_2_k: absolute agreement of raters who all rated every unit: ICC(A,1), ICC(A,k);
            * icc_3_1, icc_3_k: consistency, ignoring a rater's leniency: ICC(C,1), and Cronbach's alpha.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        limits: Kind of limits: "F" for the classic ones, exact if ratings are normal; "jackknife" for distribution-free
            ones; "auto" for F only with fewer than 20 units and more than 7 distinct values. On a scale of levels F
            limits cover far less than their level, and even less with more units.
        level: Coverage of the interval, 0 to 1.

    Returns:
        The correlation: 1 if raters always agree (icc_3: if their ratings differ by equal amounts on all units), 0 or
        below if units differ no more than ratings of one unit; undefined if the units' means don't differ.

    Raises:
        ValueError: The name is unknown, the ratings aren't a table, or F limits are requested with groups.

    Source:
        Shrout and Fleiss (1979), Psychological Bulletin 86(2), 420-428. doi:10.1037/0033-2909.86.2.420;
        McGraw and Wong (1996), Psychological Methods 1(1), 30-46. doi:10.1037/1082-989X.1.1.30

    Example:
        >>> judges = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
        >>> [round(icc(judges, name).value, 2) for name in ICC_NAMES]
        [0.17, 0.29, 0.71, 0.44, 0.62, 0.91]
    """
    if name not in ICC_NAMES:
        raise ValueError(f"an intraclass correlation is one of {', '.join(ICC_NAMES)}, not {name!r}")
    return _icc(name, _complete(ratings, groups, limits), limits, level)


def icc_family(
    ratings: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    limits: Limits = "auto",
    level: float = 0.95,
    raters: Sequence[str] = (),
) -> dict[str, Estimate]:
    """Compute all six intraclass correlations by name, icc_1_1 to icc_3_k.

    Args:
        ratings: Ratings, shape (n_units, n_raters), nan where missing. A unit counts only if every rater rated it.
        groups: Name of each unit's group, shape (n_units,), whose units are left out together; None without groups.
        limits: Kind of limits: "F" for the classic ones, exact if ratings are normal; "jackknife" for distribution-free
            ones; "auto" for F only with few units and many distinct values.
        level: Coverage of the intervals, 0 to 1.
        raters: Names of the raters in notes; () for "rater 1" and so on.

    Raises:
        ValueError: The ratings aren't a table, or F limits are requested with groups.

    Example:
        >>> list(icc_family([[1, 2], [2, 2], [3, 4]]))
        ['icc_1_1', 'icc_2_1', 'icc_3_1', 'icc_1_k', 'icc_2_k', 'icc_3_k']
    """
    table = replace(_complete(ratings, groups, limits), raters=tuple(raters))
    return {name: _icc(name, table, limits, level) for name in ICC_NAMES}


ICC_NAMES = ("icc_1_1", "icc_2_1", "icc_3_1", "icc_1_k", "icc_2_k", "icc_3_k")


@dataclass(frozen=True, slots=True)
class _Anova:
    """Mean squares of a two-way analysis of variance.

    Except `k`, each is an array: the value over all examples, then without each example (or group) in turn.

    Attributes:
        n: Number of examples.
        k: Number of raters.
        units: Mean square between examples.
        raters: Mean square between raters.
        residual: Residual mean square.
        within: Mean square within examples.
    """

    n: Floats
    k: int
    units: Floats
    raters: Floats
    residual: Floats
    within: Floats


@dataclass(frozen=True)
class _Ratings:
    """Ratings of the units that every rater rated, with the units' groups."""

    ratings: Floats
    groups: Groups
    dropped: int
    raters: tuple[str, ...] = ()

    @cached_property
    def anova(self) -> _Anova:
        """Two-way analysis of variance without interaction, over all examples and without each example (or group)."""
        k = self.ratings.shape[1]
        x = self.ratings - self.ratings.mean()
        rows = x.sum(axis=1)
        n, whole, row_squares, squares, *columns = self.groups.left_out(
            np.array([np.ones(len(x)), rows, rows**2, (x**2).sum(axis=1), *x.T])
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            mean_term = whole**2 / (n * k)
            units = row_squares / k - mean_term
            raters = np.sum(np.square(columns), axis=0) / n - mean_term
            residual = squares - mean_term - units - raters
            units, raters, residual = (
                np.where(s > SQUARES_ROUNDING * squares[0], s, 0.0) for s in (units, raters, residual)
            )
            return _Anova(
                n=n,
                k=k,
                units=units / (n - 1),
                raters=raters / (k - 1),
                residual=residual / ((n - 1) * (k - 1)),
                within=(raters + residual) / (n * (k - 1)),
            )

    @property
    def undefined(self) -> Reason | None:
        """Reason why no analysis of variance is possible; None if one is possible."""
        n, k = self.ratings.shape
        if k < 2:
            return Reason("few-raters")
        if n < 2:
            return Reason("one-example" if n else "no-complete-example")
        return Reason("one-level") if np.ptp(self.ratings) == 0 else None

    def takes_f(self, limits: Limits) -> bool:
        """Return True if intervals are computed by the F distribution, False if by the jackknife.

        Args:
            limits: The kind of limits that the caller chose; "auto" to choose by the numbers of units and of values.
        """
        if limits != "auto":
            return limits == "F"
        few = not self.groups.several and len(self.ratings) < ENOUGH_TO_LEAVE_ONE_OUT
        return few and len(np.unique(self.ratings)) > MOST_LEVELS_OF_A_SCALE

    @cached_property
    def stuck(self) -> Reason | None:
        """Reason, with the rater's name, if a rater gives every example the same rating; None if all raters vary."""
        still = np.flatnonzero(np.ptp(self.ratings, axis=0) == 0)
        if not len(still):
            return None
        name = self.raters[still[0]] if self.raters else f"rater {still[0] + 1}"
        return Reason("stuck", {"rater": name, "level": ScaleLevel(self.ratings[0, still[0]])})

    @cached_property
    def off(self) -> int:
        """Fewest examples (or groups) that a rater put on another rating than that rater's most common one."""
        return min(len(np.unique(self.groups.number[x != commonest(x)])) for x in self.ratings.T)


def _complete(ratings: npt.ArrayLike, groups: npt.ArrayLike | None, limits: Limits = "auto") -> _Ratings:
    table = as_table(ratings)
    if limits not in get_args(Limits):
        raise ValueError(f"limits are one of {', '.join(get_args(Limits))}, not {limits!r}")
    rated = np.isfinite(table)
    complete = np.all(rated, axis=1)
    complete_groups = Groups.of(groups, len(table)).of_units(complete)
    if limits == "F" and complete_groups.several:
        raise ValueError("F limits take examples one by one; ask for jackknife limits where there are groups")
    return _Ratings(table[complete], complete_groups, int((rated.any(axis=1) & ~complete).sum()))


def _icc(name: str, table: _Ratings, limits: Limits, level: float) -> Estimate:
    estimate = _icc_of_complete(name, table, limits, level)
    n = len(table.ratings)
    if not table.dropped:
        return estimate
    return noted(estimate, Reason("incomplete-units", {"complete": n, "units": n + table.dropped}))


def _icc_of_complete(name: str, table: _Ratings, limits: Limits, level: float) -> Estimate:
    _, model, size = name.split("_")
    method = f"ICC({model},{size})" + (", complete examples only" if table.dropped else "")
    n = table.groups.n
    k = table.ratings.shape[1]
    if table.undefined:
        return Estimate.without_value(table.undefined, n=n, method=method, level=level)
    noise = _noise(model, table.anova)
    if np.isnan(noise[0]) or (size == "k" and not 0 <= noise[0] < math.inf):
        return Estimate.without_value(Reason("means-alike"), n=n, method=method, level=level)

    def coefficient(q: float) -> float:
        return 1 - q if size == "k" else (1 - q) / (1 + (k - 1) * q) if q < math.inf else -1 / (k - 1)

    value = coefficient(float(noise[0]))
    bare = Estimate(value, n=n, level=level, method=method)
    if table.stuck or not noise[0] < math.inf:
        return withhold(bare, table.stuck or Reason("means-alike"))
    if noise[0] == 0:
        return guard(_no_noise(table, model, coefficient, bare), table.off, grouped=table.groups.several)
    if table.takes_f(limits):
        most, least = _f_limits(model, table.anova, level)
        if size == "k" and not 0 < most < math.inf:
            return withhold(bare, Reason("no-lower-limit"))
        low = min(coefficient(most), value)
        high = max(coefficient(least), value)
        return replace(bare, low=low, high=high, method=f"{method}; F, if normal")
    values = table.groups.jackknife(noise, transform=LOG, level=level, method=method)
    return guard(mapped(values, coefficient), table.off, grouped=table.groups.several)


def _noise(model: str, a: _Anova) -> Floats:
    """Compute the share of noise in the mean of all raters, 1 minus the intraclass correlation (ICC) of this mean.

    For k raters, with r the ICC of a single rating, the share is (1 - r)/(1 + (k - 1) r). The logarithm of the share
    has a nearly symmetric distribution: for two raters it is proportional to Fisher's transform of r, for more raters
    to the intraclass form of that transform.

    Args:
        model: The ICC's model: "1", "2" or "3".
        a: Mean squares of the ratings.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if model == "1":
            return np.asarray(a.within / a.units)
        if model == "3":
            return np.asarray(a.residual / a.units)
        return _noise_of_mean(_absolute_agreement(a), a.k)


def _absolute_agreement(a: _Anova) -> Floats:
    """Compute ICC(2,1), over all examples and then without each example (or group)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = a.units + (a.k - 1) * a.residual + a.k * (a.raters - a.residual) / a.n
        return np.asarray((a.units - a.residual) / spread)


def _noise_of_mean(single: Floats, k: int) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((1 - single) / (1 + (k - 1) * single))


def _f_limits(model: str, a: _Anova, level: float) -> tuple[float, float]:
    """Compute the limits of the ratio of noise to signal in the mean of all raters, the larger limit first.

    They are the classic limits by F distributions, which assume that ratings are normally distributed.

    Args:
        model: Model of the intraclass correlation: "1", "2" or "3".
        a: The analysis of variance.
        level: Coverage of the interval.
    """
    n = float(a.n[0])
    k = a.k
    tail = 0.5 + level / 2
    if model != "2":
        df = n * (k - 1) if model == "1" else (n - 1) * (k - 1)
        noise = float(_noise(model, a)[0])
        return noise * float(fdtri(n - 1, df, tail)), noise / float(fdtri(df, n - 1, tail))
    units, raters, residual, r = (float(x[0]) for x in (a.units, a.raters, a.residual, _absolute_agreement(a)))
    x = k * r / (n * (1 - r))
    y = 1 + x * (n - 1)
    df = (x * raters + y * residual) ** 2
    df /= (x * raters) ** 2 / (k - 1) + (y * residual) ** 2 / ((n - 1) * (k - 1))
    others = k * raters + (k * n - k - n) * residual
    f_low = float(fdtri(n - 1, df, tail))
    f_high = float(fdtri(df, n - 1, tail))
    low = n * (units - f_low * residual) / (f_low * others + n * units)
    high = n * (f_high * units - residual) / (others + n * f_high * units)
    return float(_noise_of_mean(np.array(low), k)), float(_noise_of_mean(np.array(high), k))


def _no_noise(table: _Ratings, model: str, coefficient: Callable[[float], float], bare: Estimate) -> Estimate:
    """Return the estimate for ratings that never differ: 1, with a lower limit that allows for unseen disagreement.

    Args:
        table: The ratings.
        model: Model of the intraclass correlation: "1", "2" or "3"; with "3", differences between the raters' means
            don't count.
        coefficient: Function that converts the ratio of noise to signal to the coefficient.
        bare: The estimate without an interval, which is returned if no lower limit can be computed.
    """
    x = table.ratings - (table.ratings.mean(axis=0) if model == "3" else 0.0)
    k = x.shape[1]
    loss = float(np.ptp(x)) ** 2 / (2 * float(x.var()))
    single = no_disagreement(1.0, n=table.groups.n, below=loss, level=bare.level, method=bare.method)
    noise = float(_noise_of_mean(np.array(single.low), k))
    if not 0 <= noise < math.inf:
        return withhold(bare, Reason("few-to-bound-unseen"))
    return replace(single, low=coefficient(noise))


def _seen(table: Floats) -> Floats:
    seen = np.unique(table[np.isfinite(table)])
    return seen if len(seen) else np.zeros(1)


# -- one judge asked again ---------------------------------------------------------------------------------------------


def repeat_family(
    runs: npt.ArrayLike,
    *,
    levels: npt.ArrayLike | None = None,
    groups: Grouping = None,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Measure how much one judge's ratings of the same examples vary between runs: the noise that a change must exceed.

    Args:
        runs: The judge's ratings, shape (n_units, n_runs), nan where missing. Examples with two or more count.
        levels: Levels of the scale, or its two ends; needed only for the intervals if no rating ever changed.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        level: Coverage of the intervals, 0 to 1.

    Returns:
        test_retest: reliability of one run as ICC(1,1), at most 1;
        flip_rate: share of pairs of runs that differ, 0 to 1;
        distance: mean absolute difference between two runs, in the unit of the ratings;
        measurement_error: standard deviation of one run about the judge's own mean, in that unit;
        shift_floor: largest shift of the mean over these examples between two runs of an unchanged judge in 95 % of
        cases, in that unit.

    Raises:
        ValueError: The ratings aren't a table.

    Source:
        Shrout and Fleiss (1979), Psychological Bulletin 86(2), 420-428. doi:10.1037/0033-2909.86.2.420; Bland and
        Altman (1996), BMJ 313, 106, for the measurement error. doi:10.1136/bmj.313.7049.106

    Example:
        >>> found = repeat_family([[3, 3], [2, 3], [5, 5], [1, 1]])
        >>> found["flip_rate"].value, found["distance"].value, round(found["test_retest"].value, 4)
        (0.25, 0.25, 0.9552)
    """
    repeats = _repeats(runs, levels, groups)
    levels_seen = _seen(repeats.runs)
    flips = agreement(repeats.runs, "percent_agreement", levels=levels_seen, groups=repeats.groups.number, level=level)
    return {
        "test_retest": _test_retest(repeats, level),
        "flip_rate": replace(mapped(flips, lambda share: 1 - share), method=f"1 - {flips.method}"),
        "distance": _noise_size(repeats, repeats.distance, repeats.span, level, "mean |run - run|"),
        "measurement_error": _measurement_error(repeats, level),
        "shift_floor": _shift_floor(repeats, level),
    }


@dataclass(frozen=True, slots=True)
class _Repeats:
    """Statistics of examples that a judge rated twice or more, over all and then without each example (or group).

    Attributes:
        runs: Ratings, shape (n_units, n_runs), nan where missing.
        groups: Groups to leave out in turn.
        span: Range of the scale.
        distance: Mean over examples of the mean absolute difference between two runs.
        between: Mean square between examples.
        within: Mean square within examples.
        runs_each: Effective number of runs per example in the expectation of `between`.
    """

    runs: Floats
    groups: Groups
    span: float
    distance: Floats
    between: Floats
    within: Floats
    runs_each: Floats


def _repeats(runs: npt.ArrayLike, levels: npt.ArrayLike | None, groups: Grouping) -> _Repeats:
    table = as_table(runs)
    table = np.where(np.isfinite(table), table, np.nan)
    twice = np.isfinite(table).sum(axis=1) >= 2
    repeated_groups = Groups.of(groups, len(table)).of_units(twice)
    table = table[twice]
    scale = _seen(table) if levels is None else np.asarray(levels, dtype=np.float64)
    middle = float(np.nanmean(table)) if len(table) else 0.0
    count = np.isfinite(table).sum(axis=1).astype(np.float64)
    mean = np.nansum(table - middle, axis=1) / count
    square = np.nansum((table - middle - mean[:, None]) ** 2, axis=1)
    per_unit = [np.ones(len(table)), count, count * mean, count * mean**2, count**2, square, _distances(table)]
    units, ratings, whole, squares, counts, within, distance = repeated_groups.left_out(np.array(per_unit))
    with np.errstate(divide="ignore", invalid="ignore"):
        between = squares - whole**2 / ratings
        between = np.where(between > SQUARES_ROUNDING * (squares[0] + within[0]), between, 0.0)
        within = np.where(within > SQUARES_ROUNDING * (squares[0] + within[0]), within, 0.0)
        return _Repeats(
            runs=table,
            groups=repeated_groups,
            span=float(np.ptp(scale)),
            distance=np.where(within > 0, distance, 0.0) / units,
            between=between / (units - 1),
            within=within / (ratings - units),
            runs_each=(ratings - counts / ratings) / (units - 1),
        )


def _distances(table: Floats) -> Floats:
    """Compute, for each row, the mean distance between two of its ratings."""
    count = np.isfinite(table).sum(axis=1)[:, None]
    rank = np.arange(1, table.shape[1] + 1)[None]
    return np.asarray(
        2 * np.nansum((2 * rank - count - 1) * np.sort(table, axis=1), axis=1) / (count * (count - 1))[:, 0]
    )


def _test_retest(repeats: _Repeats, level: float) -> Estimate:
    method = "ICC(1,1) of runs"
    n = repeats.groups.n
    seen, counts = np.unique(repeats.runs[np.isfinite(repeats.runs)], return_counts=True)
    if len(repeats.runs) < 2 or len(seen) == 1:
        why = Reason("one-level") if len(repeats.runs) > 1 else _too_few(repeats)
        return Estimate.without_value(why, n=n, method=method, level=level)
    between = float(repeats.between[0])
    within = float(repeats.within[0])
    runs = float(repeats.runs_each[0])
    off = int(len(repeats.runs) * (1 - counts.max() / counts.sum()))
    if within == 0:
        loss = repeats.span**2 / (2 * float(np.nanvar(repeats.runs)))
        return guard(no_disagreement(1.0, n=n, below=loss, floor=-1.0, level=level, method=method), off)
    if between == 0:
        return withhold(Estimate(-1 / (runs - 1), n=n, method=method, level=level), Reason("means-alike"))
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = repeats.within / repeats.between
    values = repeats.groups.jackknife(noise, transform=LOG, level=level, method=method)
    return guard(mapped(values, lambda q: (1 - q) / (1 + (runs - 1) * q)), off)


def _too_few(repeats: _Repeats) -> Reason:
    return Reason("one-example" if len(repeats.runs) else "no-two-runs")


def _measurement_error(repeats: _Repeats, level: float) -> Estimate:
    method = "sd within examples"
    if repeats.groups.n and repeats.within[0] == 0:
        return mapped(_noise_size(repeats, repeats.within, repeats.span**2 / 2, level, method), math.sqrt)
    return _noise_size(repeats, np.sqrt(repeats.within), repeats.span, level, method)


def _noise_size(repeats: _Repeats, size: Floats, largest: float, level: float, method: str) -> Estimate:
    n = repeats.groups.n
    if not n:
        return Estimate.without_value(_too_few(repeats), n=n, method=method, level=level)
    if repeats.within[0] > 0:
        return repeats.groups.jackknife(size, transform=LOG, level=level, method=method)
    if repeats.span == 0:
        return withhold(Estimate(0.0, n=n, level=level, method=method), Reason("one-level-without-scale"))
    return no_disagreement(0.0, n=n, above=largest, level=level, method=method)


def _shift_floor(repeats: _Repeats, level: float) -> Estimate:
    error = _measurement_error(repeats, level)
    if error.value is None:
        return error
    reach = float(ndtri(0.975)) * math.sqrt(2 / len(repeats.runs))
    return replace(mapped(error, lambda sd: reach * sd), method=f"1.96 √(2/n) x {error.method}")
