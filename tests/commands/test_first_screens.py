"""The first screen of every command, as a user sees it in a terminal of 80 columns and 40 lines."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from markscheme.commands.table import command_names
from markscheme.report.terminal import SCREEN_LINES
from tests.commands.console import ROOT, SECONDS, environment, run, scripts
from tests.commands.reply_project import make_project
from tests.commands.screens import COLUMNS, LINES_FOR_PROGRAMS, NAME, SCREENS, Screen, holds_command, steady
from tests.core_alone import program_with_only
from tests.golden_files import GoldenFiles


def _of_features() -> Iterator[Mapping[str, Screen]]:
    """Yield the screens in the module `screens` of each feature's tests."""
    for path in sorted((ROOT / "tests/features").glob("*/screens.py")):
        yield import_module(f"tests.features.{path.parent.name}.screens").SCREENS


OFFERED = {name: screen for name, screen in SCREENS.items() if screen.arguments[0] in command_names()}
"""Those of the commands there are: a feature may have been deleted."""
ALL_SCREENS = {**OFFERED, **{name: screen for screens in _of_features() for name, screen in screens.items()}}
"""By the name of its golden file."""


def test_every_command_has_a_golden_file_of_its_first_screen() -> None:
    assert {screen.arguments[0] for screen in ALL_SCREENS.values()} == set(command_names())


@pytest.mark.parametrize("name", ALL_SCREENS)
def test_the_first_screen_of_a_command_equals_its_golden_file_and_fits_a_terminal(
    tmp_path: Path, golden: GoldenFiles, name: str
) -> None:
    screen = ALL_SCREENS[name]
    make_project(tmp_path)
    screen.before(tmp_path)
    env = {"MARKSCHEME_CACHE": str(tmp_path / "cache")}
    if screen.only is None:
        done = run("markscheme", *screen.arguments, cwd=tmp_path, env=env)
    else:
        done = run_with_only(screen.only, screen.arguments, cwd=tmp_path, env=env)
    lines = steady(("" if screen.saved_as else done.stdout) + done.stderr, tmp_path).splitlines()
    redirect = ["", ">", screen.saved_as] if screen.saved_as else []
    command = f"markscheme {' '.join(screen.arguments)}{' '.join(redirect)}"
    golden.check(f"screens/{name}.txt", "\n".join([f"$ {command}", *lines]) + "\n", screen.folder)
    assert done.returncode == screen.status
    assert f": markscheme {' '.join(screen.arguments)} Full report" not in " ".join(lines)  # never the command just run
    too_wide = [line for line in done.stdout.splitlines() if len(line) > COLUMNS and not holds_command(line)]
    assert screen.saved_as or not too_wide or name in LINES_FOR_PROGRAMS
    assert sum(1 + (len(line) - 1) // COLUMNS for line in lines) <= SCREEN_LINES


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="runs where the system has pseudo-terminals")
@pytest.mark.parametrize(("rows", "is_repeated"), [("24", True), ("60", False)])
def test_if_the_report_is_longer_than_the_terminal_the_verdict_on_the_judge_is_repeated_in_the_last_line(
    tmp_path: Path, rows: str, is_repeated: bool
) -> None:
    make_project(tmp_path)
    ours, theirs = os.openpty()
    command = [str(scripts() / "markscheme"), "calibrate", NAME, "--ratings", "hasty.jsonl"]
    env = {**environment(), "LINES": rows, "TERM": "xterm", "NO_COLOR": "1"}
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=theirs, stderr=subprocess.DEVNULL):
        os.close(theirs)
        printed = b""
        with contextlib.suppress(OSError):  # Linux says so where the other side is closed
            while part := os.read(ours, 65_536):
                printed += part
    os.close(ours)
    last = printed.decode().splitlines()[-1]
    assert (last == "? Not enough labels to tell whether it can gate.") is is_repeated


def run_with_only(
    feature: str, arguments: Sequence[str], *, cwd: Path, env: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    """Run a command where one feature alone is offered."""
    command = [sys.executable, "-c", program_with_only(feature), *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment(env), capture_output=True, text=True, timeout=SECONDS, check=False
    )
