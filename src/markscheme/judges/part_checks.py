"""The table of checks that a judge can be shown images or documents; features add them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.judges.judge import Judge
    from markscheme.prompts.parts import ShownPart

PartCheck: TypeAlias = "Callable[[Judge, Sequence[ShownPart]], Awaitable[str | None]]"
"""Function that returns why a judge can't be shown some parts, such as images; None if it can."""
PART_CHECKS: OpenTable[PartCheck] = OpenTable()
"""Checks of a judge before its first prompt with images or documents."""
