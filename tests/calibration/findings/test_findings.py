"""Findings: each planted fault is found on its criterion and reported once, with evidence and an edit."""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.findings.diagnosis import findings_of
from markscheme.calibration.options import LabelOptions
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import YES_NO, Criterion, Level, Rubric, Scale
from tests.calibration.made import (
    Made,
    codes,
    compared,
    diagnosed,
    examples,
    judged,
    of_code,
    rating,
    rounded,
    rubric,
    yes_no_rubric,
)

MADE = Made()


def test_a_judge_as_good_as_an_annotator_gets_no_finding() -> None:
    assert MADE.find(MADE.judge) == []


# --- the judge on one criterion -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "code"), [(0.8, "lenient"), (-0.8, "severe")])
def test_a_finding_on_bias_names_the_level_whose_description_should_be_changed_and_examples_of_it(
    size: float, code: str
) -> None:
    judge = MADE.judge
    judge[:, 1] = rounded(MADE.truth[:, 1] + MADE.noise[:, 1] + size)
    findings = MADE.find(judge)
    finding = of_code(findings, code, "facts")
    assert codes(findings) == {code}
    assert finding.evidence["judge_mean"] - finding.evidence["gold_mean"] == pytest.approx(
        finding.evidence["shift"]["value"]
    )
    assert np.sign(finding.evidence["shift"]["low"]) == np.sign(size)
    assert "in the description of level" in str(finding.suggestion)
    assert re.search(r" on e\d+, e\d+", str(finding.suggestion))
    assert finding.cost > 0


@pytest.mark.parametrize("annotators", [1, 2, 3])
def test_the_bias_in_a_finding_equals_the_bias_in_the_table_of_the_criterion(annotators: int) -> None:
    generator = np.random.default_rng(annotators)
    people = {f"p{i}": rounded(MADE.truth + 0.7 * generator.normal(size=(100, 4))) for i in range(annotators)}
    comparison = compared(MADE.rubric, examples(MADE.rubric, people), judged(MADE.rubric, rounded(MADE.truth + 0.9)))
    of_bias = [finding for finding in findings_of(comparison) if finding.code == "lenient"]
    assert of_bias
    for finding in of_bias:
        bias = comparison.criteria[str(finding.criterion)].statistics["signed_error"]
        assert finding.evidence["shift"] == bias.to_json()
        assert f"bias {bias.value:+.2f} levels" in finding.message
        gold_mean, judge_mean = finding.evidence["gold_mean"], finding.evidence["judge_mean"]
        assert judge_mean - gold_mean == pytest.approx(bias.value)


def test_a_finding_on_leniency_states_the_same_shares_of_met_responses_as_the_table_of_its_criterion() -> None:
    of = yes_no_rubric()
    generator = np.random.default_rng(3)
    people = {f"p{i}": (generator.random((90, 1)) < 0.35).astype(float) for i in range(3)}
    judge = np.maximum(people["p0"], generator.random((90, 1)) < 0.4)
    comparison = compared(of, examples(of, people), judged(of, judge))
    finding = of_code(findings_of(comparison), "lenient", "right")
    table = comparison.criteria["right"].statistics
    for name, figure in (("prevalence_judge", "judge_mean"), ("prevalence_gold", "gold_mean")):
        assert finding.evidence[figure] == pytest.approx(table[name].value)
        assert f"{table[name].value:.0%}" in finding.message


def test_a_finding_names_the_slice_that_its_figures_leave_out_because_the_judge_fails_on_this_slice() -> None:
    systems = ["abcd"[i % 4] for i in range(200)]
    made = Made(200, seed=7)
    judge = rounded(made.truth + made.noise)
    judge[:, 1] = rounded(made.truth[:, 1] + made.noise[:, 1] + 0.9)
    in_d = np.array([system == "d" for system in systems])
    judge[in_d] = rounded(3 + 1.4 * made.fresh[in_d])
    finding = of_code(made.find(judge, systems=systems), "lenient", "facts")
    assert "(Measured outside system d.)" in finding.message


def test_a_judge_that_reports_a_fault_too_often_is_called_severe() -> None:
    of = rubric("clear", "rude", "tone", "order", weights=[1, -1, 1, 1])
    judge = MADE.judge
    judge[:, 1] = rounded(MADE.truth[:, 1] + MADE.noise[:, 1] + 1)
    of_code(diagnosed(of, examples(of, MADE.people), judged(of, judge)), "severe", "rude")


def test_a_judge_that_rates_everything_exactly_one_level_too_high_is_reported_as_lenient() -> None:
    of = rubric("tone")
    gold = np.array([[1], [2], [3], [4]] * 6)
    finding = of_code(diagnosed(of, examples(of, {"p": gold}), judged(of, gold + 1)), "lenient", "tone")
    assert finding.evidence["shift"]["value"] == 1
    assert "bias +1.00 levels; mean level 3.50, the labels 2.50" in finding.message


def test_the_finding_that_a_judge_is_lenient_on_a_yes_no_criterion_calls_the_higher_level_met() -> None:
    of = yes_no_rubric()
    generator = np.random.default_rng(1)
    gold = (generator.random((80, 1)) < 0.5).astype(float)
    judge = np.maximum(gold, generator.random((80, 1)) < 0.4)
    finding = of_code(diagnosed(of, examples(of, {"p": gold}), judged(of, judge)), "lenient", "right")
    assert "MET" in finding.message
    assert "what is not enough for MET" in str(finding.suggestion)


def test_a_judge_that_avoids_extreme_levels_gets_a_finding_on_that_and_no_other_finding() -> None:
    judge = MADE.judge
    judge[:, 2] = rounded(3 + 0.4 * (MADE.truth[:, 2] - 3) + MADE.noise[:, 2])
    findings = MADE.find(judge)
    finding = of_code(findings, "central-tendency", "tone")
    assert finding.evidence["slope"]["high"] < 1
    assert finding.evidence["weak"] is False
    assert codes(findings) == {"central-tendency"}


def test_the_finding_that_a_judge_avoids_extreme_levels_is_marked_weak_if_each_example_has_one_label() -> None:
    of = MADE.rubric
    judge = MADE.judge
    judge[:, 2] = rounded(3 + 0.3 * (MADE.truth[:, 2] - 3) + 0.3 * MADE.noise[:, 2])
    findings = diagnosed(of, examples(of, {"p1": MADE.people["p1"]}), judged(of, judge))
    finding = of_code(findings, "central-tendency", "tone")
    assert finding.evidence["weak"] is True
    assert "weak" in finding.message


def test_a_lenient_judge_whose_levels_pile_up_at_the_top_is_not_said_to_avoid_extreme_levels() -> None:
    judge = MADE.judge
    judge[:, 0] = rounded(MADE.truth[:, 0] + MADE.noise[:, 0] + 1.6)
    assert codes(MADE.find(judge)) == {"lenient"}


def test_a_judge_whose_levels_scatter_more_than_those_of_two_annotators_is_reported_as_noisy() -> None:
    judge = rounded(MADE.truth + MADE.noise)
    judge[:, 3] = rounded(MADE.truth[:, 3] + 1.3 * MADE.fresh[:, 3])
    finding = of_code(MADE.find(judge), "noisy", "order")
    assert finding.evidence["noise_ratio"]["value"] > 2
    assert "samples: 3" in str(finding.suggestion)
    assert finding.command(Commands("reply", "--judge gpt")) == "markscheme calibrate reply --judge gpt --samples 3"


def test_a_noisy_judge_that_was_already_asked_three_times_gets_no_advice_to_ask_it_three_times() -> None:
    of = replace(rubric("tone"), samples=3)
    gold = np.array([[1], [2], [3], [4], [5]] * 12)
    both_ways = np.clip(gold + np.resize([1, 1, 1, 1, -1, 0], 60)[:, None], 1, 5)
    finding = of_code(diagnosed(of, examples(of, {"ann": gold, "ben": gold}), judged(of, both_ways)), "noisy", "tone")
    assert str(finding.suggestion).startswith("Split tone into questions with one answer each.")
    assert finding.command(Commands("reply", "--judge gpt")) == ""


def test_a_judge_that_is_noisy_over_three_samples_is_advised_to_split_the_criterion_and_not_to_sample_more() -> None:
    of = rubric("tone")
    gold = np.array([[1], [2], [3], [4], [5]] * 12)
    both_ways = np.clip(gold + np.resize([1, 1, 1, 1, -1, 0], 60)[:, None], 1, 5)
    ratings = [rating for sample in range(3) for rating in judged(of, both_ways, sample=sample)]
    finding = of_code(diagnosed(of, examples(of, {"ann": gold, "ben": gold}), ratings), "noisy", "tone")
    assert str(finding.suggestion).startswith("Split tone into questions with one answer each.")
    assert finding.command(Commands("reply", "--judge gpt")) == ""


def test_a_judge_whose_errors_all_go_one_way_is_reported_as_biased_and_not_as_noisy() -> None:
    of = rubric("tone")
    gold = np.array([[1], [2], [3], [4], [5]] * 12)
    labelled = examples(of, {"ann": gold, "ben": gold})
    higher = np.minimum(gold + np.resize([1, 1, 0], 60)[:, None], 5)
    both_ways = np.clip(gold + np.resize([1, 1, 1, 1, -1, 0], 60)[:, None], 1, 5)
    assert codes(diagnosed(of, labelled, judged(of, higher))) == {"lenient"}
    assert codes(diagnosed(of, labelled, judged(of, both_ways))) >= {"noisy"}


def test_a_judge_whose_levels_change_when_it_is_asked_again_is_noisy_whatever_the_labels() -> None:
    of = rubric("tone")
    gold = np.array([[1], [2], [3], [4], [5]] * 8)
    unstable = np.where(np.arange(40)[:, None] % 2 == 0, gold, np.clip(gold + np.resize([1, -1], 40)[:, None], 1, 5))
    again = judged(of, unstable, sample=1)
    finding = of_code(diagnosed(of, examples(of, {"p": gold}), judged(of, gold), again), "noisy", "tone")
    assert finding.evidence["flip_rate"]["value"] > 0.3
    assert "asked again" in finding.message


def test_noise_of_the_judge_cannot_be_distinguished_from_noise_of_the_labels_if_there_is_one_annotator() -> None:
    of = rubric("tone")
    generator = np.random.default_rng(5)
    truth = 3 + generator.normal(size=(150, 1))
    judge, label = (rounded(truth + 1.2 * generator.normal(size=truth.shape)) for _ in range(2))
    finding = of_code(diagnosed(of, examples(of, {"p": label}), judged(of, judge)), "noisy", "tone")
    assert finding.evidence["told_apart"] is False
    assert finding.severity == "low"
    assert "second annotator" in str(finding.suggestion)


def test_a_judge_that_gives_nearly_all_responses_one_level_gets_the_finding_stuck_and_no_other_finding() -> None:
    judge = MADE.judge
    judge[:, 0] = 4
    judge[::40, 0] = 3
    findings = MADE.find(judge)
    finding = of_code(findings, "stuck-judge", "clarity")
    assert codes(findings) == {"stuck-judge"}
    assert finding.severity == "medium"  # it causes a fifth of the wrong decisions, not half
    assert finding.evidence["share"] >= 0.9


def test_a_finding_on_a_judge_that_nearly_always_gives_one_category_names_the_category() -> None:
    of = rubric("reason", scale=Scale.of_categories(["refund", "delay", "other"]))
    gold = np.tile([[0.0], [0.5], [1.0]], (20, 1))
    findings = diagnosed(of, examples(of, {"p": gold}), judged(of, np.zeros_like(gold)))
    assert "gave refund to" in of_code(findings, "stuck-judge", "reason").text


def test_a_judge_that_always_says_yes_has_no_skill_however_often_it_is_right() -> None:
    of = yes_no_rubric()
    gold = (np.arange(100)[:, None] % 8 != 0).astype(float)
    findings = diagnosed(of, examples(of, {"p": gold}), judged(of, np.ones((100, 1))))
    finding = of_code(findings, "no-skill", "right")
    assert len(findings) == 1
    assert "always says MET" in finding.message
    assert finding.evidence["agreement"] == finding.evidence["constant"] == pytest.approx(0.87)


def test_a_judge_that_guesses_on_one_criterion_has_no_skill_on_that_criterion_alone() -> None:
    judge = MADE.judge
    judge[:, 1] = rounded(3 + 1.2 * MADE.fresh[:, 1])
    assert {(f.code, f.criterion) for f in MADE.find(judge)} == {("no-skill", "facts")}


def test_a_level_that_annotators_give_and_the_judge_never_gives_is_reported() -> None:
    of = rubric("tone")
    gold = np.array([[1], [2], [3], [4], [5]] * 14)
    judge = np.where(gold == 3, 3 + np.resize([1, -1], 70)[:, None], gold)
    finding = of_code(diagnosed(of, examples(of, {"p": gold}), judged(of, judge)), "unused-level", "tone")
    assert finding.evidence == {**finding.evidence, "levels": [3.0], "by": "judge", "examples": 14}
    assert "in the description of level" in str(finding.suggestion)


def test_a_level_that_is_never_used_is_reported_if_there_are_at_least_sixty_examples() -> None:
    of = rubric("tone")
    gold = np.array([[1], [2], [3], [5]] * 20)
    finding = of_code(diagnosed(of, examples(of, {"p": gold}), judged(of, gold)), "unused-level", "tone")
    assert finding.evidence["levels"] == [4.0]
    few = gold[:40]
    assert "unused-level" not in codes(diagnosed(of, examples(of, {"p": few}), judged(of, few)))


# --- criteria and labels --------------------------------------------------------------------------------------------


def test_a_criterion_on_which_people_disagree_is_reported_as_ambiguous_and_the_judge_is_not_blamed() -> None:
    people = {name: levels.copy() for name, levels in MADE.people.items()}
    noise = np.random.default_rng(8).normal(size=(2, 100)) * 1.6
    for name, off in zip(people, noise, strict=True):
        people[name][:, 1] = rounded(MADE.truth[:, 1] + off)
    findings = diagnosed(MADE.rubric, examples(MADE.rubric, people), judged(MADE.rubric, MADE.judge))
    finding = of_code(findings, "ambiguous", "facts")
    assert finding.evidence["firm"] is True
    assert finding.evidence["people_alpha"]["high"] < 0.67
    assert 0 < finding.evidence["highest_correlation"] < 1
    assert "annotators gave" in str(finding.suggestion)
    assert codes(findings) == {"ambiguous"}


def test_advice_names_two_levels_once_and_then_all_examples_on_which_annotators_gave_these_two_levels() -> None:
    people = {name: levels.copy() for name, levels in MADE.people.items()}
    for name, level in zip(people, (1, 5), strict=True):
        people[name][:40, 1] = level
    findings = diagnosed(MADE.rubric, examples(MADE.rubric, people), judged(MADE.rubric, MADE.judge))
    finding = of_code(findings, "ambiguous", "facts")
    assert re.search(r"annotators gave 1 and 5 on e\d+, e\d+ and e\d+\b", str(finding.suggestion))


def test_annotators_remarks_are_shown_with_the_finding_that_they_disagree() -> None:
    people = {name: levels.copy() for name, levels in MADE.people.items()}
    noise = np.random.default_rng(8).normal(size=(2, 100)) * 1.6
    for name, off in zip(people, noise, strict=True):
        people[name][:, 1] = rounded(MADE.truth[:, 1] + off)
    labelled = examples(MADE.rubric, people)
    worst = of_code(diagnosed(MADE.rubric, labelled, judged(MADE.rubric, MADE.judge)), "ambiguous", "facts").examples
    unsure = Rating("e5", "kim", "human", {"facts": Rated(None, "no source given", declined="abstained")})
    remarked = []
    for example in labelled.examples:
        if example.id == worst[0]:
            example = replace(
                example, labels=tuple(replace(x, note="which\nfacts?", confidence="low") for x in example.labels)
            )
        remarked.append(replace(example, labels=(*example.labels, *([unsure] if example.id == "e5" else []))))
    with_words = replace(labelled, examples=tuple(remarked))
    finding = of_code(diagnosed(MADE.rubric, with_words, judged(MADE.rubric, MADE.judge)), "ambiguous", "facts")
    assert f"They wrote: “which facts?” on {worst[0]}." in str(finding.suggestion)
    assert "Given no level 1 time, for example: “no source given”." in str(finding.suggestion)
    remarks = [remark for remark in finding.evidence["annotators"] if remark["id"] == worst[0]]
    assert {(remark["said"], remark["confidence"]) for remark in remarks} == {("which\nfacts?", "low")}


def test_a_criterion_whose_gold_levels_hardly_differ_gets_the_finding_dead_and_not_the_finding_ambiguous() -> None:
    generator = np.random.default_rng(2)
    truth = MADE.truth.copy()
    truth[:, 0] = 3 + 0.15 * generator.normal(size=100)
    people = {p: rounded(truth + 0.4 * generator.normal(size=truth.shape)) for p in ("p1", "p2")}
    findings = diagnosed(MADE.rubric, examples(MADE.rubric, people), judged(MADE.rubric, rounded(truth + MADE.noise)))
    of_code(findings, "dead", "clarity")
    assert "ambiguous" not in codes(findings)


def test_a_criterion_with_97_percent_equal_gold_levels_is_reported_as_not_distinguishing_responses() -> None:
    of = yes_no_rubric()
    gold = (np.arange(100)[:, None] >= 3).astype(float)
    blind = of_code(diagnosed(of, examples(of, {"p": gold}), judged(of, gold)), "dead", "right")
    assert blind.evidence["share_of_people"] == pytest.approx(0.97)
    more = (np.arange(100)[:, None] >= 9).astype(float)
    assert "dead" not in codes(diagnosed(of, examples(of, {"p": more}), judged(of, more)))


def test_two_criteria_that_put_the_responses_in_the_same_order_are_reported_as_redundant() -> None:
    people = {name: np.column_stack([levels[:, :3], levels[:, 0]]) for name, levels in MADE.people.items()}
    judge = np.column_stack([MADE.judge[:, :3], MADE.judge[:, 0]])
    findings = diagnosed(MADE.rubric, examples(MADE.rubric, people), judged(MADE.rubric, judge))
    finding = next(finding for finding in findings if finding.code == "redundant")
    assert set(finding.evidence["criteria"]) == {"clarity", "order"}
    assert finding.evidence["hint"] is False


def test_labels_given_under_another_wording_of_a_criterion_are_reported_as_stale() -> None:
    of = rubric("tone")
    gold = np.array([[1], [2], [3], [4], [5]] * 8)
    labelled = examples(of, {"p": gold})
    old = replace(
        labelled.examples[7], labels=(Rating("e7", "p", "human", {"tone": Rated(3.0, under="another wording")}),)
    )
    stale = ExampleSet((*labelled.examples[:7], old, *labelled.examples[8:]), stale=1)
    finding = of_code(diagnosed(of, stale, judged(of, gold)), "stale-labels", "tone")
    assert finding.examples == ("e7",)


def test_with_twelve_examples_the_only_finding_is_that_labels_are_too_few() -> None:
    few = Made(12, seed=4)
    findings = few.find(few.judge)
    assert codes(findings) == {"too-few-labels"}
    assert findings[0].cost == 0


def test_a_hundred_examples_of_only_four_tasks_are_reported_as_too_few_labels() -> None:
    groups = [f"g{i % 4}" for i in range(100)]
    finding = of_code(MADE.find(MADE.judge, groups=groups), "too-few-labels")
    assert finding.evidence == {**finding.evidence, "examples": 100, "groups": 4}


# --- the judge as a whole -------------------------------------------------------------------------------------------


def test_a_judge_with_a_halo_effect_gets_a_finding_on_that_and_no_other_finding() -> None:
    coloured = 0.5 * MADE.truth + 0.5 * MADE.truth.mean(axis=1, keepdims=True)
    findings = MADE.find(rounded(coloured + MADE.noise))
    finding = of_code(findings, "halo")
    assert codes(findings) == {"halo"}
    assert finding.evidence["halo"]["low"] > 0
    assert "per_criterion" in str(finding.suggestion)


def test_the_finding_on_a_judge_that_passes_every_response_lists_only_false_passes_as_examples() -> None:
    of = replace(rubric("tone"), pass_mark=0.2)
    generator = np.random.default_rng(6)
    gold = generator.integers(1, 6, size=(90, 1)).astype(float)
    judge = np.maximum(gold, 2)
    finding = of_code(diagnosed(of, examples(of, {"p": gold}), judged(of, judge)), "no-skill")
    assert "passes every response" in finding.message
    assert set(finding.examples) <= {f"e{i}" for i in np.flatnonzero(gold[:, 0] == 1)}


def test_a_judge_that_agrees_with_people_no_more_than_the_baseline_has_no_skill() -> None:
    of = rubric("tone")
    gold = np.array([[3]] * 120 + [[1], [2], [4], [5]] * 15).astype(float)
    judge = np.where(gold == 3, np.resize([3, 4], 180)[:, None], gold)
    finding = next(f for f in diagnosed(of, examples(of, {"p": gold}), judged(of, judge)) if f.code == "no-skill")
    assert finding.criterion is None
    assert finding.evidence["agreement"]["value"] <= finding.evidence["constant"]["value"]


def test_a_judge_that_rewards_longer_responses_beyond_their_quality_gets_a_finding() -> None:
    lengths = np.exp(np.random.default_rng(3).normal(6, 0.6, size=100)).astype(int)
    tilt = 0.9 * (np.log(lengths) - 6)[:, None]
    of = MADE.rubric
    labelled = examples(of, MADE.people, lengths=lengths.tolist())
    finding = of_code(diagnosed(of, labelled, judged(of, rounded(MADE.truth + MADE.noise + tilt))), "length")
    assert finding.evidence["short_to_long"] > 0.1
    assert "rewards length" in finding.message
    assert "length" not in codes(diagnosed(of, labelled, judged(of, MADE.judge)))


def test_a_finding_on_a_judge_that_gives_longer_responses_lower_levels_says_that_it_punishes_length() -> None:
    of = rubric("tone")
    gold = np.resize([1, 5], 100)
    judge = np.where(np.random.default_rng(0).random(100) < 0.8, gold, 6 - gold)
    lengths = np.where(judge == 5, 22, 50 + 4 * np.arange(100)).tolist()
    labelled = examples(of, {"p": gold[:, None]}, lengths=lengths)
    finding = of_code(diagnosed(of, labelled, judged(of, judge[:, None])), "length")
    assert finding.evidence["short_to_long"] == -1
    assert "punishes length" in finding.message
    assert finding.kind.short == "depends on length"


def test_a_judge_that_rates_longer_responses_higher_because_they_are_better_gets_no_finding() -> None:
    lengths = np.exp(6 + 0.5 * (MADE.truth.mean(axis=1) - 3)).astype(int)
    narrow = rounded(3 + 0.6 * (MADE.truth - 3) + MADE.noise)
    labelled = examples(MADE.rubric, MADE.people, lengths=lengths.tolist())
    for judge in (MADE.judge, narrow):
        assert "length" not in codes(diagnosed(MADE.rubric, labelled, judged(MADE.rubric, judge)))


def test_unreadable_verdicts_are_counted_and_never_treated_as_a_level() -> None:
    of = rubric("tone")
    gold = np.array([[1], [2], [3], [4], [5]] * 8)
    ratings = judged(of, gold)
    ratings[4] = Rating("e4", "judge", "model", {"tone": Rated(None, "no JSON", declined="unread")})
    ratings[9] = Rating("e9", "judge", "model", error="garbage")
    comparison = compared(of, examples(of, {"p": gold}), ratings)
    finding = of_code(findings_of(comparison, ratings), "unreadable", "tone")
    assert finding.examples == ("e4",)
    elsewhere = of_code(findings_of(comparison, ratings, elsewhere=True), "unreadable", "tone")
    assert elsewhere.examples == ("e4", "e9")
    assert elsewhere.evidence["share"] == pytest.approx(2 / 40)


# --- order, evidence, words -----------------------------------------------------------------------------------------


def test_findings_are_ranked_by_their_cost_in_score_if_the_false_passes_they_cause_cannot_be_counted() -> None:
    judge = MADE.judge
    judge[:, 1] = rounded(MADE.truth[:, 1] + MADE.noise[:, 1] + 0.7)
    judge[:, 2] = rounded(MADE.truth[:, 2] + MADE.noise[:, 2] - 1.6)
    findings = MADE.find(judge)
    assert [(f.code, f.criterion) for f in findings][:2] == [("lenient", "facts"), ("severe", "tone")]
    near_the_levels = ((judge - 1) / 4).mean(axis=1) * 0.99
    of_the_whole = [
        replace(rated, overall=float(score))
        for rated, score in zip(judged(MADE.rubric, judge), near_the_levels, strict=True)
    ]
    uncounted = diagnosed(MADE.rubric, examples(MADE.rubric, MADE.people), of_the_whole)
    assert [(f.code, f.criterion) for f in uncounted][:2] == [("severe", "tone"), ("lenient", "facts")]
    costs = [finding.cost for finding in uncounted]
    assert costs == sorted(costs, reverse=True)


def test_the_worst_example_of_a_finding_has_the_gold_level_and_the_judge_s_level_with_quote_and_reason() -> None:
    of = rubric("tone")
    gold = np.array([[1], [2], [3], [4]] * 10)
    ratings = [
        replace(
            rating,
            criteria={"tone": Rated(min(5.0, (rating.criteria["tone"].level or 0) + 1), "so polite", "dear all")},
        )
        for rating in judged(of, gold)
    ]
    finding = of_code(diagnosed(of, examples(of, {"p": gold}), ratings), "lenient", "tone")
    worst = finding.evidence["worst"][0]
    assert worst == {"id": worst["id"], "gold": 1.0, "judge": 2.0, "quote": "dear all", "reason": "so polite"}


def quoting(of: Rubric, is_found: dict[int, bool | None]) -> list[Rating]:
    """Make ratings of twenty examples with quotes; `is_found` says by index which quotes aren't found."""
    levels = np.array([[1], [2], [3], [4]] * 5)
    return [
        replace(
            rating,
            criteria={"tone": replace(rating.criteria["tone"], quote="dear all", quote_found=is_found.get(i, True))},
        )
        for i, rating in enumerate(judged(of, levels))
    ]


def test_quotes_that_occur_nowhere_in_what_the_judge_read_are_counted_and_their_examples_are_named() -> None:
    of = rubric("tone")
    ratings = quoting(of, {4: False, 7: False, 9: None})
    finding = of_code(
        diagnosed(of, examples(of, {"p": np.array([[1], [2], [3], [4]] * 5)}), ratings), "invented-quotes", "tone"
    )
    assert {key: finding.evidence[key] for key in ("quotes", "invented")} == {"quotes": 19, "invented": 2}
    assert finding.evidence["share"] == pytest.approx(2 / 19)
    assert list(finding.examples) == ["e4", "e7"]


@pytest.mark.parametrize(
    "found_at",
    [{4: False}, dict.fromkeys(range(20)), {**dict.fromkeys(range(11)), 12: False}],
    ids=["one of twenty", "all too short to check", "nine that can be checked"],
)
def test_a_few_quotes_that_were_not_found_or_quotes_too_short_to_check_cause_no_finding(
    found_at: dict[int, bool | None],
) -> None:
    of = rubric("tone")
    labels = examples(of, {"p": np.array([[1], [2], [3], [4]] * 5)})
    assert "invented-quotes" not in codes(diagnosed(of, labels, quoting(of, found_at)))


def test_if_a_level_has_a_description_the_advice_is_to_make_the_description_more_exact() -> None:
    levels = tuple(Level(float(v), description=f"level {v}") for v in range(1, 6))
    of = Rubric((Criterion(1.0, "Tone?", name="tone", scale=Scale(levels)),))
    gold = np.array([[3]] * 20 + [[1], [2], [4], [5]] * 5).astype(float)
    judge = np.where(gold == 3, 5, gold)
    suggestion = str(of_code(diagnosed(of, examples(of, {"p": gold}), judged(of, judge)), "lenient", "tone").suggestion)
    assert suggestion == (
        "Say more exactly in the description of level 3 of tone what keeps a 3 from being a 5: "
        "the judge gave 5 where the labels say 3 on e0, e1, e2 and 17 more."
    )


@pytest.mark.parametrize("kind", ["constructed", "model"])
def test_findings_never_attribute_constructed_labels_or_a_model_s_labels_to_people(kind: str) -> None:
    judge = rounded(MADE.truth + 1.2)
    labelled = examples(MADE.rubric, {"made": MADE.people["p1"]}, kind=kind)  # type: ignore[arg-type]
    findings = diagnosed(MADE.rubric, labelled, judged(MADE.rubric, judge))
    assert "lenient" in codes(findings)
    assert not any("people" in finding.message or "annotator" in finding.message for finding in findings)


def test_findings_can_be_written_as_json_without_nan() -> None:
    generator = np.random.default_rng(9)
    judge = rounded(3 + generator.normal(size=MADE.truth.shape))
    judge[::9] = np.nan
    calibration = calibration_of(
        MADE.rubric,
        examples(MADE.rubric, MADE.people, systems=["a", "b"] * 50, groups=[f"g{i % 20}" for i in range(100)]),
        judged(MADE.rubric, judge),
        Rater("judge", "", "ratings"),
    )
    assert calibration.findings
    text = json.dumps([finding.to_json() for finding in calibration.findings], allow_nan=False)
    assert {entry["code"] for entry in json.loads(text)} == codes(calibration.findings)
    json.dumps([part.to_json() for part in calibration.slices], allow_nan=False)


@pytest.mark.parametrize("seed", range(40))
def test_the_diagnosis_raises_no_error_on_random_examples_with_odd_scales_and_missing_levels(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n = int(generator.integers(1, 60))
    kinds = Scale((Level(0.0, "tie"), Level(1.0, "first"), Level(2.0, "second")), ordered=False)
    scales = (Scale.numbered(1, 5), YES_NO, kinds, Scale.numbered(0, 2))
    of = Rubric(
        tuple(
            Criterion(float(generator.choice([1, 2, -1])), "?", name=name, scale=scale)
            for name, scale in zip("abcd", scales, strict=True)
        )
    )

    def levels(missing: float) -> np.ndarray[Any, np.dtype[np.float64]]:
        few = int(generator.integers(1, 4))
        drawn = np.column_stack([generator.choice(scale.values[:few], size=n) for scale in scales]).astype(float)
        drawn[generator.random(drawn.shape) < missing] = np.nan
        return drawn

    labels = {f"p{i}": levels(generator.choice([0, 0.3])) for i in range(int(generator.integers(1, 4)))}
    parts = {
        "groups": [f"g{i // 4}" for i in range(n)] if seed % 2 else None,
        "systems": [f"s{i % 3}" for i in range(n)] if seed % 3 else None,
        "lengths": generator.integers(5, 400, size=n).tolist(),
    }
    labelled = examples(of, labels, kind=str(generator.choice(["human", "adjudicated", "constructed"])), **parts)  # type: ignore[arg-type]
    ratings = judged(of, levels(generator.choice([0, 0.2])))
    again = judged(of, levels(0.1), sample=1) if seed % 4 == 0 else []
    rule = ("median", "mean", "majority")[seed % 3]
    calibration = calibration_of(
        of,
        labelled,
        ratings,
        Rater("judge", "", "ratings"),
        repeats=again,
        options=LabelOptions(gold_by=rule),  # type: ignore[arg-type]
    )
    assert calibration.decision.verdict in ("ok", "adjust", "not-enough-labels")
    json.dumps([finding.to_json() for finding in calibration.findings], allow_nan=False)
    assert all(np.isfinite(finding.cost) and finding.cost >= 0 for finding in calibration.findings)


def test_findings_on_unordered_levels_never_speak_of_a_lenient_or_severe_judge_or_of_avoided_extreme_levels() -> None:
    kinds = Scale((Level(0.0, "tie"), Level(1.0, "first"), Level(2.0, "second")), ordered=False)
    of = rubric("which", scale=kinds)
    generator = np.random.default_rng(4)
    gold = generator.integers(0, 3, size=(90, 1)).astype(float)
    judge = np.where(gold == 0, 2.0, gold)
    findings = diagnosed(of, examples(of, {"p": gold}), judged(of, judge))
    assert not codes(findings) & {"lenient", "severe", "central-tendency"}
    table = compared(of, examples(of, {"p": gold}), judged(of, judge)).criteria["which"].statistics
    for name in ("mae", "rmse", "signed_error", "icc", "pearson", "spearman"):
        assert table[name].undefined == "the levels have no order"
    assert table["exact_agreement"].value is not None
    guessing = generator.integers(0, 3, size=(90, 1)).astype(float)
    assert "no-skill" in codes(diagnosed(of, examples(of, {"p": gold}), judged(of, guessing)))


def test_a_lenient_judge_on_one_criterion_is_reported_even_if_no_example_has_an_overall_score() -> None:
    of = rubric("clarity", "tone")
    gold = np.column_stack([MADE.people["p1"][:, 0], np.full(100, np.nan)])
    judge = np.column_stack([rounded(MADE.truth[:, 0] + 1), np.full(100, np.nan)])
    findings = diagnosed(of, examples(of, {"p": gold}), judged(of, judge))
    assert of_code(findings, "lenient", "clarity").cost > 0


def test_a_judge_s_bias_is_measured_against_adjudicated_labels_if_there_are_any() -> None:
    of = rubric("tone")
    gold = np.array([[2], [3], [4], [3]] * 10)
    labelled = ExampleSet(
        tuple(
            Example(
                Submission(f"r{i}", {}, f"e{i}"),
                (
                    rating(f"e{i}", "p1", "human", of, (level + 1).tolist()),
                    rating(f"e{i}", "panel", "adjudicated", of, level.tolist()),
                ),
            )
            for i, level in enumerate(gold)
        )
    )
    assert gold_of(labelled, of).reference == "adjudicated"
    of_code(diagnosed(of, labelled, judged(of, gold + 1)), "lenient", "tone")
    assert "severe" not in codes(diagnosed(of, labelled, judged(of, gold)))


def test_on_unordered_categories_no_finding_says_that_the_judge_lacks_skill_or_depends_on_length() -> None:
    kinds = Scale((Level(0.0, "tie"), Level(1.0, "first"), Level(2.0, "second")), ordered=False)
    of = rubric("which", scale=kinds)
    generator = np.random.default_rng(7)
    gold = generator.choice([0.0, 1.0, 2.0], p=[0.1, 0.45, 0.45], size=(200, 1))
    judge = np.where(
        (gold == 0) | (generator.random(gold.shape) < 0.1), generator.choice([1.0, 2.0], size=gold.shape), gold
    )
    lengths = np.where(judge[:, 0] == 2, 400, 100).tolist()
    findings = diagnosed(of, examples(of, {"p": gold}, lengths=lengths), judged(of, judge))
    assert not codes(findings) & {"no-skill", "length"}


def test_the_suggested_command_to_ask_about_one_criterion_at_a_time_replaces_the_user_s_strategy_option() -> None:
    commands = Commands("tone", "--judge gpt", asking={"strategy": "-o strategy=double_pass", "samples": "--samples 2"})
    expected = "markscheme calibrate tone --judge gpt --samples 2 -o strategy=per_criterion"
    assert commands.calibrate_one_at_a_time() == expected
