"""Table of sections of a calibration's page below its first screen, to which features add theirs."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.comparison.measure import CriterionComparison
    from markscheme.report.document import Callout, Examples, Line, Section, Tiles
    from markscheme.rubrics.keys import SubjectKind
    from markscheme.stats import Estimate

SectionMaker: TypeAlias = "Callable[[Calibration, Examples], Iterable[Section]]"
"""Function that makes the sections of a calibration, or none if there is nothing to show; it gets the page's
examples in order."""


class SectionRow(NamedTuple):
    """Definition of a section of a calibration's page, which the core or a feature adds: its rank and how to make it.

    Attributes:
        rank: Position on the page; ranks of the core's sections are multiples of ten, so that others fit in between.
        make: Function that makes the section.
        rated: Kinds of rated units, single responses or pairs, for which the section is made.
        counts: Function that makes the numbers (Tiles) that the first screen shows instead of the numbers of false
            passes and false fails; None to show these.
        data: Function that makes the section's entries of the JSON; None for none.
    """

    rank: int
    make: SectionMaker
    rated: "tuple[SubjectKind, ...]" = ("responses", "pairs")
    counts: "Callable[[Calibration], Tiles] | None" = None
    data: "Callable[[Calibration], Mapping[str, Any]] | None" = None


SECTIONS: OpenTable[SectionRow] = OpenTable()
"""Sections of features; `report.sections.details` has the core's."""
MovedCallout: TypeAlias = "Callable[[Calibration, str], Callout | None]"
MOVED_CALLOUTS: OpenTable[MovedCallout] = OpenTable()
"""Functions that make the callout on what moved since the accepted runs, for the first screen, or None if nothing
moved."""
CAVEATS: "OpenTable[Callable[[Calibration], Iterable[Line]]]" = OpenTable()
"""Functions that yield lines on what limits the figures on the first screen, which come before all other lines."""
RUN_FACTS: "OpenTable[Callable[[Calibration], Iterable[tuple[str, str]]]]" = OpenTable()
"""Functions that yield further facts on the judge for the section on the run, each with its name and text."""


class CriterionFigure(NamedTuple):
    """Definition of a column in the table of criteria: heading, statistic of one criterion, and format.

    Attributes:
        heading: Heading of the column.
        estimate: Function that returns the statistic of one criterion.
        cell: Function that formats the statistic.
    """

    heading: str
    estimate: "Callable[[CriterionComparison], Estimate]"
    cell: "Callable[[Estimate], Line]"


CRITERION_FIGURES: OpenTable[Callable[[], CriterionFigure]] = OpenTable()
"""Functions that load the columns that features add to the table of criteria; `report.sections.criteria` has the
core's."""


def sections_for(calibration: "Calibration", *of_core: SectionRow) -> list[SectionRow]:
    """Return the sections that apply to what the judge rated, single responses or pairs, sorted by rank.

    Args:
        calibration: The calibration to report on.
        of_core: Sections in addition to those of features.
    """
    rated = calibration.rubric.compares
    return sorted((row for row in (*of_core, *SECTIONS) if rated in row.rated), key=lambda row: row.rank)
