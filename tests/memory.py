"""Where tests can keep their files in memory."""

import os
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 2 * 2**30
"""Bytes: six times what a run of all tests leaves."""


def has_room(folder: Path) -> bool:
    """Whether files of a run of tests have room in a folder, and those made to be run can be."""
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        return False
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize >= ROOM and not system.f_flag & os.ST_NOEXEC
