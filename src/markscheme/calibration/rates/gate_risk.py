"""A gate on the mean of cases, and its risk from several runs over the same cases, in any graded file."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from markscheme.calibration.rates.decisions import decided
from markscheme.errors import ComparisonError, NothingGraded, RatingError
from markscheme.fingerprint import fingerprint
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import RatingTable, rating_table
from markscheme.readers.rated import RatedFile, RatedFiles
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.threshold_risk import RunFigure, ThresholdRisk, threshold_risk

MOST_MISSING = 0.1
"""Share of the cases that may lack a figure in some run."""
LEAST_CASES = 2
"""With fewer cases there is no spread between cases to estimate."""
LEAST_SHARE = 1000
"""Rarer failures are reported as less than 1 in this many runs."""


@dataclass(frozen=True)
class Gate:
    """A gate and its risk.

    Attributes:
        risk: Its risk, from the runs.
        threshold: The least figure that passes.
        of: The figure: mean score or share of passes.
        averaged: Number of runs that CI averages.
        dropped: Cases left out because a run did not grade them.
    """

    risk: ThresholdRisk
    threshold: float
    of: RunFigure
    averaged: int = 1
    dropped: int = 0

    @property
    def because(self) -> str:
        """How often the gate fails although nothing changed, in a sentence."""
        chance = self.risk.p_fail
        if chance.value is None:
            return f"{chance.undefined}."
        between = f"90% interval {_in(chance.low or 0.0)} to {_in(chance.high or 0.0)}"
        return f"This gate would fail {_often(chance.value)} though nothing changed ({between})."


def table_of_runs(rated: RatedFiles, of: RunFigure) -> RatingTable:
    """A row for each case, and a column for each run of it: each file begins with a run of its own.

    Raises:
        RatingError: A file has no graded cases.
    """
    runs: list[Rating] = []
    before = 0
    for file in rated.files:
        numbered = list(_numbered(file))
        if not numbered:
            raise RatingError("holds no graded cases", path=file.path)
        if of == "score" and _has_decisions_only(rating for _, rating in numbered):
            raise RatingError("states which cases pass, and no scores; use --of pass", path=file.path)
        runs += (replace(rating, rater=f"run {before + number}") for number, rating in numbered)
        before += max(number for number, _ in numbered) + 1
    if of == "pass":
        runs = [decided(rating, named=rated.is_named) for rating in runs]
    return rating_table(rated.rubric, list(dict.fromkeys(rating.id for rating in runs)), runs)


def _numbered(file: RatedFile) -> Iterator[tuple[int, Rating]]:
    """The ratings of a file by case, each with the number of its run: the first of a case, the second, …"""
    systems = {example.id: example.system for example in file.examples}
    numbers: Counter[str] = Counter()
    for rating in file.judged:
        case = fingerprint(rating.rater, systems.get(rating.id, ""), file.cases.get(rating.id, rating.id))
        yield numbers[case], replace(rating, id=case, kind="model", sample=0)
        numbers[case] += 1


def _has_decisions_only(ratings: Iterable[Rating]) -> bool:
    """Whether some ratings decide, and none has a score or levels."""
    stated = [(rating.passed is not None, rating.overall is not None or bool(rating.criteria)) for rating in ratings]
    return any(decides for decides, _ in stated) and not any(scores for _, scores in stated)


def repeats_of(rubric: Rubric, ratings: Iterable[Rating]) -> RatingTable:
    """Ratings as a table of runs: an example's first rating is in the first column, its second in the second."""
    numbers: Counter[str] = Counter()
    runs = []
    for rating in ratings:
        runs.append(replace(rating, rater=f"run {numbers[rating.id]}", sample=0))
        numbers[rating.id] += 1
    return rating_table(rubric, list(numbers), runs)


def gate_of(runs: RatingTable, threshold: float, of: RunFigure, *, averaged: int = 1) -> Gate:
    """The gate, from the cases that every run graded.

    Args:
        runs: A row for each case, a column for each run.
        threshold: The least mean that passes, 0 to 1.
        of: The figure that is compared.
        averaged: Number of runs that CI averages.

    Raises:
        ComparisonError: The runs have different cases, or a single one.
        NothingGraded: Over a tenth of the cases is not graded in some run.
    """
    n_cases = len(runs.ids)
    in_all = np.array([[rating is not None for rating in column.ratings] for column in runs.columns]).all(axis=0)
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
        raise NothingGraded(["a case counts if every run graded it"] * dropped, of=n_cases)
    if n_graded < LEAST_CASES:
        raise ComparisonError(f"a gate needs {LEAST_CASES} cases or more, got {n_graded}")
    risk = threshold_risk(figures[:, graded], threshold, of=of, runs_in_ci=averaged)
    return Gate(risk, threshold, of, averaged, dropped)


def repeated(runs: RatingTable, threshold: float, of: RunFigure) -> Gate | None:
    """The gate, from cases that were graded several times; None where they weren't, or not all of them."""
    try:
        return gate_of(runs, threshold, of) if len(runs.columns) > 1 else None
    except ComparisonError:
        return None


def _often(chance: float) -> str:
    """A probability as a number of runs.

    >>> _often(0.04), _often(0.9), _often(0.0)
    ('about 1 run in 25', 'about 9 runs in 10', 'less than 1 run in 1000')
    """
    if chance > 0.95:
        return "nearly always"
    if chance < 1 / LEAST_SHARE:
        return f"less than 1 run in {LEAST_SHARE}"
    if chance > 0.45:
        return f"about {round(10 * chance)} runs in 10"
    return f"about 1 run in {round(1 / chance)}"


def _in(chance: float) -> str:
    if chance < 1 / LEAST_SHARE:
        return "0"
    return f"{round(10 * chance)} in 10" if chance > 0.45 else f"1 in {round(1 / chance)}"
