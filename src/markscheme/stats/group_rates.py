"""Pass rates of groups and their differences, each from labels of the group's own responses only.

Tables of labels have annotators' fails and passes as rows and the judge's as columns; pools count the judge's fails and
passes over all graded responses of a group, labelled or not. Labels must be drawn at random within a group's verdicts.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.intervals import Integers
from markscheme.stats.prevalence import whole_counts
from markscheme.stats.verdict_rates import (
    METHOD,
    ONE_LOOK,
    labels_to_show,
    may_show_rate,
    moments_by_verdict,
    rate_by_verdict,
    z_of,
)


@dataclass(frozen=True, slots=True)
class GroupRate:
    """Estimated share of a group's responses that annotators would pass, with the parts of its interval.

    Attributes:
        rate: The share with its 95 % interval; undefined if it is withheld for too few labels.
        judge_alone: Share of responses that the judge passes.
        own_labels: Number of labels of the group's own responses.
        needed: Number of further labels needed to show the rate; None if it is shown, or if too few responses are
            unlabelled.
        below: Squared distance from the rate down to its lower limit, as far as it is due to the limited number of
            labels.
        above: Squared distance from the rate up to its upper limit, as far as it is due to the limited number of
            labels.
        units_variance: Variance of the rate that arises because the graded responses are themselves a sample.
        shares: Share of the judge's fails that annotators pass, and that of its passes, as used for `units_variance`.
    """

    rate: Estimate
    judge_alone: float
    own_labels: int
    needed: int | None
    below: float
    above: float
    units_variance: float
    shares: tuple[float, float]


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """Estimated difference between two groups in the share of responses that annotators would pass.

    Attributes:
        difference: First rate minus second, with its 95 % interval; undefined if a group has too few labels for a rate.
        units_variance: Variance of the difference that arises because the graded responses are themselves a sample.
        common: Number of tests on which both groups were graded.
        on_common: Rates of both groups on the common tests alone; None if all tests are common, or if no test is.
    """

    difference: Estimate
    units_variance: float
    common: int
    on_common: tuple[GroupRate, GroupRate] | None


def group_rate(labelled: npt.ArrayLike, pool: npt.ArrayLike) -> GroupRate:
    """Estimate the share of a group's responses that annotators would pass, from the group's own labels.

    The rate is shown if there are 10 labels or more and the planned half-width of its interval is .30 or less. The
    planned half-width depends on the number of labels, never on their outcomes.

    Args:
        labelled: Counts of labelled responses, shape (2, 2): rows are annotators' fails and passes, columns the
            judge's.
        pool: Counts of the judge's fails and passes among all graded responses of the group, shape (2,).

    Raises:
        ValueError: The counts have the wrong shape or are negative or not whole, the pool is empty, or there are more
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
    """Estimate the difference between two groups in the share of responses that annotators would pass.

    Args:
        labelled: Counts of the first group's labelled responses, shape (2, 2): rows are annotators' fails and passes,
            columns the judge's.
        pool: Counts of the judge's fails and passes among all graded responses of the first group, shape (2,).
        labelled_other: Counts of the other group's labelled responses, shape (2, 2).
        pool_other: Counts of the judge's fails and passes among all graded responses of the other group, shape (2,).
        common: Counts of the tests on which both groups were graded, by the judge's verdict, shape (2, 2): rows are the
            first group's fails and passes, columns the other's. None if they share no tests.

    Raises:
        ValueError: `group_rate` rejects the counts, or there are more common tests than graded responses of a group.

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


def _checked(labelled: npt.ArrayLike, pool: npt.ArrayLike) -> tuple[Integers, Integers]:
    table = whole_counts(labelled, (2, 2), "labelled")
    graded = whole_counts(pool, (2,), "pool")
    labels = table.sum(axis=0)
    if not graded.sum() or (labels > graded).any():
        raise ValueError(f"a pool holds the labelled responses and at least one: {graded.tolist()}, {labels.tolist()}")
    return table, graded


def _rate(table: Integers, graded: Integers) -> GroupRate:
    """Estimate the pass rate of a group's graded responses, from labels on these or on other responses of the group.

    Args:
        table: Counts of labelled responses, shape (2, 2): rows are annotators' fails and passes, columns the judge's.
        graded: Counts of the judge's fails and passes among all graded responses of the group, shape (2,).
    """
    labels = table.sum(axis=0)
    _, below, above, variance, smooth = moments_by_verdict(table[1], labels, graded, ONE_LOOK)
    n_labels = int(labels.sum())
    judge_alone = float(graded[1] / graded.sum())
    needed = None
    if may_show_rate(labels, graded):
        rate = rate_by_verdict(table[1], labels, graded)
    else:
        needed = labels_to_show(labels, graded)
        why = Reason("few-own-labels", {"labels": n_labels, "needed": needed, "judge_alone": judge_alone})
        rate = Estimate.without_value(why, n=n_labels, method=METHOD)
    shares = (float(smooth[0]), float(smooth[1]))
    return GroupRate(rate, judge_alone, n_labels, needed, float(below), float(above), float(variance), shares)


def _difference(first: GroupRate, second: GroupRate, variance: float) -> Estimate:
    n = first.own_labels + second.own_labels
    method = f"difference {METHOD}"
    if first.rate.value is None or second.rate.value is None:
        return Estimate.without_value(Reason("withheld-rate"), n=n, method=method)
    value = first.rate.value - second.rate.value
    units = z_of(ONE_LOOK) ** 2 * variance
    low = value - math.sqrt(first.below + second.above + units)
    high = value + math.sqrt(first.above + second.below + units)
    return Estimate(value, max(-1.0, low), min(1.0, high), ONE_LOOK, n, method)
