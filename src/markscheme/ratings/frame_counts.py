"""Counting the examples of a data frame with equal ratings, which a feature does."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markscheme.errors import UsageError
from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.rubrics.rubric import Rubric

CountFrame: TypeAlias = "Callable[[Any, Rubric, Sequence[str], str, str | None], Any]"
"""Counts the examples of a wide frame in a small one, by a rubric, its annotators, a judge and maybe an earlier one."""
FRAME_COUNTERS: Final[OpenTable[Callable[[], CountFrame]]] = OpenTable()
"""Ways to count frames; each is imported when a frame is counted."""


def frame_counter() -> CountFrame:
    """Return the function, added by a feature, that counts the examples of a data frame with equal ratings.

    Raises:
        UsageError: No feature can count.
    """
    for load in FRAME_COUNTERS:
        return load()
    raise UsageError("this markscheme counts no frames")
