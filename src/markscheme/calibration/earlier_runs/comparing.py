"""Tables of functions by which features compare a run with earlier ones, and record each repeated comparison."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markscheme.calibration.comparison.comparison import Comparison
    from markscheme.calibration.earlier_runs.setting import Accepted, Setting
    from markscheme.calibration.earlier_runs.since import RunsCompared, Since
    from markscheme.grading import Grade
    from markscheme.ratings.rating import Rating

CompareRuns: TypeAlias = "Callable[[Since, Setting, Comparison, Sequence[Rating]], RunsCompared]"
COMPARE_RUNS: OpenTable[CompareRuns] = OpenTable()
"""Functions that compare a run, by its setting and its ratings, with the accepted ones; the first one counts."""

CompareJudges: TypeAlias = "Callable[[Since, Setting, Comparison, Setting, Comparison], RunsCompared]"
COMPARE_JUDGES: OpenTable[CompareJudges] = OpenTable()
"""Functions that compare a judge, by its setting and its comparison with gold, with an earlier one by the same two.
The rows of both comparisons are the same examples, of which none need be known by itself. The first function counts."""

WeighLooks: TypeAlias = "Callable[[Accepted, Sequence[Grade], int, str], tuple[float, ...]]"
"""Gets the accepted runs, new grades of their examples, how many samples each combines, and the fingerprint of an
unchanged judge; records the grades as looks, and returns the evidence after each look so far that the judge moved."""
LOOK_RECORDS: OpenTable[WeighLooks] = OpenTable()
"""What remembers looks at the accepted examples."""
