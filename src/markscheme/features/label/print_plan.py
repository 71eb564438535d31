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
from markscheme.commands.options import AskFlags
from markscheme.commands.output import put, write_report
from markscheme.commands.progress import progress
from markscheme.errors import UsageError
from markscheme.features.label.options import PlanOptions
from markscheme.features.label.plan_rows import plan_of_rows
from markscheme.features.label.plan_table import plan_of_table
from markscheme.features.label.run_plan import Plan, make_plan, pairs_in_pool, with_pool
from markscheme.features.label.setup import rubric_of_results
from markscheme.features.label.view_plan import json_of, view
from markscheme.phrases import counted
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import names_table, rows_bring_rubrics

_OF_A_DRAW = ("--next", "--pool", "--to")
"""Options of a draw, each with a value; only that of `--next` may be left out."""


def print_plan_of(
    named: str,
    core: str | None,
    labels: LabelOptions,
    labelling: PlanOptions,
    ask: AskFlags,
    *,
    judges: Sequence[str],
    ratings: Sequence[Path],
    columns: ColumnOptions,
    seed: int,
    pool: Path | None,
    draws: int | None,
    to: str | None,
    on_pages: str,
    names_rater: bool,
    json: str | None,
    quiet: bool,
) -> int:
    """Print the labelling plan for rows with criteria of their own, a table or a rubric; return the exit status.

    Args:
        named: The file of rows, the table, or the rubric, as the user named it.
        core: Name or file of the rubric that rows share; None without one.
        labels: Which labels count, and the target.
        labelling: How many annotators label each example, and which other goals to show.
        ask: How judges are asked.
        judges: Names of the judges of the next run, or of a table's columns with a judge's ratings.
        ratings: Files of a judge's ratings of the examples, and of the pool.
        columns: What the files' columns and values mean.
        seed: Random seed of the draw.
        pool: The file of outputs to draw from; None without one.
        draws: Number of these outputs to draw; None for as many as the verdict needs.
        to: The file for the outputs that are drawn, "-" for standard output; None if none are drawn.
        on_pages: Options on who labels and on the labelling page, as typed in a shell.
        names_rater: True if these options name an annotator.
        json: The file for the plan's JSON, "-" for standard output; None for none.
        quiet: True to print no plan.

    Raises:
        UsageError: A file can't be read, or both outputs and JSON would be written to standard output.
    """
    _refuse_shared_output(to, json)
    if core is not None or rows_bring_rubrics(Path(named)):
        made = plan_of_rows(Path(named), core, labels, labelling, ask, judges=judges)
    elif names_table([named]) and pool is None:
        made = plan_of_table([Path(named)], columns.of_table(judges), labels, labelling.annotators)
    else:
        rubric = ask.rubric(rubric_of_results(named, Path.cwd()))
        made = make_plan(
            rubric,
            labels,
            labelling,
            ask,
            seed=seed,
            judges=judges,
            ratings=ratings,
            pool=None if to is None else pool,
            draws=draws,
            columns=columns,
            watch=progress,
        )
        if pool is not None and to is None:
            made = with_pool(made, pool, rubric, labels.examples, columns)
    made = replace(made, on_pages=on_pages, names_rater=names_rater)
    return _print_plan(made, to, json, details=labelling.details, quiet=quiet)


def _print_plan(made: Plan, to: str | None, json: str | None, *, details: bool, quiet: bool) -> int:
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


def _refuse_shared_output(to: str | None, json: str | None) -> None:
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
    named: str,
    ask: AskFlags,
    pool: Path | None,
    to: str | None,
    *,
    most: int | None,
    seed: int,
    columns: ColumnOptions,
) -> int:
    """Write pairs of outputs as examples to label, print in how many pairs each system is, and return the exit status.

    Args:
        named: Name or file of a rubric of pairs.
        ask: How a judge is asked.
        pool: The file of outputs; None without one.
        to: The file for the pairs, "-" for standard output; None without one.
        most: Largest number of pairs; None for all pairs if there are two systems, and for one pair per prompt if there
            are more.
        seed: Random seed.
        columns: What the pool's columns and values mean.

    Raises:
        UsageError: There is no pool or no file for the pairs, or no two systems responded to the same inputs.
    """
    if to is None:
        raise UsageError("--pairs writes pairs to label to a file: add --to FILE (- for standard output)")
    rubric = ask.rubric(rubric_of_results(named, Path.cwd()))
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
