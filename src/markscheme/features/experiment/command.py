"""`markscheme experiment`: prompt variants x cases, graded, and compared per case."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.results import reporter_of
from markscheme.commands.families import only, spelled
from markscheme.commands.options import JUDGE_NAMES, AskFlags, Details, JsonTarget, JudgeName, ReportOptions
from markscheme.commands.output import refuse_outputs, typed, write_report
from markscheme.commands.progress import progress
from markscheme.errors import MarkschemeError, UsageError
from markscheme.files import refuse_unwritable
from markscheme.grading import grade_json
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.plain_tables import refuse_table
from markscheme.receipt import ACCEPTED
from markscheme.user_code import search_for_code

if TYPE_CHECKING:
    from markscheme.features.experiment.accepted import AcceptedExperiment
    from markscheme.features.experiment.outcome import ExperimentReport

OUTPUTS = "outputs.jsonl"
SUFFIX = ".experiment"
WORSE = "worse"
HIT, TOO_FEW_GRADED = 1, 5
RULES = '"overall < 0.8", "tone < 4", "formal.pass_rate < 0.9", or worse (than the accepted run); may be repeated'


def experiment(
    file: Annotated[Path, Parameter(metavar="FILE", help="the experiment, in YAML or JSON")],
    /,
    *,
    model: Annotated[
        str | None, Parameter(metavar="NAME", help=f"makes the outputs, instead of the file's: {JUDGE_NAMES}")
    ] = None,
    outputs: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    fail_if: Annotated[tuple[str, ...], Parameter(metavar="RULE", help=RULES)] = (),
    accept: bool = False,
    calibration: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    details: Details = False,
    csv: Annotated[str | None, Parameter(metavar="FILE")] = None,
    json: JsonTarget = None,
    output: Annotated[ReportOptions, only(ReportOptions, "markdown")] = ReportOptions(),
    html: Annotated[str | None, Parameter(metavar="FILE")] = None,
    judge: JudgeName = None,
    ask: Annotated[AskFlags, spelled(model="--judge-model")] = AskFlags(),
    columns: Annotated[ColumnOptions, spelled(judge=None)] = ColumnOptions(),
) -> int:
    """Run prompt variants on cases, grade every output with a rubric, and show how the variants differ: mean, minimum
    and maximum of each criterion, the overall score, pass rates, and paired differences with intervals.

    FILE names rubric, variants and cases, and where outputs come from: a model, a function, a file, or Promptfoo's
    results. A stopped run continues where it was: outputs are kept in a folder next to FILE, replies in the cache.

    Args:
        outputs: take all outputs from a file that `grade` reads: .jsonl, .csv, .tsv, .parquet, or an export
        accept: keep this run; later runs show what moved since
        calibration: correct pass rates with what `calibrate --json` wrote
        csv: write the table as CSV; - for standard output
        html: write a page with the variants case by case

    Example:
        markscheme experiment support.experiment.yaml --judge anthropic --fail-if "overall < 0.8" --fail-if worse

    Exit status:
        0 done, 1 a --fail-if rule applies, 2 invalid arguments, 3 no model or judge to ask, 5 over a tenth of the
        outputs not graded.
    """
    from markscheme.calibration.rates.decisions import read_decided
    from markscheme.features.experiment.accepted import accept_experiment
    from markscheme.features.experiment.definition import Experiment
    from markscheme.features.experiment.outcome import report_of
    from markscheme.features.experiment.outputs import OutputsFile
    from markscheme.features.experiment.preferences import prefer, too_few_graded
    from markscheme.features.experiment.rules import Rule
    from markscheme.features.experiment.run import run_asked
    from markscheme.features.experiment.view import csv_of, view

    targets = {"csv": csv, "json": json, "markdown": output.markdown, "html": html}
    refuse_outputs(targets)
    try:
        defined = Experiment.from_file(file, outputs=outputs)
    except MarkschemeError:
        refuse_table(str(file))
        raise
    columns.refuse(str(file))
    defined = replace(defined, rubric=ask.of(defined.rubric))
    search_for_code(file.resolve().parent)  # a model's function may be next to the experiment
    folder = folder_of(file)
    outputs_file = OutputsFile(folder / OUTPUTS if ask.cache else None)
    if defined.rubric.is_of_pairs:
        if fail_if or accept or calibration or csv:
            raise UsageError(
                "variants compared by preference have no scores: no --fail-if, --accept, --calibration, --csv"
            )
        ranked, grades = asyncio.run(prefer(defined, ask, outputs_file, model=model, judge=judge, watch=progress))
        write_report(reporter_of(ranked).view(ranked), ranked.to_json, targets)
        return TOO_FEW_GRADED if too_few_graded(grades) else 0
    texts = [text for text in fail_if if text.strip() != WORSE]
    rules, worse = [Rule.parse(text, defined) for text in texts], len(texts) < len(fail_if)
    if accept:
        _refuse_accepting(folder)
    accepted = _accepted(folder / ACCEPTED, accepting=accept, worse=worse)
    decided = None if calibration is None else read_decided(calibration)
    run = asyncio.run(run_asked(defined, ask, outputs_file, model=model, judge=judge, watch=progress))
    report = report_of(run, rules, accepted, decided, worse=worse, strict=not accept)
    document = replace(view(report), onward=_onward(report, judge, is_accepted=accept))
    write_report(document, lambda: _data(report), targets, details=details, csv=lambda: csv_of(report))
    status = TOO_FEW_GRADED if report.run.too_few_graded else HIT if report.failed else 0
    if accept and status:
        print("warning: this run is not accepted", file=sys.stderr)
    elif accept:
        accept_experiment(report.run, folder / ACCEPTED)
    return status


def _onward(report: "ExperimentReport", judge: str | None, *, is_accepted: bool) -> tuple[str, str] | None:
    """Return what to do next: calibrate a judge whose scores aren't known to allow averages, else keep the run."""
    receipt = report.run.grading.receipt
    if receipt is None or not receipt.may_trend:
        commands = Commands.on(report.run.experiment.rubric.name, judge)
        return "Next, see whether this judge can be trusted", commands.calibrate()
    if is_accepted or report.failed:
        return None
    return "Next, keep this run to compare later ones with", f"{typed()} --accept"


def folder_of(file: Path) -> Path:
    """Return the folder with an experiment's outputs and its accepted run."""
    return file.with_name(file.name.removesuffix(file.suffix).removesuffix(SUFFIX) + SUFFIX)


def _refuse_accepting(folder: Path) -> None:
    """Refuse, before anything is asked, to keep a run that can't be written."""

    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--accept keeps the run in a folder {folder}, but a file has that name; move it away")
    refuse_unwritable(folder / ACCEPTED if folder.is_dir() else folder)


def _accepted(path: Path, *, accepting: bool, worse: bool) -> "AcceptedExperiment | None":
    """Load the accepted run; None if there is none, or if it cannot be read and is about to be replaced."""
    from markscheme.calibration.accepted.history import loaded_unless_replaced
    from markscheme.features.experiment.accepted import load_accepted_experiment

    if path.is_file():
        return loaded_unless_replaced(load_accepted_experiment, path, accepting=accepting)
    if worse and not accepting:
        raise UsageError(f"--fail-if worse: there is no accepted run {path}; --accept writes it")
    return None


def _data(report: "ExperimentReport") -> dict[str, Any]:
    """Return the report as plain data, with every output and its grade."""
    from markscheme.features.experiment.view import json_of

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
