"""A pass mark fitted to decisions."""

import math

import numpy as np
from scipy.special import erfc

from markscheme.features.improve.fitting.logistic import fit_logistic
from markscheme.features.improve.pass_mark import SLOPE_RIDGE, snapped_mark
from markscheme.stats.intervals import Floats


def mark_test(scores: Floats, passed: Floats, weights: Floats, mark: float) -> tuple[float, float | None]:
    """Test by likelihood ratio whether people pass half of the responses that score exactly the mark.

    Args:
        scores: Shape (n,), 0 to 1.
        passed: 1 or 0, shape (n,).
        weights: Weight of each decision, shape (n,).
        mark: The pass mark.

    Returns:
        The p-value, and the score at which half are passed; None where passes don't rise with the score.
    """
    distance = scores - mark
    free = fit_logistic(
        np.column_stack([np.ones(len(distance)), distance]), passed, weights, np.diag([0.0, SLOPE_RIDGE])
    )
    through = fit_logistic(distance[:, None], passed, weights, np.array([[SLOPE_RIDGE]]))
    p = float(erfc(math.sqrt(max(0.0, through.objective - free.objective))))
    intercept, slope = free.coefficients
    return p, mark - float(intercept / slope) if slope > 0 else None


def fitted_mark(scores: Floats, passed: Floats, weights: Floats, mark: float, *, significance: float) -> float:
    """Return the mark, or where people draw the line if they speak against it."""
    p, crossing = mark_test(scores, passed, weights, mark)
    if p > significance or crossing is None:
        return mark
    return snapped_mark(crossing, np.unique(scores))
