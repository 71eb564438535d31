"""Combining several answers into one: those of several judges, or of one judge asked several times."""

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from markscheme.errors import JudgeError, JudgeUnavailable, NoJudge
from markscheme.judges.judge import Identity, Judge, Reply, Wrapping, forget, make_room
from markscheme.prompts.prompt import Prompt

PanelRule = Literal["median", "majority"]


@dataclass(frozen=True, slots=True)
class Panel:
    """Judge that asks several judges at once, and combines their votes on each criterion.

    A member without a readable reply has no vote. A criterion is not rated if half of the members or fewer have a vote
    on it. Caching, limits and prices belong to the members, not to the panel, so each member has to be wrapped
    separately.

    Args:
        judges: The members of the panel.
        rule: The level that counts: "median", or "majority" for the most common one.
        name: Name of the panel; None for the joined names of its members.

    Raises:
        ValueError: There is no member, or the rule is neither "median" nor "majority".

    Example:
        >>> from markscheme import Rubric, ScriptedJudge, grade
        >>> rubric = Rubric.from_dict([{"weight": 1, "requirement": "Mentions Paris"}])
        >>> members = [ScriptedJudge([{"c1": level}], name=level) for level in ("MET", "UNMET", "MET")]
        >>> asyncio.run(grade(rubric, "Paris.", Panel(members))).verdicts["c1"].votes
        (1.0, 0.0, 1.0)
    """

    judges: Sequence[Judge]
    rule: PanelRule = "median"
    name: str | None = None

    def __post_init__(self) -> None:
        if not self.judges:
            raise ValueError("a panel has at least one judge")
        if self.rule not in ("median", "majority"):
            raise ValueError(f"a panel's rule must be median or majority, got {self.rule!r}")
        object.__setattr__(self, "judges", tuple(self.judges))

    @property
    def identity(self) -> Identity:
        """Identity made from the members' identities and the rule that combines their votes."""
        members = [judge.identity for judge in self.judges]
        name = self.name or f"panel({', '.join(str(member) for member in members)})"
        parameters = {"rule": self.rule, "members": [member.fingerprint for member in members]}
        return Identity(name, parameters=parameters, lasting=all(member.lasting for member in members))

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return all members' answers as the parts of one reply; the part of a member that fails is empty.

        Args:
            prompt: The prompt.
            sample: Number of the request, from 0, among those with this prompt; members get it too.

        Raises:
            NoJudge: A member cannot be asked at all.
            JudgeUnavailable: No member gave a readable reply.
        """
        answers = await _replies_or_errors(judge.reply(prompt, sample) for judge in self.judges)
        errors = [answer for answer in answers if isinstance(answer, JudgeError)]
        if len(errors) == len(self.judges):
            raise self._nobody(errors)
        parts = (answer if isinstance(answer, Reply) else Reply.without_answer(answer) for answer in answers)
        without = [
            f"{judge.identity.name}: {name}"
            for judge, answer in zip(self.judges, answers, strict=True)
            if isinstance(answer, Reply)
            for name in sorted({name for way in answer.ways for name in way})
        ]
        return Reply("", parts=tuple(parts), rule=self.rule, without=tuple(without))

    def make_room(self, calls: int) -> None:
        """Let every member answer `calls` requests at once."""
        for judge in self.judges:
            make_room(judge, calls)

    def forget(self, reply: Reply, *, settled: bool) -> None:
        """Remove an unreadable reply from its member's cache, so that the member is asked again unless `settled`.

        Args:
            reply: The reply.
            settled: True if another reply supplied what this one lacks, so that the next run needn't ask for this one.
        """
        for judge in self.judges:
            forget(judge, reply, settled=settled)

    async def aclose(self) -> None:
        """Close every judge of the panel."""
        await asyncio.gather(*(judge.aclose() for judge in self.judges))

    def _nobody(self, errors: Sequence[JudgeError]) -> JudgeError:
        if len(errors) == 1:
            return errors[0]
        reasons = "; ".join(f"{judge.identity.name}: {error}" for judge, error in zip(self.judges, errors, strict=True))
        passing = any(isinstance(error, JudgeUnavailable) and error.transient for error in errors)
        return JudgeUnavailable(f"no member of the panel answered: {reasons}", transient=passing)


@dataclass(frozen=True, slots=True)
class Repeated(Wrapping):
    """Judge that asks another judge each prompt several times at once; of the answers, the median level counts.

    Raises:
        ValueError: The number of samples is below 1.
    """

    samples: int

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise ValueError(f"samples must be a whole number from 1, got {self.samples}")

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Ask the prompt several times, and return the answers as the parts of one reply.

        The part of a request that fails is empty.

        Args:
            prompt: The prompt.
            sample: Number of this call, from 0, among those with this prompt. The repeated requests of all calls are
                numbered on, so that no two have one number.

        Raises:
            NoJudge: The judge cannot be asked at all.
            JudgeError: No request gave a readable reply.
        """
        first = sample * self.samples
        answers = await _replies_or_errors(self.judge.reply(prompt, first + n) for n in range(self.samples))
        errors = [answer for answer in answers if isinstance(answer, JudgeError)]
        if len(errors) == self.samples:
            raise errors[0]
        parts = (answer if isinstance(answer, Reply) else Reply.without_answer(answer) for answer in answers)
        return Reply("", parts=tuple(parts))


async def _replies_or_errors(requests: Iterable[Awaitable[Reply]]) -> list[Reply | JudgeError]:
    """Wait for several requests at once; return each one's reply, or its JudgeError if it failed.

    Raises:
        NoJudge: One of the judges cannot be asked at all.
        BudgetError: One request would cost more than is left.
    """
    answers = await asyncio.gather(*requests, return_exceptions=True)
    replies: list[Reply | JudgeError] = []
    for answer in answers:
        if isinstance(answer, BaseException) and (isinstance(answer, NoJudge) or not isinstance(answer, JudgeError)):
            raise answer
        replies.append(answer)
    return replies
