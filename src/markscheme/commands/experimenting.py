"""The work of `markscheme experiment`, apart from its parser so that `--help` loads none of it."""

import argparse
import asyncio
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from markscheme.calibration.accepted import load_accepted
from markscheme.calibration.pass_fail import read_labelled, reference_of
from markscheme.calibration.pass_rates import Labelled
from markscheme.calibration.saved import is_calibration, read_calibration
from markscheme.commands.accepting import loaded_unless_replaced
from markscheme.commands.grade import grade_json
from markscheme.commands.output import put, refuse_outputs, refuse_unwritable
from markscheme.commands.progress import progress
from markscheme.commands.sources import as_asked, asking_of, judge_of, scorers_of
from markscheme.errors import ComparisonError, UsageError
from markscheme.experiment.accepted import AcceptedExperiment, accept_experiment, load_accepted_experiment
from markscheme.experiment.definition import Experiment
from markscheme.experiment.outputs import Kept
from markscheme.experiment.rules import WORSE, Rule, worse_than_accepted
from markscheme.experiment.run import ExperimentRun, grade_outputs, make_outputs, missing, open_model, submissions
from markscheme.experiment.table import between_variants, corrected_rates, figures, variant_table
from markscheme.grading import Grading, questions, receipt_of
from markscheme.judges.family import warn_of_kinship
from markscheme.ratings.examples import examples_file, load_examples
from markscheme.ratings.gold import JUDGE, gold_of
from markscheme.ratings.table import column_of
from markscheme.receipt import ACCEPTED
from markscheme.report.experiment_report import (
    ExperimentReport,
    experiment_csv,
    experiment_json,
    experiment_markdown,
    print_experiment,
)
from markscheme.report.json_report import dumps
from markscheme.rubrics.search import find_calibration

OUTPUTS = "outputs.jsonl"
SUFFIX = ".experiment"
WAYS = ("csv", "json", "markdown")
HIT, TOO_FEW_GRADED = 1, 5


def run(arguments: argparse.Namespace) -> int:
    """Run, grade, compare and print."""
    refuse_outputs(arguments, WAYS)
    experiment = Experiment.from_file(arguments.file, outputs=arguments.outputs)
    experiment = replace(experiment, rubric=as_asked(experiment.rubric, arguments))
    rules = [Rule.parse(text, experiment) for text in arguments.fail_if if text.strip() != WORSE]
    folder = folder_of(arguments.file)
    _refuse_accepting(folder, arguments)
    accepted = _accepted(folder / ACCEPTED, arguments)
    told = None if arguments.calibration is None else _Told.read(arguments.calibration)
    sys.path.append(str(arguments.file.resolve().parent))  # a model's function may stand beside the experiment
    done = asyncio.run(_run(experiment, folder, arguments))
    report = _report(done, rules, accepted, told, arguments)
    _write(report, arguments)
    return _ended(report, folder / ACCEPTED, arguments)


def folder_of(file: Path) -> Path:
    """Where an experiment keeps its outputs and its accepted run."""
    return file.with_name(file.name.removesuffix(file.suffix).removesuffix(SUFFIX) + SUFFIX)


def _refuse_accepting(folder: Path, arguments: argparse.Namespace) -> None:
    """Say before anybody is asked that the run can't be kept.

    Raises:
        UsageError: Its folder is a file, or it can't be written there.
    """
    if not arguments.accept:
        return
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--accept keeps the run in a folder {folder}, where a file stands; move it away")
    refuse_unwritable(folder / ACCEPTED if folder.is_dir() else folder)


def _accepted(path: Path, arguments: argparse.Namespace) -> AcceptedExperiment | None:
    """The accepted run; None where there is none, or where it cannot be read and is about to be replaced.

    Raises:
        UsageError: There is none, and this run is to be held against it.
        RatingError: It cannot be read, and is not to be replaced.
    """
    if path.is_file():
        return loaded_unless_replaced(load_accepted_experiment, path, arguments)
    if WORSE in map(str.strip, arguments.fail_if) and not arguments.accept:
        raise UsageError(f"--fail-if worse: there is no accepted run {path}; --accept writes it")
    return None


@dataclass(frozen=True)
class _Told:
    """What --calibration names: decisions of people and judge, what the labels are worth, and whose calibration it is.

    Attributes:
        judge: None where the file is no calibration but decisions alone.
    """

    labelled: list[Labelled]
    reference: str | None
    judge: str | None

    @classmethod
    def read(cls, path: Path) -> "_Told":
        labelled = read_labelled(path)
        return cls(labelled, reference_of(path), read_calibration(path).judge if is_calibration(path) else None)


# --- asking ---------------------------------------------------------------------------------------------------------


async def _run(experiment: Experiment, folder: Path, arguments: argparse.Namespace) -> ExperimentRun:
    """The graded table. Who grades is settled before a model is paid, unless recordings may have to cover outputs."""
    rubric, asking = experiment.rubric, asking_of(arguments)
    scorers = scorers_of(arguments, rubric)
    model = open_model(experiment, asking, name=arguments.model) if experiment.to_ask else None
    kept = Kept(None if arguments.no_cache else folder / OUTPUTS)
    to_make = missing(experiment, model, kept)
    calibration = find_calibration(rubric.name, Path.cwd())
    judge = judge_of(arguments.judge, rubric, [], calibration, asking) if to_make else None
    outputs = await make_outputs(experiment, model, kept=kept, concurrency=arguments.concurrency, watch=progress)
    if judge is None:
        prompts = [ask for one in submissions(experiment, outputs).values() for ask in questions(rubric, one)]
        judge = judge_of(arguments.judge, rubric, prompts, calibration, asking)
    warn_of_kinship(judge.identity.model or judge.identity.name, [outputs.model] * len(experiment.to_ask))
    grading = Grading(rubric, judge, scorers=scorers, receipt=receipt_of(rubric, judge, Path.cwd()))
    return await grade_outputs(experiment, outputs, grading, concurrency=arguments.concurrency, watch=progress)


# --- the report -----------------------------------------------------------------------------------------------------


def _report(
    run: ExperimentRun,
    rules: Sequence[Rule],
    accepted: AcceptedExperiment | None,
    told: _Told | None,
    arguments: argparse.Namespace,
) -> ExperimentReport:
    experiment, table, notes = run.experiment, variant_table(run), list[str]()
    rows = {name: figures(table, name) for name in experiment.by_name}
    since, failed = [], [line for rule in rules for line in rule.hits(rows)]
    asks_for_worse = WORSE in map(str.strip, arguments.fail_if)
    if accepted is not None:
        try:
            since = accepted.since(run)
        except ComparisonError as error:
            if asks_for_worse and not arguments.accept:
                raise
            notes.append(str(error))
    failed += worse_than_accepted(since) if asks_for_worse else []
    if told is None:
        labelled, reference = _labelled_then(run)
    else:
        labelled, reference = told.labelled, told.reference
        notes += _of_another_judge(run, told.judge)
    return ExperimentReport(
        run=run,
        rows=rows,
        differences=between_variants(table, experiment.cases),
        since=since,
        accepted=accepted.date if accepted else "",
        rates=corrected_rates(run, labelled) if labelled else None,
        reference=reference,
        failed=failed,
        notes=notes,
    )


def _of_another_judge(run: ExperimentRun, judge: str | None) -> list[str]:
    own = str(run.grading.judge.identity)
    return [] if judge in (None, own) else [f"The calibration is of {judge}; rates are right if {own} errs alike."]


def _labelled_then(run: ExperimentRun) -> tuple[list[Labelled], str | None]:
    """What people and this judge decided on in the rubric's accepted calibration, where it holds for this run."""
    rubric, receipt = run.experiment.rubric, run.grading.receipt
    folder = find_calibration(rubric.name, Path.cwd())
    if folder is None or receipt is None or not receipt.holds:
        return [], None
    examples = load_examples(examples_file(folder), rubric, ratings=folder / "ratings")
    truth = gold_of(examples, rubric)
    drawn = {one.id: (one.drawn, one.weight, one.stratum) for one in examples.examples}
    then = load_accepted(folder / ACCEPTED).runs[0]
    passes = column_of(JUDGE, then.values(), rubric, truth.ids).decisions
    decided = zip(truth.ids, truth.passed.tolist(), passes.tolist(), strict=True)
    return [
        Labelled(unit, bool(gold), bool(judge), *drawn[unit])
        for unit, gold, judge in decided
        if not math.isnan(gold) and not math.isnan(judge)
    ], truth.reference


def _write(report: ExperimentReport, arguments: argparse.Namespace) -> None:
    """The report goes to standard output, or to standard error where that holds something else."""
    taken = any(getattr(arguments, way) == "-" for way in WAYS)
    print_experiment(report, sys.stderr if taken else sys.stdout)
    if arguments.csv:
        put(experiment_csv(report), arguments.csv)
    if arguments.json:
        put(dumps({**experiment_json(report), "outputs": _outputs_json(report.run)}) + "\n", arguments.json)
    if arguments.markdown:
        put(experiment_markdown(report), arguments.markdown)


def _outputs_json(run: ExperimentRun) -> list[dict[str, Any]]:
    return [
        {
            "variant": variant,
            "case": case,
            "output": run.outputs.by_cell[variant, case].text,
            **grade_json(grade, run.experiment.rubric),
        }
        for (variant, case), grade in run.grades.items()
    ]


def _ended(report: ExperimentReport, path: Path, arguments: argparse.Namespace) -> int:
    """The exit status; a run that fails is not accepted."""
    status = TOO_FEW_GRADED if report.run.too_few_graded else HIT if report.failed else 0
    if arguments.accept and status:
        print("warning: this run is not accepted", file=sys.stderr)
    elif arguments.accept:
        accept_experiment(report.run, path)
    return status
