"""A judge for a second run, which gets new samples instead of cached ones."""

from dataclasses import dataclass

from markscheme.judges.judge import Reply, Wrapping
from markscheme.prompts.prompt import Prompt


@dataclass(frozen=True, slots=True)
class FromSample(Wrapping):
    """Judge that adds `first` to each sample number, so that cached replies of an earlier run aren't used again.

    Attributes:
        first: Number of the first sample of this run, to which the run's own numbers from 0 are added.
    """

    first: int

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the wrapped judge's answer to a prompt, asked for under the sample number `first + sample`."""
        return await self.judge.reply(prompt, self.first + sample)
