"""The results of a graded experiment: figures, differences, pass rates corrected by human labels, and failed rules."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markscheme.calibration.accepted import load_accepted
from markscheme.calibration.pass_fail import read_labelled, reference_of
from markscheme.calibration.pass_rates import Labelled, PassRates
from markscheme.calibration.saved import is_calibration, read_calibration
from markscheme.errors import ComparisonError
from markscheme.experiment.accepted import AcceptedExperiment
from markscheme.experiment.rules import Rule, risks, worse_than_accepted
from markscheme.experiment.run import ExperimentRun
from markscheme.experiment.table import (
    Difference,
    VariantFigures,
    between_variants,
    corrected_rates,
    figures,
    variant_table,
)
from markscheme.ratings.examples import examples_file, load_examples
from markscheme.ratings.gold import JUDGE, gold_of
from markscheme.ratings.table import column_of
from markscheme.receipt import ACCEPTED
from markscheme.rubrics.search import find_calibration


@dataclass(frozen=True)
class ExperimentReport:
    """Everything that is shown of a run.

    Attributes:
        run: The graded table.
        rows: Each variant's figures.
        differences: Every pair of variants.
        since: Each variant's change since the accepted run; empty without one.
        accepted: The day of that run.
        rates: Pass rates as annotators would decide; None without a calibration.
        reference: Where that calibration's labels come from.
        failed: Why the run fails by its rules.
        notes: Further remarks.
    """

    run: ExperimentRun
    rows: Mapping[str, VariantFigures]
    differences: Sequence[Difference]
    since: Sequence[Difference] = ()
    accepted: str = ""
    rates: PassRates | None = None
    reference: str | None = None
    failed: Sequence[str] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Decided:
    """Pass/fail decisions of annotators and judge in a calibration.

    Attributes:
        labelled: The decisions.
        reference: Where the labels come from.
        judge: The judge; None if it is the run's own, or unknown.
    """

    labelled: Sequence[Labelled] = ()
    reference: str | None = None
    judge: str | None = None


def read_decided(path: Path) -> Decided:
    """The decisions in the output of `calibrate --json`, or in lines of decisions alone."""
    judge = read_calibration(path).judge if is_calibration(path) else None
    return Decided(read_labelled(path), reference_of(path), judge)


def report_of(
    run: ExperimentRun,
    rules: Sequence[Rule],
    accepted: AcceptedExperiment | None,
    decided: Decided | None,
    *,
    worse: bool,
    strict: bool,
) -> ExperimentReport:
    """The differences between variants, the changes since the accepted run, and the failed rules.

    Args:
        run: The graded table.
        rules: Rules by which it fails.
        accepted: The run it is compared with, if there is one.
        decided: Decisions by which pass rates are corrected; None for the rubric's accepted calibration.
        worse: Whether it fails if it is worse than the accepted run.
        strict: Whether it is an error if that comparison is impossible.

    Raises:
        ComparisonError: With `worse` and `strict`, the run cannot be compared with the accepted one.
    """
    experiment, table, notes = run.experiment, variant_table(run), risks(rules, run)
    rows = {name: figures(table, name) for name in experiment.by_name}
    since, failed = [], [line for rule in rules for line in rule.hits(rows)]
    if accepted is not None:
        try:
            since = accepted.since(run)
        except ComparisonError as error:
            if worse and strict:
                raise
            notes.append(str(error))
    failed += worse_than_accepted(since) if worse else []
    decided = decided or _decided_then(run)
    own = str(run.grading.judge.identity)
    if decided.judge not in (None, own):
        notes.append(f"The calibration is of {decided.judge}; rates hold if {own} makes the same errors.")
    return ExperimentReport(
        run=run,
        rows=rows,
        differences=between_variants(table, experiment.cases),
        since=since,
        accepted=accepted.date if accepted else "",
        rates=corrected_rates(run, decided.labelled) if decided.labelled else None,
        reference=decided.reference,
        failed=failed,
        notes=notes,
    )


def _decided_then(run: ExperimentRun) -> Decided:
    """The decisions of annotators and judge in the rubric's accepted calibration, if it applies to this run."""
    rubric, receipt = run.experiment.rubric, run.grading.receipt
    folder = find_calibration(rubric.name, Path.cwd())
    if folder is None or receipt is None or not receipt.holds:
        return Decided()
    examples = load_examples(examples_file(folder), rubric, ratings=folder / "ratings")
    truth = gold_of(examples, rubric)
    drawn = {one.id: (one.drawn, one.weight, one.stratum) for one in examples.examples}
    then = load_accepted(folder / ACCEPTED).runs[0]
    passes = column_of(JUDGE, then.values(), rubric, truth.ids).decisions
    decided = zip(truth.ids, truth.decisions.tolist(), passes.tolist(), strict=True)
    labelled = [
        Labelled(unit, bool(gold), bool(judge), *drawn[unit])
        for unit, gold, judge in decided
        if not math.isnan(gold) and not math.isnan(judge)
    ]
    return Decided(labelled, truth.reference)
