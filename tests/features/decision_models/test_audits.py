"""What a judge's probabilities are worth against people's labels: in the JSON, the findings and the report."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from markscheme import calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.features.decision_models.audits import ProbabilityAudits, audits_of
from markscheme.features.decision_models.section import reliability_plot
from markscheme.features.decision_models.statistics import ReliabilityBin, probability_audit
from markscheme.ratings.rating import Rated, Rating, by_choice
from markscheme.ratings.table import Column, column_of
from markscheme.report.drawing import drawn
from markscheme.report.plot import PlotPoint
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.stats import Estimate
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


def test_an_overconfident_judge_gets_a_finding_on_the_criterion_and_a_finding_on_the_decision() -> None:
    calibration = calibrated(2.5)
    findings = {finding.criterion: finding for finding in calibration.findings if finding.code == "overconfident"}
    assert findings.keys() >= {"tone", None}
    assert findings[None].severity == "high"
    assert findings["tone"].severity == "medium"
    assert findings["tone"].message.startswith("`tone` is overconfident: of ")
    assert "at 95% or more" in findings["tone"].message


def test_a_judge_whose_probabilities_match_the_outcomes_gets_no_finding_of_overconfidence() -> None:
    calibration = calibrated(1.0)
    assert not [finding for finding in calibration.findings if finding.code == "overconfident"]
    audits = calibration.comparison.audits["probabilities"]
    assert audits is not None
    assert audits.decision is not None
    assert abs(audits.decision.bias.value or 0.0) < 0.1


def test_a_judge_s_probabilities_change_neither_the_verdict_on_the_judge_nor_the_permitted_use() -> None:
    examples, ratings = rows(2.5)
    bare = [
        {**line, "criteria": {name: int(p["probabilities"]["MET"] > 0.5) for name, p in line["criteria"].items()}}
        for line in ratings
    ]
    with_them = calibrate(RUBRIC, examples=examples, ratings=ratings)
    without = calibrate(RUBRIC, examples=examples, ratings=bare)
    assert (with_them.verdict, with_them.use) == (without.verdict, without.use)
    assert without.comparison.audits["probabilities"] is None
    assert without.to_json()["probabilities"] is None


def test_the_report_has_a_row_on_each_criterion_s_probabilities_and_the_page_has_a_reliability_diagram() -> None:
    calibration = calibrated(2.5)
    text = calibration.to_markdown()
    assert "Probabilities" in text
    for name in ("tone", "wrong", "decision"):
        assert f"| {name} |" in text
    assert "this is shown, not applied" in text
    page = calibration.to_html()
    assert page.count('aria-label="Reliability."') == 3


def test_a_reliability_diagram_shows_the_diagonal_and_the_fitted_line_and_each_bin_with_its_interval() -> None:
    audit = calibrated(2.5).comparison.audits["probabilities"].decision
    bins = (ReliabilityBin(20, 0.2, Estimate(0.3, 0.1, 0.5)), ReliabilityBin(3, 0.9, Estimate(0.8)))
    plot = reliability_plot("tone", replace(audit, bins=bins, line=((0.0, 0.3), (1.0, 0.8))))
    assert [(mark.x, mark.y, mark.low) for mark in plot.marks if isinstance(mark, PlotPoint)] == [
        (0.2, 0.3, 0.1),
        (0.9, 0.8, None),
    ]
    assert plot.table.rows == (("20%", "30%", "10% to 50%"), ("90%", "80%", "–"))
    assert drawn(plot).count('class="path target"') == 1


def test_a_report_s_json_has_every_figure_on_the_judge_s_probabilities_of_passing_and_no_nan() -> None:
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
def test_the_probability_of_passing_is_checked_or_that_of_the_likeliest_level_if_levels_are_unordered(
    criterion: Criterion, probabilities: list[float], gold: float, p: float, y: float
) -> None:
    audits = audits_of(*columns(criterion, probabilities, gold))
    assert audits is not None
    assert audits.criteria["a"].probability == pytest.approx(p)
    assert audits.criteria["a"].share == y


def test_figures_on_a_judge_s_probabilities_for_published_dialogues_equal_those_of_an_independent_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(dialogues.project(tmp_path))  # where the settings that were tried are recorded
    calibration = calibrate(
        str(tmp_path / "rubrics" / "dialogue.yaml"),
        examples=tmp_path / "calibration" / "dialogue" / "examples.jsonl",
        ratings=tmp_path / "judge.jsonl",
    )
    audits = calibration.comparison.audits["probabilities"]
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


def audits_of_rows(n_criteria: int, sharper: float, seed: int, n: int = 120) -> ProbabilityAudits:
    """Audits of criteria on which the judge's log-odds are `sharper` times too large, and of no decision."""
    generator = np.random.default_rng(seed)
    audits = {}
    for number in range(n_criteria):
        odds = generator.normal(0, 2, n)
        outcomes = generator.random(n) < 1 / (1 + np.exp(-odds))
        audits[f"c{number}"] = probability_audit(1 / (1 + np.exp(-sharper * odds)), outcomes)
    return ProbabilityAudits(audits, None)


@pytest.mark.proof
def test_a_judge_with_correct_probabilities_is_rarely_called_overconfident_on_any_of_eight_criteria() -> None:
    """Looked at alone, one of eight rows is flagged in a fifth of 40 draws; looked at together, hardly ever."""
    draws = [audits_of_rows(8, 1.0, seed, n=80) for seed in range(40)]
    alone = [any(a.is_overconfident or a.confident_errors.exceeds for a in draw.named.values()) for draw in draws]
    assert np.mean(alone) > 0.12
    assert np.mean([bool(draw.overconfident) for draw in draws]) <= 0.12


def test_a_judge_that_is_overconfident_on_each_of_eight_criteria_is_called_overconfident_on_all_eight() -> None:
    assert audits_of_rows(8, 2.5, seed=1, n=300).overconfident == {f"c{number}" for number in range(8)}


@pytest.mark.parametrize(
    ("p", "flagged"),
    [
        ([0.02], {"c0"}),
        ([0.02, 0.3], set()),
        ([0.012, 0.3], {"c0"}),
        ([0.012, 0.024], {"c0", "c1"}),
        ([0.02, None], {"c0"}),
        ([0.001, 0.02, 0.02], {"c0"}),
    ],
)
def test_a_judge_is_called_overconfident_on_criteria_by_holm_s_procedure_at_one_sided_2_5_percent(
    p: list[float | None], flagged: set[str]
) -> None:
    row = audits_of_rows(1, 1.0, seed=0).criteria["c0"]
    calm = tuple(replace(errors, significance=1.0) for errors in row.confident)
    rows = {f"c{n}": replace(row, slope_p=value, confident=calm) for n, value in enumerate(p)}
    assert ProbabilityAudits(rows, None).overconfident == flagged


def test_either_the_slope_of_outcomes_on_probabilities_or_confident_errors_can_show_an_overconfident_judge() -> None:
    for seed in range(25):
        audits = audits_of_rows(1, 1.3, seed)
        audit = audits.criteria["c0"]
        assert bool(audits.overconfident) == (audit.is_overconfident or audit.confident_errors.exceeds)


def test_confident_errors_on_grouped_examples_are_tested_at_a_significance_level_without_a_p_value() -> None:
    generator = np.random.default_rng(5)
    odds = generator.normal(0, 2, 300)
    outcomes = generator.random(300) < 1 / (1 + np.exp(-odds))
    said = 1 / (1 + np.exp(-3 * odds))
    errors = probability_audit(said, outcomes, np.repeat(np.arange(100), 3)).confident_errors
    assert errors.p is None
    assert errors.significance is not None
    assert errors.significance < 0.01
    assert errors.exceeds
    assert not probability_audit(
        1 / (1 + np.exp(-odds)), outcomes, np.repeat(np.arange(100), 3)
    ).confident_errors.exceeds
