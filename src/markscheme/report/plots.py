"""Conversion of bars, curves and scatter blocks to plots, for HTML pages and notebooks."""

from collections.abc import Iterable, Iterator, Sequence

from markscheme.phrases import rounded
from markscheme.report.curves import points_of
from markscheme.report.document import Bars, Block, Curve, Document, Mark, OnPages, Section, Table
from markscheme.report.page_blocks import Scatter
from markscheme.report.plot import Axis, Plot, PlotLine, PlotMark, PlotPoint, PlotRole, PlotRule

_SERIES_ROLES: tuple[PlotRole, ...] = ("judge", "baseline", "annotators")
_Drawable = Plot | Bars | Curve | Scatter


def first_plot(document: Document) -> Plot | None:
    """Return the first plot, bars, curve or scatter block of a document as a plot; None if it has none."""
    block = next(_drawable((*document.blocks, *document.sections)), None)
    if block is not None:
        return plot_of(block)
    plots = (first_plot(one_document) for one_document in document.parts)
    return next((plot for plot in plots if plot is not None), None)


def _drawable(blocks: Iterable[Block]) -> Iterator[_Drawable]:
    for block in blocks:
        if isinstance(block, _Drawable):
            yield block
        elif isinstance(block, Section | OnPages):
            yield from _drawable(block.blocks)


def plot_of(block: _Drawable) -> Plot:
    """Convert a block of bars, a curve or a scatter to a Plot, with its figures as a table."""
    match block:
        case Plot():
            return block
        case Curve():
            return _of_curve(block)
        case Scatter():
            return _of_scatter(block)
        case Bars():
            return _of_bars(block)


def _of_curve(curve: Curve) -> Plot:
    roles = dict(zip(curve.series, _SERIES_ROLES, strict=False))
    columns = curve.series.values()
    rows = tuple((str(step), *(_value_at(values, step) for values in columns)) for step in points_of(curve))
    lines = [
        PlotLine(tuple((float(step), value) for step, value in enumerate(values, start=1)), roles[name])
        for name, values in curve.series.items()
        if name in roles
    ]
    return Plot(
        title=f"{curve.counts[:1].upper()}{curve.counts[1:]} after so many {curve.steps}.",
        x=Axis.counting(curve.length, curve.steps),
        y=Axis.counting(curve.highest, curve.counts),
        marks=tuple(lines),
        table=Table((curve.steps, *curve.series), rows),
        caption=curve.caption,
        key=tuple(roles.items()),
        height=180,
    )


def _value_at(values: Sequence[float], step: int) -> str:
    return rounded(values[step - 1], 1) if step <= len(values) else "–"


def _of_scatter(block: Scatter) -> Plot:
    marks: tuple[PlotMark, ...] = (
        PlotLine(((0.0, 0.0), (1.0, 1.0)), "plain"),
        PlotRule(block.pass_mark, "pass mark", is_upright=True),
        PlotRule(block.pass_mark, "pass mark"),
        *block.dots,
    )
    rows = tuple((rounded(dot.x, 2), rounded(dot.y, 2), str(len(dot.ids))) for dot in block.dots)
    return Plot(
        title="The judge's scores against gold's.",
        x=Axis.of_fractions("gold score"),
        y=Axis.of_fractions("judge's score"),
        marks=marks,
        table=Table(("gold score", "judge's score", "examples"), rows),
        caption=block.caption,
        height=400,
    )


def _of_bars(block: Bars) -> Plot:
    """Convert bars to a plot with vertical bars, their names along the lower axis."""
    first = block.rows[0][1]
    with_value = [(index, name, mark) for index, (name, mark) in enumerate(block.rows) if mark.value is not None]
    axis = Axis.of_shares() if (first.lowest, first.highest) == (0.0, 1.0) else _axis_of(block, first)
    return Plot(
        title=block.caption.partition(". ")[0].removesuffix("."),
        x=Axis(-0.5, len(block.rows) - 0.5, tuple((float(index), name) for index, (name, _) in enumerate(block.rows))),
        y=axis,
        marks=tuple(mark_ for index, name, mark in with_value for mark_ in _upright(index, name, mark)),
        table=Table(("", block.interval), tuple((name, mark.text) for name, mark in block.rows)),
        caption=block.caption,
    )


def _axis_of(block: Bars, mark: Mark) -> Axis:
    named = block.axis or (mark.lowest, mark.highest)
    return Axis(mark.lowest, mark.highest, tuple((value, f"{value:g}") for value in named))


def _upright(index: int, name: str, mark: Mark) -> Iterator[PlotMark]:
    role: PlotRole = "plain" if mark.role == "chance" else mark.role
    if mark.least is not None:
        yield PlotLine(((index - 0.3, mark.least), (index + 0.3, mark.least)), "target")
    for value in (mark.value, *mark.also):
        if value is not None:
            low, high = (mark.low, mark.high) if value == mark.value else (None, None)
            yield PlotPoint(float(index), value, low, high, says=f"{name}: {mark.text}", role=role)
