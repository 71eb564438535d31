"""What the tests of judges share: a rubric of one criterion, its question, and one asking from beginning to end."""

import asyncio
import json
import traceback
from dataclasses import replace

import pytest

from markscheme import Rubric, Submission
from markscheme.errors import JudgeError
from markscheme.grading import questions
from markscheme.judges.judge import Judge, Reply
from markscheme.prompt import Prompt

RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Mentions Paris"}])
PROMPT: Prompt = questions(RUBRIC, Submission("Paris is the capital of France."))[0]
VERDICT = json.dumps({"verdicts": {"c1": {"quote": "Paris", "reason": "It does.", "level": "MET"}}})
KEY = "a-key-that-nobody-may-see"


def answer(system_prompt: str, user_prompt: str) -> str:
    """A function as judge: `function:tests.judges.asking:answer`."""
    return VERDICT


def asked(judge: Judge, prompt: Prompt = PROMPT) -> Reply:
    """The judge's reply; the judge is closed afterwards."""
    return asked_often(judge, 1, prompt)[0]


def asked_often(judge: Judge, times: int, prompt: Prompt = PROMPT) -> list[Reply]:
    """Its replies to the same question asked so many times at once."""

    async def run() -> list[Reply]:
        try:
            return list(await asyncio.gather(*(judge.reply(prompt, sample) for sample in range(times))))
        finally:
            await judge.aclose()

    return asyncio.run(run())


def brief(prompt: Prompt) -> Prompt:
    """A question that asks for the same answer in few words: a real model takes seconds to read the whole one."""
    (criterion,) = prompt.criteria
    begun = f'{{"verdicts":{{"{criterion}":{{"quote":"Paris","reason":"Paris","level":'
    return replace(prompt, system="Copy.", user=begun)


class Briefly:
    """A judge that is asked every question in few words, for the same answer under the same schema."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.identity = judge.identity

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        return await self.judge.reply(brief(prompt), sample)

    async def aclose(self) -> None:
        await self.judge.aclose()


def refusal(judge: Judge, prompt: Prompt = PROMPT) -> JudgeError:
    """The error that asking the judge ends with; it must show no key anywhere."""
    with pytest.raises(JudgeError) as caught:
        asked(judge, prompt)
    assert KEY not in "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    return caught.value
