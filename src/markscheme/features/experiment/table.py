"""Figures of an experiment's grades: each variant's means, and how variants differ case by case."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from markscheme.calibration.comparison.comparison import differences, shift_between
from markscheme.calibration.rates.pass_rates import PassRates, pass_rates
from markscheme.features.experiment.definition import OVERALL, ExperimentCase
from markscheme.features.experiment.run import ExperimentRun
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.from_grades import rating_of
from markscheme.ratings.gold import JUDGE
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import RatingTable, rating_table, row_by_row
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate
from markscheme.stats.change import holm, sign_flip
from markscheme.stats.intervals import Flags, Floats
from markscheme.stats.shares import share

ACCEPTED_VARIANT = "accepted"
ALPHA = 0.05
"""Significance level of the simultaneous intervals, which is divided by the number of comparisons."""
LEAST_CASES = 5
"""Fewest cases: with fewer, no difference, however large, reaches p 0.05, since mid-p is at least 0.5 ** cases."""


def variant_table(run: ExperimentRun) -> RatingTable:
    """Return a run's grades as a table of ratings, with a row for each case and a column for each variant."""
    return marks_table(marks_of(run), run.experiment.cases, run.experiment.rubric)


def marks_of(run: ExperimentRun) -> list[Rating]:
    """Return each output's grade as a rating, in which the variant is the rater and the case is the example."""
    rubric = run.experiment.rubric
    return [
        replace(rating_of(grade, rubric, variant), id=case, error=None) for (variant, case), grade in run.grades.items()
    ]


def marks_table(marks: Iterable[Rating], cases: Sequence[ExperimentCase], rubric: Rubric) -> RatingTable:
    """Make a table of ratings with a row for each of the given cases and a column for each variant.

    Args:
        marks: The grades as ratings, in which the variant is the rater and the case is the example.
        cases: The cases.
        rubric: The rubric.
    """
    return rating_table(rubric, [case.id for case in cases], marks)


@dataclass(frozen=True)
class Figure:
    """Mean, minimum and maximum of one variant's scores, or of its levels on a criterion.

    Attributes:
        mean: The mean; None if no output is graded.
        least: The minimum; None if no output is graded.
        most: The maximum; None if no output is graded.
        n: Number of graded outputs.
        not_graded: Number of outputs without a grade.
    """

    mean: float | None
    least: float | None
    most: float | None
    n: int
    not_graded: int


@dataclass(frozen=True)
class VariantFigures:
    """The figures of one variant: levels on each criterion, scores and pass rate.

    Attributes:
        criteria: Figures of the levels on each criterion, on the criterion's own scale, by its name.
        overall: Figures of the overall scores, 0 to 1.
        mean_level: Mean of all levels of all criteria, if all have the same scale; None otherwise.
        pass_rate: Share of the graded outputs that the judge passes.
    """

    criteria: Mapping[str, Figure]
    overall: Figure
    mean_level: float | None
    pass_rate: Estimate


@dataclass(frozen=True)
class Shift:
    """Change of one figure between two variants, second minus first, with its interval and p-value.

    Attributes:
        difference: Mean of second minus first, with its 95% interval.
        together: That mean with a simultaneous interval: with 95% confidence, the intervals of all changes tested
            together hold at once.
        p: Two-sided mid-p value of the sign-flip test that neither variant is higher, adjusted by Holm's method for all
            changes tested together.
        means: Mean of the first and of the second variant, over the cases that both have.
        is_fault: True if a higher figure is worse: the criterion has a negative weight.
    """

    difference: Estimate
    together: Estimate
    p: float
    means: tuple[float, float]
    is_fault: bool = False

    @property
    def is_worse(self) -> bool:
        """True if the second variant is significantly worse, by an interval adjusted for the number of comparisons."""
        low = self.together.low
        high = self.together.high
        return low is not None and high is not None and (low > 0 if self.is_fault else high < 0)


@dataclass(frozen=True)
class Difference:
    """Comparison of two variants, or of a variant now with itself in the accepted run, on cases graded in both."""

    first: str
    second: str
    shifts: Mapping[str, Shift]

    @property
    def worse(self) -> list[str]:
        """Names of the figures in which the second variant is significantly worse."""
        return [name for name, shift in self.shifts.items() if shift.is_worse]


def figures(table: RatingTable, variant: str) -> VariantFigures:
    """Compute one variant's levels on each criterion, scores and pass rate."""
    column = table[variant]
    rubric = table.rubric
    is_output = column.is_given
    every = np.concatenate(list(column.levels.values()))
    every = every[~np.isnan(every)]
    one_scale = len({criterion.scale.ends for criterion in rubric.criteria}) == 1
    return VariantFigures(
        criteria={
            criterion.name: _figure(column.levels[criterion.name], is_output & ~column.skipped[criterion.name])
            for criterion in rubric.criteria
        },
        overall=_figure(column.scores, is_output),
        mean_level=float(every.mean()) if len(every) and one_scale else None,
        pass_rate=share(column.decisions, method="share of passes"),
    )


def _figure(values: Floats, is_due: Flags) -> Figure:
    """Compute mean, minimum and maximum of the known values of a variant's cases, and count missing values.

    Args:
        values: Value of each case, nan if missing.
        is_due: Flags of the cases that should have a value, since there is an output and the criterion applies; only
            their missing values are counted.
    """
    known_values = values[~np.isnan(values)]
    not_graded = int((np.isnan(values) & is_due).sum())
    if not len(known_values):
        return Figure(None, None, None, 0, not_graded)
    return Figure(
        math.fsum(known_values) / len(known_values),
        float(known_values.min()),
        float(known_values.max()),
        len(known_values),
        not_graded,
    )


def between_variants(table: RatingTable, cases: Sequence[ExperimentCase]) -> list[Difference]:
    """Compare every pair of variants, case by case.

    Cases with the same inputs count as one, by the mean of their outputs.
    """
    by_inputs = _by_inputs(table, cases)
    return _differences(by_inputs, list(combinations([column.name for column in table.columns], 2)))


def since(
    then: RatingTable, current: RatingTable, variants: Sequence[str], cases: Sequence[ExperimentCase]
) -> list[Difference]:
    """Compare each variant now with itself in the accepted run, on the cases that both runs graded.

    Args:
        then: The accepted run's table, with a column for each variant.
        current: This run's table.
        variants: Names of the variants.
        cases: The cases.
    """
    earlier = [replace(then[name], name=f"{ACCEPTED_VARIANT} {name}") for name in variants]
    by_inputs = _by_inputs(current.with_columns(*earlier), cases)
    changes = _differences(by_inputs, [(f"{ACCEPTED_VARIANT} {name}", name) for name in variants])
    return [replace(difference, first=ACCEPTED_VARIANT) for difference in changes]


def _by_inputs(table: RatingTable, cases: Sequence[ExperimentCase]) -> RatingTable:
    """Merge the rows of cases with equal content into one row, with the mean of their values.

    The mean is used, and not the median that combines several ratings of one response: these are ratings of several
    responses, and variants are compared by the mean over their responses.
    """
    rows_by_digest: dict[str, list[int]] = {}
    for index, case in enumerate(cases):
        rows_by_digest.setdefault(case.digest, []).append(index)
    if len(rows_by_digest) == len(cases):
        return table
    rows = list(rows_by_digest.values())
    columns = [
        replace(
            column.rows(np.array([row[0] for row in rows])),
            levels={name: _means(levels, rows) for name, levels in column.levels.items()},
            scores=_means(column.scores, rows),
        )
        for column in table.columns
    ]
    return RatingTable(table.rubric, tuple(table.ids[row[0]] for row in rows), tuple(columns))


def _means(values: Floats, rows: Sequence[Sequence[int]]) -> Floats:
    """Return the mean of the known values in each group of rows, shape (n_groups,); nan without known values."""
    values_of_rows = [[value for value in values[list(row)].tolist() if not math.isnan(value)] for row in rows]
    return np.array(
        [math.fsum(row_values) / len(row_values) if row_values else math.nan for row_values in values_of_rows]
    )


def _differences(table: RatingTable, pairs: Sequence[tuple[str, str]]) -> list[Difference]:
    """Compare pairs of variants, by their overall scores and by each criterion.

    The p-values of the overall scores of all pairs are adjusted together (Holm), and those of all criteria are adjusted
    together, separately from these.

    Args:
        table: Scores and levels of each variant's outputs, by case.
        pairs: Names of the first and the second variant of each comparison.
    """
    faults = {c.name: c.weight < 0 for c in table.rubric.criteria}
    shifts: list[dict[str, Shift]] = [{} for _ in pairs]
    for family in ([OVERALL], list(faults)):
        moved = [
            (index, name, criterion, d)
            for index, (first, second) in enumerate(pairs)
            for name in family
            for criterion in [None if name == OVERALL else name]
            if not np.isnan(d := differences(table, first, second, criterion)).all()
        ]
        adjusted = holm([sign_flip(d).mid_p for *_, d in moved])
        for (cell, name, criterion, _), p in zip(moved, adjusted, strict=True):
            alone, together = (
                shift_between(table, *pairs[cell], criterion, level=level)
                for level in (1 - ALPHA, 1 - ALPHA / len(moved))
            )
            means = _means_of_both(table, *pairs[cell], criterion)
            shifts[cell][name] = Shift(alone, together, float(p), means, faults.get(name, False))
    return [
        Difference(first, second, figure_shifts) for (first, second), figure_shifts in zip(pairs, shifts, strict=True)
    ]


def _means_of_both(table: RatingTable, first: str, second: str, criterion: str | None) -> tuple[float, float]:
    """Return two variants' means over the cases rated in both: of scores, or of the levels on a criterion.

    Args:
        table: The ratings, with a column for each variant.
        first: Name of the first variant.
        second: Name of the second variant.
        criterion: Name of the criterion; None for scores.
    """
    of_first, of_second = (
        column.scores if criterion is None else column.levels[criterion] for column in (table[first], table[second])
    )
    is_rated = ~np.isnan(of_first) & ~np.isnan(of_second)
    return math.fsum(of_first[is_rated]) / int(is_rated.sum()), math.fsum(of_second[is_rated]) / int(is_rated.sum())


def corrected_rates(run: ExperimentRun, labelled: RatingTable) -> PassRates:
    """Estimate the pass rates that annotators would give, overall and by variant, by correcting the judge's.

    Args:
        run: The graded table.
        labelled: A table with the columns of gold and of the judge on examples that both decided: outputs of this run,
            or any others.
    """
    rubric = run.experiment.rubric
    examples = [
        Example(Submission("", {}, grade.id), group=case, system=variant)
        for (variant, case), grade in run.grades.items()
    ]
    ratings = [rating_of(grade, rubric, variant) for (variant, _), grade in run.grades.items()]
    table = row_by_row(rubric, JUDGE, examples, ratings)
    are_own_labels = set(labelled.ids) <= set(table.ids)
    return pass_rates(table, labelled, how=None if are_own_labels else "elsewhere")
