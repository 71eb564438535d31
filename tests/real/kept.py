"""The ignored folder in which the tests keep what they fetched, and the lock under which they fetch it once."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".cache"


@contextmanager
def alone_with(name: str) -> Iterator[Path]:
    """The folder `.cache/<name>`, made if need be, while no other process is in here for the same name."""
    folder = KEPT / name
    folder.mkdir(parents=True, exist_ok=True)
    with (KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
