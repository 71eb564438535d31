"""Formatting of estimates for tables and sentences: values with their intervals."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from markscheme.phrases import digits_to_subtract, number, signed
from markscheme.text import cut_short as cut_short  # used with figures, but also by readers of files

if TYPE_CHECKING:
    from markscheme.stats import Estimate
    from markscheme.stats.estimate import EstimatePair

NONE = "–"
PLAIN_LEVEL = 0.95
"""Confidence level of intervals if only one setting was tried, and of all intervals in tables."""


def share(value: float | None, digits: int = 0) -> str:
    """Render a share as a percentage with a given number of decimals; a dash for None.

    >>> share(0.8333), share(None)
    ('83%', '–')
    """
    return NONE if value is None else f"{number(100 * value, digits)}%"


def digits_of_pair(pair: "EstimatePair") -> int:
    """Return the number of decimals with which two shares and their difference add up as printed."""
    return digits_to_subtract(pair.second.value, pair.first.value, pair.difference.value)


def dollars(usd: float | None) -> str:
    """Format the cost of a planned run in dollars; without a price, name the option that states it.

    >>> dollars(0.25), dollars(None)
    ('$0.2500', 'price unknown (-o price=IN:OUT)')
    """
    return "price unknown (-o price=IN:OUT)" if usd is None else f"${number(usd, 4)}"


def chance(p: float) -> str:
    """Render a p value to three decimals; "–" for nan.

    >>> chance(0.0004), chance(0.0312)
    ('<0.001', '0.031')
    """
    return NONE if math.isnan(p) else "<0.001" if p < 0.0005 else number(p, 3)


def share_with_interval(estimate: "Estimate | None") -> str:
    """Render a share and its interval as "83% (71–91)"; if there are too few examples, as a count such as "3 of 4".

    >>> from markscheme.stats.estimate import Caveat, Estimate
    >>> share_with_interval(Estimate(0.83, 0.71, 0.91)), share_with_interval(Estimate(0.75, n=4, caveat=Caveat("few")))
    ('83% (71–91)', '3 of 4')
    """
    return NONE if estimate is None else estimate.as_share()


def share_with_ci(estimate: "Estimate | None") -> str:
    """Render a share with its interval and the interval's level, for a sentence: "83% (95% CI 71–91)".

    An interval that is wider for several settings has another level; the page says which.

    >>> from markscheme.stats import Estimate
    >>> share_with_ci(Estimate(0.83, 0.71, 0.91)), share_with_ci(Estimate(0.83, 0.69, 0.92, level=0.975))
    ('83% (95% CI 71–91)', '83% (CI 69–92)')
    """
    ci = "95% CI" if estimate is None or estimate.level == PLAIN_LEVEL else "CI"
    return share_with_interval(estimate).replace("(", f"({ci} ")


def with_interval(estimate: "Estimate | None") -> str:
    """Render a value and its interval: "0.62 (0.48–0.73)"; "~" marks an approximate one.

    >>> from markscheme.stats import Estimate
    >>> with_interval(Estimate(0.62, 0.48, 0.73))
    '0.62 (0.48–0.73)'
    """
    return _spelt(estimate, number)


def with_signed_interval(estimate: "Estimate | None") -> str:
    """Render a value and its interval with a plus or minus sign on each number.

    >>> from markscheme.stats import Estimate
    >>> with_signed_interval(Estimate(0.2, -0.1, 0.5))
    '+0.20 (−0.10 to +0.50)'
    """
    return _spelt(estimate, signed)


def coefficient(estimate: "Estimate | None") -> str:
    """Render a coefficient of agreement, such as kappa, with its interval, to two decimals and without leading zero.

    >>> from markscheme.stats import Estimate
    >>> coefficient(Estimate(0.81, 0.66, 0.93)), coefficient(Estimate(0.12, -0.05, 0.3))
    ('.81 (.66–.93)', '.12 (−.05 to .30)')
    """
    return _spelt(estimate, lambda value: number(value).replace("0.", "."))


def points(estimate: "Estimate | None", digits: int = 0) -> str:
    """Render a difference between two shares in percentage points, with a given number of decimals.

    >>> from markscheme.stats import Estimate
    >>> points(Estimate(0.08, -0.02, 0.17))
    '+8 (−2 to +17)'
    """
    return _spelt(estimate, lambda value: signed(100 * value, digits))


def why_no_interval(estimate: "Estimate", level_name: Callable[[float], str] | None = None) -> str:
    """Return the reason why an estimate has a value but no interval; else "".

    Args:
        estimate: The estimate, with its caveat.
        level_name: Function that returns the name of a level that the reason mentions; None to show its number.

    >>> from markscheme.stats.estimate import Caveat, Estimate
    >>> why_no_interval(Estimate(0.2, caveat=Caveat("withheld", "only 4 examples outside the most common level")))
    'only 4 examples outside the most common level'
    """
    if estimate.caveat is None or estimate.caveat.hedge != "withheld" or estimate.value is None:
        return ""
    return estimate.caveat.why_with_levels(level_name)


def _spelt(estimate: "Estimate | None", spell: Callable[[float], str]) -> str:
    if estimate is None or estimate.value is None:
        return NONE
    text = spell(estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    low = spell(estimate.low)
    high = spell(estimate.high)
    to = " to " if low[0] in "+−" or high[0] in "+−" else "–"
    return f"{text} ({low}{to}{high}){' ~' if estimate.is_approximate else ''}"
