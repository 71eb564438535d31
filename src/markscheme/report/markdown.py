"""Render a Document as Markdown, for a pull request or a step summary."""

import re
from collections.abc import Iterable, Iterator

from markscheme.phrases import rounded
from markscheme.report import document as doc
from markscheme.report.bars import drawn
from markscheme.report.curves import points_of
from markscheme.report.figures import cut_short
from markscheme.text import on_one_line, printable

_WIDTH = 80
"""Width of charts in characters."""
_MOST_IDS = 8
"""Largest number of ids in a row, which is about a line of a comment on a pull request."""
_MOST_EXAMPLES = 5
"""Largest number of examples to read first; the HTML page has all."""
_MOST_FIRST = 2
"""Largest number of examples whose texts are shown."""
_LONGEST_REASON = 500
"""Largest number of characters of a judge's reason: about five lines."""
_IN_PICTURES = str.maketrans("`<>", "'‹›")
"""Replacements for characters that could end a code block, or that some renderers read as a tag."""
_ACTED_ON = re.compile(r"[\\`*_{}\[\]>#|@!$]|<(?!\d)|(?<! )~")
"""Pattern of characters with a meaning in Markdown; `<` before a digit opens no tag, and `~` after a blank closes no
strikethrough."""


def render_markdown(document: doc.Document) -> str:
    """Render a document as Markdown; external text is escaped."""
    lines = "\n".join(_document(document, 2))
    return re.sub("\n{3,}", "\n\n", lines).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    """Escape a text for one line of Markdown, so that nothing in it acts as markup, link, mention or table cell."""
    return _ACTED_ON.sub(r"\\\g<0>", on_one_line(text))


def _document(document: doc.Document, depth: int) -> Iterator[str]:
    yield f"{'#' * depth} {escaped(document.title)}"
    yield ""
    if document.source:
        yield escaped(document.source)
    for block in doc.in_text((*document.blocks, *document.sections)):
        yield from _block(block, depth + 1)
    for part in document.parts:
        yield ""
        yield from _document(part, depth + 1)


def _block(block: doc.Block, depth: int) -> Iterator[str]:
    yield ""
    match block:
        case doc.Section():
            yield f"{'#' * depth} {escaped(block.title)}"
            for inner in doc.in_text(block.blocks):
                yield from _block(inner, depth + 1)
        case doc.Callout():
            lines = [escaped(block.text)] if block.text else []
            lines += [_code(block.command)] if block.command else []
            yield " ".join([f"> **{doc.TONE_SIGNS[block.tone]} {escaped(block.head)}**", *lines])
        case doc.Paragraph() | doc.Notes():
            for line in block.lines:
                yield inline(line)
                yield ""
        case doc.Items():
            for head, *more in block.items[:_MOST_FIRST] if block.are_examples else block.items:
                yield f"- {inline(head)}"
                yield from (f"  {inline(line)}" for line in more)
        case doc.Verbatim():
            fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", block.text)), 0)
            yield fence + "text"
            yield from map(printable, block.text.splitlines())
            yield fence
        case doc.Table():
            if block.caption:
                yield escaped(block.caption)
                yield ""
            yield _row(escaped(heading) for heading in block.headings)
            yield _row("---" for _ in block.headings)
            yield from (_row(inline(cell) for cell in row) for row in block.rows)
        case doc.Bars():
            yield "```text"
            yield from (line.translate(_IN_PICTURES) for line in drawn(block, _WIDTH))
            yield "```"
            yield ""
            yield escaped(block.caption)
        case doc.Curve():
            points = points_of(block)
            yield _row(escaped(heading) for heading in (f"{block.counts} after … {block.steps}", *map(str, points)))
            yield _row("---" for _ in range(len(points) + 1))
            for name, values in block.series.items():
                shown = (values[min(point, len(values)) - 1] for point in points if values)
                yield _row([escaped(name), *(rounded(value, 1) for value in shown)])
            yield ""
            yield escaped(block.caption)
        case doc.Tiles():
            for label, words, ids, _ in block.tiles:
                named = f": {inline(ids)}" if ids.ids else ""
                yield f"- **{escaped(label)}**: {escaped(words)}{named}"
        case doc.Cards():
            yield from _cards(block)
        case doc.Facts():
            yield from (f"- {escaped(name)}: {escaped(value)}" for name, value in block.rows)
        case doc.Examples():
            for case in block.cases[: min(_MOST_EXAMPLES, block.differing)]:
                reason = cut_short(case.reason, _LONGEST_REASON)
                why = f" Judge on {escaped(case.reason_on or '')}: “{escaped(reason)}”" if reason else ""
                words = f" {escaped(case.words)}" if case.words else ""
                yield f"- {escaped(case.id)}: {escaped(case.head)}{'.' if words or why else ''}{words}{why}"
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cards(block: doc.Cards) -> Iterator[str]:
    for ordinal, card in enumerate(block.cards, start=1):
        text = f" · {escaped(card.text)}" if card.text else ""
        yield f"{ordinal}. **{inline(card.title)}**{text}"
        for row in card.rows:
            yield f"   - {inline(row)}"
        for line in card.below():
            yield ""
            yield f"   {inline(line)}"


def inline(line: doc.Line) -> str:
    """Render one line of a document as Markdown, with its names, ids and commands."""
    return "".join(_piece(piece) for piece in (line if isinstance(line, tuple) else (line,)))


def _piece(piece: doc.Piece) -> str:
    match piece:
        case str():
            return _kept_spaces(piece)
        case doc.Command():
            return _code(piece.text)
        case doc.Ids():
            more = f" and {len(piece.ids) - _MOST_IDS} more" if len(piece.ids) > _MOST_IDS else ""
            return ", ".join(map(escaped, piece.ids[:_MOST_IDS])) + more
        case doc.Count():
            return str(piece.n)
        case _:
            return escaped(piece.text)


def _kept_spaces(text: str) -> str:
    """Escape text for Markdown, keeping a blank at its beginning or end."""
    inner = escaped(text)
    before, after = (" " if text[:1].isspace() else ""), (" " if text[-1:].isspace() and inner else "")
    return f"{before}{inner}{after}"


def _code(text: str) -> str:
    return f"`{' '.join(text.replace('`', chr(39)).split())}`"
