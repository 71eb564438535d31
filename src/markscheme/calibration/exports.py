"""Calibrations from another tool's export: each judge in it, per metric, against the annotators in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.calibration.calibration import Calibration, Options, Rater, calibration_of
from markscheme.errors import ComparisonError, RatingError
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import JUDGES, Rating
from markscheme.readers.imported import Reading
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.submission import Submission


@dataclass(frozen=True)
class ExportAnswer:
    """The calibrations of the judges in an export.

    Attributes:
        files: Of the export.
        reading: The export as read.
        metrics: One calibration for each metric and judge that both an annotator and a judge rated; its rubric has
            that metric alone.
        apart: Metrics that only one side rated, and which side didn't.
    """

    files: tuple[Path, ...]
    reading: Reading
    metrics: tuple[Calibration, ...]
    apart: tuple[str, ...]

    @property
    def worth_a_rubric(self) -> Calibration | None:
        """The judge with the lowest agreement among those not shown to be good; None without any."""
        weak = [one for one in self.metrics if one.decision.use not in ("gate", "trend")]
        return min(weak, key=_agreement, default=None)

    @property
    def exit_status(self) -> int:
        """1 if any judge needs adjusting; else the highest of the calibrations."""
        statuses = [one.exit_status for one in self.metrics]
        return 1 if 1 in statuses else max(statuses)


def _agreement(calibration: Calibration) -> float:
    value = calibration.comparison.agreement.value
    return 1.0 if value is None else value


def calibrate_export(files: Sequence[Path], reading: Reading, options: Options) -> ExportAnswer:
    """Calibrate each judge of an export on each of its metrics.

    Raises:
        RatingError: No metric is rated by both an annotator and a judge.
    """
    metrics: list[Calibration] = []
    apart: list[str] = []
    for criterion in reading.rubric.criteria:
        own = [_of_one(rating, criterion) for rating in reading.ratings if criterion.name in rating.criteria]
        labels = [rating for rating in own if rating.kind not in JUDGES]
        judges = list(dict.fromkeys(rating.rater for rating in own if rating.kind in JUDGES))
        if not labels or not judges:
            apart.append(f"{criterion.name}: rated by no {'judge' if labels else 'annotator'}")
            continue
        rubric = Rubric((criterion,), name=criterion.name)
        examples = _examples(reading, labels)
        for judge in judges:
            given = [rating for rating in own if rating.rater == judge and rating.kind in JUDGES]
            first = [rating for rating in given if not rating.sample]
            repeats = [rating for rating in given if rating.sample]
            rater = Rater(judge, "", "ratings", str(reading.path))
            try:
                metrics.append(calibration_of(rubric, examples, first, rater, options=options, repeats=repeats))
            except ComparisonError as problem:
                apart.append(f"{criterion.name} by {judge}: {problem}")
    if not metrics:
        found = "; ".join(apart) or "no metric at all"
        raise RatingError(f"has no metric that both an annotator and a judge rated ({found})", path=reading.path)
    return ExportAnswer(tuple(files), reading, tuple(metrics), tuple(apart))


def _of_one(rating: Rating, criterion: Criterion) -> Rating:
    """The part of a rating about one criterion; overall scores and decisions are dropped."""
    return replace(rating, criteria={criterion.name: rating.criteria[criterion.name]}, overall=None, passed=None)


def _examples(reading: Reading, labels: Sequence[Rating]) -> ExampleSet:
    by_unit: dict[str, list[Rating]] = {}
    for label in labels:
        by_unit.setdefault(label.id, []).append(label)
    known = reading.by_id
    return ExampleSet(
        tuple(
            replace(known.get(unit) or Example(Submission("", {}, unit)), labels=tuple(given))
            for unit, given in by_unit.items()
        ),
        path=reading.path,
    )
