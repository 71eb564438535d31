"""Recognition of those arguments of `compare` that are files of ratings."""

from pathlib import Path

from markscheme.readers.formats import format_of
from markscheme.readers.imported import Expected
from markscheme.readers.peek import Peek


def has_format(path: Path, expected: Expected = "ratings") -> bool:
    """Return True if a path is a file in a format that markscheme can read.

    Args:
        path: The path.
        expected: What the caller reads, such as "ratings"; a file of JSON lines counts only if its lines hold that.
            "anything" accepts such a file whatever its lines hold.
    """
    return path.is_file() and format_of(Peek(path), expected) is not None
