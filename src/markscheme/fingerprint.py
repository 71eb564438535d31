"""Digests of everything that affects a grade, so that grades with equal digests are comparable."""

import hashlib
import json
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any

FINGERPRINT_DIGITS = 16
"""Number of hexadecimal digits of the SHA-256 that a fingerprint has: 64 bits."""
IN_PART = " in part"
"""Ending of a parameter's name if only some of a judge's replies were requested without it."""
_WORDS = re.compile(r"\w+")


_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def fingerprint(*parts: Any) -> str:
    """Compute a short digest of plain data: 16 hexadecimal digits, independent of the order of keys.

    Args:
        parts: Strings, numbers, booleans, None, and lists, tuples and dicts of these.

    Example:
        >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
        True
        >>> len(fingerprint("text"))
        16
    """
    canonical = _texts(parts) if all(type(text) is str for text in parts) else _CANONICAL.encode(parts)
    return next(_digests([canonical]))


def fingerprints(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield the fingerprint of each row; a row is a tuple of texts.

    Example:
        >>> list(fingerprints([("a", "b"), ("text",)])) == [fingerprint("a", "b"), fingerprint("text")]
        True
    """
    return _digests(map(_texts, rows))


def fingerprint_numbers(rows: Iterable[tuple[str, ...]]) -> Iterator[int]:
    """Yield the fingerprint of each row, a tuple of texts, as a whole number of 64 bits: less memory than text.

    Example:
        >>> [f"{number:016x}" for number in fingerprint_numbers([("text",)])] == [fingerprint("text")]
        True
    """
    return (int(digest, 16) for digest in fingerprints(rows))


def fingerprints_of(numbers: Sequence[int]) -> list[str]:
    """Convert fingerprints stored as whole numbers of 64 bits to text.

    Example:
        >>> fingerprints_of([255]) == ["00000000000000ff"]
        True
    """
    return struct.pack(f">{len(numbers)}Q", *numbers).hex(" ", FINGERPRINT_DIGITS // 2).split()


def _digests(texts: Iterable[str]) -> Iterator[str]:
    return (hashlib.sha256(text.encode()).hexdigest()[:FINGERPRINT_DIGITS] for text in texts)


def _texts(texts: tuple[str, ...]) -> str:
    """Return the canonical JSON of a tuple of texts, faster than for other plain data."""
    if len(texts) == 1:
        return f"[{encode_basestring_ascii(texts[0])}]"
    return f"[{','.join(map(encode_basestring_ascii, texts))}]"


def words_alone(text: str | None) -> str:
    """Return a text's words in lower case without punctuation, by which texts with equal words are recognized.

    Example:
        >>> words_alone("Names  the *date*.") == words_alone("names the date")
        True
    """
    return " ".join(_WORDS.findall((text or "").casefold()))
