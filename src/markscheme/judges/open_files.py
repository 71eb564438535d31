"""The limit on open files of this process, and recognition of errors that it causes."""

import errno
import os

CALL_FILES = 2
"""Number of open files that a call may need: its connection, and one to look up its address."""
KEPT_FILES = 24
"""Number of open files that are reserved for everything except calls: modules, the cache, results."""
NONE_LEFT = (errno.EMFILE, errno.ENFILE)


def calls_that_fit() -> int | None:
    """Return how many simultaneous calls the limit on open files allows; None without a known limit."""
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        in_use = len(os.listdir("/dev/fd"))
    except (ImportError, OSError, ValueError):
        return None
    if most == resource.RLIM_INFINITY:
        return None
    return max(1, (most - in_use - KEPT_FILES) // CALL_FILES)


def lacks_files(error: BaseException) -> bool:
    """Return True if an error, or its cause, says that no more files can be opened."""
    link: BaseException | None = error
    while link is not None and not (isinstance(link, OSError) and link.errno in NONE_LEFT):
        link = link.__cause__ or link.__context__
    return link is not None
