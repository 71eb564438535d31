"""`markscheme calibrate`: a judge compared with human labels."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.commands.options import (
    AskOptions,
    DriftOptions,
    ExportOptions,
    JudgeNames,
    LabelOptions,
    RatingsFiles,
    ReportOptions,
    Target,
    completed_rubrics,
)
from markscheme.errors import UsageError

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.choice import Choice
    from markscheme.commands.calibrations import Request
    from markscheme.report.document import Document

NAMED = "a rubric's name or file, files of Promptfoo's results, or an export of another tool"


def calibrate(
    rubric: Annotated[tuple[str, ...], Parameter(metavar="RUBRIC|RESULTS", help=NAMED, completer=completed_rubrics)],
    /,
    *,
    judge: JudgeNames = (),
    ratings: RatingsFiles = (),
    labels: LabelOptions = LabelOptions(),
    target: Target = None,
    ask: AskOptions = AskOptions(),
    drift: DriftOptions = DriftOptions(),
    export: ExportOptions = ExportOptions(),
    report: ReportOptions = ReportOptions(),
) -> int:
    """Compare a judge with human labels; say whether it can decide, and what to fix.

    Promptfoo's results need no rubric, no key and no call: thumbs and scores given in its viewer, and
    metadata.expected_label, are the labels; each llm-rubric, g-eval or python metric is a judge. Nor do exports of
    MLflow, Langfuse, Label Studio, Inspect, LangSmith, Phoenix and DeepEval: each judge in them is compared with the
    annotators in them, metric by metric.

    Example:
        calibrate rubrics/code-quality.yaml --judge anthropic --json report.json

    Exit status:
        0 ok on human labels, 1 adjust, 2 invalid arguments, 3 no judge to ask, 4 not enough labels or no human ones,
        5 over a tenth not graded. With several judges, that of the recommended one.
    """
    from markscheme.commands.calibrations import Request
    from markscheme.commands.output import refuse_outputs

    refuse_outputs(report.targets)
    request = Request(rubric, judge, ratings, labels, target, ask, drift, quiet=report.quiet)
    found = _of_export(request, export, report)
    if found is not None:
        return found
    calibrations = request.calibrations()
    if len(calibrations) == 1:
        _write(calibrations, None, report)
        return calibrations[0].exit_status
    from markscheme.calibration.sides import choice_between, chosen

    choice = choice_between(calibrations)
    _write(calibrations, choice, report)
    return chosen(calibrations, choice).exit_status


def _of_export(request: "Request", export: ExportOptions, report: ReportOptions) -> int | None:
    """The exit status of what an export says of its judges, written; None where no export is named.

    Raises:
        UsageError: An option for exports is given without one, or one that only a rubric has.
    """
    paths = [Path(name) for name in request.named]
    if not _are_export(paths):
        for option, value in (("kind", export.kind), ("rater", export.rater), ("levels", export.levels)):
            if value:
                raise UsageError(f"--{option} is for exports of other tools; {request.named[0]} is none")
        return None
    from markscheme.calibration.exports import calibrate_export
    from markscheme.commands.output import write_report
    from markscheme.report.json import dumps
    from markscheme.report.views.exports import json_of, view

    request.refuse_options_of_rubrics("an export contains its own ratings", accept=request.drift.accept)
    found = calibrate_export(paths, export.read(paths), request.options)
    document = view(found)
    outputs = (
        (report.json, lambda: dumps(json_of(found)) + "\n"),
        (report.markdown, lambda: _markdown(document)),
        (report.junit, lambda: _junit(found.metrics)),
        (report.html, lambda: _html(document)),
    )
    write_report(document, outputs, quiet=report.quiet)
    return found.exit_status


def _are_export(paths: Sequence[Path]) -> bool:
    """Whether the files are an export; of YAML none is, and a rubric's start is spared all readers."""
    if not all(path.is_file() and path.suffix not in (".yaml", ".yml") for path in paths):
        return False
    from markscheme.readers.detect import export_among

    return export_among(paths) is not None


def _write(calibrations: Sequence["Calibration"], choice: "Choice | None", report: ReportOptions) -> None:
    """The report, in the forms that were asked for; what makes a form is loaded for it alone."""
    from markscheme.commands.output import write_report

    document = _document(calibrations, choice)
    outputs = (
        (report.json, lambda: _json(calibrations, choice)),
        (report.markdown, lambda: _markdown(document)),
        (report.junit, lambda: _junit(calibrations)),
        (report.html, lambda: _html(document)),
    )
    write_report(document, outputs, quiet=report.quiet)
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        _add_step_summary(_markdown(document))


def _document(calibrations: Sequence["Calibration"], choice: "Choice | None") -> "Document":
    """One calibration as it is; several after the choice between them."""
    from markscheme.report.views import calibration as of_one

    parts = [of_one.view(one) for one in calibrations]
    if choice is None:
        return parts[0]
    from markscheme.report.views import choice as of_several

    return of_several.view(choice, parts=parts)


def _json(calibrations: Sequence["Calibration"], choice: "Choice | None") -> str:
    """One calibration as it is; several as a list, with the choice between them."""
    from markscheme.report.json import dumps
    from markscheme.report.views import calibration as of_one

    found = [of_one.json_of(one) for one in calibrations]
    if choice is None:
        return dumps(found[0]) + "\n"
    from markscheme.report.views import choice as of_several

    return dumps({"schema": 1, "judges": found, "comparison": of_several.json_of(choice)}) + "\n"


def _markdown(document: "Document") -> str:
    from markscheme.report.markdown import render_markdown

    return render_markdown(document)


def _junit(calibrations: Sequence["Calibration"]) -> str:
    from markscheme.report.junit import calibrations_junit

    return calibrations_junit(calibrations)


def _html(document: "Document") -> str:
    from markscheme.commands.output import now
    from markscheme.report.html import render_html

    return render_html(document, when=now())


def _add_step_summary(markdown: str) -> None:
    from markscheme.report.step_summary import append_step_summary

    try:
        append_step_summary(markdown, Path(os.environ["GITHUB_STEP_SUMMARY"]))
    except OSError as error:
        print(f"warning: the step summary cannot be written: {error}", file=sys.stderr)
