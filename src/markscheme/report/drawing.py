"""Plots as inline SVG: widths in per cent and heights in pixels, so that words stay readable on any screen."""

from collections.abc import Iterator
from html import escape

from markscheme.report.plot import Axis, Plot, PlotBand, PlotBar, PlotLine, PlotMark, PlotPoint, PlotRule

LEFTMOST = 9.0
"""Left edge of a plot's marks in per cent of the width; left of it are the labels of the vertical axis."""
RIGHTMOST = 97.0
"""Right edge of a plot's marks in per cent of the width, which leaves room for half a point and half a label."""
ABOVE = 22.0
"""Height in pixels above the marks, for words at their upper end."""
BELOW = 40.0
"""Height in pixels below the marks, for the labels and the title of the horizontal axis."""
RADIUS = 5.0
"""Radius of a point in pixels, large enough for a finger and small enough to distinguish two points."""


def drawn(plot: Plot) -> str:
    """Render a plot as inline SVG, with all text escaped."""
    height = ABOVE + plot.height + BELOW
    marks = "".join(mark_ for mark in plot.marks for mark_ in _mark(mark, plot))
    axes = "".join((*_upright(plot), *_lower(plot)))
    return (
        f'<svg class="plot" width="100%" height="{height:g}" role="img" aria-label="{escape(plot.title, quote=True)}">'
        f"{axes}{marks}</svg>"
    )


def _x(axis: Axis, value: float) -> str:
    return f"{LEFTMOST + (RIGHTMOST - LEFTMOST) * axis.share(value):.2f}%"


def _y(plot: Plot, value: float) -> str:
    return f"{ABOVE + plot.height * (1 - plot.y.share(value)):.1f}"


def _upright(plot: Plot) -> Iterator[str]:
    for value, words in plot.y.ticks:
        y = _y(plot, value)
        yield f'<line class="grid" x1="{LEFTMOST}%" x2="{RIGHTMOST}%" y1="{y}" y2="{y}"/>'
        yield f'<text x="{LEFTMOST - 1}%" y="{float(y) + 4:.1f}" text-anchor="end">{escape(words)}</text>'
    if plot.y.title:
        yield f'<text x="0" y="10">{escape(plot.y.title)}</text>'


def _lower(plot: Plot) -> Iterator[str]:
    bottom = ABOVE + plot.height
    for index, (value, words) in enumerate(plot.x.ticks):
        minor = ' class="minor"' if index % 2 and len(plot.x.ticks) > 4 else ""
        yield f'<text{minor} x="{_x(plot.x, value)}" y="{bottom + 16:g}" text-anchor="middle">{escape(words)}</text>'
    if plot.x.title:
        yield f'<text x="{RIGHTMOST}%" y="{bottom + 34:g}" text-anchor="end">{escape(plot.x.title)}</text>'


def _mark(mark: PlotMark, plot: Plot) -> Iterator[str]:
    match mark:
        case PlotBand():
            yield from _band(mark, plot)
        case PlotBar():
            yield from _bar(mark, plot)
        case PlotLine():
            yield from _line(mark, plot)
        case PlotRule():
            yield from _rule(mark, plot)
        case PlotPoint():
            yield from _point(mark, plot)


def _band(band: PlotBand, plot: Plot) -> Iterator[str]:
    width = (RIGHTMOST - LEFTMOST) * (plot.x.share(band.high) - plot.x.share(band.low))
    start = _x(plot.x, band.low)
    yield f'<rect class="band" x="{start}" width="{width:.2f}%" y="{ABOVE:g}" height="{plot.height}"/>'


def _bar(bar: PlotBar, plot: Plot) -> Iterator[str]:
    width = (RIGHTMOST - LEFTMOST) * (plot.x.share(bar.right) - plot.x.share(bar.left))
    top = float(_y(plot, bar.top))
    height = float(_y(plot, bar.base)) - top
    yield (
        f'<rect class="bar {bar.role}" x="{_x(plot.x, bar.left)}" width="{width:.2f}%" y="{top:.1f}" '
        f'height="{height:.1f}"><title>{escape(bar.says)}</title></rect>'
    )


def _line(line: PlotLine, plot: Plot) -> Iterator[str]:
    for (x1, y1), (x2, y2) in zip(line.points, line.points[1:], strict=False):
        yield (
            f'<line class="path {line.role}" x1="{_x(plot.x, x1)}" x2="{_x(plot.x, x2)}" '
            f'y1="{_y(plot, y1)}" y2="{_y(plot, y2)}"/>'
        )


def _rule(rule: PlotRule, plot: Plot) -> Iterator[str]:
    if rule.is_upright:
        x = _x(plot.x, rule.at)
        yield f'<line class="rule {rule.role}" x1="{x}" x2="{x}" y1="{ABOVE - 4:g}" y2="{ABOVE + plot.height:g}"/>'
        yield f'<text x="{x}" y="{ABOVE - 8:g}" text-anchor="middle">{escape(rule.text)}</text>'
        return
    y = _y(plot, rule.at)
    yield f'<line class="rule {rule.role}" x1="{LEFTMOST}%" x2="{RIGHTMOST}%" y1="{y}" y2="{y}"/>'
    yield f'<text x="{LEFTMOST}%" dx="4" y="{float(y) - 5:.1f}">{escape(rule.text)}</text>'


def _point(point: PlotPoint, plot: Plot) -> Iterator[str]:
    x = _x(plot.x, point.x)
    says = f"<title>{escape(point.says or '')}</title>"
    if point.low is not None and point.high is not None:
        low = _y(plot, point.low)
        high = _y(plot, point.high)
        yield f'<line class="span {point.role}" x1="{x}" x2="{x}" y1="{low}" y2="{high}"/>'
    yield f'<circle class="dot {point.role}" cx="{x}" cy="{_y(plot, point.y)}" r="{RADIUS:g}">{says}</circle>'
