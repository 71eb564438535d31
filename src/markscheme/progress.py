"""Progress of a run: the interface of displays, and a display that shows nothing."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

CountStep: TypeAlias = Callable[[], None]
"""Function that counts one more step of a run as done."""
Watch: TypeAlias = Callable[[str, int], AbstractContextManager[CountStep]]
"""Function that starts a progress display, given what is being done, such as "grading", and the number of steps."""


def _count_nothing() -> None:
    """Do nothing when a step of a run is done."""


def unwatched(what: str, total: int) -> AbstractContextManager[CountStep]:  # noqa: ARG001 - nobody looks
    """Return a progress display that shows nothing, for runs that nobody watches."""
    return nullcontext(_count_nothing)
