"""Bars of shares on a common scale, drawn with characters for terminals and Markdown."""

from collections.abc import Iterator

from markscheme.phrases import signed
from markscheme.report.document import Bars, Mark
from markscheme.text import printable

_WIDEST, _NARROWEST = 51, 11
"""Largest and smallest width of a chart's line in characters; odd, so that 50% is in the middle, and at least 11 for
steps of 10%."""
_LINE, _LOW, _HIGH, _POINT, _TARGET = "─├┤●▲"


def drawn(bars: Bars, width: int) -> Iterator[str]:
    """Yield the lines of a bar chart drawn with characters, at most `width` columns wide."""
    names = max(len(name) for name, _ in bars.rows)
    texts = max(len(mark.text) for _, mark in bars.rows)
    room = max(_NARROWEST, min(_WIDEST, width - names - texts - 6))
    yield " " * (names + 4) + (_named_axis(bars, room) if bars.axis else _axis(room))
    for name, mark in bars.rows:
        yield f"  {printable(name):<{names}}  {_track(mark, room)}  {mark.text}"
    target = next((name for name, mark in bars.rows if mark.role == "target"), "")
    yield (
        " " * (names + 4)
        + f"{_POINT} {'mean' if bars.axis else 'estimate'}  {_LOW}{_HIGH} {bars.interval}"
        + (f"  {_TARGET} {target}" if target else "")
    )


def _axis(room: int) -> str:
    """Render the line of percentages above bars on a scale from 0 to 100%.

    Args:
        room: Number of columns for the bars.
    """
    cells = [" "] * (room + 4)
    for index in range(0, 101, 20 if room >= 31 else 50):
        label = "100%" if index == 100 else str(index)
        start = max(0, round((room - 1) * index / 100) - len(str(index)) // 2)
        cells[start : start + len(label)] = label
    return "".join(cells).rstrip()


def _named_axis(bars: Bars, room: int) -> str:
    """Render the line of numbers above bars on another scale than per cent.

    Args:
        bars: The bars, with the numbers to write on their axis.
        room: Number of columns that the bars take.
    """
    cells = [" "] * (room + 4)
    scale = bars.rows[0][1]
    for value in bars.axis:
        label = signed(value, 0 if value == round(value) else 1)
        start = max(0, round((room - 1) * scale.place(value)) - len(label) // 2)
        cells[start : start + len(label)] = label
    return "".join(cells).rstrip()


def _track(mark: Mark, room: int) -> str:
    is_target = mark.role == "target"
    cells = [" " if is_target else _LINE] * room
    point = _TARGET if is_target else _POINT
    further = [(value, point) for value in mark.also]
    for limit, sign in ((mark.low, _LOW), (mark.high, _HIGH), (mark.value, point), *further):
        if limit is not None:
            cells[round((room - 1) * mark.place(limit))] = sign
    return "".join(cells)
