"""The table of functions that find unfinished work, such as batches, for `status` to list; features add theirs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from markscheme.seam import OpenTable

UnderWay: TypeAlias = Callable[[], tuple[Sequence[str], Mapping[str, Any]]]
"""Looks for what is under way, and returns a line for each, and all of it by a key of the JSON of `status`."""
UNDER_WAY: OpenTable[UnderWay] = OpenTable()
"""What looks for it."""
