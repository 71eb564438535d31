"""The table of functions that `verify` calls to compute a file's content again from its sources."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.accepted.recomputed import Recomputed

Recompute: TypeAlias = "Callable[[Path], Recomputed | None]"
"""Computes a file again, or the one of its format in a folder; None where there is none of that format."""

VERIFIABLE: OpenTable[Recompute] = OpenTable()
"""Functions that compute again, for `verify`, files other than judge cards."""
