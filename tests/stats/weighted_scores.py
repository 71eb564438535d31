"""Scores of responses from their levels on criteria and the criteria's weights."""

import numpy as np
import numpy.typing as npt

from markscheme.stats.intervals import Floats


def weighted_scores(levels: npt.ArrayLike, weights: npt.ArrayLike) -> Floats:
    """Compute the score of each row of positions on criteria, under given weights.

    Args:
        levels: Positions, shape (n, k), 0 to 1; nan where a criterion does not apply.
        weights: Shape (k,).

    Returns:
        Σ w·p over Σ positive w of what applies, or 1 + Σ w·p over Σ |w| where only negative weights apply, within 0
        to 1, shape (n,); nan where nothing applies.

    Example:
        >>> weighted_scores([[1.0, 0.5], [1.0, np.nan]], [1.0, 3.0]).tolist()
        [0.625, 1.0]
    """
    p = np.asarray(levels, dtype=np.float64)
    w = np.asarray(weights, dtype=np.float64)
    applies = ~np.isnan(p)
    raw = np.where(applies, p, 0.0) @ w
    positive = applies @ np.maximum(w, 0.0)
    size = applies @ np.abs(w)
    of_positive = raw / np.where(positive > 0, positive, 1.0)
    of_negative = 1 + raw / np.where(size > 0, size, 1.0)
    scores = np.clip(np.where(positive > 0, of_positive, of_negative), 0.0, 1.0)
    return np.where(size > 0, scores, np.nan)
