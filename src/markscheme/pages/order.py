"""The order in which a rater labels responses, the responses that are labelled twice, and their division among
annotators.
"""

import hashlib
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

RESPONSES_PER_REPEAT = 20
"""One in this many responses is labelled twice."""
LEAST_BETWEEN = 10
"""Fewest other responses between the two times that a response is labelled, if there are that many."""
TOGETHER = 20
"""Number of responses that annotators who share a pool finish together before the next ones, so that their labels
soon overlap."""


@dataclass(frozen=True, slots=True)
class Share:
    """Division of a pool of responses among annotators.

    Attributes:
        raters: Names of the annotators.
        per_response: Number of annotators per response.
        overlap: Number of responses, from the first one, that get `per_response` annotators, while later ones get one;
            None for all responses.

    Raises:
        ValueError: There are fewer annotators than each response needs, or a name occurs twice.
    """

    raters: tuple[str, ...]
    per_response: int = 2
    overlap: int | None = None

    def __post_init__(self) -> None:
        if len(set(self.raters)) < len(self.raters):
            raise ValueError("an annotator is named twice")
        if self.per_response > len(self.raters):
            raise ValueError(
                f"{self.per_response} annotators per response are more than the {len(self.raters)} who share it"
            )

    def assigned(self, ids: Sequence[str], labelled: Mapping[str, Collection[str]], *, seed: int) -> list[set[str]]:
        """Choose each response's annotators at random, so that every possible set of annotators is equally frequent.

        Annotators who have labelled a response already count, so that the division may be changed half-way; the others
        of its set are added until there are enough. Adding responses at the end doesn't change the annotators of
        earlier ones.

        Args:
            ids: Ids of the responses.
            labelled: Names of those who have labelled each response, by its id.
            seed: Random seed.

        Example:
            >>> share = Share(("ana", "ben", "chris"), per_response=2)
            >>> [sorted(who) for who in share.assigned(["e1", "e2", "e3"], {}, seed=1)]
            [['ana', 'chris'], ['ana', 'ben'], ['ben', 'chris']]
        """
        assigned: list[set[str]] = []
        for index, id in enumerate(ids):
            size = self.per_response if self.overlap is None or index < self.overlap else 1
            sets = list(combinations(self.raters, size))
            block, within = divmod(index, len(sets))
            random.Random(f"{seed}\n{size}\n{block}").shuffle(sets)  # noqa: S311 - guessing it gains nothing
            already = set(labelled.get(id, ()))
            chosen = [rater for rater in (*sets[within], *self.raters) if rater not in already]
            assigned.append((already & set(self.raters)) | set(chosen[: max(0, size - len(already))]))
        return assigned


@dataclass(frozen=True, slots=True)
class Step:
    """One response in a rater's order, shown for the first time (sample 0) or for the second (sample 1)."""

    id: str
    sample: int = 0


def steps_of(
    ids: Sequence[str], *, rater: str, seed: int, again: bool = True, together: Mapping[str, int] | None = None
) -> tuple[Step, ...]:
    """List the responses in a rater's own order, in which one in twenty comes twice.

    Equal arguments give equal orders. A response that is added later doesn't change the order of the others.

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
