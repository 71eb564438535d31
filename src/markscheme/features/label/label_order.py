"""The order in which a rater labels responses, and the responses that are labelled twice."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

RESPONSES_PER_REPEAT = 20
"""One in this many responses is labelled twice."""
LEAST_BETWEEN = 10
"""Fewest other responses between the two times that a response is labelled, if there are that many."""
TOGETHER = 20
"""Number of responses that annotators who share a pool finish together before the next ones, so that their labels
soon overlap."""


@dataclass(frozen=True, slots=True)
class Step:
    """One response in a rater's order of labelling, shown for the first time (sample 0) or again (sample 1)."""

    id: str
    sample: int = 0


def steps_of(
    ids: Sequence[str], *, rater: str, seed: int, again: bool = True, together: Mapping[str, int] | None = None
) -> tuple[Step, ...]:
    """List the responses in a rater's own order, in which one in twenty comes twice.

    Equal arguments give equal orders. A response that is added later doesn't change the order of earlier responses.

    Args:
        ids: Ids of the responses.
        rater: Name of the rater.
        seed: Random seed.
        again: True to let some responses be labelled twice.
        together: Position of each response in a shared pool, which raters label in batches; None to shuffle all
            responses.

    Example:
        >>> steps = steps_of([f"e{i}" for i in range(40)], rater="ann", seed=1)
        >>> len(steps), sum(step.sample for step in steps)
        (42, 2)
    """

    def turn(id: str) -> tuple[int, bytes]:
        digest = hashlib.sha256(f"{seed}\n{rater}\n{id}".encode()).digest()
        return (together[id] // TOGETHER if together else 0, digest)

    shuffled = sorted(ids, key=turn)
    steps: list[Step] = []
    due: dict[int, str] = {}
    for index, id in enumerate(shuffled):
        steps.append(Step(id))
        if again and index % RESPONSES_PER_REPEAT == RESPONSES_PER_REPEAT - 1:
            chosen = random.Random(f"{seed}\n{rater}\n{index}")  # noqa: S311 - guessing it gains nothing
            back = shuffled[index - RESPONSES_PER_REPEAT + 1 + chosen.randrange(RESPONSES_PER_REPEAT - LEAST_BETWEEN)]
            due[index + chosen.randrange(LEAST_BETWEEN)] = back
        if index in due:
            steps.append(Step(due.pop(index), 1))
    return (*steps, *(Step(id, 1) for id in due.values()))
