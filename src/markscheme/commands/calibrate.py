"""`markscheme calibrate`: a judge compared with human labels."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    from markscheme.report.views.calibration import json_of, view

    calibrations = request.calibrations()
    if len(calibrations) == 1:
        (one,) = calibrations
        _write(view(one), lambda: json_of(one), calibrations, report)
        return one.exit_status
    from markscheme.calibration.sides import choice_between, chosen
    from markscheme.report.views import choice as of_several

    choice = choice_between(calibrations)

    def data() -> dict[str, Any]:
        compared = of_several.json_of(choice)
        return {"schema": 1, "judges": [json_of(one) for one in calibrations], "comparison": compared}

    _write(of_several.view(choice, parts=[view(one) for one in calibrations]), data, calibrations, report)
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
    from markscheme.report.views.exports import json_of, view

    request.refuse_options_of_rubrics("an export contains its own ratings", accept=request.drift.accept)
    found = calibrate_export(paths, export.read(paths), request.options)
    junit = partial(_junit, found.metrics)
    write_report(view(found), lambda: json_of(found), report.targets, quiet=report.quiet, junit=junit)
    return found.exit_status


def _are_export(paths: Sequence[Path]) -> bool:
    """Whether the files are an export; of YAML none is, and a rubric's start is spared all readers."""
    if not all(path.is_file() and path.suffix not in (".yaml", ".yml") for path in paths):
        return False
    from markscheme.readers.detect import export_among

    return export_among(paths) is not None


def _write(
    document: "Document",
    data: Callable[[], dict[str, Any]],
    calibrations: Sequence["Calibration"],
    report: ReportOptions,
) -> None:
    """Write the report in the forms that were asked for, and into the summary of a GitHub Actions step."""
    from markscheme.commands.output import rendered, write_report

    write_report(document, data, report.targets, quiet=report.quiet, junit=partial(_junit, calibrations))
    if os.environ.get("GITHUB_STEP_SUMMARY"):
        from markscheme.report.step_summary import append_step_summary

        try:
            append_step_summary(rendered(document, "markdown"), Path(os.environ["GITHUB_STEP_SUMMARY"]))
        except OSError as error:
            print(f"warning: the step summary cannot be written: {error}", file=sys.stderr)


def _junit(calibrations: Sequence["Calibration"]) -> str:
    from markscheme.report.junit import calibrations_junit

    return calibrations_junit(calibrations)
