"""A cascade of judges, which are asked one after the other by a certificate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markscheme.errors import UsageError
from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import AskedWithout, Identity, Judge, Reply, forget, make_room, ways_of
from markscheme.prompt import Prompt

if TYPE_CHECKING:
    from markscheme.judges.cascade_file import CascadeFile


def stage_fingerprint(identities: Sequence[Identity]) -> str:
    """What identifies the judge of a stage, or the members of its panel in any order."""
    return fingerprint(sorted(identity.fingerprint for identity in identities))


def _fingerprint_of(judges: Sequence[Judge]) -> str:
    return stage_fingerprint([judge.identity for judge in judges])


@dataclass(frozen=True)
class CascadeJudge:
    """Judges that are asked one after the other, until one is certain enough by a certificate.

    Grading asks its stages; it has no reply of its own.

    Attributes:
        file: The certificate.
        stages: The judges of each stage: one, or the members of a panel; empty until they are opened.
        labels_changed: How the labels differ from those that it was certified on; "" where they don't, or aren't here.
    """

    file: "CascadeFile"
    stages: tuple[tuple[Judge, ...], ...] = ()
    labels_changed: str = ""

    @property
    def identity(self) -> Identity:
        """The certificate's stages and thresholds, and the judges as they are here."""
        stages = [
            [record.judge, record.certainty, record.passes, record.fails, _fingerprint_of(judges)]
            for record, judges in zip(self.file.stages, self.stages, strict=True)
        ]
        return Identity("cascade", parameters={"stages": stages})

    def why_void(self, rubric: str, prompt: str) -> str:
        """Why nothing may be decided by it at all: what differs from what was certified; "" where nothing does."""
        differs = [
            what
            for what, now, then in (("the rubric", rubric, self.file.rubric), ("the prompt", prompt, self.file.prompt))
            if now != then
        ]
        if differs:
            return f"{' and '.join(differs)} changed since {self.file.path.name} was certified"
        return self.labels_changed

    def why_not(self, place: int, models: Sequence[str], ways: Sequence[Sequence[AskedWithout]]) -> str:
        """Why a stage decides nothing: another judge or answering model than certified; "" where it may.

        Args:
            place: The stage, from 0.
            models: The models that answered.
            ways: For each judge of the stage, the ways in which it was asked.
        """
        record = self.file.stages[place]
        judges = zip(self.stages[place], ways, strict=True)
        if stage_fingerprint([judge.identity.as_asked(ways_of([of])) for judge, of in judges]) != record.fingerprint:
            return f"{record.judge} is asked in another way than certified"
        if not set(models) <= set(record.model) or bool(models) != bool(record.model):
            certified = ", ".join(record.model) or "no named model"
            return f"{', '.join(models) or 'no named model'} answered, and {certified} was certified"
        return ""

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:  # noqa: ARG002 - as every judge
        """Nothing: the stages reply.

        Raises:
            UsageError: Always.
        """
        raise UsageError("a cascade decides on responses; name one of its judges to ask a prompt")

    def make_room(self, calls: int) -> None:
        """Let every judge be asked `calls` times at once."""
        for judge in self._judges:
            make_room(judge, calls)

    def forget(self, reply: Reply, *, settled: bool) -> None:
        """Let the judge whose reply it is drop it from its cache."""
        for judge in self._judges:
            forget(judge, reply, settled=settled)

    async def aclose(self) -> None:
        """Close every judge."""
        for judge in self._judges:
            await judge.aclose()

    @property
    def _judges(self) -> list[Judge]:
        return [judge for judges in self.stages for judge in judges]
