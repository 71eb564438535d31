"""Pictures and documents as others make them, and a reader of pictures: none of it is the product's own drawing.

The reader sees pixels alone: the word in block letters, and how many squares of a colour there are.
"""

import struct
import zlib
from collections.abc import Sequence
from functools import cache
from itertools import groupby

Colour = tuple[int, int, int]

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
INK: Colour = (20, 20, 20)
RED: Colour = (200, 40, 40)
SQUARE = 40
"""Pixels of a square's side, of the gap between two, and of the margin."""
HEIGHT = 216
DOT = 8
"""Pixels of a letter's dot."""
LETTERS = {
    ".###. #...# #...# ##### #...# #...# #...#": "A",
    "####. #...# #...# ####. #...# #...# ####.": "B",
    "####. #...# #...# #...# #...# #...# ####.": "D",
    "##### #.... #.... ####. #.... #.... #####": "E",
    "##### #.... #.... ####. #.... #.... #....": "F",
    ".###. ..#.. ..#.. ..#.. ..#.. ..#.. .###.": "I",
    "#...# #..#. #.#.. ##... #.#.. #..#. #...#": "K",
    "#.... #.... #.... #.... #.... #.... #####": "L",
    "#...# ##.## #.#.# #.#.# #...# #...# #...#": "M",
    "#...# ##..# #.#.# #..## #...# #...# #...#": "N",
    ".###. #...# #...# #...# #...# #...# .###.": "O",
    "####. #...# #...# ####. #.#.. #..#. #...#": "R",
    "##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..": "T",
    "#...# #...# #...# #...# #...# #...# .###.": "U",
}
"""Letters that a reader knows, by their rows of dots."""


def png(width: int, height: int, pixels: bytes) -> bytes:
    """Return a PNG of three bytes a pixel, row by row."""
    lines = b"".join(b"\0" + pixels[3 * width * row : 3 * width * (row + 1)] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return PNG_SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def chart(squares: int, *, tint: int = 0) -> bytes:
    """Return a PNG of red squares next to each other; another tint of the paper makes it another file."""
    paper = bytes((255, 255, 255 - tint))
    gap = paper * SQUARE
    plain = paper * (SQUARE * (2 * squares + 1))
    squared = gap + (bytes(RED) * SQUARE + gap) * squares
    top = HEIGHT - 2 * SQUARE
    return png(SQUARE * (2 * squares + 1), HEIGHT, plain * top + squared * SQUARE + plain * SQUARE)


def document(squares: int, *, catalog: str = "") -> bytes:
    """Return a PDF of one page with red squares, and with further entries of its catalog."""
    drawn = f"0.8 0.15 0.15 rg {' '.join(f'{72 + 60 * index} 560 30 30 re f' for index in range(squares))}"
    objects = (
        f"<< /Type /Catalog {catalog} /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
    )
    body, offsets = "%PDF-1.4\n", []
    for index, definition in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{index} 0 obj\n{definition}\nendobj\n"
    rows = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    end = f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{rows}{end}".encode("ascii")


@cache
def pixels_of(content: bytes) -> list[list[Colour]]:
    """Return the pixels of a PNG without filters, row by row."""
    width, height = struct.unpack(">II", content[16:24])
    data, offset = b"", len(PNG_SIGNATURE)
    while offset < len(content):
        (length,) = struct.unpack_from(">I", content, offset)
        if content[offset + 4 : offset + 8] == b"IDAT":
            data += content[offset + 8 : offset + 8 + length]
        offset += length + 12
    raw = zlib.decompress(data)
    lines = [raw[row * (3 * width + 1) + 1 : (row + 1) * (3 * width + 1)] for row in range(height)]
    return [[(line[3 * x], line[3 * x + 1], line[3 * x + 2]) for x in range(width)] for line in lines]


def word_in(rows: Sequence[Sequence[Colour]]) -> str:
    """Return the word that stands at the margin, read letter by letter."""
    letters = []
    for left in range(SQUARE, len(rows[0]) - 5 * DOT, 6 * DOT):
        dots = [[rows[SQUARE + y * DOT][left + x * DOT] == INK for x in range(5)] for y in range(7)]
        letters.append(LETTERS.get(" ".join("".join(".#"[is_ink] for is_ink in row) for row in dots), ""))
    return "".join(letters)


def squares_in(rows: Sequence[Sequence[Colour]]) -> int:
    """Return how many separate runs of red there are, on the row that has the most of them."""
    return max((sum(colour == RED for colour, _ in groupby(row)) for row in rows), default=0)
