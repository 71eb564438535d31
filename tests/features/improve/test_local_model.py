"""`markscheme improve` with a real small model as judge and as proposer, behind a real server.

A model of this size judges near chance and writes poor edits, so nothing is said of whether it gets better: what it
proposes goes through the refusals and the leak check, and a run that is killed goes on where it was.
"""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import environment
from tests.features.improve.reading import PROPOSER, make_project
from tests.real import messages_front as front

COMMAND = (
    "improve", "manners", "--judge", "anthropic", "--proposer", "anthropic:writer", "--rounds", "1", "--batch", "2",
    "--open", "-o", "concurrency=1", "--json",
)  # fmt: skip
TASKS = 30


@pytest.mark.release
def test_improve_works_with_a_real_model_as_judge_and_proposer_and_continues_after_it_was_killed(
    local_model: Path, tmp_path: Path
) -> None:
    make_project(tmp_path, n=TASKS)
    with front.MessagesFront(front.local_model(local_model, longest=120)) as served:
        env = {
            **environment(),
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_BASE_URL": served.url,
            "MARKSCHEME_CACHE": str(tmp_path / "cache"),
        }
        start = [sys.executable, "-m", "markscheme", *COMMAND]
        _kill_after(6, start, env, tmp_path, served)  # in the middle of dev
        before = len(served.requests)
        _kill_after(before + 6, start, env, tmp_path, served)  # at a proposal
        done = subprocess.run(start, cwd=tmp_path, env=env, text=True, capture_output=True, check=False)
        bodies = [json.dumps(request.body, sort_keys=True) for request in served.requests]
        again = subprocess.run(start, cwd=tmp_path, env=env, text=True, capture_output=True, check=False)
        asked_again = len(served.requests) - len(bodies)
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert {one["name"] for one in report["wordings"]} | {refusal["candidate"] for refusal in report["refused"]} == {
        "round-1/1",
        "round-1/2",
    }
    assert all(refusal["why"] for refusal in report["refused"])
    for wording in report["wordings"]:
        assert all(change["old"].strip() != change["new"].strip() for change in wording["changes"])
    assert (
        len(bodies) - len(set(bodies)) <= 2 + asked_again
    )  # the two questions that the killed processes had no answer to
    assert sum(PROPOSER in body for body in bodies) >= 2
    assert asked_again < len(bodies) / 4  # an answer that could not be read isn't kept; all else is
    assert json.loads(again.stdout)["adopted"] == report["adopted"]
    opened = tmp_path / "calibration" / "manners" / "opened.jsonl"
    assert (len(opened.read_text().splitlines()) if opened.exists() else 0) == (1 if report["finalists"] else 0)


def _kill_after(n: int, start: list[str], env: dict[str, str], folder: Path, served: front.MessagesFront) -> None:
    """Start the command, and kill it once the server has received so many requests."""
    running = subprocess.Popen(start, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while running.poll() is None and len(served.requests) < n:
        try:
            running.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    running.send_signal(signal.SIGKILL)
    assert running.wait() == -signal.SIGKILL
