"""In which order a rater meets the responses, and which of them come back."""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass

BLOCK = 20
"""Of so many responses one comes back."""
APART = 10
"""Least number of other responses between the two times, where there are so many."""


@dataclass(frozen=True, slots=True)
class Step:
    """One page: a response, for the first time (sample 0) or the second (1)."""

    id: str
    sample: int = 0


def steps_of(ids: Sequence[str], *, rater: str, seed: int, again: bool = True) -> tuple[Step, ...]:
    """The responses in a rater's own order, one in twenty of them twice.

    The order is the same whenever it is asked for, and a response added later changes no other two's order.

    Args:
        ids: Of the responses.
        rater: Whose order it is.
        seed: Makes another order of it.
        again: Whether some come back.

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
            chosen = random.Random(f"{seed}\n{rater}\n{place}")  # noqa: S311 - nobody gains by guessing it
            back = shuffled[place - BLOCK + 1 + chosen.randrange(BLOCK - APART)]
            due[place + chosen.randrange(APART)] = back
        if place in due:
            steps.append(Step(due.pop(place), 1))
    return (*steps, *(Step(id, 1) for id in due.values()))
