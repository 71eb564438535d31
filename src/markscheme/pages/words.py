"""The first words of a text, used as its title in a list."""

import re

FIRST_WORDS = 90
"""Largest number of characters of a text's title in a list: about a line."""


def first_words(text: str, most: int = FIRST_WORDS) -> str:
    """Return the beginning of a text on one line, without Markdown's signs and digests of images, cut at a word.

    >>> first_words("# Hello\\n\\nThe **parcel** is here.", 16)
    'Hello The…'
    >>> first_words("[pdf f0dee55cfa9ddc9c498a147cdc8d7980] Is it paid?")
    '(pdf) Is it paid?'

    Args:
        text: The text.
        most: Largest number of characters.
    """
    named = re.sub(r"\[(image|pdf) [0-9a-f]{32}\]", r"(\1)", text[: 10 * most])
    words = re.sub(r"^```\w*$|\*+|`+|^[#>\s]+|^[-+] ", "", named, flags=re.MULTILINE).split()
    line = " ".join(words)
    if len(line) <= most and len(text) <= 10 * most:
        return line
    start = line[:most].rsplit(" ", 1)[0] or line[:most]
    return f"{start}…"
