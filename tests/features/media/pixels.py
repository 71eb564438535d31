"""Read our own pictures pixel by pixel: the word in block letters, and how many squares of a colour there are."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from markscheme.features.media.drawing import DOT, GLYPHS, INK, MARGIN, RED, Colour
from markscheme.features.media.media import Media

LETTERS = {tuple(rows.split()): letter for letter, rows in GLYPHS.items()}


@cache
def pixels_of(content: bytes) -> list[list[Colour]]:
    """The pixels of a PNG without filters, row by row."""
    width, height = struct.unpack(">II", content[16:24])
    data, offset = b"", 8
    while offset < len(content):
        (length,) = struct.unpack_from(">I", content, offset)
        if content[offset + 4 : offset + 8] == b"IDAT":
            data += content[offset + 8 : offset + 8 + length]
        offset += length + 12
    raw = zlib.decompress(data)
    lines = [raw[row * (3 * width + 1) + 1 : (row + 1) * (3 * width + 1)] for row in range(height)]
    return [[(line[3 * x], line[3 * x + 1], line[3 * x + 2]) for x in range(width)] for line in lines]


def word_in(rows: Sequence[Sequence[Colour]]) -> str:
    """The word that stands at the margin, read letter by letter."""
    letters = []
    for left in range(MARGIN, len(rows[0]) - 5 * DOT, 6 * DOT):
        glyph = tuple(
            "".join("#" if rows[MARGIN + y * DOT][left + x * DOT] == INK else "." for x in range(5)) for y in range(7)
        )
        letters.append(LETTERS.get(glyph, ""))
    return "".join(letters)


def squares_in(rows: Sequence[Sequence[Colour]], colour: Colour = RED) -> int:
    """How many separate runs of a colour there are, on the row that has the most of them."""
    return max((sum(shown == colour for shown, _ in groupby(row)) for row in rows), default=0)


def read_back(parts: Sequence[Media]) -> Mapping[str, Any]:
    """What a probe asks: the word, and the number of squares."""
    rows = pixels_of(parts[0].content)
    return {"word": word_in(rows), "count": squares_in(rows)}
