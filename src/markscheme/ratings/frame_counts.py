"""Counting the examples of a data frame with equal ratings, by a function that a feature provides."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markscheme.errors import UsageError
from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.rubrics.rubric import Rubric

CountFrame: TypeAlias = "Callable[[Any, Rubric, Sequence[str], str, str | None], Any]"
"""Function that counts the examples of a wide data frame with equal ratings, and returns a small frame, given the
rubric, annotators, the judge and an earlier judge if any."""
FRAME_COUNTERS: Final[OpenTable[Callable[[], CountFrame]]] = OpenTable()
"""Functions that import and return a function that counts the examples of a data frame."""


def frame_counter() -> CountFrame:
    """Return the function, which a feature provides, that groups a data frame's equal ratings and counts them.

    Raises:
        UsageError: No feature provides such a function.
    """
    for load in FRAME_COUNTERS:
        return load()
    raise UsageError("this markscheme counts no frames")
