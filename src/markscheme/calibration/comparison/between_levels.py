"""Labels whose middle lies between two levels of a criterion, so that no judge can agree with them."""

import numpy as np

from markscheme.rubrics.rubric import Criterion
from markscheme.stats.agreement_figures import DECIMALS
from markscheme.stats.intervals import Flags, Floats

WITHOUT_MIDDLE = 2
"""Largest number of levels of a scale without a middle: of two levels, either all values between them are scores, or
they mean pass and fail."""
MOST_OF_MISSES = 1 / 2
"""Share of the disagreements from which on labels between two levels count as their reason, rather than the judge."""


def gold_between_levels(criterion: Criterion, gold: Floats, judge: Floats, tolerance: float) -> Flags:
    """Mark the examples whose gold lies between two levels of a criterion, so that the judge can't agree with it.

    Args:
        criterion: The one criterion that scores are computed from.
        gold: Gold's scores, shape (n_examples,), nan where there is none.
        judge: The judge's scores, shape (n_examples,); if some of them lie between two levels, no example is flagged.
        tolerance: Two scores that are closer than this agree.
    """
    levels = np.array([criterion.merit(criterion.scale.position(value)) for value in criterion.scale.values])
    gold_off, judge_off = (np.abs(scores[:, None] - levels).min(axis=1).round(DECIMALS) for scores in (gold, judge))
    if len(levels) <= WITHOUT_MIDDLE or not criterion.scale.ordered or (judge_off > 0).any():
        return np.zeros(len(gold), dtype=bool)
    return np.asarray((gold_off >= tolerance) & np.isfinite(judge_off))
