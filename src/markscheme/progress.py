"""How far a run has come, to be shown by a command in a terminal, by a program, or not at all."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol


class Steps(Protocol):
    """Receiver of progress."""

    def step(self) -> None:
        """Count one step."""
        ...


Watch = Callable[[str, int], AbstractContextManager[Steps]]
"""Shows progress: takes what is being done, as in "grading", and the number of steps."""


class _Unwatched:
    def step(self) -> None:
        """Do nothing."""


def unwatched(what: str, total: int) -> AbstractContextManager[Steps]:  # noqa: ARG001 - nobody looks
    """Return progress that shows nothing."""
    return nullcontext(_Unwatched())
