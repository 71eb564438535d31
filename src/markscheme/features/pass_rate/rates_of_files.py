"""What `pass-rate` prints without a stream: the rate of one file, corrected by labels, or the gate on several runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.rates.decisions import decided_in, graded_table, rated_of_table, read_decided
from markscheme.calibration.rates.pass_rates import DrawnHow, PassRates, pass_rates
from markscheme.commands.output import TOO_FEW, show
from markscheme.errors import UsageError, naming
from markscheme.features.pass_rate.gate_of_runs import print_gate
from markscheme.features.pass_rate.least_rate import RateAnswer
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import names_table
from markscheme.readers.rated import meanings_of, open_rated
from markscheme.readers.tabular.reading import read_files
from markscheme.readers.tabular.refusals import refusal
from markscheme.report.document import Document
from markscheme.report.views.pass_rate import json_of, view
from markscheme.rubrics.rubric import Rubric


def print_gate_or_rate(
    files: Sequence[Path],
    named: Rubric | None,
    least: float | None,
    *,
    calibration: Path | None,
    how: DrawnHow | None,
    of: Literal["score", "pass"],
    runs_in_ci: int,
    examples: Path | None,
    columns: ColumnOptions,
    details: bool,
    json: bool,
) -> int:
    """Print how often a gate on runs fails though nothing changed, or the pass rate of one file; the exit status.

    Args:
        files: The file, or one file of each run.
        named: The rubric; None for none.
        least: The pass rate, or the mean of a run, that is enough; None where none is named.
        calibration: The labels that correct a rate; None where they are in the file, or for a gate.
        how: How these labels were drawn; None as they say.
        of: What the gate compares.
        runs_in_ci: Runs that CI averages.
        examples: Examples whose groups say which cases vary together; None for none.
        columns: What the caller says of the files' columns.
        details: Whether the figures behind a gate are printed too.
        json: Whether JSON is printed.

    Raises:
        UsageError: Several files are named without what is enough, or labels are missing.
    """
    has_runs = len(files) > 1 or not _is_labelled_table(files[0], columns)
    if least is not None and calibration is None and has_runs:
        return print_gate(
            files,
            named,
            least,
            of=of,
            runs_in_ci=runs_in_ci,
            examples=examples,
            columns=columns,
            details=details,
            json=json,
        )
    if len(files) > 1:
        raise UsageError("several files are runs over the same cases: --at-least T names the gate, or --track watches")
    return _print_rate(files[0], calibration, how, named, least, columns, json=json)


def _is_labelled_table(path: Path, columns: ColumnOptions) -> bool:
    """Return whether a file is a table with people's labels, whose rate is corrected instead of compared over runs."""
    return bool(columns.human) and names_table([str(path)])


def _print_rate(
    file: Path,
    calibration: Path | None,
    how: DrawnHow | None,
    named: Rubric | None,
    least: float | None,
    columns: ColumnOptions,
    *,
    json: bool,
) -> int:
    """Print the pass rate of one file; the exit status."""
    if calibration is None and named is None and names_table([str(file)]):
        return _of_table(file, columns.of_table(), how, least, json=json)
    columns.refuse(str(file))
    if calibration is None:
        raise UsageError("`--calibration FILE` is missing: what annotators and the judge both decided on")
    graded = graded_table(open_rated([file], named, expected="decisions", meanings=meanings_of(columns)))
    labelled = read_decided(calibration, named, columns)
    with naming(file, calibration):
        rates = pass_rates(graded, labelled.table, how=how)
    document = view(rates, labelled.reference)
    if rates.how == "elsewhere":
        rubric_name = (labelled.rubric or "RUBRIC") if named is None else named.name
        here = rates.raw.n + rates.not_graded
        onward = (
            "Next, label some of these responses themselves, from the file they came from",
            Commands.on(rubric_name).label_next(min(rates.labels, here)),
        )
        document = replace(document, onward=onward)
    return _answered(rates, document, json_of(rates, labelled.reference), least, json=json)


def _answered(rates: PassRates, document: Document, data: Mapping[str, Any], least: float | None, *, json: bool) -> int:
    """Print a rate, and whether it reaches what is enough; the exit status."""
    if least is None:
        show(document, data, json=json)
        return 0 if rates.corrected.undefined is None else TOO_FEW
    answer = RateAnswer(rates.corrected, least)
    show(replace(document, blocks=(answer.callout, *document.blocks)), {**data, **answer.to_json()}, json=json)
    return answer.status


def _of_table(file: Path, columns: ColumnOptions, how: DrawnHow | None, least: float | None, *, json: bool) -> int:
    """Print the pass rate of a table's rows, corrected by the labels in it; the exit status.

    Raises:
        UsageError: Some rows are labelled, and it isn't said how those were drawn.
    """
    reading = read_files([file], columns)
    (criterion,) = list(reading.roles.criteria)[:1]
    if how is None and reading.with_both(criterion) < len(reading.ids):
        choices = [("--drawn", way) for way in ("random", "by-verdict", "elsewhere")]
        raise refusal("drawn", columns=reading.raters(criterion, judges=False), choices=choices)
    with naming(file):
        rated = rated_of_table(reading)
        labelled = decided_in(rated)
        rates = pass_rates(graded_table(rated), labelled.table, how=how)
    document = view(rates, labelled.reference)
    return _answered(rates, document, json_of(rates, labelled.reference), least, json=json)
