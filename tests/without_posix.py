"""Runs commands without modules that only POSIX systems have, as on Windows."""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from tests.commands.console import ROOT, environment

MODULES = ("fcntl", "grp", "pwd", "resource", "syslog", "termios", "tty")
"""Modules of the standard library that Windows' Python lacks."""
NAMES = {
    "os": (
        "O_NOFOLLOW",
        "fchmod",
        "fork",
        "getpgid",
        "getuid",
        "geteuid",
        "killpg",
        "pread",
        "pwrite",
        "register_at_fork",
        "setsid",
    ),
    "signal": ("SIGKILL", "SIGHUP", "SIGALRM", "alarm"),
    "socket": ("AF_UNIX", "SO_PEERCRED"),
}
"""What it lacks of modules that it has."""
Command: TypeAlias = tuple[str, ...]
Outcome: TypeAlias = tuple[int, str]
WITHOUT_POSIX = f"""
import os, signal, socket, subprocess, sys, tempfile, asyncio, shutil, getpass

class Hiding:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name in {MODULES!r} else self.finder.find_spec(name, path, target)

for name in {MODULES!r}:
    sys.modules.pop(name, None)
def pair_as_windows_makes_it(*family, made=socket.socketpair, unix=socket.AF_UNIX):
    return made(unix)

socket.socketpair = pair_as_windows_makes_it  # Python's own event loop uses a pair
sys.meta_path[:] = map(Hiding, sys.meta_path)
for module, names in {NAMES!r}.items():
    for name in names:
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)

def open_as_windows_does(path, flags, mode=0o777, *, dir_fd=None, opened=os.open):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return opened(path, flags, mode)

os.open = open_as_windows_does
shutil._use_fd_functions = False  # removing a folder opens none there either
"""
"""Takes them away, and opens no folders, as Windows does."""


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of markscheme without modules that only POSIX systems have."""
    code = f"{WITHOUT_POSIX}\nfrom markscheme.cli import main\nsys.exit(main({list(arguments)!r}))"
    env = variables(cwd)
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False
    )


def outcomes_of(commands: Sequence[Command], folder: Path) -> dict[Command, Outcome]:
    """Run commands in one interpreter without POSIX modules; return exit status and standard error of each."""
    code = f"""{WITHOUT_POSIX}
import contextlib, io, json
from markscheme.cli import main

ended = []
for command in {[list(command) for command in commands]!r}:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as complained:
        status = main(command)
    ended.append((status, complained.getvalue()))
print(json.dumps(ended))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=variables(folder),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout.splitlines()[-1])
    return {tuple(command): tuple(outcome) for command, outcome in zip(commands, outcomes, strict=True)}


def variables(folder: Path) -> dict[str, str]:
    """Return the environment with a cache in the folder."""
    return environment({"MARKSCHEME_CACHE": str(folder / "cache")})


def shipped_set_in(folder: Path) -> Path:
    """Copy the shipped labelled set into a folder, with labels marked as a person's; return the folder."""
    shutil.copytree(ROOT / "rubrics", folder / "rubrics")
    shutil.copytree(ROOT / "calibration" / "code-quality", folder / "calibration" / "code-quality")
    (ratings,) = (folder / "calibration" / "code-quality" / "ratings").glob("*.jsonl")
    lines = [json.loads(line) for line in ratings.read_text(encoding="utf-8").splitlines()]
    human = [{**line, "rater": "ann", "kind": "human"} for line in lines]
    ratings.write_text("".join(json.dumps(line) + "\n" for line in human), encoding="utf-8")
    (folder / ".git").mkdir()
    return folder


def ends_without_a_fault(folder: Path, *command: str) -> None:
    """Run a command on the shipped set without POSIX modules, and check that it works."""
    ((status, complained),) = outcomes_of([command], shipped_set_in(folder)).values()
    assert status in (0, 1), complained
    assert "Traceback" not in complained


def is_refused(folder: Path, why: str, *command: str) -> None:
    """Run a command on the shipped set without POSIX modules, and check that it says why it doesn't work."""
    ((status, complained),) = outcomes_of([command], shipped_set_in(folder)).values()
    assert status == 2, complained
    assert why in complained
