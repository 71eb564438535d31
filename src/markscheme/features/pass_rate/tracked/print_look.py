"""Output of `pass-rate --track`: what changed in a stream, or what is gained by more audits per week."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from markscheme.calibration.rates.decisions import read_decided
from markscheme.commands.output import TOO_FEW, rendered, show
from markscheme.errors import UsageError
from markscheme.features.pass_rate.least_rate import rate_callout, rate_json, rate_status
from markscheme.features.pass_rate.options import TrackOptions
from markscheme.features.pass_rate.tracked.counts import count_weeks
from markscheme.features.pass_rate.tracked.look import tracked_rate
from markscheme.features.pass_rate.tracked.plan import JudgeRates
from markscheme.features.pass_rate.tracked.run import TrackedRun, look_again, track
from markscheme.features.pass_rate.tracked.store import StreamFiles
from markscheme.features.pass_rate.tracked.view import json_of, judge_rates, plans_of, view, view_plan
from markscheme.judges.options import AskOptions
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.gold import GOLD, JUDGE
from markscheme.readers.peek import Peek
from markscheme.report.document import Command, Document, Paragraph
from markscheme.report.step_summary import append_step_summary
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibration_folder
from markscheme.stats.estimate import Estimate

_MOVED: Final = 1
"""Exit status if people's pass rate, the judge or its share of passes changed."""
_UNGRADED: Final = 5
"""Exit status if over a tenth of the responses aren't graded."""
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""Environment variable with the path of a GitHub Actions step's summary."""


def tracked_pass_rate(
    files: Sequence[Path],
    rubric: Rubric,
    options: TrackOptions,
    columns: ColumnOptions,
    ask: AskOptions,
    *,
    json: bool,
    details: bool,
) -> int:
    """Add files to a stream's stored responses, print its rates and what changed, and return the exit status.

    A stream is a system's responses over time.
    """
    columns, judge = _judge_of(files, columns)
    calibration = calibration_folder(rubric.name, Path.cwd())
    run = track(files, rubric, calibration, options, columns, ask=ask, judge=judge, moment=datetime.now(UTC))
    parts = None if options.by is None else _parts(run, options.by)
    document = view(run, parts)
    data = json_of(run, parts)
    if options.at_least is not None:
        document = replace(document, blocks=(rate_callout(run.look.rate, options.at_least), *document.blocks))
        data |= rate_json(run.look.rate, options.at_least)
    summary = os.environ.get(_SUMMARY)
    if summary:
        append_step_summary(rendered(_with_next_step(document), "markdown"), Path(summary))
    show(document, data, json=json, details=details)
    return _status(run, options.at_least)


def _with_next_step(document: Document) -> Document:
    """Return a document with its next step, and the step's command, as a last paragraph."""
    if document.onward is None:
        return document
    words, command = document.onward
    return replace(document, blocks=(*document.blocks, Paragraph(((f"{words}: ", Command(command)),))))


def print_plan(rubric: Rubric, options: TrackOptions, *, json: bool) -> int:
    """Print how precise a stream's pass rate gets, and how soon a drop is noticed, with more or fewer audits per week.

    The figures assume the judge's rates in the closed weeks. Return the exit status.

    Args:
        rubric: The rubric.
        options: Options on the stream.
        json: True to print JSON.

    Raises:
        UsageError: No closed week has labels of the judge's passes and of its fails.
    """
    calibration = calibration_folder(rubric.name, Path.cwd())
    stream = StreamFiles.of(calibration, options.stream)
    rates = None
    if stream.is_there:
        _, _, look = look_again(rubric, calibration, stream, datetime.now(UTC).date())
        rates = judge_rates(look)
    if rates is None:
        raise UsageError(
            "--plan needs what people say of some of the judge's passes and fails: label the audits of a week, or "
            "name what both decided with --calibration FILE"
        )
    return _show_plan(rates, rubric.name, json=json)


def print_plan_of_labels(path: Path, rubric: Rubric | None, columns: ColumnOptions, *, json: bool) -> int:
    """Print what more audits per week gain, given the labels and verdicts in a file; return the exit status."""
    table = read_decided(path, rubric, columns).table
    passes = table[JUDGE].decisions == 1
    good = table[GOLD].decisions == 1
    if not passes.any() or passes.all():
        raise UsageError(f"{path}: the judge decides the same of every example, so nothing can be planned")
    rates = JudgeRates(float(passes.mean()), float(good[passes].mean()), float(good[~passes].mean()))
    return _show_plan(rates, "this judge" if rubric is None else rubric.name, json=json)


def _show_plan(rates: JudgeRates, name: str, *, json: bool) -> int:
    plans = plans_of(rates)
    data = {
        "schema": 1,
        "judge": {"share": rates.share, "of_passes": rates.of_passes, "of_fails": rates.of_fails},
        "plans": [
            {
                "audits": plan.audits,
                "half_widths": list(plan.half_widths),
                "weeks_half": list(plan.weeks_half),
                "weeks_nine_tenths": list(plan.weeks_nine_tenths),
            }
            for plan in plans
        ],
    }
    show(view_plan(rates, plans, name), data, json=json)
    return 0


def _judge_of(files: Sequence[Path], columns: ColumnOptions) -> tuple[ColumnOptions, str | None]:
    """Split the values of `--judge` into columns of the files and a judge to ask; return the options and the judge.

    The options keep those values of `--judge` that are columns of the files. The judge is None if every value is a
    column.

    Raises:
        UsageError: Two judges to ask are named.
    """
    if not columns.judge:
        return columns, None
    in_files = {str(name) for path in files if path.is_file() for record in Peek(path).records for name in record}
    named = [name for name in columns.judge if name not in in_files]
    if len(named) > 1:
        raise UsageError(f"one judge grades a stream, not {', '.join(named)}")
    return replace(columns, judge=tuple(name for name in columns.judge if name in in_files)), next(iter(named), None)


def _parts(run: TrackedRun, column: str) -> Mapping[str, Estimate]:
    """Estimate the pass rate over a stream's closed weeks for each value of a column; empty without a closed week.

    Raises:
        UsageError: No response has that column.
    """
    weeks = {week.week for week in run.look.closed}
    rows = [row for row in run.memory.graded.values() if column in row.mix]
    if not rows:
        columns = sorted({name for row in run.memory.graded.values() for name in row.mix})
        raise UsageError(f"--by: no response has a column {column!r}; there are {', '.join(columns) or 'none'}")
    rows = [row for row in rows if row.week in weeks]
    values = sorted({str(row.mix[column]) for row in rows})
    return {
        value: tracked_rate(
            count_weeks([row for row in rows if str(row.mix[column]) == value], run.labels, run.through)
        )
        for value in values
    }


def _status(run: TrackedRun, at_least: float | None) -> int:
    look = run.look
    if look.moved:
        return _MOVED
    if not run.is_graded:
        return _UNGRADED
    if look.rate.value is None:
        return TOO_FEW
    of_rate = 0 if at_least is None else rate_status(look.rate, at_least)
    return TOO_FEW if of_rate == 0 and look.overdue is not None else of_rate
