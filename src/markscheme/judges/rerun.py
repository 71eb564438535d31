"""A judge for a second run, with new samples."""

from dataclasses import dataclass

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
