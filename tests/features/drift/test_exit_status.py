"""A judge that changed ends a run of calibrate with 1, whatever is required."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.test_exit_statuses import GOOD, REQUIRE, write


@pytest.mark.parametrize("column", REQUIRE)
def test_calibrating_a_judge_that_changed_since_the_accepted_run_exits_1(column: str, tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    assert run("calibrate", "reply", "--ratings", "ratings.jsonl", "--accept", cwd=tmp_path).returncode == 0
    write_changed(tmp_path / "ratings.jsonl")
    command = ("calibrate", "reply", "--ratings", "ratings.jsonl", "--json", "report.json", *REQUIRE[column])
    done = run(*command, cwd=tmp_path)
    assert done.returncode == 1, done.stdout
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["because_code"] == "drift"


def write_changed(ratings: Path) -> None:
    """Turn a third of a judge's verdicts round."""
    lines = [json.loads(line) for line in ratings.read_text(encoding="utf-8").splitlines()]
    for line in lines[::3]:
        line["criteria"]["good"] = 1 - line["criteria"]["good"]
    ratings.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
