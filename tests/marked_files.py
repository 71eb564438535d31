"""Which files `pytest -m proof`, `-m browser` and `-m release` read: all take each process 20 s of CPU time to read."""

import functools
import re
from pathlib import Path

import pytest

MARKS = ("browser", "proof", "release")
FROM_TESTS = re.compile(r"^from (tests\.[\w.]+) import", re.MULTILINE)


def is_left_unread(file: Path, expression: str) -> bool:
    """Return True where only the tests of one mark are asked for, and neither a file nor what it imports names it."""
    return expression in MARKS and file.suffix == ".py" and expression not in named_marks(file)


@functools.cache
def named_marks(file: Path) -> frozenset[str]:
    """Return the marks that a test file, or a module of tests that it imports, contains."""
    text = file.read_text(encoding="utf-8")
    root = Path(__file__).parents[1]
    imported = [root.joinpath(*module.split(".")).with_suffix(".py") for module in FROM_TESTS.findall(text)]
    texts = [text, *(other.read_text(encoding="utf-8") for other in imported if other.is_file())]
    return frozenset(mark for mark in MARKS if any(f"mark.{mark}" in code for code in texts))


def check_marks(items: list[pytest.Item]) -> None:
    """Raise an error for a test whose mark isn't in its file's text, since the file would never be read."""
    for item in items:
        for mark in MARKS:
            if item.get_closest_marker(mark) and mark not in named_marks(item.path):
                raise pytest.UsageError(f"{item.nodeid}: name pytest.mark.{mark} in its file or one that it imports")
