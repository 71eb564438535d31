"""The order in which every reader gets the outputs, and the outputs at its start that are a random draw."""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from markscheme.features.discover.reading import OutputReading

ALSO_EVERY = 4
"""One in this many outputs is shown out of turn, if the reader asks for such outputs."""


def turn_of(id: str, seed: int) -> bytes:
    """Return an output's sort key in the random order: a digest of seed and id, whatever other outputs there are."""
    return hashlib.sha256(f"{seed}\n{id}".encode()).digest()


@dataclass(frozen=True)
class ReadingOrder:
    """Order of all outputs to read, the same for all readers.

    An output that joins the pool later gets its place in this order, and is shown next.

    Attributes:
        ids: Ids of the outputs, in order.
        n_drawn: Number of outputs, at the start of the order, from files that, as users said, are a random draw.
        is_pool: True if the pool is known, so that its first outputs in this random order are a random draw, too. If
            False, only outputs that users said are a random draw count as one.
    """

    ids: tuple[str, ...]
    n_drawn: int = 0
    is_pool: bool = True

    @classmethod
    def of(cls, pool: Iterable[str], drawn: Sequence[str] = (), *, seed: int = 1) -> "ReadingOrder":
        """Put outputs into a random order that starts with those that were drawn at random elsewhere.

        >>> ReadingOrder.of(["o-1", "o-2", "o-3"], seed=1).ids
        ('o-2', 'o-1', 'o-3')
        """
        first = tuple(dict.fromkeys(drawn))
        ids = set(pool)
        others = sorted(ids - set(first), key=lambda id: turn_of(id, seed))
        return cls((*first, *others), len(first), bool(ids))

    def random_part(self, readings: Iterable[OutputReading]) -> tuple[str, ...]:
        """Return, in reading order, all outputs before the first unread output; they are a random draw.

        Outputs read out of turn count only up to the last output that was read in turn, unless all outputs of the pool
        have been read.
        """
        finished = [reading for reading in readings if reading.is_finished]
        read = {reading.id for reading in finished}
        in_turn = {reading.id for reading in finished if not reading.is_chosen} | set(self.ids[: self.n_drawn])
        prefix = _read_prefix(self.ids, read)
        if len(prefix) == len(self.ids) and self.is_pool:
            return tuple(prefix)
        while prefix and prefix[-1] not in in_turn:
            prefix.pop()
        return tuple(prefix)


def _read_prefix(ids: Sequence[str], read: Collection[str]) -> list[str]:
    prefix = []
    for id in ids:
        if id not in read:
            break
        prefix.append(id)
    return prefix


def is_due_out_of_turn(shown: int) -> bool:
    """Return True if, after `shown` outputs of a session, the next is shown out of turn, as every fourth one is.

    >>> [is_due_out_of_turn(shown) for shown in range(5)]
    [False, False, False, True, False]
    """
    return shown % ALSO_EVERY == ALSO_EVERY - 1
