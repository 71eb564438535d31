"""A question under way is asked once for all who bring it."""

import asyncio
from dataclasses import dataclass, field

import pytest

from markscheme.errors import JudgeUnavailable
from markscheme.judges.judge import Identity, Reply, Usage
from markscheme.judges.sharing import Sharing
from markscheme.prompt import Prompt

ONE, OTHER = Prompt("s", "one", {}, ("c",)), Prompt("s", "other", {}, ("c",))


@dataclass
class Slow:
    """A judge that answers when it is let go."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[str] = field(default_factory=list)
    cancelled: int = 0
    fails: bool = False
    identity: Identity = field(default_factory=lambda: Identity("slow"))

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        self.asked.append(f"{prompt.user} {sample}")
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if self.fails:
            raise JudgeUnavailable("slow failed")
        return Reply(f"{prompt.user} {sample}", usage=Usage(1, 10, 5))

    async def aclose(self) -> None:
        """Nothing is held."""


async def waiting(sharing: Sharing, *questions: tuple[Prompt, int]) -> list["asyncio.Task[Reply]"]:
    """Callers that all wait by now."""
    tasks = [asyncio.ensure_future(sharing.reply(prompt, sample)) for prompt, sample in questions]
    await asyncio.sleep(0.01)
    return tasks


def test_equal_questions_are_asked_once_and_charged_once() -> None:
    async def story() -> None:
        judge = Slow()
        tasks = await waiting(Sharing(judge), (ONE, 0), (ONE, 0), (ONE, 1), (OTHER, 0), (ONE, 0))
        judge.gate.set()
        replies = await asyncio.gather(*tasks)
        assert sorted(judge.asked) == ["one 0", "one 1", "other 0"]
        assert [reply.text for reply in replies] == ["one 0", "one 0", "one 1", "other 0", "one 0"]
        assert [reply.usage.calls for reply in replies] == [1, 0, 1, 1, 0]
        assert [reply.source for reply in replies] == ["live", "cache", "live", "live", "cache"]

    asyncio.run(story())


def test_a_later_question_is_asked_again() -> None:
    async def story() -> None:
        judge = Slow()
        judge.gate.set()
        sharing = Sharing(judge)
        await sharing.reply(ONE)
        await sharing.reply(ONE)
        assert len(judge.asked) == 2

    asyncio.run(story())


def test_a_failure_reaches_all_who_wait_and_is_not_kept() -> None:
    async def story() -> None:
        judge = Slow(fails=True)
        sharing = Sharing(judge)
        tasks = await waiting(sharing, (ONE, 0), (ONE, 0))
        judge.gate.set()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(result, JudgeUnavailable)
        judge.fails = False
        assert (await sharing.reply(ONE)).text == "one 0"

    asyncio.run(story())


def test_who_goes_away_takes_the_answer_from_nobody_else() -> None:
    async def story() -> None:
        judge = Slow()
        first, second = await waiting(Sharing(judge), (ONE, 0), (ONE, 0))
        first.cancel()
        await asyncio.sleep(0.01)
        judge.gate.set()
        assert (await second).text == "one 0"
        assert judge.cancelled == 0

    asyncio.run(story())


def test_a_question_nobody_waits_for_any_more_is_given_up() -> None:
    async def story() -> None:
        judge = Slow()
        tasks = await waiting(Sharing(judge), (ONE, 0), (ONE, 0))
        for task in tasks:
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]
        await asyncio.sleep(0.01)
        assert judge.cancelled == 1

    asyncio.run(story())
