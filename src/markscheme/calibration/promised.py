"""What is promised of decisions that need no person."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

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
    error: float = 0.05
    confidence: float = 0.90
    side: AskedFor = "both"
    further: int = 0

    @property
    def level(self) -> float:
        """Probability with which each promise may be given although it doesn't hold."""
        sides = 2 if self.side == "each" else 1
        return (1 - self.confidence) / (sides * 2.0**self.further)
