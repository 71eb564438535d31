"""The arithmetic of weighted scores, compared with written-out formulas and tested by its laws."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme import Criterion, Rubric, Scale
from markscheme.grading.score import Score, certainty_of, chance_of_passing, score_of_levels, weigh, weigh_holistic
from markscheme.grading.verdict import Abstention, Holistic, NotApplicable, Outcome, Unread, Verdict
from markscheme.rubrics.distribution import most_probable
from markscheme.rubrics.gray_zone import GrayZone
from markscheme.rubrics.rubric import YES_NO
from tests.reference.decision_cases import CHANCES

WEIGHTS = st.floats(0.01, 100) | st.floats(-100, -0.01)
SCALES = st.sampled_from([Scale.numbered(0, 1), Scale.numbered(1, 5), Scale.numbered(-3, 10)])


@st.composite
def graded(draw: st.DrawFn, weights: st.SearchStrategy[float] = WEIGHTS) -> tuple[Rubric, dict[str, Outcome]]:
    criteria = draw(st.lists(st.builds(Criterion, weights, st.just("A"), scale=SCALES), min_size=1, max_size=6))
    rubric = Rubric(tuple(criteria))
    positions = draw(st.lists(st.floats(0, 1), min_size=len(criteria), max_size=len(criteria)))
    outcomes: dict[str, Outcome] = {}
    for criterion, position in zip(rubric.criteria, positions, strict=True):
        lowest, highest = criterion.scale.values[0], criterion.scale.values[-1]
        level = min(highest, lowest + position * (highest - lowest))
        outcomes[criterion.name] = Verdict(criterion.name, level)
    return rubric, outcomes


def scored(outcomes: dict[str, Outcome], rubric: Rubric, *, normalize: bool = True, renormalize: bool = False) -> Score:
    score = weigh(outcomes, rubric, normalize=normalize, renormalize=renormalize)
    assert isinstance(score, Score), score
    return score


def yes_no(*weights: float) -> Rubric:
    return Rubric(tuple(Criterion(weight, f"R{place}") for place, weight in enumerate(weights)))


def statuses(*met: bool) -> dict[str, Outcome]:
    return {f"c{place}": Verdict(f"c{place}", float(is_met)) for place, is_met in enumerate(met, start=1)}


# --- the formulas ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "met", "raw", "score"),
    [
        ((10, 5, -3), (True, True, False), 15, 1.0),
        ((10, 5, -3), (True, True, True), 12, 0.8),
        ((10, 5, -3), (False, False, True), -3, 0.0),
        ((10, 8, -15), (True, True, True), 3, 3 / 18),
        ((-4, -6), (False, False), 0, 1.0),
        ((-4, -6), (True, False), -4, 0.6),
        ((-4, -6), (True, True), -10, 0.0),
    ],
)
def test_scores_of_yes_no_levels_equal_those_of_formulas_written_out_by_hand(
    weights: tuple[float, ...], met: tuple[bool, ...], raw: float, score: float
) -> None:
    total = scored(statuses(*met), yes_no(*weights))
    assert (total.raw_score, total.llm_raw_score) == (raw, raw)
    assert total.score == pytest.approx(score, abs=1e-12)
    assert scored(statuses(*met), yes_no(*weights), normalize=False).score == raw


def test_levels_and_half_levels_add_to_the_score_by_their_position_on_the_scale() -> None:
    rubric = Rubric((Criterion(0.6, "A", "a", Scale.numbered(1, 5)), Criterion(0.4, "B", "b", Scale.numbered(0, 10))))
    assert score_of_levels({"a": 4, "b": 5}, rubric) == pytest.approx(0.6 * 0.75 + 0.4 * 0.5)
    assert score_of_levels({"a": 4.5, "b": 5}, rubric) == pytest.approx(0.6 * 0.875 + 0.4 * 0.5)
    assert score_of_levels({"a": 4}, rubric) is None


@pytest.mark.parametrize(
    ("weights", "number", "raw", "score"),
    [((10, 5, -3), 80, 12.0, 0.8), ((10, 5, -3), 0, 0.0, 0.0), ((-4, -6), 80, -2.0, 0.8), ((-4, -6), 100, 0.0, 1.0)],
)
def test_a_holistic_score_gives_the_score_and_the_raw_score_that_were_calculated_by_hand(
    weights: tuple[float, ...], number: float, raw: float, score: float
) -> None:
    total = weigh_holistic(Holistic(number), yes_no(*weights))
    assert (total.score, total.llm_raw_score) == (score, number)
    assert total.raw_score == pytest.approx(raw, abs=1e-12)
    assert weigh_holistic(Holistic(number), yes_no(*weights), normalize=False).score == total.raw_score


# --- laws -----------------------------------------------------------------------------------------------------------


@given(case=graded())
def test_a_score_lies_between_0_and_1_and_a_raw_score_between_the_sums_of_negative_and_positive_weights(
    case: tuple[Rubric, dict[str, Outcome]],
) -> None:
    rubric, outcomes = case
    score = scored(outcomes, rubric)
    weights = [criterion.weight for criterion in rubric.criteria]
    assert 0 <= score.score <= 1
    assert sum(w for w in weights if w < 0) - 1e-9 <= score.raw_score <= rubric.positive_weight + 1e-9


@given(case=graded())
def test_if_normalizing_is_switched_off_the_score_is_the_raw_score_and_the_decision_stays_the_same(
    case: tuple[Rubric, dict[str, Outcome]],
) -> None:
    rubric, outcomes = case
    raw = scored(outcomes, rubric, normalize=False)
    assert raw.score == raw.raw_score == scored(outcomes, rubric).raw_score
    assert raw.passed == scored(outcomes, rubric).passed


@given(case=graded(st.floats(-100, -0.01)))
def test_the_score_of_a_rubric_of_faults_is_1_if_none_is_present_and_0_if_all_are(
    case: tuple[Rubric, dict[str, Outcome]],
) -> None:
    rubric, outcomes = case
    weights = sum(-criterion.weight for criterion in rubric.criteria)
    assert scored(outcomes, rubric).score == pytest.approx(
        min(1, max(0, 1 + scored(outcomes, rubric).raw_score / weights)), abs=1e-12
    )
    none = {c.name: Verdict(c.name, c.scale.values[0]) for c in rubric.criteria}
    every = {c.name: Verdict(c.name, c.scale.values[-1]) for c in rubric.criteria}
    assert scored({**none}, rubric).score == 1
    assert scored({**every}, rubric).score == pytest.approx(0, abs=1e-12)


@given(case=graded(), factor=st.floats(0.1, 10))
def test_only_the_ratio_of_weights_counts_for_a_score(case: tuple[Rubric, dict[str, Outcome]], factor: float) -> None:
    rubric, outcomes = case
    scaled = Rubric(tuple(replace(c, weight=c.weight * factor) for c in rubric.criteria))
    assert scored(outcomes, scaled).score == pytest.approx(scored(outcomes, rubric).score, abs=1e-9)


@given(case=graded(), data=st.data())
def test_a_better_level_never_lowers_a_score(case: tuple[Rubric, dict[str, Outcome]], data: st.DataObject) -> None:
    rubric, outcomes = case
    criterion = data.draw(st.sampled_from(rubric.criteria))
    best = criterion.scale.values[-1 if criterion.weight > 0 else 0]
    better = {**outcomes, criterion.name: Verdict(criterion.name, best)}
    assert scored(better, rubric).score >= scored(outcomes, rubric).score - 1e-9


@given(case=graded(), kind=st.sampled_from([Abstention, Unread, None]), data=st.data())
def test_one_criterion_without_a_level_leaves_the_whole_response_ungraded(
    case: tuple[Rubric, dict[str, Outcome]], kind: type | None, data: st.DataObject
) -> None:
    rubric, outcomes = case
    name = data.draw(st.sampled_from([criterion.name for criterion in rubric.criteria]))
    without = {key: outcome for key, outcome in outcomes.items() if key != name}
    if kind is Abstention:
        without[name] = Abstention(name, "too short")
    elif kind is Unread:
        without[name] = Unread(name, "no JSON")
    score = weigh(without, rubric)
    assert isinstance(score, str)
    assert score.startswith(f"{name}: ")


# --- does not apply, and scoring on the rest ------------------------------------------------------------------------


def test_a_criterion_that_does_not_apply_adds_neither_to_the_score_nor_to_the_highest_possible_score() -> None:
    outcomes = {**statuses(True, False), "c2": NotApplicable("c2")}
    score = scored(outcomes, yes_no(1, 9))
    assert (score.score, score.raw_score) == (1.0, 1.0)
    faults = {**statuses(False, True), "c1": NotApplicable("c1")}
    assert scored(faults, yes_no(9, -1)).score == 0.0


def test_a_response_to_which_no_criterion_applies_has_no_score() -> None:
    assert weigh({"c1": NotApplicable("c1")}, yes_no(1)) == "no criterion applies"


@pytest.mark.parametrize("missing", [Abstention("c2", "cannot tell"), Unread("c2", "no JSON"), None])
def test_a_criterion_without_a_level_adds_nothing_to_a_renormalized_score(
    missing: Outcome | None,
) -> None:
    outcomes = statuses(False, True)
    outcomes.pop("c2")
    if missing is not None:
        outcomes["c2"] = missing
    score = scored(outcomes, yes_no(1, -1), renormalize=True)
    assert (score.score, score.raw_score) == (0.0, 0.0)
    assert isinstance(weigh({}, yes_no(-1, -1), renormalize=True), str)


def test_a_response_gets_no_score_if_the_judge_gave_a_required_criterion_no_level() -> None:
    rubric = Rubric((Criterion(1.0, "A", "a"), Criterion(1.0, "B", "b", required=True)))
    outcomes: dict[str, Outcome] = {"a": Verdict("a", 1.0), "b": Unread("b", "no JSON")}
    assert weigh(outcomes, rubric, renormalize=True) == "b: no JSON"


# --- passing --------------------------------------------------------------------------------------------------------


def test_a_score_equal_to_the_pass_mark_passes_in_spite_of_rounding_errors_and_a_lower_score_fails() -> None:
    tenths = Rubric(tuple(Criterion(0.1, "A") for _ in range(10)), pass_mark=0.3)
    assert scored(statuses(*[True] * 3, *[False] * 7), tenths).passed
    assert not scored(statuses(*[True] * 2, *[False] * 8), tenths).passed


def test_a_failed_required_criterion_fails_the_grade_and_is_named_in_it() -> None:
    rubric = Rubric((Criterion(9.0, "A", "a"), Criterion(1.0, "B", "b", required=True)))
    score = scored({"a": Verdict("a", 1.0), "b": Verdict("b", 0.0)}, rubric)
    assert (score.score, score.passed, score.failed_required) == (0.9, False, ("b",))


def test_a_required_fault_that_is_present_fails_the_grade() -> None:
    rubric = Rubric((Criterion(9.0, "A", "a"), Criterion(-1.0, "B", "b", required=True)))
    assert scored({"a": Verdict("a", 1.0), "b": Verdict("b", 0.0)}, rubric).passed
    assert scored({"a": Verdict("a", 1.0), "b": Verdict("b", 1.0)}, rubric).failed_required == ("b",)


def test_a_criterion_s_own_threshold_decides_whether_it_passes() -> None:
    strict = Criterion(1.0, "A", "a", Scale.numbered(1, 5), required=True, threshold=0.75)
    assert scored({"a": Verdict("a", 4.0)}, Rubric((strict,))).passed
    assert scored({"a": Verdict("a", 3.5)}, Rubric((strict,))).failed_required == ("a",)


@given(number=st.floats(0, 100))
def test_a_holistic_score_lies_between_0_and_1_and_passes_from_the_pass_mark_on(number: float) -> None:
    score = weigh_holistic(Holistic(number), yes_no(3, -1))
    assert 0 <= score.score <= 1
    assert 0 <= score.raw_score <= 3
    assert score.passed == (number / 100 >= 0.5 - 1e-9)
    assert not math.isnan(score.raw_score)


# --- the doubtful middle --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("half_width", "decisions"),
    [
        (0.0, ["fail", "fail", "pass", "pass", "pass"]),
        (0.01, ["fail", "fail", "ask", "pass", "pass"]),
        (0.2, ["fail", "ask", "ask", "ask", "pass"]),
        (1.0, ["ask"] * 5),
    ],
)
def test_a_score_near_the_pass_mark_leaves_the_decision_to_a_person(half_width: float, decisions: list[str]) -> None:
    rubric = replace(Rubric((Criterion(1, "A", scale=Scale.numbered(0, 10)),)), pass_mark=0.6, ask_within=half_width)
    scores = [scored({"c1": Verdict("c1", level)}, rubric) for level in (2.0, 4.0, 6.0, 8.0, 10.0)]
    assert [score.decision for score in scores] == decisions
    assert [score.passed for score in scores] == [False, False, True, True, True]
    assert [weigh_holistic(Holistic(s), rubric).decision for s in (20, 40, 60, 80, 100)] == decisions


def test_the_gray_zone_around_the_pass_mark_also_applies_to_raw_scores() -> None:
    rubric = replace(yes_no(10, 10), ask_within=0.1)
    assert scored(statuses(True, False), rubric, normalize=False).decision == "ask"
    assert scored(statuses(True, True), rubric, normalize=False).decision == "pass"


def test_a_grade_whose_required_criterion_is_not_met_is_a_fail_even_if_its_score_is_far_above_the_pass_mark() -> None:
    rubric = Rubric((Criterion(1, "A", required=True), Criterion(9, "B")), ask_within=0.1)
    assert scored(statuses(False, True), rubric).decision == "fail"


def test_passes_and_fails_near_the_pass_mark_may_have_gray_zones_of_different_width() -> None:
    """Passes within 0.2 of the mark and every fail go to a person; a failed required criterion is a fail."""
    scale = Scale.numbered(0, 10)
    rubric = Rubric((Criterion(1, "A", scale=scale),), pass_mark=0.6, ask_within=GrayZone(passes=0.2, fails=math.inf))
    levels = (2.0, 5.0, 6.0, 8.0, 10.0)
    assert [scored({"c1": Verdict("c1", level)}, rubric).decision for level in levels] == ["ask"] * 4 + ["pass"]
    none = replace(rubric, ask_within=GrayZone(passes=0.2, fails=0.0))
    decisions = [scored({"c1": Verdict("c1", level)}, none).decision for level in levels]
    assert decisions == ["fail", "fail", "ask", "ask", "pass"]
    required = Rubric((Criterion(1, "A", required=True), Criterion(9, "B")), ask_within=GrayZone(0.0, math.inf))
    assert scored(statuses(False, True), required).decision == "ask"
    assert scored(statuses(True, True), required).decision == "pass"


# --- probabilities --------------------------------------------------------------------------------------------------


def with_probabilities(case: dict[str, Any]) -> tuple[Rubric, dict[str, Outcome]]:
    criteria = [
        Criterion(
            weight,
            f"R{place}",
            f"c{place}",
            YES_NO if len(p) == 2 else Scale.numbered(1, len(p)),
            required=place in case["required"],
        )
        for place, (weight, p) in enumerate(zip(case["weights"], case["probabilities"], strict=True))
    ]
    rubric = Rubric(tuple(criteria), pass_mark=case["pass_mark"])
    outcomes: dict[str, Outcome] = {
        criterion.name: Verdict(criterion.name, most_probable(tuple(p), criterion), probabilities=tuple(p))
        for criterion, p in zip(criteria, case["probabilities"], strict=True)
    }
    return rubric, outcomes


@pytest.mark.parametrize("case", CHANCES, ids=lambda case: case["case"])
def test_the_chance_that_a_response_passes_is_the_total_chance_of_all_combinations_of_levels_that_pass(
    case: dict[str, Any],
) -> None:
    rubric, outcomes = with_probabilities(case)
    assert chance_of_passing(outcomes, rubric) == pytest.approx(case["expect"], abs=1e-9)


@pytest.mark.parametrize(
    ("chance", "passes", "certainty"), [(0.93, True, 0.93), (0.07, False, 0.93), (0.46, True, 0.46)]
)
def test_the_certainty_of_a_decision_is_the_probability_of_the_decision_even_if_that_is_below_one_half(
    chance: float, passes: bool, certainty: float
) -> None:
    assert certainty_of(chance, 0.0, yes_no(1), passed=passes) == pytest.approx(certainty)


def test_without_probabilities_the_certainty_of_a_decision_is_the_score_s_distance_from_the_pass_mark() -> None:
    score = scored({"c1": Verdict("c1", 1.0), "c2": Verdict("c2", 0.0)}, yes_no(3, 1))
    assert score.chance is None
    assert score.certainty == pytest.approx(0.25)


def test_the_chance_of_passing_takes_checks_by_code_as_certain_and_leaves_out_criteria_that_do_not_apply() -> None:
    rubric = Rubric((Criterion(1, "A", "a", check="json_valid"), Criterion(1, "B", "b"), Criterion(5, "C", "c")))
    outcomes: dict[str, Outcome] = {
        "a": Verdict("a", 0.0),
        "b": Verdict("b", 1.0, probabilities=(0.3, 0.7)),
        "c": NotApplicable("c"),
    }
    assert chance_of_passing(outcomes, rubric) == pytest.approx(0.7)


@pytest.mark.parametrize("missing", [Abstention("c2"), Unread("c2", "?"), Verdict("c2", 1.0)])
def test_the_chance_of_passing_is_unknown_unless_every_criterion_has_probabilities(missing: Outcome) -> None:
    outcomes = {"c1": Verdict("c1", 1.0, probabilities=(0.1, 0.9)), "c2": missing}
    assert chance_of_passing(outcomes, yes_no(1, 1)) is None


@pytest.mark.proof
def test_with_even_odds_on_twenty_criteria_of_uneven_weights_the_chance_of_passing_is_one_half() -> None:
    rubric = yes_no(*(1 + math.sqrt(place) for place in range(20)))
    even: dict[str, Outcome] = {c.name: Verdict(c.name, 0.0, probabilities=(0.5, 0.5)) for c in rubric.criteria}
    chance = chance_of_passing(even, rubric)
    assert chance == pytest.approx(0.5, abs=1e-3)  # by symmetry, and no sum is exactly at the mark
