"""Shares of examples on which a judge agrees with gold and with annotators, next to the best constant answer.

The compared values may be scores, levels of one criterion or decisions, all as numbers. All agreement uses one
tolerance, and all bounds respect groups of examples.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from markscheme.stats.distinct import numbered_values
from markscheme.stats.intervals import Floats, Grouping, Groups
from markscheme.stats.pairs import equal_vectors
from markscheme.stats.rating_patterns import over
from markscheme.stats.shares import GroupedMean, GroupedShare, grouped_mean, grouped_share

DECIMALS = 9
"""Number of decimals to which differences are rounded before they are compared, so that 0.7 - 0.6 isn't less than
0.1."""
TIES_TO_FLAG = 0.05
"""Smallest share of examples exactly at the tolerance of which a report warns, since so many can change a verdict."""


@dataclass(frozen=True, slots=True)
class AgreementFigures:
    """Agreement of a judge with gold and with annotators, compared with that of the best constant answer.

    Attributes:
        agreement: Share of examples on which the judge agrees with gold.
        constant: Share of examples on which the best constant answer agrees with gold.
        constant_value: The best constant answer; nan without examples.
        gain: Agreement minus that of the constant, paired by example.
        people: Share of pairs of annotators who agree with each other, over examples that two or more annotators and
            the judge rated.
        judge_people: Share of annotators with whom the judge agrees, on the examples of `people`.
        constant_people: Share of annotators with whom the best constant answer for them agrees, on the examples of
            `people`.
        judge_minus_person: `judge_people` minus `people`: how much oftener an annotator agrees with the judge than with
            another annotator.
        person_minus_constant: `people` minus `constant_people`: how much oftener an annotator agrees with another
            annotator than with the best constant answer.
    """

    agreement: GroupedShare
    constant: GroupedShare
    constant_value: float
    gain: GroupedMean
    people: GroupedShare
    judge_people: GroupedShare
    constant_people: GroupedShare
    judge_minus_person: GroupedMean
    person_minus_constant: GroupedMean


class AnnotatorShares(NamedTuple):
    """For each example, shares of its annotators who agree with each other, with the judge, and with a constant.

    Attributes:
        by_pairs: Share of each example's pairs of annotators that agree, shape (n_rows,), nan if too few rated it.
        by_judge: Share of each example's annotators with whom the judge agrees, shape (n_rows,).
        by_constant: Share of each example's annotators who agree with a constant answer, the one that agrees with the
            most annotators over all examples, shape (n_rows,).
        groups: Groups of the examples.
    """

    by_pairs: Floats
    by_judge: Floats
    by_constant: Floats
    groups: Grouping


@dataclass(frozen=True, slots=True)
class ToleranceTies:
    """Examples whose score differs from gold by exactly the tolerance, which doesn't count as agreement.

    Attributes:
        n: Number of examples compared.
        count: Number of examples exactly at the tolerance.
        agreement: Share of examples that agree, if ties don't count as agreement.
        agreement_with_ties: Share of examples that would agree if ties counted as agreement.
    """

    n: int
    count: int
    agreement: GroupedShare
    agreement_with_ties: GroupedShare

    @property
    def flagged(self) -> bool:
        """True if 5 % of the examples or more differ from gold by exactly the tolerance."""
        return self.n > 0 and self.count >= TIES_TO_FLAG * self.n


def agreement_figures(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    people: npt.ArrayLike | AnnotatorShares | None = None,
    *,
    tolerance: float,
    groups: Grouping = None,
    constants: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    mirrored: bool = False,
) -> AgreementFigures:
    """Compute how well a judge, and the best constant answer, agree with gold and with annotators.

    Args:
        gold: Gold's values, shape (n,), nan if missing.
        judge: The judge's values, shape (n,), nan if missing.
        people: Values of single annotators, shape (n, n_people), nan if missing; or for each example the shares of
            annotators who agree with each other, the judge and a constant; None without annotators.
        tolerance: Difference below which two values agree, after rounding to 9 decimals.
        groups: Name of each example's group, such as its task, shape (n,); None without groups.
        constants: Candidates for the best constant; None for all values of the judge and the annotators, or gold's if
            there are no annotators.
        weights: Weight of each example, shape (n,), as `drawn_weights` returns them; the figures are then those of the
            population that the examples were drawn from, except that the best constant is that of the unweighted
            examples. None for equal weights.
        mirrored: True if values are of pairs, from 0 to 1 around ½, so that the constant is compared with each pair and
            its mirror image: 0 and 1 agree with half of the pairs that aren't ties.

    Returns:
        The figures; those of annotators are empty (n = 0) if no example was rated by two of them and the judge.

    Raises:
        ValueError: The shapes differ, or the tolerance isn't above 0.

    Example:
        >>> figures = agreement_figures([0.1, 0.5, 0.6, 0.9], [0.1, 0.5, 0.6, 0.5], tolerance=0.1)
        >>> figures.agreement.value, figures.constant.value, figures.gain.value
        (0.75, 0.25, 0.5)
    """
    g, j = equal_vectors(gold=gold, judge=judge)
    p = np.full((len(g), 0), np.nan) if people is None or isinstance(people, AnnotatorShares) else people
    p = np.asarray(p, dtype=np.float64)
    if p.ndim != 2 or len(p) != len(g):
        raise ValueError(f"people must have shape ({len(g)}, n_people), not {p.shape}")
    if constants is None:
        answers = (j, *p.T) if np.isfinite(p).any() else (j, g)
        constants = np.concatenate([numbered_values(of_rater)[0] for of_rater in answers])
    units = Groups.of(groups, len(g))
    agrees = close(g, j, tolerance)
    judged = _both_ways(np.where(np.isnan(j), np.nan, g), mirrored)
    constant = best_constant(judged, constants, tolerance, _both_times(units.units, mirrored))
    constant_agrees = np.where(np.isnan(agrees), np.nan, _constant_hits(g, constant, tolerance, mirrored))
    shares = people
    if not isinstance(shares, AnnotatorShares):
        shares = annotator_shares(j, p, constants, tolerance=tolerance, groups=units, mirrored=mirrored)
    return AgreementFigures(
        agreement=grouped_share(agrees, units, weights),
        constant=grouped_share(constant_agrees, units, weights),
        constant_value=constant,
        gain=grouped_mean(agrees - constant_agrees, units, weights),
        people=grouped_share(shares.by_pairs, shares.groups, weights),
        judge_people=grouped_share(shares.by_judge, shares.groups, weights),
        constant_people=grouped_share(shares.by_constant, shares.groups, weights),
        judge_minus_person=grouped_mean(shares.by_judge - shares.by_pairs, shares.groups, weights),
        person_minus_constant=grouped_mean(shares.by_pairs - shares.by_constant, shares.groups, weights),
    )


def annotator_shares(
    judge: Floats,
    people: Floats,
    constants: npt.ArrayLike,
    *,
    tolerance: float,
    groups: Grouping = None,
    mirrored: bool = False,
) -> AnnotatorShares:
    """Compute, per example, the shares of its annotators who agree with each other, with the judge and with a constant.

    Args:
        judge: The judge's values, shape (n,), nan if missing.
        people: Values of single annotators, shape (n, n_people), nan if missing.
        constants: Candidates for the best constant, shape (m,), nan if missing.
        tolerance: Difference below which two values agree.
        groups: Name of each example's group, such as its task, shape (n,); None without groups.
        mirrored: True if the values are preferences of pairs, which are then also counted with the two responses
            swapped.

    Example:
        >>> shares = annotator_shares(np.array([0.5]), np.array([[0.5, 0.75]]), [0.5, 0.75], tolerance=0.1)
        >>> shares.by_pairs.tolist(), shares.by_judge.tolist(), shares.by_constant.tolist()
        ([0.0], [0.5], [0.5])
    """
    shared = np.isfinite(judge) & (np.isfinite(people).sum(axis=1) >= 2)
    several = np.where(shared[:, None], people, np.nan)
    units = Groups.of(groups, len(judge))
    times = _both_times(units.units, mirrored)
    constant = _best_constant_for_people(_both_ways(several, mirrored), constants, tolerance, times)
    by_constant = agreement_with_people(np.where(shared, constant, np.nan), several, tolerance)
    if mirrored:
        turned = agreement_with_people(np.where(shared, 1 - constant, np.nan), several, tolerance)
        by_constant = (by_constant + turned) / 2
    by_judge = agreement_with_people(np.where(shared, judge, np.nan), several, tolerance)
    return AnnotatorShares(pair_agreement(several, tolerance), by_judge, by_constant, units)


def _both_times(units: Floats, mirrored: bool) -> Floats:
    """Return the number of units of each row; for pairs (`mirrored`), the same numbers once more.

    Rows of pairs count once in each order of the two responses.
    """
    return np.concatenate([units, units]) if mirrored else units


def _both_ways(values: Floats, mirrored: bool) -> Floats:
    """Return the values and, if `mirrored`, also 1 minus each: a pair's value with its two responses swapped.

    Args:
        values: Values of pairs, from 0 to 1, or of single responses.
        mirrored: True for pairs that count in both orders.
    """
    return np.concatenate([values, 1 - values]) if mirrored else values


def _constant_hits(gold: Floats, constant: float, tolerance: float, mirrored: bool) -> Floats:
    hits = close(gold, np.full_like(gold, constant), tolerance)
    return (hits + close(1 - gold, np.full_like(gold, constant), tolerance)) / 2 if mirrored else hits


def tolerance_ties(
    gold: npt.ArrayLike, judge: npt.ArrayLike, *, tolerance: float, groups: Grouping = None
) -> ToleranceTies:
    """Count ties (differences of exactly the tolerance), and compute agreement with ties as misses and as hits.

    Args:
        gold: Gold scores, shape (n,), nan if missing.
        judge: The judge's scores, shape (n,), nan if missing.
        tolerance: Tolerance in the unit of the scores; a difference equal to it after rounding to 9 decimals is a tie.
        groups: Name of each example's group, such as its task, shape (n,); None without groups.

    Raises:
        ValueError: The shapes differ, or the tolerance isn't above 0.

    Example:
        >>> ties = tolerance_ties([0.5, 0.5, 0.5, 0.5], [0.6, 0.5, 0.4, 0.9], tolerance=0.1)
        >>> ties.count, ties.agreement.value, ties.agreement_with_ties.value, ties.flagged
        (2, 0.25, 0.75, True)
    """
    g, j = equal_vectors(gold=gold, judge=judge)
    agrees = close(g, j, tolerance)
    tied = np.round(np.abs(g - j), DECIMALS) == round(tolerance, DECIMALS)
    units = Groups.of(groups, len(g))
    return ToleranceTies(
        n=units.count(np.isfinite(agrees)),
        count=units.count(tied),
        agreement=grouped_share(agrees, groups),
        agreement_with_ties=grouped_share(np.where(tied, 1.0, agrees), groups),
    )


def pair_agreement(people: npt.ArrayLike, tolerance: float) -> Floats:
    """Compute, per example, the share of pairs of annotators who agree; nan where fewer than two scored it.

    Args:
        people: Scores of single annotators, shape (n, n_people), nan if missing.
        tolerance: Difference below which two scores agree.

    Example:
        >>> pair_agreement([[0.5, 0.5, 0.75], [0.5, float("nan"), 0.5]], 0.1).round(4).tolist()
        [0.3333, 1.0]
    """
    p = np.asarray(people, dtype=np.float64)
    return _share_agreeing(combinations(p.T, 2), len(p), tolerance)


def agreement_with_people(score: npt.ArrayLike, people: npt.ArrayLike, tolerance: float) -> Floats:
    """Compute, per example, the share of its annotators that agree with the given score; nan without annotators.

    Args:
        score: Scores, shape (n,), or one score for all examples; nan if missing.
        people: Scores of single annotators, shape (n, n_people), nan if missing.
        tolerance: Difference below which two scores agree.

    Example:
        >>> agreement_with_people([0.5, 0.25], [[0.5, 0.5, 0.75], [0.25, 0.5, 0.25]], 0.1).round(4).tolist()
        [0.6667, 0.6667]
    """
    p = np.asarray(people, dtype=np.float64)
    return _share_agreeing(((score, column) for column in p.T), len(p), tolerance)


def close(a: npt.ArrayLike, b: npt.ArrayLike, tolerance: float) -> Floats:
    """Return 1 where two scores differ by less than the tolerance, else 0; nan where either is missing.

    Raises:
        ValueError: The shapes don't broadcast, or the tolerance isn't above 0.

    Example:
        >>> close([0.5, 0.5, 0.5], [0.55, 0.6, float("nan")], 0.1).tolist()
        [1.0, 0.0, nan]
    """
    if not tolerance > 0:
        raise ValueError(f"a tolerance is above 0, not {tolerance}")
    apart = np.round(np.abs(np.asarray(a, dtype=np.float64) - np.asarray(b, dtype=np.float64)), DECIMALS)
    return np.where(np.isnan(apart), np.nan, apart < tolerance)


def best_constant(
    values: npt.ArrayLike, candidates: npt.ArrayLike, tolerance: float, weights: npt.ArrayLike | None = None
) -> float:
    """Return the candidate that agrees with most values; in a tie the lowest. It is nan without values or candidates.

    Args:
        values: Values with which the constant is compared, shape (n,), nan if missing.
        candidates: Answers that may be the constant, shape (m,), nan if missing.
        tolerance: Difference from the constant below which a value agrees with it, by the rule of `close`.
        weights: Weight of each value, shape (n,); None for equal weights.

    Example:
        >>> best_constant([0.1, 0.5, 0.6, 0.65, 1.0], [0.5, 0.6, 1.0], 0.1)
        0.6
    """
    scores = np.asarray(values, dtype=np.float64)
    answers = np.asarray(candidates, dtype=np.float64)
    answers = numbered_values(answers[np.isfinite(answers)])[0]
    present = np.isfinite(scores)
    if not present.any() or not len(answers):
        return math.nan
    counts = np.ones_like(scores) if weights is None else np.asarray(weights, dtype=np.float64)
    ordered, place = numbered_values(scores[present])
    weight_so_far = np.append(0.0, np.cumsum(np.bincount(place, weights=counts[present])))
    reach = tolerance - 0.5 * 10.0**-DECIMALS
    first = np.searchsorted(ordered, answers - reach, side="left")
    last = np.searchsorted(ordered, answers + reach, side="right")
    return float(answers[np.round(weight_so_far[last] - weight_so_far[first], DECIMALS).argmax()])


def _share_agreeing(pairs: Iterable[tuple[npt.ArrayLike, Floats]], n: int, tolerance: float) -> Floats:
    """Compute, per example, the share of its pairs of scores that agree; nan for an example without a complete pair.

    Args:
        pairs: Pairs of columns of scores, each of shape (n,), or of one score for all examples and a column.
        n: Number of examples.
        tolerance: Difference below which two scores agree.
    """
    agreeing = np.zeros(n)
    n_pairs = np.zeros(n)
    for first, second in pairs:
        agrees = close(first, second, tolerance)
        agreeing += agrees == 1
        n_pairs += ~np.isnan(agrees)
    return over(agreeing, n_pairs)


def _best_constant_for_people(people: Floats, candidates: npt.ArrayLike, tolerance: float, units: Floats) -> float:
    """Return the candidate that agrees with the largest share of an example's annotators, on average over examples.

    Args:
        people: Scores of single annotators, shape (n_rows, n_people), nan if missing.
        candidates: The constant scores to choose from.
        tolerance: Difference below which two scores agree.
        units: Number of examples that each row represents, shape (n_rows,).
    """
    count = np.isfinite(people).sum(axis=1, keepdims=True)
    weights = np.broadcast_to(units[:, None] / np.maximum(count, 1), people.shape)
    return best_constant(people.reshape(-1), candidates, tolerance, weights.reshape(-1))
