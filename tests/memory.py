"""Measures whether tests' files fit into memory, and how much memory a part of a test takes."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 2 * 2**30
"""Bytes: six times what a run of all tests leaves."""


def has_room(folder: Path) -> bool:
    """Return True if a folder has room for the files of a test run and may hold executables."""
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        return False
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize >= ROOM and not system.f_flag & os.ST_NOEXEC


@dataclass
class PeakMemory:
    """Peak memory of this process above its earlier use, in bytes; 0 if the system doesn't say."""

    used: int = 0


@contextmanager
def peak_memory() -> Iterator[PeakMemory]:
    """Measure how much more memory this process has at most until the block ends."""
    peak = PeakMemory()
    forget, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    if not os.access(forget, os.W_OK):
        yield peak
        return
    forget.write_text("5")  # the peak so far, see proc_pid_clear_refs(5)
    before = _kilobytes(status.read_text(), "VmRSS")
    yield peak
    peak.used = max(0, _kilobytes(status.read_text(), "VmHWM") - before) << 10


def _kilobytes(status: str, name: str) -> int:
    match = re.search(rf"{name}:\s+(\d+) kB", status)
    return int(match[1]) if match else 0
