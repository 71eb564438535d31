"""A disk that is full, as far as one process can tell."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def disk_of(size: int) -> Iterator[None]:
    """A disk on which no file grows longer than `size` bytes."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
