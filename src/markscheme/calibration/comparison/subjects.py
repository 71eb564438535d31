"""The table of subjects of comparison that features add, such as preferences between two responses."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.calibration.comparison.measure import Measure, Measured
    from markscheme.calibration.results import Reported
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.rating import Rating
    from markscheme.rubrics.keys import SubjectKind
    from markscheme.rubrics.rubric import Rubric

MeasureMaker: TypeAlias = "Callable[[Rubric, Measured, float | None], Measure | None]"
"""Function that makes the measure for a criterion, or for a name such as "score", with a tolerance; None for other
subjects."""
SystemsRanker: TypeAlias = "Callable[[Rubric, ExampleSet, Sequence[Rating]], Reported | None]"
"""Function that ranks the systems whose responses the examples hold, by labels and by each judge; None if no ranking
follows."""


class SubjectRow(NamedTuple):
    """Subject of comparison, such as preferences, with functions that measure it and rank systems by it.

    Attributes:
        compares: The value of a rubric's key `compare` that this row is for.
        measure: Function that makes the measure, or returns None for a rubric that compares another subject.
        rank_systems: Function that ranks the systems that wrote the compared responses; None if they are ranked by
            scores.
    """

    compares: "SubjectKind"
    measure: MeasureMaker
    rank_systems: "SystemsRanker | None" = None


SUBJECTS: Final[OpenTable[SubjectRow]] = OpenTable()
"""The table of subjects that features add; the module `comparison.comparison` has the core's."""
