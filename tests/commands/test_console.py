"""Commands run inside the test process print the same as in a process of their own, and leave nothing behind."""

import os
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.commands import scripted_setting as setting
from tests.commands.console import run, run_apart

PROGRESS = re.compile(r"^grading: \d+ of \d+\n", re.MULTILINE)
"""Lines of progress, which slow runs alone print."""
ANSWER = "answer 7: tone=3 facts=2"
COMMANDS = (
    ("calibrate", "clear", "--judge", setting.JUDGE),
    ("markscheme", "grade", "clear", "answer.txt", "--judge", setting.JUDGE, "--json"),
    ("markscheme", "grade", "clear", "-", "--judge", setting.JUDGE),
    ("markscheme", "lint", "nowhere"),
    ("calibrate", "--no-such-option"),
    ("markscheme",),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_prints_the_same_inside_the_test_process_as_in_a_process_of_its_own(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    def screens_of(run_it: Any, folder: Path) -> tuple[int, str, str]:
        env = setting.environment(setting.make_setting(folder))
        (folder / "answer.txt").write_text(ANSWER, encoding="utf-8")
        done = run_it(*command, cwd=folder, env=env, stdin=ANSWER)
        return done.returncode, done.stdout, PROGRESS.sub("", done.stderr)

    here, apart = (screens_of(run_it, tmp_path / run_it.__name__ / "project") for run_it in (run, run_apart))
    assert here == apart
    assert here[1] or here[2]


def test_a_command_run_inside_the_test_process_leaves_its_environment_and_standard_streams_unchanged(
    tmp_path: Path,
) -> None:
    def state() -> tuple[object, ...]:
        streams = (sys.stdin, sys.stdout, sys.stderr)
        return dict(os.environ), os.getcwd(), list(sys.path), list(sys.argv), list(warnings.filters), streams

    here = setting.make_setting(tmp_path / "here")
    before = state()
    assert run(*COMMANDS[0], cwd=here, env={**setting.environment(here), "NO_COLOR": "1"}).returncode == 0
    assert state() == before
    assert "judging" not in sys.modules


def test_if_two_projects_have_a_module_of_the_same_name_each_project_loads_its_own(tmp_path: Path) -> None:
    whole = setting.make_setting(tmp_path / "whole")
    other = setting.make_setting(tmp_path / "other")
    setting.write_judge(other, tone=1)
    first, second, again = (
        run(*COMMANDS[2], cwd=here, env=setting.environment(here), stdin=ANSWER) for here in (whole, other, whole)
    )
    assert first.stdout == again.stdout != second.stdout
