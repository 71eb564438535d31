"""The table of functions by which features compute further figures from a calibration."""

from collections.abc import Callable
from typing import Any, TypeAlias

from markscheme.seam import OpenTable

MeasurePart: TypeAlias = Callable[[Any], Any]
"""Function that measures a part of a `Calibration` when it is first asked for; None if there is nothing to measure."""

MEASURED_PARTS: OpenTable[tuple[str, MeasurePart]] = OpenTable()
"""Parts of a calibration that features measure, each with the name by which reports ask for it."""
