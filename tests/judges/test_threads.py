"""A hanging function delays neither the deadline nor Ctrl-C, whatever program calls it."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from markscheme.errors import JudgeSilent
from markscheme.judges.function import FunctionJudge
from tests.commands.console import environment
from tests.judges.asking import refusal

HANGS = """
import pathlib, threading, time

def begun():
    pathlib.Path(__file__).with_name("begun").touch()

def sync(system_prompt, user_prompt):
    begun()
    threading.Event().wait()

async def blocking(system_prompt, user_prompt):
    begun()
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            pass
"""
BY_DEADLINE = """
import sys
from markscheme.judges.function import FunctionJudge
from markscheme import Grader
from dataclasses import replace
judge = replace(FunctionJudge.load(sys.argv[1]), deadline=0.2)
with Grader("rubric.yaml", judge) as grader:
    print(grader.grade_sync("Of course.").error)
"""
PYTHON = """
import sys
from markscheme import Grader
with Grader("rubric.yaml", "function:" + sys.argv[1]) as grader:
    grader.grade_sync("Of course.")
"""
PYTEST = """
def test_it(assert_grade):
    assert_grade("Of course.", "rubric.yaml", judge={judge!r})
"""
PROMPTFOO = """
import sys
from markscheme.promptfoo.entry import get_assert
config = {"rubric": "rubric.yaml", "judge": "function:" + sys.argv[1], "session": "off"}
get_assert("Of course.", {"vars": {}, "config": config}, sys.argv[0])
"""
ENDS_WITHIN = 300.0
"""Seconds from Ctrl-C to the end of the process, on a machine with much else to do; alone, it takes less than 2."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hangs.py").write_text(HANGS)
    (tmp_path / "rubric.yaml").write_text("criteria: [{requirement: Is kind}]\n")
    (tmp_path / "reply.txt").write_text("Of course.")
    (tmp_path / "by_deadline.py").write_text(BY_DEADLINE)
    (tmp_path / "by_python.py").write_text(PYTHON)
    (tmp_path / "by_promptfoo.py").write_text(PROMPTFOO)
    return tmp_path


def command_of(host: str, judge: str, folder: Path) -> Sequence[str]:
    if host == "markscheme":
        call = ("grade", "rubric.yaml", "reply.txt", "--judge", f"function:{judge}")
        return (sys.executable, "-P", "-m", "markscheme", *call)
    if host == "pytest":
        (folder / "test_it.py").write_text(PYTEST.format(judge=f"function:{judge}"))
        plugins = ("-p", "no:cacheprovider", "-p", "markscheme.pytest_plugin")
        return (sys.executable, "-m", "pytest", "-q", *plugins, "test_it.py")
    return (sys.executable, f"{host}.py", judge)


@pytest.mark.parametrize("judge", ["hangs:sync", "hangs:blocking"])
@pytest.mark.parametrize("host", ["markscheme", "pytest", "by_python", "by_promptfoo"])
@pytest.mark.proof
def test_ctrl_c_ends_a_run_whose_judge_hangs(folder: Path, host: str, judge: str) -> None:
    process = subprocess.Popen(
        command_of(host, judge, folder),
        cwd=folder,
        env=environment({"MARKSCHEME_CACHE": str(folder / "cache"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        while not (folder / "begun").exists():
            assert process.poll() is None, process.stdout.read() if process.stdout else ""
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=ENDS_WITHIN)
    finally:
        process.kill()
    assert process.returncode != 0


@pytest.mark.parametrize("judge", ["hangs:sync", "hangs:blocking"])
def test_a_judge_function_that_hangs_is_abandoned_at_its_deadline_and_the_program_ends(
    folder: Path, judge: str
) -> None:
    done = subprocess.run(
        [sys.executable, "by_deadline.py", judge],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"function:{judge} gave no answer within 0.2 s" in done.stdout


def test_an_async_judge_function_that_waits_too_long_is_cancelled() -> None:
    cancelled = []

    async def waits(system_prompt: str, user_prompt: str) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return ""

    error = refusal(FunctionJudge(waits, "function:waits", deadline=0.05))
    assert isinstance(error, JudgeSilent)
    assert cancelled == [True]
