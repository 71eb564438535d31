"""The core without any feature, in this process."""

from collections.abc import Iterator
from contextlib import contextmanager

from markscheme.seam import features, offer
from tests.deletion import names_of_features


@contextmanager
def core_alone() -> Iterator[None]:
    """Offer what the core itself adds to its tables, and no feature."""
    before = features()
    names = names_of_features()
    offer(lambda: [own for own in before if own.name not in names])
    try:
        yield
    finally:
        offer(lambda: before)
