"""A command killed before each of its writes, in a new copy of a project each time, and the same command once more."""

import io
import json
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from markscheme.cli import main

WRITES: tuple[Any, ...] = (os.fsync, os.replace, os.unlink, os.link, os.ftruncate, os.write)
"""Functions of the system that change a file, or see that it is on disk."""
CHANGES = ("write", "writelines", "truncate")
"""Methods of open files that do."""
CLOSED = "/dev/null"


@dataclass(frozen=True)
class Killed:
    """The state of a project after its command was killed before one write and run again.

    Attributes:
        at: The number of the write, from 1.
        before: The function that was to be called.
        torn: Lines of JSON lines that aren't JSON, after the kill.
        status: Exit status of the same command, run once more.
        missing: Files that a run without a kill makes and that aren't there then.
        left: Files that a run without a kill doesn't make and that are there then.
    """

    at: int
    before: str
    torn: tuple[str, ...]
    status: int
    missing: tuple[str, ...]
    left: tuple[str, ...]


def killed_at_each_write(argv: Sequence[str], pristine: Path, scratch: Path) -> tuple[int, list[Killed]]:
    """Run a command without a kill, and then killed before each of its writes.

    Returns:
        Its exit status without a kill, and what became of each project.
    """
    whole = _copy(pristine, scratch / "whole")
    counted = scratch / "writes"
    status = _forked(lambda: _counting(argv, counted), whole)
    writes = counted.read_text().split()
    outcomes = []
    for at, name in enumerate(writes, start=1):
        folder = _copy(pristine, scratch / "killed")
        _forked(lambda at=at: _killed(argv, at), folder)  # type: ignore[misc]
        torn = tuple(_torn_lines(folder))
        again = _forked(lambda: main(argv), folder)
        names, expected = _names(folder), _names(whole)
        outcomes.append(Killed(at, name, torn, again, tuple(expected - names), tuple(names - expected)))
        shutil.rmtree(folder)
    return status, outcomes


def _copy(pristine: Path, folder: Path) -> Path:
    shutil.copytree(pristine, folder, symlinks=True)
    return folder


def _names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if "__pycache__" not in path.parts}


def _torn_lines(folder: Path) -> list[str]:
    torn = []
    for path in folder.rglob("*.jsonl*"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                json.loads(line)
            except ValueError:
                torn.append(f"{path.name}:{number}")
    return torn


def _forked(run: Callable[[], int], folder: Path) -> int:
    """Run a function in a forked process and return its exit status, negative if it was killed."""
    pid = os.fork()
    if not pid:
        try:
            os.chdir(folder)
            quiet = os.open(CLOSED, os.O_RDWR)
            os.dup2(quiet, 1)
            status = run()
        except BaseException:
            traceback.print_exc()
            status = 71
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _counting(argv: Sequence[str], to: Path) -> int:
    names: list[str] = []
    sys.setprofile(_hook(lambda function: names.append(function.__name__)))
    status = main(argv)
    sys.setprofile(None)
    to.write_text(" ".join(names))
    return status


def _killed(argv: Sequence[str], at: int) -> int:
    left = [at]

    def count(_: Any) -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(_hook(count))
    return main(argv)


def _hook(seen: Callable[[Any], None]) -> Callable[[Any, str, Any], None]:
    """Make the profiling function that Python calls before each system function that writes."""

    def before(_frame: Any, event: str, function: Any) -> None:
        if event == "c_call" and _is_write(function):
            seen(function)

    return before


def _is_write(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    if isinstance(owner, io.FileIO | io.BufferedWriter | io.BufferedRandom):
        return getattr(function, "__name__", "") in CHANGES and owner.fileno() > 2
    return any(function is write for write in WRITES)


if __name__ == "__main__":
    command, project, place = json.loads(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    exit_status, became = killed_at_each_write(command, project, place)
    print(json.dumps({"status": exit_status, "killed": [asdict(one) for one in became]}))
