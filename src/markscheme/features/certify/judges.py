"""The judges of a certificate, which are asked one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markscheme.errors import UsageError, naming
from markscheme.features.certify.certificate_file import CascadeFile
from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import AskedWithout, Identity, Judge, make_room, ways_of
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.kinds import known_kind, panel_names
from markscheme.judges.registry import open_judge


def stage_fingerprint(identities: Sequence[Identity]) -> str:
    """Return the fingerprint of a judge, or of a panel, which doesn't depend on the order of the panel's members."""
    return fingerprint(sorted(identity.fingerprint for identity in identities))


def _fingerprint_of(judges: Sequence[Judge]) -> str:
    return stage_fingerprint([judge.identity for judge in judges])


@dataclass(frozen=True)
class CertifiedJudges:
    """Judges of a certificate, asked one after the other until one is as certain as the certificate requires.

    Attributes:
        file: The certificate.
        stages: The judges of each stage: one judge, or the members of a panel.
        labels_changed: How the labels differ from those that were certified on; None if they don't, or if they aren't
            next to the certificate.
    """

    file: CascadeFile
    stages: tuple[tuple[Judge, ...], ...]
    labels_changed: str | None = None
    grader = "cascade"
    why_no_reply = "a cascade decides on responses; name one of its judges to ask a prompt"

    @property
    def identity(self) -> Identity:
        """Identity by which a certificate counts as a judge: its thresholds, and its opened judges' identities."""
        stages = [
            [record.judge, record.certainty, record.passes, record.fails, _fingerprint_of(judges)]
            for record, judges in zip(self.file.stages, self.stages, strict=True)
        ]
        return Identity("cascade", parameters={"stages": stages})

    def why_void(self, rubric: str, prompt: str) -> str | None:
        """Return what changed since certification and makes the certificate void; None if nothing did."""
        differs = [
            subject
            for subject, current, then in (
                ("the rubric", rubric, self.file.rubric),
                ("the prompt", prompt, self.file.prompt),
            )
            if current != then
        ]
        if differs:
            return f"{' and '.join(differs)} changed since {self.file.path.name} was certified"
        return self.labels_changed

    def why_not(self, index: int, models: Sequence[str], ways: Sequence[Sequence[AskedWithout]]) -> str | None:
        """Return why a judge or panel may not decide: it, or a model that answered, isn't as certified; None if it may.

        Args:
            index: Index of the stage, from 0.
            models: The models that answered.
            ways: For each judge of the stage, the different ways in which it was asked, each as the parameters that
                requests left out.
        """
        record = self.file.stages[index]
        judges = zip(self.stages[index], ways, strict=True)
        if stage_fingerprint([judge.identity.as_asked(ways_of([of])) for judge, of in judges]) != record.fingerprint:
            return f"{record.judge} is asked in another way than certified"
        if not set(models) <= set(record.model) or bool(models) != bool(record.model):
            certified = ", ".join(record.model) or "no named model"
            return f"{', '.join(models) or 'no named model'} answered, and {certified} was certified"
        return None

    def make_room(self, calls: int) -> None:
        """Allow each judge to have `calls` requests in flight at once."""
        for judge in self._judges:
            make_room(judge, calls)

    async def aclose(self) -> None:
        """Close every judge."""
        for judge in self._judges:
            await judge.aclose()

    @property
    def _judges(self) -> list[Judge]:
        return [judge for judges in self.stages for judge in judges]


def open_certified(path: Path, context: JudgeContext) -> CertifiedJudges:
    """Open the judges that the certificate in a file names.

    Raises:
        RatingError: The file can't be read, or isn't a certificate.
        UsageError: The file doesn't exist, a judge can't be opened, or the certificate ranks a panel's decisions by
            something else than its members' votes.
    """
    file = CascadeFile.load(path)
    members = [panel_names(record.judge) for record in file.stages]
    for record, names in zip(file.stages, members, strict=True):
        if len(names) > 1 and record.certainty != "votes":
            raise UsageError(f"{path} ranks the panel {record.judge!r} by {record.certainty}; expected votes")
    with naming(path):
        return CertifiedJudges(
            file, tuple(tuple(_open_from_file(name, path, context) for name in names) for names in members)
        )


def _open_from_file(name: str, file: Path, context: JudgeContext) -> Judge:
    """Open a judge that a file names; refuse judges that run code, and judges that name other judges.

    Raises:
        UsageError: The judge can't be opened, or it runs code or names other judges, which a file may not name.
    """
    kind = known_kind(name)
    if kind.names_code or kind.names_judges:
        raise UsageError(f"{file} names {name!r}, and no file may name such a judge")
    return open_judge(name, context=context)
