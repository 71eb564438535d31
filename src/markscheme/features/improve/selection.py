"""Choice of the best of several candidates without selection bias: screening, held-out test, expected gain.

A difference is the absolute error by the user's wording minus that by a candidate on one example; it is above 0 if the
candidate is closer to gold. Examples of one task count as their mean.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import gammaincinv, log_ndtr, ndtr, ndtri, owens_t, stdtrit

from markscheme.features.improve.drawn_parts import dev_size
from markscheme.stats.change import least_n
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats, withhold
from markscheme.stats.roots import zero_between
from markscheme.stats.shares import grouped_mean

HELD_OUT_LEVEL = 0.05
"""Significance level of the first opening of the held-out labels; each further opening has half the level of the one
before."""
SCALE_NODES = 400
"""Number of quantiles of the chi distribution over which the expected gain is averaged; a judgement."""
FINALISTS = 2
"""Number of wordings that are tested at one opening of the held-out labels and share its significance level."""
LEAST_FIRST = 6
"""Fewest tasks on which every candidate is tried."""
PLANNED_GAIN, PLANNED_SD, PLANNED_CORRELATION, PLANNED_POWER = 0.038, 0.157, 0.5, 0.8
"""Assumptions of plans: a gain in MAE, which is worth about 0.10 in agreement; the standard deviation of differences;
the correlation of two finalists' differences; and the probability of finding the gain."""
FLIPS = 9_999
"""Number of random sign patterns of a test; at a p of .05, its simulation error is at most .002."""
SAME_ON_EVERY_TASK = "the same difference on every task"
SIGNS_SEED = 1
"""Random seed of the sign patterns, fixed so that a test can be repeated."""


# --- how many -------------------------------------------------------------------------------------------------------


def first_size(n_dev: int) -> int:
    """Return the number of dev tasks on which all candidates are tried; only the better half is tried on later tasks.

    >>> first_size(27), first_size(10)
    (13, 6)
    """
    return min(n_dev, max(LEAST_FIRST, n_dev // 2))


def survivors(k: int) -> int:
    """Return how many of `k` candidates are tried on all dev tasks: the better half, rounded up, at least two.

    >>> survivors(2), survivors(5), survivors(20)
    (2, 3, 10)
    """
    return min(k, max(FINALISTS, math.ceil(k / 2)))


# --- the held-out test ----------------------------------------------------------------------------------------------


def opening_alpha(opening: int) -> float:
    """Compute the significance level of the j-th test on the same held-out labels: half of the previous test's.

    Args:
        opening: The test's number j, from 1.

    >>> [opening_alpha(j) for j in (1, 2, 3)]
    [0.05, 0.025, 0.0125]
    """
    if opening < 1:
        raise ValueError(f"openings count from 1, not {opening}")
    return HELD_OUT_LEVEL * 0.5 ** (opening - 1)


def critical_t(df: int, alpha: float, correlation: float | None = None) -> float:
    """Compute the bound that the larger t of two candidates exceeds with probability `alpha` if neither is better.

    Args:
        df: Degrees of freedom of both t.
        alpha: One-sided significance level.
        correlation: Correlation of the two finalists' differences from the user's wording, -1 to 1; None for the t of a
            single finalist.

    Source:
        Owen (1956), Annals of Mathematical Statistics 27(4), 1075-1090. doi:10.1214/aoms/1177728074

    Example:
        >>> round(critical_t(52, 0.05, 0.5), 4), round(critical_t(23, 0.05), 4)
        (1.9576, 1.7139)
    """
    single = float(stdtrit(df, 1 - alpha))
    if correlation is None:
        return single
    shape = math.sqrt((1 - correlation) / (1 + correlation)) if correlation > -1 else math.inf
    s = np.sqrt(2 * gammaincinv(df / 2, (np.arange(SCALE_NODES) + 0.5) / SCALE_NODES) / df)

    def exceeded(c: float) -> float:
        both: Floats = ndtr(c * s) - 2 * owens_t(c * s, shape)
        return 1.0 - float(both.mean())

    low = single - 1.0
    high = float(stdtrit(df, 1 - alpha / 2)) + 1.0
    while high - low > 1e-8:
        middle = (low + high) / 2
        low, high = (middle, high) if exceeded(middle) > alpha else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class SelectionTest:
    """Result of testing one or more candidates by their differences from the user's wording.

    Attributes:
        means: Mean difference of each candidate, over tasks.
        errors: Standard error of each mean.
        t: Each mean divided by its standard error; None if all differences are equal.
        correlation: Correlation of two candidates' differences; None for one candidate, or if the differences of one
            don't vary.
        critical: The value that t has to exceed.
        best: Index of the adopted candidate; None if the labels confirm none.
        n: Number of tasks.
    """

    means: tuple[float, ...]
    errors: tuple[float, ...]
    t: tuple[float | None, ...]
    correlation: float | None
    critical: float
    best: int | None
    n: int


def held_out_test(differences: npt.ArrayLike, alpha: float) -> SelectionTest:
    """Test whether one of two finalists is better than the user's wording, on labels that didn't help choose them.

    Args:
        differences: By how much each finalist is better than the user's wording on each task, shape (n_tasks, 1 or 2),
            without nan.
        alpha: Significance level of this use of the held-out labels.

    Returns:
        The test, which adopts the finalist with the greater mean among those whose t exceeds a bound. The bound is for
        the larger t of two finalists. If all differences are equal there is no t; then their signs alone decide, by an
        exact test.

    Example:
        >>> held_out_test([[0.1], [0.2], [0.1], [0.3], [0.2]], 0.05).best
        0
    """
    d = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    n, k = d.shape
    means = d.mean(axis=0)
    spread = d.std(axis=0, ddof=1) if n > 1 else np.zeros(k)
    spread = np.where(spread > 1e-12, spread, 0.0)
    errors = spread / math.sqrt(n)
    rho = float(np.clip(np.atleast_2d(np.corrcoef(d.T))[0, 1], -1, 1)) if k == 2 and spread.all() else None
    bound = critical_t(max(1, n - 1), alpha, (rho if rho is not None else 0.0) if k == 2 else None)
    t = [float(mean / error) if error > 0 else None for mean, error in zip(means, errors, strict=True)]
    by_sign = 0.5**n <= alpha / k
    passed = [
        value > bound if value is not None else bool(by_sign and mean > 0)
        for value, mean in zip(t, means.tolist(), strict=True)
    ]
    best = max((index for index in range(k) if passed[index]), key=lambda index: means[index], default=None)
    return SelectionTest(tuple(means.tolist()), tuple(errors.tolist()), tuple(t), rho, bound, best, n)


def outside_test(differences: npt.ArrayLike, alpha: float = HELD_OUT_LEVEL) -> SelectionTest:
    """Test whether the best of any number of candidates, made without these labels, is better than the user's wording.

    The largest t of any candidate is compared with the largest t after random sign flips of the differences. All
    candidates' differences on a task are flipped together, which keeps the correlation of candidates. The random signs
    have a fixed seed.

    Args:
        differences: Differences of each candidate by task, shape (n_tasks, k), without nan.
        alpha: Significance level: the chance that a candidate is adopted although none is better.

    Source:
        Westfall and Young (1993), Resampling-Based Multiple Testing, Wiley. ISBN 978-0-471-55761-6
    """
    d = np.asarray(differences, dtype=np.float64)
    n, k = d.shape
    means = d.mean(axis=0)
    squares = (d**2).sum(axis=0)
    largest = np.sort(_t(_signs(n) @ d / n, squares, n).max(axis=1))
    bound = float(largest[min(FLIPS - 1, math.ceil((1 - alpha) * (FLIPS + 1)) - 1)])
    statistics = _t(means[None, :], squares, n)[0]
    errors = d.std(axis=0, ddof=1) / math.sqrt(n)
    passed = [index for index in range(k) if statistics[index] > bound]
    best = max(passed, key=lambda index: means[index], default=None)
    t = tuple(None if error <= 1e-12 else float(statistic) for statistic, error in zip(statistics, errors, strict=True))
    return SelectionTest(tuple(means.tolist()), tuple(errors.tolist()), t, None, bound, best, n)


def decisions_test(differences: npt.ArrayLike, alpha: float) -> SelectionTest:
    """Test whether one of several candidates decides as people do more often than the user's wording (Bonferroni).

    A difference is 1 if only the candidate decides as people do, -1 if only the user's wording does, else 0; for a
    task, it is the mean. For the lower limit, one task with the worst possible difference is added, since with most
    differences at 0 the examples show too little of how much differences vary.

    Args:
        differences: Differences of each candidate by task, shape (n_tasks, k), without nan.
        alpha: Significance level: the chance that a candidate is adopted although none is better.

    Example:
        >>> rows = [[1.0]] * 7 + [[0.0]] * 33
        >>> decisions_test(rows, 0.025).best, decisions_test(rows[1:] + [[0.0]], 0.025).best
        (0, None)
    """
    d = np.asarray(differences, dtype=np.float64)
    n, k = d.shape
    bounds = [grouped_mean(column).lower(1 - alpha / k) for column in d.T]
    means = d.mean(axis=0)
    errors = d.std(axis=0, ddof=1) / math.sqrt(n) if n > 1 else np.zeros(k)
    t = tuple(None if error <= 1e-12 else float(mean / error) for mean, error in zip(means, errors, strict=True))
    shown = [index for index, bound in enumerate(bounds) if (bound or 0.0) > 0]
    best = max(shown, key=lambda index: means[index], default=None)
    return SelectionTest(
        tuple(means.tolist()), tuple(errors.tolist()), t, None, float(stdtrit(max(1, n - 1), 1 - alpha / k)), best, n
    )


@lru_cache(maxsize=2)
def _signs(n: int) -> Floats:
    signs: Floats = np.random.default_rng(SIGNS_SEED).choice((-1.0, 1.0), size=(FLIPS, n))
    return signs


def _t(means: Floats, squares: Floats, n: int) -> Floats:
    """Compute each candidate's t statistic of the hypothesis that its differences average to 0.

    It is very large if all differences are equal but not 0, and 0 if all are 0.

    Args:
        means: Mean of each candidate's differences.
        squares: Sum of the squares of each candidate's differences.
        n: Number of differences of each candidate.
    """
    variance = np.maximum(squares - n * means**2, 1e-15) / (n - 1)
    return np.asarray(means / np.sqrt(variance / n))


# --- what to expect -------------------------------------------------------------------------------------------------


WIDEST = 3.0
"""Largest distance, in standard errors, of the interval's lower end from the shown gain; a judgement. The exact limit
falls without bound if the labels barely confirm a wording."""


def confirmed_t(t: float, critical: float) -> float:
    """Estimate the true t of a significant test, corrected for reporting only t statistics above the critical value.

    A gain is reported only if its t exceeds the critical value, so the reported t is too large on average. The estimate
    is the true t for which the significant t statistics have the observed t as their mean: the conditional
    maximum-likelihood estimate. No estimate from these labels alone is unbiased for every true gain. The bias of this
    estimate is at most half a standard error, in either direction, for true gains of one standard error or more.

    Source:
        Zöllner and Pritchard (2007), American Journal of Human Genetics 80(4), 605-615. doi:10.1086/512821

    Example:
        >>> round(confirmed_t(4.0, 1.96), 3), confirmed_t(2.0, 1.96)
        (3.943, 0.0)
    """
    if t <= _mean_if_passed(0.0, critical):
        return 0.0
    return zero_between(lambda true: _mean_if_passed(true, critical) - t, 0.0, t)


def _mean_if_passed(true: float, critical: float) -> float:
    """Compute the mean of a normally distributed t, with mean `true`, among values above the critical value."""
    off = critical - true
    return true + math.exp(-(off**2) / 2 - float(log_ndtr(-off))) / math.sqrt(2 * math.pi)


def _least_t(t: float, critical: float, expected: float) -> float:
    """Compute the lower 97.5 % confidence limit of a finalist's true gain, given that the test has confirmed it.

    Gains are in units of their standard error, as t is.

    Args:
        t: The observed t.
        critical: The value that t had to exceed.
        expected: Estimate of the true gain. The limit is at most WIDEST below it.
    """

    def excess(true: float) -> float:
        return float(log_ndtr(true - t)) - float(log_ndtr(true - critical)) - math.log(0.025)

    lowest = expected - WIDEST
    return lowest if excess(lowest) >= 0 else zero_between(excess, lowest, t)


def kept_share(t: float | None, critical: float) -> float:
    """Estimate which share of a gain that passed its test is likely to be seen on new examples, 0 to 1.

    Args:
        t: Mean difference divided by its standard error; None if all differences are equal.
        critical: The value that t had to exceed.

    Example:
        >>> round(kept_share(4.0, 1.96), 3), kept_share(None, 1.96)
        (0.986, 1.0)
    """
    return 1.0 if t is None else confirmed_t(t, critical) / t


def confirmed_gain(differences: npt.ArrayLike, t: float | None, critical: float, *, method: str) -> Estimate:
    """Estimate the gain to expect on new examples, given that the test passed, with a 95 % interval.

    Args:
        differences: Gain on each task of the test, shape (n_tasks,), without nan.
        t: Mean of these gains divided by its standard error; None if all are equal.
        critical: The value that t had to exceed.
        method: Description of what was measured, for the Estimate's `method`.
    """
    d = np.asarray(differences, dtype=np.float64)
    n = len(d)
    mean = float(d.mean())
    if t is None or n < 2:
        return withhold(Estimate(mean, n=n, method=method), SAME_ON_EVERY_TASK)
    error = mean / t
    quantile = float(stdtrit(n - 1, 0.975))
    expected = confirmed_t(t, critical)
    least = t - (t - _least_t(t, critical, expected)) * quantile / float(ndtri(0.975))
    made = f"{method}, given that it was confirmed"
    return Estimate(expected * error, min(least, expected) * error, (t + quantile) * error, n=n, method=made)


def expected_gain(differences: npt.ArrayLike, share: float, *, method: str) -> Estimate:
    """Estimate the gain on new examples: the tasks' mean gain times the share likely to hold, with a t interval.

    Args:
        differences: Differences by task, shape (n_tasks,), without nan.
        share: Share of the gain that is likely to hold, 0 to 1.
        method: Description of what was measured, for the Estimate's `method`.
    """
    d = np.asarray(differences, dtype=np.float64)
    n = len(d)
    value = float(d.mean() * share)
    spread = float(d.std(ddof=1)) if n > 1 else 0.0
    if spread <= 1e-12:
        return withhold(Estimate(value, n=n, method=method), SAME_ON_EVERY_TASK)
    reach = float(stdtrit(n - 1, 0.975)) * spread / math.sqrt(n)
    return Estimate(value, value - reach, value + reach, n=n, method=f"{method}, shrunken, t interval")


def chance_to_find(n: int, alpha: float, sd: float = PLANNED_SD) -> float:
    """Compute the probability that a test on `n` held-out tasks confirms a wording with the planned gain in MAE.

    Args:
        n: Number of held-out tasks.
        alpha: Significance level of the test.
        sd: Standard deviation of the differences over tasks.

    >>> round(chance_to_find(132, 0.05), 2)
    0.8
    """
    if n < 2:
        return 0.0
    return float(ndtr(math.sqrt(n) * PLANNED_GAIN / sd - critical_t(n - 1, alpha, PLANNED_CORRELATION)))


def held_out_needed(alpha: float = HELD_OUT_LEVEL, *, gain: float = PLANNED_GAIN, sd: float = PLANNED_SD) -> int:
    """Return the smallest number of held-out tasks with which a test confirms a gain with 80% probability.

    `alpha` is the test's significance level, `gain` the mean of the tasks' gains, and `sd` their standard deviation.

    >>> held_out_needed(), held_out_needed(gain=0.1, sd=0.5)
    (132, 192)
    """

    def enough(n: int) -> bool:
        bound = critical_t(n - 1, alpha, PLANNED_CORRELATION)
        return math.sqrt(n) * gain / sd >= bound + float(ndtri(PLANNED_POWER))

    return least_n(enough, start=2)


def labels_needed(held_out: int) -> int:
    """Return the smallest number of labelled tasks of which at least `held_out` are held out, the others being dev.

    >>> labels_needed(132)
    198
    """
    return least_n(lambda n: n - dev_size(n) >= held_out, start=held_out)
