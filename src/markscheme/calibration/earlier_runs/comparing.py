"""The table of what compares a run with the accepted ones."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markscheme.calibration.comparison.comparison import Comparison
    from markscheme.calibration.earlier_runs.setting import Setting
    from markscheme.calibration.earlier_runs.since import RunsCompared, Since
    from markscheme.ratings.rating import Rating

CompareRuns: TypeAlias = "Callable[[Since, Setting, Comparison, Sequence[Rating]], RunsCompared]"
COMPARE_RUNS: OpenTable[CompareRuns] = OpenTable()
"""Functions that compare a run, by its setting and its ratings, with the accepted ones; the first one counts."""
