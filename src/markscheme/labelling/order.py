"""The order in which a rater labels the responses, and which of them they label twice."""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass

BLOCK = 20
"""One response in this many is labelled twice."""
APART = 10
"""Other responses between the two times, at least, where there are that many."""


@dataclass(frozen=True, slots=True)
class Step:
    """One page: a response, for the first time (sample 0) or the second (1)."""

    id: str
    sample: int = 0


def steps_of(ids: Sequence[str], *, rater: str, seed: int, again: bool = True) -> tuple[Step, ...]:
    """The responses in a rater's own order, one in twenty of them twice.

    The same arguments give the same order. A response added later leaves the order of the others as it is.

    Args:
        ids: Ids of the responses.
        rater: Name of the rater.
        seed: Random seed.
        again: Whether some responses are labelled twice.

    Example:
        >>> steps = steps_of([f"e{i}" for i in range(40)], rater="ann", seed=1)
        >>> len(steps), sum(step.sample for step in steps)
        (42, 2)
    """
    shuffled = sorted(ids, key=lambda id: hashlib.sha256(f"{seed}\n{rater}\n{id}".encode()).digest())
    steps: list[Step] = []
    due: dict[int, str] = {}
    for place, id in enumerate(shuffled):
        steps.append(Step(id))
        if again and place % BLOCK == BLOCK - 1:
            chosen = random.Random(f"{seed}\n{rater}\n{place}")  # noqa: S311 - guessing it gains nothing
            back = shuffled[place - BLOCK + 1 + chosen.randrange(BLOCK - APART)]
            due[place + chosen.randrange(APART)] = back
        if place in due:
            steps.append(Step(due.pop(place), 1))
    return (*steps, *(Step(id, 1) for id in due.values()))
