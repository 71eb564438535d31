"""Commands on decisions, given rows that bring rubrics of their own: each row's rubric and pass mark decide."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run

N = 60
"""Number of rows, of which people pass every other one."""


def row(index: int) -> dict[str, Any]:
    """Make a row with its own criteria, of which people and two judges find the heavy one met or not."""
    is_good = index % 2 == 0
    met = {"c1": "MET" if is_good else "UNMET", "c2": "MET"}
    wrong = met | {"c1": "UNMET"} if index == 0 else met
    rubric = [
        {"requirement": f"Names town {index}", "weight": 3},
        {"requirement": f"Is polite about route {index}", "weight": 2},
    ]
    labels = [("ann", "human", met), ("sure", "model", met), ("cheap", "model", wrong)]
    return {
        "id": f"r{index}",
        "task": f"t{index}",
        "response": "It passes Leeds.",
        "rubric": {"criteria": rubric, "passingThreshold": 0.6},
        "labels": [{"rater": rater, "kind": kind, "criteria": levels} for rater, kind, levels in labels],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row(index))}\n" for index in range(N)))
    return tmp_path


def test_certify_finds_which_decisions_on_rows_with_own_rubrics_need_no_person(folder: Path) -> None:
    done = run("markscheme", "certify", "rows.jsonl", "--judge", "cheap,sure", "--json", cwd=folder)
    cascade = json.loads(done.stdout)["cascade"]
    assert done.returncode == 0, done.stderr
    assert (cascade["labels"]["n"], cascade["labels"]["groups"]) == (N, N)
    assert cascade["pass_shares"]["labels"]["share"] == 0.5
    shown = run("markscheme", "certify", "rows.jsonl", "--judge", "sure", cwd=folder).stdout
    assert shown.startswith(f"rows.jsonl · pass, fail, or ask a person · {N} labelled examples")
    assert f"0 of {N} were wrong" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        (("--judge", "other"), "no judge 'other' rated the rows of rows.jsonl; its judges: sure and cheap"),
        (("--write",), "rows name no judge to ask, so there is nothing to write"),
    ],
)
def test_certify_on_rows_refuses_an_unknown_judge_and_the_write_option(
    more: tuple[str, ...], problem: str, folder: Path
) -> None:
    done = run("markscheme", "certify", "rows.jsonl", *more, cwd=folder)
    assert (done.returncode, problem in " ".join(done.stderr.split())) == (2, True), done.stderr


def test_the_pass_rate_of_rows_with_own_rubrics_counts_decisions_by_each_row_s_pass_mark(folder: Path) -> None:
    rows = [row(index) for index in range(N)]
    for line in rows:
        line["labels"] = line["labels"][:2]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in rows))
    done = run("markscheme", "pass-rate", "rows.jsonl", "--calibration", "rows.jsonl", "--json", cwd=folder)
    rates = json.loads(done.stdout)
    assert (rates["raw"]["value"], rates["raw"]["n"], rates["corrected"]["value"]) == (0.5, N, 0.5)
