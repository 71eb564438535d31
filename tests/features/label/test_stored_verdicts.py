"""A judge's file among a rubric's ratings is no annotator, and the next command reads it."""

import json
from pathlib import Path

import pytest

from markscheme.features.label.label_session import ResponseAnswers
from markscheme.features.label.next_steps import onward_steps
from markscheme.features.label.setup import open_work


def test_after_the_first_annotator_the_next_steps_are_a_second_annotator_and_then_a_calibration_of_the_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    ratings = tmp_path / "calibration/polite/ratings"
    ratings.mkdir(parents=True)
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics/polite.yaml").write_text("criteria: [{name: c1, requirement: Is it polite?}]\n")
    examples = [{"id": f"e{index}", "response": f"Thanks {index}."} for index in range(3)]
    (ratings.parent / "examples.jsonl").write_text("".join(f"{json.dumps(example)}\n" for example in examples))
    judged = {"id": "e0", "rater": "gpt", "kind": "model", "criteria": {"c1": "MET"}}
    (ratings / "gpt.jsonl").write_text(json.dumps(judged) + "\n")
    work = open_work("polite", tmp_path, rater="ann")
    for step in work.steps:
        work.give(step, ResponseAnswers({question.criterion.name: "1" for question in work.questions_at(step)}))
    work.file.close()
    assert [command for _, command in onward_steps(work)] == [
        "markscheme label polite --rater SECOND",
        "markscheme calibrate polite --ratings calibration/polite/ratings/gpt.jsonl",
    ]
    (ratings / "opus.jsonl").write_text(json.dumps(judged | {"rater": "opus"}) + "\n")
    assert onward_steps(work)[1][1] == "markscheme calibrate polite --judge JUDGE"
