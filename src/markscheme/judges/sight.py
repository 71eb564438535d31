"""Which judges can be shown what isn't text, and what is checked of one before it is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markscheme.errors import NoJudge
from markscheme.judges.judge import GradingJudge, Judge, JudgeGroup, Reply, Wrapping
from markscheme.judges.kinds import JudgeKind, kind_of, names_that
from markscheme.judges.part_checks import PART_CHECKS
from markscheme.parts import ShownPart, parts_of
from markscheme.prompt import Prompt
from markscheme.submission import Submission


def innermost(judge: Judge) -> Judge:
    """Return the judge inside those that wrap it."""
    while isinstance(judge, Wrapping):
        judge = judge.judge
    return judge


@dataclass(frozen=True, slots=True)
class Unprobed(Wrapping):
    """A judge that is shown parts without a test whether it can read them."""

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the judge's answer."""
        return await self.judge.reply(prompt, sample)


def is_probed(judge: Judge) -> bool:
    """Return True if a judge may be tested before it is shown parts."""
    if isinstance(judge, Unprobed):
        return False
    return not isinstance(judge, Wrapping) or is_probed(judge.judge)


def kind_of_judge(judge: Judge) -> JudgeKind | None:
    """Return the kind of an opened judge; None for one that a program made."""
    return kind_of(judge.identity.name)


def sees(judge: Judge, part_kind: str) -> bool:
    """Return True if a judge shows its model parts of a kind.

    A judge that a program made is given the parts of each prompt; it says so itself if it takes none.
    """
    inner = innermost(judge)
    itself = getattr(inner, "sees", None)
    if itself is not None:
        return bool(itself)
    kind = kind_of_judge(judge)
    members = getattr(inner, "judges", ())
    return all(sees(member, part_kind) for member in members) if members else kind is None or bool(kind.sees(part_kind))


def refuse_unseeing(judge: Judge, parts: Sequence[ShownPart]) -> None:
    """Refuse a judge that can't be shown parts.

    Raises:
        NoJudge: It takes none.
    """
    unseen = sorted({shown_part.kind for shown_part in parts if not sees(judge, shown_part.kind)})
    if unseen:
        can = names_that(lambda kind: kind.asks and all(map(kind.sees, unseen)))
        kinds = " or ".join(f"{part_kind}s" for part_kind in unseen)
        raise NoJudge(f"{judge.identity.name} doesn't take {kinds}; judges that do: {can}")


def refuse_unseeing_of(judge: GradingJudge, submissions: Iterable[Submission]) -> None:
    """Refuse a judge that can't be shown the parts of the first submission that has any, before it is asked.

    Raises:
        NoJudge: It takes none.
    """
    if not isinstance(judge, JudgeGroup):
        for submission in submissions:
            refuse_unseeing(judge, parts_of([*submission.inputs.values(), *submission.responses]))


async def why_unseen(judge: Judge, parts: Sequence[ShownPart]) -> str | None:
    """Return the reason why a judge can't be shown parts, or None if it can.

    Raises:
        NoJudge: It takes none.
        JudgeError: It could not be found out.
    """
    refuse_unseeing(judge, parts)
    for check in PART_CHECKS:
        why = await check(judge, parts)
        if why is not None:
            return why
    return None
