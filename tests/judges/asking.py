"""What tests of judges share: a rubric with one criterion, its prompt, and asking a judge once or several times."""

import asyncio
import json
import traceback
from dataclasses import replace

import pytest

from markscheme import Rubric, Submission
from markscheme.errors import JudgeError
from markscheme.grading import questions
from markscheme.judges.judge import Judge, Reply
from markscheme.prompts.prompt import Prompt

RUBRIC = Rubric.from_dict([{"weight": 1, "requirement": "Mentions Paris"}])
PROMPT: Prompt = questions(RUBRIC, Submission("Paris is the capital of France."))[0]
VERDICT = json.dumps({"verdicts": {"c1": {"quote": "Paris", "reason": "It does.", "level": "MET"}}})
KEY = "a-key-that-nobody-may-see"


def answer(system_prompt: str, user_prompt: str) -> str:
    """Answer a prompt, as the judge `function:tests.judges.asking:answer`."""
    return VERDICT


def asked(judge: Judge, prompt: Prompt = PROMPT) -> Reply:
    """Ask a judge once and close it; return the reply."""
    return asked_often(judge, 1, prompt)[0]


def asked_often(judge: Judge, times: int, prompt: Prompt = PROMPT) -> list[Reply]:
    """Ask a judge the same prompt several times at once; return the replies."""

    async def run() -> list[Reply]:
        try:
            return list(await asyncio.gather(*(judge.reply(prompt, sample) for sample in range(times))))
        finally:
            await judge.aclose()

    return asyncio.run(run())


def brief(prompt: Prompt) -> Prompt:
    """Return a prompt for the same answer in few words, since a real model takes seconds to read a whole one."""
    (criterion,) = prompt.criteria
    begun = f'{{"verdicts":{{"{criterion}":{{"quote":"Paris","reason":"Paris","level":'
    return replace(prompt, system="Copy.", user=begun)


class Briefly:
    """Judge that asks another judge with shortened prompts, for the same answer and schema."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.identity = judge.identity

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        return await self.judge.reply(brief(prompt), sample)

    async def aclose(self) -> None:
        await self.judge.aclose()


def refusal(judge: Judge, prompt: Prompt = PROMPT) -> JudgeError:
    """Ask a judge that fails; return its error, after checking that it shows no key."""
    with pytest.raises(JudgeError) as caught:
        asked(judge, prompt)
    assert KEY not in "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    return caught.value
