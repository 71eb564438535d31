"""Files that are downloaded or made once for all processes of a test run, and the lock for doing so."""

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
    """Lock the folder `.cache/<name>` against other processes, and yield it, made if needed."""
    folder = KEPT / name
    folder.mkdir(parents=True, exist_ok=True)
    with (KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def made_once(file: Path, make: Callable[[], Any]) -> Any:
    """Return what `make` returns as JSON: the first process calls it and stores it in `file`, the others read that."""
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            file.write_text(json.dumps(make()), encoding="utf-8")
    return json.loads(file.read_text(encoding="utf-8"))


def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return the temporary folder that all of pytest's processes share."""
    folder = tmp_path_factory.getbasetemp()
    return folder if worker_id == "master" else folder.parent
