"""The two responses of a pair in a line of examples: their ids and the systems that wrote them."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from markscheme.errors import Fault
from markscheme.fingerprint import fingerprint
from markscheme.plain_data import shown
from markscheme.prompts.submission import PAIR_NAMES, RESPONSE_KEYS, response_in


class PairSide(NamedTuple):
    """Origin of one response of a pair: its id and the system that wrote it.

    Attributes:
        id: The response's own id; None if unknown.
        system: Name of the system that wrote it; None if unknown.
    """

    id: str | None = None
    system: str | None = None

    @classmethod
    def of(cls, side: Any) -> "PairSide":
        """Read id and system of one response of a pair in a line of examples; either is None if the line lacks it."""
        if not isinstance(side, Mapping):
            return cls()
        return cls(*(str(side[key]) or None if side.get(key) is not None else None for key in ("id", "system")))

    def to_json(self, response: Any) -> dict[str, Any]:
        """Return the response with its id and system, as one side of a pair in a line of examples."""
        about = {key: value for key, value in (("id", self.id), ("system", self.system)) if value}
        return {**about, "response": response}


def sides_of_pair(raw: Mapping[str, Any]) -> tuple[PairSide, PairSide]:
    """Return the id and the system of both responses of a pair in a line of examples."""
    first, second = (PairSide.of(raw.get(name)) for name in PAIR_NAMES)
    return first, second


def responses_of_pair(raw: Mapping[str, Any]) -> tuple[str, str]:
    """Return the texts of both responses of a pair in a line of examples.

    Raises:
        ValueError: A side is missing, or its response isn't text.
    """
    first, second = (_response_of_side(raw, name) for name in PAIR_NAMES)
    return first, second


def _response_of_side(raw: Mapping[str, Any], name: str) -> str:
    if name not in raw:
        raise ValueError(f"a pair has a `first` and a `second`, each with its response: `{name}` is missing")
    response = response_in(raw[name])
    if not isinstance(response, str):
        keys = " or ".join(f"`{key}`" for key in RESPONSE_KEYS)
        raise ValueError(f"`{name}` is a response, or an object with one under {keys}; found {shown(raw[name])}")
    return response


def systems_of(sides: tuple[PairSide, PairSide]) -> str:
    """Name both systems of a pair in alphabetical order, as "a and b"; "" if one is unknown.

    >>> systems_of((PairSide(system="b"), PairSide(system="a")))
    'a and b'
    """
    names = [side.system for side in sides if side.system is not None]
    return " and ".join(sorted(names)) if len(names) == len(sides) else ""


def group_of_inputs(inputs: Mapping[str, Any]) -> str:
    """Return the name of the group of a pair whose line states no group: it is equal for pairs with equal inputs."""
    return f"inputs {fingerprint(sorted((name, str(value)) for name, value in inputs.items()))[:8]}"


def faults_of_groups(pairs: Iterable[tuple[str, str, tuple[PairSide, PairSide], int | None]]) -> list[Fault]:
    """Return a fault for each response that is in pairs of two groups, since groups must be independent.

    Args:
        pairs: For each pair its id, its group, the origins of its two responses, and its line in the file.
    """
    first_group: dict[str, tuple[str, str]] = {}
    faults = []
    for id, group, sides, line in pairs:
        for side in sides:
            if not side.id:
                continue
            pair, earlier = first_group.setdefault(side.id, (id, group))
            if earlier != group:
                faults.append(
                    Fault(
                        f"response {side.id!r} is in group {earlier!r} of {pair!r} and here in {group!r}; pairs that "
                        "share a response share a group",
                        line,
                    )
                )
    return faults
