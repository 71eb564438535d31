"""A judge asked once more: as a second run of its own, or only as far as its replies were kept."""

from dataclasses import dataclass

from markscheme.errors import MissingReply
from markscheme.judges.judge import Reply, Wrapping
from markscheme.prompt import Prompt


@dataclass(frozen=True, slots=True)
class FromSample(Wrapping):
    """A judge whose samples are counted from `first`, so that the replies of an earlier run don't answer for it.

    Attributes:
        first: Which sample this run calls 0.
    """

    first: int

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """The judge's answer to a later sample."""
        return await self.judge.reply(prompt, self.first + sample)


@dataclass(frozen=True, slots=True)
class NeverAsked(Wrapping):
    """A judge that must not be asked: inside a `Remembering`, only kept replies answer."""

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Nothing.

        Raises:
            MissingReply: Always.
        """
        raise MissingReply(f"no reply to prompt {prompt.fingerprint}, sample {sample}, is kept")

    async def aclose(self) -> None:
        """Nothing is held."""
