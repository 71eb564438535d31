"""The verdict on scores without a pass mark, by their confidence interval, and its sentences."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from markscheme.calibration.calibration import Rater, calibration_of
from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.decision import decide
from markscheme.calibration.findings.diagnosis import finding_kinds
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import NO_GAIN, NO_SKILL, STUCK_JUDGE, FindingKind
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Scale
from markscheme.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from tests.calibration.made import Made, compared, examples, judged, rubric

RUBRIC = replace(rubric("good"), table_of="values")
"""A rubric as a table of levels implies it: nobody stated a mark."""


def scored(
    n: int, misses: int, *, raters: tuple[str, ...] = ("p1", "p2"), kind: Kind = "human", group_size: int = 1
) -> Comparison:
    """Compare a judge that agrees on all but `misses` of n examples, whose gold scores vary."""
    gold = [(i % 11) / 10 for i in range(n)]
    labels = [tuple(Rating(f"e{i}", rater, kind, overall=gold[i]) for rater in raters) for i in range(n)]
    labelled = ExampleSet(
        tuple(
            Example(Submission(f"r{i}", {}, f"e{i}"), labels[i], group=f"g{i // group_size}" if group_size > 1 else "")
            for i in range(n)
        )
    )
    judge = [abs(gold[i] - 0.5) if i < misses and abs(gold[i] - 0.5) != gold[i] else gold[i] for i in range(n)]
    return compared(RUBRIC, labelled, [Rating(f"e{i}", "judge", "model", overall=judge[i]) for i in range(n)])


def missing(comparison: Comparison) -> int:
    return comparison.agreement.n - round((comparison.agreement.value or 0) * comparison.agreement.n)


@pytest.mark.parametrize("n", [20, 60, 100])
def test_the_verdict_is_ok_if_and_only_if_the_exact_lower_bound_of_agreement_is_above_the_target(n: int) -> None:
    for misses in range(n // 3):
        comparison = scored(n, misses)
        hits = n - missing(comparison)
        decision = decide(comparison)
        above = clopper_pearson_lower(hits, n, confidence=0.975) > 0.8
        below = clopper_pearson_upper(hits, n, confidence=0.975) < 0.8
        assert decision.verdict == ("ok" if above else "adjust" if below else "not-enough-labels")
        assert decision.needs_adjustment == (hits / n < 0.8)


@pytest.mark.parametrize(
    ("raters", "kind", "use"),
    [
        (("p1", "p2"), "human", "trend"),
        (("p1",), "human", "trend"),
        (("panel",), "adjudicated", "trend"),
        (("made",), "constructed", "explore"),
        (("gpt",), "model", "explore"),
    ],
)
def test_what_a_judge_with_the_verdict_ok_may_be_used_for_depends_on_who_gave_the_labels(
    raters: tuple[str, ...], kind: Kind, use: str
) -> None:
    decision = decide(scored(60, 0, raters=raters, kind=kind))
    assert (decision.verdict, decision.use) == ("ok", use)


def test_labels_that_are_not_blind_let_a_judge_show_trends_and_not_gate() -> None:
    gold = [(i % 11) / 10 for i in range(60)]
    labels = [tuple(Rating(f"e{i}", r, "human", overall=gold[i], blind=i > 0) for r in ("a", "b")) for i in range(60)]
    labelled = ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), labels[i]) for i in range(60)))
    comparison = compared(RUBRIC, labelled, [Rating(f"e{i}", "judge", "model", overall=gold[i]) for i in range(60)])
    assert decide(comparison).use == "trend"


def test_a_judge_that_drifted_gets_the_verdict_adjust_however_high_its_agreement() -> None:
    decision = decide(scored(60, 0), drifted="It moved.")
    assert (decision.verdict, decision.use, decision.because_code) == ("adjust", "none", "drift")
    assert decision.because == "It moved."


@pytest.mark.parametrize("kind", [NO_SKILL, NO_GAIN, STUCK_JUDGE], ids=lambda kind: kind.short)
def test_a_judge_without_skill_or_stuck_on_a_level_never_gets_the_verdict_ok(kind: FindingKind) -> None:
    decision = decide(scored(60, 0), findings=[Finding(kind, "good", "high", "the reason")])
    assert (decision.verdict, decision.use, decision.because) == ("adjust", "none", "good: the reason")
    assert decision.because_code == "no-skill"


@pytest.mark.parametrize(
    "kind", [kind for kind in finding_kinds() if not kind.voids_agreement], ids=lambda kind: kind.short
)
def test_findings_that_do_not_call_agreement_into_question_leave_a_good_judge_the_verdict_ok(
    kind: FindingKind,
) -> None:
    assert decide(scored(60, 0), findings=[Finding(kind, None, "high", "")]).verdict == "ok"


def test_if_the_baseline_agrees_as_often_as_the_judge_no_number_of_labels_needed_is_given() -> None:
    gold = [0.8] * 58 + [0.1, 0.2]
    labels = [tuple(Rating(f"e{i}", r, "human", overall=gold[i]) for r in ("a", "b")) for i in range(60)]
    labelled = ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), labels[i]) for i in range(60)))
    comparison = compared(RUBRIC, labelled, [Rating(f"e{i}", "judge", "model", overall=0.8) for i in range(60)])
    decision = decide(comparison)
    assert (decision.verdict, decision.use, decision.because_code) == ("not-enough-labels", "explore", "constant-open")
    assert decision.labels_needed is None
    assert comparison.gain.value == 0


def test_the_agreement_that_a_judge_must_reach_is_not_lowered_if_annotators_disagree() -> None:
    made = Made(120, person=0.7, judge=0.05)
    comparison = compared(made.rubric, examples(made.rubric, made.people), judged(made.rubric, made.judge))
    decision = decide(comparison)
    assert comparison.agreement_person is not None
    assert (comparison.agreement_person.value or 0) < 0.7
    assert decision.target == 0.8
    assert decision.use != "gate"


def test_a_judge_as_good_as_annotators_who_often_disagree_may_be_used_for_trends() -> None:
    generator = np.random.default_rng(3)
    truth = generator.integers(0, 2, size=300) * 0.5 + 0.25
    rated = {name: np.where(generator.random(300) < 0.2, 1 - truth, truth) for name in ("a", "b", "judge")}
    labels = [tuple(Rating(f"e{i}", r, "human", overall=rated[r][i]) for r in ("a", "b")) for i in range(300)]
    labelled = ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), labels[i]) for i in range(300)))
    ratings = [Rating(f"e{i}", "j", "model", overall=rated["judge"][i]) for i in range(300)]
    calibration = calibration_of(RUBRIC, labelled, ratings, Rater("j", "", "ratings"))
    decision = calibration.decision
    assert (decision.verdict, decision.use, decision.because_code) == ("labels-disagree", "trend", "as-person")
    assert calibration.exit_status == 4


def test_grouped_examples_give_a_wider_interval_and_so_a_weaker_verdict_than_independent_examples() -> None:
    plain, grouped = scored(100, 10), scored(100, 10, group_size=10)
    assert plain.agreement.value == grouped.agreement.value
    assert (grouped.agreement.low or 0) < (plain.agreement.low or 0)
    assert (decide(plain).verdict, decide(grouped).verdict) == ("ok", "not-enough-labels")
    few = decide(scored(100, 0, group_size=30))
    assert (few.verdict, few.because_code) == ("not-enough-labels", "few-groups")


def test_the_verdict_states_the_true_number_of_groups_although_the_jackknife_merges_more_than_1000_groups() -> None:
    for n_groups in (1000, 1200):
        because = decide(scored(2 * n_groups, n_groups // 10, group_size=2)).because
        assert f"The {2 * n_groups} examples in {n_groups} groups carry" in because


def test_another_target_for_agreement_changes_the_verdict_on_a_judge_with_unchanged_figures() -> None:
    comparison = scored(60, 4)
    assert decide(comparison).verdict == "ok"
    assert decide(comparison, target=0.99).verdict == "adjust"
    assert decide(comparison, target=0.9).verdict == "not-enough-labels"


def test_synthetic_labels_do_not_reduce_the_number_of_labels_needed() -> None:
    decision = decide(scored(30, 4))
    assert (decision.because_code, decision.labels_needed) == ("target-open", 120)
    assert decision.labels_chance == pytest.approx(0.5305, abs=1e-4)
    assert decision.next_step == "Label about 120 more for an even chance to say how good the judge is."
    made = decide(scored(60, 0, raters=("made",), kind="constructed"))
    assert made.use == "explore"
    assert made.labels_needed == 80, "agreement with labels of no person says nothing of people"
    assert (
        made.next_step
        == "Label about 80 by hand for an even chance to say how good the judge is, if it agrees on 90% of them."
    )


def test_if_labels_are_few_the_next_step_asks_for_the_number_of_labels_that_a_first_verdict_needs() -> None:
    decision = decide(scored(12, 0))
    assert decision.labels_needed == 80 - 12
    assert decision.labels_chance == pytest.approx(0.5927, abs=1e-4)
    assert str(decision.next_step).startswith(
        "Label about 68 more for an even chance to say how good the judge is, if it agrees on"
    )


def test_more_labels_cannot_decide_on_a_judge_whose_agreement_equals_the_target() -> None:
    comparison = scored(400, 80)
    decision = decide(comparison)
    assert (decision.because_code, decision.labels_needed, decision.labels_chance) == ("target-open", None, None)
    assert decision.because == "Agreement 80% (76–84), target 80%."
    assert str(decision.next_step).startswith(
        "More labels won't decide: agreement is right at the target of 80%. Improve"
    )


def test_agreement_that_would_round_to_the_target_is_printed_with_a_decimal() -> None:
    decision = decide(scored_exactly(300, 59))
    assert str(decision.next_step).startswith("More labels won't decide: 80.3% is too close to the target of 80.0%.")


def off_on_every_fifth(move: Callable[[float], float]) -> Comparison:
    """Compare a judge that changes the score of every fifth of 400 examples; gold is 0, 0.1, …, 1 in turn."""
    gold = [(i % 11) / 10 for i in range(400)]
    labels = [tuple(Rating(f"e{i}", r, "human", overall=gold[i]) for r in ("a", "b")) for i in range(400)]
    labelled = ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), labels[i]) for i in range(400)))
    judge = [gold[i] if i % 5 else move(gold[i]) for i in range(400)]
    return compared(RUBRIC, labelled, [Rating(f"e{i}", "j", "model", overall=judge[i]) for i in range(400)])


def test_without_a_pass_mark_the_next_step_never_advises_to_let_people_decide_a_part_of_the_responses() -> None:
    mostly_right = decide(off_on_every_fifth(lambda score: abs(score - 0.2)))
    assert mostly_right.because_code == "target-open"
    assert mostly_right.gate is None
    assert str(mostly_right.next_step).endswith("Improve the judge or choose another target and say why.")
    often_wrong = decide(off_on_every_fifth(lambda score: 1 - score))
    assert often_wrong.because_code == "target-open"
    assert str(often_wrong.next_step).endswith("Improve the judge or choose another target and say why.")


@pytest.mark.parametrize(
    ("n", "misses", "sentence"),
    [
        (100, 5, "Agreement 95% (89–98), target 80%; always answering 1.4 reaches 20%."),
        (100, 50, "Agreement 50% (40–60), target 80%. Two annotators agree on 100%, so the labels"),
        (100, 19, "Agreement 81% (72–88), target 80%."),
        (4, 1, "Agreement 3 of 4, target 80%."),
    ],
)
def test_the_sentence_that_gives_the_verdict_on_a_judge_names_one_interval_and_the_target(
    n: int, misses: int, sentence: str
) -> None:
    comparison = scored_exactly(n, misses)
    assert decide(comparison).because.startswith(sentence)
    assert "confidence" not in decide(comparison).because


def scored_exactly(n: int, misses: int) -> Comparison:
    """Compare a judge that is wrong on `misses` of n examples, whose gold scores are 0.1, 0.3, …, 0.9 in turn."""
    gold = [(1 + 2 * (i % 5)) / 10 for i in range(n)]
    labels = [tuple(Rating(f"e{i}", r, "human", overall=gold[i]) for r in ("a", "b")) for i in range(n)]
    labelled = ExampleSet(tuple(Example(Submission(f"r{i}", {}, f"e{i}"), labels[i]) for i in range(n)))
    judge = [abs(gold[i] - 0.3) if i < misses else gold[i] for i in range(n)]
    return compared(RUBRIC, labelled, [Rating(f"e{i}", "judge", "model", overall=judge[i]) for i in range(n)])


def test_an_interval_s_limit_that_rounds_to_the_target_is_printed_with_more_decimals() -> None:
    decision = decide(scored_exactly(100, 12))
    assert decision.verdict == "not-enough-labels"
    assert decision.because == "Agreement 88.00% (79.98–93.64), target 80.00%."


def test_more_settings_tried_on_the_labels_widen_the_interval_that_decides_on_a_judge() -> None:
    comparison = scored_exactly(100, 10)
    once = decide(comparison)
    often = decide(replace(comparison, settings=5))
    assert (once.verdict, once.settings, once.level) == ("ok", 1, 0.95)
    assert (often.verdict, often.settings, often.level) == ("not-enough-labels", 5, 0.99)


def test_if_no_example_was_graded_the_verdict_is_that_there_are_not_enough_labels() -> None:
    labelled = ExampleSet((Example(Submission("r", {}, "e0"), (Rating("e0", "p", "human", {"good": Rated(3.0)}),)),))
    ungraded = Rating("e0", "judge", "model", passed=True, error="no reply")
    decision = decide(compared(RUBRIC, labelled, [ungraded]))
    assert (decision.verdict, decision.because_code, decision.labels_needed) == ("not-enough-labels", "no-labels", 79)


def test_a_judge_that_always_gives_the_top_level_on_a_criterion_gets_the_verdict_adjust_despite_high_agreement() -> (
    None
):
    """The judge agrees on 95 % and always says pass: gold fails five."""
    of = rubric("good", "polite")
    gold = np.full((100, 2), 5.0)
    gold[:6, 0] = 1
    generator = np.random.default_rng(1)
    gold[:, 1] = generator.integers(4, 6, size=100)
    judge = gold.copy()
    judge[:, 0] = 5
    labelled = examples(of, {"p1": gold, "p2": gold})
    calibration = calibration_of(of, labelled, judged(of, judge), Rater("judge", "", "ratings"))
    assert {finding.code for finding in calibration.findings} & {"no-skill", "stuck-judge"}
    assert (calibration.decision.verdict, calibration.exit_status) == ("adjust", 1)


def test_it_is_undecided_if_a_skilled_judge_that_always_gives_one_level_on_a_criterion_may_be_used_for_trends() -> None:
    of = rubric("good", "polite", "clear")
    generator = np.random.default_rng(0)
    gold = generator.integers(1, 6, size=(300, 3)).astype(float)
    gold[:, 0] = np.where(generator.random(300) < 0.7, 5, 4)
    judge = gold.copy()
    judge[:, 0] = 5
    calibration = calibration_of(
        of, examples(of, {"p1": gold, "p2": gold}), judged(of, judge), Rater("judge", "", "ratings")
    )
    trend = calibration.decision.trend
    assert (trend.state, trend.because) == ("open", ("stuck",))
    assert (calibration.decision.verdict, calibration.decision.use) == ("adjust", "explore")
    assert (calibration.exit_status, calibration.exit_status_for("trend")) == (1, 4)


def test_the_verdict_on_a_judge_is_also_computed_as_if_ties_counted_as_agreement() -> None:
    of = replace(rubric("tone", scale=Scale.numbered(0, 10)), table_of="values")
    generator = np.random.default_rng(3)
    gold = generator.integers(0, 10, size=(200, 1)).astype(float)
    off_by_one = gold + (np.arange(200)[:, None] % 2)
    comparison = compared(of, examples(of, {"p": gold}), judged(of, off_by_one))
    decision = decide(comparison)
    assert comparison.ties.count == 100
    assert comparison.ties.flagged
    assert (decision.verdict, decision.verdict_with_ties) == ("adjust", "ok")
    never = compared(of, examples(of, {"p": gold}), judged(of, gold))
    assert decide(never).verdict_with_ties is None
