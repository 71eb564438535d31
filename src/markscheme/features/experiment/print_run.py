"""Output of `experiment`: variants compared by their figures, or by preference; and the accepted run that it keeps."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from markscheme.calibration.accepted.history import loaded_unless_replaced
from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.rates.decisions import read_decided
from markscheme.calibration.results import reporter_of
from markscheme.commands.output import typed, write_report
from markscheme.commands.progress import progress
from markscheme.errors import MarkschemeError, UsageError
from markscheme.features.experiment.accepted import (
    AcceptedExperiment,
    accept_experiment,
    load_accepted_experiment,
)
from markscheme.features.experiment.definition import Experiment
from markscheme.features.experiment.outcome import ExperimentReport, report_of
from markscheme.features.experiment.outputs import OutputsFile
from markscheme.features.experiment.plan import plan_experiment, plan_view
from markscheme.features.experiment.preferences import prefer, too_few_graded
from markscheme.features.experiment.rules import Rule
from markscheme.features.experiment.run import grade_outputs, outputs_and_grading
from markscheme.features.experiment.view import csv_of, json_of, view
from markscheme.files import refuse_unwritable
from markscheme.grading import grade_json
from markscheme.grading.receipt import ACCEPTED
from markscheme.judges.options import AskOptions
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import refuse_table
from markscheme.user_code import search_for_code

OUTPUTS = "outputs.jsonl"
SUFFIX = ".experiment"
WORSE = "worse"
HIT, TOO_FEW_GRADED = 1, 5
_T = TypeVar("_T")


def print_experiment(
    file: Path,
    ask: AskOptions,
    columns: ColumnOptions,
    *,
    model: str | None,
    judge: str | None,
    outputs: Path | None,
    fail_if: Sequence[str],
    accept: bool,
    plan: bool,
    calibration: Path | None,
    targets: Mapping[str, str | None],
    details: bool,
) -> int:
    """Run the experiment in a file, print how its variants differ, and return the exit status.

    Args:
        file: The experiment's file.
        ask: How model and judge are asked.
        columns: Options on columns, which are refused, since an experiment has no use for them.
        model: The model that makes the outputs instead of the file's.
        judge: The judge's name; None for the judge that is set, or else the default one.
        outputs: A file that holds all outputs; None for the outputs that the experiment names.
        fail_if: Rules by which the run fails.
        accept: True to keep the run as the accepted one.
        plan: True to print only what a run would ask, and its cost.
        calibration: A calibration's JSON by which pass rates are corrected; None for the rubric's accepted one.
        targets: The file to write, or "-" for standard output, by form, such as "html"; None if the form isn't
            requested.
        details: True to print the details too.
    """
    defined = _defined(file, outputs, ask, columns, model)
    ask = replace(ask, judge=judge or ask.judge)
    search_for_code(file.resolve().parent)  # a model's function may be next to the experiment
    folder = folder_of(file)
    outputs_file = OutputsFile(folder / OUTPUTS if ask.cache else None)
    if plan:
        if defined.rubric.is_of_pairs or fail_if or accept or targets["csv"]:
            raise UsageError(
                "--plan makes no run: no --fail-if, --accept, --csv, and no variants compared by preference"
            )
        made = asyncio.run(plan_experiment(defined, ask, outputs_file))
        write_report(lambda: plan_view(made), lambda: made, targets)
        return 0
    if defined.rubric.is_of_pairs:
        if fail_if or accept or calibration or targets["csv"]:
            raise UsageError(
                "variants compared by preference have no scores: no --fail-if, --accept, --calibration, --csv"
            )
        ranked, grades = _graded(prefer, defined, ask, outputs_file)
        write_report(lambda: reporter_of(ranked).view(ranked), ranked.to_json, targets)
        return TOO_FEW_GRADED if too_few_graded(grades) else 0
    texts = [text for text in fail_if if text.strip() != WORSE]
    rules, worse = [Rule.parse(text, defined) for text in texts], len(texts) < len(fail_if)
    if accept:
        _refuse_accepting(folder)
    accepted = _accepted(folder / ACCEPTED, accepting=accept, worse=worse)
    decided = None if calibration is None else read_decided(calibration)
    run = _graded(grade_outputs, defined, ask, outputs_file)
    report = report_of(run, rules, accepted, decided, worse=worse, strict=not accept)
    document = replace(view(report), onward=_onward(report, judge, is_accepted=accept))
    write_report(lambda: document, lambda: _data(report), targets, details=details, csv=lambda: csv_of(report))
    status = TOO_FEW_GRADED if report.run.too_few_graded else HIT if report.failed else 0
    if accept:
        _accept(report, folder / ACCEPTED, status)
    return status


def _defined(
    file: Path, outputs: Path | None, ask: AskOptions, columns: ColumnOptions, model: str | None
) -> Experiment:
    """Read an experiment's file, with the outputs, the rubric's settings and the model that options name.

    Raises:
        UsageError: The file is a table, or options on columns are given.
    """
    try:
        defined = Experiment.from_file(file, outputs=outputs)
    except MarkschemeError:
        refuse_table(str(file))
        raise
    columns.refuse(str(file))
    defined = replace(defined, rubric=ask.of(defined.rubric))
    return defined if model is None else defined.asking(model)


def _graded(grade: Callable[..., Awaitable[_T]], defined: Experiment, ask: AskOptions, outputs_file: OutputsFile) -> _T:
    """Make all outputs, open the judge, and grade.

    Args:
        grade: The function that grades; it gets the experiment, the outputs and the grading.
        defined: The experiment.
        ask: How model and judge are asked.
        outputs_file: The file that stores outputs.

    Returns:
        The result of `grade`.
    """

    async def asked() -> _T:
        made, grading = await outputs_and_grading(defined, ask, outputs_file, watch=progress)
        return await grade(defined, made, grading, concurrency=ask.at_once, watch=progress)

    return asyncio.run(asked())


def _accept(report: ExperimentReport, path: Path, status: int) -> None:
    """Store a run as the accepted one, unless its exit status says that it failed or that too little was graded."""
    if status:
        print("warning: this run is not accepted", file=sys.stderr)
    else:
        accept_experiment(report.run, path)


def _onward(report: ExperimentReport, judge: str | None, *, is_accepted: bool) -> tuple[str, str] | None:
    """Return the next step and its command: calibrate a judge not shown fit for averages, else accept this run.

    None if this run is accepted already, or if it failed.
    """
    receipt = report.run.grading.receipt
    if receipt is None or not receipt.may_trend:
        commands = Commands.on(report.run.experiment.rubric, judge)
        return "Next, see whether this judge can be trusted", commands.calibrate()
    if is_accepted or report.failed:
        return None
    return "Next, keep this run to compare later ones with", f"{typed()} --accept"


def folder_of(file: Path) -> Path:
    """Return the folder that stores an experiment's outputs and its accepted run."""
    return file.with_name(file.name.removesuffix(file.suffix).removesuffix(SUFFIX) + SUFFIX)


def _refuse_accepting(folder: Path) -> None:
    """Raise an error, before model and judge are asked, if the accepted run's file couldn't be written."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--accept keeps the run in a folder {folder}, but a file has that name; move it away")
    refuse_unwritable(folder / ACCEPTED if folder.is_dir() else folder)


def _accepted(path: Path, *, accepting: bool, worse: bool) -> AcceptedExperiment | None:
    """Load the accepted run; None if there is none, or if its file can't be read but is about to be replaced.

    Args:
        path: The file of the accepted run.
        accepting: True if this run is to replace the accepted one.
        worse: True if the run is to fail if it is worse than the accepted one, which must then exist.

    Raises:
        UsageError: `worse` needs an accepted run, and there is none.
    """
    if path.is_file():
        return loaded_unless_replaced(load_accepted_experiment, path, accepting=accepting)
    if worse and not accepting:
        raise UsageError(f"--fail-if worse: there is no accepted run {path}; --accept writes it")
    return None


def _data(report: ExperimentReport) -> dict[str, Any]:
    """Return the report as a dict for JSON, with every output and its grade."""
    run = report.run
    outputs = [
        {
            "variant": variant,
            "case": case,
            "output": run.outputs.by_cell[variant, case].text,
            **grade_json(grade, run.experiment.rubric),
        }
        for (variant, case), grade in run.grades.items()
    ]
    return {**json_of(report), "outputs": outputs}
