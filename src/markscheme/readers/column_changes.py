"""Changes that features make to the columns of a table before the columns' roles are determined."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from markscheme.seam import OpenTable

COLUMN_CHANGES: Final[OpenTable[Callable[[], Callable[[Sequence[Any], Any], Sequence[Any]]]]] = OpenTable()
"""Functions that import and return a function that, given a table's columns and the user's options for columns, returns
the columns to read in their place."""
