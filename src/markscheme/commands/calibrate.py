"""`markscheme calibrate`: a judge compared with human labels."""

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from markscheme.calibration.file_answers import FileAnswer
from markscheme.calibration.options import DriftOptions, LabelOptions
from markscheme.calibration.results import reporter_of
from markscheme.commands.families import spelled
from markscheme.commands.options import (
    AskFlags,
    JudgeNames,
    RatingsFiles,
    ReportOptions,
    completed_rubrics,
    notify,
)
from markscheme.commands.output import refuse_outputs, rendered, write_report
from markscheme.commands.progress import progress
from markscheme.errors import UsageError, naming
from markscheme.options.settings import find_settings
from markscheme.options.table import AddedOptions
from markscheme.progress import unwatched
from markscheme.ratings.column_options import VALUES_OF_EXPORTS, ColumnOptions
from markscheme.report.several_judges import JUDGES_REPORTERS
from markscheme.report.step_summary import append_step_summary
from markscheme.rubrics.search import find_calibration

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.comparison.policy import UseQuestion
    from markscheme.calibration.labelled_files import ToolFilesAnswer
    from markscheme.calibration.requests.calibration import CalibrationRequest
    from markscheme.calibration.tables import AnnotatorAgreement, TableCalibrations
    from markscheme.report.document import Document

METAVAR = "RUBRIC|RESULTS|TABLE"
REQUIRED = "exit 0 only if this is shown: gate for single decisions, trend for averages"
NAMED = "a rubric's name or file, files of Promptfoo's results, an export of another tool, or a table"


def calibrate(
    rubric: Annotated[tuple[str, ...], Parameter(metavar=METAVAR, help=NAMED, completer=completed_rubrics)],
    /,
    *,
    judge: JudgeNames = (),
    ratings: RatingsFiles = (),
    labels: LabelOptions = LabelOptions(),
    require: Annotated[Literal["gate", "trend"] | None, Parameter(metavar="USE", help=REQUIRED)] = None,
    ask: AskFlags = AskFlags(),
    added: AddedOptions = AddedOptions(),
    drift: DriftOptions = DriftOptions(),
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
    report: ReportOptions = ReportOptions(),
) -> int:
    """Compare a judge with human labels; say whether it can decide, and what to fix.

    Promptfoo's results need no rubric, no key and no call: thumbs and scores given in its viewer, and
    metadata.expected_label, are the labels; each llm-rubric, g-eval or python metric is a judge. Nor do exports of
    MLflow, Langfuse, Label Studio, Inspect, LangSmith, Phoenix and DeepEval: each judge in them is compared with the
    annotators in them, metric by metric. Nor does a table with a column of verdicts and one of labels. Of annotators
    alone, in a table or in a file of ratings, it gives the inter-annotator agreement.

    Example:
        calibrate rubrics/code-quality.yaml --judge anthropic --json report.json

    Exit status:
        0 ok on human labels, 1 adjust, 2 invalid arguments, 3 no judge to ask, 4 not enough labels, disagreeing or no
        human ones, 5 over a tenth not graded. With `--require`, 0 only where that use is shown, 1 where it is refused,
        4 where labels don't show it. With several judges, that of the recommended one.
    """
    from markscheme.calibration.requests.calibration import CalibrationRequest
    from markscheme.readers.plain_tables import names_table

    refuse_outputs(report.targets)
    is_table = names_table(rubric)
    if not is_table:
        columns.refuse(rubric[0], but=VALUES_OF_EXPORTS)
    is_configured = judge == tuple(find_settings(Path.cwd()).texts("judge"))
    request = CalibrationRequest(
        of=rubric,
        examples=labels.examples,
        judges=judge,
        judge_is_configured=is_configured,
        ratings=ratings,
        options=labels,
        ask=ask,
        added=added,
        drift=drift,
        columns=columns,
        watch=unwatched if report.quiet else progress,
        notify=notify,
    )
    if is_table and not request.has_own_source:
        return _calibrate_table(request, columns.of_table(() if is_configured else judge), report, require)
    with naming(*ratings or map(Path, rubric)):
        of_tool_files = request.of_tool_files()
    if of_tool_files is not None:
        return _write_files_answer(of_tool_files, report, require)
    with naming(*ratings):
        calibrations = request.calibrations()
        return _write_calibrations(calibrations, labels, drift, report, require)


def _calibrate_table(
    request: "CalibrationRequest", columns: ColumnOptions, report: ReportOptions, require: "UseQuestion | None"
) -> int:
    """Write what a table says of its judges, or of its annotators; the exit status."""
    from markscheme.readers.tabular.reading import read_files
    from markscheme.report.table_words import notes

    paths = [Path(name) for name in request.of] if isinstance(request.of, tuple) else []
    with naming(*paths):
        reading = read_files(paths, columns)
        result = request.of_table(reading)
    sentences = "\n".join(notes(reading))
    if sentences:
        notify(sentences)
    if not isinstance(result, list):
        _write_table(result, report)
        return result.exit_status_for(require)
    return _write_calibrations(result, LabelOptions(), DriftOptions(), report, require)


def _write_table(result: "AnnotatorAgreement | TableCalibrations", report: ReportOptions) -> None:
    """Write what a table says of its annotators, or of its judge by criterion."""
    from markscheme.report.views import tables as views

    _write(views.view(result), lambda: views.json_of(result), views.judges_in(result), report)


def _write_calibrations(
    calibrations: "Sequence[Calibration]",
    labels: LabelOptions,
    drift: DriftOptions,
    report: ReportOptions,
    require: "UseQuestion | None",
) -> int:
    """Write the report on a judge, or on several; the exit status."""
    if len(calibrations) == 1:
        (calibration,) = calibrations
        _keep(calibration, labels)
        reporter = reporter_of(calibration)
        page = reporter.view(calibration)
        shown = replace(page, onward=None) if drift.accept else page  # it is accepted already
        _write(shown, lambda: reporter.json_of(calibration), calibrations, report)
        return calibration.exit_status_for(require)
    report_on_judges = next(iter(JUDGES_REPORTERS), None)
    if report_on_judges is None:
        names = ", ".join(calibration.rater.name for calibration in calibrations)
        raise UsageError(f"there are {len(calibrations)} judges to calibrate ({names}); name one")
    chosen, several, data = report_on_judges(calibrations)
    _keep(chosen, labels)
    _write(several, data, calibrations, report)
    return chosen.exit_status_for(require)


def _keep(calibration: "Calibration", labels: LabelOptions) -> None:
    """Keep the labels that the verdict needs, for `label` and `status`, where the rubric's folder can be written."""
    from markscheme.calibration.wanted_labels import keep_next_labels

    folder = find_calibration(calibration.rubric.name, Path.cwd())
    is_own = calibration.rater.has_rubric and labels.examples is None and labels.split is None
    if folder is None or not is_own:
        return
    with contextlib.suppress(OSError):
        keep_next_labels(calibration.decision, calibration.comparison.gold, calibration.rater.name, folder)


def _write_files_answer(
    answer: "ToolFilesAnswer | AnnotatorAgreement | FileAnswer", report: ReportOptions, require: "UseQuestion | None"
) -> int:
    """Write what an export says of its judges, or files of their annotators; the exit status."""
    from markscheme.calibration.tables import AnnotatorAgreement
    from markscheme.report.views.labelled_files import json_of, view

    if isinstance(answer, FileAnswer):
        reporter = reporter_of(answer)
        _write(reporter.view(answer), lambda: reporter.data(answer), answer.calibrations, report)
        return answer.exit_status_for(require)
    if isinstance(answer, AnnotatorAgreement):
        _write_table(answer, report)
        return answer.exit_status_for(require)
    junit = partial(_junit, answer.metrics)
    write_report(
        view(answer),
        lambda: json_of(answer),
        report.targets,
        details=report.details,
        quiet=report.quiet,
        junit=junit,
        sarif=partial(_sarif, answer.metrics),
    )
    return answer.exit_status_for(require)


def _write(
    document: "Document",
    data: Callable[[], object],
    calibrations: Sequence["Calibration"],
    report: ReportOptions,
) -> None:
    """Write the report in the forms that were asked for, and into the summary of a GitHub Actions step."""

    write_report(
        document,
        data,
        report.targets,
        details=report.details,
        quiet=report.quiet,
        junit=partial(_junit, calibrations),
        sarif=partial(_sarif, calibrations),
    )
    if report.annotate:
        from markscheme.report.annotations import workflow_commands

        for line in workflow_commands(calibrations, Path.cwd()):
            print(line, file=sys.stderr if "-" in report.targets.values() else sys.stdout)
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            append_step_summary(rendered(document, "markdown"), Path(os.environ["GITHUB_STEP_SUMMARY"]))
        except OSError as error:
            print(f"warning: the step summary cannot be written: {error}", file=sys.stderr)


def _junit(calibrations: Sequence["Calibration"]) -> str:
    from markscheme.report.junit import calibrations_junit

    return calibrations_junit(calibrations)


def _sarif(calibrations: Sequence["Calibration"]) -> str:
    from markscheme.report.annotations import sarif

    return sarif(calibrations, Path.cwd())
