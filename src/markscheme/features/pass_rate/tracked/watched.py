"""Statistics watched weekly: people's pass rate, the judge on accepted examples, and its share of passes."""

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from markscheme.features.pass_rate.tracked.evidence import growth
from markscheme.stats.intervals import Floats
from markscheme.stats.verdict_rates import rates_by_verdict

UNMOVED = 0.05
"""Largest change of a share that still counts as none."""
PEOPLE_RING = 40.0
"""Threshold of the evidence that people's pass rate has dropped: it gives a false alarm in at most 1 of 40 periods."""
SHARE_RING = 80.0
"""Threshold of the evidence that the judge's share of passes has moved."""
REFERENCE_LABELS = 100
"""Fewest labels of the reference weeks, which people's later rate is compared with."""
REFERENCE_WEEKS = 4
"""Smallest number of reference weeks, which later weeks are compared with."""
FLOOR_KEPT_IN = (0.02, 0.98)
"""Range to which the floor of people's pass rate is limited: beyond its ends no bet could win."""
SHARE_KEPT_IN = (0.01, 0.99)
"""Range to which the limits of the judge's share of passes are restricted."""
CAP = 150
"""Largest number of a week's conversations that count in full: large weeks differ by more than chance between
responses."""
LEVEL_CUT = 0.25
"""Largest shift of a level that counts, as a share of the range; larger shifts count as this much."""
MOST_MARGIN = 0.95
"""Largest margin of a criterion's levels, as a share of `LEVEL_CUT`: beyond it no shift would count."""
NULL_KEPT_IN = (0.05, 0.5)
"""Range to which the share of accepted decisions that an unchanged judge flips is limited."""
LEAST_SD = 0.05
"""Smallest spread of flips between examples that is assumed: if all runs agree, that doesn't show that none ever
flips."""
ERRORS_ALLOWED = float(ndtri(0.995))
"""Number of standard errors by which a stream's own noise is overestimated on purpose, so that the estimate is too
small in only 1 of 200 cases."""
PRIOR_RUNS = 4
"""Number of degrees of freedom that the assumed spread of runs counts as much as."""
PRIOR_RUN_SPREAD = 0.02
"""Standard deviation of the means of unchanged runs that is assumed, as a share of the range."""


def people_floor(passed: npt.ArrayLike, labels: npt.ArrayLike, pool: npt.ArrayLike) -> Floats:
    """Return the lowest pass rate by people that still counts as unchanged.

    Later weeks are compared with the first weeks that have enough labels, the reference weeks.

    Args:
        passed: Numbers of labels in the reference weeks that pass, of the judge's fails and of its passes, shape
            (..., 2).
        labels: Numbers of labels in these weeks, of the judge's fails and of its passes, shape (..., 2).
        pool: Numbers of responses in these weeks that the judge fails and that it passes, shape (..., 2).

    Example:
        >>> round(float(people_floor([6, 76], [20, 80], [720, 2880])), 4)
        0.7567
    """
    rate, low, _ = rates_by_verdict(passed, labels, pool)
    return np.clip(np.minimum(rate - UNMOVED, low), *FLOOR_KEPT_IN)


def people_growth(
    passed: npt.ArrayLike,
    labels: npt.ArrayLike,
    share: npt.ArrayLike,
    *,
    reference: npt.ArrayLike,
    floor: npt.ArrayLike,
) -> Floats:
    """Compute by how much a week's labels raise the evidence, as a logarithm, that people's pass rate is below a floor.

    Args:
        passed: Number of the week's labels that pass: among the judge's fails, and among its passes, shape (..., 2).
        labels: Number of all the week's labels: among the judge's fails, and among its passes, shape (..., 2).
        share: Share of the week's responses that the judge passes, shape (...).
        reference: Labels of the reference weeks, shape (2, 2) or (2, ..., 2): first the number that pass, then the
            number of all labels, each among the judge's fails and among its passes.
        floor: The lowest pass rate by people that still counts as unchanged: the result of `people_floor`.
    """
    hits = np.asarray(passed, dtype=np.float64)
    sizes = np.asarray(labels, dtype=np.float64)
    then = np.asarray(reference, dtype=np.float64)
    expected = (then[0] + 0.5) / (then[1] + 1)
    judged = np.asarray(share, dtype=np.float64)
    mean = judged * expected[..., 1] + (1 - judged) * expected[..., 0]
    if_passed = 1 - expected + mean[..., None]
    values = np.concatenate([if_passed, if_passed - 1], axis=-1)
    counts = np.concatenate([hits, sizes - hits], axis=-1)
    return growth(values, counts, floor=floor, top=1 - expected.min(axis=-1) + mean)


def flips_when_still(accepted: npt.ArrayLike) -> float:
    """Estimate from accepted runs the largest share of decisions that a judge may flip and still count as unchanged.

    Args:
        accepted: Decisions of the accepted runs, 1 for pass and 0 for fail, shape (n_examples, runs), two runs or more.

    Raises:
        ValueError: There are fewer than two examples or runs, which is the caller's mistake.

    Example:
        >>> flips_when_still([[1, 1, 1]] * 84)
        0.05
    """
    runs = np.asarray(accepted, dtype=np.float64)
    if runs.ndim != 2 or min(runs.shape) < 2:
        raise ValueError(f"two examples and two runs at least, not {runs.shape}")
    others = (runs.sum(axis=1, keepdims=True) - runs) / (runs.shape[1] - 1)
    flips = np.where(others == 0.5, 0.5, runs != (others > 0.5)).mean(axis=1)
    spread = max(float(flips.std(ddof=1)), LEAST_SD)
    return float(np.clip(flips.mean() + ERRORS_ALLOWED * spread / math.sqrt(len(flips)), *NULL_KEPT_IN))


def decision_growth(flipped: npt.ArrayLike, examples: npt.ArrayLike, *, still: float) -> Floats:
    """Compute by how much a look raises the log evidence that the judge changed more decisions than it may.

    It may flip as many as an unchanged judge flips between accepted runs.

    Args:
        flipped: Number of examples of a side (accepted fails or passes) whose decision is no longer the accepted one.
        examples: Number of examples of that side.
        still: Largest share of flipped decisions with which a judge counts as unchanged, from `flips_when_still`.
    """
    flips = np.asarray(flipped, dtype=np.float64)
    counts = np.stack([np.asarray(examples) - flips, flips], axis=-1)
    return growth([1.0, 0.0], counts, floor=1 - still, top=1.0)


def level_margin(runs: int, between: float, within: float) -> float:
    """Return how far a criterion's mean level may shift, as a share of the range, for the judge to count as unchanged.

    Args:
        runs: Number of accepted runs.
        between: Variance of the runs' means; 0 with one run.
        within: Variance of one run's mean due to noise in single answers.

    Example:
        >>> round(level_margin(5, 0.0, 3e-5), 5)
        0.04137
    """
    pooled = ((runs - 1) * between + PRIOR_RUNS * (within + PRIOR_RUN_SPREAD**2)) / (runs + PRIOR_RUNS - 1)
    return ERRORS_ALLOWED * math.sqrt((1 + 1 / runs) * pooled)


def level_growths(shifts: npt.ArrayLike, margin: float, *, cut: float = LEVEL_CUT) -> tuple[Floats, Floats]:
    """Compute by how much a look raises the log evidence that a criterion's levels rose, and that they fell.

    Args:
        shifts: For each example, its level at the look minus its mean level in accepted runs, as a share of the range,
            shape (n,).
        margin: Largest shift of the mean level, as a share of the range, for which the judge counts as unchanged: the
            result of `level_margin`.
        cut: Largest shift of an example that counts in full; 1 for criteria with two levels.
    """
    moved = np.clip(np.asarray(shifts, dtype=np.float64) / cut, -1.0, 1.0)
    floor = 0.5 - min(margin / cut, MOST_MARGIN) / 2
    once = np.ones_like(moved)
    return growth((1 - moved) / 2, once, floor=floor, top=1.0), growth((1 + moved) / 2, once, floor=floor, top=1.0)


def share_limits(shares: npt.ArrayLike, within: npt.ArrayLike) -> tuple[float, float]:
    """Return the lowest and highest share of passes that still count as unchanged, from the reference weeks.

    Args:
        shares: Share of passes in each reference week, shape (weeks,): the mean of the shares within the week's
            conversations, which are its groups of responses.
        within: Variance of each week's mean due to differences between the week's conversations, shape (weeks,).

    Example:
        >>> [round(limit, 4) for limit in share_limits([0.80, 0.79, 0.81, 0.80], [0.0001] * 4)]
        [0.75, 0.85]
    """
    weeks = np.asarray(shares, dtype=np.float64)
    between = float(weeks.var(ddof=1)) / len(weeks) if len(weeks) > 1 else 0.0
    explained = float(np.sum(within)) / len(weeks) ** 2
    reach = max(UNMOVED, ERRORS_ALLOWED * math.sqrt(max(explained, between)))
    low, high = np.clip([weeks.mean() - reach, weeks.mean() + reach], *SHARE_KEPT_IN).tolist()
    return low, high


def share_growths(shares: npt.ArrayLike, counts: npt.ArrayLike, limits: tuple[float, float]) -> tuple[Floats, Floats]:
    """Compute by how much a week raises the evidence, as logarithms, that the share of passes fell, and that it rose.

    Args:
        shares: Shares of passes that the week's conversations have, shape (k,).
        counts: Number of conversations with each share, shape (k,).
        limits: Lowest and highest share of passes that still count as unchanged: the result of `share_limits`.
    """
    passes = np.asarray(shares, dtype=np.float64)
    conversations = float(np.sum(counts))
    weight = min(1.0, CAP / conversations) if conversations else 1.0
    low, high = limits
    return (
        growth(passes, counts, floor=low, top=1.0, weight=weight),
        growth(1 - passes, counts, floor=1 - high, top=1.0, weight=weight),
    )
