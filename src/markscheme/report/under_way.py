"""Table of functions that find unfinished work, such as batches, for `status` to list; features add theirs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from markscheme.seam import OpenTable

UnderWay: TypeAlias = Callable[[], tuple[Sequence[str], Mapping[str, Any]]]
"""Function that finds unfinished work of one kind; it returns a line for each piece, and all of them under a key of
the JSON of `status`."""
UNDER_WAY: OpenTable[UnderWay] = OpenTable()
"""Functions that find unfinished work."""
