"""The first words of a text, used as its title in a list."""

import re

FIRST_WORDS = 90
"""Largest number of characters of a text's title in a list: about a line."""


def first_words(text: str, most: int = FIRST_WORDS) -> str:
    """Return the beginning of a text on one line, without Markdown's signs, cut at a word.

    >>> first_words("# Hello\\n\\nThe **parcel** is here.", 16)
    'Hello The…'

    Args:
        text: The text.
        most: Largest number of characters.
    """
    words = re.sub(r"^```\w*$|\*+|`+|^[#>\s]+|^[-+] ", "", text[: 10 * most], flags=re.MULTILINE).split()
    line = " ".join(words)
    if len(line) <= most and len(text) <= 10 * most:
        return line
    start = line[:most].rsplit(" ", 1)[0] or line[:most]
    return f"{start}…"
