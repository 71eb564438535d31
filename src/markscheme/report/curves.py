"""Curves, drawn with characters for terminals and reduced to a few points for Markdown."""

from collections.abc import Iterator, Sequence

from markscheme.phrases import rounded
from markscheme.report.document import Curve
from markscheme.text import printable

EIGHTHS = "▁▂▃▄▅▆▇█"
"""Characters of a cell that is filled by one to eight eighths, to draw curves."""
MOST_COLUMNS = 60
"""Largest number of columns of a curve's line."""
POINTS = 6
"""Largest number of steps in a table of a curve."""


def line_of(values: Sequence[float], highest: float, columns: int) -> str:
    """Render a curve as a line of at most `columns` block characters, followed by the curve's last value.

    Args:
        values: The curve's values.
        highest: The value that the tallest block character shows.
        columns: Largest number of block characters.

    Example:
        >>> line_of((0, 1, 1, 2), 2, 10)
        ' ▄▄█ 2'
    """
    width = min(columns, len(values))
    places = [((column + 1) * len(values)) // width - 1 for column in range(width)]
    cells = "".join(_cell(values[index] / highest) for index in places)
    return f"{cells} {rounded(values[-1], 1)}" if values else "–"


def _cell(share: float) -> str:
    eighths = round(share * len(EIGHTHS))
    return EIGHTHS[eighths - 1] if eighths else " "


def drawn_curve(curve: Curve, width: int) -> Iterator[str]:
    """Yield the lines that draw a curve with characters, one line per series, at most `width` columns wide."""
    names = max(map(len, curve.series))
    room = max(1, min(MOST_COLUMNS, width - names - 12))
    for name, values in curve.series.items():
        yield f"  {printable(name):<{names}}  {line_of(values, curve.highest, room)}"


def points_of(curve: Curve) -> tuple[int, ...]:
    """Choose the steps of a curve to list in Markdown: up to six, evenly spaced, with the last one.

    >>> points_of(Curve({"as read": (1.0,) * 60}, "modes", "outputs", ""))
    (10, 20, 30, 40, 50, 60)
    """
    points = (round(curve.length * index / POINTS) for index in range(1, POINTS + 1))
    return tuple(dict.fromkeys(max(1, point) for point in points))
