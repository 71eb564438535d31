"""Judges for a second run: with new samples, or from cached replies only."""

from dataclasses import dataclass

from markscheme.errors import JudgeUnavailable
from markscheme.judges.judge import Reply, Wrapping
from markscheme.prompt import Prompt


@dataclass(frozen=True, slots=True)
class FromSample(Wrapping):
    """A judge whose samples are numbered from `first`, so that cached replies of an earlier run are not reused.

    Attributes:
        first: The sample number that this run calls 0.
    """

    first: int

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the judge's answer to a later sample."""
        return await self.judge.reply(prompt, self.first + sample)


@dataclass(frozen=True, slots=True)
class NeverAsked(Wrapping):
    """A judge that must not be asked: inside a `Remembering`, only cached replies answer."""

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Raise JudgeUnavailable, always.

        Raises:
            JudgeUnavailable: Always.
        """
        raise JudgeUnavailable(f"no reply to prompt {prompt.fingerprint}, sample {sample}, is kept")

    async def aclose(self) -> None:
        """Return at once: there is nothing to close."""
