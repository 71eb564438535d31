"""Curves drawn with characters, for a terminal, and as a few points, for Markdown."""

from collections.abc import Iterator

from markscheme.phrases import rounded
from markscheme.report.document import Curve, CurveSeries
from markscheme.text import printable

EIGHTHS = "▁▂▃▄▅▆▇█"
"""A cell filled by one to eight eighths."""
MOST_COLUMNS = 60
"""Characters of a line at most: longer ones tell no more."""
POINTS = 6
"""Steps in a table of a curve."""


def line_of(series: CurveSeries, highest: float, columns: int) -> str:
    """Render a series as a line of eighth blocks, with its last value.

    >>> line_of(CurveSeries("as read", (0, 1, 1, 2)), 2, 10)
    ' ▄▄█ 2'
    """
    values = series.values
    width = min(columns, len(values))
    places = [((column + 1) * len(values)) // width - 1 for column in range(width)]
    cells = "".join(_cell(values[index] / highest) for index in places)
    return f"{cells} {rounded(values[-1], 1)}" if values else "–"


def _cell(share: float) -> str:
    eighths = round(share * len(EIGHTHS))
    return EIGHTHS[eighths - 1] if eighths else " "


def drawn_curve(curve: Curve, width: int) -> Iterator[str]:
    """Yield the lines of the picture, at most `width` columns wide."""
    names = max(len(line.name) for line in curve.series)
    room = max(1, min(MOST_COLUMNS, width - names - 12))
    for line in curve.series:
        yield f"  {printable(line.name):<{names}}  {line_of(line, curve.highest, room)}"


def points_of(curve: Curve) -> tuple[int, ...]:
    """Choose up to six steps at even distances, the last one among them.

    >>> points_of(Curve((CurveSeries("as read", (1.0,) * 60),), "modes", "outputs", ""))
    (10, 20, 30, 40, 50, 60)
    """
    points = (round(curve.length * index / POINTS) for index in range(1, POINTS + 1))
    return tuple(dict.fromkeys(max(1, point) for point in points))
