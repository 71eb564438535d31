"""What is fetched or made once for all the processes of a test run, and the lock under which that happens."""

import fcntl
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

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


def made_once(file: Path, make: Callable[[], Any]) -> Any:
    """What `make` returns, as JSON: the first process makes it and keeps it in `file`, the others read it."""
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            file.write_text(json.dumps(make()), encoding="utf-8")
    return json.loads(file.read_text(encoding="utf-8"))


def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The temporary folder that all of pytest's processes have in common."""
    folder = tmp_path_factory.getbasetemp()
    return folder if worker_id == "master" else folder.parent
