"""A judge for a second run, and one that answers only from the cache."""

import asyncio
from pathlib import Path

import pytest

from markscheme.errors import JudgeUnavailable
from markscheme.judges.remembering import Memory, Remembering
from markscheme.judges.rerun import FromSample
from markscheme.judges.scripted import ScriptedJudge
from markscheme.prompts.prompt import Prompt

PROMPT = Prompt("system", "user", {}, ("c1",))


def _by_sample(_: Prompt, sample: int) -> str:
    return f"sample {sample}"


def test_repeating_a_run_asks_the_judge_for_new_samples_instead_of_the_first_samples_again() -> None:
    judge = ScriptedJudge(_by_sample)
    second = FromSample(judge, 3)
    assert asyncio.run(second.reply(PROMPT)).text == "sample 3"
    assert asyncio.run(second.reply(PROMPT, 2)).text == "sample 5"
    assert second.identity == judge.identity


def test_repeating_a_run_does_not_reuse_the_cached_replies_of_the_first_run(tmp_path: Path) -> None:
    judge = ScriptedJudge(_by_sample)
    remembering = Remembering(judge, Memory(tmp_path))

    async def both() -> list[str]:
        first, second = await remembering.reply(PROMPT), await FromSample(remembering, 1).reply(PROMPT)
        await remembering.aclose()
        return [first.text, second.text]

    assert asyncio.run(both()) == ["sample 0", "sample 1"]
    assert len(judge.prompts) == 2


def test_a_judge_that_may_not_be_asked_answers_from_the_cache_only(tmp_path: Path) -> None:
    judge = ScriptedJudge(_by_sample)

    async def kept_then_missing() -> str:
        asking = Remembering(judge, Memory(tmp_path))
        await asking.reply(PROMPT)
        await asking.aclose()
        replaying = Remembering(judge, Memory(tmp_path), may_ask=False)
        replayed = await replaying.reply(PROMPT)
        with pytest.raises(JudgeUnavailable, match="sample 1, is kept"):
            await replaying.reply(PROMPT, 1)
        await replaying.aclose()
        return replayed.source

    assert asyncio.run(kept_then_missing()) == "cache"
    assert len(judge.prompts) == 1
