"""Many processes grade the same submissions at once with one cache and a judge that never repeats an answer."""

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from markscheme.judges import REPLIES_FILE
from tests.proofs.server import ROOT, serving

pytestmark = pytest.mark.proof
PROCESSES = 16
SUBMISSIONS = 100
MOST_CALLS = 1.2 * SUBMISSIONS


def test_processes_that_grade_at_once_get_the_same_results_and_keep_one_reply_for_each_prompt(
    tmp_path: Path, tell: Callable[..., None]
) -> None:
    with serving("moody") as server:
        grader = (sys.executable, "-m", "tests.proofs.grader", server.url, str(tmp_path))
        began = time.monotonic()
        done = subprocess.run(
            [*grader, str(SUBMISSIONS), str(PROCESSES)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        seconds = time.monotonic() - began
    assert done.stderr == ""
    reports = json.loads(done.stdout)
    assert len(reports) == PROCESSES

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
