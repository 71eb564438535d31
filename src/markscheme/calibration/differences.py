"""Differences between two documents of figures."""

from collections.abc import Iterator
from typing import Any


def differences_between(
    stated: Any, computed: Any, place: tuple[str, ...] = (), *, tolerance: float
) -> Iterator[tuple[str, Any, Any]]:
    """List the differences between two JSON documents, each as the path of the entry and its two values.

    Args:
        stated: The first document.
        computed: The second document.
        place: Keys that lead to the two documents, if they are parts of larger documents.
        tolerance: Largest difference between two numbers that count as equal.
    """
    if isinstance(stated, dict) and isinstance(computed, dict):
        for key in dict.fromkeys((*stated, *computed)):
            yield from differences_between(stated.get(key), computed.get(key), (*place, key), tolerance=tolerance)
    elif not _is_same(stated, computed, tolerance):
        yield " › ".join(place), stated, computed


def _is_same(stated: Any, computed: Any, tolerance: float) -> bool:
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in (stated, computed)):
        return bool(abs(stated - computed) <= tolerance)
    return type(stated) is type(computed) and bool(stated == computed)
