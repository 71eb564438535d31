"""Images at half their size, from PNG files with every filter and kind of colour."""

import struct
import zlib
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from markscheme import Image
from markscheme.features.media.changes import downscaled
from markscheme.features.media.drawing import GREY, RGB, picture, png_of_lines
from markscheme.features.media.halving import halved_png
from tests.features.media.files import GIF_FILE, JPEG_FILE, PNG_FILE, sized
from tests.features.media.pictures import pixels_of, squares_in

CHANNELS = {GREY: 1, RGB: 3, 4: 2, 6: 4}


def filtered(pixels: NDArray[np.int64], filters: Sequence[int]) -> bytes:
    """Filter the lines of a PNG by each of the specification's filters in turn."""
    height, width, channels = pixels.shape
    around = np.zeros((height + 1, width + 1, channels), int)
    around[1:, 1:] = pixels
    lines = b""
    for y in range(height):
        left, up, corner = around[y + 1, :-1], around[y, 1:], around[y, :-1]
        estimate = left + up - corner
        distances = np.stack([abs(estimate - left), abs(estimate - up), abs(estimate - corner)])
        nearest = np.choose(distances.argmin(axis=0), [left, up, corner])
        filter_number = filters[y % len(filters)]
        guess = [0 * left, left, up, (left + up) // 2, nearest][filter_number]
        lines += bytes([filter_number]) + ((around[y + 1, 1:] - guess) % 256).astype(np.uint8).tobytes()
    return lines


@pytest.mark.parametrize("colours", CHANNELS)
def test_png_files_of_each_filter_and_colour_type_are_halved_in_size(colours: int) -> None:
    pixels = np.random.default_rng(colours).integers(0, 256, (11, 7, CHANNELS[colours]))
    expected = np.rint(pixels[:10, :6].reshape(5, 2, 3, 2, -1).mean(axis=(1, 3))).astype(np.uint8)
    for filters in ((0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (4,), (3,)):
        smaller = halved_png(png_of_lines(7, 11, colours, filtered(pixels, filters)))
        assert smaller is not None
        assert struct.unpack(">IIBB", smaller[16:26]) == (3, 5, 8, colours)
        offset = smaller.index(b"IDAT")
        (length,) = struct.unpack(">I", smaller[offset - 4 : offset])
        raw = np.frombuffer(zlib.decompress(smaller[offset + 4 : offset + 4 + length]), np.uint8)
        assert np.array_equal(raw.reshape(5, -1)[:, 1:].reshape(5, 3, -1), expected)


def test_an_image_of_squares_shows_all_its_squares_after_it_was_halved_in_size() -> None:
    chart = Image(picture("KITE", 5))
    smaller = downscaled(chart)
    assert isinstance(smaller, Image)
    assert (smaller.width, smaller.height) == (chart.width // 2, chart.height // 2)  # type: ignore[operator]
    assert squares_in(pixels_of(smaller.content)) == 5


@pytest.mark.parametrize("content", [JPEG_FILE, GIF_FILE, sized(5000, 5000), sized(600, 900), PNG_FILE[:60], b""])
def test_images_that_are_not_png_or_that_are_damaged_or_too_large_are_not_halved_in_size(content: bytes) -> None:
    assert halved_png(content) is None
