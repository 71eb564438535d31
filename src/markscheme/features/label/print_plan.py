"""Output of `label` without a page: how many labels are needed, and which outputs to label next."""

import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from json import dumps as json_line
from pathlib import Path
from typing import Any

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.options import LabelOptions
from markscheme.commands.output import put, write_report
from markscheme.errors import UsageError
from markscheme.features.label.options import PlanOptions
from markscheme.features.label.plan_table import plan_of_table
from markscheme.features.label.run_plan import Plan, pairs_in_pool
from markscheme.features.label.view_plan import json_of, view
from markscheme.phrases import counted
from markscheme.ratings.column_options import ColumnOptions
from markscheme.rubrics.rubric import Rubric

_OF_A_DRAW = ("--next", "--pool", "--to")
"""Options of a draw, each with a value; only that of `--next` may be left out."""


def print_plan_of_table(
    table: str,
    columns: ColumnOptions,
    labels: LabelOptions,
    labelling: PlanOptions,
    json: str | None,
    *,
    quiet: bool,
) -> int:
    """Print how many labels are needed to calibrate a table without a rubric, and return the exit status.

    Args:
        table: Path of the table.
        columns: What the table's columns and values mean.
        labels: Which labels count, and the target.
        labelling: Options on the plan.
        json: The file for the plan's JSON, "-" for standard output; None for no file.
        quiet: True to print nothing but the JSON.
    """
    made = plan_of_table([Path(table)], columns, labels, labelling.annotators)
    write_report(lambda: view(made), lambda: json_of(made), {"json": json}, details=labelling.details, quiet=quiet)
    return 0


def print_plan(made: Plan, to: str | None, json: str | None, *, details: bool, quiet: bool) -> int:
    """Print how many labels the verdict needs and what the next run costs, and write the outputs to label next.

    Args:
        made: The plan.
        to: The file for the outputs that are drawn, "-" for standard output; None if none are drawn.
        json: The file for the plan's JSON, "-" for standard output; None for none.
        details: True to print the details too.
        quiet: True to print no plan.
    """
    write_report(
        lambda: replace(view(made, None if to == "-" else to), more="" if to is None else _plan_typed(sys.argv)),
        lambda: json_of(made),
        {"json": json},
        details=details,
        quiet=quiet,
        aside=to == "-",
    )
    if to is not None and made.next is not None:
        put(_lines(pick.to_json() for pick in made.next.picks), to)
    return 0


def _plan_typed(words: Sequence[str]) -> str:
    """Return the command that the user typed, with `--plan` added and without the options that draw outputs.

    Args:
        words: The words of the command line, the program first.
    """
    staying: list[str] = []
    option = ""
    for word in words[1:]:
        takes_word = word.isdecimal() if option == "--next" else option in _OF_A_DRAW
        option = word if word.startswith("--") else ""
        if not takes_word and word.partition("=")[0] not in _OF_A_DRAW:
            staying.append(word)
    return shlex.join([Path(words[0]).name, *staying, *(() if "--plan" in staying else ("--plan",))])


def refuse_shared_output(to: str | None, json: str | None) -> None:
    """Refuse to write both the plan's JSON and the outputs to label to standard output.

    Args:
        to: The file for the outputs to label, "-" for standard output; None for no file.
        json: The file for the plan's JSON, "-" for standard output; None for no file.

    Raises:
        UsageError: Both would be written to standard output.
    """
    if json == "-" and to == "-":
        raise UsageError("--to - writes the examples to label to standard output; name a file: --json plan.json")


def write_pairs(
    rubric: Rubric, pool: Path | None, to: str, *, most: int | None, seed: int, columns: ColumnOptions
) -> int:
    """Write pairs of outputs as examples to label, print in how many pairs each system is, and return the exit status.

    Args:
        rubric: A rubric of pairs.
        pool: The file of outputs.
        to: The file for the pairs, "-" for standard output.
        most: Largest number of pairs; None for all pairs if there are two systems, and for one pair per prompt if there
            are more.
        seed: Random seed.
        columns: What the pool's columns and values mean.

    Raises:
        UsageError: There is no pool, or no two systems responded to the same inputs.
    """
    if pool is None:
        raise UsageError("--pairs makes pairs of a file of outputs: add --pool FILE")
    design = pairs_in_pool(rubric, pool, most=most, seed=seed, columns=columns)
    put(_lines(pair.to_json() for pair in design.pairs), to)
    times = ", ".join(f"{system} in {n}" for system, n in design.systems.items())
    of = f"{counted(len(design.pairs), 'pair')} of {design.possible} over {counted(design.prompts, 'prompt')}"
    written = "YOUR-PAIRS.jsonl" if to == "-" else to
    label = Commands.on(rubric).label(f"--pool {shlex.quote(written)}")
    print(f"{of}: {times}. Label them: {label}", file=sys.stderr)
    return 0


def _lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json_line(row, ensure_ascii=False) + "\n" for row in rows)
