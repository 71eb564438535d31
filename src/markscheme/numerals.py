"""Converters of untrusted values to finite floats and counts."""

import math
import re
from typing import Any, Final

_RATIO: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(?:/\s*(\d+)|%)")
_STARS: Final = re.compile(r"[^\w★⭐☆]*([★⭐]+)(☆*)[^\w★⭐☆]*")


def finite(value: Any) -> float | None:
    """Convert a number to a float; None for anything else, and for one that is not finite or too large for a float.

    >>> finite(3), finite(True), finite("3"), finite(10**400), finite(float("nan"))
    (3.0, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        converted = float(value)
    except OverflowError:
        return None
    return converted if math.isfinite(converted) else None


MOST = 10**15
"""Largest count that is accepted from outside; a larger number must be an error."""


def count(value: Any) -> int | None:
    """Convert an untrusted count, such as one of tokens; None unless it is a whole number of 0 or more, not too large.

    >>> count(40), count(-1), count(True), count(4.0), count(10**400)
    (40, None, None, None, None)
    """
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST else None


def number_in(text: str) -> float | None:
    """Convert a text to a finite number; None for any other text, such as `1_000`.

    >>> number_in("4.50"), number_in("1_000"), number_in("nan"), number_in("four")
    (4.5, None, None, None)
    """
    if not text or text[-1] not in "0123456789." or "_" in text:
        return None
    try:
        return finite(float(text))
    except (ValueError, OverflowError):
        return None


def stars_in(text: str) -> tuple[int, int]:
    """Return the numbers of filled and of all stars in a text of stars alone; zeros for any other text.

    >>> stars_in("(★★★)"), stars_in("★★★☆☆"), stars_in("★ nice"), stars_in("☆☆")
    ((3, 3), (3, 5), (0, 0), (0, 0))
    """
    match = _STARS.fullmatch(text.replace("\ufe0f", ""))  # which follows a character that is to be shown as an emoji
    return (0, 0) if match is None else (len(match[1]), len(match[1] + match[2]))


def ratio_in(text: str) -> tuple[float, float] | None:
    """Return the two numbers of a text such as "4/5" or "85%", of which a percentage has 100 as its second; else None.

    >>> ratio_in("4/5"), ratio_in("85 %"), ratio_in("4/5 stars"), ratio_in("2024/01/05")
    ((4.0, 5.0), (85.0, 100.0), None, None)
    """
    match = _RATIO.fullmatch(text.strip())
    return None if match is None else (float(match[1]), float(match[2] or 100))
