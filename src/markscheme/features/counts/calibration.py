"""Calibration of a judge whose ratings, with gold's, are given as a counts file."""

import shlex
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from markscheme.calibration.calibration import Calibration, Counts, Rater, decision_of, findings_since
from markscheme.calibration.comparison.comparison import measure_of
from markscheme.calibration.comparison.limits import ErrorLimits
from markscheme.calibration.findings.diagnosis import findings_of
from markscheme.calibration.recorded_trials import (
    RecordedTrial,
    digest_of_set,
    record_of,
    record_settings,
    setting_digest,
)
from markscheme.errors import ComparisonError, UsageError
from markscheme.features.counts.accepted import accept_counts, since_accepted
from markscheme.features.counts.comparison import CountedComparison, compare_counts
from markscheme.features.counts.contrast import CountsContrast, rubric_counted
from markscheme.features.counts.counts_file import CountsFile, read_counts
from markscheme.features.counts.earlier_judge import since_earlier
from markscheme.features.counts.options import CountsOptions
from markscheme.features.counts.wrong_examples import read_shown
from markscheme.grading.receipt import ACCEPTED
from markscheme.judges.judge import Usage
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.examples import ExampleSet
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibration_folder, find_rubric, known_rubrics

if TYPE_CHECKING:
    from markscheme.calibration.requests.calibration import CalibrationRequest


@dataclass(frozen=True, repr=False, kw_only=True)
class CountedCalibration(Calibration):
    """Calibration of a judge from a counts file, which has numbers of examples by ratings and no single examples.

    Attributes:
        counts_file: The counts.
        since: These counts compared with the accepted ones; None if no counts by this rubric are accepted.
        examples_shown: Some wrong decisions, from the file next to the counts file.
        judge_is_stated: True if the judge's name is the user's word, since counts don't name their judge.
    """

    counts_file: CountsFile
    since: CountsContrast | None = None
    examples_shown: tuple[dict[str, Any], ...] = ()
    judge_is_stated: bool = False


def calibrate_counts(request: "CalibrationRequest", options: CountsOptions) -> CountedCalibration:
    """Calibrate a judge from a counts file, a table of how many examples have which ratings.

    Args:
        request: The request to calibrate, which may have no option that chooses examples or asks a judge.
        options: The counts file, and the options that belong to it.

    Raises:
        UsageError: The counts file is missing, can't be read or is of another rubric; or an option doesn't apply to
            counts.
        ComparisonError: The judge rated none of the examples.
    """
    if options.counts is None and options.earlier is not None:
        raise UsageError(f"--earlier {options.earlier} names a column of --counts FILE, which is missing")
    if options.counts is None:
        raise UsageError("--labels names the labels of --counts FILE, which is missing")
    _refuse_others(request)
    if request.accepting.accept and not isinstance(options.counts, Path):
        raise UsageError("--accept keeps a file of counts; these are none")
    rubric = _rubric(request, options)
    _refuse_uncountable(rubric)
    counts = read_counts(options.counts, rubric, options.earlier)
    labels = request.options
    if labels.tolerance not in (None, rubric.tolerance):
        raise UsageError(
            f"--tolerance {labels.tolerance:g}: {counts.name} counts what is closer than {rubric.tolerance:g}"
        )
    rater = _rater(request, counts, rubric, options.labels)
    comparison = compare_counts(counts, rubric, measure_of(rubric, labels.of))
    if not np.isfinite(comparison.rows_compared.judge).any():
        raise ComparisonError(f"the judge rated none of the examples of {counts.name}")
    if counts.unknown and request.notify is not None:
        request.notify(f"{counts.name}: nothing reads {', '.join(counts.unknown)}")
    baseline = since_earlier(comparison, rater, request.accepting)
    findings = findings_since(baseline, findings_of(comparison, elsewhere=True))
    most_wrong = ErrorLimits.of(labels, rubric)
    calibration = CountedCalibration(
        rubric=rubric,
        rater=rater,
        comparison=comparison,
        decision=decision_of(comparison, labels.target, findings, baseline, most_wrong),
        findings=findings,
        counts=_outcomes(comparison),
        cost=Usage(),
        judge_ratings=RatingCodes(),
        labelled=ExampleSet(()),
        baseline=baseline,
        counts_file=counts,
        examples_shown=read_shown(counts, options.counts) if isinstance(options.counts, Path) else (),
        judge_is_stated=_stated_judge(request) is not None,
    )
    calibration = _after_settings(calibration, options.labels or rubric.name)
    path = request.accepting.accepted or calibration_folder(rubric.name, Path.cwd()) / ACCEPTED
    calibration = replace(calibration, since=since_accepted(comparison, path))
    if request.accepting.accept:
        accept_counts(calibration, counts, path, request)
    return calibration


def _rubric(request: "CalibrationRequest", options: CountsOptions) -> Rubric:
    """Return the rubric that the user names; if a counts file is named instead, the rubric that it was made with."""
    if isinstance(request.of, Rubric):
        return request.of
    name = request.of[0]
    file = options.counts
    is_of_counts = isinstance(file, Path) and Path(name) == file
    return rubric_counted(file) if is_of_counts else load_rubric(find_rubric(name))


def _after_settings(calibration: CountedCalibration, labels: str) -> CountedCalibration:
    """Record that a judge was tried on the labels; return its calibration with the number of settings tried.

    Args:
        calibration: The calibration.
        labels: Name of the set of labels, which stays equal when labels are added to the set.
    """
    rubric = calibration.rubric
    measure = calibration.comparison.measure
    n = calibration.counts.examples
    today = date.today().isoformat()
    judge = calibration.rater.name
    setting = setting_digest(rubric, measure, judge)
    of_set = frozenset([digest_of_set(labels)])
    current = RecordedTrial(today, setting, rubric.fingerprint, judge, n, None, of_set, labels)
    tried, is_kept = record_settings(record_of(rubric), [current])
    on_labels = {setting.setting for setting in tried if current.examples <= setting.examples}
    return calibration.after(max(1, len(on_labels)), on_record=is_kept)


def _refuse_others(request: "CalibrationRequest") -> None:
    """Raise an error for options that choose examples or ask a judge, which don't apply to counts."""
    labels = request.options
    values = {
        "ratings": request.ratings,
        "examples": request.examples,
        "only": labels.only,
        "split": labels.split,
        "samples": request.ask.samples,
        "replay": request.accepting.replay,
    }
    for option, value in values.items():
        if value:
            raise UsageError(f"--{option} doesn't go with --counts: no example is known by itself")
    if len(request.judges) > 1:
        raise UsageError(f"--counts has one judge's verdicts; {len(request.judges)} judges are named: name one")


def _refuse_uncountable(rubric: Rubric) -> None:
    """Raise an error for a rubric whose figures can't be computed from counts."""
    if rubric.is_of_pairs:
        raise UsageError(f"{rubric.name} compares pairs of responses, which aren't counted")
    if rubric.categories:
        raise UsageError(f"{rubric.name} has categories, which aren't counted: --examples and --ratings compare them")


def _stated_judge(request: "CalibrationRequest") -> str | None:
    """Return the judge's name as the user stated it for this run; None if the user named none."""
    judges = () if request.judge_is_configured else request.judges
    return next((judge for judge in judges if isinstance(judge, str)), None)


def _rater(request: "CalibrationRequest", counts: CountsFile, rubric: Rubric, labels: str | None) -> Rater:
    """Describe the judge by the user's name for it, with the options that repeat the run on these counts.

    `labels` is the name that the user gives the set of labels; None if the user gives no name.
    """
    stated = _stated_judge(request)
    again = {"--counts": counts.name, "--judge": stated, "--earlier": counts.earlier, "--labels": labels}
    file = rubric.source
    is_named = isinstance(request.of, tuple) and Path(request.of[0]) != Path(counts.name)
    written = request.of[0] if isinstance(request.of, tuple) and is_named and file is not None else rubric.name
    by_name = (name for name, path in known_rubrics().items() if path == file)
    return Rater(
        name=stated or "judge",
        fingerprint="",
        source="ratings",
        provenance=counts.name,
        named=shlex.quote(next(by_name, written)),
        options=" ".join(f"{option} {shlex.quote(value)}" for option, value in again.items() if value),
    )


def _outcomes(comparison: CountedComparison) -> Counts:
    """Return the numbers of graded and ungraded examples; other outcomes are 0, as counts don't record them."""
    n = comparison.counts.examples
    return Counts(n, comparison.graded, 0, n - comparison.graded, 0, 0, 0, 0, 0, 0, 0)
