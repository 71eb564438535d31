"""Render a Document to a terminal or a pipe."""

import io
import os
import shutil
from collections.abc import Sequence
from typing import IO

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from markscheme.report import document as doc
from markscheme.report.bars import drawn
from markscheme.report.curves import EIGHTHS, drawn_curve
from markscheme.report.figures import cut_short
from markscheme.text import printable, raw_stream

_WIDEST = 120
"""Maximum columns used, even on a wider screen: longer lines are hard to read."""
_PIPED = 100
"""Columns without a screen and without COLUMNS."""
_GAP = 2
"""Gap between the columns of a table."""
_LONGEST_FIGURE = 24
"""Width of a figure with its interval, which is wrapped last."""
_MOST_IDS = 5
"""Ids in a row, which leave room for the text before them."""
_MOST_CARDS = 8
"""Findings shown whole; the rest is named by its codes, so that the report stays two screens long."""
_MOST_EXAMPLES = 5
"""Examples to read first; the HTML page has all."""
_LONGEST_REASON = 220
"""Characters of a judge's reason: two lines of the widest terminal used."""
_STYLES: dict[doc.Tone, str] = {
    "good": "bold green",
    "trend": "bold green",
    "open": "bold yellow",
    "note": "bold yellow",
    "bad": "bold red",
}
_TYPED = str.maketrans(
    {
        "–": "-",
        "−": "-",
        "·": "-",
        "→": "->",
        "×": "x",
        "≤": "<=",
        "“": '"',
        "”": '"',
        "’": "'",
        "…": "...",
        "✓": "+",
        "↗": "/",
        "✗": "x",
        "─": "-",
        "├": "[",
        "┤": "]",
        "●": "o",
        "▲": "^",
        **dict(zip(EIGHTHS, "__..--==", strict=True)),
    }
)
"""Replacements for a terminal without line drawing."""


def render_terminal(document: doc.Document, file: IO[str], width: int | None = None) -> None:
    """Write a document to `file`, at most `width` columns wide: by default the screen's width, up to 120.

    Colours appear only on a screen without NO_COLOR; a dumb terminal, or one without Unicode, gets no line drawing. If
    the reader has exited (`… | head`), the rest is discarded, so that files are still written and the exit status set.
    """
    text = io.StringIO()
    raw = raw_stream(file)
    encoding = raw.encoding or "utf-8" if hasattr(raw, "encoding") else "utf-8"
    colours = _has_colours(raw)
    width = width or _columns(raw)
    page = _Page(
        file=text, width=width, highlight=False, force_terminal=colours, color_system="standard" if colours else None
    )
    page.document(document)
    lines = "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())
    if _is_plain(raw, encoding):
        lines = lines.translate(_TYPED).encode(encoding, "replace").decode(encoding)
    try:
        raw.write(lines)
        raw.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), raw.fileno())


def _columns(file: IO[str]) -> int:
    wide = shutil.get_terminal_size((_PIPED, 24)).columns
    return min(wide, _WIDEST) if file.isatty() else wide


def _is_dumb(file: IO[str]) -> bool:
    return file.isatty() and os.environ.get("TERM", "dumb") in ("dumb", "unknown", "")


def _has_colours(file: IO[str]) -> bool:
    return file.isatty() and not _is_dumb(file) and not os.environ.get("NO_COLOR")


def _is_plain(file: IO[str], encoding: str) -> bool:
    """Whether a terminal may not support line drawing."""
    try:
        "─├┤●▲✓→–−".encode(encoding)
    except UnicodeEncodeError:
        return True
    return _is_dumb(file)


class _Page(Console):
    """Draws blocks line by line."""

    def document(self, document: doc.Document) -> None:
        """A document and its parts."""
        self._say(document.title, "bold")
        if document.source:
            self._say(document.source)
        for block in doc.in_text((*document.blocks, *document.sections)):
            if not isinstance(block, doc.Section):
                self.print()
            self.block(block)
        for part in document.parts:
            self.print()
            self.document(part)
        if document.more:
            self.print()
            self._say(("Full report: ", doc.Command(document.more)))
        if document.onward:
            what, command = document.onward
            self._say((f"{what}: ", doc.Command(command)))

    def block(self, block: doc.Block) -> None:
        """A block that text shows."""
        match block:
            case doc.Section():
                self.print()
                self._say(block.title, "bold")
                for inner in doc.in_text(block.blocks):
                    self.block(inner)
            case doc.Callout():
                self._callout(block)
            case doc.Paragraph() | doc.Notes():
                for line in block.lines:
                    self._say(line)
            case doc.Items():
                for head, *more in block.items:
                    self._hang("-", [head, *more])
            case doc.Verbatim():
                for line in block.text.splitlines():
                    self.print(Text(printable(line)), soft_wrap=True)
            case doc.Table():
                self._table(block)
            case doc.Bars():
                for line in drawn(block, self.width):
                    self._say(line)
                self._say(block.caption)
            case doc.Curve():
                for line in drawn_curve(block, self.width):
                    self._say(line)
                self._say(block.caption)
            case doc.Tiles():
                self._grid([(label, words, ids) for label, words, ids, _ in block.tiles], indent=2)
            case doc.Cards():
                self._cards(block)
            case doc.Facts():
                self._grid([(f"{name}:", value) for name, value in block.rows])
            case doc.Examples():
                for case in block.cases[: min(_MOST_EXAMPLES, block.differing)]:
                    reason = f"Judge on {case.reason_on}: “{cut_short(case.reason, _LONGEST_REASON)}”"
                    self._hang("-", [f"{case.id}: {case.head}", *([reason] if case.reason else [])])

    def _say(self, line: doc.Line, style: str = "") -> None:
        self.print(Text(inline(line), style=style))

    def _hang(self, sign: str, lines: Sequence[doc.Line], style: str = "", indent: int = 0) -> None:
        """Lines after a bullet, with further lines aligned to the first."""
        grid = Grid.grid(padding=(0, 1))
        grid.add_column(no_wrap=True)
        grid.add_column()
        for place, line in enumerate(lines):
            grid.add_row(Text("" if place else sign, style=style), Text(inline(line), style="" if place else style))
        self.print(Padding(grid, (0, 0, 0, indent)))

    def _callout(self, block: doc.Callout) -> None:
        rest = [line for line in (block.text, block.command) if line]
        self._hang(doc.TONE_SIGNS[block.tone], [block.head, *rest], _STYLES[block.tone])

    def _table(self, block: doc.Table) -> None:
        if block.caption:
            self._say(block.caption)
        cells = [[inline(cell) for cell in row] for row in block.rows]
        widths = _widths([list(map(printable, block.headings)), *cells], self.width)
        grid = Grid(box=None, pad_edge=False, header_style="bold", padding=(0, _GAP, 0, 0))
        for heading, width in zip(block.headings, widths, strict=True):
            grid.add_column(Text(printable(heading)), overflow="fold", width=width)
        for row in cells:
            grid.add_row(*map(Text, row))
        self.print(grid)

    def _grid(self, rows: Sequence[tuple[doc.Line, ...]], indent: int = 0) -> None:
        grid = Grid.grid(padding=(0, 2, 0, 0))
        for _ in max(rows, key=len, default=()):
            grid.add_column(overflow="fold")
        for row in rows:
            grid.add_row(*(Text(inline(cell)) for cell in row))
        self.print(Padding(grid, (0, 0, 0, indent)))

    def _cards(self, block: doc.Cards) -> None:
        for number, card in enumerate(block.cards[:_MOST_CARDS], start=1):
            first = (*_pieces(card.title), f" · {card.text}") if card.text else card.title
            self._hang(f"{number}", [first, *card.rows, *card.below], indent=2)
        left = block.cards[_MOST_CARDS:]
        if left:
            self._say(f"  and {len(left)} more: {', '.join(dict.fromkeys(card.code for card in left))}")


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Widths of columns that fit `room`: prose is wrapped first, then figures, then words, and names last of all."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    words = [max(map(_longest_word, column)) for column in columns]
    whole = [max(_longest_word(head), *map(_least_width, body), 0) for head, *body in columns]
    ones = [1] * len(columns)
    for floors in (whole, words, [*words[:1], *ones[1:]], ones):
        while sum(widths) + _GAP * (len(widths) - 1) > room:
            wide = [place for place, width in enumerate(widths) if width > floors[place]]
            if not wide:
                break
            widths[max(wide, key=lambda place: widths[place])] -= 1
    return widths


def _least_width(cell: str) -> int:
    """The minimum width of a cell: a short cell with a figure stays on one line if possible."""
    is_figure = any(map(str.isdigit, cell)) and cell_len(cell) <= _LONGEST_FIGURE
    return cell_len(cell) if is_figure else _longest_word(cell)


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def inline(line: doc.Line) -> str:
    """A line as plain text; control characters in external text are replaced."""
    return printable("".join(_plain(piece) for piece in _pieces(line)))


def _pieces(line: doc.Line) -> tuple[doc.Piece, ...]:
    return line if isinstance(line, tuple) else (line,)


def _plain(piece: doc.Piece) -> str:
    match piece:
        case str():
            return piece
        case doc.Ids():
            more = f" and {len(piece.ids) - _MOST_IDS} more" if len(piece.ids) > _MOST_IDS else ""
            return "  ".join(piece.ids[:_MOST_IDS]) + more
        case doc.Count():
            return str(piece.n)
        case _:
            return piece.text
