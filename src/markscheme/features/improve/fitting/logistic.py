"""Penalised logistic regression with coefficients that may be bounded below by zero."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit

from markscheme.stats.intervals import Flags, Floats

MOST_FIT_STEPS = 200
"""Number of Newton steps after which a fit is accepted as it is; it converges in about ten."""
CONVERGED = 1e-14
"""Decrease of the objective in one step at which a fit ends."""
SMALLEST_STEP = 1e-8
"""Smallest fraction of a step that is tried before the search gives up its direction."""
SLOPE_RIDGE = 0.01
"""Penalty on a slope, which keeps the fit finite if a score separates all passes from all fails."""


@dataclass(frozen=True, slots=True)
class LogisticFit:
    """A fitted logistic regression: its coefficients, and the fitted probability of each row.

    Attributes:
        coefficients: The coefficients, shape (p,).
        objective: Penalised negative log-likelihood at the minimum.
        probabilities: Fitted probabilities, shape (n,).
    """

    coefficients: Floats
    objective: float
    probabilities: Floats


def fit_logistic(
    design: Floats,
    outcomes: Floats,
    weights: Floats,
    penalty: Floats,
    *,
    bounded: Flags | None = None,
    offset: float = 0.0,
) -> LogisticFit:
    """Fit a logistic regression: minimise -sum(w loglik) + b'Pb/2 over its coefficients b by Newton's method.

    Args:
        design: Matrix of the predictors, shape (n, p).
        outcomes: Outcomes, 0 or 1, shape (n,).
        weights: Weight of each row, shape (n,).
        penalty: Positive semidefinite P, shape (p, p).
        bounded: Flags of the coefficients that may not be negative, shape (p,); none by default.
        offset: Number added to the log-odds of every row.

    Source:
        Bertsekas (1982), SIAM Journal on Control and Optimization 20(2), 221-246, for the projection.
    """
    bounds = np.zeros(design.shape[1], dtype=bool) if bounded is None else bounded
    sign = 2 * outcomes - 1

    def objective(b: Floats) -> float:
        return float(-(weights * log_expit(sign * (design @ b + offset))).sum() + b @ penalty @ b / 2)

    b = np.zeros(design.shape[1])
    best = objective(b)
    for _ in range(MOST_FIT_STEPS):
        p = expit(design @ b + offset)
        gradient = design.T @ (weights * (p - outcomes)) + penalty @ b
        free = ~(bounds & (b <= 0) & (gradient > 0))
        curvature = (design.T * (weights * p * (1 - p))) @ design + penalty
        newton = np.zeros_like(b)
        newton[free] = -np.linalg.lstsq(curvature[np.ix_(free, free)], gradient[free], rcond=None)[0]
        before = best
        b, best = _search(objective, b, best, (newton, np.where(free, -gradient, 0.0)), bounds)
        if before - best <= CONVERGED:
            break
    return LogisticFit(b, best, np.asarray(expit(design @ b + offset)))


def _search(
    objective: Callable[[Floats], float], start: Floats, value: float, directions: Iterable[Floats], bounded: Flags
) -> tuple[Floats, float]:
    """Search along directions in turn; return the first point with a lower objective, and the objective there.

    Args:
        objective: Function to minimise.
        start: Point to start from, which is returned if no lower point is found.
        value: The objective at `start`.
        directions: Steps to try; each is halved until the objective is lower or the step is too small.
        bounded: Flags of the coordinates that may not be negative.
    """
    for direction in directions:
        size = 1.0
        while size > SMALLEST_STEP:
            point = start + size * direction
            point = np.where(bounded, np.maximum(point, 0.0), point)
            if (reached := objective(point)) < value:
                return point, reached
            size /= 2
    return start, value
