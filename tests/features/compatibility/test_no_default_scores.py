"""An unread verdict is never a score, neither of a scorer nor of a reward nor of an autograder."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from markscheme import (
    EvaluationReport,
    OneShotOutput,
    PerCriterionOutput,
    Reply,
    RubricAsJudgeOutput,
    ScriptedJudge,
    reward,
)
from markscheme.autograders import (
    Autograder,
    DoublePassPerCriterionOneShotGrader,
    PerCriterionGrader,
    PerCriterionOneShotGrader,
    RubricAsJudgeGrader,
)
from markscheme.errors import UnreadableReply
from markscheme.scorers import llm_judge
from tests.test_no_default_scores import DIGITS, KINDS, MERITS, RUBRICS, unread_number, unread_reply


@pytest.mark.parametrize("name", RUBRICS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_reward_is_none_if_the_judge_s_answer_could_not_be_read(kind: str, name: str) -> None:
    judge = ScriptedJudge(lambda prompt, _: unread_reply(kind, prompt))
    assert asyncio.run(reward(["x"], RUBRICS[name], judge=judge)) == [None]


@pytest.mark.parametrize("kind", KINDS)
def test_a_judge_used_as_a_scorer_gives_no_score_if_its_answer_cannot_be_read(kind: str) -> None:
    text, stop = unread_number(kind)
    for samples in (1, 3):
        judge = ScriptedJudge(lambda prompt, sample: Reply(text, stop=stop))
        assert llm_judge("Reward.", judge=judge, samples=samples)("x") is None


def per_criterion_text(kind: str) -> str | None:
    good = '{"criterion_status": "MET", "explanation": "e"}'
    return {
        "garbage": "It is met.",
        "wrong schema": '{"status": "MET"}',
        "off the scale": good.replace("MET", "MOSTLY"),
        "NaN": good.replace('"MET"', "NaN"),
        "10,000 digits": good.replace('"MET"', DIGITS),
        "empty": "",
        "cut off": good[:-5],
        "key given twice": '{"criterion_status": "UNMET", "explanation": "e", "criterion_status": "MET"}',
        "two answers": good + good.replace("MET", "UNMET"),
        "missing criteria": "{}",
        "null": good.replace('"MET"', "null"),
    }.get(kind)


def one_shot_text(kind: str) -> str | None:
    text = per_criterion_text(kind)
    if kind == "missing criteria":
        return '{"criteria_evaluations": []}'
    if kind in ("garbage", "empty", "cut off", "two answers"):
        return '{"criteria_evaluations": [{"criterion_number": 1, ' if kind == "cut off" else text
    if text is None:
        return None
    evaluations = ", ".join(f'{{"criterion_number": {number}, {text[1:]}' for number in (1, 2))
    return f'{{"criteria_evaluations": [{evaluations}]}}'


def holistic_text(kind: str) -> str | None:
    good = '{"overall_score": 80, "explanation": "e"}'
    return {
        "garbage": "Eighty.",
        "wrong schema": '{"score": 80}',
        "off the scale": good.replace("80", "180"),
        "NaN": good.replace("80", "NaN"),
        "10,000 digits": good.replace("80", DIGITS),
        "empty": "",
        "cut off": good[:-5],
        "key given twice": good.replace("80", '80, "overall_score": 30'),
        "two answers": good + good.replace("80", "30"),
        "missing criteria": "{}",
        "null": good.replace("80", "null"),
    }.get(kind)


def answering(output: Any, text: str | None) -> Callable[..., Awaitable[Any]]:
    """A generate function as users write it: it reads what its model wrote with the schema."""

    async def generate(*_: str, **__: str) -> Any:
        if text is None:
            raise UnreadableReply("the judge refused")
        return output.model_validate_json(text)

    return generate


GRADERS: dict[str, Callable[[str], Autograder]] = {
    "per criterion": lambda kind: PerCriterionGrader(answering(PerCriterionOutput, per_criterion_text(kind))),
    "one shot": lambda kind: PerCriterionOneShotGrader(answering(OneShotOutput, one_shot_text(kind))),
    "double pass": lambda kind: DoublePassPerCriterionOneShotGrader(answering(OneShotOutput, one_shot_text(kind))),
    "holistic": lambda kind: RubricAsJudgeGrader(answering(RubricAsJudgeOutput, holistic_text(kind))),
}


def tells_no_score(report: EvaluationReport) -> None:
    assert report.score is report.raw_score is report.llm_raw_score is None
    assert report.error
    assert all(criterion.verdict is None and criterion.reason for criterion in report.report or [])


@pytest.mark.parametrize("name", RUBRICS)
@pytest.mark.parametrize("grader", GRADERS)
@pytest.mark.parametrize("kind", KINDS)
def test_no_autograder_gives_a_score_for_an_answer_that_it_could_not_read(kind: str, grader: str, name: str) -> None:
    made = GRADERS[grader](kind)
    for normalize in (True, False):
        made.normalize = normalize
        tells_no_score(asyncio.run(RUBRICS[name].grade("x", autograder=made)))


@pytest.mark.parametrize("grader", GRADERS)
def test_each_grader_of_the_rubric_package_gives_the_score_1_for_a_readable_answer_with_full_marks(grader: str) -> None:
    """So that the tests above fail for the right reason."""
    texts = {
        "per criterion": (PerCriterionGrader, PerCriterionOutput, '{"criterion_status": "MET", "explanation": "e"}'),
        "holistic": (RubricAsJudgeGrader, RubricAsJudgeOutput, '{"overall_score": 100, "explanation": "e"}'),
    }
    several = (
        '{"criteria_evaluations": [{"criterion_number": 1, "criterion_status": "MET", "explanation": "e"}, '
        '{"criterion_number": 2, "criterion_status": "MET", "explanation": "e"}]}'
    )
    kind, output, text = texts.get(
        grader,
        (
            PerCriterionOneShotGrader if grader == "one shot" else DoublePassPerCriterionOneShotGrader,
            OneShotOutput,
            several,
        ),
    )
    made: Any = kind
    assert asyncio.run(MERITS.grade("x", autograder=made(answering(output, text)))).score == 1.0
