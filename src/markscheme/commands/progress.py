"""How far a run has come, on standard error, for whatever takes more than a second."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from markscheme.text import raw_stream

QUIET_SECONDS = 1.0
LINE_SECONDS = 10.0


class Progress(Protocol):
    """Told of each step done."""

    def step(self) -> None:
        """One more is done."""
        ...


@contextmanager
def progress(what: str, total: int, *, quiet: bool = False) -> Iterator[Progress]:
    """A progress bar on a screen, a line now and then elsewhere; nothing within the first second.

    Args:
        what: What is being done, as in "grading".
        total: How many steps there are.
        quiet: True shows nothing.
    """
    shown: _Bar | _Lines | _Nothing
    shown = _Nothing() if quiet else _Bar(what, total) if raw_stream(sys.stderr).isatty() else _Lines(what, total)
    try:
        yield shown
    finally:
        shown.stop()


class _Nothing:
    def step(self) -> None:
        """Show nothing."""

    def stop(self) -> None:
        """Nothing was shown."""


class _Lines:
    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.next = time.monotonic() + QUIET_SECONDS

    def step(self) -> None:
        self.done += 1
        if time.monotonic() >= self.next:
            print(f"{self.what}: {self.done} of {self.total}", file=sys.stderr, flush=True)
            self.next = time.monotonic() + LINE_SECONDS

    def stop(self) -> None:
        """The last line stands."""


class _Bar:
    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.begins = time.monotonic() + QUIET_SECONDS
        self.bar: object | None = None

    def step(self) -> None:
        self.done += 1
        if time.monotonic() < self.begins:
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        if self.bar is None:
            columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
            self.bar = RichProgress(*columns, console=Console(file=raw_stream(sys.stderr)), transient=True)
            self.task = self.bar.add_task(self.what, total=self.total)
            self.bar.start()
        if isinstance(self.bar, RichProgress):
            self.bar.update(self.task, completed=self.done)

    def stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()  # type: ignore[attr-defined]
