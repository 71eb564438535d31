"""The table of sections of a calibration's page below its first screen, to which features add theirs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.report.document import Callout, Examples, Line, Section

SectionMaker: TypeAlias = "Callable[[Calibration, Examples], Iterable[Section]]"
"""Makes the sections of a calibration, or none where it has nothing to show; examples come in the order of the page."""


@dataclass(frozen=True, slots=True)
class SectionRow:
    """Where a section stands, and what makes it.

    Attributes:
        rank: Its place on the page; ranks of the core are tens, so that there is room between them.
        make: Makes it.
    """

    rank: int
    make: SectionMaker


SECTIONS: OpenTable[SectionRow] = OpenTable()
"""The sections of features; `report.sections.details` has the core's."""
MovedCallout: TypeAlias = "Callable[[Calibration, str], Callout | None]"
MOVED_CALLOUTS: OpenTable[MovedCallout] = OpenTable()
"""What says on the first screen what moved since the accepted runs, and what the judge then does; None if nothing."""
CAVEATS: "OpenTable[Callable[[Calibration], Iterable[Line]]]" = OpenTable()
"""What limits the figures on the first screen, said before all else."""
