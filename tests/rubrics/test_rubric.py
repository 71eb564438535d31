"""Validation and properties of rubrics, criteria and scales."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme import Criterion, Level, Rubric, RubricError, Scale
from markscheme.errors import UsageError
from markscheme.rubrics.gray_zone import GrayZone
from markscheme.rubrics.rubric import YES_NO

ONE = Criterion(1.0, "Mentions Paris")
CATEGORY = Criterion(1.0, "Which kind?", scale=Scale.of_categories(["praise", "blame"]))


# --- scales ---------------------------------------------------------------------------------------------------------


@given(lowest=st.integers(-50, 50), steps=st.integers(1, 40), place=st.floats(0, 1))
def test_a_level_s_position_on_a_numbered_scale_runs_from_0_for_the_worst_to_1_for_the_best(
    lowest: int, steps: int, place: float
) -> None:
    scale = Scale.numbered(lowest, lowest + steps)
    assert (scale.position(lowest), scale.position(lowest + steps)) == (0, 1)
    level = min(lowest + steps, lowest + place * steps)
    assert 0 <= scale.position(level) <= 1
    assert scale.position(level) == pytest.approx(place, abs=1e-9)


@pytest.mark.parametrize(("position", "level"), [(0.0, 0.2), (0.5, 0.5), (1.0, 0.8)])
def test_a_position_below_0_or_above_1_gives_the_lowest_or_highest_level(position: float, level: float) -> None:
    scale = Scale((Level(0.2, "poor"), Level(0.8, "fine")), by_label=True)
    assert scale.at(position) == level


def test_a_half_level_has_a_position_on_its_scale_and_a_level_off_the_scale_has_none() -> None:
    scale = Scale.numbered(1, 5)
    assert scale.position(2.5) == 0.375
    for level in (0.999, 5.001, -math.inf, math.nan):
        with pytest.raises(ValueError, match="outside the scale 1 to 5"):
            scale.position(level)


def test_yes_or_no_is_a_scale_of_two_levels() -> None:
    assert YES_NO.is_yes_no
    assert YES_NO.choices == ("UNMET", "MET")
    assert (YES_NO.position(0), YES_NO.position(1)) == (0, 1)
    assert not Scale.numbered(0, 1).is_yes_no


@pytest.mark.parametrize(
    ("levels", "keys", "problem"),
    [
        ([], {}, "at least two levels, found 0"),
        ([1], {}, "at least two levels, found 1"),
        ([2, 1], {}, "worst first"),
        ([1, 1], {}, "worst first"),
        ([1, 1], {"ordered": False}, "decides nothing"),
        ([0, 2], {"by_label": True}, "its position, from 0 to 1"),
        ([-1.7e308, 1.7e308], {}, "a finite number from -1e\\+09 to 1e\\+09"),
    ],
)
def test_a_scale_is_refused_whose_levels_are_too_few_or_out_of_order_or_out_of_range(
    levels: list[float], keys: dict[str, Any], problem: str
) -> None:
    with pytest.raises(RubricError, match=problem):
        Scale(tuple(Level(float(value)) for value in levels), **keys)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_level_of_a_scale_whose_value_is_not_a_finite_number_is_refused(value: float) -> None:
    with pytest.raises(RubricError, match="finite"):
        Level(value)


def test_levels_that_are_chosen_by_name_may_have_names_that_look_like_numbers() -> None:
    scale = Scale((Level(0.0, "1"), Level(0.5, "2"), Level(1.0, "3")), by_label=True)
    assert scale.choices == ("1", "2", "3")


# --- criteria -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "pass_mark",
        "tolerance",
        "target",
        "samples",
        "tie_within",
        "orders",
        "criteria_per_call",
        "core_share",
        "max_false_pass",
        "max_false_fail",
        "max_false_credit",
        "max_missed_credit",
    ],
)
def test_a_text_in_place_of_a_number_in_a_rubric_is_refused_and_the_error_names_the_argument(name: str) -> None:
    with pytest.raises(RubricError, match=f"^{name} must be a number, found '0.5'$"):
        Rubric((Criterion(1.0, "Mentions Paris"),), **{name: "0.5"})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["pass_mark", "samples"])
def test_a_rubric_s_pass_mark_and_number_of_samples_cannot_be_none(name: str) -> None:
    with pytest.raises(RubricError, match=f"^{name} must be a number, found None$"):
        Rubric((Criterion(1.0, "Mentions Paris"),), **{name: None})  # type: ignore[arg-type]


@pytest.mark.parametrize("weight", [0, 0.0, -0.0, math.nan, math.inf, -math.inf, True, "3", None, [1]])
def test_a_weight_that_is_0_or_not_a_finite_number_is_refused(weight: Any) -> None:
    with pytest.raises(RubricError, match="weight must be a"):
        Criterion(weight=weight, requirement="A")


@pytest.mark.parametrize("requirement", ["", "  \n", None, 5])
def test_a_criterion_whose_requirement_is_empty_or_not_a_text_is_refused(requirement: Any) -> None:
    with pytest.raises(RubricError, match="says in words"):
        Criterion(weight=1.0, requirement=requirement)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, math.nan])
def test_a_threshold_outside_0_to_1_is_refused(threshold: float) -> None:
    with pytest.raises(RubricError, match="threshold is a position"):
        Criterion(1.0, "A", threshold=threshold)


def test_all_faults_of_a_criterion_are_reported_at_once() -> None:
    with pytest.raises(RubricError) as refused:
        Criterion(weight=0, requirement="", threshold=2)
    assert len(refused.value.faults) == 3


@given(position=st.floats(0, 1), threshold=st.floats(0, 1))
def test_a_negative_criterion_passes_at_a_position_exactly_if_a_positive_one_passes_at_the_mirrored_position(
    position: float, threshold: float
) -> None:
    merit, fault = Criterion(1.0, "A", threshold=threshold), Criterion(-1.0, "A", threshold=threshold)
    assert merit.merit(position) == position
    assert fault.merit(position) == 1 - position
    assert fault.passes(position) == merit.passes(1 - position)


def test_a_positive_criterion_passes_from_its_threshold_up_and_a_fault_from_the_mirrored_threshold_down() -> None:
    assert Criterion(1.0, "A", threshold=0.75).passes(0.75)
    assert not Criterion(1.0, "A", threshold=0.75).passes(0.74)
    assert Criterion(-1.0, "A", threshold=0.75).passes(0.25)
    assert not Criterion(-1.0, "A", threshold=0.75).passes(0.26)


def test_the_fingerprint_of_a_criterion_changes_with_its_words_and_scale_only() -> None:
    assert replace(ONE, weight=7.0, required=True, threshold=0.9).fingerprint == ONE.fingerprint
    for changed in (
        replace(ONE, requirement="Mentions Rome"),
        replace(ONE, scale=Scale.numbered(1, 5)),
        replace(ONE, good="Paris."),
        replace(ONE, not_applicable=True),
    ):
        assert changed.fingerprint != ONE.fingerprint


# --- rubrics --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"criteria": ()}, "at least one criterion"),
        ({"criteria": (replace(ONE, name="a"), replace(ONE, name="a"))}, "2 criteria are named 'a'"),
        ({"pass_mark": 1.1}, "passingThreshold"),
        ({"pass_mark": math.nan}, "passingThreshold"),
        ({"strategy": "guess"}, "strategy is one of one_shot"),
        ({"samples": 0}, "samples is a whole number from 1"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"target": 1.5}, "target"),
        ({"ask_within": -0.1}, "ask_within"),
        ({"ask_within": GrayZone(0.1, 1.5)}, "ask_within is a distance in score from 0 to 1, found 1.5"),
        ({"criteria": (CATEGORY,), "ask_within": 0.1}, "categories have no score"),
        ({"criteria": (CATEGORY,), "ask_within": GrayZone(0.0, math.inf)}, "categories have no score"),
        ({"inputs": ("response",)}, "leave out 'response'"),
        ({"inputs": ("a", "a")}, "names 'a' 2 times"),
        ({"criteria": (replace(ONE, sees=("context",)),)}, "sees 'context', which is not among"),
        ({"criteria": (replace(ONE, weight=1e308), replace(ONE, weight=1e308))}, "more than a number can hold"),
        ({"criteria": (replace(ONE, check="x"),), "strategy": "holistic"}, "runs no check"),
        (
            {"criteria": (replace(ONE, name="a", required=True),), "strategy": "holistic"},
            "cannot tell whether 'a' fails: it is required",
        ),
        (
            {"criteria": (replace(ONE, sees=()),), "strategy": "holistic"},
            "shows all inputs at once, and 'c1' is to see only some",
        ),
    ],
)
def test_a_rubric_with_an_invalid_value_or_with_values_that_contradict_each_other_is_refused(
    keys: dict[str, Any], problem: str
) -> None:
    with pytest.raises(RubricError, match=problem):
        Rubric(**{"criteria": (ONE,), **keys})


def test_criteria_without_names_are_numbered() -> None:
    rubric = Rubric((ONE, replace(ONE, name="style"), ONE))
    assert [criterion.name for criterion in rubric.criteria] == ["c1", "style", "c3"]
    assert rubric.criterion("style") is rubric.criteria[1]
    with pytest.raises(KeyError):
        rubric.criterion("tone")


def test_a_rubric_can_be_built_from_a_list_of_criteria_as_in_the_python_package_named_rubric() -> None:
    listed = Rubric([Criterion(weight=10.0, requirement="A"), Criterion(weight=-5.0, requirement="B")])  # type: ignore[arg-type]
    assert listed == Rubric.from_dict([{"weight": 10.0, "requirement": "A"}, {"weight": -5.0, "requirement": "B"}])
    assert listed.rubric == list(listed.criteria)
    assert listed.positive_weight == 10


@pytest.mark.parametrize(
    ("weights", "of_category", "whole"), [((2.0, -1.0), 5.0, 2.0), ((-2.0, -1.0), 5.0, 3.0), ((), 5.0, 5.0)]
)
def test_the_whole_weight_is_that_of_positive_criteria_or_if_there_are_none_that_of_faults_or_of_categories(
    weights: tuple[float, ...], of_category: float, whole: float
) -> None:
    category = Criterion(of_category, "what it is", scale=Scale.of_categories(("answer", "refusal")))
    assert Rubric((*(replace(ONE, weight=weight) for weight in weights), category)).whole_weight == whole


def test_only_the_query_is_shown_if_a_rubric_declares_no_inputs() -> None:
    assert Rubric((ONE,)).shown_to(ONE) == ("query",)
    declared = Rubric((replace(ONE, name="a", sees=("reference",)), ONE), inputs=("query", "reference"))
    assert declared.shown_to(declared.criteria[0]) == ("reference",)
    assert declared.shown_to(declared.criteria[1]) == ("query", "reference")


def test_the_fingerprint_of_a_rubric_changes_with_everything_that_affects_a_score() -> None:
    rubric = Rubric((ONE,))
    for changed in (
        Rubric((replace(ONE, weight=2.0),)),
        Rubric((replace(ONE, required=True),)),
        Rubric((replace(ONE, threshold=0.6),)),
        replace(rubric, pass_mark=0.6),
        replace(rubric, strategy="per_criterion"),
        replace(rubric, samples=3),
        replace(rubric, guidelines="Be fair."),
    ):
        assert changed.fingerprint != rubric.fingerprint
    assert replace(rubric, judge={"name": "anthropic"}).fingerprint == rubric.fingerprint
    assert Rubric((replace(ONE, weight=1),)).fingerprint == rubric.fingerprint


# --- values that aren't criteria ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    ["Mentions Paris", ["Mentions Paris"], {"criteria": ["Mentions Paris"]}, [{"requirement": "x"}], None, ONE],
)
def test_a_rubric_built_from_values_that_are_not_criteria_is_refused_with_the_name_of_the_function_to_use(
    value: Any,
) -> None:
    with pytest.raises(RubricError, match=r"takes Criterion objects, got .*Rubric\.from_dict reads a dict or list"):
        Rubric(value)


@pytest.mark.parametrize("read", [Rubric.from_yaml, Rubric.from_json])
@pytest.mark.parametrize("value", [{}, [], None, Path("r.yaml")])
def test_rubric_text_that_is_not_a_string_is_refused_and_the_error_names_functions_that_read_it(
    read: Callable[[Any], Rubric], value: Any
) -> None:
    with pytest.raises(UsageError, match=r"text is a str, got .*from_dict reads a dict or list, .*load_rubric a file"):
        read(value)
