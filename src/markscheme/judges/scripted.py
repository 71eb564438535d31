"""A judge with scripted answers, for tests of code that grades."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from markscheme.errors import JudgeUnavailable
from markscheme.judges.judge import Identity, Reply, Usage
from markscheme.prompts.prompt import NOTHING_TO_QUOTE, Prompt

Script = Callable[[Prompt, int], Any]


@dataclass
class ScriptedJudge:
    """Judge with scripted answers that records its prompts, for tests.

    Attributes:
        script: The answers: a function of prompt and sample number, or an iterable of answers that are used one after
            the other. An answer is a Reply, a text, an exception to raise, or a mapping of criterion to level, which
            becomes a well-formed answer.
        prompts: Prompts that it received, in order.

    Example:
        >>> import asyncio
        >>> from markscheme import Rubric, grade
        >>> rubric = Rubric.from_dict([{"weight": 1, "requirement": "Mentions Paris"}])
        >>> asyncio.run(grade(rubric, "Paris.", ScriptedJudge([{"c1": "MET"}]))).score
        1.0
    """

    script: Script | Iterable[Any]
    name: str = "scripted"
    prompts: list[Prompt] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._answers = None if callable(self.script) else iter(self.script)

    @property
    def identity(self) -> Identity:
        """Identity made of the judge's name alone."""
        return Identity(self.name)

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the next scripted answer.

        Raises:
            JudgeUnavailable: The script has no more answers.
        """
        self.prompts.append(prompt)
        return _as_reply(self._next(prompt, sample))

    def _next(self, prompt: Prompt, sample: int) -> Any:
        if self._answers is None and callable(self.script):
            return self.script(prompt, sample)
        try:
            return next(self._answers or iter(()))
        except StopIteration:
            raise JudgeUnavailable(f"the script ends after {len(self.prompts) - 1} answers") from None

    async def aclose(self) -> None:
        """Return at once: there is nothing to close."""


def _as_reply(answer: Any) -> Reply:
    match answer:
        case BaseException():
            raise answer
        case Reply():
            return answer
        case Mapping():
            return Reply(answer_of(answer), usage=Usage(calls=1))
        case _:
            return Reply(str(answer), usage=Usage(calls=1))


def answer_of(levels: Mapping[str, Any], *, reason: str = "scripted", quote: str = NOTHING_TO_QUOTE) -> str:
    """Write an answer as a judge would, with the given level on each criterion.

    Args:
        levels: The level of each criterion, by name.
        reason: The reason that the answer gives for every level.
        quote: The quote that the answer gives for every level.
    """
    verdicts = {name: {"quote": quote, "reason": reason, "level": str(level)} for name, level in levels.items()}
    return json.dumps({"verdicts": verdicts}, ensure_ascii=False)
