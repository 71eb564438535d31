"""Figures as they are printed: one place for every rounding."""

from markscheme.stats import Estimate

NONE = "–"
ROUGH = " ~"
"""What a rough interval ends with."""


def share(value: float | None) -> str:
    """A share as whole per cent.

    >>> share(0.8333), share(None)
    ('83%', '–')
    """
    return NONE if value is None else f"{100 * value:.0f}%"


def number(value: float | None, digits: int = 2) -> str:
    """A number with a fixed count of decimals.

    >>> number(0.4567), number(None)
    ('0.46', '–')
    >>> number(-0.5), number(-0.001)
    ('−0.50', '0.00')
    """
    if value is None:
        return NONE
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def signed(value: float | None, digits: int = 2) -> str:
    """A number with its sign.

    >>> signed(0.4), signed(-1.25), signed(0.001)
    ('+0.40', '−1.25', '0.00')
    """
    if value is None:
        return NONE
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def chance(p: float) -> str:
    """A p value to three decimals.

    >>> chance(0.0004), chance(0.0312)
    ('<0.001', '0.031')
    """
    return "<0.001" if p < 0.0005 else number(p, 3)


def share_with_interval(estimate: Estimate | None) -> str:
    """A share and its interval in whole per cent: "83% (71–91)".

    >>> share_with_interval(Estimate(0.83, 0.71, 0.91))
    '83% (71–91)'
    """
    if estimate is None or estimate.value is None:
        return NONE
    text = share(estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text} ({100 * estimate.low:.0f}–{100 * estimate.high:.0f}){_rough(estimate)}"


def with_interval(estimate: Estimate | None, *, sign: bool = False) -> str:
    """A value and its interval: "0.62 [0.48, 0.73]"; "~" marks a rough one.

    >>> with_interval(Estimate(0.62, 0.48, 0.73)), with_interval(Estimate(0.2, -0.1, 0.5), sign=True)
    ('0.62 [0.48, 0.73]', '+0.20 [−0.10, +0.50]')
    """
    if estimate is None or estimate.value is None:
        return NONE
    spell = signed if sign else number
    text = spell(estimate.value)
    if estimate.low is None or estimate.high is None:
        return text
    low, high = spell(estimate.low), spell(estimate.high)
    return f"{text} [{low}, {high}]{_rough(estimate)}"


def _rough(estimate: Estimate) -> str:
    return ROUGH if estimate.note is not None and estimate.note.startswith("rough") else ""
