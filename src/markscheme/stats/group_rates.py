"""Pass rates of groups and their differences, each from labels of the group's own responses only.

Tables of labels have annotators' fail and pass as rows and the judge's as columns; pools count the judge's fails and
passes over everything graded in a group, labelled or not. Labels must be drawn at random within a group's verdicts.
"""

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, ndtri

from markscheme.phrases import percent
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats, Integers
from markscheme.stats.prevalence import whole_counts

LEAST_OWN = 10
"""Labels of a group's own responses below which its rate is withheld; from it on, intervals cover in .933 of draws or
more."""
WIDEST_PLANNED = 0.30
"""Half-width to expect beyond which a rate is withheld; it depends on counts alone, never on outcomes."""
GROUP_LEVEL = 0.95
"""Coverage of a group's interval."""
_METHOD = "by verdict, own labels; square-and-add of mid-p limits"
PLANNED_WIDTHS = {10: 0.42, 15: 0.34, 20: 0.29, 40: 0.20, 100: 0.13}
"""Expected full width of a group's interval, by the number of its own labels."""


@dataclass(frozen=True, slots=True)
class GroupRate:
    """The share of a group's responses that annotators would pass.

    Attributes:
        rate: The share with its 95 % interval; undefined where it is withheld for too few labels.
        judge_alone: The share the judge passes.
        own_labels: Labels of the group's own responses.
        needed: More labels needed to show the rate; None where it is shown, or where too few responses are unlabelled.
        planned_half_width: Half the width to expect from the number of labels, whatever the labels are.
        below: Squared distance from the rate down to its lower limit that is due to the labels.
        above: The same up to its upper limit.
        units_variance: Variance due to the graded responses.
        shares: Share that annotators pass of the judge's fails and of its passes, for `units_variance`, shape (2,).
    """

    rate: Estimate
    judge_alone: float
    own_labels: int
    needed: int | None
    planned_half_width: float
    below: float
    above: float
    units_variance: float
    shares: tuple[float, float]


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """Difference between the shares that annotators would pass of two groups.

    Attributes:
        difference: First rate minus second, with its 95 % interval; undefined where either rate is withheld.
        units_variance: Variance due to the graded responses.
        common: Tests that both groups were graded on.
        on_common: Both rates on the common tests; None where these are all tests, or there are none.
    """

    difference: Estimate
    units_variance: float
    common: int
    on_common: tuple[GroupRate, GroupRate] | None


def mid_p_limits(hits: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Compute the mid-p Clopper-Pearson limits of a share; 0 and 1 without examples.

    Args:
        hits: How many of the examples are hits; weighted ones may add up to a fraction.
        n: How many examples there are, or are worth.
        level: Coverage of the two limits.

    Raises:
        ValueError: The caller's fault: hits outside 0 to n.

    Source:
        Berry and Armitage (1995), The Statistician 44(4), 417-423. doi:10.2307/2348891

    Example:
        >>> [round(limit, 4) for limit in mid_p_limits(17, 20)]
        [0.6439, 0.9604]
    """
    if not 0 <= hits <= n:
        raise ValueError(f"hits must be between 0 and {n}, not {hits}")
    if not n:
        return 0.0, 1.0
    tail = _tail(level)
    return 1 - float(_mid_p_upper(n - hits, n, tail)), float(_mid_p_upper(hits, n, tail))


def rate_by_verdict(
    passed: npt.ArrayLike, labels: npt.ArrayLike, pool: npt.ArrayLike, *, level: float = 0.95
) -> Estimate:
    """Estimate the share of responses that annotators would pass, from labels drawn within each verdict of the judge.

    It is never withheld: whether enough labels are there is for the caller to say.

    Args:
        passed: Labels that pass, for each verdict, shape (k,); weighted ones may add up to a fraction.
        labels: Labels of each verdict, shape (k,).
        pool: Graded responses of each verdict, labelled or not, shape (k,).
        level: Coverage of the interval.

    Raises:
        ValueError: The caller's fault: shapes that don't fit, an empty pool, or hits outside 0 to the labels.

    Source:
        Zou and Donner (2008), Statistics in Medicine 27(10), 1693-1702, for adding limits. doi:10.1002/sim.3095

    Example:
        >>> rate = rate_by_verdict([1, 15], [4, 16], [200, 800], level=1 - 0.05 / 26)
        >>> round(rate.value, 4), round(rate.low, 4), round(rate.high, 4)
        (0.8, 0.5039, 0.9451)
    """
    hits = np.asarray(passed, dtype=np.float64)
    sizes = np.asarray(labels, dtype=np.float64)
    graded = np.asarray(pool, dtype=np.float64)
    if not hits.shape == sizes.shape == graded.shape or hits.ndim != 1 or not graded.sum() > 0:
        raise ValueError(f"one verdict, one count, and a pool that isn't empty: {hits}, {sizes}, {graded}")
    value, low, high = (float(figure) for figure in rates_by_verdict(hits, sizes, graded, level=level))
    return Estimate(value, low, high, level, round(float(sizes.sum())), _METHOD)


def rates_by_verdict(
    passed: npt.ArrayLike, labels: npt.ArrayLike, pool: npt.ArrayLike, *, level: float = 0.95
) -> tuple[Floats, Floats, Floats]:
    """Return values, lower and upper limits of `rate_by_verdict` for many sets at once.

    Args:
        passed: Labels that pass, for each set and verdict, shape (..., k).
        labels: Labels of each verdict.
        pool: Graded responses of each verdict; no set's is empty.
        level: Coverage of each interval.

    Example:
        >>> [figures.round(4).tolist() for figures in rates_by_verdict([[1, 15]], [[4, 16]], [[200, 800]])]
        [[0.8], [0.6254], [0.9131]]
    """
    value, below, above, variance, _ = _by_verdict(passed, labels, pool, level)
    units = _z(level) ** 2 * variance
    return value, np.maximum(0.0, value - np.sqrt(below + units)), np.minimum(1.0, value + np.sqrt(above + units))


def may_show_rate(labels: npt.ArrayLike, pool: npt.ArrayLike) -> bool:
    """Return True if there are labels enough to show a rate by verdict, whatever they say.

    Args:
        labels: Labels of each verdict, shape (k,).
        pool: Graded responses of each verdict.
    """
    weight = np.asarray(pool, dtype=np.float64) / np.sum(pool)
    return _shown(round(float(np.sum(labels))), _planned_half_width(weight, labels))


def group_rate(labelled: npt.ArrayLike, pool: npt.ArrayLike) -> GroupRate:
    """Estimate the share of a group's responses that annotators would pass, from the group's own labels.

    Shown from 10 labels with a planned half width of .30 or less. That depends on how many labels there are, never on
    what they say.

    Args:
        labelled: Counts of labelled responses, shape (2, 2): rows annotators' fail and pass, columns the judge's.
        pool: The judge's fails and passes over all graded responses of the group, shape (2,).

    Raises:
        ValueError: The caller's fault: counts of the wrong shape, negative or not whole, an empty pool, or more
            labels than responses.

    Source:
        Zou and Donner (2008), Statistics in Medicine 27(10), 1693-1702, for adding limits. doi:10.1002/sim.3095

    Example:
        >>> rate = group_rate([[1, 3], [3, 15]], [40, 160]).rate
        >>> round(rate.value, 4), round(rate.low, 4), round(rate.high, 4)
        (0.8167, 0.6113, 0.9257)
        >>> group_rate([[1, 1], [0, 2]], [100, 100]).needed
        6
    """
    return _rate(*_checked(labelled, pool))


def group_difference(
    labelled: npt.ArrayLike,
    pool: npt.ArrayLike,
    labelled_other: npt.ArrayLike,
    pool_other: npt.ArrayLike,
    *,
    common: npt.ArrayLike | None = None,
) -> GroupDifference:
    """Estimate the difference between the shares that annotators would pass of two groups, with an interval.

    Args:
        labelled: Counts of the first group's labelled responses, shape (2, 2), as for `group_rate`.
        pool: The judge's fails and passes over all graded responses of the first group, shape (2,).
        labelled_other: The same counts of the other group.
        pool_other: The same pool of the other group.
        common: How many tests both groups were graded on, by the judge's verdict, shape (2, 2): rows the first
            group's fail and pass, columns the other's. None where they share no tests.

    Raises:
        ValueError: The caller's fault: counts that `group_rate` rejects, or more common tests than a group has.

    Source:
        Zou and Donner (2008), Statistics in Medicine 27(10), 1693-1702. doi:10.1002/sim.3095

    Example:
        >>> same_tests = [[20, 30], [20, 130]]
        >>> found = group_difference([[3, 3], [1, 15]], [50, 150], [[7, 7], [1, 7]], [40, 160], common=same_tests)
        >>> round(found.difference.value, 4), round(found.difference.low, 4), round(found.difference.high, 4)
        (0.2625, -0.0151, 0.5187)
    """
    table, graded = _checked(labelled, pool)
    table_other, graded_other = _checked(labelled_other, pool_other)
    first = _rate(table, graded)
    second = _rate(table_other, graded_other)
    joint = np.zeros((2, 2), dtype=np.int64) if common is None else whole_counts(common, (2, 2), "common")
    rows = joint.sum(axis=1)
    columns = joint.sum(axis=0)
    if (rows > graded).any() or (columns > graded_other).any():
        raise ValueError(f"the common tests {joint.tolist()} are more than a group's own: {graded}, {graded_other}")
    n = int(joint.sum())
    if n:
        apart = np.array(first.shares)[:, None] - np.array(second.shares)
        mean = float((joint * apart).sum()) / n
        variance = max(0.0, float((joint * (apart - mean) ** 2).sum()) / n / n)
    else:
        variance = first.units_variance + second.units_variance
    partly = n > 0 and not (np.array_equal(rows, graded) and np.array_equal(columns, graded_other))
    on_common = (_rate(table, rows), _rate(table_other, columns)) if partly else None
    return GroupDifference(_difference(first, second, variance), variance, n, on_common)


def next_group_labels(labelled: npt.ArrayLike, pool: npt.ArrayLike, count: int) -> Integers:
    """Plan how many of the next labels to take from each group's fails and passes, to narrow all rates soonest.

    Args:
        labelled: Counts of labelled responses, shape (n_groups, 2, 2): rows annotators' fail and pass, columns the
            judge's.
        pool: The judge's fails and passes over all graded responses of each group, shape (n_groups, 2).
        count: Labels to be taken.

    Returns:
        Labels for each group's fails and passes by the judge, shape (n_groups, 2); fewer than `count` in total where
        responses run out.

    Raises:
        ValueError: The caller's fault: shapes that don't fit, counts that are negative or not whole.

    Source:
        Neyman (1934), Journal of the Royal Statistical Society 97(4), 558-625. doi:10.2307/2342192

    Example:
        >>> next_group_labels([[[0, 1], [3, 9]], [[6, 4], [1, 6]]], [[20, 80], [50, 50]], 4).tolist()
        [[0, 1], [2, 1]]
    """
    shape = np.shape(pool)
    if len(shape) != 2 or shape[1] != 2 or count < 0:
        raise ValueError(f"pool must have shape (n_groups, 2), not {shape}, and count be 0 or more, not {count}")
    graded = whole_counts(pool, shape, "pool")
    table = whole_counts(labelled, (len(graded), 2, 2), "labelled")
    labels = table.sum(axis=1).astype(np.float64)
    expected = (table[:, 1] + 1) / (labels + 2)
    unlabelled = graded - labels
    weight = (graded / np.maximum(graded.sum(axis=1, keepdims=True), 1)) ** 2 * expected * (1 - expected)
    taken = np.zeros_like(graded)
    for _ in range(min(count, int(unlabelled.sum()))):
        open_groups = (unlabelled > 0).any(axis=1)
        group = int(np.where(open_groups, (weight / (labels + 2)).sum(axis=1), -1.0).argmax())
        drop = weight[group] * (1 / (labels[group] + 2) - 1 / (labels[group] + 3))
        verdict = 1 - int(np.where(unlabelled[group] > 0, drop, -1.0)[::-1].argmax())
        taken[group, verdict] += 1
        labels[group, verdict] += 1
        unlabelled[group, verdict] -= 1
    return taken


def _checked(labelled: npt.ArrayLike, pool: npt.ArrayLike) -> tuple[Integers, Integers]:
    table = whole_counts(labelled, (2, 2), "labelled")
    graded = whole_counts(pool, (2,), "pool")
    labels = table.sum(axis=0)
    if not graded.sum() or (labels > graded).any():
        raise ValueError(f"a pool holds the labelled responses and at least one: {graded.tolist()}, {labels.tolist()}")
    return table, graded


def _rate(table: Integers, graded: Integers) -> GroupRate:
    """Compute the rate over `graded`, from labels that may be on other responses of the group."""
    labels = table.sum(axis=0)
    weight = graded / int(graded.sum())
    _, below, above, variance, smooth = _by_verdict(table[1], labels, graded, GROUP_LEVEL)
    half_width = _planned_half_width(weight, labels)
    n_labels = int(labels.sum())
    judge_alone = float(weight[1])
    needed = None
    if _shown(n_labels, half_width):
        rate = rate_by_verdict(table[1], labels, graded, level=GROUP_LEVEL)
    else:
        needed = _labels_to_show(weight, labels, graded)
        more = "label more responses" if needed is None else f"{needed} more would show it"
        why = f"{n_labels} labels of its own, {more} (the judge alone says {percent(judge_alone)})"
        rate = Estimate.without_value(why, n=n_labels, method=_METHOD)
    shares = (float(smooth[0]), float(smooth[1]))
    moments = (float(below), float(above), float(variance))
    return GroupRate(rate, judge_alone, n_labels, needed, half_width, *moments, shares)


def _by_verdict(
    passed: npt.ArrayLike, labels: npt.ArrayLike, pool: npt.ArrayLike, level: float
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Compute the rate, its squared distances down and up that labels cause, the units' variance, and smooth shares."""
    hits = np.asarray(passed, dtype=np.float64)
    sizes = np.asarray(labels, dtype=np.float64)
    total = np.sum(pool, axis=-1)
    weight = np.asarray(pool) / total[..., None]
    share = np.where(sizes > 0, hits / np.where(sizes > 0, sizes, 1), 0.5)
    tail = _tail(level)
    low = np.where(sizes > 0, 1 - _mid_p_upper(sizes - hits, sizes, tail), 0.0)
    high = _mid_p_upper(hits, sizes, tail)
    below = (weight**2 * (share - low) ** 2).sum(axis=-1)
    above = (weight**2 * (high - share) ** 2).sum(axis=-1)
    smooth = (hits + 0.5) / (sizes + 1)
    pairs = combinations(range(weight.shape[-1]), 2)
    apart = (weight[..., v] * weight[..., u] * (smooth[..., u] - smooth[..., v]) ** 2 for v, u in pairs)
    variance = np.asarray(sum(apart, start=np.zeros(weight.shape[:-1])) / total)
    return np.asarray((weight * share).sum(axis=-1)), below, above, variance, smooth


def _tail(level: float) -> float:
    """Compute the probability in each tail, free of the rounding that 1 - 0.95 leaves."""
    return round((1 - level) / 2, 12)


def _z(level: float) -> float:
    return float(ndtri(1 - _tail(level)))


def _mid_p_upper(hits: npt.ArrayLike, n: npt.ArrayLike, tail: float) -> Floats:
    """Return the upper mid-p limits of shares; 1 where all are hits, or where there are no examples."""
    k, size = np.broadcast_arrays(np.asarray(hits, dtype=np.float64), np.asarray(n, dtype=np.float64))
    is_open = k < size
    misses = np.where(is_open, size - k, 1.0)
    low = np.where(is_open, k / np.where(size > 0, size, 1.0), 1.0)
    high = np.ones_like(low)
    for _ in range(60):
        middle = (low + high) / 2
        at_most = betainc(misses, k + 1, 1 - middle)
        fewer = np.where(k > 0, betainc(misses + 1, np.where(k > 0, k, 1.0), 1 - middle), 0.0)
        is_inside = (at_most + fewer) / 2 > tail
        low = np.where(is_inside, middle, low)
        high = np.where(is_inside, high, middle)
    return np.where(is_open, (low + high) / 2, 1.0)


def _half_widths(labels: npt.ArrayLike) -> Floats:
    """Predict half the width of a share's interval from a number of labels."""
    return np.asarray(np.minimum(0.5, 0.98 / np.sqrt(np.asarray(labels, dtype=np.float64) + 2)))


def _planned_half_width(weight: Floats, labels: npt.ArrayLike) -> float:
    return math.sqrt(float((weight**2 * _half_widths(labels) ** 2).sum()))


def _shown(labels: int, half_width: float) -> bool:
    return labels >= LEAST_OWN and half_width <= WIDEST_PLANNED


def _labels_to_show(weight: Floats, labels: Integers, graded: Integers) -> int | None:
    """Count the labels needed to show the rate, each for the verdict that narrows it most; None if none are left."""
    have = labels.copy()
    added = 0
    while not _shown(int(have.sum()), _planned_half_width(weight, have)):
        may_grow = graded > have
        if not may_grow.any():
            return None
        drop = weight**2 * (_half_widths(have) ** 2 - _half_widths(have + 1) ** 2)
        fails, passes = np.where(may_grow, drop, -1.0).tolist()
        have[1 if passes >= fails else 0] += 1
        added += 1
    return added


def _difference(first: GroupRate, second: GroupRate, variance: float) -> Estimate:
    n = first.own_labels + second.own_labels
    method = f"difference {_METHOD}"
    if first.rate.value is None or second.rate.value is None:
        return Estimate.without_value("a rate that is withheld has no difference", n=n, method=method)
    value = first.rate.value - second.rate.value
    units = _z(GROUP_LEVEL) ** 2 * variance
    low = value - math.sqrt(first.below + second.above + units)
    high = value + math.sqrt(first.above + second.below + units)
    return Estimate(value, max(-1.0, low), min(1.0, high), GROUP_LEVEL, n, method)
