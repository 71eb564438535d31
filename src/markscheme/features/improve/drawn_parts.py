"""Division of a labelled set, task by task, into a part to try wordings on and a part to test them on."""

from dataclasses import replace

from markscheme.ratings.example_rows import Example, Split
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.splits import in_drawn_order


def drawn_parts(examples: ExampleSet) -> ExampleSet:
    """Divide labelled examples at random, a third of the tasks to dev and the other tasks to test, if not done yet.

    A task is a group of examples, or an example without a group.
    """
    if examples.has_splits:
        return examples
    order = in_drawn_order(task_of(example) for example in examples.labelled.examples)
    dev = set(order[: dev_size(len(order))])

    def part(example: Example) -> Split | None:
        return ("dev" if task_of(example) in dev else "test") if example.labels else None

    return replace(examples, examples=tuple(replace(example, split=part(example)) for example in examples.examples))


def dev_size(n: int) -> int:
    """Return how many of `n` tasks (groups of examples) belong to the dev split; all other tasks are held out.

    >>> [dev_size(n) for n in (40, 60, 80, 200)]
    [13, 20, 27, 67]
    """
    return round(n / 3)


def task_of(example: Example) -> str:
    """Return a key that examples whose errors may be related share: the example's group, else its id."""
    return f"group {example.group}" if example.group else f"example {example.id}"
