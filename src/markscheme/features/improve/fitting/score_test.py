"""A score test of whether decisions contradict a rubric's weights."""

import numpy as np

from markscheme.features.improve.fitting.decided import AuthorNumbers, DecidedRows
from markscheme.features.improve.weights import FTest

SMALLEST_EIGENVALUE = 1e-9
"""Share of the largest eigenvalue below which an eigenvalue counts as 0: in its direction, criteria don't differ from
the score."""


def score_test(rows: DecidedRows, numbers: AuthorNumbers) -> FTest:
    """Test whether levels on the criteria predict annotators' decisions better than the score by the author's weights.

    Gradients are added up within units (examples or groups), so the test isn't distorted by several raters of an
    example, by related examples of a group, or by a curve of another form than the logistic one. It needs no fit of the
    weights, and works even if levels separate all passes from all fails.

    Source:
        Boos (1992), The American Statistician 46(4), 327-333, for the generalised score test.
    """
    scores = rows.scores(numbers)
    p = rows.fitted_line(scores).probabilities
    residuals = rows.weights * (rows.passed - p)
    information = rows.weights * p * (1 - p)
    nuisance = rows.with_intercept(scores)
    weighted = nuisance.T * information
    levels = rows.levels - nuisance @ np.linalg.lstsq(weighted @ nuisance, weighted @ rows.levels, rcond=None)[0]
    eigenvalues, vectors = np.linalg.eigh((levels.T * information) @ levels)
    basis = vectors[:, eigenvalues > SMALLEST_EIGENVALUE * max(float(eigenvalues[-1]), 0.0)]
    present = np.unique(rows.units)
    number = np.searchsorted(present, rows.units)
    gradients = np.zeros((len(present), basis.shape[1]))
    np.add.at(gradients, number, residuals[:, None] * (levels @ basis))
    n, d = gradients.shape
    if d == 0 or n <= d:
        return FTest(0.0, d, n - d)
    total = gradients.sum(axis=0)
    centred = gradients - total / n
    variance = n / (n - 1) * centred.T @ centred
    f = float(total @ np.linalg.lstsq(variance, total, rcond=None)[0]) * (n - d) / ((n - 1) * d)
    return FTest(f, d, n - d)
