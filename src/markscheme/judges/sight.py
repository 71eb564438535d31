"""Functions that say which judges can be shown images and documents, and that check it before they are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markscheme.errors import NoJudge
from markscheme.judges.judge import GradingJudge, Judge, JudgeGroup, Reply, Wrapping
from markscheme.judges.kinds import JudgeKind, kind_of, names_that
from markscheme.judges.part_checks import PART_CHECKS
from markscheme.prompts.parts import ShownPart, parts_of
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission


def innermost(judge: Judge) -> Judge:
    """Return the judge inside all wrappers; a judge without wrappers is returned unchanged."""
    while isinstance(judge, Wrapping):
        judge = judge.judge
    return judge


@dataclass(frozen=True, slots=True)
class Unprobed(Wrapping):
    """Judge that may be shown images and documents without a test of whether it can read them."""

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the wrapped judge's answer to a prompt."""
        return await self.judge.reply(prompt, sample)


def kind_of_judge(judge: Judge) -> JudgeKind | None:
    """Return the kind of an open judge; None for a judge object that a program made."""
    return kind_of(judge.identity.name)


def sees(judge: Judge, part_kind: str) -> bool:
    """Return True if a judge can pass parts of a kind, such as images, to its model.

    A judge object that a program made is assumed to pass all parts, unless the object's `sees` says otherwise.
    """
    inner = innermost(judge)
    itself = getattr(inner, "sees", None)
    if itself is not None:
        return bool(itself)
    kind = kind_of_judge(judge)
    members = getattr(inner, "judges", ())
    return all(sees(member, part_kind) for member in members) if members else kind is None or bool(kind.sees(part_kind))


def refuse_unseeing(judge: Judge, parts: Sequence[ShownPart]) -> None:
    """Raise NoJudge if a judge can't be shown some images or documents.

    Raises:
        NoJudge: The judge doesn't take such parts.
    """
    unseen = sorted({shown_part.kind for shown_part in parts if not sees(judge, shown_part.kind)})
    if unseen:
        can = names_that(lambda kind: kind.asks and all(map(kind.sees, unseen)))
        kinds = " or ".join(f"{part_kind}s" for part_kind in unseen)
        raise NoJudge(f"{judge.identity.name} doesn't take {kinds}; judges that do: {can} with a parameter `parts`")


def refuse_unseeing_of(judge: GradingJudge, submissions: Iterable[Submission]) -> None:
    """Raise NoJudge if a judge can't be shown the images or documents in the submissions.

    Raises:
        NoJudge: The judge doesn't take such parts.
    """
    if not isinstance(judge, JudgeGroup):
        for submission in submissions:
            refuse_unseeing(judge, parts_of([*submission.inputs.values(), *submission.responses]))


async def why_unseen(judge: Judge, parts: Sequence[ShownPart]) -> str | None:
    """Return the reason why a judge can't read some images or documents; None if it can read them all.

    Raises:
        NoJudge: The judge doesn't take such parts.
        JudgeError: A check of the judge failed without an answer.
    """
    refuse_unseeing(judge, parts)
    for check in PART_CHECKS:
        why = await check(judge, parts)
        if why is not None:
            return why
    return None
