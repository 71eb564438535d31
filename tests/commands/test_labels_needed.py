"""One rubric, one judge, one sitting: every command names the same number of labels, or says which other it means."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run

ASKED = "Label about 120 more for an even chance to say whether the judge can gate."
"""Two judges were compared on the same labels, so their intervals hold together."""


@pytest.fixture
def sitting(tmp_path: Path) -> Path:
    """Thirty replies that two people labelled, and a judge that misses three of them."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "kind.yaml").write_text("criteria:\n- {name: kind, requirement: Is it kind?}\n")
    home = tmp_path / "calibration" / "kind"
    home.mkdir(parents=True)
    rows = [{"id": f"e{i}", "response": f"reply {i}", "labels": labels_of(i)} for i in range(30)]
    (home / "examples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for judge, misses in (("judge", 3), ("other", 12)):
        ratings = [
            {"id": f"e{i}", "judge": judge, "criteria": {"kind": bool(i % 2) != (i < misses)}} for i in range(30)
        ]
        (tmp_path / f"{judge}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ratings))
    pool = [{"id": f"p{i}", "response": f"new {i}"} for i in range(100)]
    (tmp_path / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in pool))
    return tmp_path


def labels_of(place: int) -> list[dict[str, object]]:
    return [{"rater": rater, "criteria": {"kind": bool(place % 2)}} for rater in ("ann", "bob")]


def printed(sitting: Path, *command: str, status: int = 0) -> str:
    done = run(*command, cwd=sitting, env={"COLUMNS": "200"})
    assert done.returncode == status, done.stderr
    return " ".join(done.stdout.split())


def test_every_command_of_a_sitting_names_one_number_of_labels(sitting: Path) -> None:
    shown = {
        "compare": printed(sitting, "markscheme", "compare", "judge.jsonl", "other.jsonl", "--rubric", "kind"),
        "calibrate": printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4),
        "plan": printed(sitting, "markscheme", "plan", "kind", "--ratings", "judge.jsonl"),
        "progress": printed(sitting, "markscheme", "label", "kind", "--progress"),
        "status": printed(sitting, "markscheme", "status"),
    }
    assert {name: ASKED in text for name, text in shown.items()} == dict.fromkeys(shown, True)
    for name, text in shown.items():
        assert set(re.findall(r"[Ll]abel about (\d+)", text)) == {"120"}, name
    report = json.loads((sitting / "calibration" / "kind" / "next_labels.json").read_text())
    assert report["labels_needed"] == 120


def test_a_file_named_almost_like_the_examples_changes_no_number(sitting: Path) -> None:
    before = printed(sitting, "markscheme", "label", "kind", "--progress")
    (sitting / "calibration" / "kind" / "examples.jsonl.orig").write_text("an older copy")
    assert printed(sitting, "markscheme", "label", "kind", "--progress") == before


def test_a_comparison_after_the_calibration_changes_the_number_everywhere(sitting: Path) -> None:
    alone = printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4)
    assert "Label about 80 more" in alone
    compared = printed(sitting, "markscheme", "compare", "judge.jsonl", "other.jsonl", "--rubric", "kind")
    assert ASKED in compared
    for command in (
        ("status",),
        ("label", "kind", "--progress"),
        ("plan", "kind"),
        ("plan", "kind", "--ratings", "judge.jsonl"),
    ):
        assert set(re.findall(r"[Ll]abel about (\d+)", printed(sitting, "markscheme", *command))) == {"120"}, command


def test_judges_that_are_compared_count_with_those_on_record(sitting: Path) -> None:
    printed(sitting, "calibrate", "kind", "--ratings", "other.jsonl", status=1)
    rows = [{"id": f"e{i}", "judge": "twin", "criteria": {"kind": bool(i % 2) != (i < 4)}} for i in range(30)]
    (sitting / "twin.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    compared = printed(sitting, "markscheme", "compare", "judge.jsonl", "twin.jsonl", "--rubric", "kind")
    (number,) = set(re.findall(r"[Ll]abel about (\d+) more for", compared))
    after = printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4)
    assert "95% for all 3 settings" in after
    assert f"Label about {number} more" in after


def test_improve_says_that_it_asks_another_question(sitting: Path) -> None:
    (sitting / "rater.py").write_text("def judge(system_prompt, user_prompt):\n    return {}\n")
    judge = "function:rater:judge"
    printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4)
    after = printed(sitting, "markscheme", "improve", "kind", "--plan", "--judge", judge, "--proposer", judge)
    assert "Gating is another question: Label about 80 more for an even chance" in after
    (sitting / "calibration" / "kind" / "next_labels.json").unlink()
    plan = printed(sitting, "markscheme", "improve", "kind", "--plan", "--judge", judge, "--proposer", judge)
    assert "198 examples, 132 of them held out" in plan
    assert "Gating" not in plan


def test_next_without_a_number_draws_as_many(sitting: Path) -> None:
    done = run("markscheme", "plan", "kind", "--ratings", "judge.jsonl", "--next", "--pool", "pool.jsonl", cwd=sitting)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 80
    some = run("markscheme", "plan", "kind", "--next", "7", "--pool", "pool.jsonl", cwd=sitting)
    assert len(some.stdout.splitlines()) == 7


def test_next_without_a_number_needs_a_verdict_that_asks_for_one(sitting: Path) -> None:
    (sitting / "judge.jsonl").write_text(
        "".join(
            json.dumps({"id": f"e{i}", "judge": "judge", "criteria": {"kind": bool(i % 2)}}) + "\n" for i in range(30)
        )
    )
    done = run("markscheme", "plan", "kind", "--ratings", "judge.jsonl", "--next", "--pool", "pool.jsonl", cwd=sitting)
    assert done.returncode == 2
    assert "asks for no number of labels: say how many, --next N" in done.stderr


def test_other_goals_come_with_their_own_question(sitting: Path) -> None:
    plain = printed(sitting, "markscheme", "plan", "kind", "--ratings", "judge.jsonl")
    assert "Labels needed" not in plain
    width = printed(sitting, "markscheme", "plan", "kind", "--ratings", "judge.jsonl", "--width", "0.05")
    assert "Labels needed for an interval of a given width" in width
    assert "guarantee" not in width
    error = printed(sitting, "markscheme", "plan", "kind", "--ratings", "judge.jsonl", "--error", "0.1")
    assert "at most 10% of automatic decisions wrong" in error
    everything = printed(sitting, "markscheme", "plan", "kind", "--ratings", "judge.jsonl", "--details")
    assert everything.count("Labels needed") == 3


def test_no_more_are_asked_for_than_a_pool_has(sitting: Path) -> None:
    printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4)
    few = (sitting / "pool.jsonl").read_text().splitlines(keepends=True)[:24]
    (sitting / "few.jsonl").write_text("".join(few))
    shown = printed(sitting, "markscheme", "label", "kind", "--progress", "--pool", "few.jsonl")
    assert "Label all 24 that are left in few.jsonl." in shown


def test_plan_names_the_labels_that_a_cascade_asks_for(sitting: Path) -> None:
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
    tuned = run("markscheme", "tune", "kind", "--cascade", "judge.jsonl,sure.jsonl", "--json", cwd=sitting)
    cascade = json.loads(tuned.stdout)["cascade"]
    assert before["labels"] == cascade["needed"] == 70
    assert before["have"] == 30
    assert before["basis"] == f"by judge, then sure: {cascade['automatic']['undefined']}"
    assert planned(sitting, *judges) == before, "a plan asks for no promise"


def planned(sitting: Path, *options: str) -> Any:
    """What a plan says of a promise."""
    done = run("markscheme", "plan", "kind", *options, "--error", "0.05", "--json", "-", cwd=sitting)
    assert done.returncode == 0, done.stderr
    (promise,) = (need for need in json.loads(done.stdout)["needs"] if need["goal"] == "promise")
    return promise
