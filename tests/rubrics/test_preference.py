"""Rubrics of pairs: their keys, their scale, and the keys they can't have."""

import pytest

from markscheme.errors import RubricError
from markscheme.rubrics.preference import preference_scale, preferred, signed
from markscheme.rubrics.rubric import Level, Rubric, Scale

PAIRS = """
name: better-reply
compare: pairs
inputs: [query]
criteria:
  - {name: helps, prefer: The reply that gets the customer further., weight: 2}
  - {name: tone, prefer: The reply that reads kinder., weight: 1, ties: false}
"""


def test_a_criterion_for_pairs_has_the_levels_first_and_second_and_optionally_a_tie() -> None:
    rubric = Rubric.from_yaml(PAIRS)
    helps, tone = (criterion.scale for criterion in rubric.criteria)
    assert (helps.choices, helps.values) == (("first", "tie", "second"), (-1.0, 0.0, 1.0))
    assert (tone.choices, tone.values) == (("first", "second"), (-1.0, 1.0))
    assert helps.mirrored
    assert rubric.is_of_pairs


def test_pairs_of_responses_have_a_score_and_neither_pass_nor_fail() -> None:
    rubric = Rubric.from_yaml(PAIRS)
    assert rubric.has_score
    assert not rubric.decides


def test_the_levels_of_a_preference_between_two_responses_may_have_other_descriptions() -> None:
    reworded = PAIRS.replace("weight: 2}", 'weight: 2, levels: [{value: 0, description: "Both help as much."}]}')
    scale = Rubric.from_yaml(reworded).criteria[0].scale
    assert [level.description for level in scale.levels][1] == "Both help as much."
    assert scale.choices == ("first", "tie", "second")


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("compare: pairs\n", "", "say `compare: pairs`"),
        ("weight: 1, ties", "weight: -1, ties", "is below 0"),
        ("weight: 2}", "weight: 2, required: true}", "is about one response"),
        ("weight: 2}", "weight: 2, check: json_valid}", "is about one response"),
        ("weight: 2}", "weight: 2, scale: binary}", "leave out scale"),
        ("weight: 2}", "weight: 2, requirement: It helps.}", "leave out the other"),
        ("weight: 2}", "weight: 2, levels: [{value: 2, description: Much better.}]}", "levels of a preference are"),
        ("compare: pairs", "compare: pairs\nstrategy: holistic", "pairs are asked by one_shot or per_criterion"),
        ("compare: pairs", "compare: pairs\ntie_within: 1", "tie_within"),
        ("compare: pairs", "compare: pairs\nmax_false_pass: 0.1", "neither pass nor fail"),
        ("compare: pairs", "compare: pair", "compare is 'responses' or 'pairs'"),
        ("prefer: The reply that reads kinder.", "requirement: The reply is kind.", "says what to `prefer`"),
    ],
)
def test_keys_that_a_rubric_for_pairs_of_responses_cannot_have_are_refused(
    before: str, after: str, problem: str
) -> None:
    assert before in PAIRS
    with pytest.raises(RubricError, match=problem):
        Rubric.from_yaml(PAIRS.replace(before, after))


def test_settings_on_how_pairs_of_responses_are_compared_are_part_of_the_rubric_s_fingerprint() -> None:
    plain = Rubric.from_yaml(PAIRS)
    wider = Rubric.from_yaml(PAIRS.replace("compare: pairs", "compare: pairs\ntie_within: 0.2"))
    assert plain.fingerprint != wider.fingerprint


def test_a_scale_of_preferences_is_refused_if_its_levels_do_not_mirror_each_other() -> None:
    with pytest.raises(RubricError, match="mirror each other"):
        Scale((Level(-1.0, "first"), Level(0.5, "second")), mirrored=True)


def test_a_pair_s_score_near_the_middle_of_the_scale_is_read_as_a_tie() -> None:
    assert [preferred(position, tie_within=0.2) for position in (0.0, 0.39, 0.4, 0.6, 0.61)] == [
        "first",
        "first",
        "tie",
        "tie",
        "second",
    ]
    assert signed(0.75) == 0.5


def test_an_even_split_on_which_of_two_responses_is_better_gives_no_level_if_the_criterion_has_no_tie() -> None:
    assert preference_scale(ties=False).halves_decide_nothing
    assert not preference_scale().halves_decide_nothing
