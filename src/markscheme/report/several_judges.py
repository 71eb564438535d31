"""Table of functions that report on several judges together, for `calibrate` with more than one judge."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.report.document import Document

JudgesReporter: TypeAlias = (
    "Callable[[Sequence[Calibration]], tuple[Calibration, Document, Callable[[], dict[str, Any]]]]"
)
"""Function that compares the judges of several calibrations.

It returns the calibration of the judge to choose, the report on all of them, and a function that makes the report's
JSON.
"""
JUDGES_REPORTERS: OpenTable[JudgesReporter] = OpenTable()
"""Functions that report on several judges; the first one is used."""
