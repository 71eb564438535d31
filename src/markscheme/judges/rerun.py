"""A judge asked once more: as a second run of its own, or only as far as its replies were kept."""

from dataclasses import dataclass

from markscheme.errors import MissingReply
from markscheme.judges.judge import Identity, Judge, Reply
from markscheme.prompt import Prompt


@dataclass(frozen=True, slots=True)
class FromSample:
    """A judge whose samples are counted from `first`, so that the replies of an earlier run don't answer for it.

    Attributes:
        judge: Who is asked.
        first: Which sample this run calls 0.
    """

    judge: Judge
    first: int

    @property
    def identity(self) -> Identity:
        """The judge's own: which run it is, is no part of who it is."""
        return self.judge.identity

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """The judge's answer to a later sample."""
        return await self.judge.reply(prompt, self.first + sample)

    async def aclose(self) -> None:
        """Close the judge that is asked."""
        await self.judge.aclose()


@dataclass(frozen=True, slots=True)
class NeverAsked:
    """Stands for a judge that must not be asked: inside a `Remembering`, only kept replies answer.

    Attributes:
        judge: Whose identity it has.
    """

    judge: Judge

    @property
    def identity(self) -> Identity:
        """That of the judge it stands for."""
        return self.judge.identity

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Nothing.

        Raises:
            MissingReply: Always.
        """
        raise MissingReply(f"no reply to prompt {prompt.fingerprint}, sample {sample}, is kept")

    async def aclose(self) -> None:
        """Nothing is held."""
