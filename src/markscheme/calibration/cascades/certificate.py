"""What labels certify: which decisions judges make alone, under which promise, and the file that says so."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from markscheme.calibration.promised import MARK_SIDES, DecisionOrigins, MarkSide, Promised
from markscheme.calibration.tuning import DecidedLabels
from markscheme.errors import writing
from markscheme.files import refuse_link, write_whole
from markscheme.grading import asking_fingerprint
from markscheme.judges.cascade_file import CASCADE_FILE, SCHEMA, CertifiedPasses
from markscheme.ratings.certified_labels import certified_labels
from markscheme.ratings.examples import ExampleSet
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.cascade import AutomaticPart, CertifiedCascade
from markscheme.stats.intervals import Flags
from markscheme.stats.shares import grouped_share

_Part = TypeVar("_Part", AutomaticPart, CertifiedCascade)


def certified_passes(labels: DecidedLabels, is_automatic: Flags, passes: Flags) -> CertifiedPasses:
    """How often annotators pass the labelled examples, and automatic decisions those that need no person.

    Args:
        labels: Annotators' decisions.
        is_automatic: Whether each is decided automatically, shape (n,).
        passes: Whether it then passes, shape (n,).
    """
    groups = None if labels.groups is None else np.array(labels.groups)[is_automatic]
    decided = grouped_share(passes[is_automatic], groups)
    people = float(labels.passed.mean()) if len(labels.ids) else 0.0
    share = decided.value if is_automatic.any() else 0.0
    return CertifiedPasses(len(labels.ids), people, int(is_automatic.sum()), share, float(decided.effective))


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

    @property
    @abstractmethod
    def decided(self) -> list[int]:
        """Examples that each stage decides, and then those that people do."""

    @property
    @abstractmethod
    def why_not_written(self) -> str:
        """Why nothing can be written that says which judges to ask; "" where it can."""

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

    def to_json(self, rubric: Rubric, *, at: str) -> dict[str, Any]:
        """The content of the file."""
        automatic = {side: part.automatic.to_json() for side, part in self.parts.items()}
        return {
            "schema": SCHEMA,
            "error": self.promised.error,
            "confidence": self.promised.confidence,
            "wrong_passes": self.wrong_passes,
            "for": self.promised.side,
            "stages": self.stages(),
            "labels": {
                "n": self.n,
                "sha256": self.labels,
                "split": self.split,
                "groups": self.groups,
                "explicit": self.origins.explicit,
            },
            "pass_shares": self.pass_shares.to_json(),
            "automatic": automatic if len(automatic) > 1 else next(iter(automatic.values())),
            "decided": self.decided,
            "errors": self.errors,
            "upper": self.upper,
            "fingerprints": {"rubric": rubric.fingerprint, "prompt": asking_fingerprint(rubric)},
            "at": at,
        }

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
        content = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
        with writing(folder):
            refuse_link(path)
            write_whole(path, f"{content}\n", follow=False)
        return path
