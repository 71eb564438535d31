"""Promise about the share of wrong decisions among the decisions that are made without a person."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from markscheme.calibration.label_needs import PROMISED_ERROR
from markscheme.options.forms import BELOW_1, one_of
from markscheme.options.table import option

MarkSide: TypeAlias = Literal["both", "passes", "fails"]
AskedFor: TypeAlias = Literal["both", "passes", "fails", "each"]
MARK_SIDES: Final[tuple[MarkSide, ...]] = ("passes", "fails")


@dataclass(frozen=True, kw_only=True)
class Promise:
    """Promise that at most a given share of automatic decisions is wrong, with the options of `certify` that state it.

    Attributes:
        error: The largest share of wrong decisions among the automatic ones, 0 to 1.
        confidence: Confidence of the promise, 0 to 1.
        side: The decisions that may be automatic: "both" sides, "passes" or "fails" alone, or "each" side under a
            promise of its own.
        wrong_passes: The largest share of wrong decisions among automatic passes, as a second promise; None for no
            second promise.
        further: Number of other promises that were tested on some of these labels before; each of them halves the
            significance level of this one.
    """

    error: float = option(PROMISED_ERROR, "largest share of wrong automatic decisions (0.05)", BELOW_1, value="P")
    confidence: float = option(0.9, "confidence of that bound (0.9)", BELOW_1, value="P")
    side: AskedFor = option(
        "both",
        "decisions that may be automatic: both, passes or fails alone, or each side by a promise of its own (both)",
        one_of(*get_args(AskedFor)),
        value="SIDE",
        name="--for",
    )
    wrong_passes: float | None = option(
        None, "largest share of wrong ones among automatic passes, as a second promise", BELOW_1, value="P"
    )
    further: int = 0

    @property
    def sides(self) -> tuple[MarkSide, ...]:
        """The kinds of decisions tested separately, passes and fails, or the one kind that the promise is about."""
        return MARK_SIDES if self.side == "each" else (self.side,)

    @property
    def level(self) -> float:
        """Significance level of each test: the largest chance of certifying a promise that doesn't hold."""
        return (1 - self.confidence) / (len(self.sides) * 2.0**self.further)
