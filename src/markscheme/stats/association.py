"""How closely a judge follows gold: linear, rank and concordance correlation, each with its interval."""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtr

from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import ATANH, Floats, Integers, guard, jackknife, no_disagreement, withhold
from markscheme.stats.pairs import Moments, Orderings, Pairs, above_minus_below, paired

ALMOST_ONE = 1 - 1e-12
RERANKED_AT_ONCE = 2_000_000
RERANKED_AT_MOST = 50_000_000
LONGEST_EXACT_KENDALL = 100
NO_ORDERINGS = Orderings(np.zeros(()), np.zeros(()), np.zeros(()))


def pearson(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    levels: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """How well a straight line through the judge's values gives gold (Pearson's correlation).

    Args:
        gold: Shape (n_units,), nan where there is no rating.
        judge: Shape (n_units,), nan likewise.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        levels: The scale's levels or its two ends; needed only for the interval where all ratings agree.
        level: Coverage of the interval, 0 to 1.

    Returns:
        No unit. 1 where judge = a + b gold with b > 0, 0 without linear association, -1 with b < 0; undefined where a
        rater gives every unit the same value.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Pearson (1895), Proceedings of the Royal Society 58, 240-242. doi:10.1098/rspl.1895.0041

    Example:
        >>> round(pearson([1, 2, 3, 4], [1, 3, 2, 4]).value, 6)
        0.8
    """
    return pearson_of(paired(gold, judge, groups, levels), level)


def ccc(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    levels: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """How close the judge's values lie to gold's themselves, not only to a line (Lin's concordance correlation).

    Variances divide by n, so that on levels it equals the kappa with quadratic weights.

    Args:
        gold: Shape (n_units,), nan where there is no rating.
        judge: Shape (n_units,), nan likewise.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        levels: The scale's levels or its two ends; needed only for the interval where all ratings agree.
        level: Coverage of the interval, 0 to 1.

    Returns:
        No unit, -1 to 1; 1 where judge = gold on every unit, 0 where one rater gives every unit the same value,
        undefined where both give the same one value.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Lin (1989), Biometrics 45(1), 255-268. doi:10.2307/2532051

    Example:
        >>> round(ccc([1, 2, 3, 4], [2, 3, 4, 5]).value, 6)
        0.714286
    """
    return ccc_of(paired(gold, judge, groups, levels), level)


def icc(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    levels: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Absolute agreement of one judge with gold as an intraclass correlation, ICC(A,1), with its jackknife interval.

    The value is that of `icc_2_1` for two raters; the interval, unlike that one's, asks nothing of how the ratings
    are distributed.

    Args:
        gold: Shape (n_units,), nan where there is no rating.
        judge: Shape (n_units,), nan likewise.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        levels: The scale's levels or its two ends; needed only for the interval where all ratings agree.
        level: Coverage of the interval, 0 to 1.

    Returns:
        No unit, at most 1; 1 where judge = gold on every unit, 0 where one rater gives every unit the same value,
        undefined where both give the same one value or there is one unit only.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        McGraw and Wong (1996), Psychological Methods 1(1), 30-46. doi:10.1037/1082-989X.1.1.30

    Example:
        >>> round(icc([1, 2, 3, 4], [2, 3, 4, 5]).value, 6)
        0.769231
    """
    return icc_of(paired(gold, judge, groups, levels), level)


def spearman(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    levels: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """How alike judge and gold rank the units (Spearman's correlation; ties share the mean of their ranks).

    Leaving one unit out is exact for any number of units. Leaving groups out is exact up to about 5,000 units with
    different values in as many groups; beyond, each group moves the value by the sum of its units' influence, and
    `Estimate.method` says so.

    Args:
        gold: Shape (n_units,), nan where there is no rating.
        judge: Shape (n_units,), nan likewise.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        levels: The scale's levels or its two ends; needed only for the interval where all ratings agree.
        level: Coverage of the interval, 0 to 1.

    Returns:
        No unit. 1 where both rank alike, 0 without monotone association, -1 where one ranks backwards; undefined
        where a rater gives every unit the same value.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Spearman (1904), American Journal of Psychology 15(1), 72-101. doi:10.2307/1412159

    Example:
        >>> round(spearman([1, 2, 3, 4], [10, 30, 20, 90]).value, 6)
        0.8
    """
    return spearman_of(paired(gold, judge, groups, levels), level)


def kendall(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    levels: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """How much oftener judge and gold order two units alike than oppositely (Kendall's tau-b, which allows for ties).

    Takes n log n steps; leaving one unit or one group out is exact for any number of units.

    Args:
        gold: Shape (n_units,), nan where there is no rating.
        judge: Shape (n_units,), nan likewise.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        levels: The scale's levels or its two ends; needed only for the interval where all ratings agree.
        level: Coverage of the interval, 0 to 1.

    Returns:
        No unit. 1 where all pairs are ordered alike, -1 where all are ordered oppositely; undefined where a rater
        gives every unit the same value.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Kendall (1945), Biometrika 33(3), 239-251. doi:10.1093/biomet/33.3.239

    Example:
        >>> round(kendall([1, 2, 3, 4], [10, 30, 20, 90]).value, 6)
        0.666667
    """
    return kendall_of(paired(gold, judge, groups, levels), level)


def pearson_p(gold: npt.ArrayLike, judge: npt.ArrayLike) -> Estimate:
    """Chance of a Pearson correlation this far from 0 if there were none and gold or judge were normal; two-sided.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Student (1908), Biometrika 6(2/3), 302-310. doi:10.2307/2331474

    Example:
        >>> round(pearson_p([1, 2, 3, 4], [1, 3, 2, 4]).value, 6)
        0.2
    """
    return _t_test(pearson_of(paired(gold, judge), 0.95))


def spearman_p(gold: npt.ArrayLike, judge: npt.ArrayLike) -> Estimate:
    """Chance of a Spearman correlation this far from 0 if there were none, two-sided, by Student's t.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Kendall and Stuart (1973), The Advanced Theory of Statistics, volume 2, section 31.19.

    Example:
        >>> round(spearman_p([1, 2, 3, 4], [1, 3, 2, 4]).value, 6)
        0.2
    """
    return _t_test(spearman_of(paired(gold, judge), 0.95))


def kendall_p(gold: npt.ArrayLike, judge: npt.ArrayLike) -> Estimate:
    """Chance of a tau-b this far from 0 if every order of the judge's values were equally likely, two-sided.

    Exact up to 100 units without ties; otherwise normal, with the variance that allows for the ties.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Kendall (1970), Rank Correlation Methods, 4th edition, chapters 4 and 5.

    Example:
        >>> kendall_p([1, 2, 3, 4], [1, 2, 3, 4]).value == 2 / 24
        True
    """
    pairs = paired(gold, judge)
    why = _no_correlation(pairs)
    if why:
        return Estimate.without_value(why, n=len(pairs), method="no p")
    n, balance = len(pairs), float(pairs.orderings.concord.sum()) / 2
    untied = len(pairs.gold_levels[0]) == len(pairs.judge_levels[0]) == n
    if untied and n <= LONGEST_EXACT_KENDALL:
        discordant = round((n * (n - 1) / 2 - balance) / 2)
        return Estimate(_exact_kendall_p(discordant, n), n=n, method="exact, all orders")
    z = abs(balance) / np.sqrt(_kendall_variance(pairs))
    return Estimate(float(2 * ndtr(-z)), n=n, method="normal, variance for ties")


def pearson_of(pairs: Pairs, level: float) -> Estimate:
    """`pearson` of pairs already made."""
    return _correlation(pairs, lambda p: _pearson(p.moments), lambda p: _pearson(p.moments_left_out), level, "Pearson")


def ccc_of(pairs: Pairs, level: float) -> Estimate:
    """`ccc` of pairs already made."""
    return _concordance(pairs, _ccc, level, "Lin's concordance")


def icc_of(pairs: Pairs, level: float) -> Estimate:
    """`icc` of pairs already made."""
    return _concordance(pairs, _icc, level, "ICC(A,1)")


def spearman_of(pairs: Pairs, level: float) -> Estimate:
    """`spearman` of pairs already made."""
    method = "Spearman" if not pairs.grouped or _rerankable(pairs) else "Spearman, groups by influence function"
    return _correlation(pairs, _spearman, _spearman_left_out, level, method)


def kendall_of(pairs: Pairs, level: float) -> Estimate:
    """`kendall` of pairs already made."""
    return _correlation(pairs, _kendall, _kendall_left_out, level, "tau-b")


# -- values ------------------------------------------------------------------------------------------------------------


def _ratio(product: npt.ArrayLike, left: npt.ArrayLike, right: npt.ArrayLike) -> Floats:
    """product / root(left right), between -1 and 1; nan where either is 0."""
    size = np.sqrt(left) * np.sqrt(right)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.clip(np.where(size > 0, product, np.nan) / size, -1.0, 1.0))


def _pearson(m: Moments) -> Floats:
    return _ratio(m.covariance, m.gold_variance, m.judge_variance)


def _ccc(m: Moments) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(2 * m.covariance / (m.gold_variance + m.judge_variance + m.signed**2))


def _icc(m: Moments) -> Floats:
    """ICC(A,1) of two raters; its mean squares in terms of variances that divide by n - 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        unbiased = m.n / (m.n - 1)
        spread, together = unbiased * (m.gold_variance + m.judge_variance), unbiased * m.covariance
        return np.asarray(2 * together / (spread + m.signed**2 - (spread - 2 * together) / m.n))


def _spearman(pairs: Pairs) -> Floats:
    gold, judge = pairs.standing.gold, pairs.standing.judge
    return _ratio(gold @ judge, gold @ gold, judge @ judge)


def _kendall(pairs: Pairs) -> Floats:
    each = pairs.orderings
    return _ratio(each.concord.sum(), each.gold_apart.sum(), each.judge_apart.sum())


# -- one unit or group left out ----------------------------------------------------------------------------------------


def _kendall_left_out(pairs: Pairs) -> Floats:
    """Without a group go all orderings of its units, those inside it counted twice by the sum over its units."""
    each, inside = pairs.orderings, pairs.orderings_in_group if pairs.grouped else NO_ORDERINGS

    def left(of_unit: Floats, of_unit_inside: Floats) -> Floats:
        return np.asarray(of_unit.sum() - pairs.per_group(2 * of_unit - of_unit_inside))

    return _ratio(
        left(each.concord, inside.concord),
        left(each.gold_apart, inside.gold_apart),
        left(each.judge_apart, inside.judge_apart),
    )


def _spearman_left_out(pairs: Pairs) -> Floats:
    if not pairs.grouped:
        return _spearman_unit_left_out(pairs)
    if _rerankable(pairs):
        return _spearman_group_left_out(pairs)
    value = _spearman(pairs)
    return np.asarray(value + pairs.per_group(_spearman_unit_left_out(pairs) - value))


def _spearman_unit_left_out(pairs: Pairs) -> Floats:
    """A unit taken away moves the standing of every other by 1, 0 or -1, as it was below, equal or above."""
    gold, judge, orderings = pairs.standing.gold, pairs.standing.judge, pairs.orderings
    (_, gold_place), (_, judge_place) = pairs.gold_levels, pairs.judge_levels
    product = gold @ judge - gold * judge - _against(gold, judge_place) - _against(judge, gold_place)
    gold_square = gold @ gold - gold**2 - 2 * _against(gold, gold_place)
    judge_square = judge @ judge - judge**2 - 2 * _against(judge, judge_place)
    return _ratio(product + orderings.concord, gold_square + orderings.gold_apart, judge_square + orderings.judge_apart)


def _against(standing: Floats, place: Integers) -> Floats:
    """For each unit, the standings of the units placed above it minus those of the units placed below it."""
    return np.asarray(above_minus_below(np.bincount(place, weights=standing).astype(np.float64))[place])


def _rerankable(pairs: Pairs) -> bool:
    return pairs.n_groups * _reranking_width(pairs) <= RERANKED_AT_MOST


def _reranking_width(pairs: Pairs) -> int:
    n_gold, n_judge = len(pairs.gold_levels[0]), len(pairs.judge_levels[0])
    return n_gold + n_judge + min(n_gold * n_judge, len(pairs))


def _spearman_group_left_out(pairs: Pairs) -> Floats:
    """Ranks made anew without each group, for the different (gold, judge) cells rather than for the units."""
    at_once = max(1, RERANKED_AT_ONCE // _reranking_width(pairs))
    starts = range(0, pairs.n_groups, at_once)
    return np.concatenate([_reranked(pairs, s, min(s + at_once, pairs.n_groups)) for s in starts])


def _reranked(pairs: Pairs, start: int, stop: int) -> Floats:
    """Spearman's correlation without each of the groups from `start` to before `stop`."""
    (seen_gold, gold), (seen_judge, judge) = pairs.gold_levels, pairs.judge_levels
    n_gold, n_judge = len(seen_gold), len(seen_judge)
    code, first, cell, count = np.unique(
        gold * n_judge + judge, return_index=True, return_inverse=True, return_counts=True
    )
    inside = (pairs.group >= start) & (pairs.group < stop)
    row = pairs.group[inside] - start

    def gone(place: Integers, width: int) -> Floats:
        flat = np.bincount(row * width + place[inside], minlength=(stop - start) * width)
        return np.asarray(flat.reshape(stop - start, width), dtype=np.float64)

    gold_now = pairs.standing.gold[first] + above_minus_below(gone(gold, n_gold).T).T[:, code // n_judge]
    judge_now = pairs.standing.judge[first] + above_minus_below(gone(judge, n_judge).T).T[:, code % n_judge]
    left = count - gone(cell.reshape(-1), len(code))
    return _ratio(
        (left * gold_now * judge_now).sum(axis=1), (left * gold_now**2).sum(axis=1), (left * judge_now**2).sum(axis=1)
    )


# -- estimates ---------------------------------------------------------------------------------------------------------


def _no_correlation(pairs: Pairs) -> str | None:
    """Why gold and judge have no correlation; None where they have one."""
    if len(pairs) < 2:
        return _too_few(pairs)
    return "one level only" if pairs.agree and pairs.stuck else pairs.stuck


def _too_few(pairs: Pairs) -> str:
    return "one example only" if len(pairs) else "no examples"


def _correlation(
    pairs: Pairs, value: Callable[[Pairs], Floats], left_out: Callable[[Pairs], Floats], level: float, method: str
) -> Estimate:
    why = _no_correlation(pairs)
    if why:
        return Estimate.without_value(why, n=pairs.n_groups, method=method, level=level)
    found = float(value(pairs))
    if abs(found) >= ALMOST_ONE:
        return _guarded(_no_exception_seen(pairs, found, level, method), pairs)
    sure = jackknife(found, left_out(pairs), transform=ATANH, level=level, method=method, grouped=pairs.grouped)
    return _guarded(sure, pairs)


def _concordance(pairs: Pairs, formula: Callable[[Moments], Floats], level: float, method: str) -> Estimate:
    if len(pairs) < 2 or (pairs.agree and pairs.stuck):
        why = "one level only" if len(pairs) > 1 else _too_few(pairs)
        return Estimate.without_value(why, n=pairs.n_groups, method=method, level=level)
    if pairs.stuck:
        return withhold(Estimate(0.0, n=pairs.n_groups, method=method, level=level), pairs.stuck)
    if pairs.agree:
        return _guarded(_no_exception_seen(pairs, 1.0, level, method), pairs)
    value, left_out = float(formula(pairs.moments)), formula(pairs.moments_left_out)
    sure = jackknife(value, left_out, transform=ATANH, level=level, method=method, grouped=pairs.grouped)
    return _guarded(sure, pairs)


def _guarded(estimate: Estimate, pairs: Pairs) -> Estimate:
    return guard(estimate, pairs.off, grouped=pairs.grouped)


def _no_exception_seen(pairs: Pairs, sign: float, level: float, method: str) -> Estimate:
    """A correlation of 1 or -1, with what an unseen share of units the other way round could make of it."""
    span = pairs.span if pairs.agree else float(np.ptp(pairs.gold))
    loss = span**2 / (2 * float(pairs.moments.gold_variance))
    one = no_disagreement(1.0, n=pairs.n_groups, below=loss, floor=-1.0, level=level, method=method)
    return one if sign > 0 or one.low is None else replace(one, value=-1.0, low=-1.0, high=-one.low)


# -- chances -----------------------------------------------------------------------------------------------------------


def _t_test(correlation: Estimate) -> Estimate:
    df = correlation.n - 2
    if correlation.value is None or df == 0:
        why = correlation.undefined or "two examples only"
        return Estimate.without_value(why, n=correlation.n, method="Student t")
    r = correlation.value
    t = abs(r) * math.sqrt(df / ((1 - r) * (1 + r))) if abs(r) < 1 else math.inf
    return Estimate(float(2 * stdtr(df, -t)), n=correlation.n, method=f"Student t, {df} df")


def _exact_kendall_p(discordant: int, n: int) -> float:
    """Twice the chance that a random order has this few (or, past the middle, this many) pairs out of order."""
    if 4 * discordant == n * (n - 1):
        return 1.0
    chances = np.ones(1)
    for places in range(2, n + 1):
        chances = np.convolve(chances, np.full(places, 1 / places))
    tail = min(discordant, n * (n - 1) // 2 - discordant)
    return float(min(1.0, 2 * chances[: tail + 1].sum()))


def _kendall_variance(pairs: Pairs) -> float:
    """Variance of concordant minus discordant pairs over all orders of the judge's values, ties kept."""
    n = float(len(pairs))
    gold, judge = (np.bincount(place).astype(np.float64) for _, place in (pairs.gold_levels, pairs.judge_levels))

    def ties(weigh: Callable[[Floats], Floats]) -> tuple[float, float]:
        return float((gold * (gold - 1) * weigh(gold)).sum()), float((judge * (judge - 1) * weigh(judge)).sum())

    pairs_tied, triples_tied, both = ties(np.ones_like), ties(lambda t: t - 2), ties(lambda t: 2 * t + 5)
    variance = (n * (n - 1) * (2 * n + 5) - both[0] - both[1]) / 18
    variance += pairs_tied[0] * pairs_tied[1] / (2 * n * (n - 1))
    return variance + triples_tied[0] * triples_tied[1] / (9 * n * (n - 1) * (n - 2))
