"""Assertions as Promptfoo makes them, each in a Python of its own, and the sessions they leave."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from markscheme.session import client
from tests.commands.console import ROOT, environment

CALL = """
import importlib.util, json, sys
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
spec = importlib.util.spec_from_file_location("grader", sys.argv[1])
grader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(grader)
answers = []
for arguments in json.load(sys.stdin):
    try:
        given = {"given": getattr(grader, sys.argv[2])(*arguments)}
    except Exception as error:
        given = {"raised": f"{type(error).__name__}: {error}"}
    answers.append({**given, "modules": sorted(sys.modules)})
print(json.dumps(answers))
"""
GRADER = ROOT / "graders/rubric_grader.py"


def call(function: str, *arguments: Any, cwd: Path, env: Mapping[str, str], grader: Path = GRADER) -> dict[str, Any]:
    """Call a grader's function in a fresh interpreter; return its result or error, and the loaded modules."""
    (answered,) = calls(function, [arguments], cwd=cwd, env=env, grader=grader)
    return answered


def calls(
    function: str,
    each: Iterable[Sequence[Any]],
    *,
    cwd: Path,
    env: Mapping[str, str],
    grader: Path = GRADER,
    python: str | Path = sys.executable,
) -> list[dict[str, Any]]:
    """Call a grader's function for each list of arguments in one fresh interpreter; return what `call` does."""
    done = subprocess.run(
        [python, "-c", CALL, str(grader), function],
        input=json.dumps(list(each)),
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment(env),
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answered: list[dict[str, Any]] = json.loads(done.stdout)
    return answered


def assess(output: Any, config: Mapping[str, Any], cwd: Path, env: Mapping[str, str], **context: Any) -> Any:
    """Return the grading result of markscheme's assertion for one output."""
    return call("get_assert", output, {"vars": {}, "config": config, **context}, cwd=cwd, env=env)["given"]


def assess_each(cases: Iterable[tuple[Any, Mapping[str, Any]]], cwd: Path, env: Mapping[str, str]) -> list[Any]:
    """Return the grading results of markscheme's assertion for outputs with their configs, by one interpreter."""
    asked = [(output, {"vars": {}, "config": config}) for output, config in cases]
    return [answered["given"] for answered in calls("get_assert", asked, cwd=cwd, env=env)]


def files(runtime: Path) -> list[str]:
    """List the files in the folder of sessions."""
    folder = runtime / "markscheme"
    return sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []


def is_running(pid: int) -> bool:
    """Return True if a process runs; a zombie doesn't."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(true: Any, seconds: float = 300.0) -> bool:
    """Wait until `true()` is true, and return whether it became so within a time limit."""
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def session_pids(runtime: Path) -> list[int]:
    """Return the ids of the warm processes whose sockets are, or were, in `runtime`."""
    pids = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            try:
                command = (process / "cmdline").read_bytes()
            except OSError:
                continue
            if b"markscheme.promptfoo.serving" in command and os.fsencode(runtime) in command:
                pids.append(int(process.name))
    return pids


@contextmanager
def sockets() -> Iterator[Path]:
    """Yield a folder with a short path for sessions' sockets, and end the sessions in it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="ms-", dir="/tmp"))
    yield folder
    end_sessions(folder)


def end_sessions(folder: Path) -> None:
    """End all sessions in a folder, and remove it."""
    if any(folder.iterdir()):
        for place in folder.rglob("*.sock"):
            client.stop(str(place))
        assert wait_until(lambda: not session_pids(folder))
    shutil.rmtree(folder)
