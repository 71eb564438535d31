"""Numbers of labels to take next from each group of outputs, by the judge's verdicts."""

import numpy as np
import numpy.typing as npt

from markscheme.stats.intervals import Integers
from markscheme.stats.prevalence import whole_counts


def next_group_labels(labelled: npt.ArrayLike, pool: npt.ArrayLike, count: int) -> Integers:
    """Plan how many of the next labels to take from each group's fails and passes, to narrow all rates soonest.

    Args:
        labelled: Counts of labelled responses, shape (n_groups, 2, 2): rows are annotators' fails and passes, columns
            the judge's.
        pool: Counts of the judge's fails and passes among all graded responses of each group, shape (n_groups, 2).
        count: Number of labels to take.

    Returns:
        Numbers of labels for each group's fails and passes by the judge, shape (n_groups, 2); in total fewer than
        `count` if there are too few responses.

    Raises:
        ValueError: The shapes don't fit, or counts are negative or not whole.

    Source:
        Neyman (1934), Journal of the Royal Statistical Society 97(4), 558-625. doi:10.2307/2342192

    Example:
        >>> next_group_labels([[[0, 1], [3, 9]], [[6, 4], [1, 6]]], [[20, 80], [50, 50]], 4).tolist()
        [[0, 1], [2, 1]]
    """
    shape = np.shape(pool)
    if len(shape) != 2 or shape[1] != 2 or count < 0:
        raise ValueError(f"pool must have shape (n_groups, 2), not {shape}, and count be 0 or more, not {count}")
    graded = whole_counts(pool, shape, "pool")
    table = whole_counts(labelled, (len(graded), 2, 2), "labelled")
    labels = table.sum(axis=1).astype(np.float64)
    expected = (table[:, 1] + 1) / (labels + 2)
    unlabelled = graded - labels
    weight = (graded / np.maximum(graded.sum(axis=1, keepdims=True), 1)) ** 2 * expected * (1 - expected)
    taken = np.zeros_like(graded)
    for _ in range(min(count, int(unlabelled.sum()))):
        open_groups = (unlabelled > 0).any(axis=1)
        group = int(np.where(open_groups, (weight / (labels + 2)).sum(axis=1), -1.0).argmax())
        drop = weight[group] * (1 / (labels[group] + 2) - 1 / (labels[group] + 3))
        verdict = 1 - int(np.where(unlabelled[group] > 0, drop, -1.0)[::-1].argmax())
        taken[group, verdict] += 1
        labels[group, verdict] += 1
        unlabelled[group, verdict] -= 1
    return taken
