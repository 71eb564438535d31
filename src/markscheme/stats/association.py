"""Correlations of a judge with gold: linear, rank and concordance, each with its interval."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.intervals import ATANH, Floats, Integers, guard, no_disagreement, withhold
from markscheme.stats.pairs import RELATIVE_ROUNDING, Moments, Pairs, above_minus_below
from markscheme.stats.rating_patterns import over

ALMOST_ONE = 1 - 1e-12
"""Smallest correlation that differs from 1 only by rounding, so that there is no transform for a jackknife."""
RERANKED_AT_ONCE = 100_000
"""Number of ranks that are held in memory at a time, 0.8 MB of float64."""
RERANKED_AT_MOST = 50_000_000
"""Largest number of ranks that are computed again for each group left out, about a second of work; with more,
leaving a group out is approximated by leaving out its units."""


def pearson(pairs: Pairs, level: float) -> Estimate:
    """Compute Pearson's correlation of judge and gold, undefined if one of them doesn't vary."""
    return _correlation(pairs, lambda p: _pearson(p.moments), level, "Pearson")


def ccc(pairs: Pairs, level: float) -> Estimate:
    """Compute Lin's concordance correlation.

    Variances divide by n, so that on levels it equals kappa with quadratic weights.
    """
    return _concordance(pairs, _ccc, level, "Lin's concordance")


def icc(pairs: Pairs, level: float) -> Estimate:
    """Compute ICC(A,1) of judge and gold: the value of `icc_2_1`, with a distribution-free jackknife interval."""
    return _concordance(pairs, _icc, level, "ICC(A,1)")


def spearman(pairs: Pairs, level: float) -> Estimate:
    """Compute Spearman's correlation of judge and gold; ties share the mean of their ranks.

    Leaving one unit out is exact. Leaving groups out is exact up to about 5,000 units with different values in as many
    groups; beyond that, a group moves the value by the sum of its units' influence, and `method` says so.
    """
    method = "Spearman" if not pairs.groups.several or _rerankable(pairs) else "Spearman, groups by influence function"
    return _correlation(pairs, _spearman, level, method)


def kendall(pairs: Pairs, level: float) -> Estimate:
    """Estimate Kendall's tau-b of judge and gold, with an interval by leaving out each unit or group in turn.

    Both tau-b and its values without each unit or group are exact, and take n log n steps.
    """
    return _correlation(pairs, _kendall, level, "tau-b")


# -- values, over all units and then with one unit or group left out ---------------------------------------------------


def _ratio(product: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Compute product / √(first · second), clipped to -1 to 1; nan where `first` or `second` is 0."""
    size = np.sqrt(first) * np.sqrt(second)
    return np.asarray(np.clip(over(np.asarray(product), size), -1.0, 1.0))


def _pearson(m: Moments) -> Floats:
    return _ratio(m.covariance, m.gold_variance, m.judge_variance)


def _ccc(m: Moments) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(2 * m.covariance / (m.gold_variance + m.judge_variance + m.signed**2))


def _icc(m: Moments) -> Floats:
    """Compute ICC(A,1) of two raters, with its mean squares expressed by variances that divide by n - 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        unbiased = m.n / (m.n - 1)
        spread = unbiased * (m.gold_variance + m.judge_variance)
        together = unbiased * m.covariance
        total = spread + m.signed**2 - (spread - 2 * together) / m.n
        return np.where(np.abs(total) <= RELATIVE_ROUNDING * spread, math.nan, 2 * together / total)


def _kendall(pairs: Pairs) -> Floats:
    """Compute tau-b over all units, then without each group in turn.

    Tau-b compares units two by two. Without a group, all comparisons with one of the group's units are subtracted. The
    sum over the group's units counts a comparison of two of these units twice, so such comparisons are added once.
    """
    orderings = pairs.orderings
    inside = pairs.orderings_in_sets if pairs.groups.several else 0.0
    total = (orderings * pairs.groups.units).sum(axis=1, keepdims=True)
    return _ratio(*np.hstack([total, total - (pairs.groups.sums(2 * orderings) - inside)]))


def _spearman(pairs: Pairs) -> Floats:
    gold, judge = pairs.standing
    units = pairs.groups.units
    value = _ratio((units * gold) @ judge, (units * gold) @ gold, (units * judge) @ judge)
    if not pairs.groups.several:
        left_out = _spearman_unit_left_out(pairs)
    elif _rerankable(pairs):
        left_out = _spearman_group_left_out(pairs)
    else:
        left_out = value + pairs.groups.sums(_spearman_unit_left_out(pairs) - value)
    return np.append(value, left_out)


def _spearman_unit_left_out(pairs: Pairs) -> Floats:
    """Compute Spearman's correlation without each unit in turn.

    A unit's `standing` is the number of units below it minus the number above it. Removing a unit changes the standing
    of every other unit by -1, 0 or 1, if the removed unit was below it, equal to it or above it.
    """
    (gold, judge) = pairs.standing
    (concord, gold_apart, judge_apart) = pairs.orderings
    (_, gold_place) = pairs.gold_levels
    (_, judge_place) = pairs.judge_levels
    of_gold = gold * pairs.groups.units
    of_judge = judge * pairs.groups.units
    product = of_gold @ judge - gold * judge - _rank_balance(of_gold, judge_place) - _rank_balance(of_judge, gold_place)
    gold_square = of_gold @ gold - gold**2 - 2 * _rank_balance(of_gold, gold_place)
    judge_square = of_judge @ judge - judge**2 - 2 * _rank_balance(of_judge, judge_place)
    return _ratio(product + concord, gold_square + gold_apart, judge_square + judge_apart)


def _rank_balance(standing: Floats, code: Integers) -> Floats:
    """Compute, per row, the sum of `standing` over rows with higher codes minus that over rows with lower ones.

    Args:
        standing: For each row, the number of units below it minus the number above it, times the number of units in the
            row.
        code: Index of each row's level, ascending with the level.
    """
    return np.asarray(above_minus_below(np.bincount(code, weights=standing).astype(np.float64))[code])


def _rerankable(pairs: Pairs) -> bool:
    return pairs.groups.n_sets * _reranking_width(pairs) <= RERANKED_AT_MOST


def _reranking_width(pairs: Pairs) -> int:
    n_gold = len(pairs.gold_levels[0])
    n_judge = len(pairs.judge_levels[0])
    return n_gold + n_judge + min(n_gold * n_judge, len(pairs))


def _spearman_group_left_out(pairs: Pairs) -> Floats:
    """Compute Spearman's correlation without each group in turn.

    It is computed from how often each pair of values (gold's and the judge's) occurs, in all and in each group.
    """
    cells = np.unique(pairs.gold_levels[1] * len(pairs.judge_levels[0]) + pairs.judge_levels[1], True, True)
    at_once = max(1, RERANKED_AT_ONCE // _reranking_width(pairs))
    starts = range(0, pairs.groups.n_sets, at_once)
    return np.concatenate([_reranked(pairs, cells, s, min(s + at_once, pairs.groups.n_sets)) for s in starts])


def _reranked(pairs: Pairs, cells: tuple[Integers, Integers, Integers], start: int, stop: int) -> Floats:
    """Compute Spearman's correlation without each of a range of groups in turn.

    Args:
        pairs: The ratings of gold and judge.
        cells: The codes of pairs of values, ascending; the first row that has each; and, for each row, the index of its
            code among them.
        start: Number of the first group that is left out in turn.
        stop: Number after that of the last such group.
    """
    (seen_gold, gold) = pairs.gold_levels
    (seen_judge, judge) = pairs.judge_levels
    n_gold = len(seen_gold)
    n_judge = len(seen_judge)
    code, first, cell = cells
    count = np.bincount(cell.reshape(-1), weights=pairs.groups.units)
    times = pairs.groups.times
    inside = (pairs.groups.number >= start) & (pairs.groups.number < stop)
    row = pairs.groups.number[inside] - start
    of_row = None if times is None else times[inside]

    def gone(code: Integers, width: int) -> Floats:
        flat = np.bincount(row * width + code[inside], weights=of_row, minlength=(stop - start) * width)
        return np.asarray(flat.reshape(stop - start, width), dtype=np.float64)

    gold_now = pairs.standing[0][first] + above_minus_below(gone(gold, n_gold).T).T[:, code // n_judge]
    judge_now = pairs.standing[1][first] + above_minus_below(gone(judge, n_judge).T).T[:, code % n_judge]
    remaining = count - gone(cell.reshape(-1), len(code))
    return _ratio(
        (remaining * gold_now * judge_now).sum(axis=1),
        (remaining * gold_now**2).sum(axis=1),
        (remaining * judge_now**2).sum(axis=1),
    )


# -- estimates ---------------------------------------------------------------------------------------------------------


def _no_correlation(pairs: Pairs) -> Reason | None:
    """Return the reason why gold and judge have no correlation, such as too few units; None if they have one."""
    if len(pairs) < 2:
        return _too_few(pairs)
    return Reason("one-level") if pairs.agree and pairs.stuck else pairs.stuck


def _too_few(pairs: Pairs) -> Reason:
    return Reason("one-example" if len(pairs) else "no-examples")


def _correlation(pairs: Pairs, coefficient: Callable[[Pairs], Floats], level: float, method: str) -> Estimate:
    why = _no_correlation(pairs)
    if why:
        return Estimate.without_value(why, n=pairs.groups.n, method=method, level=level)
    values = coefficient(pairs)
    if abs(values[0]) >= ALMOST_ONE:
        return _guarded(_no_exception_seen(pairs, values[0], level, method), pairs)
    return _guarded(pairs.groups.jackknife(values, transform=ATANH, level=level, method=method), pairs)


def _concordance(pairs: Pairs, formula: Callable[[Moments], Floats], level: float, method: str) -> Estimate:
    if len(pairs) < 2 or (pairs.agree and pairs.stuck):
        why = Reason("one-level") if len(pairs) > 1 else _too_few(pairs)
        return Estimate.without_value(why, n=pairs.groups.n, method=method, level=level)
    if pairs.stuck:
        return withhold(Estimate(0.0, n=pairs.groups.n, method=method, level=level), pairs.stuck)
    if pairs.agree:
        return _guarded(_no_exception_seen(pairs, 1.0, level, method), pairs)
    values = formula(pairs.moments)
    if math.isnan(values[0]):
        return Estimate.without_value(Reason("means-alike"), n=pairs.groups.n, method=method, level=level)
    return _guarded(pairs.groups.jackknife(values, transform=ATANH, level=level, method=method), pairs)


def _guarded(estimate: Estimate, pairs: Pairs) -> Estimate:
    return guard(estimate, pairs.off, grouped=pairs.groups.several)


def _no_exception_seen(pairs: Pairs, sign: float, level: float, method: str) -> Estimate:
    """Estimate a correlation of exactly 1 or -1, with an interval that allows for unseen exceptions.

    Args:
        pairs: The ratings of gold and judge.
        sign: A number above 0 for a correlation of 1, below 0 for -1.
        level: Coverage of the interval, 0 to 1.
        method: Name of the correlation, for the Estimate's `method`.
    """
    span = pairs.span if pairs.agree else float(np.ptp(pairs.gold))
    loss = span**2 / (2 * float(pairs.moments.gold_variance[0]))
    estimate = no_disagreement(1.0, n=pairs.groups.n, below=loss, floor=-1.0, level=level, method=method)
    return estimate if sign > 0 or estimate.low is None else replace(estimate, value=-1.0, low=-1.0, high=-estimate.low)
