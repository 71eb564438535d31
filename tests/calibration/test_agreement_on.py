"""A rubric, an option or a call says whether scores or decisions must agree; everything else follows."""

import json
from pathlib import Path

import numpy as np
import pytest

from markscheme import Rubric, calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.errors import UsageError
from markscheme.report.views.calibration import json_of, view
from tests.commands.console import run
from tests.report.reading import text_of

RUBRIC = {"name": "send", "criteria": [{"name": "it", "description": "May it be sent?", "scale": {"min": 1, "max": 5}}]}
N = 40


def examples(*, people: int = 1) -> list[dict[str, object]]:
    """Forty labelled examples: half pass with level 5, half fail with level 1."""
    return [
        {
            "id": f"e{place}",
            "response": f"response {place}",
            "labels": [
                {"rater": f"p{person}", "kind": "human", "criteria": {"it": 5 if place % 2 else 1}}
                for person in range(people)
            ],
        }
        for place in range(N)
    ]


def ratings() -> list[dict[str, object]]:
    """A judge that decides alike but for four examples, always one level nearer to the middle."""
    levels = [(4 if place % 2 else 2) if place >= 4 else (2 if place % 2 else 4) for place in range(N)]
    return [{"id": f"e{place}", "criteria": {"it": level}} for place, level in enumerate(levels)]


def calibrated(**options: object) -> Calibration:
    """The judge compared with the labels."""
    rubric = Rubric.from_dict(RUBRIC | {key: options.pop(key) for key in ("agreement_on",) if key in options})
    return calibrate(rubric, examples(), ratings=ratings(), **options)  # type: ignore[arg-type]


def test_decisions_agree_where_scores_do_not() -> None:
    by_score = calibrated()
    by_decision = calibrated(agreement_on="decision")
    assert by_score.comparison.agreement.value == 0.0
    assert by_decision.comparison.agreement.value == 0.9
    assert by_decision.comparison.agreement_constant.value == 0.5
    assert by_decision.comparison.measure.in_words(by_decision.comparison.figures.constant_value) == "fail"
    assert by_decision.comparison.ties.count == 0


def test_the_option_is_stronger_than_the_rubric() -> None:
    assert calibrated(on="decision").comparison.agreement.value == 0.9
    assert calibrated(agreement_on="decision", on="score").comparison.agreement.value == 0.0
    with pytest.raises(UsageError, match="`on` must be one of score, decision, got 'verdict'"):
        calibrated(on="verdict")


def test_the_score_remains_in_one_line_and_json_names_the_measure() -> None:
    by_decision = calibrated(agreement_on="decision")
    text = text_of(view(by_decision))
    assert text.count("Score within 0.1 of gold: 0%") == 1
    assert json_of(by_decision)["measure"] == "decision"
    assert json_of(calibrated())["measure"] == "score"


def test_an_even_split_of_people_counts_nowhere_and_is_reported() -> None:
    labelled = examples(people=2)
    for example in labelled:
        for person, label in enumerate(example["labels"]):  # type: ignore[arg-type, var-annotated]
            label["pass"] = person == 0 if example["id"] in ("e0", "e1", "e2") else label["criteria"]["it"] == 5
    calibration = calibrate(Rubric.from_dict(RUBRIC), labelled, ratings=ratings(), on="decision")
    assert calibration.comparison.agreement.n == N - 3
    assert len(calibration.comparison.gold.even_splits) == 3
    assert "Annotators split evenly on pass or fail of 3 examples (e0, e1, e2)" in text_of(view(calibration))


def test_gold_is_the_majority_of_explicit_decisions_whatever_the_scores() -> None:
    labelled = examples(people=3)
    for label, passed in zip(labelled[0]["labels"], (True, True, False), strict=True):  # type: ignore[call-overload]
        label["pass"] = passed
    calibration = calibrate(Rubric.from_dict(RUBRIC), labelled, ratings=ratings(), on="decision")
    assert calibration.comparison.gold_values[0] == 1.0
    assert calibration.comparison.gold_values[2] == 0.0
    assert calibration.comparison.hits[0] == 1.0


def test_a_required_criterion_decides_gold_where_nobody_decided() -> None:
    criteria = [*RUBRIC["criteria"], {"name": "safe", "requirement": "It is safe.", "required": True}]
    rubric = Rubric.from_dict({"name": "send", "agreement_on": "decision", "criteria": criteria})
    label = {"rater": "p", "kind": "human", "criteria": {"it": 5, "safe": "UNMET"}}
    rows = [{"id": "a", "response": "x", "labels": [label]}]
    calibration = calibrate(rubric, rows, ratings=[{"id": "a", "criteria": {"it": 5, "safe": "MET"}}])
    assert calibration.comparison.gold_values.tolist() == [0.0]
    assert np.nan_to_num(calibration.comparison.hits).tolist() == [0.0]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a rubric, labelled examples and a judge's ratings."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "send.yaml").write_text(
        "name: send\ncriteria:\n  - {name: it, description: May it be sent?, scale: {min: 1, max: 5}}\n"
    )
    folder = tmp_path / "calibration" / "send"
    folder.mkdir(parents=True)
    (folder / "examples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in examples()))
    (tmp_path / "judge.jsonl").write_text("".join(json.dumps({"rater": "judge"} | row) + "\n" for row in ratings()))
    return tmp_path


def test_the_command_line_and_the_settings_file_say_it_too(project: Path) -> None:
    done = run("markscheme", "calibrate", "send", "--ratings", "judge.jsonl", "--on", "decision", cwd=project)
    assert "the judge's decision is gold's" in " ".join(done.stdout.split())
    (project / "markscheme.toml").write_text('on = "decision"\n')
    by_file = run("markscheme", "calibrate", "send", "--ratings", "judge.jsonl", cwd=project)
    assert by_file.stdout == done.stdout
