"""Text broken into lines and columns for a terminal, whose cells a letter takes none, one or two of."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile, zip_longest
from operator import not_
from types import ModuleType

from markscheme.report.curves import EIGHTHS

GLUE = "\ue000"
"""What stands for the spaces of a command while lines are broken."""
GAP = 2
"""Gap between the columns of a table."""
OF_ONE_CELL = frozenset([*map(chr, range(ord(" "), ord("~") + 1)), *"–−·→×≤“”’…✓↗✗─├┤●▲", *EIGHTHS, GLUE])
"""Characters of one cell each: ASCII and the signs that screens are drawn with."""
_TOKEN = re.compile(r"\S+|\s+")
_WORD = re.compile(r"\s*\S+\s*")


def cells_of(text: str) -> int:
    """Return how many cells a text takes."""
    return len(text) if OF_ONE_CELL.issuperset(text) else int(_of_rich().cell_len(text))


def _of_rich() -> ModuleType:
    """Load what knows characters of no cell and of two, which most screens have none of."""
    from rich import cells

    return cells


def broken(text: str, width: int) -> list[str]:
    """Return the lines of a text, broken between words; of words that are wider, commands stay whole."""
    lines = []
    for paragraph in text.split("\n"):
        line = blanks = ""
        for token in _TOKEN.findall(paragraph):
            if token.isspace():
                blanks = token
                continue
            if line.strip() and cells_of(line + blanks + token) > width:
                lines.append(line)
                line = blanks = ""
            word, blanks = blanks + token, ""
            *pieces, last = [word] if GLUE in word else _chopped(word, width)
            lines += pieces
            line += last
        lines.append(line)
    return lines


def _folded(text: str, width: int) -> list[str]:
    """Return the lines of a cell, broken between words; one that is wider is cut with the blanks after it."""
    lines = [""]
    for word in _WORD.findall(text):
        needed = cells_of(word.rstrip())
        if cells_of(lines[-1]) + needed <= width:
            lines[-1] += word
        else:
            lines += [word] if needed <= width else _chopped(word, width)
    return list(dropwhile(not_, lines)) or [""]


def _chopped(word: str, width: int) -> list[str]:
    """Cut a word into pieces that fit a width, none of them within a character of two cells."""
    if OF_ONE_CELL.issuperset(word):
        return [word[start : start + width] for start in range(0, len(word), width)]
    return list(_of_rich().chop_cells(word, width))


def shrunk(widths: Sequence[int], room: int) -> list[int]:
    """Return the widths of columns that fit a room: of those with their gaps, the widest is narrowed first."""
    *others, last = widths
    whole = [min(width, room) for width in (*(width + GAP for width in others), max(last, 1))]
    while (excess := sum(whole) - room) > 0 and any(whole):
        widest = max(whole)
        above_next = widest - max((width for width in whole if width < widest), default=0)
        indices = [index for index, width in enumerate(whole) if width == widest]
        for position, index in enumerate(indices):
            share = min(above_next, round(excess / (len(indices) - position)))
            whole[index] -= share
            excess -= share
    return [*(width - GAP for width in whole[:-1]), whole[-1]]


def row_lines(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    """Yield the lines of rows, each cell broken to the width of its column."""
    for row in rows:
        for pieces in zip_longest(*map(_folded, row, widths), fillvalue=""):
            yield (" " * GAP).join(map(_filled, pieces, widths))


def heading_lines(headings: Sequence[str], widths: Sequence[int], styled: Callable[[str], str]) -> Iterator[str]:
    """Yield the lines of headings, which end on the last of them, each piece styled."""
    columns = list(map(_folded, headings, widths))
    gaps = [*[" " * GAP] * (len(columns) - 1), ""]
    for line in range(-max(map(len, columns)), 0):
        yield "".join(
            styled(_filled(column[line], width)) + styled(gap) if -line <= len(column) else styled(" " * width + gap)
            for column, width, gap in zip(columns, widths, gaps, strict=True)
        )


def _filled(text: str, width: int) -> str:
    """Return a line of a cell with blanks up to the width of its column."""
    shown = text.rstrip()
    return shown.ljust(width) if OF_ONE_CELL.issuperset(shown) else str(_of_rich().set_cell_size(shown, width))
