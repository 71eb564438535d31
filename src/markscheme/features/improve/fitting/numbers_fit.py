"""Weights fitted to decisions, shrunk towards the author's weights, and rounded to few digits."""

import math
from dataclasses import dataclass

import numpy as np

from markscheme.features.improve.fitting.decided import AuthorNumbers, DecidedRows
from markscheme.features.improve.fitting.logistic import SLOPE_RIDGE, fit_logistic
from markscheme.features.improve.weights import AUTHOR_WORTH, FTest
from markscheme.stats.intervals import Floats

ALPHA_WEIGHTS = 0.04
"""Significance level of the first test of weights."""
WRITTEN_STEPS = (1.0, 0.5, 0.25, 0.1, 0.05)
"""Steps of which written weights are multiples, the coarsest first, in units of the weights' order of magnitude."""
WELL_ROUNDED = 0.05
"""Largest sum, over weights, of the change that rounding may cause in a weight's share of their sum."""


@dataclass(frozen=True, slots=True)
class WeightsFit:
    """Fitted coefficients of the criteria whose weights may change, before they are scaled to weights.

    Attributes:
        coefficients: The coefficients, none negative, shape (k,).
        slope: Fitted multiple of the author's weights, towards which the coefficients are shrunk.
        intercept: The intercept; 0 for preferences.
        penalty: Strength of the shrinkage.
    """

    coefficients: Floats
    slope: float
    intercept: float
    penalty: float


def shrunk_fit(rows: DecidedRows, numbers: AuthorNumbers) -> WeightsFit:
    """Fit coefficients of the criteria whose weights may change; the author's weights count as much as 40 decisions."""
    shares = numbers.shares
    k = len(shares)
    scores = rows.scores(numbers)
    p = rows.fitted_line(scores).probabilities
    weights = rows.weights / rows.weights.sum()
    centre = 0.0 if rows.paired else float(weights @ scores)
    variance = float(weights @ (scores - centre) ** 2)
    penalty = AUTHOR_WORTH * float(weights @ (p * (1 - p))) * variance / k
    towards = penalty / float((shares**2).mean())
    design = rows.with_intercept(rows.levels, np.zeros(len(scores)))
    first = design.shape[1] - k - 1
    matrix = np.zeros((design.shape[1], design.shape[1]))
    matrix[first:-1, first:-1] = towards * np.eye(k)
    matrix[first:-1, -1] = matrix[-1, first:-1] = -towards * shares
    matrix[-1, -1] = towards * float(shares @ shares) + SLOPE_RIDGE
    bounded = np.arange(design.shape[1]) >= first
    fitted = fit_logistic(design, rows.passed, rows.weights, matrix, bounded=bounded).coefficients
    return WeightsFit(fitted[first:-1], float(fitted[-1]), float(fitted[0]) if first else 0.0, penalty)


def fitted_weights(fit: WeightsFit, numbers: AuthorNumbers) -> Floats:
    """Scale fitted coefficients so that positive weights have the same sum as the author's positive weights.

    If the author has no positive weight, the sum of all weights is kept.

    Returns:
        Absolute values of the weights, shape (k,); the author's if all fitted coefficients are 0.
    """
    counted = numbers.weights > 0 if (numbers.weights > 0).any() else np.ones(len(numbers.weights), dtype=bool)
    total = float(fit.coefficients[counted].sum())
    if total <= 0:
        return np.abs(numbers.weights)
    return fit.coefficients * float(np.abs(numbers.weights[counted]).sum()) / total


def written_weights(sizes: Floats) -> Floats:
    """Round weights to multiples of the largest step that leaves each weight's share of their sum nearly the same.

    Args:
        sizes: The weights without their signs, all above 0.

    Example:
        >>> written_weights(np.array([1.3579, 0.7663, 0.8759]))
        array([1.4, 0.8, 0.9])
    """
    unit = 10.0 ** math.floor(math.log10(float(sizes.mean())))
    shares = sizes / sizes.sum()
    for grain in WRITTEN_STEPS:
        step = grain * unit
        multiples = np.maximum(1.0, np.floor(sizes / step + 0.5))
        if np.abs(multiples / multiples.sum() - shares).sum() <= WELL_ROUNDED:
            break
    return np.asarray([round(float(value), 12) for value in multiples * step])


def proposed_weights(rows: DecidedRows, numbers: AuthorNumbers, test: FTest) -> Floats:
    """Return the weights that decisions support, each with its sign as before; the author's if no change is supported.

    Args:
        rows: People's decisions, with levels.
        numbers: The author's weights and pass mark.
        test: The test of the fitted weights against the author's, which says how far to move towards the fitted ones.
    """
    step = test.step(ALPHA_WEIGHTS)
    if step == 0:
        return numbers.weights
    sizes = np.abs(numbers.weights)
    moved = sizes + step * (fitted_weights(shrunk_fit(rows, numbers), numbers) - sizes)
    return np.sign(numbers.weights) * written_weights(moved)
