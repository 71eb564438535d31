"""Offers the core without features, or with one, to tests."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from markscheme.seam import features, offer
from tests.deletion import names_of_features

_PROGRAM = """
import sys
import markscheme
from markscheme.cli import main
from markscheme.seam import features, offer

left = [own for own in features() if own.name not in {deleted!r}]
offer(lambda: left)
sys.argv[0] = "markscheme"
sys.exit(main(sys.argv[1:]))
"""


def program_with_only(feature: str) -> str:
    """Return a program that runs a command where one feature alone is offered."""
    return _PROGRAM.format(deleted=[name for name in names_of_features() if name != feature])


@contextmanager
def core_alone() -> Iterator[None]:
    """Offer only the core's own additions to its tables, and no feature."""
    before = features()
    names = names_of_features()
    offer(lambda: [own for own in before if own.name not in names])
    try:
        yield
    finally:
        offer(lambda: before)


def without_sections_of_features(page: str, report: str) -> str:
    """Return a page in Markdown without the sections and warnings that the core's report doesn't have."""
    titles = set(re.findall(r"^### .*$", report, re.MULTILINE))
    of_core = re.sub(r"^Warning: .*\n\n", lambda line: line[0] if line[0] in report else "", page, flags=re.MULTILINE)
    pieces = re.split(r"(?=^#{2,3} )", of_core, flags=re.MULTILINE)
    return "".join(piece for piece in pieces if not piece.startswith("### ") or piece.splitlines()[0] in titles)
