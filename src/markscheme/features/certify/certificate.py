"""Certificates: the decisions that judges may make alone, the promise behind them, and the file that keeps both."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from markscheme.calibration.file_names import name_of
from markscheme.errors import UsageError, writing
from markscheme.features.certify.candidates import PANEL, StageCandidate
from markscheme.features.certify.certificate_file import SCHEMA, CertaintySignal, CertifiedPasses
from markscheme.features.certify.decided_labels import decided_labels
from markscheme.features.certify.kind import CASCADE_FILE
from markscheme.features.certify.labels import certified_labels
from markscheme.features.certify.promise import MARK_SIDES, MarkSide, Promise
from markscheme.features.certify.ranked_decisions import RankedDecisions
from markscheme.features.certify.seen_decisions import SeenDecisions
from markscheme.features.certify.statistics import CertifiedCascade, labels_for_first_size
from markscheme.files import refuse_link, write_whole
from markscheme.grading import asking_fingerprint
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.splits import labelling_digest
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import project_of


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """Certificate that states which decisions judges may make without people, as labels show.

    Attributes:
        promise: The promise about automatic decisions.
        parts: The automatic decisions, by the side that a promise is about: "both", "passes" or "fails".
        candidates: The judges or panels, in the order in which they are asked.
        signals: The signal that ranks the decisions of each candidate.
        right: Share of labelled examples that the last judge decides rightly; None if it decides none.
        needed: Total number of labelled examples with which the last judge's most certain decisions have an even chance
            to keep the promise; None if decisions are certified, or if no number would be enough.
        n: Number of labelled examples.
        groups: Number of groups that these examples are in; None if they aren't grouped.
        split: The split whose labels tested the promise: "all" for those of every split, None if the set has no
            splits; files of earlier versions have "dev" or "test".
        labels: Digest of the labels that the promise was tested on.
        pass_shares: Share of labelled examples that annotators pass, and share of automatic decisions that pass.
        seen: The candidates' decisions on labelled examples, in which the thresholds were searched.
        kind: The kind of labels that count; None for the strongest kind that the examples have.
    """

    promise: Promise
    parts: Mapping[MarkSide, CertifiedCascade]
    candidates: tuple[StageCandidate, ...]
    signals: tuple[CertaintySignal, ...]
    right: float | None
    needed: int | None
    n: int
    groups: int | None
    split: str | None
    labels: str
    pass_shares: CertifiedPasses
    seen: SeenDecisions
    kind: Kind | None = None

    @property
    def certified(self) -> dict[MarkSide, CertifiedCascade]:
        """The certified cascades by the decisions they are about: "both" together, or "passes" and "fails" separately.

        Decisions that are all made by people have no entry.
        """
        return {side: of_side for side, of_side in self.parts.items() if of_side.is_certified}

    @property
    def is_supported(self) -> bool:
        """True if the labels support that some decisions need no person."""
        return bool(self.certified)

    @property
    def is_testable(self) -> bool:
        """True if there are enough labels, or groups of them, to certify the promise if every decision were right."""
        return _is_testable(self.seen, self.promise)

    @property
    def decided(self) -> list[int]:
        """Numbers of labelled examples that each judge decides, in order, and last the number that people decide."""
        by = self.seen.decided_by(self.parts.values())
        return [int(count) for count in np.bincount(by, minlength=len(self.candidates) + 1)]

    @property
    def errors(self) -> int:
        """Number of wrong automatic decisions on the labelled examples."""
        return self.seen.errors(self.parts.values())

    @property
    def upper(self) -> float | None:
        """Upper confidence limit of the share of wrong automatic decisions; None if no decision is automatic."""
        return max((of_side.upper for of_side in self.certified.values() if of_side.upper is not None), default=None)

    @property
    def votes(self) -> int | None:
        """Number of judges on the panel, if one panel that votes makes all automatic decisions; None otherwise."""
        votes = [len(candidate.name.split(PANEL)) for candidate in self.candidates]
        return votes[0] if self.signals == ("votes",) else None

    @property
    def why_not_written(self) -> str | None:
        """Reason why the certificate isn't written, such as a judge without a name; None if it can be written."""
        if not self.is_supported:
            return "nothing is certified"
        return next((candidate.why_unnamed for candidate in self.candidates if candidate.why_unnamed), None)

    def certain(self, index: int) -> float | dict[str, float | None] | None:
        """Return the smallest certainty with which a judge's decisions need no person.

        Args:
            index: Index of the judge, from 0.

        Returns:
            One number, or a dict with one for passes and one for fails if these have separate promises; None if none of
            its decisions are automatic.
        """
        return self._by_side(lambda of_side: of_side.certain[index])

    def _by_side(self, of_part: Callable[[CertifiedCascade], float | None]) -> float | dict[str, float | None] | None:
        certain = {side: of_part(of_side) for side, of_side in self.parts.items()}
        return certain["both"] if "both" in certain else {side: certain.get(side) for side in MARK_SIDES}

    def stages(self) -> list[dict[str, Any]]:
        """Return the entries of the certificate's file on each judge or panel, in the order in which they are asked."""
        return [
            {
                "judge": candidate.name,
                "model": list(candidate.models),
                "fingerprint": candidate.fingerprint or "",
                "certainty": signal,
                "certain": self.certain(index),
            }
            for index, (candidate, signal) in enumerate(zip(self.candidates, self.signals, strict=True))
        ]

    @property
    def figures(self) -> dict[str, Any]:
        """Entries of the certificate's file on the promised limit of wrong decisions, the judges and the labels."""
        automatic = {side: of_side.automatic.to_json() for side, of_side in self.parts.items()}
        return {
            "error": self.promise.error,
            "confidence": self.promise.confidence,
            "wrong_passes": self.promise.wrong_passes,
            "for": self.promise.side,
            "further": self.promise.further,
            "stages": self.stages(),
            "labels": {
                "n": self.n,
                "sha256": self.labels,
                "split": self.split or "",
                "groups": self.groups,
                "explicit": self.seen.labels.explicit,
                "kind": self.kind,
            },
            "pass_shares": self.pass_shares.to_json(),
            "automatic": automatic if len(automatic) > 1 else next(iter(automatic.values())),
            "decided": self.decided,
            "errors": self.errors,
            "upper": self.upper,
        }

    def to_json(self, rubric: Rubric, *, at: str) -> dict[str, Any]:
        """Return the content of the certificate's file, except the decisions on labelled examples.

        Args:
            rubric: The rubric, whose fingerprints the file states.
            at: The day of the certificate.
        """
        prints = {"rubric": rubric.fingerprint, "prompt": asking_fingerprint(rubric)}
        return {"schema": SCHEMA, **self.figures, "fingerprints": prints, "at": at}

    def write(self, rubric: Rubric, examples: ExampleSet, *, at: str) -> Path | str:
        """Write the certificate's file next to the labels; return its path, or the reason why it isn't written.

        Args:
            rubric: The rubric.
            examples: The labelled examples, in whose folder the file is written.
            at: The day of the certificate.

        Raises:
            UsageError: The file can't be written, or the labels came from no file that it could be next to.
        """
        if self.why_not_written is not None:
            return self.why_not_written
        if examples.path is None:
            raise UsageError(f"{CASCADE_FILE} is written next to the labels, and these came from no file")
        folder = examples.path.parent
        path = folder / CASCADE_FILE
        document = self.to_json(rubric, at=at)
        document["labels"] |= certified_labels(examples.path, rubric, self.split)
        for stage, candidate in zip(document["stages"], self.candidates, strict=True):
            stage |= _source_entry(candidate.source, path)
        with writing(folder):
            refuse_link(path)
            write_whole(path, _file_text(document, self.seen.to_json()), follow=False)
        return path


def certificate_for(
    rubric: Rubric,
    examples: ExampleSet,
    candidates: Sequence[StageCandidate],
    promise: Promise,
    *,
    with_more_labels: Promise | None = None,
    kind: Kind | None = None,
    used: Collection[str] = (),
    split: str | None = None,
) -> Certificate:
    """Find which decisions judges, asked one after the other, may make without a person; return the certificate.

    Args:
        rubric: The rubric as it is today.
        examples: The examples with their labels.
        candidates: The judges, cheapest first.
        promise: The promise.
        with_more_labels: The promise that will be tested after further labels are given, by which the number of labels
            needed is estimated; None for `promise`.
        kind: The kind of labels that count; None for the strongest kind that the examples have.
        used: Ids of examples by which this rubric's weights or pass mark were fitted; no promise may be based on them.
        split: The part of the set (dev or test) that the labels are from, "all" for both parts; None for a set without
            parts.

    Raises:
        ComparisonError: No example is labelled.
    """
    labels = decided_labels(rubric, examples, kind, used)
    ranked = tuple(RankedDecisions.of(candidate.ratings, rubric, labels.ids) for candidate in candidates)
    seen = SeenDecisions(labels, ranked)
    tested_next = promise
    if with_more_labels is not None and _is_testable(seen, promise):
        tested_next = with_more_labels
    limit = seen.limit(tested_next)
    parts = seen.thresholds(promise)
    supported = any(of_side.is_certified for of_side in parts.values())
    last_stages = [seen.stage(ranked[-1], side) for side in promise.sides]
    totals = [labels_for_first_size(stage.certainty, stage.wrong, limit, labels.groups) for stage in last_stages]
    last = ranked[-1]
    decides = ~np.isnan(last.certainty)
    right = float((~labels.wrong(last.passes))[decides].mean()) if decides.any() else None
    return Certificate(
        promise=promise,
        parts=parts,
        candidates=tuple(candidates),
        signals=tuple(decisions.signal for decisions in ranked),
        right=right,
        needed=None if supported else min((total for total in totals if total is not None), default=None),
        n=len(labels.ids),
        groups=labels.n_groups,
        split=split,
        labels=labelling_digest(examples),
        pass_shares=seen.pass_shares(parts.values()),
        seen=seen,
        kind=kind,
    )


def _is_testable(seen: SeenDecisions, promise: Promise) -> bool:
    n_groups = seen.labels.n_groups
    return (len(seen.labels.ids) if n_groups is None else n_groups) >= seen.limit(promise).fewest


def _source_entry(source: Path | None, certificate: Path) -> dict[str, str]:
    """Return the dict that names a file in a certificate; {} without a file, and for a file outside the project.

    Args:
        source: The file of ratings or replies; None without one.
        certificate: Path of the certificate.
    """
    if source is None or not source.resolve().is_relative_to(project_of(certificate.parent)):
        return {}
    return {"file": name_of(source, certificate)}


def _file_text(document: Mapping[str, Any], decisions: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a certificate's file, which ends with a line for each labelled example.

    Args:
        document: The file's content except the decisions.
        decisions: An entry for each labelled example.
    """
    head = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False).removesuffix("\n}")
    lines = ",\n".join(f"    {json.dumps(decision, allow_nan=False)}" for decision in decisions)
    return f'{head},\n  "decisions": [\n{lines}\n  ]\n}}\n'
