"""JSON texts from outside: parsed without surprises, one by one or many at once, and written on one line."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, TypeAlias

from markscheme.numerals import finite
from markscheme.text import cut_short, encodable_data, escaped

SHOWN_DIGITS = 20
"""Number of digits of a number that messages show, enough for its author to find it."""

PairsHook: TypeAlias = Callable[[list[tuple[str, Any]]], Any]
"""Function that makes a value from the keys and values of a JSON object, in their order."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
LETTERS_APART = 154
"""Distance between the characters of a text that are checked for digits, to find whole numbers too large for a float: a
number of 309 digits contains two of these characters."""
_TWO_DIGITS = re.compile(r"\d\d")


def parse_json(
    text: str,
    *,
    parse_constant: Callable[[str], Any] | None = None,
    object_pairs_hook: PairsHook | None = None,
) -> Any:
    """Parse a JSON text; half a character (a lone surrogate) in it becomes U+FFFD, so that it can be stored.

    Raises:
        ValueError: The text isn't JSON, is nested too deep, or has a number that is too large for arithmetic.
    """
    try:
        data = decoder_for(text, parse_constant, object_pairs_hook).decode(text)
        return encodable_data(data) if _HALF.search(text) else data
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def json_or(text: str, default: Any) -> Any:
    """Parse a JSON text; return a default if it isn't JSON.

    Example:
        >>> json_or('{"q": "tea"}', None), json_or("tea", None)
        ({'q': 'tea'}, None)
    """
    try:
        return parse_json(text)
    except ValueError:
        return default


def is_json(text: str) -> bool:
    """Return True if a text is JSON."""
    try:
        parse_json(text)
    except ValueError:
        return False
    return True


def json_amid_prose(text: str) -> Any:
    """Parse the JSON object or list in a model's text, which may have prose or a code fence around it.

    Raises:
        ValueError: The text has no such object or list.

    Example:
        >>> json_amid_prose('Here you are: {"modes": []}. Anything else?')
        {'modes': []}
    """
    begins = [index for index in (text.find("{"), text.find("[")) if index >= 0]
    for opening in sorted(begins):
        closing = text.rfind("}" if text[opening] == "{" else "]")
        try:
            return parse_json(text[opening : closing + 1])
        except ValueError:
            continue
    raise ValueError("no JSON")


def safe_json(value: Any) -> str:
    r"""Encode a value as JSON on one line, which YAML reads the same and a terminal prints safely.

    Example:
        >>> safe_json({"name": "Größe", "size": "10\u202e"})
        '{"name": "Größe", "size": "10\\u202e"}'
    """
    return escaped(json.dumps(value, ensure_ascii=False))


def decoder_for(
    text: str,
    parse_constant: Callable[[str], Any] | None = None,
    object_pairs_hook: PairsHook | None = None,
) -> json.JSONDecoder:
    """Return a decoder that refuses numbers too large for a float.

    Texts that may contain a whole number of 309 digits or more, as a look at some characters shows, get a slower
    decoder.

    Args:
        text: The text to decode.
        parse_constant: As in `json.JSONDecoder`.
        object_pairs_hook: As in `json.JSONDecoder`.
    """
    is_long = len(text) > 2 * LETTERS_APART and _TWO_DIGITS.search(text[LETTERS_APART - 1 :: LETTERS_APART]) is not None
    return _decoder(parse_constant, object_pairs_hook, is_long=is_long)


@lru_cache(maxsize=32)
def _decoder(
    parse_constant: Callable[[str], Any] | None,
    object_pairs_hook: PairsHook | None,
    *,
    is_long: bool,
) -> json.JSONDecoder:
    """Make and cache a JSON decoder with the given hooks; with `is_long`, one for texts with very long numbers."""
    numbers: dict[str, Any] = _NUMBERS if is_long else _FRACTIONS
    return json.JSONDecoder(parse_constant=parse_constant, object_pairs_hook=object_pairs_hook, **numbers)


def _whole(digits: str) -> int:
    converted = int(digits)
    _refuse_too_large(converted, digits)
    return converted


def _decimal(digits: str) -> float:
    converted = float(digits)
    if converted - converted != 0:
        _refuse_too_large(converted, digits)
    return converted


def _refuse_too_large(converted: float, digits: str) -> None:
    if finite(converted) is None:
        raise ValueError(f"the number {cut_short(digits, SHOWN_DIGITS)} is too large")


_FRACTIONS = {"parse_float": _decimal}
_NUMBERS = {**_FRACTIONS, "parse_int": _whole}


def no_constant(name: str) -> Any:
    """Refuse NaN and Infinity, which Python's JSON reader would accept; for use as `parse_constant`."""
    raise ValueError(f"{name} is not a JSON number")


def pairs_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict from the keys and values of a JSON object; for use as `object_pairs_hook`.

    Raises:
        ValueError: A key occurs twice.
    """
    entries = dict(pairs)
    if len(entries) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(k for k in keys if keys.count(k) > 1)!r} occurs twice in one place")
    return entries


def json_value(raw: bytes, *, object_pairs_hook: PairsHook | None = pairs_once) -> Any:
    """Parse a JSON text from a file; a key that occurs twice in an object is an error.

    Args:
        raw: The text.
        object_pairs_hook: Function that makes a value from the keys and values of an object; by default it makes a
            dict, and refuses a key that occurs twice. None to make dicts faster, for a text in which no key occurs
            twice.

    Raises:
        ValueError: The text isn't UTF-8, isn't JSON, or is nested too deep.
    """
    text = (raw[len(BOM_UTF8) :] if raw.startswith(BOM_UTF8) else raw).decode()
    return parse_json(text, parse_constant=no_constant, object_pairs_hook=object_pairs_hook)


def json_values(raws: Sequence[bytes]) -> list[Any] | None:
    """Parse many texts that are JSON objects in one go, which is faster; None if they must be parsed singly.

    Returns:
        The values; None if a text isn't an object, isn't JSON, or has an object in which a key occurs twice.

    Example:
        >>> json_values([b'{"id": 1}', b'{"id": 2}']), json_values([b'{"id": 1', b'"n": 2}'])
        ([{'id': 1}, {'id': 2}], None)
    """
    if not raws:
        return []
    whole = b"[" + _BETWEEN.join(raws) + b"]"
    try:
        data = _flat_objects(raws[0], whole) or json_value(whole)
    except ValueError:
        return None
    are_apart = len(data) == 2 * len(raws) - 1 and all(mark == _MARK for mark in data[1::2])
    return data[::2] if are_apart else None


def _flat_objects(first: bytes, whole: bytes) -> list[Any] | None:
    """Parse JSON texts as one list if each is an object without nested objects or repeated keys; else return None.

    Counting keys is faster than comparing them: if there are as many keys in the text as in the objects, each occurs
    once. A text that has the end of a key in a string is left to the slower reader.

    Args:
        first: The first text; if it isn't such an object, the others aren't parsed.
        whole: All texts as one list.

    Returns:
        The list; None if its objects may contain objects, or the same key twice.
    """
    value = json_value(first)
    is_flat = isinstance(value, dict) and first.count(_END_OF_KEY) == len(value)
    if not is_flat or any(apart in whole for apart in _APART_FROM_COLON):
        return None
    data: list[Any] = json_value(whole, object_pairs_hook=None)
    n_keys = sum(len(element) for element in data[::2] if isinstance(element, dict))
    return data if whole.count(_END_OF_KEY) == n_keys else None


_END_OF_KEY: Final = b'":'
_APART_FROM_COLON: Final = (b" :", b"\t:", b"\r:", b"\n:")
"""White space by which a key may be separated from its colon."""


_MARK: Final = "\x7fnext text\x7f"
"""Separator between texts that are parsed as one list, by which a text that isn't closed before the next one is
detected."""
_BETWEEN: Final = b"," + json.dumps(_MARK).encode() + b","


_WITH_ID = re.compile(rb'\{"id": ?"([^"\\\x00-\x1f]+)", ?(.+)\}\s*')


def id_and_rest(raw: bytes) -> tuple[str | None, bytes]:
    r"""Split a line of JSON into the id at its beginning and the remaining text.

    Lines that differ only in their ids then need to be parsed only once.

    If a line is an object in which no key occurs twice, so is every line with another id and the same remaining text.

    Returns:
        The id and the remaining text; None and the whole line if the line doesn't begin with an id.

    Example:
        >>> id_and_rest(b'{"id": "a7", "rater": "judge", "criteria": {"tone": 3}}\n')
        ('a7', b'"rater": "judge", "criteria": {"tone": 3}')
    """
    if parsed := _WITH_ID.fullmatch(raw):
        try:
            return parsed[1].decode(), parsed[2]
        except UnicodeDecodeError:
            pass
    return None, raw
