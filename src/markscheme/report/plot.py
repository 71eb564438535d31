"""The block for a plot: its axes, the marks between them, and a table of the same figures."""

from dataclasses import dataclass
from typing import Literal

from markscheme.report.document import Block, Table

PlotRole = Literal["judge", "annotators", "baseline", "target", "wrong", "plain"]
"""Role of a mark, which determines its colour and shape in all plots of a page."""


@dataclass(frozen=True)
class Axis:
    """An axis of a plot: its two ends, in the unit of the plotted figures, and its ticks.

    Attributes:
        low: Lower end.
        high: Upper end, above `low`.
        ticks: Value and words of each tick.
        title: Name of the quantity along the axis; None if the ticks make that clear.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str | None = None

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"an axis from {self.low} to {self.high}")

    def share(self, value: float) -> float:
        """Return the position of a value on the axis, from 0 at its lower end to 1 at its upper end."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    @classmethod
    def of_shares(cls) -> "Axis":
        """Make an axis of shares with ticks in per cent, from 0 to 100%."""
        return cls(0.0, 1.0, tuple((n / 100, f"{n}%" if n == 100 else str(n)) for n in (0, 20, 40, 60, 80, 100)))

    @classmethod
    def of_fractions(cls, title: str | None = None) -> "Axis":
        """Make an axis with ticks in decimals, from 0 to 1."""
        return cls(0.0, 1.0, tuple((fifths / 5, f"{fifths / 5:g}") for fifths in range(6)), title)

    @classmethod
    def counting(cls, most: float, title: str | None = None) -> "Axis":
        """Make an axis of counts, from 0 to the round number above `most`, with about four ticks.

        Args:
            most: The largest count.
            title: Title of the axis; None for none.
        """
        steps = (factor * 10**power for power in range(9) for factor in (1, 2, 5))
        step = next(step for step in steps if step * MOST_TICKS >= most)
        high = step * max(1, -(-most // step))
        return cls(0.0, high, tuple((n * step, f"{n * step:g}") for n in range(round(high / step) + 1)), title)


MOST_TICKS = 5
"""Largest number of steps on an axis of counts; more labels would overlap on a phone."""


@dataclass(frozen=True)
class PlotPoint:
    """A point of a plot, with its interval if it has one.

    Attributes:
        x: Position on the horizontal axis.
        y: Position on the vertical axis.
        low: Lower end of its vertical interval; None without one.
        high: Upper end of its vertical interval; None without one.
        says: Text that is shown to a reader who points at it; None to show no text.
        role: Role of the point, which determines its colour and shape.
        ids: Ids of the examples behind it, which a page opens.
    """

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    says: str | None = None
    role: PlotRole = "judge"
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlotLine:
    """A line of a plot through points in their order."""

    points: tuple[tuple[float, float], ...]
    role: PlotRole = "judge"


@dataclass(frozen=True)
class PlotRule:
    """A straight line with a name across the plot at one value.

    It is vertical for a value of the lower axis, else horizontal.
    """

    at: float
    text: str
    is_upright: bool = False
    role: PlotRole = "target"


@dataclass(frozen=True)
class PlotBand:
    """A shaded range of a plot's horizontal axis, such as a gray zone."""

    low: float
    high: float


@dataclass(frozen=True)
class PlotBar:
    """A bar of a plot: a rectangle between two values of the lower axis and between two heights.

    Attributes:
        left: Value of the lower axis at its left side.
        right: Value of the lower axis at its right side.
        base: Height of its lower side.
        top: Height of its upper side.
        says: Text that is shown to a reader who points at it.
        role: Role of the bar, which determines its colour.
    """

    left: float
    right: float
    base: float
    top: float
    says: str
    role: PlotRole = "judge"


PlotMark = PlotPoint | PlotLine | PlotRule | PlotBand | PlotBar


@dataclass(frozen=True)
class Plot(Block):
    """A plot, which HTML pages draw; text shows its table instead.

    Attributes:
        title: Title in a few words.
        x: The horizontal axis.
        y: The vertical axis.
        marks: The marks, from the back to the front.
        table: Table of the plotted figures.
        caption: Caption, which says what each colour and shape means.
        key: The legend: words and role of each kind of mark.
        height: Height in pixels.
    """

    title: str
    x: Axis
    y: Axis
    marks: tuple[PlotMark, ...]
    table: Table
    caption: str | None = None
    key: tuple[tuple[str, PlotRole], ...] = ()
    height: int = 220
