"""One judge asked several times, which is a judge."""

import asyncio
from dataclasses import dataclass

from markscheme.errors import JudgeError
from markscheme.judges.judge import Reply, Wrapping
from markscheme.prompt import Prompt


@dataclass(frozen=True, slots=True)
class Repeated(Wrapping):
    """A judge that asks `judge` the same thing `samples` times at once; the median level of the answers counts.

    Raises:
        ValueError: Fewer than one sample.
    """

    samples: int

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ValueError(f"samples is a whole number from 1, found {self.samples}")

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """All the answers, as parts of one reply; a part is empty where a request gave none.

        Raises:
            JudgeError: No asking gave anything to read.
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
