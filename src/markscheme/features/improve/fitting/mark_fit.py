"""A pass mark fitted to annotators' decisions."""

import math

import numpy as np
from scipy.special import erfc

from markscheme.features.improve.fitting.logistic import SLOPE_RIDGE, fit_logistic
from markscheme.stats.intervals import Floats


def mark_test(
    scores: Floats, passed: Floats, weights: Floats, mark: float, odds: float = 1.0
) -> tuple[float, float | None]:
    """Test the pass mark: whether annotators pass responses whose score is the pass mark as often as `odds` says.

    The test is by likelihood ratio, with a logistic regression of decisions on scores.

    Args:
        scores: Scores of the responses, shape (n,), 0 to 1.
        passed: Annotators' decisions, 1 for pass and 0 for fail, shape (n,).
        weights: Weight of each decision, shape (n,).
        mark: The pass mark, 0 to 1.
        odds: Odds of a pass at a fitting pass mark; 1 means that half of the responses there pass.

    Returns:
        The p-value, and the score at which a pass has these odds, None if passes don't rise with the score.

    Source:
        Cox (1958), Journal of the Royal Statistical Society B 20(2), 215-242, for logistic regression.
    """
    goal = math.log(odds)
    distance = scores - mark
    free = fit_logistic(
        np.column_stack([np.ones(len(distance)), distance]), passed, weights, np.diag([0.0, SLOPE_RIDGE])
    )
    through = fit_logistic(distance[:, None], passed, weights, np.array([[SLOPE_RIDGE]]), offset=goal)
    p = float(erfc(math.sqrt(max(0.0, through.objective - free.objective))))
    intercept, slope = free.coefficients
    return p, mark + float((goal - intercept) / slope) if slope > 0 else None


def fitted_mark(
    scores: Floats, passed: Floats, weights: Floats, mark: float, *, significance: float, odds: float = 1.0
) -> float:
    """Return the score from which annotators pass responses, or the pass mark if the two don't differ significantly.

    Args:
        scores: Scores of the responses, shape (n,), 0 to 1.
        passed: Annotators' decisions, 1 for pass and 0 for fail, shape (n,).
        weights: Weight of each decision, shape (n,).
        mark: The pass mark, 0 to 1.
        significance: Largest p-value at which the pass mark is changed.
        odds: Odds of a pass at the pass mark that is sought; 1 means that half of the responses there pass.
    """
    p, crossing = mark_test(scores, passed, weights, mark, odds)
    if p > significance or crossing is None:
        return mark
    return snapped_mark(crossing, np.unique(scores))


def snapped_mark(mark: float, attainable: Floats) -> float:
    """Return a short number that divides the attainable scores into the same two parts as `mark`.

    If there are scores on one side only, return the lowest score above `mark` or, if all are below, `mark`.
    """
    below = attainable[attainable < mark]
    above = attainable[attainable >= mark]
    if not len(below) or not len(above):
        return min(1.0, max(0.0, float(attainable[0] if len(above) else mark)))
    low = float(below[-1])
    high = float(above[0])
    halfway = (low + high) / 2
    return next((r for d in range(2, 9) if low < (r := round(halfway, d)) <= high), halfway)
