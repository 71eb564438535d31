"""Responses and their inputs."""

import asyncio
import math
from collections.abc import Callable
from contextlib import closing
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme import Criterion, Grader, Rubric, ScriptedJudge, Submission, grade
from markscheme.assert_grade import AssertGrade, Background
from markscheme.errors import SubmissionError, UsageError
from markscheme.promptfoo.assertion import get_assert
from markscheme.prompts.submission import NO_RESPONSE, as_text, metadata_of, submission_of
from markscheme.sockets.trl import rubric_reward
from markscheme.text import encodable

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(text=ANY_TEXT)
def test_any_text_can_be_sent_to_a_judge_and_stored(text: str) -> None:
    mended = encodable(text)
    assert mended.encode("utf-8").decode("utf-8") == mended
    assert encodable(mended) == mended


@given(text=st.text())
def test_text_without_lone_surrogates_is_kept_to_the_letter(text: str) -> None:
    assert Submission(text, {"query": text}).response == text
    assert Submission(text, {"query": text}).inputs["query"] == text


def test_a_lone_surrogate_in_a_response_is_replaced() -> None:
    assert Submission("a\ud800b").response == "a\ufffdb"


def test_an_input_that_is_null_counts_as_missing() -> None:
    assert Submission("x", {"query": None}).inputs == {}


# --- data that is not text ------------------------------------------------------------------------------------------


class Picture:
    """Object of a class that the user defined."""


MESSAGES = [{"role": "user", "content": "Größe?"}]
ACCEPTED = "accepted are text, numbers, booleans, lists, mappings and traces"
ITSELF: list[Any] = []
ITSELF.append(ITSELF)
REFUSED = {
    "bytes": (b"\x89PNG", "is a bytes object"),
    "an object": (Picture(), "is a Picture object"),
    "a set": ({1}, "is a set object"),
    "a complex number": (1j, "is a complex object"),
    "a path": (Path("answer.md"), "object"),
    "an object in a list": ([{"content": Picture()}], "contains a Picture object"),
    "bytes in a trace": ({"spans": [{"spanId": "1", "output": b"x"}]}, "contains a bytes object"),
    "not a number": (math.inf, "is data that JSON can't express"),
    "a list with NaN": ([1.0, math.nan], "contains data that JSON can't express"),
    "an array with NaN": (np.array([math.nan]), "contains data that JSON can't express"),
    "keys that are not text": ({(1, 2): "x"}, "contains data that JSON can't express"),
    "a list that contains itself": (ITSELF, "contains data that JSON can't express"),
}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", ""),
        (0, "0"),
        (2.5, "2.5"),
        (False, "false"),
        ([], "[]"),
        ((1, 2), "[1, 2]"),
        (MESSAGES, '[{"role": "user", "content": "Größe?"}]'),
        (MappingProxyType({"a": 1}), '{"a": 1}'),
        ({"spans": [{"spanId": "1", "name": "search"}]}, '{"spans": [{"spanId": "1", "name": "search"}]}'),
        (np.int64(3), "3"),
        ([np.float32(0.5), np.bool_(True)], "[0.5, true]"),
        (np.array(["a", "b"]), '["a", "b"]'),
        ([Decimal("1.50"), Fraction(1, 4)], '["1.50", 0.25]'),
        ({"made": date(2026, 1, 31)}, '{"made": "2026-01-31"}'),
    ],
    ids=repr,
)
def test_a_response_that_is_a_list_or_a_mapping_or_a_number_is_shown_to_the_judge_as_json(
    value: Any, text: str
) -> None:
    submission = Submission(value, {"query": value})
    assert (submission.response, submission.inputs) == (text, {"query": text})
    assert as_text(value) == text
    assert submission_of({"response": value, "query": value}, 1).response == text


@pytest.mark.parametrize(("value", "fault"), REFUSED.values(), ids=REFUSED)
def test_a_response_or_input_of_an_unsupported_type_is_refused_and_the_accepted_types_are_named(
    value: Any, fault: str
) -> None:
    with pytest.raises(SubmissionError, match=rf"^the response .*{fault}.*; {ACCEPTED}$"):
        Submission(value)
    with pytest.raises(SubmissionError, match=rf"^input 'context' .*{fault}.*; {ACCEPTED}$"):
        Submission("x", {"context": value})


def test_nan_counts_as_an_empty_cell() -> None:
    inputs: dict[str, Any] = {"query": math.nan, "context": None, "n": 0.0, "k": np.float32("nan"), "a": np.array("x")}
    assert Submission("x", inputs).inputs == {"n": "0.0", "a": '"x"'}
    row = submission_of({"response": np.float64("nan"), "query": math.nan}, 1)
    assert (row.response, row.fault, row.inputs) == ("", NO_RESPONSE, {})
    response: Any = math.nan
    with pytest.raises(SubmissionError, match=f"the response is data that JSON can't express .*; {ACCEPTED}"):
        Submission(response)


# --- every door -----------------------------------------------------------------------------------------------------

RUBRIC = Rubric((Criterion(1.0, "Polite", "polite"),), inputs=("context",))


async def _by_trl(response: Any, context: Any, judge: ScriptedJudge) -> Any:
    with Grader(RUBRIC, judge) as grader:
        return await rubric_reward(grader)(["?"], [response], context=[context])


def _by_grader(response: Any, context: Any, judge: ScriptedJudge) -> Any:
    with Grader(RUBRIC, judge) as grader:
        return grader.grade_sync(response, context=context)


def _by_rows(response: Any, context: Any, judge: ScriptedJudge) -> Any:
    with Grader(RUBRIC, judge) as grader:
        return grader.grade_rows([{"response": "fine"}, {"response": response, "context": context}])


DOORS: dict[str, Callable[[Any, Any, ScriptedJudge], Any]] = {
    "grade": lambda response, context, judge: asyncio.run(grade(RUBRIC, response, judge, context=context)),
    "Grader": _by_grader,
    "grade_rows": _by_rows,
    "socket": lambda response, context, judge: asyncio.run(_by_trl(response, context, judge)),
}


def _judge() -> ScriptedJudge:
    return ScriptedJudge(lambda prompt, _: {"polite": "MET"} if prompt.criteria else '{"reason": "So.", "score": 8}')


@pytest.mark.parametrize("door", DOORS)
def test_no_way_of_grading_ever_shows_a_judge_the_python_repr_of_an_object(door: str) -> None:
    judge = _judge()
    for unfit in (b"bytes", Picture()):
        for response, context in ((unfit, "c"), ("r", unfit)):
            with pytest.raises(SubmissionError, match=ACCEPTED):
                DOORS[door](response, context, judge)
    assert judge.prompts == []


@pytest.mark.parametrize("door", ["grade", "Grader", "socket"])
def test_every_way_of_grading_refuses_python_s_none_as_a_response(door: str) -> None:
    judge = _judge()
    with pytest.raises(SubmissionError, match=f"the response is None; {ACCEPTED}"):
        DOORS[door](None, "c", judge)
    assert judge.prompts == []


@pytest.mark.parametrize("door", DOORS)
def test_every_way_of_grading_takes_responses_that_are_lists_or_mappings_or_numbers(door: str) -> None:
    judge = _judge()
    for response in (MESSAGES, {"answer": 7}, 7):
        DOORS[door](response, MESSAGES, judge)
        assert "Größe" in judge.prompts[-1].user


@pytest.mark.parametrize("unfit", [b"bytes", Picture()], ids=["bytes", "an object"])
def test_a_result_in_promptfoo_says_why_an_output_is_not_graded(tmp_path: Path, unfit: Any) -> None:
    file = tmp_path / "form.yaml"
    file.write_text("criteria: [{name: form, requirement: It is JSON., check: json_valid}]\n")
    context = {"config": {"rubric": str(file)}, "vars": {}}
    result = get_assert(unfit, context, near=tmp_path)
    assert result["pass"] is False
    assert "namedScores" not in result
    assert result["reason"].startswith("not graded: the response is a ")
    assert ACCEPTED in result["reason"]


def test_a_failure_in_pytest_says_why_an_output_is_not_graded(tmp_path: Path) -> None:
    judge = _judge()
    with (
        closing(Background()) as background,
        pytest.raises(UsageError, match=f"the response is a bytes object; {ACCEPTED}"),
    ):
        AssertGrade(background, (), tmp_path, lambda name, value: None)(b"bytes", RUBRIC, judge=judge)
    assert judge.prompts == []


def test_inputs_that_are_given_both_in_a_submission_and_as_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="not both"):
        Submission.of(Submission("x"), {"query": "q"})


def test_a_row_with_a_response_and_inputs_named_first_and_second_is_not_read_as_a_pair() -> None:
    single = submission_of({"response": "Paris.", "first": "France", "second": "Spain"}, 1)
    assert (single.response, single.second) == ("Paris.", None)
    assert single.inputs == {"first": "France", "second": "Spain"}
    pair = submission_of({"response": None, "first": "Paris.", "second": "Lyon."}, 1)
    assert (pair.response, pair.second) == ("Paris.", "Lyon.")


def test_metadata_of_a_submission_that_are_nested_too_deeply_are_ignored() -> None:
    assert metadata_of(Submission("x", {"metadata": "[" * 200_000})) == {}
