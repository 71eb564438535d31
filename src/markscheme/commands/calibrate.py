"""`markscheme calibrate`: a judge compared with human labels."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.calibration.options import AcceptingOptions, LabelOptions
from markscheme.commands.families import spelled
from markscheme.commands.options import (
    AskFlags,
    JudgeNames,
    RatingsFiles,
    ReportOptions,
    completed_rubrics,
    notify,
)
from markscheme.commands.output import refuse_outputs
from markscheme.commands.progress import progress
from markscheme.options.settings import find_settings
from markscheme.options.table import AddedOptions
from markscheme.progress import unwatched
from markscheme.ratings.column_options import ColumnOptions

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
    accepting: AcceptingOptions = AcceptingOptions(),
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
    report: ReportOptions = ReportOptions(),
) -> int:
    """Compare a judge with human labels; say whether it can decide, and what to fix.

    Promptfoo's results need no rubric, no key and no call: thumbs and scores given in its viewer, and
    metadata.expected_label, are the labels; each llm-rubric, g-eval or python metric is a judge. Nor do exports of
    MLflow, Langfuse, Label Studio, Inspect, LangSmith, Phoenix, Argilla and others: each judge in them is compared with
    the annotators in them, metric by metric. Nor does a table with a column of verdicts and one of labels. Of
    annotators alone, in a table or in a file of ratings, it gives the inter-annotator agreement.

    Example:
        calibrate rubrics/code-quality.yaml --judge anthropic --json report.json

    Exit status:
        0 ok on human labels, 1 adjust, 2 invalid arguments, 3 no judge to ask, 4 not enough labels, disagreeing or no
        human ones, 5 over a tenth not graded. With `--require`, 0 only where that use is shown, 1 where it is refused,
        4 where labels don't show it. With several judges, that of the recommended one.
    """
    from markscheme.commands.run_calibrate import CalibrationRequest, answer

    refuse_outputs(report.targets)
    request = CalibrationRequest(
        of=rubric,
        examples=labels.examples,
        judges=judge,
        judge_is_configured=judge == tuple(find_settings(Path.cwd()).texts("judge")),
        ratings=ratings,
        options=labels,
        ask=ask,
        added=added,
        accepting=accepting,
        columns=columns,
        watch=unwatched if report.quiet else progress,
        notify=notify,
    )
    return answer(rubric, request, report, require)
