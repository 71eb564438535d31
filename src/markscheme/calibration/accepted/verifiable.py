"""The table of functions that `verify` calls to compute a file's content again from its sources."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.accepted.recomputed import Recomputed

Recompute: TypeAlias = "Callable[[Path], Recomputed | None]"
"""Function that computes the file at a path, or the file of its format in that folder, again; None if there is no such
file."""

VERIFIABLE: OpenTable[Recompute] = OpenTable()
"""Functions that compute again, for `verify`, files other than judge cards."""
