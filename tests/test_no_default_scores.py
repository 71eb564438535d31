"""An unreadable verdict of any kind never becomes a score, with any strategy or grader."""

import asyncio
import json
from dataclasses import replace
from typing import Any, cast

import pytest

from markscheme import (
    Criterion,
    Reply,
    Rubric,
    ScriptedJudge,
    Submission,
)
from markscheme.errors import JudgeUnavailable, UnreadableReply
from markscheme.grading import Grade, Grading
from markscheme.grading.verdict import Unread, Verdict
from markscheme.judges.judge import Identity, Stop
from markscheme.judges.scripted import answer_of
from markscheme.prompts.prompt import Prompt
from markscheme.rubrics.rubric import Strategy

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
    """A judge that answers with three parts, as a panel does, of which `readable` can be read."""

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
        """Close nothing."""


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
def test_no_strategy_gives_a_score_for_a_reply_that_it_could_not_read(
    kind: str, samples: int, strategy: str, name: str
) -> None:
    rubric = replace(RUBRICS[name], strategy=cast(Strategy, strategy), samples=samples)
    judge = ScriptedJudge(lambda prompt, sample: unread_reply(kind, prompt))
    for normalize in (True, False):
        for renormalize in (True, False):
            grading = Grading(rubric, judge, normalize=normalize, renormalize=renormalize)
            is_ungraded(asyncio.run(grading.grade(Submission("x"))))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_panel_gives_no_score_if_only_one_member_s_reply_can_be_read(kind: str, strategy: str) -> None:
    rubric = replace(FAULTS, strategy=cast(Strategy, strategy))
    is_ungraded(asyncio.run(Grading(rubric, Panel(kind, readable=1)).grade(Submission("x"))))
    graded = asyncio.run(Grading(rubric, Panel(kind, readable=2)).grade(Submission("x")))
    assert graded.score == (0.8 if strategy == "holistic" else 0.0)


@pytest.mark.parametrize("strategy", STRATEGIES[:3])
@pytest.mark.parametrize("kind", KINDS)
def test_a_response_is_left_ungraded_if_the_verdict_on_one_fault_cannot_be_read(kind: str, strategy: str) -> None:
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
def test_a_judge_that_is_down_or_replies_with_a_page_of_html_gives_no_score(error: Exception, strategy: str) -> None:
    rubric = replace(FAULTS, strategy=cast(Strategy, strategy))
    grade = asyncio.run(Grading(rubric, ScriptedJudge(lambda prompt, sample: error)).grade(Submission("x")))
    assert (grade.score, grade.error) == (None, str(error))
