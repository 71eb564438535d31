"""Numbers from outside as floats; it imports nothing, so that everything can use it."""

import math
from typing import Any


def finite(value: Any) -> float | None:
    """A number as a float; None for anything else, and for one that is not finite or too large for a float.

    >>> finite(3), finite(True), finite("3"), finite(10**400), finite(float("nan"))
    (3.0, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
