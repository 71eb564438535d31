"""Advice on rubrics: ambiguous wording, and weights that don't have the effect they seem to have."""

from pathlib import Path
from typing import Any, get_args

import pytest

from markscheme import Rubric, load_rubric
from markscheme.rubrics.advice import Code, advice

ROOT = Path(__file__).parents[2]
ANCHORED = [{"value": value, "description": f"Like {value}."} for value in (1, 2, 3)]
PLAIN = {"name": "plain", "requirement": "The reply names a date."}


def codes_of(*criteria: dict[str, Any], **top: Any) -> list[tuple[str, str | None]]:
    return [
        (advice_line.code, advice_line.criterion)
        for advice_line in advice(Rubric.from_dict({"criteria": list(criteria), **top}))
    ]


def codes_of_criterion(**keys: Any) -> list[str]:
    return [code for code, _ in codes_of({"name": "it", **keys})]


def test_a_plain_rubric_gets_no_advice() -> None:
    assert codes_of(PLAIN, {"name": "other", "description": "How the tone is", "levels": ANCHORED}) == []


@pytest.mark.parametrize("name", ["agent-task", "api-design", "code-quality", "documentation", "error-messages"])
def test_there_is_no_advice_on_the_shipped_rubrics(name: str) -> None:
    assert advice(load_rubric(ROOT / "rubrics" / f"{name}.yaml")) == []


# one step of one criterion is exactly .1 at a share of .1 (yes/no), .2 (3 levels), .3 (4), .4 (5) and .5 (6)
@pytest.mark.parametrize(("levels", "share"), [(2, 0.1), (3, 0.2), (4, 0.3), (5, 0.4), (6, 0.5)])
def test_advice_names_criteria_where_an_error_of_one_level_or_half_a_level_equals_the_tolerance_exactly(
    levels: int, share: float
) -> None:
    anchors = [{"value": value, "description": f"Like {value}."} for value in range(levels)]
    rest = {"name": "rest", "requirement": "The reply names a date.", "weight": 1 - share}
    of = {"name": "it", "description": "How the tone is", "levels": anchors}
    for weight in (share, 2 * share):
        criteria = [{**of, "weight": weight}, {**rest, "weight": 1 - weight}] if weight < 1 else [of]
        advised = [line for line in advice(Rubric.from_dict({"criteria": criteria})) if line.criterion == "it"]
        (tie,) = [line for line in advised if line.code == "tie"]
        assert "0.11" in tie.message
        assert "0.09" in tie.message
        for tolerance in (0.11, 0.09):
            calm = advice(Rubric.from_dict({"criteria": criteria, "tolerance": tolerance}))
            assert "tie" not in [line.code for line in calm]


def test_advice_that_one_step_equals_the_tolerance_ignores_the_weight_of_categories_without_values() -> None:
    faults = [{"name": "rude", "requirement": "The reply insults.", "weight": -1}]
    faults += [{"name": "lies", "requirement": "The reply lies.", "weight": -3}]
    topic = {"name": "topic", "requirement": "The topic.", "scale_type": "nominal"}
    options = [{"label": "billing"}, {"label": "other"}]
    assert ("tie", "rude") in codes_of(*faults, {**topic, "options": options}, tolerance=0.25)


def test_advice_says_that_an_error_limit_of_zero_can_never_be_shown_to_hold() -> None:
    assert codes_of(PLAIN, max_false_pass=0.1, max_false_fail=0.05) == []
    assert codes_of(PLAIN, max_false_pass=0) == [("unreachable-limit", None)]


@pytest.mark.parametrize(
    "words", ["The text is good", "Well-written prose", "An appropriate tone", "Proper style", "Reasonably short"]
)
def test_words_that_everybody_understands_differently_are_reported_as_vague(words: str) -> None:
    assert codes_of_criterion(requirement=words) == ["vague"]
    assert codes_of_criterion(requirement=words, levels=ANCHORED) == []


@pytest.mark.parametrize("words", ["Names the goods", "Greater than 5", "It is inappropriate"])
def test_a_word_that_only_contains_a_vague_word_such_as_goods_or_greater_gets_no_advice(words: str) -> None:
    assert codes_of_criterion(requirement=words) == []


def test_a_yes_or_no_criterion_with_two_conditions_is_reported_as_double_barrelled() -> None:
    assert codes_of_criterion(requirement="It is short and names a date") == ["double-barrelled"]
    assert codes_of_criterion(requirement="It is short and names a date", levels=ANCHORED) == []


def test_a_criterion_with_three_or_more_conditions_is_advised_to_be_split_up() -> None:
    assert codes_of_criterion(requirement="It is short and names a date and a place") == ["split-up"]
    assert codes_of_criterion(requirement="It names a date, a place, a person and an hour") == ["split-up"]


def test_levels_without_descriptions_are_reported_as_unanchored() -> None:
    assert codes_of_criterion(description="How the tone is") == ["unanchored"]
    assert codes_of_criterion(description="How the tone is", scale={"min": 1, "max": 3}, levels=ANCHORED[:1]) == []


@pytest.mark.parametrize("highest", [8, 10, 100])
def test_missing_descriptions_are_not_reported_on_a_scale_with_many_levels(highest: int) -> None:
    keys: dict[str, Any] = {"description": "How the tone is", "scale": {"min": 1, "max": highest}}
    assert codes_of_criterion(**keys) == codes_of_criterion(**keys, levels=ANCHORED) == ["too-many-levels"]
    described = [{"value": value, "description": "."} for value in range(1, highest + 1)]
    assert codes_of_criterion(**keys, levels=described) == []


@pytest.mark.parametrize(
    ("words", "other"),
    [
        ("The answer is correct", "The answer is factually correct"),
        ("The response cites its sources", "Sources are cited in the response"),
        ("The text is easy to read", "The text is easy to read and understand quickly"),
        ("It is clear", "It is not clear"),
    ],
)
def test_two_criteria_with_the_same_words_are_reported_as_counted_twice(words: str, other: str) -> None:
    criteria = [{"name": "a", "requirement": words}, {"name": "b", "requirement": other}]
    assert ("overlapping", "b") in codes_of(*criteria)
    assert ("overlapping", "a") not in codes_of(*criteria)


@pytest.mark.parametrize(
    ("words", "other"),
    [
        ("The reply is polite", "The reply is short"),
        ("Names the capital of France", "Names the largest city of France"),
        ("States the risk of bleeding", "States the risk of infection"),
        ("Uses correct grammar", "Uses correct spelling"),
        ("Is it so?", "Is it not?"),
    ],
)
def test_two_criteria_that_only_begin_with_the_same_words_are_not_reported_as_duplicates(
    words: str, other: str
) -> None:
    assert codes_of({"name": "a", "requirement": words}, {"name": "b", "requirement": other}) == []


@pytest.mark.parametrize(
    ("weights", "pass_mark", "decides"),
    [
        ((8, 1, 1), 0.5, True),
        ((3, 1), 0.7, True),
        ((1, 1), 0.5, False),
        ((5, 1, 1), 0.9, False),
        ((5,), 0.5, False),
        ((3, -1), 0.7, False),
    ],
)
def test_advice_names_a_criterion_that_alone_decides_whether_a_response_passes(
    weights: tuple[float, ...], pass_mark: float, decides: bool
) -> None:
    words = ["Names a date", "Greets by name", "Ends politely"]
    criteria = [
        {"name": f"n{place}", "requirement": words[place], "weight": weight} for place, weight in enumerate(weights)
    ]
    assert (("one-decides", "n0") in codes_of(*criteria, passingThreshold=pass_mark)) is decides


def test_a_fault_whose_weight_reaches_the_sum_of_the_positive_weights_gets_the_advice_to_make_it_required() -> None:
    fault = {"name": "fault", "requirement": "Insults the reader"}
    assert ("outweighed", "fault") in codes_of(PLAIN, {**fault, "weight": -1})
    assert ("outweighed", "fault") not in codes_of(PLAIN, {**fault, "weight": -0.5})
    assert codes_of({**fault, "weight": -1}) == []


@pytest.mark.parametrize(
    ("words", "is_negated"),
    [
        ("Doesn't blame a person.", True),
        ("The reply does not promise a date.", True),
        ("Avoids jargon.", True),
        ("The answer contains no invented fact.", True),
        ("Blames a person.", False),
        ("The summary states something the ticket doesn't say.", False),
        ("Says that it is not known.", False),
        ("Promises something without saying on what it depends.", False),
    ],
)
def test_a_criterion_worded_as_something_to_avoid_gets_advice_only_if_its_weight_is_negative(
    words: str, is_negated: bool
) -> None:
    fault = {"name": "fault", "requirement": words, "weight": -0.5}
    assert (("negated-fault", "fault") in codes_of(PLAIN, fault)) is is_negated
    assert ("negated-fault", "fault") not in codes_of(PLAIN, {**fault, "weight": 0.6})


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ({"threshold": 0.0}, "never-fails"),
        ({"threshold": 0.0, "weight": -1}, "never-fails"),
        ({"threshold": 0.0, "check": "json_valid"}, "never-fails"),
        ({"threshold": 0.4, "options": [{"label": "x", "value": 0.4}, {"label": "y", "value": 1}]}, "never-fails"),
        ({"options": [{"label": "x", "value": 0}, {"label": "y", "value": 0.4}]}, "always-fails"),
    ],
)
def test_a_required_criterion_that_always_or_never_fails_is_reported(keys: dict[str, Any], code: str) -> None:
    assert codes_of_criterion(requirement="Names a date", required=True, **keys) == [code]
    assert codes_of_criterion(requirement="Names a date", **keys) == []
    assert codes_of_criterion(requirement="Names a date", required=True) == []


def test_a_pass_mark_of_0_gets_advice_since_every_response_passes() -> None:
    assert codes_of(PLAIN, passingThreshold=0.0) == [("never-fails", None)]


def test_there_is_no_advice_on_the_words_of_criteria_decided_by_code() -> None:
    assert codes_of_criterion(requirement="The text is good and short and nice", check="json_valid") == []


def test_every_kind_of_advice_is_tested_in_this_file() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [code for code in get_args(Code) if f'"{code}"' not in text] == []


def test_lint_gives_no_advice_on_a_criterion_that_outweighs_all_others_in_a_rubric_of_pairs() -> None:
    helps = {"name": "helps", "prefer": "The reply that gets the customer further.", "weight": 2}
    tone = {"name": "tone", "prefer": "The reply that reads kinder.", "weight": 1}
    assert codes_of(helps, tone, compare="pairs", inputs=["query"]) == []
