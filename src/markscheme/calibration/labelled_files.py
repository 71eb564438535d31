"""Calibrations from files of other tools that hold both labels and verdicts: Promptfoo's results, and exports."""

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.policy import UseQuestion
from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.results import Reported
from markscheme.calibration.tables import AnnotatorAgreement, agreement_in, agreement_in_ratings
from markscheme.calibration.unlabelled_results import nothing_labelled
from markscheme.errors import ComparisonError, RatingError, UsageError, suggestion
from markscheme.phrases import in_words
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.examples_choice import Part, part_of
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.rating import Rating
from markscheme.readers.rated import RatedFile, RatedFiles, columns_from_options, open_rated
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.scales import below_step
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats.estimate import Reason
from markscheme.text import folded_word

PROMPTFOO_GRADERS = "Promptfoo's graders"
FindSince = Callable[[Rubric, ExampleSet, Sequence[Rating]], AcceptedBasis | None]
"""Function that finds the accepted run to compare a judge's ratings by a rubric with."""


# --- Promptfoo's results, whose graders are compared with the labels given in its viewer ------------------------------


def calibrate_results(
    paths: Sequence[Path],
    *,
    options: LabelOptions,
    split: Part | None,
    since: FindSince,
    rated: RatedFiles | None = None,
    metric: str | None = None,
) -> tuple[Calibration, ExampleSet]:
    """Compare the graders in Promptfoo's results, as one judge, with labels; return calibration and labelled examples.

    Args:
        paths: The files of results.
        options: Which labels count, and how much agreement is enough.
        split: Which split of the outputs counts.
        since: Function that returns the accepted run to compare with.
        rated: The content of the files, if they have been read already.
        metric: The one metric to calibrate; None compares outputs as wholes.

    Raises:
        RatingError: A file cannot be read, contains no verdict, or no output is labelled.
        UsageError: No metric has that name, or none of its verdicts has a label.
    """
    rated = rated or open_rated(paths)
    criterion = None if metric is None else _metric_named(rated.rubric, metric)
    if not rated.labelled.labels:
        raise nothing_labelled(paths, rated)
    if criterion is not None:
        rated = _of_metric(rated, criterion)
    examples = part_of(rated.labelled, split)
    ids = set(examples.ids)
    ratings = [
        replace(rating, rater=PROMPTFOO_GRADERS)
        for rating in rated.ratings
        if rating.kind in JUDGES and rating.id in ids
    ]
    days = " to ".join(dict.fromkeys(rated.days))
    provenance = ", ".join([*(path.name for path in paths), *([days] if days else [])])
    rater = Rater(PROMPTFOO_GRADERS, "", "ratings", provenance, named=shlex.join(map(str, paths)), has_rubric=False)
    calibration = calibration_of(
        rated.rubric,
        examples,
        ratings,
        rater,
        options=options,
        cost=rated.usage,
        since=since(rated.rubric, examples, ratings),
    )
    return calibration, examples


def _of_metric(rated: RatedFiles, criterion: Criterion) -> RatedFiles:
    """Select the verdicts and labels of one metric from Promptfoo's results.

    Raises:
        UsageError: The metric has no label.
    """
    files = tuple(replace(file, ratings=_of_decision(file.ratings, criterion.name)) for file in rated.files)
    chosen = replace(rated, rubric=replace(rated.rubric, criteria=(criterion,)), files=files)
    if not any(label for file in files for label in file.labels):
        raise UsageError(
            f"no label is of {criterion.name!r} alone: a thumb or an expected label says something of a metric where "
            f"it is the test's only one; `metadata: {{expected_label: {{{criterion.name}: pass}}}}` labels it"
        )
    return chosen


def _metric_named(rubric: Rubric, name: str) -> Criterion:
    """Find a metric of Promptfoo's results by its name, ignoring case.

    Raises:
        UsageError: No metric has that name; the message lists those that there are.
    """
    named = next((c for c in rubric.criteria if folded_word(c.name) == folded_word(name)), None)
    if named is not None:
        return named
    names = [criterion.name for criterion in rubric.criteria]
    instead = suggestion(name, names, mark="`") or f"; there are {in_words(names)}, and another --judge needs a rubric"
    raise UsageError(f"no graded metric is named {name!r}{instead}")


def _of_decision(ratings: Iterable[Rating], metric: str) -> tuple[Rating, ...]:
    """Return only the ratings on a given yes/no metric; the yes or no becomes each rating's score and decision too."""
    of_one = (rating for rating in ratings if metric in rating.criteria)
    levels = ((rating, rating.criteria[metric]) for rating in of_one)
    return tuple(
        replace(
            rating,
            criteria={metric: rated},
            overall=rated.level,
            passed=None if rated.level is None else bool(rated.level),
            error=(rated.reason or "no verdict") if rated.level is None else None,
        )
        for rating, rated in levels
    )


def labels_by_metric(rated: RatedFiles) -> bool:
    """Return True if every label is of a metric, and none is of an output as a whole."""
    labels = [label for file in rated.files for label in file.labels]
    return bool(labels) and all(label.overall is None and label.passed is None for label in labels)


# --- exports, in which each judge is compared with the annotators, metric by metric -----------------------------------


@dataclass(frozen=True)
class ToolFilesAnswer(Reported):
    """The calibrations of all judges in an export of another tool, one for each metric and judge.

    Attributes:
        files: The files of the export.
        tool_files: The content of these files.
        calibrations: One calibration for each judge and metric that an annotator rated too; its rubric has that metric
            alone.
        apart: Reasons why other metrics aren't compared: judges or people didn't rate them, or no example has both.
        columns: The user's options on metrics and raters.
    """

    files: tuple[Path, ...]
    tool_files: RatedFile
    calibrations: tuple[Calibration, ...]
    apart: tuple[Reason, ...]
    columns: ColumnOptions = ColumnOptions()

    @property
    def worth_a_rubric(self) -> Calibration | None:
        """The calibration with the lowest agreement of those whose judge can neither gate nor show trends, or None."""
        weak = [calibration for calibration in self.calibrations if calibration.decision.use not in ("gate", "trend")]
        return min(weak, key=_agreement, default=None)

    def exit_status_for(self, required: UseQuestion | None) -> int:
        """Return 1 if any judge needs adjusting, else the highest exit status of the calibrations.

        Args:
            required: The question that decides, "gate" or "trend"; None means the verdict.
        """
        statuses = [calibration.exit_status_for(required) for calibration in self.calibrations]
        return 1 if 1 in statuses else max(statuses)


def _agreement(calibration: Calibration) -> float:
    value = calibration.comparison.agreement.value
    return 1.0 if value is None else value


def answer_in(
    files: Sequence[Path], columns: ColumnOptions, options: LabelOptions, *, is_export: bool
) -> ToolFilesAnswer | AnnotatorAgreement | None:
    """Calibrate each judge in the files of an export on each of its metrics.

    If an export has several annotators and no judge, return the annotators' agreement with each other. If the files
    aren't an export, return the annotators' agreement for files of ratings, and None for any other files.

    Args:
        files: The files.
        columns: What their columns and values mean.
        options: Which labels count, and how much agreement is enough.
        is_export: True if the files are another tool's export.

    Raises:
        UsageError: Values may mean several things, and no option says which.
        RatingError: The files can't be read, or no metric is rated by both an annotator and a judge.
    """
    if not is_export:
        return agreement_in_ratings(files, columns)
    rated = open_rated(files, expected="anything", columns=columns_from_options(columns), joined=True)
    return agreement_in(rated, files, columns) or calibrate_tool_files(files, rated, options, columns)


def calibrate_tool_files(
    files: Sequence[Path], rated: RatedFiles, options: LabelOptions, columns: ColumnOptions = ColumnOptions()
) -> ToolFilesAnswer:
    """Calibrate each judge of an export on each of its metrics.

    Raises:
        RatingError: The files have no ratings of an annotator, or none of a judge.
        UsageError: Annotators and judges rated no common metric.
    """
    reading = rated.as_one_file
    metrics: list[Calibration] = []
    apart: list[Reason] = []
    for criterion in reading.rubric.criteria:
        ratings = [_of_one(rating, criterion) for rating in reading.ratings if criterion.name in rating.criteria]
        labels = [rating for rating in ratings if rating.kind not in JUDGES]
        judges = list(dict.fromkeys(rating.rater for rating in ratings if rating.kind in JUDGES))
        if not labels or not judges:
            missing = "judge" if labels else "annotator"
            apart.append(Reason("metric-of-one-side", {"metric": criterion.name, "missing": missing}))
            continue
        rubric = _rubric_of(criterion, reading.rubric)
        examples = reading.labelled(labels)
        for judge in judges:
            judged = [rating for rating in ratings if rating.rater == judge and rating.kind in JUDGES]
            first = [rating for rating in judged if not rating.sample]
            repeats = [rating for rating in judged if rating.sample]
            rater = Rater(judge, "", "ratings", str(reading.path))
            try:
                metrics.append(calibration_of(rubric, examples, first, rater, options=options, repeats=repeats))
            except ComparisonError as problem:
                facts = {"metric": criterion.name, "judge": judge, "why": str(problem)}
                apart.append(Reason("metric-not-compared", facts))
    if not metrics:
        _refuse_metrics_apart(apart)
        reasons = "; ".join(map(str, apart)) or "no metric at all"
        raise RatingError(f"has no metric that both an annotator and a judge rated ({reasons})", path=reading.path)
    return ToolFilesAnswer(tuple(files), reading, tuple(metrics), tuple(apart), columns)


_CHOICES = 6
"""Largest number of commands that a refusal offers."""


def _refuse_metrics_apart(apart: Sequence[Reason]) -> None:
    """Refuse an export in which judges rated some metrics and people others: `--map` says which are the same.

    Raises:
        UsageError: Some metrics are rated by judges alone, and others by people alone.
    """
    alone = [reason.facts for reason in apart if reason.code == "metric-of-one-side"]
    of_judges, of_people = (
        [str(facts["metric"]) for facts in alone if facts["missing"] == missing] for missing in ("annotator", "judge")
    )
    if of_judges and of_people:
        same = [("--map", f"{person}={judge}") for person in of_people for judge in of_judges]
        raise refusal("metrics-apart", columns=of_people, choices=same[:_CHOICES], judges=of_judges)


def _rubric_of(criterion: Criterion, whole: Rubric) -> Rubric:
    """Make a rubric with a single metric of an export; it decides pass or fail only if the metric does.

    Args:
        criterion: The metric.
        whole: The rubric of all metrics, whose tolerance and kind of example the new rubric gets.
    """
    scale = criterion.scale
    decides = scale.is_yes_no or scale.mirrored
    has_words = scale.by_label and not decides
    return Rubric(
        (criterion,),
        name=criterion.name,
        compares=whole.compares,
        tolerance=min(whole.tolerance, below_step(len(scale.levels) - 1)) if has_words else whole.tolerance,
        table_of=None if decides else "values",
    )


def _of_one(rating: Rating, criterion: Criterion) -> Rating:
    """Return a rating with one criterion only, and without the overall score and decision."""
    return replace(rating, criteria={criterion.name: rating.criteria[criterion.name]}, overall=None, passed=None)
