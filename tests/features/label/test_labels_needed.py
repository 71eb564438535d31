"""The number of labels that `label` and its plan name in one sitting, and say which question it answers."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.sitting import make_sitting, printed

DRAW_AS_MANY = ("label", "kind", "--to", "-", "--ratings", "judge.jsonl", "--next", "--pool", "pool.jsonl")


@pytest.fixture
def sitting(tmp_path: Path) -> Path:
    """Make a project of thirty replies with labels by two people, and a judge that is wrong on three of them."""
    return make_sitting(tmp_path)


def test_a_file_named_similarly_to_the_examples_file_does_not_change_the_labels_needed(sitting: Path) -> None:
    before = printed(sitting, "markscheme", "label", "kind", "--progress")
    (sitting / "calibration" / "kind" / "examples.jsonl.orig").write_text("an older copy")
    assert printed(sitting, "markscheme", "label", "kind", "--progress") == before


def test_the_next_option_of_label_without_a_number_draws_as_many_outputs_as_the_verdict_needs_labels(
    sitting: Path,
) -> None:
    done = run("markscheme", *DRAW_AS_MANY, cwd=sitting)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 80
    some = run("markscheme", "label", "kind", "--to", "-", "--next", "7", "--pool", "pool.jsonl", cwd=sitting)
    assert len(some.stdout.splitlines()) == 7


def test_the_label_command_asks_how_many_outputs_to_draw_if_the_verdict_needs_no_further_labels(
    sitting: Path,
) -> None:
    (sitting / "judge.jsonl").write_text(
        "".join(
            json.dumps({"id": f"e{i}", "judge": "judge", "criteria": {"kind": bool(i % 2)}}) + "\n" for i in range(30)
        )
    )
    done = run("markscheme", *DRAW_AS_MANY, cwd=sitting)
    assert done.returncode == 2
    assert "asks for no number of labels: say how many, --next N" in done.stderr


@pytest.mark.proof
def test_a_labelling_plan_states_labels_for_an_interval_s_width_or_an_error_limit_only_on_request(
    sitting: Path,
) -> None:
    plain = printed(sitting, "markscheme", "label", "kind", "--plan", "--ratings", "judge.jsonl")
    assert "Labels needed" not in plain
    width = printed(sitting, "markscheme", "label", "kind", "--plan", "--ratings", "judge.jsonl", "--width", "0.05")
    assert "Labels needed for an interval of a given width" in width
    assert "guarantee" not in width
    error = printed(sitting, "markscheme", "label", "kind", "--plan", "--ratings", "judge.jsonl", "--error", "0.1")
    assert "at most 10% of automatic decisions wrong" in error
    everything = printed(sitting, "markscheme", "label", "kind", "--plan", "--ratings", "judge.jsonl", "--details")
    assert everything.count("Labels needed") == 3


def test_the_progress_option_of_label_asks_for_no_more_labels_than_unlabelled_outputs_are_left(
    sitting: Path,
) -> None:
    printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4)
    few = (sitting / "pool.jsonl").read_text().splitlines(keepends=True)[:24]
    (sitting / "few.jsonl").write_text("".join(few))
    shown = printed(sitting, "markscheme", "label", "kind", "--progress", "--pool", "few.jsonl")
    assert "Label all 24 that are left in few.jsonl." in shown


def test_a_labelling_plan_names_as_many_labels_as_calibrate_even_if_the_judge_fails_on_one_group(
    tmp_path: Path,
) -> None:
    criteria = "criteria: [{name: tone, description: Its tone.}, {name: facts, description: Its facts.}]\n"
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "tone.yaml").write_text(criteria)
    home = tmp_path / "calibration" / "tone"
    home.mkdir(parents=True)
    examples, ratings = [], []
    for n in range(100):
        tone, facts = 1 + n * 2 % 5, 1 + n // 5 % 5
        labels = [{"rater": "ann", "criteria": {"tone": tone, "facts": facts}}]
        examples.append({"id": f"e{n}", "response": f"reply {n}", "group": f"g{n // 10}", "labels": labels})
        judged = tone if n not in (90, 91, 92) else tone + 1 if tone < 5 else tone - 1
        ratings.append({"id": f"e{n}", "judge": "j", "criteria": {"tone": judged, "facts": facts}})
    (home / "examples.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in examples))
    (tmp_path / "j.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in ratings))
    planned = run("markscheme", "label", "tone", "--plan", "--ratings", "j.jsonl", "--json", cwd=tmp_path)
    calibrated = run("calibrate", "tone", "--ratings", "j.jsonl", "--quiet", "--json", "-", cwd=tmp_path)
    report = json.loads(calibrated.stdout)
    assert [excepted["name"] for excepted in report["decision"]["except"]] == ["g9"]
    assert json.loads(planned.stdout)["labels_needed"] == report["labels_needed"]
