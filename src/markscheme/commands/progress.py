"""How far a run has come, on standard error, for whatever takes more than a second."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from markscheme.text import raw_stream

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

QUIET_SECONDS = 1.0
LINE_SECONDS = 10.0


@contextmanager
def progress(what: str, total: int, *, quiet: bool = False) -> Iterator["Progress"]:
    """A progress bar on a screen, a line now and then elsewhere; nothing within the first second.

    Args:
        what: What is being done, as in "grading".
        total: How many steps there are.
        quiet: True shows nothing.
    """
    kind = Progress if quiet else _Bar if raw_stream(sys.stderr).isatty() else _Lines
    shown = kind(what, total)
    try:
        yield shown
    finally:
        shown.stop()


class Progress:
    """Counts steps, and shows nothing of it."""

    def __init__(self, what: str, total: int) -> None:
        self.what, self.total, self.done = what, total, 0
        self.next = time.monotonic() + QUIET_SECONDS

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        if time.monotonic() >= self.next:
            self.show()

    def show(self) -> None:
        """Show how many are done."""

    def stop(self) -> None:
        """Show no more."""


class _Lines(Progress):
    def show(self) -> None:
        print(f"{self.what}: {self.done} of {self.total}", file=sys.stderr, flush=True)
        self.next = time.monotonic() + LINE_SECONDS


class _Bar(Progress):
    bar: "RichProgress | None" = None

    def show(self) -> None:
        if self.bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
            self.bar = RichProgress(*columns, console=Console(file=raw_stream(sys.stderr)), transient=True)
            self.task = self.bar.add_task(self.what, total=self.total)
            self.bar.start()
        self.bar.update(self.task, completed=self.done)

    def stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()
