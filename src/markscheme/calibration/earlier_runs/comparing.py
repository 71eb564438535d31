"""The tables of what compares a run with the accepted ones, and of what records that it looked at their examples."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markscheme.calibration.comparison.comparison import Comparison
    from markscheme.calibration.earlier_runs.setting import Accepted, Setting
    from markscheme.calibration.earlier_runs.since import RunsCompared, Since
    from markscheme.ratings.rating import Rating

CompareRuns: TypeAlias = "Callable[[Since, Setting, Comparison, Sequence[Rating]], RunsCompared]"
COMPARE_RUNS: OpenTable[CompareRuns] = OpenTable()
"""Functions that compare a run, by its setting and its ratings, with the accepted ones; the first one counts."""

RecordLook: TypeAlias = "Callable[[Accepted, Sequence[Rating], str], None]"
"""Gets the accepted runs, the ratings of their examples, and the fingerprint of the judge."""
LOOK_RECORDERS: OpenTable[RecordLook] = OpenTable()
"""Functions that record new replies of an unchanged judge about the accepted examples: whether it is what it was."""
