"""What labels certify: which decisions judges make alone, under which promise, and the file that says so."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from markscheme.calibration.file_names import name_of
from markscheme.calibration.promised import MARK_SIDES, DecisionOrigins, MarkSide, Promised
from markscheme.errors import writing
from markscheme.features.certify.certificate_file import SCHEMA, CertifiedPasses
from markscheme.features.certify.kind import CASCADE_FILE
from markscheme.features.certify.labels import certified_labels
from markscheme.features.certify.seen_decisions import SeenDecisions
from markscheme.features.certify.statistics import AutomaticPart, CertifiedCascade
from markscheme.files import refuse_link, write_whole
from markscheme.grading import asking_fingerprint
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import project_of

_Part = TypeVar("_Part", AutomaticPart, CertifiedCascade)


@dataclass(frozen=True, kw_only=True)
class Certificate(ABC, Generic[_Part]):
    """What the labels say about letting judges decide alone.

    Attributes:
        promised: What is promised.
        wrong_passes: The promised largest share of wrong ones among automatic passes; None without.
        parts: The automatic decisions, by the decisions that the promise is about.
        n: Labelled examples.
        groups: Groups that they are in; None where they aren't grouped.
        split: The labels it was tested on.
        labels: Digest of these labels.
        origins: Where annotators' decisions on them come from.
        pass_shares: How often annotators pass them, and the automatic decisions.
        seen: The decisions that thresholds were searched among.
        kind: The kind of labels that count; None for the strongest there are.
    """

    promised: Promised
    wrong_passes: float | None = None
    parts: Mapping[MarkSide, _Part]
    n: int
    groups: int | None
    split: str
    labels: str
    origins: DecisionOrigins
    pass_shares: CertifiedPasses
    seen: SeenDecisions
    kind: Kind | None = None

    @property
    @abstractmethod
    def decided(self) -> list[int]:
        """Examples that each stage decides, and then those that people do."""

    @property
    @abstractmethod
    def why_not_written(self) -> str:
        """Why nothing can be written that says which judges to ask; "" where it can."""

    @property
    def sources(self) -> Sequence[Path | None]:
        """For each stage, the file that its judge's decisions came from; None where the judge was asked."""
        return [None] * len(self.seen.judges)

    @abstractmethod
    def stages(self) -> list[dict[str, Any]]:
        """The judges that are asked one after the other, as the file has them."""

    @property
    def certified(self) -> dict[MarkSide, _Part]:
        """The parts of which some decisions need no person."""
        return {side: part for side, part in self.parts.items() if part.is_certified}

    @property
    def is_supported(self) -> bool:
        """Whether some decisions need no person."""
        return bool(self.certified)

    def certain_by_side(self, of_part: Callable[[_Part], float | None]) -> float | dict[str, float | None] | None:
        """The certainty from which decisions stand: one number, or one for each side under a promise of its own.

        Args:
            of_part: The certainty that a part has.
        """
        certain = {side: of_part(part) for side, part in self.parts.items()}
        return certain["both"] if "both" in certain else {side: certain.get(side) for side in MARK_SIDES}

    @property
    def errors(self) -> int:
        """Wrong decisions among the automatic ones."""
        return sum(part.errors for part in self.certified.values())

    @property
    def upper(self) -> float | None:
        """The greatest upper limit of the share that is wrong; None where nothing is automatic."""
        return max((part.upper for part in self.certified.values() if part.upper is not None), default=None)

    @property
    def figures(self) -> dict[str, Any]:
        """What the file says of the promise, the judges and the labels."""
        automatic = {side: part.automatic.to_json() for side, part in self.parts.items()}
        return {
            "error": self.promised.error,
            "confidence": self.promised.confidence,
            "wrong_passes": self.wrong_passes,
            "for": self.promised.side,
            "further": self.promised.further,
            "stages": self.stages(),
            "labels": {
                "n": self.n,
                "sha256": self.labels,
                "split": self.split,
                "groups": self.groups,
                "explicit": self.origins.explicit,
                "kind": self.kind,
            },
            "pass_shares": self.pass_shares.to_json(),
            "automatic": automatic if len(automatic) > 1 else next(iter(automatic.values())),
            "decided": self.decided,
            "errors": self.errors,
            "upper": self.upper,
        }

    def to_json(self, rubric: Rubric, *, at: str) -> dict[str, Any]:
        """The content of the file, without the decisions that it was searched among."""
        prints = {"rubric": rubric.fingerprint, "prompt": asking_fingerprint(rubric)}
        return {"schema": SCHEMA, **self.figures, "fingerprints": prints, "at": at}

    def write(self, rubric: Rubric, examples: ExampleSet, *, at: str) -> Path | str:
        """The file, written next to the labels; or why it isn't written.

        Raises:
            UsageError: It can't be written.
        """
        if self.why_not_written:
            return self.why_not_written
        if examples.path is None:
            return "the labels came from no file"
        folder = examples.path.parent
        path = folder / CASCADE_FILE
        document = self.to_json(rubric, at=at)
        document["labels"] |= certified_labels(examples.path, rubric, self.split)
        for stage, source in zip(document["stages"], self.sources, strict=True):
            stage |= _source_entry(source, path)
        with writing(folder):
            refuse_link(path)
            write_whole(path, _text(document, self.seen.to_json()), follow=False)
        return path


def _source_entry(source: Path | None, certificate: Path) -> dict[str, str]:
    """The file of a judge's ratings or replies, by its name from the certificate's folder; {} outside the project."""
    if source is None or not source.resolve().is_relative_to(project_of(certificate.parent)):
        return {}
    return {"file": name_of(source, certificate)}


def _text(document: Mapping[str, Any], decisions: Sequence[Mapping[str, Any]]) -> str:
    """The file's text, with the decisions at its end, each on a line of its own."""
    head = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False).removesuffix("\n}")
    lines = ",\n".join(f"    {json.dumps(entry, allow_nan=False)}" for entry in decisions)
    return f'{head},\n  "decisions": [\n{lines}\n  ]\n}}\n'
