"""A run of `certify`: read the labels, ask the judges or read their ratings, and make the certificate."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.errors import NothingGraded, UsageError
from markscheme.features.certify.candidates import (
    PANEL,
    StageCandidate,
    candidate_by_asking,
    candidate_in_files,
    candidate_in_table,
    files_of,
    mark_of_scores,
    refuse_code,
    refuse_stages,
    refuse_unnamed,
    stages_named,
)
from markscheme.features.certify.certificate import Certificate, certificate_for
from markscheme.features.certify.gray_zone import zone_of
from markscheme.features.certify.promise import Promise
from markscheme.features.certify.promises_asked import digest_of_decisions, recording_promise
from markscheme.judges.options import AskOptions
from markscheme.phrases import in_words
from markscheme.progress import Watch, unwatched
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import refuse_own_labels
from markscheme.ratings.kinds import JUDGES, Kind
from markscheme.ratings.rating import Rating
from markscheme.ratings.splits import used_to_tune, warn_of_split_groups
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.plain_tables import numbered_rows
from markscheme.readers.rated import open_rated
from markscheme.readers.tabular.reading import read_files
from markscheme.rubrics.edit import Changes, Edit, edit
from markscheme.rubrics.rubric import Rubric


@dataclass(frozen=True, kw_only=True)
class CertifyRun:
    """Result of a run of `certify`: the certificate, and the files that were written.

    Attributes:
        rubric: The rubric by which the judges graded.
        certificate: The decisions that the labels allow judges to make alone.
        written: The certificate's file, or the reason why it isn't written; None if writing it wasn't asked for.
        edit: The edit that writes the gray zone into the rubric's file; None if that wasn't asked for, or if no gray
            zone is certified.
    """

    rubric: Rubric
    certificate: Certificate
    written: Path | str | None = None
    edit: Edit | None = None


def certify(
    rubric: Rubric,
    judges: str | None,
    promise: Promise,
    *,
    ratings: Sequence[Path] = (),
    examples: Path | None = None,
    gold: Kind | None = None,
    ask: AskOptions,
    columns: ColumnOptions = ColumnOptions(),
    watch: Watch = unwatched,
    writes: bool = False,
    zone: bool = False,
) -> CertifyRun:
    """Find which decisions of judges need no person; if asked to, write the certificate or the rubric's gray zone.

    Args:
        rubric: The rubric.
        judges: The judges, as they are named after `--judge`; None for the judge that is set, or else the default one.
        promise: The promise that automatic decisions must keep.
        ratings: Files of ratings instead of judges: one file of a judge, or several of judges that vote.
        examples: A file of labelled examples; None for the rubric's own.
        gold: The kind of labels that count; None for the strongest kind that the examples have.
        ask: How judges are asked.
        columns: What the files' columns and values mean.
        watch: Shows progress.
        writes: True to write the certificate next to the labels.
        zone: True to write the result as the rubric's gray zone instead.

    Raises:
        UsageError: The rubric compares pairs; a judge is named twice, or too many judges are named; or a name is
            neither a judge nor a file, or is a file with ratings of several judges; or the certificate is to be
            written, and one of the judges can't be named in it.
        NoJudge: No judge is named, and none is available.
        BudgetError: The budget doesn't cover all examples.
        ComparisonError: No example is labelled.
        NothingGraded: A judge failed on every example.
    """
    if rubric.is_of_pairs:
        raise UsageError(f"{rubric.name} compares pairs, which neither pass nor fail: nothing there is decided")
    if ratings and judges is not None:
        raise UsageError("--ratings and --judge both name who decides; use one of them")
    stages = [] if judges is None else stages_named(judges)
    refuse_stages(stages)
    if writes:
        refuse_code(stages)
    every, folder = labelled_examples(rubric, examples)
    warn_of_split_groups(every)
    today = datetime.date.today().isoformat()
    shared = ask.context()
    refuse_unknown_columns([*ratings, *(path for stage in stages for path in files_of(stage))], columns)

    def rated(stage: str | None) -> StageCandidate:
        """Read the ratings of a judge or panel from files, or else ask it; None means the default judge."""
        files = ratings or (() if stage is None else files_of(stage))
        if files:
            candidate = candidate_in_files(files, rubric, every, columns, shared)
            refuse_own_labels(RatingCodes.of(candidate.ratings), every.labels, gold)
            return candidate
        return candidate_by_asking(stage, rubric, every, folder, ask, shared, watch)

    candidates = [rated(stage) for stage in (stages or (None,))]
    for candidate in candidates:
        errors = [rating.error for rating in candidate.ratings if rating.error is not None]
        if errors and len(errors) == len(candidate.ratings):
            raise NothingGraded([why if candidate.name in why else f"{candidate.name}: {why}" for why in errors])
    deciders = judges or ",".join(map(str, ratings)) or candidates[0].name
    decisions = digest_of_decisions(rubric, candidates, every)
    with recording_promise(every, promise, deciders, decisions, at=today) as turn:
        certificate = certificate_for(
            rubric,
            every,
            candidates,
            replace(promise, further=turn.further),
            with_more_labels=replace(promise, further=turn.on_record + (turn.record is not None)),
            kind=gold,
            used=used_to_tune(every),
            split="all" if every.has_splits else None,
        )
        if writes and certificate.is_supported:
            refuse_unnamed(candidates)
        if turn.record is not None and certificate.is_testable:
            turn.record()
    return CertifyRun(
        rubric=rubric,
        certificate=certificate,
        written=certificate.write(rubric, every, at=today) if writes else None,
        edit=_edited(rubric, certificate) if zone else None,
    )


def _edited(rubric: Rubric, certificate: Certificate) -> Edit | None:
    """Write the gray zone into the rubric's file and return the edit; None without a gray zone or a file.

    Raises:
        UsageError: The certificate isn't of one judge whose decisions are ranked by the distance from the pass mark.
        RubricError: The file can't be edited.
    """
    zone = zone_of(certificate)
    if certificate.is_supported and zone is None:
        raise UsageError(
            "--ask-within is for one judge whose decisions are ranked by the distance from the pass mark; "
            f"here they are ranked by {' and '.join(certificate.signals)}: use --write"
        )
    if zone is None or rubric.source is None:
        return None
    proposed = edit(rubric.source, Changes(ask_within=zone))
    if proposed.diff:
        proposed.write()
    return proposed


def certify_table(
    path: Path, judges: str | None, promise: Promise, columns: ColumnOptions, gold: Kind | None = None
) -> CertifyRun:
    """Find which decisions of the judges in a table would have needed no person; nothing is recorded or written.

    Args:
        path: The table.
        judges: Columns of judges, as they are named after `--judge`; None for all of them.
        promise: The promise.
        columns: What the table's columns and values mean.
        gold: The kind of labels that count; None for the strongest kind that the examples have.

    Raises:
        UsageError: The table has several criteria or no judge, or it isn't known which values pass.
    """
    named = () if judges is None else (judges.replace(PANEL, ","),)
    table = read_files([path], columns.of_table(named))
    criterion, *others = table.roles.criteria
    columns_of_judges = table.raters(criterion, judges=True)
    if others:
        raise UsageError(f"{path} rates {in_words([criterion, *others])}; name one column of people: --human COLUMN")
    if not columns_of_judges:
        raise UsageError(f"{path} has no column of a judge: name it with --judge COLUMN")
    rubric = table.rubric(criterion)
    if rubric.table_of == "values":
        raise UsageError(f"nothing says which values of {path} pass: --pass VALUE, or --pass-mark NUMBER")
    mark = mark_of_scores(criterion, table)
    rubric = rubric if mark is None else replace(rubric, pass_mark=mark)
    stages = columns_of_judges if judges is None else _columns_named(judges, columns_of_judges)
    candidates = [candidate_in_table(stage, criterion, table) for stage in stages]
    examples = table.examples(criterion)
    certificate = certificate_for(rubric, examples, candidates, promise, kind=gold)
    return CertifyRun(rubric=rubric, certificate=certificate)


def certify_rows(path: Path, judges: str | None, promise: Promise, gold: Kind | None = None) -> CertifyRun:
    """Find which decisions on responses with rubrics of their own would have needed no person; nothing is recorded.

    Args:
        path: The file of rows, with people's labels and judges' verdicts.
        judges: Judges in the file, as they are named after `--judge`; None for all of them.
        promise: The promise.
        gold: The kind of labels that count; None for the strongest kind that the rows have.

    Raises:
        UsageError: The file has no verdicts of a judge, or none of a judge that is named.
    """
    lacks_verdicts = UsageError(f"{path} has no verdicts of a judge: rows hold them as labels of the kind model")
    if not any(isinstance(row, Mapping) and row.get("labels") for _, row in numbered_rows(path)):
        raise lacks_verdicts
    rated = open_rated([path], expected="ratings")
    verdicts: dict[str, list[Rating]] = {}
    for rating in rated.ratings:
        if rating.kind in JUDGES:
            verdicts.setdefault(rating.rater, []).append(rating)
    if not verdicts:
        raise lacks_verdicts
    candidates = []
    for stage in verdicts if judges is None else _columns_named(judges, list(verdicts)):
        members = [stage] if stage in verdicts else stage.split(PANEL)
        unknown = next((name for name in members if name not in verdicts), None)
        if unknown is not None:
            raise UsageError(f"no judge {unknown!r} rated the rows of {path}; its judges: {in_words(list(verdicts))}")
        ratings = [rating for name in members for rating in verdicts[name]]
        candidates.append(StageCandidate(stage, ratings, why_unnamed="verdicts in rows don't say which judge to ask"))
    rubric = replace(rated.rubric, name=path.name, table_of="pass-fail")  # each row's own rubric decided
    certificate = certificate_for(rubric, rated.labelled, candidates, promise, kind=gold)
    return CertifyRun(rubric=rubric, certificate=certificate)


def _columns_named(text: str, judges: Sequence[str]) -> list[str]:
    """Split the value of `--judge` into names of a table's columns; keep it whole if it is the name of one column.

    Args:
        text: The value.
        judges: Names of the table's columns of judges.
    """
    return [text] if text in judges else [column.strip() for column in text.split(",")]
