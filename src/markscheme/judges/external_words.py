"""Quoting of texts from providers and functions in error messages: shortened, printable, and without keys."""

import re

from markscheme.text import cut_short, on_one_line

SAID_LENGTH = 200
"""Largest number of characters of a provider's own words that a message quotes."""
SHORTEST_SECRET = 6
"""Smallest number of characters of a secret; a shorter one counts as a placeholder."""
_KEY_LIKE = re.compile(r"\b(?:sk|pk|rk|key)-[\w-]{8,}|\bBearer\s+\S+|\bAIza[\w-]{20,}")


def shown(text: str, secrets: tuple[str, ...] = ()) -> str:
    """Prepare a text from outside for a message: one line, printable characters, shortened, and without keys.

    Args:
        text: The text.
        secrets: Keys to hide, in addition to what looks like one.

    Example:
        >>> shown("Incorrect API key provided: sk-abcdefgh1234.\\x1b[2J", secrets=())
        'Incorrect API key provided: ….�[2J'
    """
    return cut_short(on_one_line(hidden(text, secrets)), SAID_LENGTH)


def hidden(text: str, secrets: tuple[str, ...]) -> str:
    """Replace every known secret in a text, and whatever else looks like a key, by an ellipsis."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "…")
    return _KEY_LIKE.sub("…", text)
