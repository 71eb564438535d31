"""The table of what features measure of a calibration, besides what every one has."""

from collections.abc import Callable
from typing import Any, NamedTuple

from markscheme.seam import OpenTable


class PartRow(NamedTuple):
    """A part of a calibration that a feature measures.

    Attributes:
        name: Its name, by which reports ask for it.
        measure: Measures it of a `Calibration` when it is first asked for; None where there is nothing to measure.
    """

    name: str
    measure: Callable[[Any], Any]


MEASURED_PARTS: OpenTable[PartRow] = OpenTable()
"""Parts of a calibration that features measure."""
