"""Check that every example on which annotators differ has been adjudicated."""

from collections.abc import Iterable

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison


def are_disputes_decided(comparison: Comparison, criteria: Iterable[str]) -> bool:
    """Return True if every disagreement of annotators on the given criteria has been decided by an adjudicated label.

    That is, if each example on which annotators gave different levels on one of the criteria has an adjudicated level
    on this criterion. False if no label is adjudicated.
    """
    adjudicated = comparison.gold.labels.of_kinds(("adjudicated",))
    if not adjudicated:
        return False
    return all(
        _disputed(comparison, name) <= {label.id for label in adjudicated if name in label.criteria}
        for name in criteria
    )


def _disputed(comparison: Comparison, criterion: str) -> set[str]:
    """Find the ids of the examples to which annotators gave different levels on the given criterion."""
    annotators = comparison.table.annotators
    if len(annotators) < 2:
        return set()
    # infinity for "does not apply", so that it differs from every level
    answers = np.column_stack(
        [np.where(column.skipped[criterion], np.inf, column.levels[criterion]) for column in annotators]
    )
    lowest = np.where(np.isnan(answers), np.inf, answers).min(axis=1)
    highest = np.where(np.isnan(answers), -np.inf, answers).max(axis=1)
    return {comparison.ids[index] for index in np.flatnonzero(highest > lowest)}
