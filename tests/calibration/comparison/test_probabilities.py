"""What a judge's probabilities are worth against people's labels: in the JSON, the findings and the report."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from markscheme import calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.probabilities import audits_of
from markscheme.ratings.rating import Rated, Rating, by_choice
from markscheme.ratings.table import Column, column_of
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from tests.calibration import dialogues
from tests.stats.shared_numbers import block

RUBRIC = Rubric(
    (Criterion(2, "It is polite.", "tone"), Criterion(-1, "It is wrong.", "wrong")), name="reply", pass_mark=0.9
)


def rows(sharper: float, n: int = 200, seed: int = 1) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Labels drawn by true log-odds, and a judge that says these `sharper` times too large."""
    generator = np.random.default_rng(seed)
    examples, ratings = [], []
    for place in range(n):
        odds = dict(zip(("tone", "wrong"), generator.normal((1.0, -2.0), (1.5, 1.0)).tolist(), strict=True))
        levels = {name: int(generator.random() < 1 / (1 + np.exp(-odds[name]))) for name in odds}
        passes = levels == {"tone": 1, "wrong": 0}
        label = {"rater": "ann", "kind": "human", "criteria": levels, "pass": passes}
        examples.append({"id": f"e{place}", "response": f"Reply {place}.", "labels": [label]})
        chances = {name: float(1 / (1 + np.exp(-sharper * value))) for name, value in odds.items()}
        criteria = {name: {"probabilities": {"MET": p, "UNMET": 1 - p}} for name, p in chances.items()}
        ratings.append({"id": f"e{place}", "rater": "judge", "kind": "model", "criteria": criteria})
    return examples, ratings


def calibrated(sharper: float) -> Calibration:
    examples, ratings = rows(sharper)
    return calibrate(RUBRIC, examples=examples, ratings=ratings)


def test_a_judge_twice_too_sure_is_found_on_its_criterion_and_for_the_decision() -> None:
    calibration = calibrated(2.5)
    findings = {finding.criterion: finding for finding in calibration.findings if finding.code == "overconfident"}
    assert findings.keys() >= {"tone", None}
    assert findings[None].severity == "high"
    assert findings["tone"].severity == "medium"
    assert findings["tone"].message.startswith("`tone` is overconfident: of ")
    assert "at 95% or more" in findings["tone"].message


def test_a_calibrated_judge_is_left_alone() -> None:
    calibration = calibrated(1.0)
    assert not [finding for finding in calibration.findings if finding.code == "overconfident"]
    audits = calibration.comparison.probabilities
    assert audits is not None
    assert audits.decision is not None
    assert abs(audits.decision.bias.value or 0.0) < 0.1


def test_probabilities_change_neither_verdict_nor_use() -> None:
    examples, ratings = rows(2.5)
    bare = [
        {**line, "criteria": {name: int(p["probabilities"]["MET"] > 0.5) for name, p in line["criteria"].items()}}
        for line in ratings
    ]
    with_them = calibrate(RUBRIC, examples=examples, ratings=ratings)
    without = calibrate(RUBRIC, examples=examples, ratings=bare)
    assert (with_them.verdict, with_them.use) == (without.verdict, without.use)
    assert without.comparison.probabilities is None
    assert without.to_json()["probabilities"] is None


def test_the_report_has_a_row_for_each_criterion_and_the_page_a_diagram() -> None:
    calibration = calibrated(2.5)
    text = calibration.to_markdown()
    assert "Probabilities" in text
    for name in ("tone", "wrong", "decision"):
        assert f"| {name} |" in text
    assert "this is shown, not applied" in text
    page = calibration.to_html()
    assert page.count('aria-label="Reliability."') == 3


def test_the_json_has_every_figure_and_null_where_there_are_no_bins() -> None:
    audit = calibrated(2.5).to_json()["probabilities"]["decision"]
    assert set(audit) >= {
        *("n", "bias", "brier", "skill", "miscalibration", "discrimination", "slope", "intercept", "p", "confident"),
        *("bins", "ece", "map"),
    }
    assert [entry["at"] for entry in audit["confident"]] == [0.95, 0.9]
    json.dumps(audit, allow_nan=False)


def columns(criterion: Criterion, probabilities: list[float], gold: float) -> tuple[Column, Column, Rubric]:
    rubric = Rubric((criterion,))
    rated = Rated(criterion.scale.values[0], probabilities=by_choice(tuple(probabilities), criterion.scale))
    judge = column_of("judge", [Rating("e", "judge", "model", {criterion.name: rated})], rubric, ["e"])
    people = column_of("gold", [Rating("e", "ann", "human", {criterion.name: Rated(gold)})], rubric, ["e"])
    return judge, people, rubric


EVENTS: list[tuple[Criterion, list[float], float, float, float]] = [
    (Criterion(1, "A", "a", Scale.numbered(1, 5)), [0.05, 0.1, 0.2, 0.4, 0.25], 3, 0.85, 1),
    (Criterion(1, "A", "a", Scale.numbered(1, 5), threshold=0.75), [0.05, 0.1, 0.2, 0.4, 0.25], 3.5, 0.65, 0),
    (Criterion(-1, "A", "a"), [0.7, 0.3], 0, 0.7, 1),
    (Criterion(1, "A", "a", Scale.of_categories(["a", "b", "c"])), [0.2, 0.5, 0.3], 1.0, 0.5, 0),
]
"""The worked cases: criterion, probabilities, gold, and then the probability of the event and whether it is so."""


@pytest.mark.parametrize(("criterion", "probabilities", "gold", "p", "y"), EVENTS)
def test_the_event_of_a_criterion_is_that_it_passes_and_of_categories_that_the_top_one_is_gold(
    criterion: Criterion, probabilities: list[float], gold: float, p: float, y: float
) -> None:
    audits = audits_of(*columns(criterion, probabilities, gold))
    assert audits is not None
    assert audits.criteria["a"].probability == pytest.approx(p)
    assert audits.criteria["a"].share == y


def test_published_dialogues_have_the_figures_of_the_worked_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(dialogues.project(tmp_path))  # where the settings that were tried are recorded
    calibration = calibrate(
        str(tmp_path / "rubrics" / "dialogue.yaml"),
        examples=tmp_path / "calibration" / "dialogue" / "examples.jsonl",
        ratings=tmp_path / "judge.jsonl",
    )
    audits = calibration.comparison.probabilities
    assert audits is not None
    audit = audits.decision
    assert audit is not None
    assert audit.parts is not None
    expect = block("decisions.yaml", "audit")["cases"][3]["expect"]
    tail = expect["tail"]["0.95"]
    assert audit.n == expect["n"] == 223
    assert {
        "mean_probability": audit.probability,
        "share": audit.share,
        "bias": audit.bias.value,
        "brier": audit.brier.value,
        "skill": audit.parts.skill,
        "miscalibration": audit.parts.miscalibration,
        "discrimination": audit.parts.discrimination,
        "slope": audit.slope.value,
        "intercept": audit.intercept.value,
        "ece_rms_debiased": audit.ece,
    } == pytest.approx({name: expect[name] for name in expect if name in SHARED_FIGURES}, abs=1e-6)
    errors = audit.confident_errors
    assert (errors.n, errors.wrong) == (tail["n"], tail["wrong"]) == (28, 10)
    assert errors.promised == pytest.approx(tail["expected"])
    assert [bar.n for bar in audit.bins] == [bar["n"] for bar in expect["bins"]]
    assert [finding.criterion for finding in calibration.findings if finding.code == "overconfident"] == [None]


SHARED_FIGURES = {
    *("mean_probability", "share", "bias", "brier", "skill", "miscalibration", "discrimination", "slope"),
    *("intercept", "ece_rms_debiased"),
}
