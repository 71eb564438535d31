"""Estimates how often a gate on the mean of several runs would fail although nothing has changed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from markscheme.calibration.rates.repeats import gate_of
from markscheme.commands.options import existing_file
from markscheme.commands.output import show
from markscheme.errors import UsageError, naming
from markscheme.features.pass_rate.gate import table_of_runs
from markscheme.features.pass_rate.rates_of_files import KEY_OF_DECISION, holds_decisions
from markscheme.features.pass_rate.view_gate_risk import is_risky, json_of, view
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.mapped_columns import refuse_unknown_columns
from markscheme.readers.plain_tables import names_table
from markscheme.readers.rated import columns_from_options, open_rated
from markscheme.readers.tabular.reading import read_files
from markscheme.readers.tabular.refusals import refusal
from markscheme.rubrics.rubric import Rubric

RISKY, NOT_KNOWN = 1, 4


def print_gate(
    results: Sequence[Path],
    rubric: Rubric | None,
    threshold: float,
    *,
    of: Literal["score", "pass"],
    runs_in_ci: int,
    examples: Path | None,
    columns: ColumnOptions,
    details: bool,
    json: bool,
) -> int:
    """Print how often runs on the same cases would fall below a threshold by chance; return the exit status.

    Args:
        results: One file of Promptfoo's results with `--repeat`, or a file for each run.
        rubric: The rubric, which decides which scores pass; None for none.
        threshold: The smallest mean that passes the gate, 0 to 1.
        of: The figure that the gate compares: "score" for the mean score, "pass" for the share of cases that pass.
        runs_in_ci: Number of runs that CI averages.
        examples: The file of examples whose groups say which cases vary together; None for none.
        columns: What the files' columns and values mean.
        details: True to print the figures behind the answer too.
        json: True to print JSON.
    """
    _refuse_one_run(results, columns.of_table(), is_named=rubric is not None)
    if examples is not None and rubric is None:
        raise UsageError("--examples needs --rubric NAME, the rubric whose examples these are")
    files = [existing_file(path) for path in results]
    refuse_unknown_columns(files, columns)
    are_tables = names_table([str(file) for file in files])
    rated = open_rated(files, rubric, expected="decisions", columns=columns_from_options(columns))
    groups = {}
    if examples is not None:
        labelled = open_rated([existing_file(examples)], rubric, expected="examples").example_set
        groups = {example.id: example.group for example in labelled.examples}
    with naming(*results):
        gate = gate_of(table_of_runs(rated, of, groups), threshold, of, averaged=runs_in_ci)
    show(view(gate, in_promptfoo=not are_tables), json_of(gate), json=json, details=details)
    if gate.p_fail_wide is None:
        return NOT_KNOWN
    return RISKY if is_risky(gate) else 0


def _refuse_one_run(results: Sequence[Path], columns: ColumnOptions, *, is_named: bool) -> None:
    """Raise an error for a single table without a column for runs, since it doesn't show how much runs vary.

    Lines with decisions under `pass` are graded responses, and aren't refused unless they have people's labels too.

    Args:
        results: The files of results.
        columns: What the columns and values mean.
        is_named: True if a rubric is named, so that nothing is refused.

    Raises:
        UsageError: There is a single table, without such a column.
    """
    if is_named or len(results) != 1 or not names_table([str(results[0])]):
        return
    of_decisions = holds_decisions(results[0], columns)
    try:
        reading = read_files(results, replace(columns, judge=(KEY_OF_DECISION,)) if of_decisions else columns)
    except UsageError:
        if of_decisions:
            return
        raise
    if not any(column.name.casefold() == "run" for column in reading.columns):
        raters = [(name, is_judge) for criterion in reading.roles.criteria for is_judge in (True, False)
                  for name in reading.raters(criterion, judges=is_judge)]  # fmt: skip
        people = tuple(word for name, is_judge in raters if not is_judge for word in ("--human", name))
        raise refusal("one-run", columns=[name for name, is_judge in raters if is_judge], choices=[people])
