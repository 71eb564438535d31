"""One question for all who ask the same at the same time."""

import asyncio
from dataclasses import dataclass, field, replace

from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import Identity, Judge, Reply, Usage
from markscheme.prompt import Prompt


@dataclass(eq=False)
class _Asked:
    """A question under way, and how many wait for its answer."""

    task: "asyncio.Task[Reply]"
    waiting: int = 0


@dataclass(frozen=True)
class Sharing:
    """A judge that asks `judge` once for any number of callers who bring the same prompt while it is being answered.

    The first of them gets the reply with what it cost; the others get it as kept, for nothing. A question that
    nobody waits for any more is given up.

    Attributes:
        judge: Who is asked.
    """

    judge: Judge
    _under_way: dict[str, _Asked] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def identity(self) -> Identity:
        """The judge's own."""
        return self.judge.identity

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """The judge's answer, shared with whoever waits for the same one."""
        key = fingerprint(prompt.fingerprint, sample)
        asked = self._under_way.get(key)
        first = asked is None
        if asked is None:
            asked = self._under_way[key] = _Asked(asyncio.ensure_future(self.judge.reply(prompt, sample)))
        asked.waiting += 1
        try:
            reply = await asyncio.shield(asked.task)
        finally:
            asked.waiting -= 1
            if self._under_way.get(key) is asked and (asked.task.done() or not asked.waiting):
                del self._under_way[key]
                asked.task.cancel()
        return reply if first else _kept(reply)

    async def aclose(self) -> None:
        """Close the judge."""
        await self.judge.aclose()


def _kept(reply: Reply) -> Reply:
    """The reply as a memory gives it: it costs nothing a second time."""
    if reply.parts:
        return replace(reply, parts=tuple(_kept(part) for part in reply.parts))
    return replace(reply, usage=Usage(), source="cache" if reply.source == "live" else reply.source)
