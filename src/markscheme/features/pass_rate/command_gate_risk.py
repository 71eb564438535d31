"""`markscheme gate-risk`: would a gate fail though nothing changed?"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from markscheme.commands.options import (
    COUNT,
    WITHIN_1,
    Details,
    ExamplesFile,
    JsonFlag,
    RubricOption,
    existing_file,
    rubric_named,
)
from markscheme.commands.output import show
from markscheme.errors import UsageError, naming
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import names_table
from markscheme.readers.tabular.refusals import refusal

RISKY, NOT_KNOWN = 1, 4


def gate_risk(
    results: Annotated[tuple[Path, ...], Parameter(metavar="RESULTS", help="runs over the same cases")],
    /,
    *,
    threshold: Annotated[float, Parameter(metavar="T", validator=WITHIN_1)],
    of: Annotated[Literal["score", "pass"], Parameter(metavar="FIGURE")] = "score",
    runs_in_ci: Annotated[int, COUNT, Parameter(metavar="R")] = 1,
    rubric: RubricOption = None,
    examples: ExamplesFile = None,
    details: Details = False,
    json: JsonFlag = False,
    columns: ColumnOptions = ColumnOptions(),
) -> int:
    """Estimate how often a gate would fail though nothing changed, from repeated runs over the same cases: how many
    runs to average, which threshold is safe, and how small a drop the gate still finds.

    RESULTS is one file of Promptfoo's results with `--repeat`, or several files: Promptfoo's results, ratings, exports
    of other tools, or what `grade` and `experiment --json` write. Two runs are needed; five to eight are better.
    Cases of one group, such as a conversation, may vary together: groups come from RESULTS, or with --rubric from the
    examples in --examples.

    Args:
        threshold: the least mean that passes the gate
        of: what the gate compares: score (the mean score) or pass (the share of cases that pass)
        runs_in_ci: runs that CI averages (1)

    Example:
        markscheme gate-risk results.json --threshold 0.8

    Exit status:
        0 fails at most 1 run in 20, 1 fails more often, 2 invalid arguments, 4 nothing known about how far runs vary,
        5 over a tenth of the cases not graded.
    """
    from markscheme.calibration.rates.repeats import gate_of
    from markscheme.features.pass_rate.gate import table_of_runs
    from markscheme.features.pass_rate.view_gate_risk import json_of, view
    from markscheme.readers.rated import meanings_of, open_rated

    _refuse_one_run(results, columns.of_table(), is_named=rubric is not None)
    named = rubric_named(rubric) if rubric else None
    if examples is not None and named is None:
        raise UsageError("--examples needs --rubric NAME, the rubric whose examples these are")
    rated = open_rated(
        [existing_file(path) for path in results], named, expected="decisions", meanings=meanings_of(columns)
    )
    groups = {}
    if examples is not None:
        labelled = open_rated([existing_file(examples)], named, expected="examples").example_set
        groups = {example.id: example.group for example in labelled.examples}
    with naming(*results):
        gate = gate_of(table_of_runs(rated, of, groups), threshold, of, averaged=runs_in_ci)
    show(view(gate), json_of(gate), json=json, details=details)
    if gate.chance is None:
        return NOT_KNOWN
    return RISKY if gate.is_risky else 0


def _refuse_one_run(results: Sequence[Path], columns: ColumnOptions, *, is_named: bool) -> None:
    """Refuse one table without a column of runs, which says nothing of how far runs vary.

    Raises:
        UsageError: It is one.
    """

    if is_named or len(results) != 1 or not names_table([str(results[0])]):
        return
    from markscheme.readers.tabular.reading import read_files

    reading = read_files(results, columns)
    if not any(column.name.casefold() == "run" for column in reading.columns):
        judges = [name for criterion in reading.roles.criteria for name in reading.raters(criterion, judges=True)]
        raise refusal("one-run", columns=judges)
