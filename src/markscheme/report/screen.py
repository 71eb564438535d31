"""Where a report is printed."""

import os

from rich.console import Console


class Screen(Console):
    """A console that falls silent when its reader has gone (`… | head`), so that files and exit status still come."""

    def on_broken_pipe(self) -> None:
        """Let the rest go nowhere."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())
