"""Names the cause of a change for which there is evidence: the judge, the responses or the traffic."""

import math
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from markscheme.features.pass_rate.tracked.watched import UNMOVED

MovedCause: TypeAlias = Literal[
    "judge",
    "judge and responses",
    "open",
    "responses or traffic",
    "traffic",
    "responses",
    "traffic and responses",
]
EXPLAINS = 0.5
"""Share of a shift that a changed judge must be able to explain to be named as a possible cause."""
LEAST_FLIP_VARIANCE = 0.02
"""Smallest variance of a flipped decision that is assumed, even if hardly any flips are seen."""
TRAFFIC_FROM = 2 / 3
"""Share of a shift explained by the traffic's mix from which on traffic alone is named as the cause."""
RESPONSES_TO = 1 / 3
"""Share of a shift explained by the traffic's mix up to which the responses alone are named as the cause."""
TWO_SIDED = float(ndtri(0.975))
"""Half-width of a 95 % interval, in standard errors."""


def most_by_judge(
    shift: float,
    share: float,
    flipped: npt.ArrayLike,
    examples: npt.ArrayLike,
    own_flips: npt.ArrayLike = (0.0, 0.0),
) -> tuple[float, float]:
    """Estimate how much of a shift in the share of passes a changed judge explains, and how much at most.

    A flip is a changed decision on an example of the accepted run.

    Args:
        shift: Change of the share of passes.
        share: The share of passes before it changed.
        flipped: Number of examples that failed in the accepted run and pass since the change, and number that passed
            and fail since, shape (2,).
        examples: Number of examples that failed in the accepted run, and that passed, shape (2,), one or more of each.
        own_flips: Shares of the failed and of the passed examples that flip between accepted runs, so that the judge
            needn't have changed, shape (2,).

    Returns:
        The shift that flips explain, and the largest that they might explain in the direction of the shift.

    Example:
        >>> [round(part, 4) for part in most_by_judge(-0.12, 0.8, [0, 8], [20, 80])]
        [-0.08, -0.1344]
    """
    sizes = np.asarray(examples, dtype=np.float64)
    rates = np.asarray(flipped, dtype=np.float64) / sizes
    weights = np.array([1 - share, -share])
    explained = float(weights @ (rates - np.asarray(own_flips)))
    sample_variance = rates * (1 - rates) * sizes / np.maximum(sizes - 1, 1)
    variance = np.maximum(sample_variance, LEAST_FLIP_VARIANCE) / sizes
    reach = TWO_SIDED * math.sqrt(float(weights**2 @ variance))
    return explained, explained + math.copysign(reach, shift)


def may_be_judge(shift: float, at_most: float) -> bool:
    """Return True if a changed judge may explain at least half of a shift in the share of passes.

    Args:
        shift: The shift, negative if the share fell.
        at_most: The largest part of the shift that the judge may have caused, with the sign of the shift.
    """
    return at_most * math.copysign(1.0, shift) >= EXPLAINS * abs(shift)


def shift_at_old_mix(reference: npt.ArrayLike, now: npt.ArrayLike) -> tuple[float, float]:
    """Compute how far the share of passes shifted, and how far it would have with a column's mix unchanged.

    Args:
        reference: Numbers of passes and of responses in the reference weeks, for each value of the column, shape (k,
            2).
        now: Numbers of passes and of responses since the reference weeks, for each value of the column, shape (k, 2); a
            value without responses counts as unmoved.

    Returns:
        The shift, and the shift that is left if the column's values had the shares of the reference weeks.

    Example:
        >>> before = [[450, 500], [240, 300], [120, 200]]
        >>> [round(shift, 4) for shift in shift_at_old_mix(before, [[255, 300], [225, 300], [220, 400]])]
        [-0.11, -0.05]
    """
    then = np.asarray(reference, dtype=np.float64)
    since = np.asarray(now, dtype=np.float64)
    both = (then[:, 1] > 0) & (since[:, 1] > 0)
    weights = then[both, 1] / then[:, 1].sum()
    change = since[both, 0] / since[both, 1] - then[both, 0] / then[both, 1]
    shift = since[:, 0].sum() / since[:, 1].sum() - then[:, 0].sum() / then[:, 1].sum()
    return float(shift), float(weights @ change)


def part_by_mix(shift: float, at_old_mix: float) -> float:
    """Return the share of a shift that is explained by a changed mix of responses; 0 if there is no shift.

    Args:
        shift: The shift of the share of passes.
        at_old_mix: The part of the shift that would remain if the mix of responses were as before.
    """
    return 1 - at_old_mix / shift if shift else 0.0


def name_cause(
    *, judge_rang: bool, people_rang: bool, shift: float, judge_may_explain: bool, by_mix: float | None
) -> MovedCause:
    """Return the cause of a change in a stream's pass rate, by the first of several rules that applies.

    Args:
        judge_rang: True if the judge is shown to have moved on accepted examples.
        people_rang: True if people's pass rate is shown to have dropped.
        shift: How far the judge's share of passes shifted since the week in which the change began.
        judge_may_explain: True if a changed judge may explain at least half of the shift (`may_be_judge`).
        by_mix: The largest part of the shift that a change in how often a column's values occur explains
            (`part_by_mix`); None if there are no columns.
    """
    if judge_rang:
        return "judge and responses" if people_rang else "judge"
    if judge_may_explain and not people_rang:
        return "open"
    if abs(shift) < UNMOVED:
        return "responses or traffic"
    if by_mix is None or by_mix <= RESPONSES_TO:
        return "responses"
    return "traffic" if by_mix >= TRAFFIC_FROM else "traffic and responses"
