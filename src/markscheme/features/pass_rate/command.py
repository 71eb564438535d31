"""`markscheme pass-rate`: the pass rate of a graded set, corrected for the judge's errors."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.options import JsonFlag, RubricOption, rubric_named
from markscheme.commands.output import TOO_FEW, show
from markscheme.errors import UsageError, naming
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import names_table
from markscheme.readers.tabular.refusals import refusal

How: TypeAlias = Literal["random", "by-verdict", "by-stratum", "elsewhere"]
"""How the labels that correct a pass rate were drawn."""


def pass_rate(
    file: Annotated[Path, Parameter(metavar="FILE", help="what was graded")],
    /,
    *,
    calibration: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    drawn: Annotated[How | None, Parameter(metavar="HOW")] = None,
    rubric: RubricOption = None,
    json: JsonFlag = False,
    columns: ColumnOptions = ColumnOptions(),
) -> int:
    """Estimate what share of a graded set annotators would pass, with its interval, next to the share the judge
    passes; the same by prompt and provider, and the difference between any two.

    FILE is Promptfoo's results, or lines {"id", "pass": true|false|null} with an optional "group", "unit" and
    "stratum", or the plan that `label --next --json` wrote, with the strata its labels were drawn by; or ratings,
    grades, or an export of another tool; or a table that has the judge's verdicts and people's labels of some rows.

    Args:
        calibration: what annotators and the judge both decided on: the JSON of `calibrate --json`, lines {"id",
            "gold": true|false, "judge": true|false, "stratum": …}, Promptfoo's results with manual ratings, or an
            export with people's labels
        drawn: how the labels were drawn: random, by-verdict, by-stratum or elsewhere (default: as they say; else by
            verdict if they are of FILE, else elsewhere)

    Example:
        markscheme pass-rate results.json --calibration calibration.json

    Exit status:
        0 corrected, 2 invalid arguments, 4 too few labels to correct.
    """
    from markscheme.calibration.rates.decisions import graded_table, read_decided
    from markscheme.calibration.rates.pass_rates import pass_rates
    from markscheme.readers.rated import meanings_of, open_rated
    from markscheme.report.views.pass_rate import json_of, view

    named = rubric_named(rubric) if rubric else None
    if calibration is None and rubric is None and names_table([str(file)]):
        return _of_table(file, columns.of_table(), drawn, json=json)
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
    show(document, json_of(rates, labelled.reference), json=json)
    return 0 if rates.corrected.undefined is None else TOO_FEW


def _of_table(file: Path, columns: ColumnOptions, drawn: How | None, *, json: bool) -> int:
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
    show(view(rates, labelled.reference), json_of(rates, labelled.reference), json=json)
    return 0 if rates.corrected.undefined is None else TOO_FEW
