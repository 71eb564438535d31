"""Halves the width and height of PNG images with 8 bits per channel, such as charts and screenshots."""

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from markscheme.features.media.drawing import GREY, PNG_SIGNATURE, RGB, png_of_lines

_Pixels: TypeAlias = NDArray[np.uint8]
_CHANNELS: Final[Mapping[int, int]] = {GREY: 1, RGB: 3, 4: 2, 6: 4}
"""Bytes per pixel for each PNG colour type: grey, RGB, grey with transparency, and RGB with transparency."""
_MOST_PIXELS: Final = 4_000_000
"""Largest number of pixels of an image that is halved, which takes a few seconds; a judgement."""


def halved_png(content: bytes) -> bytes | None:
    """Halve a PNG image's width and height; None if it is damaged, too small or large, or of an unsupported type."""
    pixels, colours = _pixels_of(content) or (None, GREY)
    if pixels is None or min(pixels.shape[:2]) < 2:
        return None
    height, width, channels = pixels.shape
    squares = pixels[: height // 2 * 2, : width // 2 * 2].reshape(height // 2, 2, width // 2, 2, channels)
    means = np.rint(squares.mean(axis=(1, 3))).astype(np.uint8).reshape(height // 2, -1)
    lines = np.hstack([np.zeros((height // 2, 1), np.uint8), means])
    return png_of_lines(width // 2, height // 2, colours, lines.tobytes())


def _pixels_of(content: bytes) -> tuple[_Pixels, int] | None:
    """Return the pixels of a PNG file by row and column, and its colour type; None for a PNG that isn't decoded.

    Only complete files with 8 bits a channel are decoded, without interlacing or a palette, up to a size limit.
    """
    if not content.startswith(PNG_SIGNATURE):
        return None
    width, height, depth, colours, _, _, is_interlaced = struct.unpack(">IIBBBBB", content[16:29])
    if depth != 8 or is_interlaced or colours not in _CHANNELS or width * height > _MOST_PIXELS:
        return None
    channels = _CHANNELS[colours]
    packed = b"".join(data for name, data in _chunks(content) if name == b"IDAT")
    expected = height * (1 + width * channels)
    try:
        raw = zlib.decompressobj().decompress(packed, expected)
    except zlib.error:
        return None
    if len(raw) < expected:
        return None
    lines = np.frombuffer(raw, np.uint8).reshape(height, 1 + width * channels)
    above = np.zeros((width, channels), np.uint8)
    rows = []
    for line in lines:
        above = _unfiltered(int(line[0]), line[1:].reshape(width, channels), above)
        rows.append(above)
    return np.stack(rows), colours


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    offset = len(PNG_SIGNATURE)
    while offset + 8 <= len(content):
        (length,) = struct.unpack_from(">I", content, offset)
        yield content[offset + 4 : offset + 8], content[offset + 8 : offset + 8 + length]
        offset += length + 12


def _unfiltered(filter_number: int, line: _Pixels, above: _Pixels) -> _Pixels:
    """Undo a PNG line's filter, which stores pixels as differences from those on the left and above.

    Args:
        filter_number: Number of the filter, 0 to 4; 0 stores pixels unchanged.
        line: The stored pixels of the line.
        above: The pixels of the line above, with the filter undone.

    Source: Portable Network Graphics (PNG) Specification, third edition, section 9, "Filtering".
    """
    if filter_number == 1:
        return np.cumsum(line, axis=0, dtype=np.uint8)
    if filter_number == 2:
        return line + above
    if filter_number in (3, 4):
        columns = [
            _from_left(line[:, channel].tolist(), above[:, channel].tolist(), is_average=filter_number == 3)
            for channel in range(line.shape[1])
        ]
        return np.array(columns, np.uint8).T
    return line


def _from_left(line: list[int], above: list[int], *, is_average: bool) -> list[int]:
    pixels: list[int] = []
    left = 0
    for difference, upper, upper_left in zip(line, above, (0, *above[:-1]), strict=True):
        guess = (left + upper) // 2 if is_average else _paeth(left, upper, upper_left)
        left = (difference + guess) & 255
        pixels.append(left)
    return pixels


def _paeth(left: int, upper: int, upper_left: int) -> int:
    """Return the Paeth predictor: the neighbour nearest to left + upper - upper_left; ties go to the first of these."""
    towards_left = abs(upper - upper_left)
    towards_upper = abs(left - upper_left)
    towards_upper_left = abs(left + upper - 2 * upper_left)
    if towards_left <= towards_upper and towards_left <= towards_upper_left:
        return left
    return upper if towards_upper <= towards_upper_left else upper_left
