"""Number of examples that a second annotator should label, so that the labels count as those of two annotators."""

import math
from collections.abc import Iterable
from typing import Final

from markscheme.ratings.example_rows import Example
from markscheme.ratings.kinds import PEOPLE

LABELLED_TWICE: Final = 0.9
"""Smallest share of the examples that two annotators labelled, or that are adjudicated, for a set to count as labelled
twice."""
FOR_A_GATE: Final = "For a gate, two annotators label each: one annotator's labels show trends at most."
"""Sentence that accompanies every request to label further examples."""


def second_labels_needed(examples: Iterable[Example]) -> int:
    """Return the number of examples that a second annotator should still label; 0 if enough have two annotators.

    Example:
        >>> second_labels_needed(())
        0
    """
    labelled, enough = labelled_twice(examples)
    return max(0, math.ceil(LABELLED_TWICE * labelled - 1e-9) - enough)


def labelled_twice(examples: Iterable[Example]) -> tuple[int, int]:
    """Count the examples that people labelled, and those of them with two annotators or an adjudicated label.

    Example:
        >>> labelled_twice(())
        (0, 0)
    """
    by_people = [[label for label in example.labels if label.kind in PEOPLE] for example in examples]
    labelled = list(filter(None, by_people))
    return len(labelled), sum(
        len({label.rater for label in labels}) > 1 or any(label.kind == "adjudicated" for label in labels)
        for labels in labelled
    )
