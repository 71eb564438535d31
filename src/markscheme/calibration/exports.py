"""Calibrations from other tools' files, which ask nobody: Promptfoo's results, and exports."""

import shlex
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.calibration.calibration import Calibration, Options, Rater, calibration_of, decision_of
from markscheme.calibration.drift import Since
from markscheme.errors import ComparisonError, RatingError, RatingWarning
from markscheme.judges.judge import total
from markscheme.promptfoo.results import Results, read_results, together
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.rating import JUDGES, Rating
from markscheme.ratings.sources import Part, part_of
from markscheme.readers.imported import Reading
from markscheme.readers.promptfoo import graders_ratings, labelled_rows, read_promptfoo, rubric_of, scored_ids
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.submission import Submission

GRADERS = "Promptfoo's graders"
OF_SHARED_LABELS = ("halo", "redundant")
"""Findings that one label for all criteria of an output would always give."""
FindSince = Callable[[Rubric, ExampleSet, Sequence[Rating]], Since | None]
"""Finds the accepted run to compare ratings of a rubric with."""


# --- Promptfoo's results, whose graders are compared with the labels given in its viewer ------------------------------


def calibrate_results(
    paths: Sequence[Path], *, options: Options, split: Part | None, since: FindSince
) -> tuple[Calibration, ExampleSet]:
    """The graders in the results compared with the labels in them, and the labelled examples.

    Raises:
        RatingError: A file cannot be read, contains no verdict, or no output is labelled.
    """
    files = results_in(paths)
    rows, rubric = together(files), rubric_of(files)
    examples = part_of(labelled_rows(rows, rubric), split)
    kept = set(examples.ids)
    rows = tuple(row for row in rows if row.id in kept)
    ratings = graders_ratings(rows, GRADERS, rubric, by_score=scored_ids(rows))
    days = " to ".join(dict.fromkeys(results.at for results in files if results.at))
    provenance = ", ".join([*(path.name for path in paths), *([days] if days else [])])
    rater = Rater(GRADERS, "", "ratings", provenance, named=shlex.join(map(str, paths)), has_rubric=False)
    calibration = calibration_of(
        rubric,
        examples,
        ratings,
        rater,
        options=options,
        cost=total(row.usage for row in rows),
        since=since(rubric, examples, ratings),
    )
    return _by_row(calibration, options.target), examples


def ratings_of_results(path: Path, rubric: Rubric, examples: ExampleSet) -> list[Rating]:
    """The ratings that Promptfoo's graders gave a rubric's criteria, on its examples.

    An output belongs to the example with its id, else to the one example with the same response.

    Raises:
        RatingError: It cannot be read.
        ComparisonError: None of its outputs is an example.
    """
    imported = Reading(path, rubric)
    read_promptfoo(imported)
    known = set(examples.ids)
    by_response: dict[str, set[str]] = {}
    for example in examples.examples:
        by_response.setdefault(example.submission.response, set()).add(example.id)
    found = {example.id: by_response.get(example.submission.response, set()) for example in imported.examples}
    names = {
        unit: unit if unit in known else min(same) for unit, same in found.items() if unit in known or len(same) == 1
    }
    if not names:
        raise ComparisonError(f"{path} contains none of the examples, neither by id nor by response")
    judged = (rating for rating in imported.ratings if rating.kind in JUDGES)
    return [replace(rating, id=names[rating.id]) for rating in judged if rating.id in names]


def _by_row(calibration: Calibration, target: float | None) -> Calibration:
    """The calibration without findings that labels of whole outputs cannot support.

    A thumb counts for each metric of its output. So metrics look identical to annotators, which shows nothing about
    them; and with several metrics, the fault of one is not a fault of the combined verdict.
    """
    findings = tuple(found for found in calibration.findings if found.code not in OF_SHARED_LABELS)
    several = len(calibration.rubric.criteria) > 1
    against = [found for found in findings if found.criterion is None or not several]
    decision = decision_of(calibration.comparison, target, against, calibration.baseline)
    return replace(calibration, findings=findings, decision=decision)


def results_in(paths: Sequence[Path]) -> list[Results]:
    """Promptfoo's results in each file, with a warning of invalid labels and splits.

    Raises:
        RatingError: A file cannot be read.
    """
    files = [read_results(path) for path in paths]
    for results in files:
        for what, count in results.aside.items():
            if what.startswith("metadata."):
                warnings.warn(f"{results.path}: {count} outputs with {what}", RatingWarning, stacklevel=2)
    return files


# --- exports, in which each judge is compared with the annotators, metric by metric -----------------------------------


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
