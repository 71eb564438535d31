"""The results of a graded experiment: figures, differences, pass rates corrected by human labels, and failed rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.rates.decisions import DecidedExamples, both_decided
from markscheme.calibration.rates.pass_rates import PassRates
from markscheme.errors import ComparisonError
from markscheme.features.experiment.accepted import AcceptedExperiment
from markscheme.features.experiment.rules import Rule, risks, worse_than_accepted
from markscheme.features.experiment.run import ExperimentRun
from markscheme.features.experiment.table import (
    Difference,
    VariantFigures,
    between_variants,
    corrected_rates,
    figures,
    variant_table,
)
from markscheme.grading.receipt import ACCEPTED
from markscheme.ratings.examples import RATINGS_FOLDER, examples_file, load_examples
from markscheme.ratings.gold import gold_of
from markscheme.rubrics.search import find_calibration


@dataclass(frozen=True)
class ExperimentReport:
    """The results of a run of an experiment, with everything that its report shows.

    Attributes:
        run: The run of the experiment.
        rows: The figures of each variant.
        differences: The differences of each pair of variants.
        since: The change of each variant's figures since the accepted run; empty if there is no accepted run.
        accepted: The day of the accepted run; None if there is no accepted run.
        rates: Pass rates as annotators would decide; None without a calibration.
        reference: The kind of labels in the calibration by which pass rates are corrected.
        failed: The reasons why the run fails by its rules.
        notes: Further remarks.
    """

    run: ExperimentRun
    rows: Mapping[str, VariantFigures]
    differences: Sequence[Difference]
    since: Sequence[Difference] = ()
    accepted: str | None = None
    rates: PassRates | None = None
    reference: str | None = None
    failed: Sequence[str] = ()
    notes: Sequence[str] = ()


def report_of(
    run: ExperimentRun,
    rules: Sequence[Rule],
    accepted: AcceptedExperiment | None,
    decided: DecidedExamples | None,
    *,
    worse: bool,
    strict: bool,
) -> ExperimentReport:
    """Make the report on a run: differences between variants, changes since the accepted run, and failed rules.

    Args:
        run: The run of the experiment.
        rules: Rules by which the run fails.
        accepted: The accepted run to compare it with; None if there is none.
        decided: Decisions by which pass rates are corrected; None for the rubric's accepted calibration.
        worse: True if the run fails when it is worse than the accepted run.
        strict: True if it is an error when that comparison is impossible.

    Raises:
        ComparisonError: With `worse` and `strict`, the run cannot be compared with the accepted one.
    """
    experiment = run.experiment
    table = variant_table(run)
    notes = risks(rules, run)
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
    decided = decided or _decisions_in_accepted_run(run)
    judge_name = str(run.grading.judge.identity)
    if decided is not None and decided.judge not in (None, judge_name):
        notes.append(f"The calibration is of {decided.judge}; rates hold if {judge_name} makes the same errors.")
    return ExperimentReport(
        run=run,
        rows=rows,
        differences=between_variants(table, experiment.cases),
        since=since,
        accepted=accepted.date if accepted else None,
        rates=None if decided is None else corrected_rates(run, decided.table),
        reference=None if decided is None else decided.reference,
        failed=failed,
        notes=notes,
    )


def _decisions_in_accepted_run(run: ExperimentRun) -> DecidedExamples | None:
    """Return annotators' and judge's decisions in the accepted calibration; None if it doesn't apply.

    That is, None if the calibration was made with another rubric, prompt or judge than the run.
    """
    rubric = run.experiment.rubric
    receipt = run.receipt
    folder = find_calibration(rubric.name, Path.cwd())
    if folder is None or receipt is None or not receipt.holds:
        return None
    runs = load_accepted(folder / ACCEPTED).runs
    if not runs:
        return None
    truth = gold_of(load_examples(examples_file(folder), rubric, ratings=folder / RATINGS_FOLDER), rubric)
    table = both_decided(truth.judged(rubric, runs[0]))
    return DecidedExamples(table, truth.reference) if table.ids else None
