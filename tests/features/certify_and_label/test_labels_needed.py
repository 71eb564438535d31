"""The number of labels that a plan names for a certificate."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.commands.sitting import make_sitting


@pytest.fixture
def sitting(tmp_path: Path) -> Path:
    """Thirty replies that two people labelled, and a judge that misses three of them."""
    return make_sitting(tmp_path)


def test_a_labelling_plan_states_the_number_of_labels_that_a_cascade_needs(sitting: Path) -> None:
    home = sitting / "calibration" / "kind"
    rows = [json.loads(line) for line in (home / "examples.jsonl").read_text().splitlines()]
    marked = [
        {**row, "labels": [{**label, "pass": bool(place % 2)} for label in row["labels"]]}
        for place, row in enumerate(rows)
    ]
    (home / "examples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in marked))
    sure = [{"id": f"e{i}", "judge": "sure", "criteria": {"kind": bool(i % 2)}} for i in range(30)]
    (sitting / "sure.jsonl").write_text("".join(json.dumps(row) + "\n" for row in sure))
    judges = ("--ratings", "judge.jsonl", "--ratings", "sure.jsonl")
    before = planned(sitting, *judges)
    tuned = run("markscheme", "certify", "kind", "--judge", "judge.jsonl,sure.jsonl", "--json", cwd=sitting)
    cascade = json.loads(tuned.stdout)["cascade"]
    assert before["labels"] == cascade["needed"] == 70
    assert before["have"] == 30
    assert before["basis"] == f"by judge, then sure: {cascade['automatic']['undefined']}"
    assert planned(sitting, *judges) == before, "a plan asks for no promise"


def planned(sitting: Path, *options: str) -> Any:
    """What a plan says of a promise."""
    done = run("markscheme", "label", "kind", "--plan", *options, "--error", "0.05", "--json", "-", cwd=sitting)
    assert done.returncode == 0, done.stderr
    (promise,) = (need for need in json.loads(done.stdout)["needs"] if need["goal"] == "promise")
    return promise
