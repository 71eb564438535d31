"""Who wrote the two responses of a pair, as a line of examples has it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from markscheme.errors import Fault
from markscheme.fingerprint import fingerprint
from markscheme.plain_data import shown
from markscheme.submission import PAIR_NAMES, RESPONSE_KEYS, response_in


@dataclass(frozen=True, slots=True)
class PairSide:
    """One response of a pair, without its text.

    Attributes:
        id: The response's own id; None where unknown.
        system: What wrote it; None where unknown.
    """

    id: str | None = None
    system: str | None = None

    @classmethod
    def of(cls, side: Any) -> "PairSide":
        """Read id and system of one side of a line; of a text alone nothing is known."""
        if not isinstance(side, Mapping):
            return cls()
        return cls(*(str(side[key]) or None if side.get(key) is not None else None for key in ("id", "system")))

    def to_json(self, response: Any) -> dict[str, Any]:
        """Return the side as in a line of examples."""
        about = {key: value for key, value in (("id", self.id), ("system", self.system)) if value}
        return {**about, "response": response}


def sides_of_pair(raw: Mapping[str, Any]) -> tuple[PairSide, PairSide]:
    """Return who wrote the two responses in a line of examples."""
    first, second = (PairSide.of(raw.get(name)) for name in PAIR_NAMES)
    return first, second


def responses_of_pair(raw: Mapping[str, Any]) -> tuple[str, str]:
    """Return the two responses in a line of examples.

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
    """Return the two systems of a pair in one name, the same whichever is stored first; "" where one is unknown.

    >>> systems_of((PairSide(system="b"), PairSide(system="a")))
    'a and b'
    """
    names = [side.system for side in sides if side.system is not None]
    return " and ".join(sorted(names)) if len(names) == len(sides) else ""


def group_of_inputs(inputs: Mapping[str, Any]) -> str:
    """Return the group of a pair that names none: all pairs with the same inputs share texts, and belong together."""
    return f"inputs {fingerprint(sorted((name, str(value)) for name, value in inputs.items()))[:8]}"


def faults_of_groups(pairs: Iterable[tuple[str, str, tuple[PairSide, PairSide], int | None]]) -> list[Fault]:
    """Return responses that are in pairs of several groups, so that these groups depend on each other.

    Args:
        pairs: For each pair its id, its group, its sides and its line.
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
