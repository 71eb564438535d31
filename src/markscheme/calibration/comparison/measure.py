"""Measures by which two columns of a rating table are compared, and the comparison on a single criterion."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final, Literal, Self, TypeAlias

import numpy as np

from markscheme.calibration.comparison.categories import answer_in_words, answers_of, noun_of_answers
from markscheme.errors import UsageError
from markscheme.grading.score import ROUNDING
from markscheme.phrases import rounded
from markscheme.ratings.code_arrays import equal_rows
from markscheme.ratings.table import Column, merits
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.stats import Estimate
from markscheme.stats.annotators import Ceiling, ceiling
from markscheme.stats.coefficients import Metric, two_raters
from markscheme.stats.estimate import EstimatesOnDemand
from markscheme.stats.intervals import Floats, Grouping, Groups
from markscheme.stats.severity import YES_NO_NAMES, confusion, error_family, error_names, yes_no_family

NO_ORDER = "the levels have no order"
OF_SCORE: Literal["score"] = "score"
OF_DECISION: Literal["decision"] = "decision"
FEWEST_TO_MERGE = 2000
"""Number of examples from which on those with equal values are computed as one; with fewer, each costs less than a
tenth of a second."""
PASSES = 0.5
"""The smallest value of a decision that counts as a pass; decisions are 1 for pass and 0 for fail."""
EQUAL = 1e-6
"""Tolerance with which only equal levels or decisions agree: below any step of a scale, above any rounding."""

Measured: TypeAlias = str | Criterion | Rubric
"""Subject of a comparison of two columns: one criterion's levels, all categories of a rubric with the score of the
rest, or a subject by its name, such as the score or the decision."""
LevelFigures: TypeAlias = Callable[["CriterionComparison"], Mapping[str, Estimate]]
"""Function that computes the Estimates of one criterion, by the names of the JSON format."""


@dataclass(frozen=True)
class Measure:
    """Value that is compared of each example, from 0 to 1: its score, its decision, or its level on a criterion.

    Levels of a criterion count as the score that a rubric of this criterion alone would give.

    Attributes:
        of: What is compared: "score", "decision" or a criterion. For scores by a rubric with categories, whose answers
            are the chosen categories and the score of the other criteria, it is that rubric.
        tolerance: Two numbers that are closer than this agree.
        constants: Values that a constant answer may have; None means any score that was given.
        only: The rubric's one criterion, whose level names scores are printed with; None if there are several.
    """

    of: Measured
    tolerance: float
    constants: tuple[float, ...] | None = None
    only: Criterion | None = None
    mirrored = False
    """True if each value compares two things, and it is arbitrary which of the two is stored first."""

    def values(self, column: Column) -> Floats:
        """Return a rater's value of each example by this measure, shape (n_examples,), nan if the rater gave none."""
        if isinstance(self.of, Criterion):
            return merits(self.of, column.levels[self.of.name])
        if isinstance(self.of, Rubric):
            return answers_of(self.of, column)
        return column.scores if self.of == OF_SCORE else column.decisions

    @property
    def name(self) -> str:
        """Name of the measure: "score", "decision" or the criterion's name."""
        if isinstance(self.of, Rubric):
            return OF_SCORE
        return self.of.name if isinstance(self.of, Criterion) else self.of

    @property
    def noun(self) -> str:
        """Noun for the compared values, such as "score", "decision" or "level"."""
        if isinstance(self.of, Rubric):
            return noun_of_answers(self.of)
        return "level" if isinstance(self.of, Criterion) else self.of

    @property
    def miss(self) -> str:
        """Phrase for a disagreement of judge and gold, such as "score off by 0.1 or more"."""
        return f"score off by {self.tolerance:g} or more" if self.of == OF_SCORE else f"another {self.noun}"

    def in_words(self, value: float) -> str:
        """Return a value in the words of raters: a level's name, pass or fail, or a score with at most two decimals."""
        if isinstance(self.of, Criterion):
            return _level_name(self.of, value)
        if isinstance(self.of, Rubric):
            return answer_in_words(self.of, value)
        if self.of == OF_DECISION:
            if self.only is not None and self.only.scale.own_yes_no:
                return self.only.scale.level_name(float(value >= PASSES))
            return "pass" if value >= PASSES else "fail"
        return rounded(value) if self.only is None else _level_name(self.only, value)

    def level_figures(self, compared: "CriterionComparison") -> Mapping[str, Estimate]:
        """Compute the statistics of judge and gold on one criterion, by JSON key; the unit of errors is a level."""
        scale = compared.criterion.scale
        compared = compared.merged
        levels = sorted(set(scale.values))
        agreed = two_raters(compared.gold, compared.judge, levels=levels, ordered=scale.ordered, groups=compared.groups)
        families = (
            (agreed, lambda: agreed),
            (error_names(), lambda: _errors_of_levels(compared)),
            (YES_NO_NAMES, lambda: _decisions_of_levels(compared)),
        )
        return EstimatesOnDemand(families)

    def always(self, value: float) -> str:
        """Describe a constant answer: "always answering 0.75", "always MET"."""
        answer = self.in_words(value)
        is_said = isinstance(self.of, Rubric) or answer[-1].isdigit()
        return f"always {'answering ' if is_said else ''}{answer}"


def _level_name(criterion: Criterion, merit: float) -> str:
    """Return the name of a criterion's level, or a number between two, from its merit, the quality from 0 to 1."""
    return criterion.scale.level_name(criterion.scale.at(criterion.merit(merit)))


def criterion_meant(rubric: Rubric, of: str | Criterion) -> Criterion:
    """Return the criterion with a name; a Criterion is returned unchanged.

    Raises:
        UsageError: No criterion has that name.
    """
    return of if isinstance(of, Criterion) else _criterion(rubric, of)


def _criterion(rubric: Rubric, name: str) -> Criterion:
    criteria = {criterion.name: criterion for criterion in rubric.criteria}
    if name not in criteria:
        raise UsageError(f"`of` must be one of {', '.join((OF_SCORE, OF_DECISION, *criteria))}, got {name!r}")
    return criteria[name]


def headline(scale: Scale) -> Literal["weighted_kappa", "cohen_kappa"]:
    """Return the coefficient to report first: quadratic kappa for more than two ordered levels, else Cohen's."""
    return "weighted_kappa" if scale.ordered and len(set(scale.values)) > 2 else "cohen_kappa"


FINEST_SCALE: Final = 21
"""Largest number of values that count as levels: those of a scale from 0 to 10, and those halfway between two."""
HALVED_ENDS: Final = 3
"""Number of values on a scale of two levels, with the value halfway between; more are scores between two ends."""


@dataclass(frozen=True)
class CriterionComparison:
    """A judge compared with gold on one criterion.

    Attributes:
        criterion: The criterion.
        gold: Gold levels, shape (n_examples,), nan where there is none.
        judge: The judge's levels, shape (n_examples,), nan where there is none.
        read_people: Function that returns the levels of single annotators, an array that takes much memory.
        groups: The group of each example, or its set of groups, left out together in the jackknife; None if there are
            no groups.
        compute: Function that computes the Estimates of the criterion.
    """

    criterion: Criterion
    gold: Floats
    judge: Floats
    read_people: Callable[[], Floats]
    groups: Grouping
    compute: LevelFigures

    @property
    def people(self) -> Floats:
        """Levels of single annotators, shape (n_examples, n_people), nan where an annotator gave none."""
        return self.read_people()

    @cached_property
    def merged(self) -> Self:
        """The distinct pairs of gold's and the judge's level, each with the number of examples that have them.

        A small set isn't merged: it has a row for each example.
        """
        (gold, judge), groups = merged_rows(self.gold, self.judge, groups=self.groups)
        return replace(self, gold=gold, judge=judge, read_people=partial(np.zeros, (len(gold), 0)), groups=groups)

    @cached_property
    def statistics(self) -> Mapping[str, Estimate]:
        """Statistics of judge and gold on this criterion, by JSON key; the unit of errors is a level."""
        return self.compute(self)

    @property
    def headline(self) -> Estimate:
        """The chance-corrected coefficient reported first for this criterion's scale.

        If this coefficient has no value, quadratic kappa is used. On two levels it equals Cohen's kappa, and it has a
        value even if the median of several samples lies between the levels. Levels without order have no quadratic
        kappa.
        """
        leading = self.statistics[headline(self.criterion.scale)]
        quadratic = self.statistics.get("weighted_kappa", leading)
        return quadratic if leading.value is None and quadratic.value is not None else leading

    @cached_property
    def ceiling(self) -> Ceiling | None:
        """Agreement of annotators with each other and with the judge; None unless an example has two annotators."""
        people = self.people
        if people.shape[1] < 2 or not np.any((~np.isnan(people)).sum(axis=1) >= 2):
            return None
        scale = self.criterion.scale
        metric: Metric = "nominal" if scale.is_yes_no or not scale.ordered else "ordinal"
        return ceiling(people, self.judge, levels=sorted(set(scale.values)), metric=metric, groups=self.groups)

    @cached_property
    def levels_given(self) -> list[float]:
        """The scale's levels, and the values between levels that gold or judge has as medians of ratings."""
        given_levels = np.concatenate([self.gold, self.judge])
        return sorted({*self.criterion.scale.values, *given_levels[~np.isnan(given_levels)].tolist()})

    @property
    def has_many_values(self) -> bool:
        """True if two raters are hardly ever on the same value, as with scores from 0 to 100."""
        scale = self.criterion.scale
        most = HALVED_ENDS if len(scale.levels) == len(scale.ends) else FINEST_SCALE
        return scale.ordered and not (scale.by_label or scale.is_yes_no) and len(self.levels_given) > most

    @cached_property
    def confusion(self) -> dict[str, Any]:
        """Confusion matrix with its levels, rows gold and columns judge; undefined if a rating is between levels."""
        scale = self.criterion.scale
        levels = list(dict.fromkeys(scale.values))
        names = [scale.level_name(level) for level in levels] if scale.coded else levels
        has_two = ~np.isnan(self.gold) & ~np.isnan(self.judge)
        ratings = np.concatenate([self.gold[has_two], self.judge[has_two]])
        if not np.isin(ratings, levels).all():
            return {"levels": names, "matrix": None, "undefined": "a rating lies between two levels"}
        counts = confusion(self.gold, self.judge, levels, groups=self.groups)
        return {"levels": names, "matrix": counts.tolist(), "undefined": None}


def merged_rows(*columns: Floats, groups: Grouping) -> tuple[tuple[Floats, ...], Grouping]:
    """Merge examples that have equal values in all columns; return the merged columns and their groups.

    The returned groups have the number of examples that each merged row represents. Examples of different groups aren't
    merged. With fewer than `FEWEST_TO_MERGE` examples, columns and groups are returned unchanged.

    Args:
        columns: Columns of shape (n_examples,), nan where there is no value.
        groups: The group of each example; None if there are no groups.

    Example:
        >>> many = np.tile([1.0, 2.0, 2.0, np.nan], 1000)
        >>> (first, second), counts = merged_rows(many, many, groups=None)
        >>> first.tolist(), counts.copies.tolist()
        ([1.0, 2.0, nan], [1000.0, 2000.0, 1000.0])
    """
    n = len(columns[0])
    if n < FEWEST_TO_MERGE:
        return columns, groups
    rows = Groups.of(groups, n)
    sets = rows.number if rows.named else np.zeros(n, dtype=np.int64)
    first, kind = equal_rows([sets, *columns], n)
    counts = Groups.counted(np.bincount(kind, weights=rows.units), sets[first] if rows.named else None)
    return tuple(column[first] for column in columns), counts


def _errors_of_levels(compared: CriterionComparison) -> Mapping[str, Estimate]:
    scale = compared.criterion.scale
    if scale.ordered:
        levels = sorted(set(scale.values))
        return error_family(compared.gold, compared.judge, groups=compared.groups, levels=levels)
    n = int(np.isfinite(compared.gold + compared.judge).sum())
    return {name: Estimate.without_value(NO_ORDER, n=n, method=name) for name in error_names()}


def _decisions_of_levels(compared: CriterionComparison) -> Mapping[str, Estimate]:
    gold = passes(compared.criterion, compared.gold)
    judge = passes(compared.criterion, compared.judge)
    return yes_no_family(gold, judge, groups=compared.groups)


def passes(criterion: Criterion, levels: Floats) -> Floats:
    """Return an array with 1 for each level that passes the criterion and 0 for each that fails it.

    The value is nan where there is no level, and everywhere if the criterion neither passes nor fails by itself.
    """
    if not criterion.is_decisive:
        return np.full_like(levels, np.nan)
    if criterion.passing:
        return np.array([_passes(criterion, level) for level in levels.tolist()])
    passed = merits(criterion, levels) >= criterion.threshold - ROUNDING
    return np.where(np.isnan(levels), np.nan, passed).astype(np.float64)


def _passes(criterion: Criterion, level: float) -> float:
    return level if level != level else float(criterion.passes(criterion.scale.position(level)))
