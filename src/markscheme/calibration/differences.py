"""Differences between two documents of figures."""

from collections.abc import Iterator
from typing import Any


def differences_between(
    stated: Any, now: Any, place: tuple[str, ...] = (), *, tolerance: float
) -> Iterator[tuple[str, Any, Any]]:
    """Find where two documents, or parts of them, differ: the place, and both values.

    Args:
        stated: What one says.
        now: What the other says.
        place: The keys that lead to both.
        tolerance: How far two figures may be apart.
    """
    if isinstance(stated, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*stated, *now)):
            yield from differences_between(stated.get(key), now.get(key), (*place, key), tolerance=tolerance)
    elif not _is_same(stated, now, tolerance):
        yield " › ".join(place), stated, now


def _is_same(stated: Any, now: Any, tolerance: float) -> bool:
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in (stated, now)):
        return bool(abs(stated - now) <= tolerance)
    return type(stated) is type(now) and bool(stated == now)
