"""Differences from the wording in use, task by task, and what an ungraded example counts as."""

import numpy as np
import pytest

from markscheme.features.improve.trial import TrialPart, difference, ungraded_share
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Rubric
from tests.reference import selection_cases as cases

RUBRIC = Rubric((Criterion(1.0, "Is polite", "polite"),))


def part(tasks: tuple[str, ...]) -> TrialPart:
    examples = tuple(
        Example(
            Submission("text", {}, f"e{n}"),
            (Rating(f"e{n}", "ana", "human", {"polite": Rated(float(n % 2))}),),
            group=task,
        )
        for n, task in enumerate(tasks)
    )
    return TrialPart.of(gold_of(ExampleSet(examples), RUBRIC))


def test_a_task_s_difference_between_two_wordings_is_the_mean_over_the_task_s_examples() -> None:
    tasks, differences, means = cases.TASKS
    split = part(tasks)
    by_id = {f"e{n}": value for n, value in enumerate(differences)}
    values = np.array([by_id[unit] for unit in split.gold.ids])
    assert split.tasks == 3
    assert sorted(split.by_task(values).tolist()) == pytest.approx(sorted(means))
    assert split.by_task(np.column_stack([values, values])).shape == (3, 2)


def test_a_task_without_graded_examples_is_left_out_of_figures_per_task() -> None:
    split = part(("a", "b", "c"))
    assert split.by_task(np.array([np.nan, 1.0, 2.0])).tolist() == [1.0, 2.0]


def test_improve_tries_tasks_in_a_random_order_that_is_the_same_in_every_run() -> None:
    names = tuple(f"t{n}" for n in range(30))
    split = part(names)
    assert split.gold.ids == part(names).gold.ids
    assert list(split.gold.ids) != [f"e{n}" for n in range(30)]
    assert split.first(10).sum() == 10


def test_an_example_that_new_words_leave_ungraded_counts_as_the_largest_error_of_the_new_words() -> None:
    gold, yours, theirs = np.array([0.2, 0.9, 0.5]), np.array([0.2, 0.8, np.nan]), np.array([np.nan, 0.9, 0.5])
    assert difference(gold, yours, theirs).tolist()[:2] == pytest.approx([-0.8, 0.1])
    assert np.isnan(difference(gold, yours, theirs)[2])
    assert ungraded_share(yours, theirs) == 0.5
