"""A picture as a block of a document: its axes, what is drawn between them, and the table with the same figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markscheme.report.document import Block, Table

PlotRole = Literal["judge", "annotators", "baseline", "target", "wrong", "plain"]
"""What a mark shows; each role has one colour and shape on all pictures of a page."""


@dataclass(frozen=True)
class Axis:
    """An axis: its ends in the unit of the figures, and the values that it names.

    Attributes:
        low: Its lower end.
        high: Its upper end; above `low`.
        ticks: Value and words of each tick.
        title: What is drawn along it; None where its ticks say it.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    title: str | None = None

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"an axis from {self.low} to {self.high}")

    def share(self, value: float) -> float:
        """Return the position of a value on the axis, from 0 at its lower end to 1."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    @classmethod
    def of_shares(cls) -> "Axis":
        """Make an axis from 0 to 100%."""
        return cls(0.0, 1.0, tuple((n / 100, f"{n}%" if n == 100 else str(n)) for n in (0, 20, 40, 60, 80, 100)))

    @classmethod
    def of_fractions(cls, title: str | None = None) -> "Axis":
        """Make an axis from 0 to 1."""
        return cls(0.0, 1.0, tuple((fifths / 5, f"{fifths / 5:g}") for fifths in range(6)), title)

    @classmethod
    def counting(cls, most: float, title: str | None = None) -> "Axis":
        """Make an axis from 0 to the next round number, with about four ticks."""
        step = next(step for step in _steps() if step * MOST_TICKS >= most)
        high = step * max(1, -(-most // step))
        return cls(0.0, high, tuple((n * step, f"{n * step:g}") for n in range(round(high / step) + 1)), title)


MOST_TICKS = 5
"""Steps of an axis of counts; more names than that run into each other on a phone."""


def _steps() -> Sequence[int]:
    return [factor * 10**power for power in range(9) for factor in (1, 2, 5)]


@dataclass(frozen=True)
class PlotPoint:
    """A point, with its interval if it has one.

    Attributes:
        x: Where it is on the lower axis.
        y: Where it is on the upright axis.
        low: Lower end of its interval along the upright axis; None for none.
        high: Upper end of that interval; None for none.
        says: What a reader sees who points at it; None for nothing.
        role: What it shows.
        ids: The examples behind it, where a page opens them.
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
    """A line through points in their order."""

    points: tuple[tuple[float, float], ...]
    role: PlotRole = "judge"


@dataclass(frozen=True)
class PlotRule:
    """A line across the whole picture at one value, with its name; upright if it is of the lower axis."""

    at: float
    text: str
    is_upright: bool = False
    role: PlotRole = "target"


@dataclass(frozen=True)
class PlotBand:
    """A part of the lower axis, such as a gray zone."""

    low: float
    high: float


@dataclass(frozen=True)
class PlotBar:
    """A bar from one value of the lower axis to another, from one height to another."""

    left: float
    right: float
    base: float
    top: float
    says: str
    role: PlotRole = "judge"


PlotMark = PlotPoint | PlotLine | PlotRule | PlotBand | PlotBar


@dataclass(frozen=True)
class Plot(Block):
    """A picture on pages. Text has its table alone, where it stands by itself.

    Attributes:
        title: What it shows, in a few words.
        x: The lower axis.
        y: The upright axis.
        marks: What is drawn, the hindmost first.
        table: The same figures.
        caption: How to read it: what each colour and shape is.
        key: Words and role of each kind of mark.
        height: In pixels.
    """

    title: str
    x: Axis
    y: Axis
    marks: tuple[PlotMark, ...]
    table: Table
    caption: str | None = None
    key: tuple[tuple[str, PlotRole], ...] = ()
    height: int = 220
