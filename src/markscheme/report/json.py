"""The serializer of results as JSON in the documented format: of dataclasses, estimates and arrays, without NaN."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from json.encoder import encode_basestring
from operator import attrgetter
from pathlib import PurePath
from typing import Any

_DIGITS = 12
"""Number of significant digits of floats in JSON; beyond them, floats differ between machines."""
_LIMITS = ("value", "low", "high")
"""Fields of an estimate that are in the estimate's own unit."""


def plain(value: Any) -> Any:
    """Convert a result to plain data: nan to null, arrays and tuples to lists, objects with named fields to dicts.

    A value with a `to_json` method is serialized by it. Numbers are rounded to 12 significant digits, which removes
    noise such as 0.30000000000000004 and the sign of -0.0. The limits of an estimate are rounded to 12 decimals, too.

    >>> plain({"score": float("nan"), "ids": ("a", "b")})
    {'score': None, 'ids': ['a', 'b']}
    >>> plain({"score": 0.1 + 0.2, "p": 1e-14, "shift": {"value": 1e-17, "low": -0.1, "high": 0.1}})
    {'score': 0.3, 'p': 1e-14, 'shift': {'value': 0.0, 'low': -0.1, 'high': 0.1}}
    >>> plain([0.0, -0.0])
    [0.0, 0.0]
    """
    match value:
        case float():
            return None if math.isnan(value) else float(f"{value:.{_DIGITS}g}") + 0.0
        case str() | int() | None:
            return value
        case Mapping():
            entries = {str(key): plain(element) for key, element in value.items()}
            return entries | {
                key: round(entries[key], _DIGITS) + 0.0 for key in _LIMITS if isinstance(entries.get(key), float)
            }
        case list() | tuple() if not hasattr(value, "_fields"):
            types = set(map(type, value))
            if types <= _OF_WORDS:
                return list(value)
            return list(map(_Rounded().__getitem__, value)) if types <= _OF_NUMBERS else list(map(plain, value))
        case set() | frozenset():
            return sorted(plain(element) for element in value)
        case PurePath():
            return str(value)
    if hasattr(value, "to_json"):
        return plain(value.to_json())
    if hasattr(value, "tolist"):  # an array or a number of numpy
        return plain(value.tolist())
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if is_dataclass(value) and not isinstance(value, type):
        return plain({field.name: getattr(value, field.name) for field in fields(value)})
    raise TypeError(f"no JSON for a {type(value).__name__}")


_OF_WORDS = frozenset([str, int, bool, type(None)])
"""Types of elements that are written to JSON without conversion."""
_OF_NUMBERS = frozenset([float, type(None)])
"""Types of the elements of a list of numbers that may be missing."""


class _Rounded(dict[float | None, float | None]):
    """Cache of the rounded value of each number, None for nan, since reports repeat few numbers in long lists."""

    def __missing__(self, value: float | None) -> float | None:
        rounded: float | None = plain(value)
        if value == value:  # nan is equal to nothing
            self[value] = rounded
        return rounded


def attributes(value: object, names: str) -> dict[str, Any]:
    """Return some attributes of a value as a dict, by `names`; `key=name` stores attribute `name` under `key`.

    If the value is None, each entry is None.

    >>> from markscheme.stats import Estimate
    >>> attributes(Estimate(0.5, 0.2, 0.8, n=9), "value n least=low")
    {'value': 0.5, 'n': 9, 'least': 0.2}
    """
    pairs = [name.rpartition("=") for name in names.split()]
    return {key or name: None if value is None else attrgetter(name)(value) for key, _, name in pairs}


def dumps(data: Mapping[str, Any]) -> str:
    """Encode data as JSON that any strict parser reads, with floating-point noise rounded away."""
    return "".join(pieces(data))


def pieces(data: Any) -> Iterator[str]:
    """Yield the text that `dumps` would return piece by piece, to save memory."""
    return _pieces(data, "\n", _Numbers())


class _Numbers(dict[float | None, str]):
    """Cache of the JSON texts of numbers; an unknown number is null. Reports repeat few numbers in long lists."""

    def __missing__(self, value: float | None) -> str:
        if value != value:  # nan is equal to nothing
            return "null"
        self[value] = json.dumps(plain(value), allow_nan=False)
        return self[value]


def _elements(value: Sequence[Any], newline: str, numbers: _Numbers) -> str:
    """Return the JSON texts of a list's elements as one text; it takes a faster way for words or numbers alone.

    Args:
        value: The list.
        newline: A line break, followed by the indent of the elements.
        numbers: Cache of the texts of numbers.
    """
    types = set(map(type, value))
    between = f",{newline}"
    if types == {str} and _is_written_as_it_is("".join(value)):
        return '"' + f'"{between}"'.join(value) + '"'
    if types <= _OF_WORDS:
        return json.dumps(value, ensure_ascii=False, separators=(between, ":"))[1:-1]
    if types <= _OF_NUMBERS:
        return between.join(map(numbers.__getitem__, value))
    return between.join("".join(_pieces(element, newline, numbers)) for element in value)


def _is_written_as_it_is(text: str) -> bool:
    """Return True if JSON writes each character of a text unchanged; False if it may escape one."""
    return text.isprintable() and '"' not in text and "\\" not in text


def _pieces(value: Any, newline: str, numbers: _Numbers) -> Iterator[str]:
    """Encode a value as JSON with an indent of 2, piece by piece, with its numbers rounded as in reports.

    Args:
        value: Anything that `plain` takes.
        newline: A line break, followed by the indent of the line that the value is in.
        numbers: Cache of the texts of numbers.
    """
    deeper = f"{newline}  "
    if isinstance(value, Mapping):
        before = f"{{{deeper}"
        for key, element in value.items():
            yield f"{before}{encode_basestring(str(key))}: "
            yield from _pieces(_limit(key, element), deeper, numbers)
            before = f",{deeper}"
        yield f"{newline}}}" if value else "{}"
    elif isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        yield from (f"[{deeper}", _elements(value, deeper, numbers), f"{newline}]") if value else ["[]"]
    elif type(value) is str:
        yield encode_basestring(value)
    elif value is None or isinstance(value, str | int | float):
        yield json.dumps(plain(value), ensure_ascii=False, allow_nan=False)
    elif hasattr(value, "tolist") and not hasattr(value, "to_json"):
        yield from _pieces(value.tolist(), newline, numbers)
    else:
        yield from _pieces(plain(value), newline, numbers)


def _limit(key: Any, value: Any) -> Any:
    """Round a value if its key is that of an interval's end; return any other value unchanged."""
    if str(key) not in _LIMITS:
        return value
    limit = plain(value)
    return round(limit, _DIGITS) if isinstance(limit, float) else limit
