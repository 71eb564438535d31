"""Render a Document to a terminal or a pipe."""

import os
import re
import shutil
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import IO, NamedTuple

from rich.cells import cell_len, chop_cells, set_cell_size

from markscheme.phrases import counted
from markscheme.report import document as doc
from markscheme.report.bars import drawn
from markscheme.report.curves import EIGHTHS, drawn_curve
from markscheme.report.figures import cut_short
from markscheme.text import printable, raw_stream, short_id

_WIDEST = 120
"""Largest number of columns used, even on a wider screen, since longer lines are hard to read."""
_PIPED = 100
"""Number of columns used without a screen, if COLUMNS isn't set."""
_GAP = 2
"""Number of spaces between the columns of a table."""
_LONGEST_FIGURE = 24
"""Largest width of a cell with a figure and its interval; other cells are wrapped before it."""
_MOST_IDS = 5
"""Largest number of ids in a row, which leaves room for the text before them."""
SCREEN_LINES = 40
"""Largest number of lines of a first screen, which a terminal window of usual height shows without scrolling."""
_LONGEST_REASON = 220
"""Largest number of characters of a judge's reason: two lines of the widest terminal used."""
_GLUE = "\ue000"
"""Placeholder for the spaces of a command while lines are broken."""
_QUOTED_COMMAND = re.compile(r"`(?:markscheme|calibrate) [^`]*`")
_TOKEN = re.compile(r"(?:→ )?\S+|\s+")
_BOLD = "1"
"""Code by which a terminal shows text in bold."""
_STYLES: dict[doc.Tone, str] = {
    "good": "1;32",
    "trend": "1;32",
    "open": "1;33",
    "note": "1;33",
    "bad": "1;31",
}
"""Codes by which a terminal shows a callout's head in bold and in a colour."""
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
"""Replacements for characters that a terminal without line drawing can't show."""


class _Room(NamedTuple):
    """Limits on how much of each kind of block a terminal shows.

    Attributes:
        cards: Number of findings shown in full; of all other findings, only the codes are shown.
        advice: True if findings say what to edit.
        rows: Largest number of rows of a table.
        notes: Largest number of lines of small print.
        examples: Largest number of examples shown with their texts; the HTML page has all.
        captions: True if bars are explained.
        asides: True if sections within a section are drawn, such as findings that change no decision.
    """

    cards: int
    advice: bool
    rows: int
    notes: int
    examples: int = 0
    captions: bool = True
    asides: bool = True


_ALL_ROOM = _Room(cards=8, advice=True, rows=10_000, notes=10_000, examples=5)
"""Limits for details, which are hardly limited: eight findings and five examples are as many as are read at once."""
_ROOMS = (
    _Room(cards=3, advice=True, rows=20, notes=6, examples=2),
    _Room(cards=3, advice=True, rows=20, notes=6, examples=1),
    _Room(cards=3, advice=True, rows=20, notes=6),
    _Room(cards=2, advice=True, rows=12, notes=4),
    _Room(cards=2, advice=False, rows=8, notes=3),
    _Room(cards=2, advice=False, rows=6, notes=2, asides=False),
    _Room(cards=1, advice=False, rows=5, notes=2, asides=False),
    _Room(cards=1, advice=False, rows=3, notes=1, captions=False, asides=False),
)
"""Limits for the first screen, of which the first that fits is used: small print and advice are dropped before
findings and figures."""


def render_terminal(
    document: doc.Document, file: IO[str], width: int | None = None, *, details: bool | None = None
) -> None:
    """Write a document to `file`, at most `width` columns wide. Without a width, it is the screen's, up to 120.

    Without details the document takes one screen of SCREEN_LINES. If the output is longer than the terminal's height,
    the answer is repeated as the last line. Colours appear only on a screen without NO_COLOR; a dumb terminal, or one
    without Unicode, gets no line drawing. If the reader has exited (`… | head`), the rest is discarded, so that files
    are still written and the exit status set.

    Args:
        document: The document to write.
        file: The open file or terminal to write to.
        width: Number of columns; None for that of the screen.
        details: True to write the details; None to write them if the document can't name the command that shows them.
    """
    raw = raw_stream(file)
    encoding = raw.encoding or "utf-8" if hasattr(raw, "encoding") else "utf-8"
    columns = width or _columns(raw)
    all_of_it = not document.more if details is None else details
    lines: list[str] = []
    has_colours = raw.isatty() and not _is_dumb(raw) and not os.environ.get("NO_COLOR")
    page = _Page(columns, colours=has_colours)
    for room in (_ALL_ROOM,) if all_of_it else _ROOMS:
        lines = page.lines_of(document, room, details=all_of_it)
        if len(lines) <= SCREEN_LINES:
            break
    if raw.isatty() and len(lines) >= shutil.get_terminal_size().lines and document.answer is not None:
        lines += ["", inline(f"{doc.TONE_SIGNS[document.answer.tone]} {document.answer.head}")]
    _write("".join(f"{line}\n" for line in lines), raw, encoding)


def _write(lines: str, raw: IO[str], encoding: str) -> None:
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


def _is_plain(file: IO[str], encoding: str) -> bool:
    """Return True if a terminal may not be able to show line-drawing characters."""
    try:
        "─├┤●▲✓→–−".encode(encoding)
    except UnicodeEncodeError:
        return True
    return _is_dumb(file)


class _Page:
    """A document drawn as lines of text; blocks are cached, so that drawing it again in less room is fast.

    Attributes:
        width: Number of columns.
        room: Limits on how much of each block is drawn.
    """

    def __init__(self, width: int, *, colours: bool) -> None:
        """Open a page with `width` columns, with or without colours."""
        self.width = width
        self.room = _ALL_ROOM
        self._colours = colours
        self._lines: list[str] = []
        self._drawn: dict[tuple[object, ...], list[str]] = {}
        self._ids: dict[str, str] = {}

    def lines_of(self, document: doc.Document, room: _Room, *, details: bool) -> list[str]:
        """Draw a document, with or without details, and return its lines.

        Args:
            document: The document.
            room: Limits on what is shown.
            details: True to draw the details too.
        """
        self.room = room
        self._lines = []
        self.document(document, details=details)
        return self._lines

    def _draw(self, *words: Hashable, by: Callable[[], Iterable[str]]) -> None:
        """Append a block's lines to the page: from the cache, or drawn by `by` and then cached."""
        if words not in self._drawn:
            self._drawn[words] = [line.replace(_GLUE, " ").rstrip() for line in by()]
        self._lines += self._drawn[words]

    def _styled(self, text: str, style: str | None) -> str:
        """Return a text with the codes of its style around it, or as it is on a page without colours."""
        return f"\x1b[{style}m{text}\x1b[0m" if text and style and self._colours else text

    def _blank(self) -> None:
        self._lines.append("")

    def document(self, document: doc.Document, *, details: bool) -> None:
        """Draw a document; its sections and parts are drawn only if `details` is true."""
        self._say(document.title, _BOLD)
        if document.source:
            self._say(document.source)
        before: doc.Block | None = None
        for block in self._with_room((*document.blocks, *(document.sections if details else document.brief))):
            if not isinstance(block, doc.Section) and not _belong_together(before, block):
                self._blank()
            self.block(block)
            before = block
        for part in document.parts if details else ():
            self._blank()
            self.document(part, details=details)
        footer = list(_footer(document, self.width, details=details))
        if footer:
            self._blank()
        for line in footer:
            self._say(line)

    def _with_room(self, blocks: Sequence[doc.Block]) -> list[doc.Block]:
        """Return the blocks to draw on a terminal; without the list of examples if it doesn't fit."""
        return [
            block
            for block in doc.in_text(blocks)
            if self.room.examples or not (isinstance(block, doc.Section) and isinstance(block.blocks[0], doc.Examples))
        ]

    def block(self, block: doc.Block) -> None:
        """Draw a block by its class: a section, a callout, a paragraph, a list or any other kind."""
        match block:
            case doc.Section():
                self._blank()
                self._say(block.title, _BOLD)
                for inner in doc.in_text(block.blocks):
                    if self.room.asides or not isinstance(inner, doc.Section):
                        self.block(inner)
            case doc.Callout():
                self._callout(block)
            case doc.Paragraph():
                for line in block.lines:
                    self._say(line)
            case doc.Notes():
                for line in block.lines[: self.room.notes]:
                    self._say(line)
                self._more(len(block.lines) - self.room.notes, "note")
            case doc.Items(are_examples=True):
                for head, *more in block.items[: max(1, self.room.examples)]:
                    self._hang("-", [head, *more], indent=2)
            case doc.Items():
                for head, *more in block.items:
                    self._hang("-", [head, *more])
            case doc.Verbatim():
                for line in block.text.splitlines():
                    self._lines.append(printable(line).rstrip())
            case doc.Table():
                self._table(block)
            case doc.Bars():
                for line in drawn(block, self.width):
                    self._say(line)
                if self.room.captions or block.interval != doc.Bars.interval:  # it says how sure another interval is
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
                for case in block.cases[: min(self.room.examples, block.differing)]:
                    reason = f"Judge on {case.reason_on}: “{cut_short(case.reason, _LONGEST_REASON)}”"
                    lines = (f"{self._short_id(case.id)}: {case.head}", case.words, case.reason and reason)
                    self._hang("-", [line for line in lines if line])

    def _short_id(self, example: str) -> str:
        """Return the short form of an example's id; the whole id if another one on the page has that short form."""
        short = short_id(example)
        return short if self._ids.setdefault(short, example) == example else example

    def _with_short_ids(self, line: doc.Line) -> tuple[doc.Piece, ...]:
        return tuple(
            doc.Ids(tuple(map(self._short_id, piece.ids))) if isinstance(piece, doc.Ids) else piece
            for piece in _pieces(line)
        )

    def _say(self, line: doc.Line, style: str | None = None) -> None:
        words = _unbroken(self._with_short_ids(line))
        self._draw(words, style, by=lambda: (self._styled(row, style) for row in _broken(words, self.width)))

    def _hang(self, sign: str, lines: Sequence[doc.Line], style: str | None = None, indent: int = 0) -> None:
        """Draw lines as an item of a list: the first line after a sign, all other lines aligned with the first.

        Args:
            sign: The bullet or number before the item.
            lines: The lines.
            style: The style of the first line; None for plain text.
            indent: Number of columns before the sign.
        """
        words = tuple(_unbroken(self._with_short_ids(line)) for line in lines)

        margin = " " * (indent + cell_len(sign) + 1)

        def hung() -> Iterator[str]:
            (first, *more), *others = (_broken(line, self.width - len(margin)) for line in words)
            yield self._styled(f"{' ' * indent}{sign} {first}", style)
            yield from (self._styled(f"{margin}{row}", style) for row in more)
            yield from (f"{margin}{row}" for rows in others for row in rows)

        self._draw(sign, words, style, indent, by=hung)

    def _callout(self, block: doc.Callout) -> None:
        lines = [line for line in (block.text, doc.Command(block.command) if block.command else "") if line]
        self._hang(doc.TONE_SIGNS[block.tone], [block.head, *lines], _STYLES[block.tone])

    def _table(self, block: doc.Table) -> None:
        if block.caption:
            self._say(block.caption)
        headings = tuple(map(printable, block.headings))
        cells = self._cells(block.rows[: self.room.rows])

        def drawn_rows() -> Iterator[str]:
            widths = _widths([headings, *cells], self.width)
            yield from (self._styled(line, _BOLD) for line in _in_columns(headings, widths, are_headings=True))
            for row in cells:
                yield from _in_columns(row, widths)

        self._draw(headings, cells, by=drawn_rows)
        self._more(len(block.rows) - self.room.rows, "row")

    def _cells(self, rows: Iterable[tuple[doc.Line, ...]]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(inline(self._with_short_ids(cell)) for cell in row) for row in rows)

    def _more(self, n: int, name: str) -> None:
        """Draw a line on how many items of a list were left out, such as "and 3 more examples".

        Args:
            n: Number of items left out; nothing is drawn for 0.
            name: Noun for an item, such as "row".
        """
        if n > 0:
            self._say(f"and {counted(n, f'more {name}')}")

    def _grid(self, rows: Sequence[tuple[doc.Line, ...]], indent: int = 0) -> None:
        cells = self._cells(rows) or (("",),)

        def drawn_rows() -> Iterator[str]:
            columns = zip_longest(*cells, fillvalue="")
            widths = _narrowed([max(map(cell_len, column)) for column in columns], self.width - indent)
            return (f"{' ' * indent}{line}" for row in cells for line in _in_columns(row, widths))

        self._draw(cells, indent, by=drawn_rows)

    def _cards(self, block: doc.Cards) -> None:
        commands = set[str | None]()
        for ordinal, card in enumerate(block.cards[: self.room.cards], start=1):
            below = card.below(has_advice=self.room.advice, has_command=card.command not in commands)
            commands.add(card.command)
            first = (*_pieces(card.title), f" · {card.text}") if card.text else card.title
            self._hang(f"{ordinal}", [first, *card.rows, *below], indent=2)
        unshown = block.cards[self.room.cards :]
        if unshown:
            self._say(f"  and {len(unshown)} more: {', '.join(dict.fromkeys(card.code for card in unshown))}")


def _unbroken(line: doc.Line) -> str:
    """Return a line's text with commands marked as unbreakable, so that each can be copied whole."""
    pieces = ((piece, inline(piece)) for piece in _pieces(line))
    text = "".join(text.replace(" ", _GLUE) if isinstance(piece, doc.Command) else text for piece, text in pieces)
    return _QUOTED_COMMAND.sub(lambda command: command[0].replace(" ", _GLUE), text)


def _broken(text: str, width: int) -> list[str]:
    """Split a text into lines between words; a word wider than a line is cut, a command never."""
    lines = []
    for paragraph in text.split("\n"):
        line = blanks = ""
        for token in _TOKEN.findall(paragraph):
            if token.isspace():
                blanks = token
                continue
            if line.strip() and cell_len(line + blanks + token) > width:
                lines.append(line)
                line = blanks = ""
            word, blanks = blanks + token, ""
            *pieces, last = [word] if _GLUE in word else chop_cells(word, width)
            lines += pieces
            line += last
        lines.append(line)
    return lines


def _in_columns(row: Sequence[str], widths: Sequence[int], *, are_headings: bool = False) -> list[str]:
    """Return the lines of a table's row, whose cells may take several lines each.

    Shorter cells have empty lines below them; shorter headings have empty lines above them.

    Args:
        row: The cells.
        widths: Width of each column.
        are_headings: True if the cells are headings.
    """
    order = reversed if are_headings else iter
    cells = (order(_broken(cell, width)) for cell, width in zip(row, widths, strict=False))
    lines = order([*zip_longest(*cells, fillvalue="")])
    return [(" " * _GAP).join(map(set_cell_size, line, widths)) for line in lines]


def _narrowed(widths: Sequence[int], room: int) -> list[int]:
    """Narrow the widest columns, by about the same width each, until all columns fit the line.

    Args:
        widths: Width of each column's widest cell.
        room: Width of the line, with the gaps between columns.
    """
    *gapped, last = widths
    narrowed = [min(width, room) for width in (*(width + _GAP for width in gapped), max(1, last))]
    while (excess := sum(narrowed) - room) > 0:
        widest = max(narrowed)
        most = widest - max((width for width in narrowed if width < widest), default=0)
        wide = [index for index, width in enumerate(narrowed) if width == widest]
        for n_left, index in zip(range(len(wide), 0, -1), wide, strict=True):
            cut = min(most, round(excess / n_left))
            narrowed[index] -= cut
            excess -= cut
    return [max(1, width) for width in (*(width - _GAP for width in narrowed[:-1]), narrowed[-1])]


def _belong_together(first: doc.Block | None, second: doc.Block) -> bool:
    """Return True if two blocks, such as a table and its notes, have no blank line between them."""
    pairs = (
        (doc.Table, doc.Notes),
        (doc.Bars, doc.Paragraph),
        (doc.Paragraph, doc.Tiles),
        (doc.Tiles, doc.Items),
    )
    return any(isinstance(first, before) and isinstance(second, after) for before, after in pairs)


def _footer(document: doc.Document, width: int, *, details: bool) -> Iterator[doc.Line]:
    """Yield the last lines of a document: the next command, and how to see details or a page.

    Args:
        document: The document.
        width: Number of columns of the terminal.
        details: True if the details are shown already.
    """
    if document.onward is not None:
        words, command = document.onward
        yield f"{words}: ", doc.Command(command)
    if document.written:
        yield f"Full report written: {document.written}"
    elif document.more and document.has_details and not details:
        whole = doc.Command(f"{document.more} --details")
        page = " (or --html report.html)" if document.has_page else ""
        has_room = cell_len(f"Full report: {whole.text}{page}") <= width
        yield ("Full report: ", whole, page) if has_room else (f"Full report{page}: ", whole)
    elif document.more and document.has_page:
        yield "As a page: ", doc.Command(f"{document.more} --html report.html")


def _widths(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Choose column widths of a table that fit the line; prose is narrowed first, then figures, then row names.

    Args:
        rows: The cells of each row.
        room: Width of the line.
    """
    columns = list(zip(*rows, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    words = [max(map(_longest_word, column)) for column in columns]
    whole = [max(_longest_word(head), *map(_least_width, body), 0) for head, *body in columns]
    ones = [1] * len(columns)
    for floors in (whole, words, [*words[:1], *ones[1:]], ones):
        while sum(widths) + _GAP * (len(widths) - 1) > room:
            wide = [index for index, width in enumerate(widths) if width > floors[index]]
            if not wide:
                break
            widths[max(wide, key=lambda of_column: widths[of_column])] -= 1
    return widths


def _least_width(cell: str) -> int:
    """Return a table cell's minimum width: of its longest word, or of the whole cell if it is short and has a digit."""
    is_figure = any(map(str.isdigit, cell)) and cell_len(cell) <= _LONGEST_FIGURE
    return cell_len(cell) if is_figure else _longest_word(cell)


def _longest_word(text: str) -> int:
    return max(map(cell_len, text.split()), default=0)


def inline(line: doc.Line) -> str:
    """Return the plain text of a document's line, with control characters in users' texts replaced."""
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
