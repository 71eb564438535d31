"""Root finding for functions of one number, without loading scipy.optimize, which takes as long as numpy."""

from collections.abc import Callable

MOST_EVALUATIONS = 200
"""Largest number of evaluations of the function: ten usually suffice, and halving alone would need 50."""
WIDTH_LEFT = 1e-13
"""Width of the interval, as a share of the first one, at which its middle is returned as the zero; close to rounding
error."""


def zero_between(function: Callable[[float], float], low: float, high: float) -> float:
    """Find a zero of a continuous function whose signs at `low` and `high` differ.

    Raises:
        ValueError: The signs don't differ.

    Source:
        The Illinois method: Dowell and Jarratt (1971), BIT 11(2), 168-174. doi:10.1007/BF01934364

    Example:
        >>> round(zero_between(lambda x: x * x - 2, 0.0, 2.0), 9)
        1.414213562
    """
    first = low
    last = high
    at_first = function(first)
    at_last = function(last)
    if at_first * at_last > 0:
        raise ValueError(f"no change of sign between {low} and {high}")
    if at_first == 0:
        return first
    for _ in range(MOST_EVALUATIONS):
        if at_last == 0 or abs(last - first) <= WIDTH_LEFT * (high - low):
            break
        between = last - at_last * (last - first) / (at_last - at_first)
        at_between = function(between)
        if at_between * at_last < 0:
            first = last
            at_first = at_last
        else:
            at_first /= 2
        last = between
        at_last = at_between
    return last
