"""Pass rates as annotators would decide, from labels drawn at random among the judge's passes and its fails.

All corrected pass rates are computed here, at the level of their looks: of a set, of a group, and of a stream over
weeks.
"""

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, ndtri

from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats

ONE_LOOK = 0.95
"""Coverage of an interval that is looked at only once."""
LEAST_OWN = 10
"""Smallest number of labels with which a rate is shown; with this number or more, intervals cover in .933 of draws or
more."""
WIDEST_PLANNED = 0.30
"""Largest expected half-width of an interval with which a rate is shown; it depends on counts alone, never on
outcomes."""
METHOD = "by verdict, own labels; square-and-add of mid-p limits"


def rate_by_verdict(
    passed: npt.ArrayLike, labels: npt.ArrayLike, pool: npt.ArrayLike, *, level: float = ONE_LOOK
) -> Estimate:
    """Estimate the share of responses that annotators would pass, from labels drawn separately for each verdict.

    It is never withheld: the caller decides whether there are enough labels.

    Args:
        passed: Number of labels that pass, for each verdict, shape (k,); weighted labels may add up to a fraction.
        labels: Number of labels of each verdict, shape (k,).
        pool: Number of graded responses of each verdict, labelled or not, shape (k,).
        level: Coverage of the interval, 0 to 1.

    Raises:
        ValueError: The shapes don't fit, the pool is empty, or there are fewer than 0 hits or more hits than labels.

    Source:
        Zou and Donner (2008), Statistics in Medicine 27(10), 1693-1702, for adding limits. doi:10.1002/sim.3095

    Example:
        >>> rate = rate_by_verdict([1, 15], [4, 16], [200, 800], level=1 - 0.05 / 26)
        >>> round(rate.value, 4), round(rate.low, 4), round(rate.high, 4)
        (0.8, 0.5039, 0.9451)
    """
    hits, sizes, graded = (np.asarray(counts, dtype=np.float64) for counts in (passed, labels, pool))
    if not hits.shape == sizes.shape == graded.shape or hits.ndim != 1 or not graded.sum() > 0:
        raise ValueError(f"one verdict, one count, and a pool that isn't empty: {hits}, {sizes}, {graded}")
    value, low, high = (float(figure) for figure in rates_by_verdict(hits, sizes, graded, level=level))
    return Estimate(value, low, high, level, round(float(sizes.sum())), METHOD)


def rates_by_verdict(
    passed: npt.ArrayLike, labels: npt.ArrayLike, pool: npt.ArrayLike, *, level: float = ONE_LOOK
) -> tuple[Floats, Floats, Floats]:
    """Compute people's pass rates of many sets of responses, from labels counted separately by the judge's verdict.

    Args:
        passed: Number of labels that pass, for each set and each of the judge's k verdicts, shape (..., k).
        labels: Number of labels of each set and verdict, shape (..., k).
        pool: Number of graded responses of each set and verdict, shape (..., k); no set is empty.
        level: Coverage of each interval.

    Returns:
        For each set the pass rate, and the lower and the upper limit of its interval.

    Example:
        >>> [figures.round(4).tolist() for figures in rates_by_verdict([[1, 15]], [[4, 16]], [[200, 800]])]
        [[0.8], [0.6254], [0.9131]]
    """
    value, below, above, variance, _ = moments_by_verdict(passed, labels, pool, level)
    units = z_of(level) ** 2 * variance
    return value, np.maximum(0.0, value - np.sqrt(below + units)), np.minimum(1.0, value + np.sqrt(above + units))


def moments_by_verdict(
    passed: npt.ArrayLike, labels: npt.ArrayLike, pool: npt.ArrayLike, level: float
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Compute people's pass rate of responses that a judge graded, with the parts from which its interval is made.

    Args:
        passed: Number of labels that pass under each of the judge's verdicts, shape (..., k).
        labels: Number of labels under each verdict, shape (..., k).
        pool: Number of graded responses under each verdict, shape (..., k).
        level: Coverage of the interval.

    Returns:
        The pass rate; the squared distances from it to the lower and to the upper limit, as far as they are due to the
        limited number of labels; the variance that arises because the graded responses are themselves a sample, whose
        mix of verdicts varies; and the smoothed share of passes under each verdict.
    """
    hits, sizes = (np.asarray(counts, dtype=np.float64) for counts in (passed, labels))
    total = np.sum(pool, axis=-1)
    weight = np.asarray(pool) / total[..., None]
    share = np.where(sizes > 0, hits / np.where(sizes > 0, sizes, 1), 0.5)
    high, high_of_fails = mid_p_upper(np.stack([hits, sizes - hits]), sizes, _tail(level))
    low = np.where(sizes > 0, 1 - high_of_fails, 0.0)
    below = (weight**2 * (share - low) ** 2).sum(axis=-1)
    above = (weight**2 * (high - share) ** 2).sum(axis=-1)
    smooth = (hits + 0.5) / (sizes + 1)
    pairs = combinations(range(weight.shape[-1]), 2)
    apart = (weight[..., v] * weight[..., u] * (smooth[..., u] - smooth[..., v]) ** 2 for v, u in pairs)
    variance = np.asarray(sum(apart, start=np.zeros(weight.shape[:-1])) / total)
    return np.asarray((weight * share).sum(axis=-1)), below, above, variance, smooth


def may_show_rate(labels: npt.ArrayLike, pool: npt.ArrayLike) -> bool:
    """Return True if there are enough labels to report a pass rate, whether they turn out as passes or as fails.

    Args:
        labels: Number of labels of each of the judge's verdicts, shape (k,); effective numbers for weighted labels.
        pool: Number of graded responses of each of these verdicts, shape (k,).
    """
    return round(float(np.sum(labels))) >= LEAST_OWN and planned_half_width(labels, pool) <= WIDEST_PLANNED


def planned_half_width(labels: npt.ArrayLike, pool: npt.ArrayLike) -> float:
    """Predict half the width of a pass rate's interval.

    Args:
        labels: Number of labels to give among the judge's fails, and among its passes.
        pool: Number of the judge's fails, and of its passes, among all responses.
    """
    weight = np.asarray(pool, dtype=np.float64) / np.sum(pool)
    return math.sqrt(float((weight**2 * _half_widths(labels) ** 2).sum()))


def labels_to_show(labels: npt.ArrayLike, pool: npt.ArrayLike) -> int | None:
    """Return how many more labels a reported pass rate needs; None if too few responses are left to label.

    Args:
        labels: Number of labels of each verdict, shape (k,).
        pool: Number of graded responses of each verdict, shape (k,).

    Example:
        >>> labels_to_show([1, 3], [100, 100])
        6
    """
    have, graded = (np.array(counts, dtype=np.float64) for counts in (labels, pool))
    weight = graded / graded.sum()
    added = 0
    while not may_show_rate(have, graded):
        may_grow = graded > have
        if not may_grow.any():
            return None
        drop = weight**2 * (_half_widths(have) ** 2 - _half_widths(have + 1) ** 2)
        have[len(have) - 1 - int(np.where(may_grow, drop, -1.0)[::-1].argmax())] += 1
        added += 1
    return added


def z_of(level: float) -> float:
    """Return the normal quantile z of a two-sided interval with coverage `level`."""
    return float(ndtri(1 - _tail(level)))


def _tail(level: float) -> float:
    """Compute the probability in each tail outside an interval, without rounding errors such as those of 1 - 0.95."""
    return round((1 - level) / 2, 12)


def _half_widths(labels: npt.ArrayLike) -> Floats:
    """Predict half the width of a share's 95% interval by the number of labels, if the share is about one half."""
    return np.asarray(np.minimum(0.5, 0.98 / np.sqrt(np.asarray(labels, dtype=np.float64) + 2)))


def mid_p_upper(hits: npt.ArrayLike, n: npt.ArrayLike, tail: float) -> Floats:
    """Compute the upper mid-p limits of shares; 1 if all examples are hits, or without examples.

    Args:
        hits: Numbers of hits.
        n: Numbers of examples.
        tail: Probability above each limit, such as 0.025.

    Source:
        Berry and Armitage (1995), The Statistician 44(4), 417-423. doi:10.2307/2348891

    Example:
        >>> round(float(mid_p_upper(17, 20, 0.025)), 4)
        0.9604
    """
    k, size = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64))
    is_open = k < size
    misses = np.where(is_open, size - k, 1.0)
    low = np.where(is_open, k / np.where(size > 0, size, 1.0), 1.0)
    high = np.ones_like(low)
    hits_or_one = np.where(k > 0, k, 1.0)
    for _ in range(60):
        middle = (low + high) / 2
        at_most = betainc(misses, k + 1, 1 - middle)
        fewer = np.where(k > 0, betainc(misses + 1, hits_or_one, 1 - middle), 0.0)
        is_inside = (at_most + fewer) / 2 > tail
        low = np.where(is_inside, middle, low)
        high = np.where(is_inside, high, middle)
    return np.where(is_open, (low + high) / 2, 1.0)
