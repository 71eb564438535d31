"""The project of `scripted_setting` with accepted runs, and the commands that tests run in it."""

import functools
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import run

Done = subprocess.CompletedProcess[str]


def calibrate(here: Path, *options: str, env: dict[str, str] | None = None) -> Done:
    """Run `calibrate` with the scripted judge."""
    command = ("calibrate", "clear", "--judge", setting.JUDGE, *options)
    return run(*command, cwd=here, env={**setting.environment(here), **(env or {})})


def report_of(here: Path, *options: str) -> tuple[dict[str, Any], int]:
    """Return the report of a calibration, and its exit status."""
    done = calibrate(here, "--quiet", "--json", "-", *options)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode


def grade(here: Path, *options: str) -> Done:
    """Grade one answer with the scripted judge."""
    (here / "answer.txt").write_text("answer 7: tone=3 facts=4", encoding="utf-8")
    command = ("markscheme", "grade", "clear", "answer.txt", "--judge", setting.JUDGE, *options)
    return run(*command, cwd=here, env=setting.environment(here))


def first_line(done: Done) -> str:
    """Return the first line that a command printed."""
    return done.stdout.splitlines()[0]


def accepted_runs(here: Path) -> int:
    """Return how many runs are accepted."""
    data = json.loads((here / "calibration" / "clear" / "accepted.json").read_text(encoding="utf-8"))
    return int(data["ratings"]["samples"])


@functools.cache
def _accepted_at_once(base: Path, samples: int) -> Path:
    """Make a scripted project in which `samples` runs were accepted at once."""
    folder = setting.make_setting(base / f"{samples} accepted" / "here")
    done = calibrate(folder, "--accept", "--samples", str(samples), "--quiet")
    assert done.returncode == 0, done.stderr
    return folder


def accepted_in(folder: Path, samples: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy a scripted project in which `samples` runs were accepted at once; the original is made once per process."""
    return shutil.copytree(_accepted_at_once(tmp_path_factory.getbasetemp(), samples), folder)
