"""The main job where what only POSIX systems have is missing, as on Windows; and what is refused there, and how."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.commands import console
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
HOME = "calibration/code-quality"
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
    """One of our commands, without what only POSIX systems have."""
    code = f"{WITHOUT_POSIX}\nfrom markscheme.cli import main\nsys.exit(main({list(arguments)!r}))"
    env = variables(cwd)
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False
    )


def outcomes_of(commands: Sequence[Command], folder: Path) -> dict[Command, Outcome]:
    """Exit status and standard error of commands, all of them run by one interpreter without what only POSIX has."""
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
    """With a cache of its own: where a system keeps caches is another library's matter."""
    return environment({"MARKSCHEME_CACHE": str(folder / "cache")})


def shipped_set_in(folder: Path) -> Path:
    """The folder, with a copy of the shipped set whose labels are a person's."""
    shutil.copytree(ROOT / "rubrics", folder / "rubrics")
    shutil.copytree(ROOT / "calibration" / "code-quality", folder / "calibration" / "code-quality")
    (ratings,) = (folder / "calibration" / "code-quality" / "ratings").glob("*.jsonl")
    lines = [json.loads(line) for line in ratings.read_text(encoding="utf-8").splitlines()]
    human = [{**line, "rater": "ann", "kind": "human"} for line in lines]
    ratings.write_text("".join(json.dumps(line) + "\n" for line in human), encoding="utf-8")
    (folder / ".git").mkdir()
    return folder


def test_what_is_taken_away_is_gone(tmp_path: Path) -> None:
    for statement in ("import fcntl", "import pwd", "import os; os.getuid()", "import socket; socket.AF_UNIX"):
        done = subprocess.run(
            [sys.executable, "-c", f"{WITHOUT_POSIX}\n{statement}"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1, statement


ACCEPTING = (
    *("calibrate", "code-quality", "--accept", "--anyway", "--json", "r.json", "--html", "r.html"),
    *("--markdown", "r.md", "--junit", "r.xml", "--sarif", "r.sarif"),
)
CALIBRATED = (ACCEPTING, ("calibrate", "code-quality", "--quiet"), ("verify", "calibration/code-quality"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped set, and human labels for it."""
    return shipped_set_in(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def calibrated(project: Path) -> dict[Command, Outcome]:
    """Exit status and standard error of CALIBRATED, run in the project."""
    return outcomes_of(CALIBRATED, project)


def test_calibrating_accepting_and_reports(project: Path, calibrated: dict[Command, Outcome]) -> None:
    (accepting, complained), (again, complained_again), (verified, found) = calibrated.values()
    assert accepting in (0, 1, 4), complained
    assert "Traceback" not in complained
    home = project / "calibration" / "code-quality"
    assert {"accepted.json", "card.json", "card.md", "settings.jsonl"} <= {path.name for path in home.iterdir()}
    assert json.loads((project / "r.json").read_text(encoding="utf-8"))["counts"]["graded"] == 73
    assert again in (0, 1, 4), complained_again
    assert verified == 0, found


@pytest.mark.usefixtures("calibrated")
def test_the_figures_are_those_of_a_system_that_has_it_all(project: Path, tmp_path: Path) -> None:
    console.run("calibrate", "code-quality", "--quiet", "--json", "r.json", cwd=shipped_set_in(tmp_path))
    without, whole = (json.loads((folder / "r.json").read_text()) for folder in (project, tmp_path))
    assert without["agreement"] == whole["agreement"]
    assert without["use"] == whole["use"]


def test_grading_a_table_with_a_cache(project: Path) -> None:
    (project / "careful.py").write_text(
        "def judge(system_prompt, user_prompt):\n"
        "    return {'verdicts': {'form': {'quote': '', 'reason': 'So.', 'level': 'MET'}}}\n"
        "judge.environment = ()\n"
    )
    (project / "rubrics" / "form.yaml").write_text("criteria: [{name: form, requirement: It is short.}]\n")
    (project / "in.jsonl").write_text('{"id": "a", "response": "x"}\n{"id": "b", "response": "y"}\n')
    options = ("--judge", "function:careful:judge", "--out", "out.jsonl")
    done = run("grade", "form", "in.jsonl", *options, cwd=project)
    assert done.returncode == 0, done.stderr
    assert len((project / "out.jsonl").read_text().splitlines()) == 2
    assert (project / "cache" / "replies.sqlite3").is_file()


OTHERS: Sequence[Command] = (
    ("lint", "code-quality"),
    ("status", "--json"),
    ("plan", "code-quality"),
    ("demo",),
    ("init", "new"),
    (
        "compare",
        "calibration/code-quality/ratings/claude-reader.jsonl",
        "recorded:calibration/code-quality/replies",
        "--rubric",
        "code-quality",
    ),
)
REFUSED: Mapping[Command, str] = {
    ("label", "code-quality", "--rater", "ann"): "the labelling page runs on Linux and macOS",
    ("adjudicate", "code-quality", "--rater", "ann"): "the labelling page runs on Linux and macOS",
    ("session", "start"): "this system has no Unix sockets",
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[Command, Outcome]:
    """Exit status and standard error of OTHERS and REFUSED."""
    return outcomes_of((*OTHERS, *REFUSED), shipped_set_in(tmp_path_factory.mktemp("others")))


@pytest.mark.parametrize("command", OTHERS, ids=" ".join)
def test_other_commands(ended: dict[Command, Outcome], command: Command) -> None:
    status, complained = ended[command]
    assert status in (0, 1), complained
    assert "Traceback" not in complained


def test_an_assertion_of_promptfoo_grades_in_its_own_process(project: Path) -> None:
    (project / "rubrics" / "form.yaml").write_text(
        "criteria: [{name: form, requirement: It is JSON., check: json_valid}]\n"
    )
    run("init", cwd=project)
    code = f"""{WITHOUT_POSIX}
sys.path.insert(0, "graders")
from rubric_grader import get_assert
print(get_assert("[1]", {{"vars": {{}}, "config": {{"rubric": "form"}}}})["pass"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project, env=variables(project), capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["True"], done.stderr


@pytest.mark.parametrize(("command", "why"), REFUSED.items(), ids=lambda value: value[0])
def test_what_does_not_run_there_says_why(ended: dict[Command, Outcome], command: Command, why: str) -> None:
    status, complained = ended[command]
    assert status == 2, complained
    assert why in complained
