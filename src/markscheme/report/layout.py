"""Words broken into lines, and columns side by side, for a terminal.

The lines are those that rich draws, which takes as long to load as all of a calibration's statistics take to compute;
only its table of how wide characters are is used.
"""

import re
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells

_WORD = re.compile(r"\s*\S+\s*")


def wrapped(text: str, width: int) -> list[str]:
    """The lines of a printable text, broken at spaces, and within a word only where it is wider than a line.

    Args:
        text: In one line.
        width: Columns of a line, 1 or more.

    Example:
        >>> wrapped("labels of two annotators", 10), wrapped("annotators", 4)
        (['labels of', 'two', 'annotators'], ['anno', 'tato', 'rs'])
    """
    if cell_len(text) <= width:
        return [text.rstrip()]
    starts = [0]
    room = width
    for word in _WORD.finditer(text):
        needed = cell_len(word.group().rstrip())
        if needed <= room:
            room -= cell_len(word.group())
        elif needed > width:
            start = word.start()
            pieces = chop_cells(word.group(), width)
            for piece in pieces:
                starts.append(start)
                start += len(piece)
            room = width - cell_len(pieces[-1])
        else:
            starts.append(word.start())
            room = width - cell_len(word.group())
    starts = list(dict.fromkeys(starts))
    ends = [*starts[1:], len(text)]
    return [text[start:end].rstrip() for start, end in zip(starts, ends, strict=True)]


def column_widths(rows: Sequence[Sequence[str]], width: int, *, gap: int, fixed: int = 0) -> list[int]:
    """Widths of columns that fit: each is as wide as its widest cell, and the widest are narrowed until all fit.

    Args:
        rows: Cells of each row; a short row lacks its last ones.
        width: Columns of the terminal.
        gap: Columns between two of them.
        fixed: How many columns, from the left, are never narrowed.

    Example:
        >>> column_widths([["name", "what it is"]], 12, gap=2)
        [4, 6]
    """
    n = max(map(len, rows), default=0)
    gaps = [gap] * (n - 1) + [0]
    natural = [max(cell_len(row[place]) for row in rows if place < len(row)) for place in range(n)]
    widths = [min(width, words + after) for words, after in zip(natural, gaps, strict=False)]
    while (excess := sum(widths) - width) > 0:
        narrowed = {place: widths[place] for place in range(fixed, n) if widths[place] > gaps[place] + 1}
        if not narrowed:
            break
        widest = max(narrowed.values())
        step = widest - max((wide for wide in narrowed.values() if wide < widest), default=0)
        places = [place for place, wide in narrowed.items() if wide == widest]
        for number, place in enumerate(places):
            cut = min(step, round(excess / (len(places) - number)))
            widths[place] -= cut
            excess -= cut
    return [wide - after for wide, after in zip(widths, gaps, strict=False)]


def in_columns(cells: Sequence[str], widths: Sequence[int], *, gap: int, at_bottom: bool = False) -> list[str]:
    """The lines of a row whose cells are wrapped to the widths of their columns.

    Args:
        cells: Of each column.
        widths: Of each column.
        gap: Columns between two of them.
        at_bottom: Whether cells of fewer lines stand at the bottom, as headings do.

    Example:
        >>> in_columns(["-", "two words"], [1, 5], gap=1)
        ['- two', '  words']
    """
    columns = [wrapped(cell, max(1, width)) for cell, width in zip(cells, widths, strict=False)]
    height = max(map(len, columns), default=0)
    for column in columns:
        missing = [""] * (height - len(column))
        column[:] = [*missing, *column] if at_bottom else [*column, *missing]
    padded = [
        [line + " " * (width - cell_len(line) + gap) for line in column]
        for column, width in zip(columns, widths, strict=False)
    ]
    return ["".join(line).rstrip() for line in zip(*padded, strict=True)]
