"""Recognition of those arguments of `compare` that are files of ratings."""

from pathlib import Path

from markscheme.readers.formats import format_of
from markscheme.readers.imported import Expected
from markscheme.readers.peek import Peek


def has_format(path: Path, expected: Expected = "ratings") -> bool:
    """Return True if a path is a file of a known format.

    Args:
        path: The path.
        expected: What a file of plain lines should hold, such as "ratings"; "anything" if that doesn't matter.
    """
    return path.is_file() and format_of(Peek(path), expected) is not None
