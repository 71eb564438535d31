"""Exact tests of whether a rater changed between stored runs and now on the same examples, in its mean or at all.

Every p-value is exact: no distribution is assumed and no random number is drawn.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr

from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.intervals import (
    IDENTITY,
    Flags,
    Floats,
    Grouping,
    Groups,
    Integers,
    known_in_groups,
    sum_of_choices,
    t_quantile,
    withhold,
)
from markscheme.stats.shares import share

NO_SHIFT_MARGIN = 1 / 16
"""Share of the range within which a shift counts as none: a quarter of a level on five levels, 6 points on yes/no; a
judgement."""
_FINEST = 100
"""Number of steps in a unit to which finer differences are rounded: hundredths, in which overall scores are tested."""
MOST_STEPS = 20_000_000
"""Largest number of steps with which a distribution is convolved exactly; for more, a Fourier transform takes less
time."""
_TAIL = 1e-33
"""Probability below which a sum is left out of the transform, whose own error is about 1e-12."""


@dataclass(frozen=True, slots=True)
class MeanShiftTest:
    """Result of the test of whether a judge's mean level shifted between its stored runs and now.

    Attributes:
        shift: Mean of the ratings now minus the mean of the stored runs, in the unit of the ratings; 0 without
            examples.
        exact_p: Probability of a shift at least this large, in either direction, if the current run were just another
            stored run.
        mid_p: `exact_p` with half the weight for outcomes as large as the observed one; the p-value to use for a test.
        n: Number of examples with a rating in the current run and in every stored run.
        runs: Number of stored runs.
    """

    shift: float
    exact_p: float
    mid_p: float
    n: int
    runs: int

    def __post_init__(self) -> None:
        _check_p_values(self.exact_p, self.mid_p)


@dataclass(frozen=True, slots=True)
class ChangeTest:
    """Result of the test of whether a judge changed in any way, by more than its stored runs differ from each other.

    Attributes:
        excess: Mean distance from the current run to the stored runs minus the mean distance between stored runs, in
            the unit of the ratings; None if there is no test.
        exact_p: Probability of an excess at least this large if the current run were just another stored run; None
            without a test.
        mid_p: `exact_p` with half the weight for equally large outcomes; None if there is no test.
        flips_now: Share of ratings that differ between the current run and a stored run.
        flips_stored: Share of ratings that differ between two stored runs: the noise floor.
        n: Number of examples with a rating in the current run and in every stored run.
        runs: Number of stored runs.
        undefined: Reason why there is no test; None if there is a test.
    """

    excess: float | None
    exact_p: float | None
    mid_p: float | None
    flips_now: Estimate
    flips_stored: Estimate
    n: int
    runs: int
    undefined: str | None = None

    def __post_init__(self) -> None:
        if (self.exact_p is None) == (self.undefined is None):
            raise ValueError(f"a test has either a p or a reason for none: {self.exact_p!r}, {self.undefined!r}")
        if self.exact_p is not None and self.mid_p is not None:
            _check_p_values(self.exact_p, self.mid_p)


def sign_flip(differences: npt.ArrayLike, times: npt.ArrayLike | None = None) -> MeanShiftTest:
    """Test exactly whether differences of two runs centre on zero; for yes/no ratings it is the exact McNemar test.

    Each difference keeps its size and takes either sign with probability ½, which is how two runs of an unchanged judge
    differ, however noisy it is.

    Args:
        differences: Rating now minus rating then for each example, shape (n,); nan if either is missing. Multiples of
            half levels, thirds and any other unit fraction down to 1/100 are exact; finer differences are rounded to
            1/100.
        times: Number of examples that each difference represents, shape (n,); None for one each.

    Returns:
        The mean difference with its exact two-sided p and mid-p, which are both 1 if no example differs.

    Raises:
        ValueError: The differences aren't a vector, or one is infinite.

    Source:
        McNemar (1947), Psychometrika 12(2), 153-157. doi:10.1007/BF02295996
        Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13, 91. doi:10.1186/1471-2288-13-91

    Example:
        >>> test = sign_flip([1, 1, 1, 1, 1, 1])
        >>> test.exact_p, test.mid_p
        (0.03125, 0.015625)
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1:
        raise ValueError(f"differences must be a vector, not of shape {d.shape}")
    return moved(d, np.where(np.isnan(d), np.nan, 0.0), times)


def mcnemar_mid_p(more: int, fewer: int) -> float:
    """Compute the two-sided mid-p of the sign-flip test from the numbers of differences of 1 and of -1.

    Args:
        more: Number of differences of 1.
        fewer: Number of differences of -1.

    Returns:
        The mid-p that `sign_flip` gives for a list of `more` times 1 and `fewer` times -1; 1 if both are 0.

    Source:
        Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13, 91. doi:10.1186/1471-2288-13-91

    Example:
        >>> mcnemar_mid_p(6, 0), round(mcnemar_mid_p(4, 2), 6) == round(sign_flip([1] * 4 + [-1] * 2).mid_p, 6)
        (0.015625, True)
    """
    n = more + fewer
    least = min(more, fewer)
    if n == 0:
        return 1.0
    up_to = float(bdtr(least, n, 0.5))
    as_seen = up_to - (float(bdtr(least - 1, n, 0.5)) if least else 0.0)
    return 1 - as_seen / 2 if more == fewer else 2 * up_to - as_seen


def moved(current: npt.ArrayLike, stored: npt.ArrayLike, times: npt.ArrayLike | None = None) -> MeanShiftTest:
    """Test exactly whether a judge's mean level moved since its stored runs.

    Under the null, any of an example's runs is equally likely to be "now", independently for each example. With one
    stored run this is the sign-flip test of the differences.

    Args:
        current: Ratings now, shape (n,), nan if missing.
        stored: Ratings of r stored runs, shape (n,) or (n, r), nan if missing. An example counts if it was rated now
            and in every stored run.
        times: Number of examples that each row represents, shape (n,); None for one each.

    Returns:
        The mean shift in the unit of the ratings, with exact two-sided p and mid-p, which are both 1 if no run differs.

    Raises:
        ValueError: The shapes don't fit, there is no stored run, or a rating is infinite.

    Example:
        >>> moved([1, 1, 1, 1, 1, 0], [0, 0, 0, 0, 0, 0]).exact_p
        0.0625
        >>> moved([2, 3, 1], [[1, 1], [3, 3], [0, 0]]).runs
        2
    """
    runs, examples = counted_runs(run_columns(current, stored), times)
    n = int(examples.sum())
    n_stored = runs.shape[1] - 1
    whole, unit = whole_multiples(runs)
    outcomes = (n_stored + 1) * whole - whole.sum(axis=1, keepdims=True)
    if not outcomes.any():
        return MeanShiftTest(0.0, 1.0, 1.0, n, n_stored)
    exact_p, mid_p = chance_of_first(outcomes, examples, two_sided=True)
    shift = int(examples @ outcomes[:, 0]) * unit / (n_stored * n)
    return MeanShiftTest(shift, exact_p, mid_p, n, n_stored)


def any_change(current: npt.ArrayLike, stored: npt.ArrayLike, groups: Grouping = None) -> ChangeTest:
    """Test exactly whether a judge changed, in its mean or in any other way, by more than its stored runs differ.

    Args:
        current: Ratings now, shape (n,), nan if missing.
        stored: Ratings of r stored runs, shape (n,) or (n, r), nan if missing. An example counts if it was rated now
            and in every stored run.
        groups: Name of each example's group, such as its task, shape (n,); None without groups. Only the intervals of
            the flip rates use them. If rows represent several examples, a `Groups` that also holds the number of
            examples of each row.

    Returns:
        The excess (the mean distance of the ratings now from the stored runs, minus the mean distance between stored
        runs) with exact one-sided p and mid-p; and two flip rates, between now and the stored runs, and between stored
        runs. A single stored run doesn't show its own noise: then there is no test, and `undefined` has the reason.

    Raises:
        ValueError: The shapes don't fit, there is no stored run, or a rating is infinite.

    Example:
        >>> stored = [[1, 1], [3, 3], [1, 1], [4, 3], [3, 3], [2, 2], [2, 2]]
        >>> change = any_change([2, 3, 0, 4, 1, 2, 0], stored)
        >>> round(change.excess, 6), round(change.exact_p, 6)
        (0.785714, 0.028807)
    """
    columns = run_columns(current, stored)
    in_groups = Groups.of(groups, len(columns))
    runs, examples = counted_runs(columns, in_groups.units)
    tasks = in_groups.of_units(is_complete(columns))
    n = int(examples.sum())
    n_stored = runs.shape[1] - 1
    flips_now = share((runs[:, :1] != runs[:, 1:]).mean(axis=1), tasks, method="flip rate, now and stored")
    if n_stored < 2:
        why = Reason("one-stored-run")
        flips_stored = Estimate.without_value(why, n=n, method="flip rate, stored runs")
        return ChangeTest(None, None, None, flips_now, flips_stored, n, n_stored, undefined=str(why))
    pairs = np.triu_indices(n_stored, 1)
    between_stored = runs[:, 1:][:, pairs[0]] != runs[:, 1:][:, pairs[1]]
    flips_stored = share(between_stored.mean(axis=1), tasks, method="flip rate, stored runs")
    whole, unit = whole_multiples(runs)
    distance = np.abs(whole[:, :, None] - whole[:, None, :]).sum(axis=2)
    outcomes = (n_stored + 1) * distance - distance.sum(axis=1, keepdims=True)
    exact_p, mid_p = chance_of_first(outcomes, examples, two_sided=False)
    excess = int(examples @ outcomes[:, 0]) * unit / (max(1, n) * n_stored * (n_stored - 1))
    return ChangeTest(excess, exact_p, mid_p, flips_now, flips_stored, n, n_stored)


def shift_interval(
    differences: npt.ArrayLike,
    times: npt.ArrayLike | None = None,
    *,
    span: float,
    level: float = 0.90,
    method: str = "mean shift",
) -> Estimate:
    """Compute the mean shift of ratings with an interval that keeps some width even if no rating changed.

    One pair of differences, up and down the whole scale, is added before the interval is computed: a change that
    `differences` don't show may still happen. On yes/no this is the Bonett-Price interval.

    Args:
        differences: Rating now minus rating then (or minus the mean of the stored runs), shape (n,), nan if missing.
        times: Number of examples that each difference represents, shape (n,); None for one each.
        span: Range of the scale in the unit of `differences`: L - 1 for levels numbered 0 to L - 1.
        level: Coverage of the interval, 0 to 1; 0.90 tests both directions at 5 %.
        method: Name of the measured quantity, for the Estimate's `method`.

    Returns:
        The mean of the real differences, in their unit, with the widened limits.

    Raises:
        ValueError: The differences aren't a vector, or the span isn't positive or is exceeded by one of them.

    Source:
        Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37(4), 479-488.
        doi:10.3102/1076998611411915
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680. doi:10.1007/BF01068419

    Example:
        >>> e = shift_interval([0] * 50, span=4)
        >>> round(e.low, 6), round(e.high, 6)
        (-0.184025, 0.184025)
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1:
        raise ValueError(f"differences must be a vector, not of shape {d.shape}")
    runs, examples = counted_runs(d[:, None], times)
    d = runs[:, 0]
    if not span > 0 or np.abs(d).max(initial=0.0) > span * (1 + 1e-9):
        raise ValueError(f"span {span} must be positive and no less than the largest difference {np.abs(d).max()}")
    method = f"{method}; t with one pair across the scale"
    if len(d) == 0:
        return Estimate.without_value(Reason("no-example-in-both"), n=0, method=method, level=level)
    n = int(examples.sum())
    centre, variance = mean_and_variance(np.append(d, [span, -span]), np.append(examples, [1, 1]))
    reach = t_quantile(n + 1, level) * math.sqrt(variance) / math.sqrt(n + 2)
    return Estimate(float((examples * d).sum()) / n, centre - reach, centre + reach, level, n, method)


def mean_and_variance(values: Floats, times: Integers) -> tuple[float, float]:
    """Compute the mean and the sample variance (dividing by n - 1) of values that may occur several times each.

    Args:
        values: Values, shape (n,), none missing.
        times: Number of times that each value counts, shape (n,), with a sum of at least 2.

    Example:
        >>> mean_and_variance(np.array([1.0, 4.0]), np.array([2, 1]))
        (2.0, 3.0)
    """
    n = int(times.sum())
    mean = float((times * values).sum()) / n
    return mean, float((times * (values - mean) ** 2).sum()) / (n - 1)


def least_n(holds: Callable[[int], bool], *, start: int = 1) -> int:
    """Find the smallest whole number that meets a condition, which every larger number must meet, too.

    Args:
        holds: Function that returns True for a number that meets the condition.
        start: The smallest number that is tried.

    Example:
        >>> least_n(lambda n: n * n > 50)
        8
    """
    enough = start
    while not holds(enough):
        enough *= 2
    return bisect_left(range(enough), True, lo=max(start, enough // 2), key=holds)


def holm(p: npt.ArrayLike) -> Floats:
    """Compute p-values adjusted by Holm, who limits the probability of any false alarm, under any dependence.

    Args:
        p: The p-value of each test, shape (m,).

    Returns:
        Adjusted p-values in the order of `p`, never above 1.

    Raises:
        ValueError: `p` isn't a vector of numbers from 0 to 1.

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6(2), 65-70.

    Example:
        >>> holm([0.04, 0.001, 0.02]).tolist()
        [0.04, 0.003, 0.04]
    """
    return _adjusted(p, lambda values: np.maximum.accumulate(values * np.arange(len(values), 0, -1)))


def benjamini_yekutieli(p: npt.ArrayLike) -> Floats:
    """Compute p-values adjusted by Benjamini and Yekutieli, who limit the false discovery rate under any dependence.

    The adjustment is far stricter than that of Benjamini and Hochberg.

    Args:
        p: The p-value of each test, shape (m,).

    Returns:
        Adjusted p-values in the order of `p`, never above 1.

    Raises:
        ValueError: `p` isn't a vector of numbers from 0 to 1.

    Source:
        Benjamini and Yekutieli (2001), Annals of Statistics 29(4), 1165-1188. doi:10.1214/aos/1013699998

    Example:
        >>> benjamini_yekutieli([0.04, 0.001]).round(6).tolist()
        [0.06, 0.003]
    """
    rank = np.arange(1, np.size(p) + 1)
    penalty = len(rank) * float((1 / rank).sum())
    return _adjusted(p, lambda values: np.minimum.accumulate((values * penalty / rank)[::-1])[::-1])


def alarm_level(run: int, *, planned: int | None = None, level: float = 0.05) -> float:
    """Return the significance level for the n-th comparison of a new run with the same accepted runs.

    With these levels, an unchanged judge ever raises a false alarm with probability `level` at most, however many runs
    follow and however they depend on each other.

    Args:
        run: Number of this comparison, from 1.
        planned: Number of comparisons, if it is fixed beforehand, so that each gets an equal share of `level`; None if
            it isn't.
        level: Probability of any false alarm over all the runs.

    Raises:
        ValueError: `run` is below 1 or above `planned`.

    Example:
        >>> [round(alarm_level(t), 5) for t in (1, 2, 3)]
        [0.0304, 0.0076, 0.00338]
        >>> alarm_level(7, planned=20)
        0.0025
    """
    if run < 1 or (planned is not None and run > planned):
        raise ValueError(f"run {run} lies outside 1 to {planned or 'any number'}")
    return level * 6 / (math.pi**2 * run**2) if planned is None else level / planned


def mean_estimate(
    values: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    level: float = 0.95,
    method: str = "mean",
) -> Estimate:
    """Compute the mean of one value per unit, with its jackknife interval.

    Args:
        values: Value of each unit, shape (n,), nan if missing. For a share, use `share`.
        groups: Name of each unit's group, shape (n,), whose units are left out together; None without groups.
        level: Coverage of the interval, 0 to 1.
        method: Name of the averaged quantity, for the Estimate's `method`.

    Returns:
        The mean in the unit of `values`; undefined without values.

    Raises:
        ValueError: The values aren't a vector, or groups differ in length.

    Example:
        >>> e = mean_estimate([0.0, 0.5, 1.0, 0.5])
        >>> e.value, round(e.low, 3), round(e.high, 3)
        (0.5, -0.15, 1.15)
    """
    x, in_groups = known_in_groups(values, groups)
    n = in_groups.n
    if n == 0:
        return Estimate.without_value(Reason("no-examples"), n=0, method=method, level=level)
    mean = float(x.sum()) / len(x)
    if n == 1:
        return withhold(Estimate(mean, level=level, n=1, method=method), Reason("one-unit", {"grouped": len(x) > 1}))
    means = in_groups.left_out(x) / in_groups.left_out(np.ones(len(x)))
    return in_groups.jackknife(means, transform=IDENTITY, level=level, method=method)


def whole_multiples(values: npt.ArrayLike) -> tuple[Integers, float]:
    """Convert ratings to whole multiples of the coarsest unit among 1, 1/2, 1/3, … 1/100 that fits them all.

    Args:
        values: Finite ratings, any shape. If no such unit fits, they are rounded to hundredths.

    Returns:
        The multiples and the unit.

    Raises:
        ValueError: A value isn't finite.

    Example:
        >>> whole, unit = whole_multiples([0.5, 2.0, 1 / 3])
        >>> whole.tolist(), round(1 / unit)
        ([3, 12, 2], 6)
    """
    x = np.asarray(values, dtype=np.float64)
    if not np.isfinite(x).all():
        raise ValueError("ratings must be finite numbers")
    for parts in range(1, _FINEST + 1):
        scaled = x * parts
        if np.abs(scaled - np.rint(scaled)).max(initial=0.0) <= 1e-9 * parts:
            return np.rint(scaled).astype(np.int64), 1 / parts
    return np.rint(x * _FINEST).astype(np.int64), 1 / _FINEST


def _check_p_values(exact_p: float, mid_p: float) -> None:
    if not 0 <= mid_p <= exact_p <= 1:
        raise ValueError(f"0 <= mid-p <= exact p <= 1 fails for {mid_p} and {exact_p}")


def run_columns(current: npt.ArrayLike, stored: npt.ArrayLike) -> Floats:
    """Join the ratings of a new run and of r stored runs as columns, shape (n, 1 + r), the new run first.

    Args:
        current: Ratings of the new run, shape (n,).
        stored: Ratings of the stored runs, shape (n, r), or (n,) for a single run.
    """
    current = np.asarray(current, dtype=np.float64)
    earlier = np.asarray(stored, dtype=np.float64)
    if earlier.ndim == 1:
        earlier = earlier[:, None]
    if current.ndim != 1 or earlier.ndim != 2 or len(current) != len(earlier) or earlier.shape[1] < 1:
        raise ValueError(f"now must be (n,) and stored (n,) or (n, runs), not {current.shape} and {earlier.shape}")
    return np.column_stack([current, earlier])


def counted_runs(runs: Floats, times: npt.ArrayLike | None) -> tuple[Floats, Integers]:
    """Return the rows that were rated in every run, and how many examples each of them represents.

    Args:
        runs: Ratings, a column for each run.
        times: Number of examples that each row represents, shape (n,); None for one each.

    Raises:
        ValueError: A rating is infinite, or `times` hasn't one number for each row.
    """
    if np.isinf(runs).any():
        raise ValueError("ratings must be finite numbers or nan")
    examples = np.ones(len(runs), dtype=np.int64) if times is None else np.rint(np.asarray(times)).astype(np.int64)
    if examples.shape != (len(runs),):
        raise ValueError(f"times must have shape ({len(runs)},), one for each row, not {examples.shape}")
    complete = is_complete(runs)
    return np.asarray(runs[complete]), examples[complete]


def is_complete(runs: Floats) -> Flags:
    """Return flags of the examples that are rated in every run, shape (n,), from ratings of shape (n, n_runs)."""
    return np.asarray(~np.isnan(runs).any(axis=1))


def chance_of_first(outcomes: Integers, times: Integers, *, two_sided: bool) -> tuple[float, float]:
    """Compute exact p and mid-p of the first column's sum, if each row's values were randomly permuted.

    Args:
        outcomes: Values of each row, shape (n_rows, n_columns); the first column has those that were observed.
        times: Number of equal rows that each row represents, each with a draw of its own, shape (n_rows,).
        two_sided: True if sums as far from 0 as the observed sum, but with the other sign, count too.
    """
    observed = int(times @ outcomes[:, 0])
    lowest = outcomes.min(axis=1, initial=np.iinfo(np.int64).max, keepdims=True) if outcomes.size else outcomes[:, :1]
    rises = outcomes - lowest
    lowest_sum = int(times @ lowest[:, 0])
    differs = rises.any(axis=1)
    rises = rises[differs]
    times = times[differs]
    step = max(1, int(np.gcd.reduce(rises, axis=None)))
    rises = rises // step
    steps = int(times.sum()) * int(times @ rises.max(axis=1, initial=0))
    first, probability = (
        sum_of_choices(np.repeat(rises, times, axis=0))
        if steps <= MOST_STEPS
        else _distribution_by_transform(rises, times)
    )
    sums = lowest_sum + step * (first + np.arange(len(probability)))
    size, seen = (np.abs(sums), abs(observed)) if two_sided else (sums, observed)
    beyond = float(probability[size > seen].sum())
    level = float(probability[size == seen].sum())
    exact_p = min(1.0, beyond + level)
    return exact_p, min(exact_p, beyond + level / 2)


def _distribution_by_transform(rises: Integers, times: Integers) -> tuple[int, Floats]:
    """Compute the distribution of a sum of many rows' random outcomes by Fourier transform, accurate to about 1e-12.

    It covers a window of sums around the mean. By Hoeffding's bound, all other sums together have a probability below
    1e-33, which folds back into the window. Equal rows share one factor of the characteristic function, so the time
    grows with the number of distinct rows.

    Args:
        rises: For each row, by how much each of its equally likely outcomes exceeds the lowest outcome, shape (n_rows,
            n_outcomes).
        times: Number of equal rows that each row represents, shape (n_rows,).

    Returns:
        The smallest sum covered, and the probabilities of this sum and of each whole number after it.
    """
    widest = rises.max(axis=1)
    reach = math.sqrt(float(times @ widest.astype(np.float64) ** 2) * math.log(2 / _TAIL) / 2)
    total = int(times @ widest)
    window = min(total + 1, 2 * math.ceil(reach) + 3)
    centre = round(float(times @ rises.mean(axis=1)))
    first = min(max(0, centre - window // 2), total + 1 - window)
    kinds, kind_of_row = np.unique(np.sort(rises, axis=1), axis=0, return_inverse=True)
    counts = np.bincount(kind_of_row.reshape(-1), weights=times).astype(np.int64)
    angle = -2 * np.pi * np.arange(window // 2 + 1) / window
    transform = np.ones(len(angle), dtype=np.complex128)
    for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
        factor = sum(np.exp(1j * (angle * rise)) for rise in kind) / len(kind)
        transform *= factor**count
    folded = np.maximum(np.fft.irfft(transform, n=window), 0.0)
    return first, np.roll(folded, -(first % window))


def _adjusted(p: npt.ArrayLike, step: Callable[[Floats], Floats]) -> Floats:
    """Adjust p-values by `step`, which takes them in rising order; return them in the given order, at most 1.

    Args:
        p: The p-values, in any order.
        step: Function that adjusts p-values in rising order, before they are cut to 1.
    """
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(f"p must be a vector of numbers from 0 to 1, not {values}")
    order = np.argsort(values, kind="stable")
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(step(values[order]), 1.0)
    return adjusted
