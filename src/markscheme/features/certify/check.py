"""Check of a certificate: its thresholds are searched again, and its decisions compared with labels and ratings."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import numpy as np

from markscheme.calibration.accepted.recomputed import FileDifference, Recomputed
from markscheme.calibration.differences import differences_between
from markscheme.calibration.file_names import place_of
from markscheme.calibration.judge_runs import rated_by
from markscheme.errors import MarkschemeError, RatingError
from markscheme.features.certify.candidates import StageCandidate
from markscheme.features.certify.certificate import Certificate
from markscheme.features.certify.certificate_file import CERTAINTY_ROUNDING, CascadeFile, StageRecord, not_a_cascade
from markscheme.features.certify.decided_labels import DecidedLabels, decided_labels
from markscheme.features.certify.kind import CASCADE_FILE
from markscheme.features.certify.labels import certified_examples, changed_labels
from markscheme.features.certify.promise import AskedFor, Promise
from markscheme.features.certify.ranked_decisions import RankedDecisions
from markscheme.features.certify.seen_decisions import SeenDecisions, id_digest
from markscheme.grading import asking_fingerprint
from markscheme.json_text import no_constant
from markscheme.judges.kinds import kind_of
from markscheme.judges.options import AskOptions
from markscheme.judges.recorded import RecordedJudge
from markscheme.phrases import counted, in_words
from markscheme.plain_data import read_json, shown
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rating
from markscheme.ratings.splits import used_to_tune
from markscheme.readers.rated import judge_ratings
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import known_rubrics, project_of
from markscheme.stats.estimate import Estimate

WITHOUT_DECISIONS = "it doesn't keep the decisions that it was certified on; certify again"
TOLERANCE = 1e-8
"""Largest difference between two figures that count as equal; thresholds are stored with nine decimals."""
COMPARED = ("stages", "labels", "pass_shares", "automatic", "decided", "errors", "upper")
"""Entries of a certificate's file that are compared, since a new search gives them too."""


@dataclass(frozen=True, repr=False)
class CertificateCheck(Recomputed):
    """Result of checking a certificate: how it differs from a new search, and from the project's labels and ratings.

    Attributes:
        file: The certificate.
        labels: Number of labelled decisions from which the thresholds were searched again; 0 if they couldn't be.
    """

    file: CascadeFile
    labels: int = 0


def check_certificate_at(path: Path) -> CertificateCheck | None:
    """Check the certificate at a path, or in the folder at that path; None if there is no certificate."""
    file = path / CASCADE_FILE if path.is_dir() else path
    return check_certificate(file) if is_certificate_file(file) else None


def is_certificate_file(path: Path) -> bool:
    """Return True if a file is a certificate, by its name, or since it is a JSON object with the key `stages`."""
    if not path.is_file() or path.name == CASCADE_FILE:
        return path.is_file()
    try:
        document = read_json(path, RatingError)
    except RatingError:
        return False
    return isinstance(document, Mapping) and "stages" in document


def check_certificate(path: Path) -> CertificateCheck:
    """Search a certificate's thresholds again, and compare its decisions with the project's labels and ratings.

    No judge is asked, no file is written, and no file outside the project is read.

    Args:
        path: A cascade.json.

    Raises:
        UsageError: The file doesn't exist.
        RatingError: The file isn't a certificate.
    """
    file = CascadeFile.load(path)
    document = read_json(path, RatingError, parse_constant=no_constant)
    rubric = _rubric_of(path)
    unchecked: list[str] = []
    differences = [*_of_fingerprints(file, rubric)]
    if rubric is None:
        unchecked.append(f"the labels: no rubric {path.resolve().parent.name} in this project")
    else:
        try:
            changed = changed_labels(file, rubric)
            differences += [FileDifference("labels", now=changed)] if changed else []
        except RatingError as error:
            unchecked.append(f"the labels: {str(error).splitlines()[0]}")
    if document.get("decisions") is None:
        return CertificateCheck(
            file,
            differences=tuple(differences),
            recomputed=False,
            unchecked=(*unchecked, f"the thresholds: {WITHOUT_DECISIONS}"),
        )
    try:
        certificate = _searched_again(file, document)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise not_a_cascade(error, path) from error
    differences = [*_of_search(document, certificate), *differences]
    if rubric is not None:
        sources = _DecisionSources(file, document, certificate.seen, rubric)
        differences += sources.differences
        unchecked += sources.unchecked
    return CertificateCheck(
        file,
        labels=certificate.n,
        differences=tuple(differences),
        recomputed=True,
        unchecked=tuple(unchecked),
    )


def _rubric_of(path: Path) -> Rubric | None:
    """Load the rubric named like a certificate's folder; None if the project has no such rubric."""
    folder = path.resolve().parent
    rubric = known_rubrics(folder).get(folder.name)
    return None if rubric is None or not rubric.resolve().is_relative_to(project_of(folder)) else load_rubric(rubric)


def _of_fingerprints(file: CascadeFile, rubric: Rubric | None) -> Iterator[FileDifference]:
    if rubric is None:
        return
    fingerprints = {
        "the rubric": (file.rubric, rubric.fingerprint),
        "the prompt": (file.prompt, asking_fingerprint(rubric)),
    }
    for subject, (stated, today) in fingerprints.items():
        if stated != today:
            yield FileDifference(subject, today, stated)


def _searched_again(file: CascadeFile, document: Mapping[str, Any]) -> Certificate:
    """Search a certificate's thresholds again, on the labelled decisions that are stored in its file.

    Args:
        file: The certificate, as read.
        document: The file's whole content, as plain data.

    Raises:
        ValueError: The file's decisions can't be read, or a number is out of range.
    """
    labels = document.get("labels") or {}
    signals = tuple(stage.certainty for stage in file.stages)
    seen = SeenDecisions.of_json(document["decisions"], signals, explicit=labels.get("explicit") or 0)
    promise = Promise(
        error=file.error,
        confidence=file.confidence,
        side=_asked_for(file.side),
        wrong_passes=document.get("wrong_passes"),
        further=document.get("further") or 0,
    )
    parts = seen.thresholds(promise)
    return Certificate(
        candidates=tuple(
            StageCandidate(stage.judge, (), stage.model, stage.fingerprint or None) for stage in file.stages
        ),
        signals=signals,
        promise=promise,
        parts=parts,
        right=None,
        needed=None,
        n=len(seen.labels.ids),
        groups=seen.labels.n_groups,
        split=file.split,
        labels=file.labels or "",
        pass_shares=seen.pass_shares(parts.values()),
        seen=seen,
    )


def _of_search(document: Mapping[str, Any], certificate: Certificate) -> Iterator[FileDifference]:
    """Yield a difference for each entry of a certificate's file that a new search of the thresholds doesn't confirm."""
    figures = json.loads(json.dumps(certificate.figures, default=Estimate.to_json))
    for key, before, today in differences_between(_by_judge(document), _by_judge(figures), tolerance=TOLERANCE):
        yield FileDifference(key, shown(today), shown(before))


def _by_judge(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a certificate that a new search can confirm.

    Lists with an entry for each judge become dicts by the judge's position and name, such as "1. anthropic".
    """
    entries = {key: document.get(key) for key in COMPARED}
    judges = [f"{number_asked}. {stage['judge']}" for number_asked, stage in enumerate(document["stages"], start=1)]
    decided = document.get("decided")
    labels = document.get("labels")
    certain = [stage["certain"] for stage in document["stages"]]
    return {
        **entries,
        "stages": {judge: {"certain": threshold} for judge, threshold in zip(judges, certain, strict=True)},
        "labels": {key: labels.get(key) for key in ("n", "groups")} if isinstance(labels, Mapping) else labels,
        "decided": dict(zip((*judges, "people"), decided, strict=False)) if isinstance(decided, list) else decided,
    }


def _asked_for(side: str) -> AskedFor:
    """Return a valid side of a promise, such as "both", typed as `AskedFor`."""
    return next(sides for sides in get_args(AskedFor) if sides == side)


# --- where the decisions came from --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _DecisionSources:
    """The labels, ratings and recorded replies from which a certificate's decisions should result.

    Attributes:
        file: The certificate.
        document: The content of its file.
        seen: The decisions that its file stores.
        rubric: The rubric, as it is today.
    """

    file: CascadeFile
    document: Mapping[str, Any]
    seen: SeenDecisions
    rubric: Rubric

    @cached_property
    def examples(self) -> ExampleSet | None:
        """The labelled examples; None if they aren't in the project, or can't be read."""
        try:
            return certified_examples(self.file, self.rubric)
        except RatingError:
            return None  # said of the labels

    @cached_property
    def _labels(self) -> DecidedLabels | None:
        """People's current decisions on all labelled examples; examples used to tune the rubric aren't left out."""
        if self.examples is None:
            return None
        kind = (self.document.get("labels") or {}).get("kind")
        return decided_labels(self.rubric, self.examples, _kind(kind))

    @property
    def differences(self) -> Iterator[FileDifference]:
        """Differences of a certificate's decisions from the labels, ratings and replies that they came from."""
        if self.examples is None or self._labels is None:
            return
        yield from self._of_people(self._labels, used_to_tune(self.examples))
        for stage_index in range(len(self.file.stages)):
            ratings = self._ratings[stage_index]
            if not isinstance(ratings, str):
                yield from self._of_judge(stage_index, ratings, self._labels)

    @property
    def unchecked(self) -> Iterator[str]:
        """Lines that name the judges whose decisions no file of the project can confirm, each with the reason."""
        judges = [(stage.judge, why) for stage, why in zip(self.file.stages, self._ratings, strict=True)]
        for reason in dict.fromkeys(why for _, why in judges if isinstance(why, str)):
            yield f"the decisions of {in_words([judge for judge, why in judges if why == reason])}: {reason}"

    def _of_people(self, labels: DecidedLabels, used: frozenset[str]) -> Iterator[FileDifference]:
        """Yield how today's labels differ from those in the certificate.

        They may have other decisions, be on examples that the certificate lacks, or miss examples that it has.

        Args:
            labels: Today's decisions by annotators.
            used: Ids of examples that don't count, since weights or pass mark were fitted to them.
        """
        stated = dict(zip(self.seen.labels.ids, self.seen.labels.passed == 1, strict=True))
        passes = {id_digest(id): passed for id, passed in zip(labels.ids, labels.passed == 1, strict=True)}
        left_out = [id for id in labels.ids if id not in used and id_digest(id) not in stated]
        unlabelled = [digest for digest in stated if digest not in passes]
        otherwise = [
            id for id in labels.ids if (digest := id_digest(id)) in stated and stated[digest] != passes[digest]
        ]
        for subject, ids in (
            ("people decide otherwise", otherwise),
            ("labelled and left out", left_out),
            ("no label that may count here", unlabelled),
        ):
            if ids:
                yield FileDifference(f"decisions: {subject}", now=_listed(ids))

    @cached_property
    def _ratings(self) -> list[Sequence[Rating] | str]:
        """Ratings of each judge or panel from files of the project, or the reason why there are none."""
        return [self._ratings_of(stage_index) for stage_index in range(len(self.file.stages))]

    def _ratings_of(self, stage_index: int) -> Sequence[Rating] | str:
        stage = self.file.stages[stage_index]
        name = self.document["stages"][stage_index].get("file")
        if self.examples is None:
            return "the labelled examples aren't here"
        try:
            if not isinstance(name, str):
                recorded = self._recorded(stage)
                return "no file of ratings or replies is named or recorded" if recorded is None else recorded
            source = place_of(name, self.file.path)
            if not source.is_file():
                return f"{name} isn't here"
            kind = kind_of(stage.judge)
            if kind is None or kind.asks:
                return judge_ratings(source, self.rubric, self.examples)
            return self._rated_by(RecordedJudge.load(source))
        except MarkschemeError as error:
            return str(error).splitlines()[0]

    def _recorded(self, stage: StageRecord) -> Sequence[Rating] | None:
        """Return the ratings in a judge's or panel's replies recorded next to the certificate; None without any."""
        name = stage.judge.partition(":")[0]
        for path in sorted((self.file.path.parent / "replies").glob("*.jsonl")):
            judge = RecordedJudge.load(path)
            if judge.judge.partition(":")[0] == name and judge.model in stage.model:
                return self._rated_by(judge)
        return None

    def _rated_by(self, judge: RecordedJudge) -> Sequence[Rating]:
        """Grade the labelled examples by a judge's recorded replies; leave out ratings that have an error."""
        examples = self.examples.labelled.examples if self.examples is not None else ()
        return [rating for rating in rated_by(judge, self.rubric, examples, AskOptions())[0] if rating.error is None]

    def _of_judge(self, stage_index: int, ratings: Sequence[Rating], labels: DecidedLabels) -> Iterator[FileDifference]:
        """Yield a difference if a judge's ratings or replies lead to other decisions than those in the certificate.

        Args:
            stage_index: Index of the judge's stage in the certificate.
            ratings: The judge's ratings, from its file or from recorded replies.
            labels: People's decisions as they are now.
        """
        ranked = RankedDecisions.of(ratings, self.rubric, labels.ids)
        stage = self.file.stages[stage_index]
        stated = self.seen.judges[stage_index]
        if ranked.signal != stage.certainty:
            yield FileDifference(f"certainty of {stage.judge}", ranked.signal, stage.certainty)
            return
        by_digest = {digest: index for index, digest in enumerate(self.seen.labels.ids)}
        ids = {rating.id for rating in ratings}
        rated = {index for index, id in enumerate(labels.ids) if id in ids}
        otherwise = []
        for index, id in enumerate(labels.ids):
            seen_index = by_digest.get(id_digest(id))
            if seen_index is not None and index in rated and not _is_same(stated, seen_index, ranked, index):
                otherwise.append(id)
        if otherwise:
            yield FileDifference(f"decisions of {stage.judge}", now=f"its file says otherwise: {_listed(otherwise)}")


def _is_same(stated: RankedDecisions, seen_index: int, recomputed: RankedDecisions, index: int) -> bool:
    """Return True if a judge's decision on one example, and its certainty, are as the certificate states them.

    Args:
        stated: The judge's decisions in the certificate.
        seen_index: Index of the example in the certificate.
        recomputed: The judge's decisions by today's ratings or replies.
        index: Index of the example in `recomputed`.
    """
    certainties = np.round([stated.certainty[seen_index], recomputed.certainty[index]], CERTAINTY_ROUNDING)
    if np.isnan(certainties).any():
        return bool(np.isnan(certainties).all())
    is_close = abs(certainties[0] - certainties[1]) <= 10.0**-CERTAINTY_ROUNDING * 1.5
    return bool(is_close and stated.passes[seen_index] == recomputed.passes[index])


def _kind(kind: Any) -> Kind | None:
    return next((allowed for allowed in get_args(Kind) if allowed == kind), None)


def _listed(ids: Sequence[str]) -> str:
    return f"{counted(len(ids), 'example')}, as {shown(ids[0])}"
