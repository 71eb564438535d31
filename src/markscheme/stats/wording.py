"""The table of what puts the codes and shares of statistics in words; reports, which are above them, add it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from markscheme.seam import OpenTable

Fact: TypeAlias = float | str | None
"""A figure or a name behind a reason."""


class Wording(Protocol):
    """What puts reasons and shares in words."""

    def reason(self, code: str, facts: Mapping[str, Fact]) -> str:
        """Return the sentence of a reason."""

    def share(self, estimate: Any, digits: int) -> str:
        """Return the share that an `Estimate` has, with its interval."""


WORDINGS: OpenTable[Callable[[], Wording]] = OpenTable()
"""Loads the words."""


def wording() -> Wording:
    """Return what puts codes and shares in words."""
    return next(iter(WORDINGS))()
