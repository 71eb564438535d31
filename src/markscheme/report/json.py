"""Results as JSON in the documented format: one serializer for dataclasses, estimates and arrays; never a NaN."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from operator import attrgetter
from pathlib import PurePath
from typing import Any

_DIGITS = 12
"""Significant digits: what floats differ by between machines lies beyond them."""
_LIMITS = ("value", "low", "high")
"""Fields of an estimate in its own unit."""


def plain(value: Any) -> Any:
    """Convert a result to plain data: null for unknown values, lists for arrays and tuples, a dataclass by its fields.

    A value with a `to_json` method is serialized by it. Numbers are rounded to 12 significant digits, limits of an
    estimate also to 12 decimals. That is more precise than any coefficient's agreement with its published values, and
    removes 0.30000000000000004.

    >>> plain({"score": float("nan"), "ids": ("a", "b")})
    {'score': None, 'ids': ['a', 'b']}
    >>> plain({"score": 0.1 + 0.2, "p": 1e-14, "shift": {"value": 1e-17, "low": -0.1, "high": 0.1}})
    {'score': 0.3, 'p': 1e-14, 'shift': {'value': 0.0, 'low': -0.1, 'high': 0.1}}
    """
    match value:
        case float():
            return None if math.isnan(value) else float(f"{value:.{_DIGITS}g}")
        case str() | int() | None:
            return value
        case Mapping():
            entries = {str(key): plain(element) for key, element in value.items()}
            return entries | {
                key: round(entries[key], _DIGITS) for key in _LIMITS if isinstance(entries.get(key), float)
            }
        case list() | tuple():
            return [plain(element) for element in value]
        case set() | frozenset():
            return sorted(plain(element) for element in value)
        case PurePath():
            return str(value)
    if hasattr(value, "to_json"):
        return plain(value.to_json())
    if hasattr(value, "tolist"):  # an array or a number of numpy
        return plain(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return plain({field.name: getattr(value, field.name) for field in fields(value)})
    raise TypeError(f"no JSON for a {type(value).__name__}")


def attributes(value: object, names: str) -> dict[str, Any]:
    """Return attributes of a value as a dict, each under its own name or, as in `key=name`, another.

    Without a value each entry is null.

    >>> from markscheme.stats import Estimate
    >>> attributes(Estimate(0.5, 0.2, 0.8, n=9), "value n least=low")
    {'value': 0.5, 'n': 9, 'least': 0.2}
    """
    pairs = [name.rpartition("=") for name in names.split()]
    return {key or name: None if value is None else attrgetter(name)(value) for key, _, name in pairs}


def dumps(data: Mapping[str, Any]) -> str:
    """Encode data as JSON that any strict parser reads, with floating-point noise rounded away."""
    return json.dumps(plain(data), ensure_ascii=False, indent=2, allow_nan=False)
