"""Lines of a file that are read when they are needed, so that their texts needn't stay in memory."""

import os
import re
import weakref
from array import array
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

from markscheme.plain_data import BATCH

_END_OF_LINE: Final = re.compile(b"\n")


def line_reader(path: Path) -> Callable[[int], bytes] | None:
    """Open a file and return a function that reads the line with a given number, counted from 1.

    The file stays open as long as the function is in use, so it may be renamed, replaced or removed meanwhile.

    Returns:
        The function; None if the file can only be read once, from its beginning, such as a pipe.

    Raises:
        OSError: The file can't be read.
    """
    if not hasattr(os, "pread") or not path.is_file():
        return None
    descriptor = os.open(path, os.O_RDONLY)
    ends = cache(lambda: _line_ends(descriptor))

    def line(line_number: int) -> bytes:
        """Return the line with this number."""
        start, end = ends()[line_number - 1 : line_number + 1]
        return os.pread(descriptor, end - start, start)

    weakref.finalize(line, os.close, descriptor)
    return line


def _line_ends(descriptor: int) -> "array[int]":
    """Return the offsets of an open file's lines: where the first line begins, then where each line ends."""
    ends = array("q", [0])
    position = 0
    while block := os.pread(descriptor, BATCH, position):
        ends.extend([position + end_of_line.end() for end_of_line in _END_OF_LINE.finditer(block)])
        position += len(block)
    ends.append(position)
    return ends
