"""The documentation's experiment on recorded outputs and levels: every figure worked out by hand.

levels (accuracy, tone, completeness, conciseness)      sum   score = (sum - 4) / 16
formal  password       5 4 5 4                           18    14/16
        charged-twice  4 3 4 3                           14    10/16
        dark-mode      5 5 4 5                           19    15/16
casual  password       4 5 4 5                           18    14/16
        charged-twice  4 5 3 4                           16    12/16
        dark-mode      4 5 3 3                           15    11/16
"""

import asyncio
import csv
import io
import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from markscheme.features.experiment.definition import Experiment, ExperimentCase
from markscheme.features.experiment.outcome import ExperimentReport
from markscheme.features.experiment.run import ExperimentRun, run_experiment
from markscheme.features.experiment.table import (
    between_variants,
    corrected_rates,
    figures,
    marks_table,
    since,
    variant_table,
)
from markscheme.features.experiment.view import csv_of, json_of, view
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.registry import open_judge
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import RatingTable
from markscheme.report.document import Table
from markscheme.report.figures import NONE
from markscheme.report.markdown import render_markdown
from markscheme.report.terminal import render_terminal
from markscheme.rubrics.rubric import Rubric
from tests.decided import decision_table
from tests.features.experiment.small import JUDGE, RECORDED, make_experiment

approx: Any = pytest.approx


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ExperimentRun:
    monkeypatch.syspath_prepend(tmp_path)
    file = make_experiment(tmp_path)
    experiment = Experiment.from_file(file, outputs=tmp_path / RECORDED)
    return asyncio.run(run_experiment(experiment, open_judge(JUDGE, context=JudgeContext(memory=None))))


def report_of(run: ExperimentRun) -> ExperimentReport:
    table = variant_table(run)
    rows = {name: figures(table, name) for name in run.experiment.by_name}
    return ExperimentReport(run, rows, between_variants(table, run.experiment.cases))


def test_mean_and_minimum_and_maximum_of_each_variant_on_each_criterion_equal_those_calculated_by_hand(
    run: ExperimentRun,
) -> None:
    rows = report_of(run).rows
    told = {
        name: {criterion: (found.mean, found.least, found.most, found.n) for criterion, found in row.criteria.items()}
        for name, row in rows.items()
    }
    assert told == {
        "formal": {
            "accuracy": (approx(14 / 3), 4, 5, 3),
            "tone": (4, 3, 5, 3),
            "completeness": (approx(13 / 3), 4, 5, 3),
            "conciseness": (4, 3, 5, 3),
        },
        "casual": {
            "accuracy": (4, 4, 4, 3),
            "tone": (5, 5, 5, 3),
            "completeness": (approx(10 / 3), 3, 4, 3),
            "conciseness": (4, 3, 5, 3),
        },
    }
    # formal: (14 + 10 + 15) / 48 of the whole scale, 51 levels' points over 12; casual: (14 + 12 + 11) / 48, 49 over 12
    assert (rows["formal"].overall.mean, rows["formal"].mean_level) == (approx(39 / 48), 4.25)
    assert (rows["casual"].overall.mean, rows["casual"].mean_level) == (approx(37 / 48), approx(49 / 12))
    # the pass mark is 0.7: 14/16, 15/16 and 12/16 pass, 10/16 and 11/16 do not
    assert [row.pass_rate.value for row in rows.values()] == [approx(2 / 3), approx(2 / 3)]


def test_differences_between_variants_over_the_cases_equal_those_calculated_by_hand(run: ExperimentRun) -> None:
    (difference,) = report_of(run).differences
    assert (difference.first, difference.second) == ("formal", "casual")
    overall = difference.shifts["overall"]
    # 0, +2/16, -4/16: mean -2/48; about it 1/24, 4/24, -5/24, whose squares over 2 are 42/576/2; t(2) at 97.5 % is
    # 4.302653
    reach = 4.302653 * math.sqrt(42 / 576 / 2 / 3)
    made = overall.difference
    assert (made.value, made.n) == (approx(-2 / 48), 3)
    assert (made.low, made.high) == (approx(-2 / 48 - reach), approx(-2 / 48 + reach))
    # +2 and -4 with signs at random give |sum| of 2 or 6, each half the time: p 1, mid-p 1/2 + 1/4; alone in its family
    assert overall.p == 0.75
    # levels have room for what three cases haven't shown: with one pair +4, -4 added, accuracy -1 0 -1 has mean -2/5
    # over 5, squares 34 in all, variance (34 - 5 * 4/25) / 4 = 8.3; t(4) at 97.5 % is 2.776445
    reach = 2.776445 * math.sqrt(8.3 / 5)
    made = difference.shifts["accuracy"].difference
    assert (made.low, made.high) == (approx(-2 / 5 - reach), approx(-2 / 5 + reach))
    # accuracy -1 0 -1: sums -2 0 0 2, mid-p 1/4; tone +1 +2 0: -3 -1 1 3, 1/4; completeness -1 -1 -1: 1/8;
    # conciseness +1 +1 -2: sum 0 twice of 8, mid-p 6/8 + 1/8. Holm: 4/8; then 3/4 and 2/4, not under 3/4; then 7/8
    assert {
        name: (shift.difference.value, shift.p) for name, shift in difference.shifts.items() if name != "overall"
    } == {
        "accuracy": (approx(-2 / 3), 0.75),
        "tone": (1, 0.75),
        "completeness": (-1, 0.5),
        "conciseness": (0, 0.875),
    }
    assert difference.worse == []


def test_the_csv_table_of_an_experiment_has_the_figures_of_its_report(run: ExperimentRun) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_of(report_of(run)))))
    assert list(rows[0]) == ["variant", "criterion", "mean", "min", "max", "n", "not_graded", "overall"]
    first = rows[0]
    assert (first["variant"], first["criterion"], first["n"], first["not_graded"]) == ("formal", "accuracy", "3", "0")
    assert [float(first[key]) for key in ("mean", "min", "max", "overall")] == [approx(14 / 3), 4, 5, 0.8125]
    by_name = {(row["variant"], row["criterion"]): row["mean"] for row in rows}
    assert float(by_name["casual", "overall"]) == approx(37 / 48)
    assert float(by_name["casual", "pass_rate"]) == approx(2 / 3)


def test_the_printed_report_on_an_experiment_fits_a_screen(run: ExperimentRun) -> None:
    text = io.StringIO()
    render_terminal(view(report_of(run)), text, width=80, details=False)
    assert len(text.getvalue().splitlines()) <= 30
    render_terminal(view(report_of(run)), text, width=80, details=True)
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.split() == ["formal", "accuracy", "4.67", "4", "5", "3", "0"] for line in lines)
    assert "formal: overall 0.81 (4.25 in levels); passes 2 of 3" in text.getvalue()
    assert "3 cases can't show any difference" in text.getvalue()


def test_markdown_and_json_of_an_experiment_have_the_figures_of_its_report(run: ExperimentRun) -> None:
    report = report_of(run)
    assert "| formal | accuracy | 4.67 | 4 | 5 | 3 | 0 |" in render_markdown(view(report))
    data = json_of(report)
    assert data["table"]["formal"]["criteria"]["tone"] == {"mean": 4.0, "min": 3.0, "max": 5.0, "n": 3, "not_graded": 0}
    assert data["differences"][0]["figures"]["overall"]["p"] == 0.75


def decided(ids: list[str], decisions: list[tuple[bool, bool]], run: ExperimentRun) -> RatingTable:
    """Make labelled responses, with gold and the judge's decision on each."""
    examples = [Example(Submission("", {}, unit)) for unit in ids]
    both = {"gold": [gold for gold, _ in decisions], "judge": [judge for _, judge in decisions]}
    return decision_table(run.experiment.rubric, examples, **both)


def test_pass_rates_of_variants_are_corrected_by_the_judge_s_error_rates_on_labels_of_other_responses(
    run: ExperimentRun,
) -> None:
    counts = {(True, True): 27, (True, False): 3, (False, True): 4, (False, False): 16}
    decisions = [both for both, count in counts.items() for _ in range(count)]
    rates = corrected_rates(run, decided([f"l{place}" for place in range(len(decisions))], decisions, run))
    # sensitivity 27/30, specificity 16/20, the judge passes 4 of 6: (2/3 + 0.8 - 1) / (0.9 + 0.8 - 1)
    assert (rates.how, rates.corrected.value) == ("elsewhere", approx((2 / 3 - 0.2) / 0.7))
    assert set(rates.groups) == {"formal", "casual"}


def test_labels_on_an_experiment_s_own_outputs_count_as_drawn_by_the_judge_s_verdict(
    run: ExperimentRun,
) -> None:
    grades = list(run.grades.values())
    labelled = decided([grade.id for grade in grades], [(True, bool(grade.passed)) for grade in grades], run)
    assert corrected_rates(run, labelled).how == "by-verdict"


# --- many cases -----------------------------------------------------------------------------------------------------


def marked(scores: dict[str, list[float]], rubric: Rubric) -> tuple[RatingTable, list[ExperimentCase]]:
    n = len(next(iter(scores.values())))
    cases = [ExperimentCase(f"c{place}", {"query": str(place)}) for place in range(n)]
    marks = [
        Rating(case.id, name, "model", {"accuracy": Rated(1 + 4 * score)}, overall=score, passed=score >= 0.5)
        for name, given in scores.items()
        for case, score in zip(cases, given, strict=True)
    ]
    return marks_table(marks, cases, rubric), cases


def test_a_variant_is_called_worse_only_if_its_scores_fell_since_the_accepted_run(
    run: ExperimentRun,
) -> None:
    then, cases = marked({"a": [0.75] * 30}, run.experiment.rubric)
    now, _ = marked({"a": [0.5] * 30}, run.experiment.rubric)
    (fell,) = since(then, now, ["a"], cases)
    assert fell.worse == ["overall", "accuracy"]
    (stayed,) = since(then, then, ["a"], cases)
    assert stayed.worse == []


def test_at_most_5_of_100_simulated_experiments_without_a_change_are_called_worse(run: ExperimentRun) -> None:
    rng = random.Random(20261122)
    called = 0
    for _ in range(100):
        quality = [rng.choice([0.25, 0.5, 0.5, 0.75]) for _ in range(12)]
        sides = [
            marked(
                {name: [q + rng.choice([-0.25, 0, 0, 0.25]) for q in quality] for name in "ab"}, run.experiment.rubric
            )
            for _ in range(2)
        ]
        (then, cases), (now, _) = sides
        called += any(found.worse for found in since(then, now, ["a", "b"], cases))
    assert called <= 5


def test_comparisons_of_three_variants_are_adjusted_as_one_family_of_tests(run: ExperimentRun) -> None:
    marks, cases = marked({"a": [0.25] * 8, "b": [0.5] * 8, "c": [0.5] * 8}, run.experiment.rubric)
    differences = between_variants(marks, cases)
    # eight like signs: mid-p 1/256, of which there are two; times 3, then times 2 but no less than the one before
    assert [difference.shifts["overall"].p for difference in differences] == [3 / 256, 3 / 256, 1.0]


def test_cases_with_the_same_inputs_count_as_one_case_with_the_mean_of_their_scores(run: ExperimentRun) -> None:
    marks, cases = marked({"a": [0.25, 0.5, 0.5], "b": [0.75, 0.5, 1.0]}, run.experiment.rubric)
    twice = [cases[0], ExperimentCase("c1", cases[0].inputs), cases[2]]
    (difference,) = between_variants(marks, twice)
    # (0.75 + 0.5) / 2 - (0.25 + 0.5) / 2 = 0.25, and 0.5
    assert (difference.shifts["overall"].difference.n, difference.shifts["overall"].difference.value) == (
        2,
        approx(0.375),
    )


def test_an_experiment_s_means_leave_out_ungraded_outputs(run: ExperimentRun) -> None:
    marks = [
        Rating("x", "a", "model", {"tone": Rated(2.0)}),
        Rating("y", "a", "model", {"tone": Rated(4.0), "accuracy": Rated(5.0)}, overall=1.0, passed=True),
    ]
    cases = [ExperimentCase("x", {"query": "?"}), ExperimentCase("y", {"query": "!"})]
    row = figures(marks_table(marks, cases, run.experiment.rubric), "a")
    assert (row.overall.mean, row.overall.n, row.overall.not_graded) == (1.0, 1, 1)
    assert (row.criteria["tone"].mean, row.criteria["accuracy"].not_graded) == (3.0, 1)
    assert (row.criteria["conciseness"].mean, row.criteria["conciseness"].n) == (None, 0)


def without_grades(run: ExperimentRun, *variants: str) -> ExperimentRun:
    """Return the run without grades for these variants' outputs."""
    grades = {
        cell: replace(grade, scored=None, outcomes={}, error="no reply") if cell[0] in variants else grade
        for cell, grade in run.grades.items()
    }
    return replace(run, grades=grades)


def test_a_report_on_two_variants_of_which_one_has_no_grades_gives_the_mean_of_the_other(
    run: ExperimentRun,
) -> None:
    document = view(report_of(without_grades(run, "casual")))
    assert document.answer is not None
    assert "formal has a mean of 0.81" in document.answer.head
    assert document.answer.text is not None
    assert "There is no other variant" not in document.answer.text
    assert all(block.rows for block in document.blocks if isinstance(block, Table))


def test_no_variant_is_called_best_if_no_output_is_graded(run: ExperimentRun) -> None:
    answer = view(report_of(without_grades(run, "formal", "casual"))).answer
    assert answer is not None
    assert answer.tone == "open"
    assert not any(name in answer.head for name in (*run.experiment.by_name, NONE))


def test_each_difference_between_variants_is_shown_with_both_means_over_the_same_cases(run: ExperimentRun) -> None:
    """Casual has no grade for the last case: its difference to formal is that of the means over the first two."""
    table, cases = marked({"formal": [0.5, 0.7, 0.9], "casual": [0.6, 0.8, math.nan]}, run.experiment.rubric)
    (difference,) = between_variants(table, cases)
    shift = difference.shifts["overall"]
    assert (shift.means, shift.difference.n) == ((approx(0.6), approx(0.7)), 2)
    assert shift.difference.value == approx(shift.means[1] - shift.means[0])


def test_an_experiment_s_report_marks_a_criterion_of_negative_weight_as_a_fault_where_lower_is_better(
    run: ExperimentRun,
) -> None:
    assert "(fault)" not in render_markdown(view(report_of(run)))
    rubric = run.experiment.rubric
    first, *others = rubric.criteria
    faulty = replace(rubric, criteria=(replace(first, weight=-1.0), *others))
    page = render_markdown(view(report_of(replace(run, experiment=replace(run.experiment, rubric=faulty)))))
    assert page.count("accuracy (fault)") == 3
    assert "lower is better. Promptfoo shows it the other way round, as 1 minus its position" in page
