"""Answers by a rubric with categories: equal where every category is, and the score of the rest is near enough."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from markscheme.phrases import brief
from markscheme.ratings.table import Column, earned_score
from markscheme.rubrics.rubric import DOES_NOT_APPLY, LEVEL_ROUNDING, Criterion, Rubric
from markscheme.stats.intervals import Floats

APART = 2.0
"""Distance between the numbers of two different categories: more than two scores, which are within 1, can be apart."""


@dataclass(frozen=True)
class Answers:
    """Answers of raters by a rubric with categories: each category, and the score of the other criteria.

    An answer is one number, so that two of them agree where they are closer than the tolerance: `APART` times the index
    of its categories among all combinations, in the order of the scales, plus the score. "Does not apply" is a category
    too.

    Attributes:
        rubric: Has at least one category.
    """

    rubric: Rubric

    @property
    def noun(self) -> str:
        """An answer in a word."""
        if self.has_score:
            return "answer"
        return "category" if len(self.rubric.categories) == 1 else "combination of categories"

    @cached_property
    def has_score(self) -> bool:
        """Whether there are other criteria than categories, so that there is a score of the rest."""
        return len(self.rubric.categories) < len(self.rubric.criteria)

    def values(self, column: Column) -> Floats:
        """Return a rater's answers as numbers, shape (n_examples,), nan where one is incomplete."""
        code = np.zeros(len(column.scores))
        for criterion in self.rubric.categories:
            code = code * self._choices(criterion) + _places(criterion, column)
        return APART * code + (self._rest(column) if self.has_score else 0.0)

    def in_words(self, value: float) -> str:
        """Return an answer as raters give it: the labels, then the score of the rest."""
        if math.isnan(value):
            return brief(None)
        code = int(value // APART)
        labels = []
        for criterion in reversed(self.rubric.categories):
            code, choice = divmod(code, self._choices(criterion))
            choices = criterion.scale.choices
            labels.append(choices[choice] if choice < len(choices) else DOES_NOT_APPLY)
        words = [brief(value % APART)] if self.has_score else []
        return ", ".join([*reversed(labels), *words])

    @staticmethod
    def _choices(criterion: Criterion) -> int:
        return len(criterion.scale.levels) + 1

    def _rest(self, column: Column) -> Floats:
        """Return the score of the criteria that aren't categories; the whole score if categories have no value."""
        if not any(criterion.has_worth for criterion in self.rubric.categories):
            return column.scores
        others = tuple(criterion for criterion in self.rubric.criteria if criterion.scale.ordered)
        without_categories = replace(self.rubric, criteria=others)
        scores = [_earned(column, index, without_categories) for index in range(len(column.scores))]
        return np.array(scores, dtype=np.float64)


def _places(criterion: Criterion, column: Column) -> Floats:
    """Return the index of each example's choice on a category, the last one for "does not apply"; nan for none."""
    levels = column.levels[criterion.name]
    places = np.full(len(levels), np.nan)
    for index, value in enumerate(criterion.scale.values):
        places[np.abs(levels - value) <= LEVEL_ROUNDING] = index
    places[column.skipped[criterion.name] & np.isnan(levels)] = len(criterion.scale.levels)
    return places


def _earned(column: Column, index: int, rubric: Rubric) -> float:
    names = [criterion.name for criterion in rubric.criteria]
    levels = {name: float(column.levels[name][index]) for name in names if not np.isnan(column.levels[name][index])}
    score = earned_score(levels, [name for name in names if column.skipped[name][index]], rubric)
    return math.nan if score is None else score
