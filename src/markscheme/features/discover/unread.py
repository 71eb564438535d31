"""Selection of outputs that nobody reads during discovery, so that the finished rubric can be tested on them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from markscheme.features.discover.figures import ReadOutputs
from markscheme.phrases import counted
from markscheme.ratings.example_rows import DrawnBy, Example

LEAST_POOL = 40
"""Fewest outputs of a pool of which some are kept unread."""


def kept_unread(order: Sequence[str], tasks: Mapping[str, str], read: Collection[str]) -> tuple[str, ...]:
    """Return the outputs of the second half of the tasks, in order, without tasks of which any output has been read.

    If there are too few outputs to leave some unread, return ().

    Args:
        order: The outputs, in the order in which they are read.
        tasks: The task of each output, by id; an output without a task is a task of its own.
        read: Ids of the outputs that were read, in turn or out of turn.

    Example:
        >>> order = [f"o{index}" for index in range(42)]
        >>> later = kept_unread(order, {}, ["o0", "o41"])
        >>> len(later), later[0], later[-1]
        (20, 'o21', 'o40')
    """
    if len(order) < LEAST_POOL:
        return ()
    task_of = {unit: tasks.get(unit, unit) for unit in order}
    in_turn = list(dict.fromkeys(task_of.values()))
    later = set(in_turn[(len(in_turn) + 1) // 2 :]) - {task_of[unit] for unit in read if unit in task_of}
    return tuple(unit for unit in order if task_of[unit] in later)


def reading_plan(n: int, n_kept: int) -> str:
    """Return a phrase on how many of a discovery's outputs to read, and how many stay unread.

    Args:
        n: Number of all outputs.
        n_kept: Number of these outputs that stay unread.

    Example:
        >>> reading_plan(80, 40)
        '80 outputs: read 40; 40 stay unread, to prove the rubric'
    """
    outputs = counted(n, "output")
    if n < LEAST_POOL:
        return f"{outputs}: read all; bring {LEAST_POOL} more before you change the rubric"
    if not n_kept:
        return f"{outputs}: read all"
    return f"{outputs}: read {n - n_kept}; {n_kept} stay unread, to prove the rubric"


def examples_to_label(
    outputs: ReadOutputs, examples: Mapping[str, Example], labelled: Sequence[Example], unread_ids: Sequence[str]
) -> list[Example]:
    """Return the examples for the rubric: labelled outputs, other outputs that were read, and unread ones as held out.

    Args:
        outputs: The outputs that were read, with their notes.
        examples: The pool, by id.
        labelled: The outputs with a label, as they are written to the file of examples.
        unread_ids: Ids of the outputs without a reading.
    """
    labelled_ids = {example.id for example in labelled}
    at_random = set(outputs.random_ids)
    read = dict.fromkeys(reading.id for reading in outputs.readings if reading.is_finished)

    def as_drawn(unit: str) -> DrawnBy:
        return "random" if unit in at_random else "chosen"

    others = [
        replace(examples[unit], split="dev", drawn=as_drawn(unit), labels=(), line=None)
        for unit in read
        if unit in examples and unit not in labelled_ids
    ]
    unread = [
        replace(examples[unit], split="test", drawn="random", labels=(), line=None)
        for unit in unread_ids
        if unit in examples
    ]
    return [*labelled, *others, *unread]
