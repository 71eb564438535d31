"""The comparison with the accepted run as a reader and as a program gets it."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.drift import CHANGED, NoisyJudge, baseline, calibrated, rubric
from markscheme.calibration.accepted import load_accepted
from markscheme.calibration.accepting import accept
from markscheme.calibration.drift import Baseline, Since
from markscheme.report.baseline import baseline_json, baseline_lines
from markscheme.report.json_report import calibration_json, dumps


@pytest.fixture(scope="module")
def since(tmp_path_factory: pytest.TempPathFactory) -> Since:
    """An accepted run of a judge without noise, two runs kept."""
    path = tmp_path_factory.mktemp("kept") / "accepted.json"
    accept(calibrated(_still(), rubric("per_criterion"), runs=2), path)
    return Since(load_accepted(path))


def _still(**changes: object) -> NoisyJudge:
    return replace(NoisyJudge.made(seed=8), noise=0.0, **changes)  # type: ignore[arg-type]


def _moved(since: Since) -> Baseline:
    judge = _still(added={"tone": 1.0}, parameters={"temperature": 0.0})
    return baseline(calibrated(judge, rubric("per_criterion", changed=[CHANGED]), since=since))


def _dated(lines: list[str]) -> list[str]:
    return [re.sub(r"\d{4}-\d\d-\d\d", "DATE", line) for line in lines]


def test_a_judge_that_stayed_is_told_in_four_lines(since: Since) -> None:
    found = baseline(calibrated(_still(), rubric("per_criterion"), since=since))
    assert _dated(baseline_lines(found)) == [
        "Since the run accepted on DATE (2 runs kept): 60 examples alike; comparison 1, alarm at p ≤ 0.03",
        "Changed since: nothing on record",
        "Score moved by 0.00 [−0.04, +0.04] (90%; p 1); agreement with today's labels 100% then, 100% now",
        "No drift: clarity, facts, tone, format",
    ]


def test_what_changed_and_what_moved_are_told_with_their_figures(since: Since) -> None:
    _, changed, score, verdicts, noise = _dated(baseline_lines(_moved(since)))
    assert changed == "Changed since: the text of criterion 'clarity'; the judge's parameter 'temperature' (1.0 → 0.0)"
    assert score.startswith("Score moved by +0.0")
    assert "pass or fail flipped on" in score
    assert verdicts == (
        "Drifted: clarity (−0.45 [−0.62, −0.25], 90%; p 2e-13; 45% of answers differ, 0% among the stored runs), "
        "tone (+0.78 [+0.58, +0.94], 90%; p 7.5e-23; 78% of answers differ, 0% among the stored runs). "
        "No drift: facts, format"
    )
    assert noise == (
        "Answers differ from the stored runs more than these do among themselves: "
        "clarity (45% of answers differ, 0% among the stored runs), "
        "tone (78% of answers differ, 0% among the stored runs)"
    )


def test_the_run_that_takes_its_place_says_so(since: Since) -> None:
    found = baseline(calibrated(_still(), rubric("per_criterion"), since=replace(since, accepting=True)))
    assert baseline_lines(found)[0].endswith("60 examples alike; this run takes its place")


def test_planned_comparisons_are_told_with_their_number(since: Since) -> None:
    found = baseline(calibrated(_still(), rubric("per_criterion"), since=replace(since, run=2, planned=13)))
    assert baseline_lines(found)[0].endswith("; comparison 2 of 13 planned, alarm at p ≤ 0.0038")


def test_the_json_holds_all_of_it_and_no_nan(since: Since) -> None:
    calibration = calibrated(
        _still(added={"tone": 1.0}, parameters={"temperature": 0.0}), rubric(changed=[CHANGED]), since=since
    )
    found = json.loads(dumps(calibration_json(calibration)))["baseline"]
    assert found.keys() == {
        "accepted", "run", "planned_runs", "level", "alarm", "examples", "agreement", "score", "changes", "criteria",
        "not_compared",
    }  # fmt: skip
    assert found["alarm"] is True
    assert found["examples"] == {"shared": 60, "other_response": 0, "gone": 0, "new": 0}
    tone = found["criteria"]["tone"]
    assert tone["verdict"] == "drifted"
    assert tone["shift"]["value"] > 0.5
    assert tone["flips"]["stored"]["value"] == 0.0
    assert tone["causes"]["changes"] == ["text:clarity", "strategy", "judge:parameter:temperature"]
    assert not tone["causes"]["separable"]
    assert {change["key"]: change["now"] for change in found["changes"]} == {
        "text:clarity": None,
        "strategy": "one_shot",
        "judge:parameter:temperature": "0.0",
    }


def test_without_an_accepted_run_there_is_no_baseline(tmp_path: Path) -> None:
    assert baseline_json(None) is None
    assert calibration_json(calibrated(_still(), rubric()))["baseline"] is None
