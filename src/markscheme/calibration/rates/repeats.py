"""The risk that the mean of test cases misses the threshold in CI by chance, from several runs over the same cases."""

from dataclasses import replace

import numpy as np

from markscheme.errors import ComparisonError, NothingGraded
from markscheme.ratings.table import RatingTable
from markscheme.stats.threshold_risk import RunFigure, ThresholdRisk, threshold_risk

MOST_MISSING = 0.1
"""Largest share of the test cases that may lack a figure in some run."""
FEWEST_CASES = 2
"""Fewest cases: with fewer, there is no spread between cases to estimate."""
RAREST = 50
"""Failures rarer than 1 in this many runs are only reported as "less than 1 in" so many: a few runs can't show how rare
they are.

Gates predicted to fail so rarely, in 1 run in 125 on average, fail in 1 run in 77 (`benchmarks/gate_risk.py`)."""


def gate_of(runs: RatingTable, threshold: float, of: RunFigure, *, averaged: int = 1) -> ThresholdRisk:
    """Compute the risk that, in continuous integration (CI), a mean falls below its threshold by chance.

    It is computed from the test cases that every run graded.

    Args:
        runs: A table with a row for each test case and a column for each run.
        threshold: The smallest mean that passes, 0 to 1.
        of: The figure whose mean is compared with the threshold.
        averaged: Number of runs that CI averages.

    Raises:
        ComparisonError: Over a tenth of the cases aren't in every run, or too few cases are graded in all runs.
        NothingGraded: Over a tenth of the cases are not graded in some run.
    """
    n_cases = len(runs.ids)
    in_all = np.array([column.is_given for column in runs.columns]).all(axis=0)
    if n_cases - in_all.sum() > MOST_MISSING * n_cases:
        raise ComparisonError(
            f"the {len(runs.columns)} runs hold different cases: {in_all.sum()} of {n_cases} are in all of them; "
            "run the same cases several times"
        )
    figures = np.array([column.scores if of == "score" else column.decisions for column in runs.columns])
    graded = in_all & ~np.isnan(figures).any(axis=0)
    n_graded = int(graded.sum())
    dropped = n_cases - n_graded
    if dropped > MOST_MISSING * n_cases:
        raise NothingGraded(["a case counts if every run graded it"] * dropped, of=n_cases, things="cases")
    if n_graded < FEWEST_CASES:
        raise ComparisonError(f"a gate needs {FEWEST_CASES} cases or more, got {n_graded}")
    counted = runs.rows(graded)
    risk = threshold_risk(figures[:, graded], threshold, of=of, runs_in_ci=averaged, groups=counted.groups)
    return replace(risk, dropped=dropped)


def repeated(runs: RatingTable, threshold: float, of: RunFigure) -> ThresholdRisk | None:
    """Compute the risk that a mean score or pass rate misses its threshold by chance, from repeated runs.

    Args:
        runs: A table with a row for each test case and a column for each run.
        threshold: The smallest mean that passes, 0 to 1.
        of: The figure whose mean is compared with the threshold.

    Returns:
        The risk; None if there is only one run, or if too few cases are graded in all runs.
    """
    try:
        return gate_of(runs, threshold, of) if len(runs.columns) > 1 else None
    except ComparisonError:
        return None
