"""The table of functions by which features compute further figures from a calibration."""

from collections.abc import Callable
from typing import Any, TypeAlias

from markscheme.seam import OpenTable

ComputeFigures: TypeAlias = Callable[[Any], Any]
"""Function that computes figures from a `Calibration` when they are first asked for; it returns None for none."""

FURTHER_FIGURES: OpenTable[tuple[str, ComputeFigures]] = OpenTable()
"""Functions of features, each with the name by which reports ask for its figures."""
