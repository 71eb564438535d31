"""Writes the report on a calibration to screen and files, and saves how many labels the verdict needs."""

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.policy import UseQuestion
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.requests.calibration import CalibrationRequest
from markscheme.calibration.results import reporter_of
from markscheme.calibration.wanted_labels import keep_next_labels
from markscheme.commands.options import ReportOptions
from markscheme.commands.output import rendered, write_report
from markscheme.errors import UsageError
from markscheme.report.annotations import sarif, workflow_commands
from markscheme.report.document import Document
from markscheme.report.several_judges import JUDGES_REPORTERS
from markscheme.report.step_summary import append_step_summary
from markscheme.rubrics.search import find_calibration


def write_calibrations(
    calibrations: Sequence[Calibration],
    request: CalibrationRequest | None,
    report: ReportOptions,
    use: UseQuestion | None,
) -> int:
    """Write the report on one or several judges, save how many labels are needed, and return the exit status.

    Args:
        calibrations: The calibrations, one for each judge.
        request: The request that they answer; None if they are of a table, for which no run is accepted.
        report: Where the report is written, and in which forms.
        use: The use that is required, "gate" or "trend"; None if none is.

    Raises:
        UsageError: There are several judges, and no feature recommends one.
    """
    if len(calibrations) == 1:
        (calibration,) = calibrations
        _keep(calibration, request)
        reporter = reporter_of(calibration)

        def page() -> Document:
            document: Document = reporter.view(calibration)
            # a run that is accepted need not be accepted next
            return replace(document, onward=None) if request is not None and request.accepting.accept else document

        write(page, lambda: reporter.json_of(calibration), calibrations, report)
        return _exit_status(calibration, report, use)
    report_on_judges = next(iter(JUDGES_REPORTERS), None)
    if report_on_judges is None:
        names = ", ".join(calibration.rater.name for calibration in calibrations)
        raise UsageError(f"there are {len(calibrations)} judges to calibrate ({names}); name one")
    chosen, several, data = report_on_judges(calibrations)
    _keep(chosen, request)
    write(lambda: several, data, calibrations, report)
    return _exit_status(chosen, report, use)


def _exit_status(calibration: Calibration, report: ReportOptions, use: UseQuestion | None) -> int:
    """Return the exit status; if a usable judge doesn't meet `--require`, print a line that says so."""
    status = calibration.exit_status_for(use)
    if use is not None and status and calibration.decision.is_usable and not report.quiet:
        print(f"--require {use}: not met, exit status {status}", file=sys.stderr)
    return status


def _keep(calibration: Calibration, request: CalibrationRequest | None) -> None:
    """Save how many labels the verdict needs, for `label` and `status`, if the rubric's own examples were compared.

    A folder that can't be written is ignored.
    """
    folder = find_calibration(calibration.rubric.name, Path.cwd())
    labels = LabelOptions() if request is None else request.options
    is_own = calibration.rater.has_rubric and labels.examples is None and labels.split is None
    if folder is None or not is_own:
        return
    with contextlib.suppress(OSError):
        keep_next_labels(calibration.decision, calibration.comparison.gold, calibration.rater.name, folder)


def write(
    document: Callable[[], Document],
    data: Callable[[], object],
    calibrations: Sequence[Calibration],
    report: ReportOptions,
) -> None:
    """Write the report to the screen, to the files the options name, and to the summary of a GitHub Actions step.

    Args:
        document: Function that builds the report.
        data: Function that returns the report's data for JSON.
        calibrations: The calibrations reported, for JUnit, SARIF and annotations of files.
        report: Options on where and how the report is written.
    """
    page = cache(document)
    write_report(
        page,
        data,
        report.targets,
        details=report.details,
        quiet=report.quiet,
        junit=partial(junit, calibrations),
        sarif=partial(sarif, calibrations, Path.cwd()),
    )
    if report.annotate:
        for line in workflow_commands(calibrations, Path.cwd()):
            print(line, file=sys.stderr if "-" in report.targets.values() else sys.stdout)
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            append_step_summary(rendered(page(), "markdown"), Path(os.environ["GITHUB_STEP_SUMMARY"]))
        except OSError as error:
            print(f"warning: the step summary cannot be written: {error}", file=sys.stderr)


def junit(calibrations: Sequence[Calibration]) -> str:
    """Render the results of calibrations as JUnit XML, for CI servers."""
    from markscheme.report.junit import calibrations_junit

    return calibrations_junit(calibrations)
