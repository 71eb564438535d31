"""Plots as charts of matplotlib or Altair, whichever is installed, for notebooks; neither is needed for a page."""

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from textwrap import wrap
from typing import Any, Final

from markscheme.errors import UsageError
from markscheme.report.plot import Plot, PlotBand, PlotBar, PlotLine, PlotMark, PlotPoint, PlotRole, PlotRule

COLOURS: Final[Mapping[PlotRole, str]] = {
    "judge": "#0b57d0",
    "annotators": "#14692f",
    "baseline": "#7a4b00",
    "target": "#6a4c93",
    "wrong": "#c2410c",
    "plain": "#767676",
}
"""Colours of a plot's marks by their role, as in the light theme of the HTML pages."""
_BAND: Final = "#dcebf9"
_INCH: Final = 96.0
"""Pixels in an inch."""
_WIDTH: Final = 560
"""Width of a chart in pixels."""
_TITLE: Final = 80
"""Largest number of characters in a line of a chart's title."""


def chart(plot: Plot) -> Any:
    """Draw a plot as axes of matplotlib, or as a chart of Altair if only that is installed.

    Raises:
        UsageError: Neither library is installed.
    """
    if find_spec("matplotlib") is not None:
        return matplotlib_axes(plot)
    if find_spec("altair") is not None:
        return altair_chart(plot)
    raise UsageError("`plot()` draws with matplotlib or Altair, and neither is installed; `to_html()` needs neither")


# --- matplotlib -----------------------------------------------------------------------------------------------------


def matplotlib_axes(plot: Plot) -> Any:
    """Draw a plot on new axes of matplotlib and return them."""
    from matplotlib import pyplot

    _, axes = pyplot.subplots(figsize=(_WIDTH / _INCH, plot.height * 1.4 / _INCH), layout="constrained")
    for mark in plot.marks:
        _draw(mark, axes)
    axes.set_xlim(plot.x.low, plot.x.high)
    axes.set_ylim(plot.y.low, plot.y.high)
    axes.set_xticks([value for value, _ in plot.x.ticks], [words for _, words in plot.x.ticks])
    axes.set_yticks([value for value, _ in plot.y.ticks], [words for _, words in plot.y.ticks])
    axes.set_title("\n".join(wrap(plot.title, _TITLE)), fontsize="medium")
    axes.set(xlabel=plot.x.title, ylabel=plot.y.title)
    for words, role in plot.key:
        axes.plot([], [], "o", color=COLOURS[role], label=words)
    if plot.key:
        axes.legend()
    return axes


def _draw(mark: PlotMark, axes: Any) -> None:
    match mark:
        case PlotBand():
            axes.axvspan(mark.low, mark.high, color=_BAND)
        case PlotBar():
            width = mark.right - mark.left
            axes.bar(mark.left, mark.top - mark.base, width, bottom=mark.base, align="edge", color=COLOURS[mark.role])
        case PlotLine():
            axes.plot(*zip(*mark.points, strict=True), color=COLOURS[mark.role])
        case PlotRule():
            line = axes.axvline if mark.is_upright else axes.axhline
            line(mark.at, color=COLOURS[mark.role], linestyle="--", label=mark.text)
        case PlotPoint():
            if mark.low is not None and mark.high is not None:
                axes.plot([mark.x, mark.x], [mark.low, mark.high], color=COLOURS[mark.role], linewidth=3)
            axes.plot(mark.x, mark.y, "o", color=COLOURS[mark.role])


# --- Altair -----------------------------------------------------------------------------------------------------------


def altair_chart(plot: Plot) -> Any:
    """Return a plot as a chart of Altair, which has a layer for each mark."""
    import altair

    x = altair.X("x:Q", axis=_axis(altair, plot.x.ticks), scale=_scale(altair, plot.x)).title(plot.x.title)
    y = altair.Y("y:Q", axis=_axis(altair, plot.y.ticks), scale=_scale(altair, plot.y)).title(plot.y.title)
    layers = [layer for mark in plot.marks for layer in _layers(mark, plot, altair, x, y)]
    return altair.layer(*layers).properties(title=wrap(plot.title, _TITLE), width=_WIDTH, height=plot.height)


def _axis(altair: Any, ticks: tuple[tuple[float, str], ...]) -> Any:
    """Return an Altair axis whose ticks show the given texts instead of their values."""
    words = "{" + ", ".join(f"{value!r}: {text!r}" for value, text in ticks) + "}"
    return altair.Axis(values=[value for value, _ in ticks], labelExpr=f"({words})[datum.value]")


def _scale(altair: Any, axis: Any) -> Any:
    return altair.Scale(domain=[axis.low, axis.high], nice=False)


def _layers(mark: PlotMark, plot: Plot, altair: Any, x: Any, y: Any) -> Iterator[Any]:
    def of(*rows: Mapping[str, Any]) -> Any:
        return altair.Chart(altair.Data(values=list(rows)))

    row: Mapping[str, Any]
    match mark:
        case PlotBand():
            row = {"x": mark.low, "x2": mark.high, "y": plot.y.low, "y2": plot.y.high}
            yield of(row).mark_rect(color=_BAND).encode(x=x, x2="x2:Q", y=y, y2="y2:Q")
        case PlotBar():
            row = {"x": mark.left, "x2": mark.right, "y": mark.base, "y2": mark.top, "says": mark.says}
            bar = of(row).mark_rect(color=COLOURS[mark.role])
            yield bar.encode(x=x, x2="x2:Q", y=y, y2="y2:Q", tooltip="says:N")
        case PlotLine():
            rows = [{"x": across, "y": up, "step": step} for step, (across, up) in enumerate(mark.points)]
            yield of(*rows).mark_line(color=COLOURS[mark.role]).encode(x=x, y=y, order="step:Q")
        case PlotRule():
            drawn = of({"x" if mark.is_upright else "y": mark.at, "says": mark.text})
            rule = drawn.mark_rule(color=COLOURS[mark.role], strokeDash=[4, 4])
            yield rule.encode(x=x, tooltip="says:N") if mark.is_upright else rule.encode(y=y, tooltip="says:N")
        case PlotPoint():
            row = {"x": mark.x, "y": mark.y, "says": mark.says}
            if mark.low is not None and mark.high is not None:
                span = of({"x": mark.x, "y": mark.low, "y2": mark.high}).mark_rule(strokeWidth=3)
                yield span.encode(x=x, y=y, y2="y2:Q", color=altair.value(COLOURS[mark.role]))
            point = of(row).mark_point(filled=True, opacity=1, size=60, color=COLOURS[mark.role])
            yield point.encode(x=x, y=y, tooltip="says:N")
