"""Numbers of labels needed for goals other than a verdict, and the table of functions that estimate them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from pathlib import Path

    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.kinds import Kind
    from markscheme.ratings.rating import Rating
    from markscheme.rubrics.rubric import Rubric

Goal: TypeAlias = Literal["width", "promise", "variety"]
PROMISED_ERROR = 0.05
"""Share of automatic decisions that may be wrong if a promise doesn't set it."""


class Need(NamedTuple):
    """How many labels a goal, such as a verdict on a judge, needs, and how many there are.

    Attributes:
        goal: The kind of goal, as a code.
        what: The goal in a few words, for the user.
        labels: Total number of labelled examples needed; None if no number would be enough.
        have: Number of labelled examples so far.
        basis: Words that say from which figures `labels` was computed: measured so far, or assumed.
    """

    goal: Goal
    what: str
    labels: int | None
    have: int
    basis: str

    @property
    def more(self) -> int | None:
        """Number of labels that the goal needs in addition to those given so far; None if no number would be enough."""
        return None if self.labels is None else max(0, self.labels - self.have)


RatingsByFile: TypeAlias = "Sequence[tuple[Path, Sequence[Rating]]]"
"""The ratings of judges with the file of each, in the order in which they are asked."""
PromiseNeed: TypeAlias = "Callable[[Rubric, ExampleSet, RatingsByFile, float, Kind | None], Need | None]"
"""Function that returns the labels that a promise needs, or None if the ratings don't show it.

It gets a rubric, its labelled examples, the ratings of judges, the largest share of errors, and the kind of labels that
count.
"""
PROMISE_NEEDS: OpenTable[PromiseNeed] = OpenTable()
"""Functions that compute the labels that a promise about automatic decisions needs; the first answer counts."""
