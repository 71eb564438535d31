"""Reading of zip archives, also with Zstandard compression, with a limit on their unpacked size."""

import lzma
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError

UNPACKING_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(OSError, EOFError, RuntimeError, ValueError, LookupError, OverflowError, MemoryError),
)
"""Errors that zipfile and the modules behind it raise for invalid headers and data; RuntimeError is for encrypted
data."""


def zstandard_or(instead: str, path: Path) -> Any:
    """Return the library `zstandard`, or raise an error with the text `instead` if it isn't installed.

    Args:
        instead: Text of the error if the library is missing.
        path: The packed file.

    Raises:
        RatingError: The library isn't installed.
    """
    try:
        import zstandard
    except ImportError as problem:
        raise RatingError(instead, path=path) from problem
    return zstandard
