"""An unread verdict is never a score: each kind of it, before each strategy and each grader."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from markscheme import (
    Criterion,
    EvaluationReport,
    OneShotOutput,
    PerCriterionOutput,
    Reply,
    Rubric,
    RubricAsJudgeOutput,
    ScriptedJudge,
    Submission,
    reward,
)
from markscheme.autograders import (
    Autograder,
    DoublePassPerCriterionOneShotGrader,
    PerCriterionGrader,
    PerCriterionOneShotGrader,
    RubricAsJudgeGrader,
)
from markscheme.errors import JudgeUnavailable, UnreadableReply
from markscheme.grading import Grade, Grading
from markscheme.grading.verdict import Unread, Verdict
from markscheme.judges.judge import Identity, Stop
from markscheme.judges.scripted import answer_of
from markscheme.prompt import Prompt
from markscheme.rubrics.rubric import Strategy
from markscheme.scorers import llm_judge

DIGITS = "9" * 10_000

FAULTS = Rubric((Criterion(-1.0, "Makes things up", "made-up"), Criterion(-1.0, "Is rude", "rude")))
MERITS = Rubric((Criterion(1.0, "Mentions Paris", "paris"), Criterion(1.0, "Is short", "short")))
"""In the first a verdict taken for "not there" would earn full credit, in the second one taken for "there"."""
RUBRICS = {"faults": FAULTS, "merits": MERITS}

KINDS = [
    "garbage",
    "wrong schema",
    "off the scale",
    "NaN",
    "10,000 digits",
    "empty",
    "refusal",
    "cut off",
    "key given twice",
    "two answers",
    "missing criteria",
    "null",
]


# --- the engine -----------------------------------------------------------------------------------------------------


def verdict_text(names: tuple[str, ...], level: str) -> str:
    each = dict.fromkeys(names, f'{{"quote": "nothing to quote", "reason": "r", "level": {level}}}')
    return '{"verdicts": {' + ", ".join(f"{json.dumps(name)}: {text}" for name, text in each.items()) + "}}"


def unread_verdicts(kind: str, names: tuple[str, ...]) -> tuple[str, Stop]:
    good, second = (answer_of(dict.fromkeys(names, level)) for level in ("MET", "UNMET"))
    return {
        "garbage": ("I'd say it is fine.", "end"),
        "wrong schema": (json.dumps({"result": dict.fromkeys(names, "MET")}), "end"),
        "off the scale": (verdict_text(names, '"MOSTLY"'), "end"),
        "NaN": (verdict_text(names, "NaN"), "end"),
        "10,000 digits": (verdict_text(names, DIGITS), "end"),
        "empty": ("", "end"),
        "refusal": (good, "refusal"),
        "cut off": (good[:-4], "length"),
        "key given twice": (verdict_text(names, '"MET", "level": "UNMET"'), "end"),
        "two answers": (good + second, "end"),
        "missing criteria": ('{"verdicts": {}}', "end"),
        "null": (verdict_text(names, "null"), "end"),
    }[kind]  # type: ignore[return-value]


def unread_number(kind: str) -> tuple[str, Stop]:
    good = json.dumps({"quote": "nothing to quote", "reason": "r", "score": 8})
    return {
        "garbage": ("Eight.", "end"),
        "wrong schema": ('{"overall": 8, "reason": "r"}', "end"),
        "off the scale": (good.replace("8", "108"), "end"),
        "NaN": (good.replace("8", "NaN"), "end"),
        "10,000 digits": (good.replace("8", DIGITS), "end"),
        "empty": ("", "end"),
        "refusal": (good, "refusal"),
        "cut off": (good[:-2], "length"),
        "key given twice": (good.replace("8", '8, "score": 3'), "end"),
        "two answers": (good + good.replace("8", "3"), "end"),
        "missing criteria": ("{}", "end"),
        "null": (good.replace("8", "null"), "end"),
    }[kind]  # type: ignore[return-value]


def unread_reply(kind: str, prompt: Prompt) -> Reply:
    text, stop = unread_verdicts(kind, prompt.criteria) if prompt.criteria else unread_number(kind)
    return Reply(text, stop=stop)


class Panel:
    """Answers with parts, as a panel does; `readable` of its three members can be read."""

    identity = Identity("panel")

    def __init__(self, kind: str, readable: int) -> None:
        self.kind, self.readable = kind, readable

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        good = Reply(answer_of(dict.fromkeys(prompt.criteria, "MET")))
        if not prompt.criteria:
            good = Reply('{"quote": "", "reason": "r", "score": 80}')
        parts = [good] * self.readable + [unread_reply(self.kind, prompt)] * (3 - self.readable)
        return Reply("", parts=tuple(parts))

    async def aclose(self) -> None:
        """Nothing is held."""


def is_ungraded(grade: Grade) -> None:
    assert grade.score is grade.raw_score is grade.llm_raw_score is None
    assert grade.passed is None
    assert grade.error
    outcomes = [grade.holistic] if grade.holistic is not None else list(grade.outcomes.values())
    assert any(isinstance(outcome, Unread) for outcome in outcomes)


STRATEGIES = ["one_shot", "per_criterion", "double_pass", "holistic"]


@pytest.mark.parametrize("name", RUBRICS)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_no_strategy_scores_what_it_could_not_read(kind: str, samples: int, strategy: str, name: str) -> None:
    rubric = replace(RUBRICS[name], strategy=cast(Strategy, strategy), samples=samples)
    judge = ScriptedJudge(lambda prompt, sample: unread_reply(kind, prompt))
    for normalize in (True, False):
        for renormalize in (True, False):
            grading = Grading(rubric, judge, normalize=normalize, renormalize=renormalize)
            is_ungraded(asyncio.run(grading.grade(Submission("x"))))
    assert asyncio.run(reward(["x"], rubric, judge=judge)) == [None]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_panel_of_which_one_member_can_be_read_scores_nothing(kind: str, strategy: str) -> None:
    rubric = replace(FAULTS, strategy=cast(Strategy, strategy))
    is_ungraded(asyncio.run(Grading(rubric, Panel(kind, readable=1)).grade(Submission("x"))))
    graded = asyncio.run(Grading(rubric, Panel(kind, readable=2)).grade(Submission("x")))
    assert graded.score == (0.8 if strategy == "holistic" else 0.0)


@pytest.mark.parametrize("strategy", STRATEGIES[:3])
@pytest.mark.parametrize("kind", KINDS)
def test_one_unread_fault_next_to_one_read_leaves_all_ungraded(kind: str, strategy: str) -> None:
    def script(prompt: Prompt, sample: int) -> Any:
        unread, stop = unread_verdicts(kind, ("rude",))
        if prompt.criteria == ("rude",):
            return Reply(unread, stop=stop)
        return answer_of({name: "UNMET" for name in prompt.criteria if name != "rude"})

    rubric = replace(FAULTS, strategy=cast(Strategy, strategy))
    grade = asyncio.run(Grading(rubric, ScriptedJudge(script)).grade(Submission("x")))
    is_ungraded(grade)
    assert grade.outcomes["made-up"] == Verdict(
        "made-up", 0.0, "scripted", votes=(0.0, 0.0) if strategy == "double_pass" else ()
    )


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("error", [JudgeUnavailable("down"), UnreadableReply("a page of HTML")])
def test_a_judge_that_answers_nothing_scores_nothing(error: Exception, strategy: str) -> None:
    rubric = replace(FAULTS, strategy=cast(Strategy, strategy))
    grade = asyncio.run(Grading(rubric, ScriptedJudge(lambda prompt, sample: error)).grade(Submission("x")))
    assert (grade.score, grade.error) == (None, str(error))


@pytest.mark.parametrize("kind", KINDS)
def test_a_judge_as_scorer_scores_nothing_it_could_not_read(kind: str) -> None:
    text, stop = unread_number(kind)
    for samples in (1, 3):
        judge = ScriptedJudge(lambda prompt, sample: Reply(text, stop=stop))
        assert llm_judge("Reward.", judge=judge, samples=samples)("x") is None


# --- the graders ----------------------------------------------------------------------------------------------------


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
def test_no_grader_scores_what_it_could_not_read(kind: str, grader: str, name: str) -> None:
    made = GRADERS[grader](kind)
    for normalize in (True, False):
        made.normalize = normalize
        tells_no_score(asyncio.run(RUBRICS[name].grade("x", autograder=made)))


@pytest.mark.parametrize("grader", GRADERS)
def test_the_same_graders_score_what_they_can_read(grader: str) -> None:
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
