"""Digests of everything that must be equal for two grades to be comparable."""

import hashlib
import json
import re
from typing import Any

FINGERPRINT_DIGITS = 16
"""Hexadecimal digits kept of the SHA-256: 64 bits."""
IN_PART = " in part"
"""Ending of a parameter's name that only some of a judge's replies were asked for without."""
_WORDS = re.compile(r"\w+")


def fingerprint(*parts: Any) -> str:
    """Compute a short digest of plain data: 16 hexadecimal digits, independent of the order of keys.

    Args:
        parts: Strings, numbers, booleans, None, and lists, tuples and dicts of them.

    Example:
        >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
        True
        >>> len(fingerprint("text"))
        16
    """
    canonical = json.dumps(parts, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:FINGERPRINT_DIGITS]


def words_alone(text: str | None) -> str:
    """Return the words of a text, without case, white space and punctuation: texts with the same words say the same.

    Example:
        >>> words_alone("Names  the *date*.") == words_alone("names the date")
        True
    """
    return " ".join(_WORDS.findall((text or "").casefold()))
