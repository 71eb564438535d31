"""Statistics that translate an old rater's scores and decisions to a new rater's."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from markscheme.features.compare.words import few_scores_to_link, few_to_link
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats, t_quantile
from markscheme.stats.pairs import equal_vectors, numbers
from markscheme.stats.shares import share

FEWEST_TO_LINK = 10
"""Fewest examples for which a line between two raters is drawn; a judgement."""
FEWEST_SCORES = 3
"""Fewest distinct scores of each rater for which a line is fitted."""


@dataclass(frozen=True, slots=True)
class LinkedScore:
    """A score that the old rater gave, with the new rater's mean score on the same examples.

    Attributes:
        old: The score under the old rater.
        mean: The new rater's mean score where the old one gave `old`.
        low: Lower end of the 95 % range for a single new score.
        high: Upper end of that range.
    """

    old: float
    mean: Estimate
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Link:
    """The straight line from an old rater's scores to a new one's, or the reason why none is fitted.

    Attributes:
        intercept: The new score at an old score of 0.
        slope: Increase of the new score as the old score increases by 1.
        spread: Standard deviation of the new scores about the line.
        points: The new scores that the line gives for a few old scores.
        n: Number of examples that both rated.
        undefined: Reason why there is no line; None if there is a line.
    """

    intercept: float
    slope: float
    spread: float
    points: tuple[LinkedScore, ...]
    n: int
    undefined: str | None = None


def link_scores(old: npt.ArrayLike, new: npt.ArrayLike, at: npt.ArrayLike) -> Link:
    """Fit a line that predicts a new rater's scores from an old rater's, by least squares, with limits for one score.

    Args:
        old: The old rater's scores, 0 to 1, shape (n_examples,), nan where there is none.
        new: The new rater's scores, shape (n_examples,); an example counts if both scores are given.
        at: Old scores to translate; those outside the range of `old` are left out.

    Returns:
        Intercept, slope and the points, whose 95 % limits are kept within 0 to 1. Undefined if fewer than ten
        examples were rated by both, or if either rater gave fewer than three different scores.

    Raises:
        ValueError: The vectors have different lengths, which is the caller's mistake.

    Source:
        Draper and Smith (1998), Applied Regression Analysis, 3rd ed., section 1.4.

    Example:
        >>> old = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] * 2
        >>> new = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
        >>> link = link_scores(old, new, at=[0.5])
        >>> round(link.slope, 6), round(link.points[0].mean.value, 6)
        (0.5, 0.4)
        >>> round(link.points[0].low, 3), round(link.points[0].high, 3)
        (0.273, 0.527)
    """
    old_scores, new_scores = equal_vectors(old=old, new=new)
    is_finite = np.isfinite(old_scores) & np.isfinite(new_scores)
    old_scores = old_scores[is_finite]
    new_scores = new_scores[is_finite]
    why = _why_no_line(old_scores, new_scores)
    if why is not None:
        return Link(math.nan, math.nan, math.nan, (), len(old_scores), why)
    n = len(old_scores)
    centre = float(old_scores.mean())
    width = float(((old_scores - centre) ** 2).sum())
    slope = float(((old_scores - centre) * (new_scores - new_scores.mean())).sum()) / width
    intercept = float(new_scores.mean()) - slope * centre
    residual = new_scores - intercept - slope * old_scores
    spread = math.sqrt(float((residual**2).sum()) / (n - 2))
    seen = numbers(at, "at")
    inside = seen[(seen >= old_scores.min() - 1e-9) & (seen <= old_scores.max() + 1e-9)]
    points = [_linked(x, intercept + slope * x, spread, 1 / n + (x - centre) ** 2 / width, n) for x in inside.tolist()]
    return Link(intercept, slope, spread, tuple(points), n)


def passes_after(old: npt.ArrayLike, new: npt.ArrayLike, *, groups: npt.ArrayLike | None = None) -> dict[str, Estimate]:
    """Estimate which share of the old rater's fails, and which share of its passes, a new rater passes.

    Args:
        old: The old rater's decisions, 1 for pass and 0 for fail, shape (n_examples,), nan where there is none.
        new: The new rater's decisions on the same examples, 1, 0 or nan, shape (n_examples,).
        groups: A name for each example's group, such as a task that several share, shape (n_examples,); None without
            groups.

    Returns:
        Under "passed" the share of the old passes that the new rater passes, under "failed" the share of the old fails
        that it passes.

    Raises:
        ValueError: The vectors have different lengths, which is the caller's mistake.

    Example:
        >>> shares = passes_after([1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 1])
        >>> shares["passed"].value, shares["failed"].value
        (0.75, 0.5)
    """
    old_scores, new_scores = equal_vectors(old=old, new=new)
    passes_now = np.where(np.isnan(new_scores), np.nan, new_scores == 1.0)
    return {
        name: share(np.where(old_scores == decision, passes_now, np.nan), groups, of=f"examples that {name} then")
        for name, decision in (("passed", 1.0), ("failed", 0.0))
    }


def _why_no_line(old: Floats, new: Floats) -> str | None:
    if len(old) < FEWEST_TO_LINK:
        return few_to_link(len(old), FEWEST_TO_LINK)
    for rater, scores in (("old", old), ("new", new)):
        if len(np.unique(scores)) < FEWEST_SCORES:
            return few_scores_to_link(rater, FEWEST_SCORES)
    return None


def _linked(old: float, new: float, spread: float, leverage: float, n: int) -> LinkedScore:
    t = t_quantile(n - 2, 0.95) * spread
    value = _clipped(new)
    of_mean = t * math.sqrt(leverage)
    of_one = t * math.sqrt(1 + leverage)
    mean = Estimate(value, _clipped(new - of_mean), _clipped(new + of_mean), 0.95, n, "least squares, t")
    return LinkedScore(old, mean, _clipped(new - of_one), _clipped(new + of_one))


def _clipped(score: float) -> float:
    return min(1.0, max(0.0, score))
