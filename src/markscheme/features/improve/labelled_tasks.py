"""Checks that a set has enough labelled tasks to try new wordings on dev and to test them on held-out ones."""

import numpy as np

from markscheme.features.improve.drawn_parts import dev_size, drawn_parts
from markscheme.ratings.example_rows import values_of
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.row_form import takes_lines
from markscheme.rubrics.rubric import Rubric

LEAST_DEV, LEAST_SEALED = 10, 20
"""Smallest numbers of tasks in the dev part and in the held-out part."""


def can_try_words(rubric: Rubric, examples: ExampleSet, gold: Gold | None = None) -> bool:
    """Return True if an example set has enough tasks with gold scores, dev and held out, to try and test new wordings.

    If the set isn't divided into dev and held-out parts yet, the parts that would be drawn count.

    Args:
        rubric: The rubric whose words are to be tried.
        examples: All of the rubric's examples, with the labels that count.
        gold: The gold of the set or of a part of it; None if it isn't computed yet.
    """
    labelled = examples.labelled
    if rubric.is_of_pairs or not labelled.examples or not keeps_parts(examples):
        return False
    if gold is None or gold.n + gold.set_aside < len(labelled.examples):
        gold = gold_of(labelled, rubric)
    scored = {gold.ids[index] for index in np.flatnonzero(~np.isnan(gold.scores)).tolist()}
    if not examples.has_splits:
        if _suffice_however_drawn(labelled, scored):
            return True
        labelled = drawn_parts(labelled)
    ids, groups, splits = (values_of(labelled.examples, name) for name in ("id", "group", "split"))
    tasks = {
        (split == "test", group or ("", unit))
        for unit, group, split in zip(ids, groups, splits, strict=True)
        if unit in scored
    }
    held_out = [task for is_held_out, task in tasks if is_held_out]
    return len(tasks) - len(held_out) >= LEAST_DEV and len(held_out) >= LEAST_SEALED


def _suffice_however_drawn(labelled: ExampleSet, scored: set[str]) -> bool:
    """Return True if dev and held-out parts get enough tasks with a score, whichever tasks each part gets.

    It is True if each part has enough even if all tasks without a score fall into it. So the parts needn't be drawn,
    which would take long for a large set.

    Args:
        labelled: The labelled examples.
        scored: Ids of the examples with a gold score.
    """
    ids, groups = (values_of(labelled.examples, name) for name in ("id", "group"))
    tasks = [group or ("", unit) for unit, group in zip(ids, groups, strict=True)]
    n = len(set(tasks))
    unscored = n - len({task for unit, task in zip(ids, tasks, strict=True) if unit in scored})
    dev = dev_size(n)
    return dev - unscored >= LEAST_DEV and n - dev - unscored >= LEAST_SEALED


def keeps_parts(examples: ExampleSet) -> bool:
    """Return True if a set of examples is divided into dev and held-out parts, or can be.

    It can be divided if the set isn't from a file, or if its file is of a format that can store each example's part.
    """
    return examples.has_splits or examples.path is None or takes_lines(examples.path)
