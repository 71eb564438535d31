"""Answers by a rubric with categories: two agree if all their categories are equal and their other scores are close."""

import math
from dataclasses import replace

import numpy as np

from markscheme.phrases import brief
from markscheme.ratings.table import Column, earned_score
from markscheme.rubrics.rubric import DOES_NOT_APPLY, LEVEL_ROUNDING, Criterion, Rubric
from markscheme.stats.intervals import Floats

APART = 2.0
"""Distance between the numbers of any two categories, larger than that of any two scores, which are within 1."""


def noun_of_answers(rubric: Rubric) -> str:
    """Return the noun for a rater's answer by a rubric with categories, such as "answer" or "category".

    It is "answer" if other criteria give a score as well, else "category" or, for several, "combination of categories".
    """
    if has_score_of_rest(rubric):
        return "answer"
    return "category" if len(rubric.categories) == 1 else "combination of categories"


def has_score_of_rest(rubric: Rubric) -> bool:
    """Return True if a rubric with categories also has criteria that aren't categories."""
    return len(rubric.categories) < len(rubric.criteria)


def answers_of(rubric: Rubric, column: Column) -> Floats:
    """Encode each answer of a rater (its categories and score) as one number, shape (n_examples,); nan if incomplete.

    The number is `APART` times the index of the answer's categories among all combinations, in the order of the scales,
    plus the score. So two answers agree if their numbers are closer than the tolerance. "Does not apply" is a category
    too.
    """
    code = np.zeros(len(column.scores))
    for criterion in rubric.categories:
        code = code * _number_of_choices(criterion) + _places(criterion, column)
    return APART * code + (_rest(rubric, column) if has_score_of_rest(rubric) else 0.0)


def answer_in_words(rubric: Rubric, answer: float) -> str:
    """Return an answer, encoded as a number, in words: each category's name, then the score of the other criteria."""
    if math.isnan(answer):
        return brief(None)
    code = int(answer // APART)
    labels = []
    for criterion in reversed(rubric.categories):
        code, choice = divmod(code, _number_of_choices(criterion))
        choices = criterion.scale.choices
        labels.append(choices[choice] if choice < len(choices) else DOES_NOT_APPLY)
    words = [brief(answer % APART)] if has_score_of_rest(rubric) else []
    return ", ".join([*reversed(labels), *words])


def _number_of_choices(criterion: Criterion) -> int:
    return len(criterion.scale.levels) + 1


def _rest(rubric: Rubric, column: Column) -> Floats:
    """Return scores by the criteria with ordered levels alone, or overall scores if no category affects these."""
    if not any(criterion.has_worth for criterion in rubric.categories):
        return column.scores
    others = tuple(criterion for criterion in rubric.criteria if criterion.scale.ordered)
    without_categories = replace(rubric, criteria=others)
    scores = [_earned(column, index, without_categories) for index in range(len(column.scores))]
    return np.array(scores, dtype=np.float64)


def _places(criterion: Criterion, column: Column) -> Floats:
    """Return the index of each example's category; the last index means "does not apply", nan means no rating."""
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
