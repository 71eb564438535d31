"""`markscheme pass-rate`: the pass rate of a graded set, corrected for the judge's errors."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.families import spelled
from markscheme.commands.options import (
    COUNT,
    AskFlags,
    Details,
    JsonFlag,
    RubricOption,
    existing_file,
    rubric_named,
)
from markscheme.commands.output import TOO_FEW, show
from markscheme.errors import UsageError, naming
from markscheme.features.pass_rate.options import TrackOptions
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import names_table
from markscheme.readers.tabular.refusals import refusal

if TYPE_CHECKING:
    from markscheme.calibration.rates.pass_rates import PassRates
    from markscheme.report.document import Document
    from markscheme.rubrics.rubric import Rubric

NO_STREAM = TrackOptions()
"""The options of a stream where none is given."""
How: TypeAlias = Literal["random", "by-verdict", "by-stratum", "elsewhere"]
"""How the labels that correct a pass rate were drawn."""


def pass_rate(
    files: Annotated[tuple[Path, ...], Parameter(metavar="FILE", help="what was graded")] = (),
    /,
    *,
    calibration: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    drawn: Annotated[How | None, Parameter(metavar="HOW")] = None,
    rubric: RubricOption = None,
    of: Annotated[Literal["score", "pass"], Parameter(metavar="FIGURE")] = "score",
    runs_in_ci: Annotated[int, COUNT, Parameter(metavar="R")] = 1,
    examples: Annotated[
        Path | None,
        Parameter(metavar="FILE", help="of several runs: examples that say the cases' groups"),
    ] = None,
    details: Details = False,
    json: JsonFlag = False,
    tracking: TrackOptions = NO_STREAM,
    columns: ColumnOptions = ColumnOptions(),
    ask: Annotated[AskFlags, spelled(scorers=None)] = AskFlags(),
) -> int:
    """Estimate what share of a graded set annotators would pass, with its interval, next to the share the judge
    passes; the same by prompt and provider, and the difference between any two. With --track, remember it week after
    week and say what moved: judge, responses or traffic.

    FILE is Promptfoo's results, or lines {"id", "pass": true|false|null} with an optional "group", "unit" and
    "stratum", or the plan that `label --next --json` wrote, with the strata its labels were drawn by; or ratings,
    grades, or an export of another tool; or a table that has the judge's verdicts and people's labels of some rows.
    With --track each response has a time. Several files without --track are runs over the same cases: would a gate at
    --at-least fail though nothing changed?

    Args:
        calibration: what annotators and the judge both decided on: the JSON of `calibrate --json`, lines {"id",
            "gold": true|false, "judge": true|false, "stratum": …}, Promptfoo's results with manual ratings, or an
            export with people's labels
        drawn: how the labels were drawn: random, by-verdict, by-stratum or elsewhere (default: as they say; else by
            verdict if they are of FILE, else elsewhere)
        of: of several runs: score (the mean score) or pass (the share of cases that pass)
        runs_in_ci: of several runs: how many CI averages (1)

    Example:
        markscheme pass-rate traces.jsonl --rubric reply --track --judge anthropic --budget 2

    Exit status:
        0 corrected, nothing moved, or the gate fails at most 1 run in 20; 1 moved until --since answers it, below
        --at-least, or the gate fails more often; 2 invalid arguments; 3 no judge to ask; 4 too few labels or runs, or
        audits waited four weeks; 5 over a tenth not graded.
    """
    named = rubric_named(rubric) if rubric else None
    if tracking.plan or tracking.track:
        return _of_stream(files, named, tracking, columns, ask, calibration, json=json, details=details)
    _refuse_without_track(tracking.of_stream)
    if not files:
        raise UsageError("name a FILE of what was graded")
    at_least = tracking.at_least
    if at_least is not None and calibration is None and (len(files) > 1 or not _is_labelled_table(files[0], columns)):
        from markscheme.features.pass_rate.gate_of_runs import print_gate

        return print_gate(
            files,
            named,
            at_least,
            of=of,
            runs_in_ci=runs_in_ci,
            examples=examples,
            columns=columns,
            details=details,
            json=json,
        )
    if len(files) > 1:
        raise UsageError("several files are runs over the same cases: --at-least T names the gate, or --track watches")
    return _of_file(files[0], calibration, drawn, named, at_least, columns, json=json)


def _of_stream(
    files: Sequence[Path],
    rubric: "Rubric | None",
    options: TrackOptions,
    columns: ColumnOptions,
    ask: AskFlags,
    calibration: Path | None,
    *,
    json: bool,
    details: bool,
) -> int:
    """Look at a stream, or plan its audits; the exit status.

    Raises:
        UsageError: No rubric is named.
    """
    from markscheme.features.pass_rate.command_tracked import print_plan, print_plan_of_labels, tracked_pass_rate

    if options.plan and calibration is not None:
        return print_plan_of_labels(calibration, rubric, columns, json=json)
    if rubric is None:
        raise UsageError("--track needs --rubric NAME, under which responses are remembered")
    if calibration is not None:
        raise UsageError("--track takes people's labels of its own audits; leave --calibration out")
    if options.plan:
        return print_plan(rubric, options, json=json)
    paths = [existing_file(path) for path in files]
    return tracked_pass_rate(paths, rubric, options, columns, ask, json=json, details=details)


def _refuse_without_track(values: Mapping[str, object]) -> None:
    for option, value in values.items():
        if value is not None:
            raise UsageError(f"{option} is for a stream that is remembered: add --track")


def _is_labelled_table(path: Path, columns: ColumnOptions) -> bool:
    """Return whether a file is a table with people's labels, whose rate is corrected instead of compared over runs."""
    return bool(columns.human) and names_table([str(path)])


def _of_file(
    file: Path,
    calibration: Path | None,
    drawn: How | None,
    named: "Rubric | None",
    at_least: float | None,
    columns: ColumnOptions,
    *,
    json: bool,
) -> int:
    """Print the pass rate of one file; the exit status."""
    from markscheme.calibration.rates.decisions import graded_table, read_decided
    from markscheme.calibration.rates.pass_rates import pass_rates
    from markscheme.readers.rated import meanings_of, open_rated
    from markscheme.report.views.pass_rate import json_of, view

    if calibration is None and named is None and names_table([str(file)]):
        return _of_table(file, columns.of_table(), drawn, at_least, json=json)
    columns.refuse(str(file))
    if calibration is None:
        raise UsageError("`--calibration FILE` is missing: what annotators and the judge both decided on")
    graded = graded_table(open_rated([file], named, expected="decisions", meanings=meanings_of(columns)))
    labelled = read_decided(calibration, named, columns)
    with naming(file, calibration):
        rates = pass_rates(graded, labelled.table, how=drawn)
    document = view(rates, labelled.reference)
    if rates.how == "elsewhere":
        rubric_name = (labelled.rubric or "RUBRIC") if named is None else named.name
        here = rates.raw.n + rates.not_graded
        onward = (
            "Next, label some of these responses themselves, from the file they came from",
            Commands.on(rubric_name).label_next(min(rates.labels, here)),
        )
        document = replace(document, onward=onward)
    return _answered(rates, document, json_of(rates, labelled.reference), at_least, json=json)


def _answered(
    rates: "PassRates", document: "Document", data: Mapping[str, Any], at_least: float | None, *, json: bool
) -> int:
    """Print a rate, and whether it reaches what is enough; the exit status."""
    if at_least is None:
        show(document, data, json=json)
        return 0 if rates.corrected.undefined is None else TOO_FEW
    from markscheme.features.pass_rate.least_rate import RateAnswer

    answer = RateAnswer(rates.corrected, at_least)
    show(replace(document, blocks=(answer.callout, *document.blocks)), {**data, **answer.to_json()}, json=json)
    return answer.status


def _of_table(file: Path, columns: ColumnOptions, drawn: How | None, at_least: float | None, *, json: bool) -> int:
    """Print the pass rate of a table's rows, corrected by the labels in it; the exit status.

    Raises:
        UsageError: Some rows are labelled, and it isn't said how those were drawn.
    """
    from markscheme.calibration.rates.decisions import decided_in, graded_table, rated_of_table
    from markscheme.calibration.rates.pass_rates import pass_rates
    from markscheme.readers.tabular.reading import read_files
    from markscheme.report.views.pass_rate import json_of, view

    reading = read_files([file], columns)
    (criterion,) = list(reading.roles.criteria)[:1]
    if drawn is None and reading.with_both(criterion) < len(reading.ids):
        choices = [("--drawn", how) for how in ("random", "by-verdict", "elsewhere")]
        raise refusal("drawn", columns=reading.raters(criterion, judges=False), choices=choices)
    with naming(file):
        rated = rated_of_table(reading)
        labelled = decided_in(rated)
        rates = pass_rates(graded_table(rated), labelled.table, how=drawn)
    document = view(rates, labelled.reference)
    return _answered(rates, document, json_of(rates, labelled.reference), at_least, json=json)
