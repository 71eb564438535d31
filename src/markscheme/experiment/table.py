"""A graded table to figures: each variant's means, and how variants differ case by case."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from markscheme.calibration.pass_rates import Judged, Labelled, PassRates, pass_rates
from markscheme.experiment.definition import OVERALL, Case, Cell
from markscheme.experiment.run import ExperimentRun
from markscheme.grading import Grade
from markscheme.rubrics.rubric import Rubric
from markscheme.stats import Estimate
from markscheme.stats.change import holm, mean_estimate, shift_interval, sign_flip
from markscheme.stats.intervals import IDENTITY, wilson_share
from markscheme.verdict import NotApplicable

Floats = npt.NDArray[np.float64]
ALPHA = 0.05
LEAST_UNITS = 5
"""Cases below which no difference, however large, reaches p 0.05: mid-p is at least one half to the power of cases."""


@dataclass(frozen=True)
class Mark:
    """What a grade amounts to; None and a criterion that is not there are not known, never 0."""

    score: float | None
    passed: bool | None
    levels: Mapping[str, float]
    not_applicable: frozenset[str] = frozenset()


Marks = Mapping[Cell, Mark]


def mark_of(grade: Grade) -> Mark:
    """The score, decision and levels of a grade."""
    levels = {name: verdict.level for name, verdict in grade.verdicts.items()}
    skipped = frozenset(name for name, outcome in grade.outcomes.items() if isinstance(outcome, NotApplicable))
    return Mark(grade.score, grade.passed, levels, skipped)


@dataclass(frozen=True)
class Figure:
    """One figure over the outputs of a variant; mean, least and most are None where n is 0."""

    mean: float | None
    least: float | None
    most: float | None
    n: int
    not_graded: int


@dataclass(frozen=True)
class VariantFigures:
    """One variant's row of the table.

    Attributes:
        criteria: Levels by criterion, each on its own scale.
        overall: Scores, 0 to 1.
        mean_level: Mean of all levels of all criteria, where all have one scale; None otherwise.
        pass_rate: Share of the graded outputs that the judge passes.
    """

    criteria: Mapping[str, Figure]
    overall: Figure
    mean_level: float | None
    pass_rate: Estimate


@dataclass(frozen=True)
class Shift:
    """How far one figure moves from first to second, case by case.

    Attributes:
        difference: Mean of second minus first, with its 95 % interval.
        together: The same with an interval so wide that, of all tested together, 95 in 100 times none misses.
        p: Exact chance of such a mean if neither is higher, after Holm's adjustment for all tested together.
        is_fault: Whether a higher figure is worse: the criterion has a negative weight.
    """

    difference: Estimate
    together: Estimate
    p: float
    is_fault: bool = False

    @property
    def is_worse(self) -> bool:
        """Whether the wide interval shows second to be worse."""
        low, high = self.together.low, self.together.high
        return low is not None and high is not None and (low > 0 if self.is_fault else high < 0)


@dataclass(frozen=True)
class Difference:
    """Two variants, or one then and now, on the cases that both have: overall score and each criterion's level."""

    first: str
    second: str
    shifts: Mapping[str, Shift]

    @property
    def worse(self) -> list[str]:
        """Figures in which second is shown to be worse."""
        return [name for name, shift in self.shifts.items() if shift.is_worse]


def marks_of(run: ExperimentRun) -> dict[Cell, Mark]:
    """The marks of a run."""
    return {cell: mark_of(grade) for cell, grade in run.grades.items()}


def figures(marks: Marks, variant: str, rubric: Rubric) -> VariantFigures:
    """One variant's row.

    Example:
        >>> from markscheme import Rubric
        >>> rubric = Rubric.from_dict({"criteria": [{"name": "tone", "description": "Is kind"}]})
        >>> marks = {("a", "x"): Mark(0.5, True, {"tone": 3.0}), ("a", "y"): Mark(1.0, True, {"tone": 5.0})}
        >>> row = figures(marks, "a", rubric)
        >>> row.overall.mean, row.criteria["tone"].mean, row.mean_level, row.pass_rate.value
        (0.75, 4.0, 4.0, 1.0)
    """
    own = [mark for (name, _), mark in marks.items() if name == variant]
    scores = [mark.score for mark in own if mark.score is not None]
    decided = [mark.passed for mark in own if mark.passed is not None]
    criteria: dict[str, Figure] = {}
    every: list[float] = []
    for criterion in rubric.criteria:
        levels = [mark.levels[criterion.name] for mark in own if criterion.name in mark.levels]
        skipped = sum(criterion.name in mark.not_applicable for mark in own)
        criteria[criterion.name] = _figure(levels, len(own) - len(levels) - skipped)
        every += levels
    alike = len({(min(c.scale.values), max(c.scale.values)) for c in rubric.criteria}) == 1
    return VariantFigures(
        criteria=criteria,
        overall=_figure(scores, len(own) - len(scores)),
        mean_level=math.fsum(every) / len(every) if every and alike else None,
        pass_rate=wilson_share(sum(decided), len(decided), method="share of passes"),
    )


def _figure(values: Sequence[float], not_graded: int) -> Figure:
    if not values:
        return Figure(None, None, None, 0, not_graded)
    return Figure(math.fsum(values) / len(values), min(values), max(values), len(values), not_graded)


def between_variants(marks: Marks, variants: Sequence[str], cases: Sequence[Case], rubric: Rubric) -> list[Difference]:
    """Every two variants, case by case; cases with the same inputs count as one, by the mean of their outputs."""
    sides = {name: _Side(marks, name) for name in variants}
    return _differences([(a, b, sides[a], sides[b]) for a, b in combinations(variants, 2)], cases, rubric)


def since(then: Marks, now: Marks, variants: Sequence[str], cases: Sequence[Case], rubric: Rubric) -> list[Difference]:
    """Each variant then and now, on the cases of both."""
    return _differences([("accepted", name, _Side(then, name), _Side(now, name)) for name in variants], cases, rubric)


@dataclass(frozen=True)
class _Side:
    marks: Marks
    variant: str

    def values(self, cases: Sequence[Case], value: Callable[[Mark], float | None]) -> Floats:
        """One number a unit, shape (n_units,), nan where it has none."""
        units: dict[str, list[float]] = {}
        for case in cases:
            mark = self.marks.get((self.variant, case.id))
            found = None if mark is None else value(mark)
            units.setdefault(case.digest, []).extend([] if found is None else [found])
        return np.array([math.fsum(found) / len(found) if found else math.nan for found in units.values()])


def _differences(
    pairs: Sequence[tuple[str, str, _Side, _Side]], cases: Sequence[Case], rubric: Rubric
) -> list[Difference]:
    """The overall scores of all pairs are one family of tests, their criteria another."""
    spans = {c.name: c.scale.span for c in rubric.criteria}
    faults = {c.name: c.weight < 0 for c in rubric.criteria}
    shifts: list[dict[str, Shift]] = [{} for _ in pairs]
    for family in ([OVERALL], list(spans)):
        moved = [
            (place, name, d)
            for place, (_, _, a, b) in enumerate(pairs)
            for name in family
            if not np.isnan(d := b.values(cases, _value(name)) - a.values(cases, _value(name))).all()
        ]
        adjusted = holm([sign_flip(d).mid_p for _, _, d in moved])
        for (place, name, d), p in zip(moved, adjusted, strict=True):
            alone, together = (_estimate(d, spans.get(name), level) for level in (1 - ALPHA, 1 - ALPHA / len(moved)))
            shifts[place][name] = Shift(alone, together, float(p), faults.get(name, False))
    return [Difference(first, second, found) for (first, second, _, _), found in zip(pairs, shifts, strict=True)]


def _estimate(differences: Floats, span: float | None, level: float) -> Estimate:
    """The mean difference: of levels, with room for what few cases haven't shown; of scores, where they vary at all."""
    method = "second minus first, case by case"
    if span is None:
        found = mean_estimate(differences, transform=IDENTITY, level=level, method=method)
        if found.low is not None:
            return found
    return shift_interval(differences, span=span or 1.0, level=level, method=method)


def _value(name: str) -> Callable[[Mark], float | None]:
    return (lambda mark: mark.score) if name == OVERALL else (lambda mark: mark.levels.get(name))


def corrected_rates(run: ExperimentRun, labelled: Sequence[Labelled]) -> PassRates:
    """What people would pass, of all and by variant.

    Args:
        run: The graded table.
        labelled: What people and the judge both decided on: these very outputs, or others.
    """
    judged = [Judged(grade.id, grade.passed, variant, case) for (variant, case), grade in run.grades.items()]
    here = {one.id for one in judged}
    own = all(label.id in here for label in labelled)
    return pass_rates(judged, labelled, how=None if own else "elsewhere")
