"""Draws pictures and documents, as PNG and as PDF: a word in block letters above coloured squares."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

Colour: TypeAlias = tuple[int, int, int]

GLYPHS: Final = {
    "A": ".###. #...# #...# ##### #...# #...# #...#",
    "B": "####. #...# #...# ####. #...# #...# ####.",
    "D": "####. #...# #...# #...# #...# #...# ####.",
    "E": "##### #.... #.... ####. #.... #.... #####",
    "F": "##### #.... #.... ####. #.... #.... #....",
    "I": ".###. ..#.. ..#.. ..#.. ..#.. ..#.. .###.",
    "K": "#...# #..#. #.#.. ##... #.#.. #..#. #...#",
    "L": "#.... #.... #.... #.... #.... #.... #####",
    "M": "#...# ##.## #.#.# #.#.# #...# #...# #...#",
    "N": "#...# ##..# #.#.# #..## #...# #...# #...#",
    "O": ".###. #...# #...# #...# #...# #...# .###.",
    "R": "####. #...# #...# ####. #.#.. #..#. #...#",
    "T": "##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..",
    "U": "#...# #...# #...# #...# #...# #...# .###.",
}
"""Letters as five columns by seven rows of dots; only letters that can't be confused with another letter or digit."""
DOT: Final = 8
"""Width of a dot in pixels."""
SQUARE: Final = 40
"""Width in pixels of a square, and of the gap between two squares."""
MARGIN: Final = 40
"""Width in pixels of the margin around the picture."""
_LETTER_DOTS: Final = 6
"""Number of columns of dots of a letter, with the gap after it."""
_LETTER_ROWS: Final = 7
"""Number of rows of dots of a letter."""
PNG_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
GREY: Final = 0
"""Colour type of grey pixels, one byte each, in the PNG format."""
RGB: Final = 2
"""Colour type of pixels with red, green and blue, three bytes each, in the PNG format."""
PAPER: Final[Colour] = (255, 255, 255)
INK: Final[Colour] = (20, 20, 20)
RED: Final[Colour] = (200, 40, 40)


def png(rows: Sequence[Sequence[Colour]]) -> bytes:
    """Encode rows of pixels, in colour, as a PNG file."""
    lines = b"".join(b"\0" + bytes(channel for pixel in row for channel in pixel) for row in rows)
    return png_of_lines(len(rows[0]), len(rows), RGB, lines)


def blank_png(width: int, height: int) -> bytes:
    """Return a white image as a PNG file."""
    return png_of_lines(width, height, GREY, (b"\0" + b"\xff" * width) * height)


def png_of_lines(width: int, height: int, colours: int, lines: bytes) -> bytes:
    """Encode lines of pixels, each preceded by its PNG filter byte, as a PNG file.

    Args:
        width: Width in pixels.
        height: Height in pixels.
        colours: Number of the pixels' colour type in the PNG format, such as `RGB`.
        lines: Bytes of all lines.
    """
    header = struct.pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return PNG_SIGNATURE + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def picture(word: str, squares: int) -> bytes:
    """Return a PNG that shows a word in block letters above a number of squares."""
    width = 2 * MARGIN + max(len(word) * _LETTER_DOTS * DOT, squares * 2 * SQUARE)
    rows = [[PAPER] * width for _ in range(3 * MARGIN + _LETTER_ROWS * DOT + SQUARE)]
    for left, top in _dots(word):
        _fill(rows, MARGIN + left * DOT, MARGIN + top * DOT, DOT, INK)
    for index in range(squares):
        _fill(rows, MARGIN + index * 2 * SQUARE, 2 * MARGIN + _LETTER_ROWS * DOT, SQUARE, RED)
    return png(rows)


def _dots(word: str) -> Iterator[tuple[int, int]]:
    for index, letter in enumerate(word):
        for top, row in enumerate(GLYPHS[letter].split()):
            for left, dot in enumerate(row):
                if dot == "#":
                    yield index * _LETTER_DOTS + left, top


def _fill(rows: list[list[Colour]], left: int, top: int, side: int, colour: Colour) -> None:
    for row in rows[top : top + side]:
        row[left : left + side] = [colour] * side


def document(word: str, squares: int) -> bytes:
    """Return a PDF of one page that shows a word above a number of squares."""
    filled = " ".join(f"{72 + index * 60} 560 30 30 re f" for index in range(squares))
    drawn = f"BT /F1 48 Tf 72 680 Td ({word}) Tj ET 0.8 0.15 0.15 rg {filled}"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources 6 0 R >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Font << /F1 5 0 R >> >>",
    )
    body, offsets = "%PDF-1.4\n", []
    for ordinal, definition in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{ordinal} 0 obj\n{definition}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    count = len(objects) + 1
    trailer = f"trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {count}\n0000000000 65535 f \n{table}{trailer}".encode("ascii")
