"""The labelling plan for a table without a rubric: how many labels a calibration of the table needs."""

import shlex
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.findings.commands import Commands
from markscheme.calibration.next_labels import NextLabels
from markscheme.calibration.options import LabelOptions
from markscheme.calibration.tables import calibrations_of
from markscheme.calibration.wanted_labels import planned_labels
from markscheme.errors import UsageError
from markscheme.features.label.run_plan import Plan
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.gold import Gold, gold_of, no_gold
from markscheme.readers.infer_rubric import rubric_of_wholes
from markscheme.readers.tabular.reading import TableReading, read_files
from markscheme.rubrics.keys import DEFAULT_TARGET
from markscheme.stats import Estimate

_WITHOUT_LABELS = frozenset({"no-labels", "nothing-rated"})
"""Codes of tables without usable labels, for which the plan asks for the first labels."""


def plan_of_table(paths: Sequence[Path], columns: ColumnOptions, options: LabelOptions, annotators: int = 1) -> Plan:
    """Return the labelling plan for a table without a rubric.

    Args:
        paths: The table's files.
        columns: What the table's columns and values mean.
        options: Which labels count, and the target.
        annotators: Number of annotators who label each example.

    Raises:
        UsageError: The table could be read in several ways.
    """
    target = DEFAULT_TARGET if options.target is None else options.target
    init = Commands(shlex.join(map(str, paths)), columns.as_shell.strip() or None).init_from_table()
    try:
        reading = read_files(paths, columns)
    except UsageError as error:
        if error.code not in _WITHOUT_LABELS:
            raise
        if error.code == "nothing-rated":
            columns.refuse_of_ratings(str(paths[0]))
        gold = no_gold(rubric_of_wholes())
        discover = f"markscheme discover {shlex.quote(paths[0].stem)} --pool {shlex.quote(str(paths[0]))}"
        needed = planned_labels(gold, None, target, has_fails=True)
        by_rubric = f"{discover}{columns.as_shell}" if error.facts.get("has_responses", True) else None
        return _plan(paths[0].stem, 0, needed, target, annotators, by_rubric)
    if not reading.has_judge:
        gold = _people(reading, options)
        needed = planned_labels(gold, None, target, has_fails=bool(gold.decided))
        return _plan(reading.name, len(gold.ids), needed, target, annotators, init)
    listed = list(chain.from_iterable(calibrations_of(reading, options).values()))
    asking_most = max(listed, key=_labels_asked)
    decision = asking_most.decision
    needed = NextLabels(decision.labels, decision.next_step, because=decision.because)
    agreement = asking_most.comparison.agreement
    return _plan(reading.name, agreement.n, needed, target, annotators, init, agreement)


def _labels_asked(calibration: Calibration) -> int:
    labels = calibration.decision.labels
    return 0 if labels is None else labels.more


def _people(reading: TableReading, options: LabelOptions) -> Gold:
    """Return annotators' gold labels on whichever criterion has the most labelled examples."""
    golds = [
        gold_of(reading.examples(name), reading.rubric(name), kind=options.gold, by=options.gold_by)
        for name in reading.roles.criteria
    ]
    return max(golds, key=lambda gold: len(gold.ids))


def _plan(
    name: str,
    labelled: int,
    needed: NextLabels,
    target: float,
    annotators: int,
    init: str | None,
    agreement: Estimate | None = None,
) -> Plan:
    return Plan(name, labelled, needed, (), (), annotators, target, (), agreement=agreement, init=init)
