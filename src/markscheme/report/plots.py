"""Curves and reliability diagrams as plots, which pages draw; text has them in characters or not at all."""

from markscheme.phrases import rounded
from markscheme.report.curves import points_of
from markscheme.report.document import Curve, CurveSeries, Table
from markscheme.report.figures import share
from markscheme.report.page_blocks import Reliability
from markscheme.report.plot import Axis, Plot, PlotLine, PlotMark, PlotPoint, PlotRole

_SERIES_ROLES: tuple[PlotRole, ...] = ("judge", "baseline", "annotators")


def plot_of(block: Curve | Reliability) -> Plot:
    """Make a plot of the block, with its figures as a table."""
    return _of_curve(block) if isinstance(block, Curve) else _of_reliability(block)


def _of_curve(curve: Curve) -> Plot:
    roles = dict(zip([series.name for series in curve.series], _SERIES_ROLES, strict=False))
    rows = tuple((str(step), *(_value_at(series, step) for series in curve.series)) for step in points_of(curve))
    lines = [
        PlotLine(tuple((float(step), value) for step, value in enumerate(series.values, start=1)), roles[series.name])
        for series in curve.series
        if series.name in roles
    ]
    return Plot(
        title=f"{curve.counts[:1].upper()}{curve.counts[1:]} after so many {curve.steps}.",
        x=Axis.counting(curve.length, curve.steps),
        y=Axis.counting(curve.highest, curve.counts),
        marks=tuple(lines),
        table=Table((curve.steps, *(series.name for series in curve.series)), rows),
        caption=curve.caption,
        key=tuple(roles.items()),
        height=180,
    )


def _value_at(series: CurveSeries, step: int) -> str:
    return rounded(series.values[step - 1], 1) if step <= len(series.values) else "–"


def _of_reliability(diagram: Reliability) -> Plot:
    points = [PlotPoint(point.x, point.y, point.low, point.high, point.says) for point in diagram.points]
    marks: tuple[PlotMark, ...] = (
        PlotLine(((0.0, 0.0), (1.0, 1.0)), "plain"),
        PlotLine(diagram.line, "target"),
        *points,
    )
    rows = tuple(
        (share(point.x), share(point.y), "–" if point.low is None else f"{share(point.low)} to {share(point.high)}")
        for point in diagram.points
    )
    return Plot(
        title="Reliability.",
        x=Axis.of_fractions("judge's probability"),
        y=Axis.of_fractions("share that passes by the labels"),
        marks=marks,
        table=Table(("judge's probability", "share that passes", "95% CI"), rows),
        caption=(
            f"{diagram.caption} On the diagonal it says what happens; below it is too sure. The line rises as far as "
            "the labels do."
        ),
        key=(("examples of similar probability", "judge"), ("best rising line", "target"), ("diagonal", "plain")),
    )
