"""Progress of runs that take more than a second, shown on standard error."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from markscheme.progress import CountStep
from markscheme.text import raw_stream

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

QUIET_SECONDS = 1.0
"""Seconds before anything is shown: a run that takes no longer needs no progress."""
LINE_SECONDS = 10.0
"""Seconds between two lines, so that a log of an hour has a few hundred lines."""


@contextmanager
def progress(what: str, total: int) -> Iterator[CountStep]:
    """Show progress after the first second: a bar on a terminal, occasional lines elsewhere.

    Args:
        what: Name of the work, such as "grading".
        total: Number of steps.
    """
    kind = _Bar if raw_stream(sys.stderr).isatty() else _Lines
    steps = kind(what, total)
    try:
        yield steps.step
    finally:
        steps.stop()


class _Shown:
    """Base of progress displays: counts steps, and shows from time to time how many are done."""

    def __init__(self, what: str, total: int) -> None:
        self.what = what
        self.total = total
        self.done = 0
        self.next = time.monotonic() + QUIET_SECONDS

    def step(self) -> None:
        """Count one more step of the run as done."""
        self.done += 1
        if time.monotonic() >= self.next:
            self.show()

    def show(self) -> None:
        """Show how many steps of the run are done."""

    def stop(self) -> None:
        """End the display of progress."""


class _Lines(_Shown):
    def show(self) -> None:
        print(f"{self.what}: {self.done} of {self.total}", file=sys.stderr, flush=True)
        self.next = time.monotonic() + LINE_SECONDS


class _Bar(_Shown):
    bar: "RichProgress | None" = None

    def show(self) -> None:
        if self.bar is None:
            from rich import console, progress

            columns = (
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TimeRemainingColumn(),
            )
            screen = console.Console(file=raw_stream(sys.stderr))
            self.bar = progress.Progress(*columns, console=screen, transient=True)
            self.task = self.bar.add_task(self.what, total=self.total)
            self.bar.start()
        self.bar.update(self.task, completed=self.done)

    def stop(self) -> None:
        if self.bar is not None:
            self.bar.stop()
