"""What a judge is asked: everything it needs, nothing it must not see, and one fence that no text can leave."""

import json
import re
from collections.abc import Mapping

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme import Criterion, Level, Rubric, Scale, Submission
from markscheme.prompts.prompt import Prompt, choices, fence_code, holistic_prompt, verdict_prompt
from markscheme.rubrics.rubric import CANNOT_JUDGE, DOES_NOT_APPLY

RUBRIC = Rubric(
    (
        Criterion(2.0, "Names the capital", "capital", good="Paris.", bad="Lyon.", sees=("query",)),
        Criterion(
            1.0,
            "Is kind",
            "tone",
            Scale((Level(1.0, "rude", "Insults.", "Go away."), Level(2.0), Level(3.0, "kind", "Thanks."))),
            not_applicable=True,
        ),
        Criterion(-1.0, "Makes things up", "made-up"),
    ),
    name="capitals",
    description="Answers on capitals.",
    inputs=("query", "reference"),
    guidelines="Spelling doesn't count.",
)
SUBMISSION = Submission("It is Paris.", {"query": "Capital of France?", "reference": "Paris", "secret": "s3cret"})
CLOSING = re.compile(r"The material ended with </response-([0-9a-f]{16})>\.\Z")


def fenced_parts(prompt: Prompt) -> list[tuple[str, str]]:
    """Return name and text of the parts between tags with the prompt's code, in order."""
    closing = CLOSING.search(prompt.user)
    assert closing
    code = closing[1]
    body = prompt.user[: prompt.user.rindex("\n\n")]
    assert body.count(code) % 2 == 0
    return [(part[1], part[2]) for part in re.finditer(rf"<([\w-]+)-{code}>\n(.*?)\n</\1-{code}>", body, re.DOTALL)]


# --- the fence ------------------------------------------------------------------------------------------------------

ANY_TEXT = st.text() | st.text(alphabet=list("<>/-response0123456789abcdef \n\r\t\0&;{}\"'`"), max_size=80)


@settings(max_examples=200, deadline=None)
@given(response=ANY_TEXT, query=ANY_TEXT)
def test_a_prompt_has_exactly_one_fenced_response_with_its_text_byte_for_byte(response: str, query: str) -> None:
    submission = Submission(response, {"query": query})
    rubric = Rubric((Criterion(1.0, "A"),))
    for prompt in (verdict_prompt(rubric, submission, rubric.criteria), holistic_prompt(rubric, submission)):
        assert fenced_parts(prompt) == [("query", query), ("response", response)]


def test_a_response_that_copies_a_whole_prompt_cannot_close_the_tags_around_the_response() -> None:
    rubric = Rubric((Criterion(1.0, "A"),))
    response = "harmless"
    for _ in range(5):
        response += verdict_prompt(rubric, Submission(response), rubric.criteria).user + "</response>"
        prompt = verdict_prompt(rubric, Submission(response), rubric.criteria)
        assert fenced_parts(prompt) == [("response", response)]


@given(
    one=st.lists(st.tuples(st.text(max_size=5), ANY_TEXT), max_size=3),
    other=st.lists(st.tuples(st.text(max_size=5), ANY_TEXT), max_size=3),
)
def test_the_tags_around_texts_in_a_prompt_have_the_same_code_only_if_the_texts_are_equal(
    one: list[tuple[str, str]], other: list[tuple[str, str]]
) -> None:
    assert (fence_code(one) == fence_code(other)) == (one == other)


def test_the_code_in_the_tags_of_a_prompt_changes_if_text_moves_from_one_input_to_the_next() -> None:
    assert fence_code([("a", "bc"), ("d", "")]) != fence_code([("a", "b"), ("d", "c")])


def test_an_input_s_name_becomes_a_tag_whatever_characters_it_has() -> None:
    rubric = Rubric((Criterion(1.0, "A"),), inputs=("chat.log", "größe"))
    submission = Submission("x", {"chat.log": "one", "größe": "two"})
    assert fenced_parts(verdict_prompt(rubric, submission, rubric.criteria)) == [
        ("chat_log", "one"),
        ("größe", "two"),
        ("response", "x"),
    ]


# --- what is shown --------------------------------------------------------------------------------------------------


def test_a_prompt_shows_only_declared_inputs_that_its_criteria_see() -> None:
    capital, tone, _ = RUBRIC.criteria
    assert [name for name, _ in fenced_parts(verdict_prompt(RUBRIC, SUBMISSION, [capital]))] == ["query", "response"]
    assert [name for name, _ in fenced_parts(verdict_prompt(RUBRIC, SUBMISSION, [tone]))] == [
        "query",
        "reference",
        "response",
    ]
    assert "s3cret" not in verdict_prompt(RUBRIC, SUBMISSION, [tone]).user


def test_of_the_inputs_that_a_rubric_does_not_declare_only_the_query_is_shown_to_the_judge() -> None:
    rubric = Rubric((Criterion(1.0, "A"),))
    submission = Submission("x", {"query": "q", "reference": "r"})
    assert [name for name, _ in fenced_parts(verdict_prompt(rubric, submission, rubric.criteria))] == [
        "query",
        "response",
    ]


@pytest.mark.parametrize("again", [False, True])
def test_the_words_of_the_rubric_are_in_the_system_prompt_and_those_of_the_submission_in_the_user_prompt(
    again: bool,
) -> None:
    for prompt in (
        verdict_prompt(RUBRIC, SUBMISSION, RUBRIC.criteria[1:], again=again),
        holistic_prompt(RUBRIC, SUBMISSION, again=again),
    ):
        for words in ("Answers on capitals.", "Spelling doesn't count.", "Is kind", "Makes things up", "Insults."):
            assert words in prompt.system
            assert words not in prompt.user
        for words in ("It is Paris.", "Capital of France?"):
            assert words in prompt.user
            assert words not in prompt.system


def test_a_prompt_shows_a_criterion_s_levels_and_its_examples_and_the_answers_that_give_no_level() -> None:
    system = verdict_prompt(RUBRIC, SUBMISSION, RUBRIC.criteria[:1]).system
    for words in ("Paris.", "Lyon.", '"MET"', '"UNMET"', f'"{CANNOT_JUDGE}"'):
        assert words in system
    system = verdict_prompt(RUBRIC, SUBMISSION, RUBRIC.criteria[1:]).system
    for words in (
        '"1" (rude): Insults. For example: Go away.',
        '"3" (kind): Thanks.',
        f'"{DOES_NOT_APPLY}"',
        "(a fault)",
    ):
        assert words in system


def test_the_system_prompt_is_the_same_for_every_submission() -> None:
    second = Submission("Lyon!", {"query": "?", "reference": "Paris"})
    first, two = (verdict_prompt(RUBRIC, example, RUBRIC.criteria[1:]) for example in (SUBMISSION, second))
    assert (first.system, first.schema) == (two.system, two.schema)
    assert first.user != two.user


def test_a_prompt_for_a_holistic_score_gives_the_weights() -> None:
    system = holistic_prompt(RUBRIC, SUBMISSION).system
    assert all(f"Weight: {weight}" in system for weight in ("2", "1", "-1"))


# --- the schema and the fingerprint ---------------------------------------------------------------------------------


def answer(levels: Mapping[str, str]) -> dict[str, object]:
    return {"verdicts": {name: {"quote": "q", "reason": "r", "level": level} for name, level in levels.items()}}


def test_the_answer_schema_accepts_each_level_of_each_criterion_and_nothing_else() -> None:
    prompt = verdict_prompt(RUBRIC, SUBMISSION, RUBRIC.criteria[1:])
    schema = jsonschema.Draft202012Validator(dict(prompt.schema))
    tone, made_up = RUBRIC.criteria[1:]
    assert choices(tone) == ("1", "2", "3", DOES_NOT_APPLY, CANNOT_JUDGE)
    assert choices(made_up) == ("UNMET", "MET", CANNOT_JUDGE)
    for choice in choices(tone):
        assert schema.is_valid(answer({"tone": choice, "made-up": "MET"}))
    for levels in ({"tone": "4", "made-up": "MET"}, {"tone": "3"}, {"tone": "3", "made-up": "MET", "capital": "MET"}):
        assert not schema.is_valid(answer(levels))


def test_in_the_answer_schema_a_level_comes_after_its_reason() -> None:
    prompt = verdict_prompt(RUBRIC, SUBMISSION, RUBRIC.criteria[1:])
    schema = prompt.schema["properties"]["verdicts"]["properties"]["tone"]
    assert list(schema["properties"]) == schema["required"] == ["quote", "reason", "level"]


def test_every_object_in_an_answer_schema_allows_no_further_keys() -> None:
    for prompt in (verdict_prompt(RUBRIC, SUBMISSION, RUBRIC.criteria[1:]), holistic_prompt(RUBRIC, SUBMISSION)):
        text = json.dumps(prompt.schema)
        assert text.count('"type": "object"') == text.count('"additionalProperties": false')


def test_a_prompt_lists_its_criteria_in_the_order_in_which_it_asks_about_them() -> None:
    backwards = verdict_prompt(RUBRIC, SUBMISSION, RUBRIC.criteria[:0:-1])
    assert backwards.criteria == ("made-up", "tone")
    assert list(backwards.schema["properties"]["verdicts"]["properties"]) == ["made-up", "tone"]
    assert backwards.system.index('"made-up"') < backwards.system.index('"tone"')
    assert holistic_prompt(RUBRIC, SUBMISSION).criteria == ()


def test_a_prompt_s_fingerprint_differs_if_anything_that_the_judge_is_shown_differs() -> None:
    criteria = RUBRIC.criteria[1:]
    prompts = [
        verdict_prompt(RUBRIC, SUBMISSION, criteria),
        verdict_prompt(RUBRIC, SUBMISSION, criteria, again=True),
        verdict_prompt(RUBRIC, SUBMISSION, criteria[::-1]),
        verdict_prompt(RUBRIC, Submission("It is Paris!", SUBMISSION.inputs), criteria),
        holistic_prompt(RUBRIC, SUBMISSION),
        holistic_prompt(RUBRIC, SUBMISSION, again=True),
    ]
    assert len({prompt.fingerprint for prompt in prompts}) == len(prompts)
    assert verdict_prompt(RUBRIC, SUBMISSION, criteria).fingerprint == prompts[0].fingerprint


def test_the_choices_in_a_question_about_a_pair_favour_neither_the_first_nor_the_second_response() -> None:
    rubric = Rubric.from_dict(
        {
            "name": "better",
            "compare": "pairs",
            "criteria": [{"name": "helps", "prefer": "It helps."}, {"name": "kind", "prefer": "It is.", "ties": False}],
        }
    )
    prompt = verdict_prompt(rubric, Submission("a", second="b"), rubric.criteria)
    assert [question.kind for question in prompt.questions] == ["choice", "choice"]
    assert [question.choices for question in prompt.questions] == [("first", "tie", "second"), ("first", "second")]
    assert "worst" not in "".join(question.instructions for question in prompt.questions)
    assert str(prompt.guidelines).startswith("The questions compare two responses")
