"""Many processes grade the same submissions at once over one memory, before a judge that never answers alike twice."""

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from markscheme.judges.remembering import REPLIES_FILE
from tests.proofs.server import ROOT, serving

pytestmark = pytest.mark.proof
PROCESSES = 16
SUBMISSIONS = 100
MOST_CALLS = 1.2 * SUBMISSIONS


def started(command: Sequence[str]) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, text=True, stdin=pipe, stdout=pipe, stderr=pipe)


def test_all_get_the_same_results_and_one_reply_is_kept_for_each_prompt(
    tmp_path: Path, tell: Callable[..., None]
) -> None:
    with serving("moody") as server, ExitStack() as stack:
        command = (sys.executable, "-m", "tests.proofs.grader", server.url, str(tmp_path), str(SUBMISSIONS))
        processes = [stack.enter_context(started(command)) for _ in range(PROCESSES)]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        began = time.monotonic()
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        outputs = [process.communicate(timeout=300) for process in processes]
        seconds = time.monotonic() - began
    assert [errors for _, errors in outputs if errors] == []
    reports = [json.loads(output) for output, _ in outputs]

    assert len(reports[0]["verdicts"]) == SUBMISSIONS
    assert all(verdicts.keys() == {"even", "rest"} for verdicts in reports[0]["verdicts"].values())
    assert all(entry["verdicts"] == reports[0]["verdicts"] for entry in reports)

    with sqlite3.connect(tmp_path / REPLIES_FILE) as connection:
        kept = connection.execute("SELECT count(*), count(DISTINCT key) FROM replies").fetchone()
        sound = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    assert (kept, sound) == ((SUBMISSIONS, SUBMISSIONS), [("ok",)])

    calls = server.report["calls"]
    assert server.report["questions"] == SUBMISSIONS
    assert SUBMISSIONS <= calls == sum(entry["calls"] for entry in reports) <= MOST_CALLS
    tell(
        f"{PROCESSES} processes, {SUBMISSIONS} submissions each, one memory, {seconds:.0f} s",
        f"  results equal; {kept[0]} replies kept for {SUBMISSIONS} prompts; integrity ok",
        f"  server asked {calls:,} times for {PROCESSES * SUBMISSIONS:,} gradings",
    )
