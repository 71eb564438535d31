"""Number of labels likely to show that a judge's decisions overall, on fails and on passes meet their bounds, or not.

Fails among further labels are assumed to be as frequent as among those so far, and the numbers of right decisions on
fails and on passes to be beta-binomial. Only the sums show whether the question is decided: figures looked at one by
one promise too much.
"""

from functools import lru_cache, partial
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, xlog1py, xlogy

from markscheme.stats.decision_figures import DecisionFigures, SideShare
from markscheme.stats.decisive_labels import is_above, labels_for_decision, log_choices
from markscheme.stats.intervals import Floats
from markscheme.stats.labels_needed import DecisiveLabels
from markscheme.stats.shares import GroupedShare

LEAST_LIKELY = 1e-9
"""Smallest probability of a number of fails that is considered: all less likely ones together change no result by more
than .000001."""
HALVINGS = 30
"""Number of steps of the search for a bound's count: with 480 labels it is then known to .0000005."""


FIGURES_KEPT: Final = 64
"""Number of results that are cached: judges with equal decisions, and a table in several forms, share one."""


class _Basis(NamedTuple):
    """What the labels so far show about one share, expressed as a number of independent examples.

    Attributes:
        hits: Number of the `n` examples that count in the share, such as fails that the judge stops.
        n: Number of independent examples that would carry as much information as the labels.
        per_label: Number of independent examples that would carry as much information as one label.
    """

    hits: float
    n: float
    per_label: float

    def further(self, labels: int) -> int:
        """Return the number of independent examples that would be as informative as `labels` further labels."""
        return max(1, round(labels * self.per_label)) if labels else 0

    def chances(self, further: int) -> Floats:
        """Return the probability of each number of hits among further examples, from 0 up, given the labels so far."""
        counts = np.arange(further + 1)
        a = self.hits + 0.5
        b = self.n - self.hits + 0.5
        ways = log_choices(counts, further)
        return np.asarray(np.exp(ways + betaln(counts + a, further - counts + b) - betaln(a, b)))


@lru_cache(maxsize=FIGURES_KEPT)
def labels_for_sides(
    figures: DecisionFigures, target: float, *, stops: float, keeps: float, confidence: float
) -> DecisiveLabels | None:
    """Find how many more labels are likely to show if a judge is right often enough, overall and on each side.

    Three shares of right decisions are each compared with a required share: the judge's overall, on gold's fails, and
    on gold's passes.

    Args:
        figures: Shares among the labels so far.
        target: Required share of decisions that are gold's.
        stops: Required share of gold's fails that the judge fails.
        keeps: Required share of gold's passes that the judge passes.
        confidence: One-sided confidence of each limit.

    Returns:
        The number of labels; None if labels alone are unlikely to decide the question.

    Example:
        >>> from markscheme.stats.decision_figures import decision_figures
        >>> gold, judge = [0] * 20 + [1] * 180, [0] * 18 + [1] * 176 + [0] * 6
        >>> labels = labels_for_sides(decision_figures(gold, judge), 0.8, stops=0.7, keeps=0.7, confidence=0.975)
        >>> labels.more, round(labels.chance, 2)
        (40, 0.6)
    """
    return labels_for_decision(
        lambda more: chance_to_decide_sides(figures, more, target, stops=stops, keeps=keeps, confidence=confidence)
    )


def chance_to_decide_sides(
    figures: DecisionFigures, more: int, target: float, *, stops: float, keeps: float, confidence: float
) -> float:
    """Compute the chance that more labels show if the judge is right often enough, overall and on each side.

    Three shares of right decisions are each compared with a required share: the judge's overall, on gold's fails, and
    on gold's passes.

    Args:
        figures: Shares among the labels so far.
        more: Number of further labels. Groups and weights are assumed to reduce their information as much as that of
            the labels so far.
        target: Required share of decisions that are gold's.
        stops: Required share of gold's fails that the judge fails.
        keeps: Required share of gold's passes that the judge passes.
        confidence: One-sided confidence of each limit.

    Source:
        Skellam (1948), Journal of the Royal Statistical Society B 10(2), 257-261, for the counts.
    """
    same = _basis(figures.same)
    stopped = _side_basis(figures.stops)
    kept = _side_basis(figures.keeps)
    fails = np.arange(more + 1)
    p = figures.share_of_fails
    likely = np.exp(log_choices(fails, more) + xlogy(fails, p) + xlog1py(more - fails, -p))
    fails = fails[likely >= LEAST_LIKELY]
    likely = likely[likely >= LEAST_LIKELY]
    new_fails = np.array([stopped.further(int(labels)) for labels in fails])
    new_passes = np.array([kept.further(more - int(labels)) for labels in fails])
    least_stops, most_stops = _limits(stopped.n + new_fails, stops, confidence)
    least_keeps, most_keeps = _limits(kept.n + new_passes, keeps, confidence)
    (least_same,), (most_same,) = _limits(np.array([same.n + more * same.per_label]), target, confidence)
    chance = 0.0
    for i in range(len(fails)):
        above = partial(
            _chance_above,
            (stopped.chances(int(new_fails[i])), kept.chances(int(new_passes[i]))),
            (
                same.per_label * int(fails[i]) / max(1, int(new_fails[i])),
                same.per_label * (more - int(fails[i])) / max(1, int(new_passes[i])),
            ),
        )
        shown = above(least_stops[i] - stopped.hits, least_keeps[i] - kept.hits, least_same - same.hits)
        not_refused = above(most_stops[i] - stopped.hits, most_keeps[i] - kept.hits, most_same - same.hits)
        chance += float(likely[i]) * (shown + 1 - not_refused)
    return min(1.0, chance / float(likely.sum()))


def _chance_above(
    chances: tuple[Floats, Floats], adds: tuple[float, float], stops: float, keeps: float, same: float
) -> float:
    """Return the probability that a judge's right decisions exceed one number on each side and one in total.

    Args:
        chances: Probability of each number of further hits, on gold's fails and on its passes.
        adds: Amount that a hit on gold's fails, and that a hit on its passes, adds to the hits over all.
        stops: Number that the hits on gold's fails must exceed.
        keeps: Number that the hits on gold's passes must exceed.
        same: Number that the hits over all examples must exceed.
    """
    stop_chances, keep_chances = chances
    stop_adds, keep_adds = adds
    first = max(0, int(np.floor(stops)) + 1) if np.isfinite(stops) else (len(stop_chances) if stops > 0 else 0)
    stopped = np.arange(first, len(stop_chances))
    if not len(stopped):
        return 0.0
    least = np.full(len(stopped), float(keeps))
    if keep_adds > 0:
        least = np.maximum(least, (same - stopped * stop_adds) / keep_adds)
    else:
        least = np.where(stopped * stop_adds > same, least, np.inf)
    index = np.clip(np.floor(least) + 1, 0, len(keep_chances)).astype(np.int64)
    tail = np.append(np.cumsum(keep_chances[::-1])[::-1], 0.0)
    return float((stop_chances[stopped] * tail[index]).sum())


def _basis(share: GroupedShare) -> _Basis:
    if not share.n:
        return _Basis(0.0, 0.0, 1.0)
    return _Basis(share.value * share.effective, share.effective, share.effective / share.n)


def _side_basis(side: SideShare) -> _Basis:
    return _basis(side.rate if isinstance(side.rate, GroupedShare) else side.among)


def _limits(n: Floats | npt.NDArray[np.int64], bound: float, confidence: float) -> tuple[Floats, Floats]:
    """Return, for each number of labels, two limits by which hits decide on which side of a bound a share lies.

    Hits are the labels that count in the share. More hits than the first limit show that the share is above the bound;
    at most as many as the second limit show that it is below.

    Args:
        n: Numbers of labels, which may be effective numbers.
        bound: The share to compare with, 0 to 1.
        confidence: One-sided confidence, 0 to 1.
    """
    whole = np.asarray(n, dtype=np.float64)
    above = _hits_above(whole, bound, confidence)
    below = whole - _hits_above(whole, 1 - bound, confidence)
    return above, below - 2.0 * 0.5**HALVINGS * np.maximum(whole, 1)


def _hits_above(n: Floats, bound: float, confidence: float) -> Floats:
    """Return, for each number of examples, how many hits put the share's exact lower limit above a bound.

    The hits needn't be whole numbers. They are ∞ if even hits on all examples aren't enough.

    Args:
        n: Numbers of examples.
        bound: The bound on the share of hits, 0 to 1.
        confidence: One-sided confidence of the limit.
    """
    low = np.zeros_like(n)
    high = n.copy()
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        enough = is_above(middle, n, bound, confidence)
        high = np.where(enough, middle, high)
        low = np.where(enough, low, middle)
    return np.where(is_above(n, n, bound, confidence), low, np.inf)
