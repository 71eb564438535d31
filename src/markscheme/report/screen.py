"""Where a report is printed."""

import os
from collections.abc import Iterable, Sequence
from typing import IO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from markscheme.text import printable, raw_stream

PAGE_WIDTH = 110
"""Where a report goes to a file or a pipe."""


class Screen(Console):
    """A console for reports, silent once its reader has gone (`… | head`), so that files and exit status still come.

    Args:
        file: Where to; colours only where it is a screen.
        width: In characters; the screen's own where None.
    """

    def __init__(self, file: IO[str], *, width: int | None = None) -> None:
        raw = raw_stream(file)
        page = PAGE_WIDTH if width is None and not raw.isatty() else width
        super().__init__(file=raw, width=page, highlight=False)

    def say(self, line: str, style: str = "") -> None:
        """A line; text from outside moves no cursor."""
        self.print(Text(printable(line), style=style))

    def tabulate(self, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A table; text from outside moves no cursor."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading in headings:
            table.add_column(Text(printable(heading)))
        for row in rows:
            table.add_row(*(Text(printable(cell)) for cell in row))
        self.print(table)

    def on_broken_pipe(self) -> None:
        """Let the rest go nowhere."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())
