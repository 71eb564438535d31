"""Table by which statistics, which know no sentences, get those for reasons and shares from `report/`."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from markscheme.seam import OpenTable

Fact: TypeAlias = float | str | None
"""A figure or a name in the facts of a reason."""


CODE_WORDS: OpenTable[Callable[[], Any]] = OpenTable()
"""Functions that import the module with `reason_in_words` and `share_in_words`."""


def reason_in_words(code: str, facts: Mapping[str, Fact]) -> str:
    """Return the sentence for the code and facts of a reason."""
    return str(_words().reason_in_words(code, facts))


def share_in_words(estimate: Any, digits: int) -> str:
    """Format the share in an `Estimate`, with its interval."""
    return str(_words().share_in_words(estimate, digits))


def _words() -> Any:
    return next(iter(CODE_WORDS))()
