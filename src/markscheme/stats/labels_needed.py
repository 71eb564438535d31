"""DecisiveLabels: the number of labels that is likely to show a figure above or below its target."""

from typing import NamedTuple

EVEN = 1 / 2
"""Chance of a decision that a recommended number of labels must give; in simulations from 20 labels on, verdicts
followed in .55-.97."""


class DecisiveLabels(NamedTuple):
    """A number of further labels that is likely to settle whether a figure, such as agreement, meets its target.

    Attributes:
        more: Number of further labelled examples.
        chance: Probability that they settle the question, from a third to 1.
        assumed: Agreement that was assumed; None if it was estimated from the labels so far.
    """

    more: int
    chance: float
    assumed: float | None = None
