"""A number of labels that is likely to decide an open question; what computes it is in `decisive_labels`."""

from dataclasses import dataclass

EVEN = 1 / 2
"""Chance of a decision from which a number is named; followed from 20 labels on, verdicts came after it in .55-.97."""


@dataclass(frozen=True, slots=True)
class DecisiveLabels:
    """Labels with which an open question is likely to be decided.

    Attributes:
        more: Labelled examples on top of those there are.
        chance: Probability that they decide it, from a third to 1.
        assumed: The agreement that this assumes; None where it follows from the labels so far.
    """

    more: int
    chance: float
    assumed: float | None = None
