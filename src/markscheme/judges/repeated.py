"""One judge asked several times, as a single judge."""

import asyncio
from dataclasses import dataclass

from markscheme.errors import JudgeError
from markscheme.judges.judge import Reply, Wrapping
from markscheme.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Repeated(Wrapping):
    """A judge that sends `judge` the same prompt `samples` times at once; the median level of the answers counts.

    Raises:
        ValueError: Fewer than one sample.
    """

    samples: int

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ValueError(f"samples is a whole number from 1, found {self.samples}")

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """All answers as parts of one reply; the part of a failed request is empty.

        Raises:
            JudgeError: No request gave a readable reply.
        """
        first = sample * self.samples
        asked = (self.judge.reply(prompt, first + n) for n in range(self.samples))
        answers = await asyncio.gather(*asked, return_exceptions=True)
        errors = [answer for answer in answers if isinstance(answer, BaseException)]
        for error in errors:
            if len(errors) == self.samples or not isinstance(error, JudgeError):
                raise error
        parts = (answer if isinstance(answer, Reply) else Reply.without_answer(answer) for answer in answers)
        return Reply("", parts=tuple(parts))
