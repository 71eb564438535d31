"""Division of a pool of responses among annotators."""

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True)
class Share:
    """Rule by which responses are divided among annotators.

    Attributes:
        raters: Names of the annotators.
        per_response: Number of annotators per response.
        overlap: Number of responses, from the first one, that get `per_response` annotators, while each later response
            gets one annotator; None for all responses.

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

        Annotators who have already labelled a response count as its annotators, so that the division may be changed
        half-way. Annotators of the set chosen for the response are added until it has enough. Adding responses at the
        end doesn't change the annotators of earlier responses.

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
