"""`markscheme calibrate`: a judge compared with human labels."""

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from markscheme.commands.options import (
    AskOptions,
    DriftOptions,
    JudgeNames,
    LabelOptions,
    RatingsFile,
    ReportOptions,
    Target,
    completed_rubrics,
)

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.choice import Choice
    from markscheme.report.document import Document

NAMED = "a rubric's name or file, or files of Promptfoo's results"


def calibrate(
    rubric: Annotated[tuple[str, ...], Parameter(metavar="RUBRIC|RESULTS", help=NAMED, completer=completed_rubrics)],
    /,
    *,
    judge: JudgeNames = (),
    ratings: RatingsFile = None,
    labels: LabelOptions = LabelOptions(),
    target: Target = None,
    ask: AskOptions = AskOptions(),
    drift: DriftOptions = DriftOptions(),
    report: ReportOptions = ReportOptions(),
) -> int:
    """Compare a judge with human labels; say whether it can decide, and what to fix.

    Promptfoo's results need no rubric, no key and no call: thumbs and scores given in its viewer, and
    metadata.expected_label, are the labels; each llm-rubric, g-eval or python metric is a judge.

    Example:
        calibrate rubrics/code-quality.yaml --judge anthropic --json report.json

    Exit status:
        0 ok on human labels, 1 adjust, 2 invalid arguments, 3 no judge to ask, 4 not enough labels or no human ones,
        5 over a tenth not graded. With several judges, that of the recommended one.
    """
    from markscheme.calibration.sides import choice_between, chosen
    from markscheme.commands.calibrations import Request
    from markscheme.commands.output import refuse_outputs

    refuse_outputs(report.targets)
    request = Request(rubric, judge, ratings, labels, target, ask, drift, quiet=report.quiet)
    calibrations = request.calibrations()
    choice = choice_between(calibrations) if len(calibrations) > 1 else None
    _write(calibrations, choice, report)
    return chosen(calibrations, choice).exit_status


def _write(calibrations: Sequence["Calibration"], choice: "Choice | None", report: ReportOptions) -> None:
    """The report goes to standard output, or to standard error where standard output is taken."""
    from markscheme.commands.output import now, put

    if not report.quiet:
        from markscheme.report.terminal import render_terminal

        taken = "-" in report.targets.values()
        render_terminal(_document(calibrations, choice), sys.stderr if taken else sys.stdout)
    if report.json:
        from markscheme.report.json import dumps

        put(dumps(_json(calibrations, choice)) + "\n", report.json)
    if report.markdown:
        put(_markdown(calibrations, choice), report.markdown)
    if report.junit:
        from markscheme.report.junit import calibrations_junit

        put(calibrations_junit(calibrations), report.junit)
    if report.html:
        from markscheme.report.html import render_html

        put(render_html(_document(calibrations, choice), when=now()), report.html)
    _add_step_summary(calibrations, choice)


def _document(calibrations: Sequence["Calibration"], choice: "Choice | None") -> "Document":
    """One calibration as it is; several after the choice between them."""
    from markscheme.report.views import calibration as of_one
    from markscheme.report.views import choice as of_several

    if choice is None:
        return of_one.view(calibrations[0])
    return of_several.view(choice, parts=[of_one.view(calibration) for calibration in calibrations])


def _json(calibrations: Sequence["Calibration"], choice: "Choice | None") -> dict[str, Any]:
    """One calibration as it is; several as a list, with the choice between them."""
    from markscheme.report.views import calibration as of_one
    from markscheme.report.views import choice as of_several

    if choice is None:
        return of_one.json_of(calibrations[0])
    judges = [of_one.json_of(calibration) for calibration in calibrations]
    return {"schema": 1, "judges": judges, "comparison": of_several.json_of(choice)}


def _markdown(calibrations: Sequence["Calibration"], choice: "Choice | None") -> str:
    from markscheme.report.markdown import render_markdown

    return render_markdown(_document(calibrations, choice))


def _add_step_summary(calibrations: Sequence["Calibration"], choice: "Choice | None") -> None:
    if not os.environ.get("GITHUB_STEP_SUMMARY"):
        return
    from markscheme.report.step_summary import append_step_summary

    try:
        append_step_summary(_markdown(calibrations, choice))
    except OSError as error:
        print(f"warning: the step summary cannot be written: {error}", file=sys.stderr)
