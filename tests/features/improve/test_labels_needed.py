"""The number of labels that `improve` names, and which question it answers."""

from pathlib import Path

import pytest

from tests.commands.sitting import make_sitting, printed


@pytest.fixture
def sitting(tmp_path: Path) -> Path:
    """Make a project of thirty replies with labels by two people, and a judge that is wrong on three of them."""
    return make_sitting(tmp_path)


def test_the_plan_option_of_improve_also_prints_the_number_of_labels_that_a_gate_needs(sitting: Path) -> None:
    (sitting / "rater.py").write_text("def judge(system_prompt, user_prompt):\n    return {}\n")
    judge = "function:rater:judge"
    printed(sitting, "calibrate", "kind", "--ratings", "judge.jsonl", status=4)
    after = printed(sitting, "markscheme", "improve", "kind", "--plan", "--judge", judge, "--proposer", judge)
    assert "Gating is another question: Label about 80 more for an even chance" in after
    (sitting / "calibration" / "kind" / "next_labels.json").unlink()
    plan = printed(sitting, "markscheme", "improve", "kind", "--plan", "--judge", judge, "--proposer", judge)
    assert "198 examples, 132 of them held out" in plan
    assert "Gating" not in plan
