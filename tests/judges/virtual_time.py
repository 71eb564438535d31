"""An event loop in virtual time, whose clock jumps over every wait, so that minutes pass in milliseconds."""

import asyncio
import selectors
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.DefaultSelector):
    """Selector that never waits, but adds the time it should wait to `now`."""

    now = 1_000.0

    def select(self, timeout: float | None = None) -> Sequence[Any]:  # type: ignore[override]
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("everyone waits for someone else")
        if not ready and timeout:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Event loop in which sleeping takes no real time."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` in virtual time; return its result."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
