"""Number of further labels that is likely to settle an open question, such as whether agreement reaches the target.

A question is decided once the limit of the figure doesn't include the bound that it is compared with. The chance of
that is averaged over everything that the labels so far allow, so that luck that left the question open doesn't count as
the truth.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaln, gammaln, ndtr, ndtri, xlog1py, xlogy

from markscheme.stats.intervals import Flags, Floats
from markscheme.stats.labels_needed import EVEN, DecisiveLabels
from markscheme.stats.shares import GroupedMean, GroupedShare

LABEL_COUNTS = (20, 40, 60, 80, 120, 160, 240, 320, 480)
"""Numbers of labels that may be recommended: round ones, each about a third above the one before, since nobody plans to
the label."""
HOPELESS = 1 / 3
"""Chance to decide with the largest number of labels below which none is recommended: at the target, labels alone
decide in 1 of 20 sets."""
PLANNED_ICC = 0.2
"""Correlation within groups that is assumed before labels show it; a judgement."""


def labels_for_decision(chance_of: Callable[[int], float]) -> DecisiveLabels | None:
    """Return how many more labels have an even chance to settle a question; None if no number is likely to.

    The numbers in LABEL_COUNTS are tried, the smallest first. If none has an even chance, the largest is returned.

    Args:
        chance_of: Function that returns the probability that a number of further labels decides the question.

    Returns:
        The number of labels with its chance; None if even the largest number has a chance below a third.
    """
    for more in LABEL_COUNTS:
        chance = chance_of(more)
        if chance >= EVEN:
            return DecisiveLabels(more, chance)
    return DecisiveLabels(LABEL_COUNTS[-1], chance) if chance >= HOPELESS else None


def most_demanding(questions: Iterable[DecisiveLabels | None]) -> DecisiveLabels | None:
    """Return the largest number of labels that several questions need; None without questions, or if one has no number.

    Example:
        >>> most_demanding([DecisiveLabels(40, 0.6), DecisiveLabels(120, 0.5)]).more
        120
        >>> most_demanding([DecisiveLabels(40, 0.6), None]) is None
        True
    """
    answers = list(questions)
    decisive = [answer for answer in answers if answer is not None]
    if not decisive or len(decisive) < len(answers):
        return None
    return max(decisive, key=lambda answer: (answer.more, -answer.chance))


def chance_to_place_share(
    share: GroupedShare, bound: float, more: int, *, confidence: float, counted: float = 1.0
) -> float:
    """Compute the probability that further labels show on which side of a bound a share lies.

    Args:
        share: Share among the labels so far.
        bound: Bound that one of the share's limits must pass, 0 to 1.
        more: Number of further labels. Each is taken to carry as much information as one of the labels so far, which
            is less than that of an independent example if there are groups or weights.
        confidence: One-sided confidence of each limit.
        counted: Fraction of the further labels that count: 1 for a share of all examples, the share of gold's fails for
            a share of these fails.

    Returns:
        The probability, 0 to 1: the sum of the beta-binomial probabilities, given the labels so far, of those numbers
        of further hits that decide.

    Source:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413, for the limits. doi:10.1093/biomet/26.4.404
        Skellam (1948), Journal of the Royal Statistical Society B 10(2), 257-261, for the counts.

    Example:
        >>> from markscheme.stats.shares import grouped_share
        >>> round(chance_to_place_share(grouped_share([1] * 27 + [0] * 3), 0.8, 40, confidence=0.975), 4)
        0.5601
    """
    n = share.effective
    hits = share.value * n
    further = max(1, round(more * counted * n / share.n))
    new_hits = np.arange(further + 1)
    chance = _beta_binomial(new_hits, further, hits + 0.5, n - hits + 0.5)
    decided = _is_clear(hits + new_hits, n + further, bound, confidence)
    return float(chance[decided].sum())


def chance_to_place_mean(mean: GroupedMean, bound: float, more: int, *, confidence: float) -> float:
    """Compute the probability that more labels show a mean to be on the side of a bound where it is so far.

    Args:
        mean: Mean among the labels so far.
        bound: Value that the mean is compared with. The mean is shown to be on one side once its limit is on that side
            too.
        more: Number of further labels.
        confidence: One-sided confidence of the limit.

    Returns:
        The probability, 0 to 1, by the normal predictive distribution of the mean of all labels.

    Source:
        Spiegelhalter, Freedman and Blackburn (1986), Controlled Clinical Trials 7(1), 8-17, for predictive power.
        doi:10.1016/0197-2456(86)90003-6
    """
    in_all = mean.n + more
    spread = mean.spread_towards(bound)
    if spread == 0:
        return float(mean.value != bound)
    reach = float(ndtri(confidence)) * spread / math.sqrt(in_all)
    moves_by = spread * math.sqrt(more / (mean.n * in_all))
    return float(ndtr((abs(mean.value - bound) - reach) / moves_by))


def first_labels(target: float, *, confidence: float, mean_size: float = 1.0) -> DecisiveLabels | None:
    """Compute how many labels are likely to show that a judge halfway between target and 100 % exceeds the target.

    Args:
        target: Bound that the lower limit of agreement must exceed, 0 to 1.
        confidence: One-sided confidence of that limit.
        mean_size: Size of an example's group, averaged over examples; 1 without groups.

    Returns:
        The number of labels; None for a target so high that even such a judge is unlikely to be shown above it.

    Example:
        >>> first_labels(0.8, confidence=0.975).more, first_labels(0.8, confidence=0.975, mean_size=6).more
        (80, 160)
        >>> first_labels(1.0, confidence=0.975) is None
        True
    """
    assumed = (1 + target) / 2

    def chance_of(n: int) -> float:
        hits = np.arange(n + 1)
        chance = np.exp(log_choices(hits, n) + xlogy(hits, assumed) + xlog1py(n - hits, -assumed))
        return float(chance[is_above(hits, n, target, confidence)].sum())

    independent = labels_for_decision(chance_of)
    if independent is None:
        return None
    more = math.ceil(independent.more * planned_design_effect(mean_size) - 1e-9)
    return DecisiveLabels(more, independent.chance, assumed)


def planned_design_effect(mean_size: float) -> float:
    """Return the design effect to assume for examples that are still to be labelled, by the groups' mean size.

    Args:
        mean_size: Size of an example's group, averaged over examples; 1 without groups.

    Example:
        >>> planned_design_effect(1), planned_design_effect(6)
        (1.0, 2.0)
    """
    return 1 + (mean_size - 1) * PLANNED_ICC


def _beta_binomial(counts: npt.NDArray[np.int64], n: int, a: float, b: float) -> Floats:
    """Compute the beta-binomial probability of each number of hits.

    Args:
        counts: The numbers of hits.
        n: Number of examples.
        a, b: Parameters of the beta distribution of the share of hits.
    """
    return np.asarray(np.exp(log_choices(counts, n) + betaln(counts + a, n - counts + b) - betaln(a, b)))


def log_choices(counts: npt.NDArray[np.int64] | int, n: int) -> Floats:
    """Compute the logarithm of the number of ways to choose k of n things, for each k given."""
    return np.asarray(gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1))


def _is_clear(hits: npt.ArrayLike, n: float, bound: float, confidence: float) -> Flags:
    """Flag the numbers of hits for which a share's exact interval is wholly above, or wholly below, a bound.

    Args:
        hits: Possible numbers of hits.
        n: Number of examples.
        bound: The bound on the share of hits, 0 to 1.
        confidence: One-sided confidence of each limit.
    """
    misses = n - np.asarray(hits, dtype=np.float64)
    return is_above(hits, n, bound, confidence) | is_above(misses, n, 1 - bound, confidence)


def is_above(hits: npt.ArrayLike, n: float | Floats, bound: float, confidence: float) -> Flags:
    """Flag the numbers of hits among `n` for which a share's exact lower limit is above a bound.

    Args:
        hits: Possible numbers of hits.
        n: Number of examples.
        bound: The bound on the share of hits, 0 to 1.
        confidence: One-sided confidence of the limit.
    """
    x = np.asarray(hits, dtype=np.float64)
    tail = betainc(np.maximum(x, np.finfo(float).tiny), n - x + 1, bound)
    return np.asarray((x > 0) & (tail < 1 - confidence))
