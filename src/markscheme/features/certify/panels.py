"""Number of independent judges that a panel of judges is worth, given how often its members err together."""

import numpy as np
import numpy.typing as npt

FEWEST_TOGETHER = 10
"""Fewest examples on which two members must both have voted for the correlation of their errors to be computed."""


def independent_votes(errors: npt.ArrayLike) -> float | None:
    """Estimate how many independent votes a panel is worth, from the mean correlation r of its K members' errors.

    It is K / (1 + (K - 1) r).

    Args:
        errors: Each member's vote minus gold, shape (n_examples, n_members), nan where a member gave none.

    Returns:
        A number from 1, if all members make the same errors, to K, if their errors are independent; None if no two
        members with errors share enough examples.

    Source:
        Kish (1965), Survey Sampling, for the design effect of correlated observations.

    Example:
        >>> alike = np.repeat(np.tile([0.0, 1.0], 10)[:, None], 3, axis=1)
        >>> independent_votes(alike), independent_votes(np.zeros((20, 3))) is None
        (1.0, True)
    """
    votes = np.asarray(errors, dtype=np.float64)
    k = votes.shape[1]
    correlations = []
    for first in range(k):
        for second in range(first + 1, k):
            pair = votes[:, [first, second]]
            pair = pair[~np.isnan(pair).any(axis=1)]
            if len(pair) >= FEWEST_TOGETHER and (pair.std(axis=0) > 0).all():
                correlations.append(float(np.atleast_2d(np.corrcoef(pair.T))[0, 1]))
    if not correlations:
        return None
    mean = max(0.0, float(np.mean(correlations)))
    return float(k / (1 + (k - 1) * mean))
