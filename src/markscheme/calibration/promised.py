"""What is promised of decisions that need no person."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from markscheme.calibration.needs import PROMISED_ERROR
from markscheme.stats.intervals import Flags
from markscheme.stats.prevalence import Promise

MarkSide: TypeAlias = Literal["both", "passes", "fails"]
AskedFor: TypeAlias = Literal["both", "passes", "fails", "each"]
MARK_SIDES: tuple[MarkSide, ...] = ("passes", "fails")


@dataclass(frozen=True)
class Promised:
    """The promise about automatic decisions.

    Attributes:
        of: "automatic" for the errors among automatic decisions, "all" for those among all examples; None for
            whichever the labels allow.
        error: The share of errors.
        confidence: Confidence of the promise.
        side: Which decisions may be automatic: both, the passes or the fails alone, or each side under a promise of its
            own.
        further: How many other promises were asked of the same labels before; each leaves half of the level.
    """

    of: Promise | None = None
    error: float = PROMISED_ERROR
    confidence: float = 0.90
    side: AskedFor = "both"
    further: int = 0

    @property
    def sides(self) -> tuple[MarkSide, ...]:
        """The decisions that have a promise of their own."""
        return MARK_SIDES if self.side == "each" else (self.side,)

    @property
    def level(self) -> float:
        """Probability with which each promise may be given although it doesn't hold."""
        return (1 - self.confidence) / (len(self.sides) * 2.0**self.further)


@dataclass(frozen=True)
class DecisionOrigins:
    """Where annotators' decisions come from, on the examples that a promise is tested on.

    Attributes:
        explicit: Decisions that annotators gave, pass or fail of the whole response.
        by_levels: Those that follow from their labels, by the pass mark and required criteria.
    """

    explicit: int = 0
    by_levels: int = 0

    @property
    def n(self) -> int:
        """Decisions in all."""
        return self.explicit + self.by_levels

    @classmethod
    def of(cls, is_explicit: Flags) -> "DecisionOrigins":
        """The origins of decisions, from whether each was given; shape (n,)."""
        explicit = int(is_explicit.sum())
        return cls(explicit, len(is_explicit) - explicit)


def on_side(side: MarkSide, passes: Flags) -> Flags:
    """Which examples a promise is about, by whether the judge passes each; shape (n,).

    >>> on_side("fails", np.array([True, False])).tolist(), on_side("both", np.array([True, False])).tolist()
    ([False, True], [True, True])
    """
    by_side = {"both": np.ones_like(passes), "passes": passes, "fails": ~passes}
    return by_side[side]
