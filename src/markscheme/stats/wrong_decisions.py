"""Rates of false passes and false fails, from labels drawn separately from a judge's passes and fails."""

import math
from collections.abc import Sequence
from itertools import product
from typing import Literal, NamedTuple, Self

from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.roots import zero_between
from markscheme.stats.shares import GroupedShare

UNKNOWN = 0.5
"""Share that is assumed, with limits of 0 and 1, for a stratum without labels."""


class Stratum(NamedTuple):
    """Some of the graded responses, all with the same decision by the judge, and the labels among them.

    Attributes:
        part: The stratum's share of all graded responses, 0 to 1.
        wrong: Share of the stratum's labelled examples that gold fails, for a rate of false passes, or that gold
            passes, for a rate of false fails.
        drawn: None if labels were drawn separately from the judge's passes and fails, so that `part` is known. Else
            three facts on the larger stratum that labels were drawn from, in which the judge both passes and fails
            responses. They are its name, its share of all graded responses, and how many of its labelled examples, as
            a share, are in this stratum and wrong.
    """

    part: float
    wrong: GroupedShare
    drawn: tuple[str, float, GroupedShare] | None = None

    @property
    def value(self) -> float:
        """The stratum's share of wrong decisions; one half if no label shows any decision to be right or wrong."""
        return self.wrong.value if self.wrong.n else UNKNOWN

    def reach(self, confidence: float) -> tuple[float, float]:
        """Return how far the two bounds on the stratum's wrong decisions are from the estimate: below, then above.

        Both are shares of all graded responses.

        Args:
            confidence: One-sided confidence of each bound.
        """
        size, share = (self.part, self.wrong) if self.drawn is None else self.drawn[1:]
        value = share.value if share.n else UNKNOWN
        high = share.upper(confidence)
        return size * (value - (share.lower(confidence) or 0.0)), size * ((1.0 if high is None else high) - value)

    def correlation(self, second: Self) -> float:
        """Return the size, 0 to 1, of the negative correlation between the shares estimated in two strata.

        It is negative because a label drawn for one stratum can't be drawn for the other; it is 0 unless the labels of
        both were drawn from one larger stratum.
        """
        if self.drawn is None or second.drawn is None or self.drawn[0] != second.drawn[0]:
            return 0.0
        return math.sqrt(math.prod(share.value / (1 - share.value) for _, _, share in (self.drawn, second.drawn)))


class RateByVerdict(NamedTuple):
    """A rate of false passes (share of gold's fails that the judge passes) or of false fails, with bounds.

    Labels that are drawn by the judge's verdict show two shares: how many of the judge's passes gold fails, and how
    many of the judge's fails gold fails. Each share is multiplied by the verdict's share of all graded responses. The
    rate of false passes is the first product divided by the sum of both products. The rate of false fails is computed
    in that way from gold's passes.

    Attributes:
        decided_wrong: The strata that the judge passes, if the rate is of false passes; those that it fails, if the
            rate is of false fails.
        decided_right: The strata on which the judge makes the other decision.

    Source:
        Zou and Donner (2008), Statistics in Medicine 27(10), 1693-1702, for limits of a sum from the limits of its
        parts, inverted for the ratio as Fieller (1954) does. doi:10.1002/sim.3095

    Example:
        >>> from markscheme.stats.shares import grouped_share
        >>> passes = Stratum(0.6, grouped_share([1] + [0] * 49))
        >>> fails = Stratum(0.4, grouped_share([1] * 45 + [0] * 5))
        >>> rate = RateByVerdict((passes,), (fails,))
        >>> round(rate.value, 4), round(rate.lower(0.975), 4), round(rate.upper(0.975), 4)
        (0.0323, 0.0008, 0.1521)
    """

    decided_wrong: tuple[Stratum, ...]
    decided_right: tuple[Stratum, ...]

    @property
    def value(self) -> float:
        """The rate, 0 to 1; 0 if no labelled example counts in its denominator."""
        wrong = _sum(self.decided_wrong)
        every = wrong + _sum(self.decided_right)
        return wrong / every if every else 0.0

    @property
    def n(self) -> int:
        """Number of labelled examples that the rate is a share of: for false passes, those that gold fails."""
        strata = (*self.decided_wrong, *self.decided_right)
        return round(sum(stratum.wrong.value * stratum.wrong.n for stratum in strata if stratum.wrong.n))

    def lower(self, confidence: float) -> float | None:
        """Return the rate's lower bound at a one-sided confidence; 0 if the labels set no limit."""
        return self._bound(confidence, -1)

    def upper(self, confidence: float) -> float | None:
        """Return the rate's upper bound at a one-sided confidence; 1 if the labels set no limit."""
        return self._bound(confidence, 1)

    def estimate(self, *, level: float = 0.95, method: str = "share of examples") -> Estimate:
        """Return the rate of false passes or false fails as an Estimate, with its two-sided interval."""
        method = f"{method}; labels by verdict"
        if not self.n:
            return Estimate.without_value(Reason("no-such-labels"), n=0, method=method, level=level)
        confidence = (1 + level) / 2
        return Estimate(self.value, self.lower(confidence), self.upper(confidence), level, self.n, method)

    def _bound(self, confidence: float, side: Literal[-1, 1]) -> float:
        """Find the rate's lower or upper limit by Fieller's method.

        Let w and r be the shares of wrong and of right decisions. The rate's limit is the number R at which the upper
        or lower limit of (1 - R) w - R r is 0.

        Args:
            confidence: One-sided confidence of the limit.
            side: -1 for the lower limit, 1 for the upper one.
        """
        wrong = _sum(self.decided_wrong)
        right = _sum(self.decided_right)
        wrong_ones = [(stratum, stratum.reach(confidence)[side > 0]) for stratum in self.decided_wrong]
        right_ones = [(stratum, stratum.reach(confidence)[side < 0]) for stratum in self.decided_right]
        shared = sum(a.correlation(b) * x * y for (a, x), (b, y) in product(wrong_ones, right_ones))
        wrong_reach = math.hypot(*(reach for _, reach in wrong_ones))
        right_reach = math.hypot(*(reach for _, reach in right_ones))

        def left_over(rate: float) -> float:
            centre = (1 - rate) * wrong - rate * right
            jointly = math.sqrt(2 * rate * (1 - rate) * shared)
            return centre + side * math.hypot((1 - rate) * wrong_reach, rate * right_reach, jointly)

        if left_over(0.0) <= 0:
            return 0.0
        if left_over(1.0) >= 0:
            return 1.0
        return zero_between(left_over, 0.0, 1.0)


def _sum(strata: Sequence[Stratum]) -> float:
    return sum(stratum.part * stratum.value for stratum in strata)
