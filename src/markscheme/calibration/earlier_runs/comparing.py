"""Tables of functions by which features compare a run with earlier ones, and record each repeated comparison."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markscheme.calibration.comparison.comparison import Comparison
    from markscheme.calibration.earlier_runs.accepted_basis import AcceptedBasis, RunsCompared
    from markscheme.calibration.earlier_runs.run_identity import Accepted, RunIdentity
    from markscheme.grading import Grade
    from markscheme.ratings.rating import Rating

CompareRuns: TypeAlias = "Callable[[AcceptedBasis, RunIdentity, Comparison, Sequence[Rating]], RunsCompared]"
COMPARE_RUNS: OpenTable[CompareRuns] = OpenTable()
"""Functions that compare a run, by its setting and its ratings, with the accepted runs; only the first one is
called."""

CompareJudges: TypeAlias = "Callable[[AcceptedBasis, RunIdentity, Comparison, RunIdentity, Comparison], RunsCompared]"
COMPARE_JUDGES: OpenTable[CompareJudges] = OpenTable()
"""Functions that compare a judge with an earlier one on the same examples, by the setting of each judge and its
comparison with gold; the examples may be known only as counts. The first function that returns a result counts."""

WeighLooks: TypeAlias = "Callable[[Accepted, Sequence[Grade], int, str], tuple[float, ...]]"
"""Function that records new grades of the accepted examples as a look, and returns the evidence, after each look so
far, that the judge moved. It gets the accepted runs, the grades, the number of samples that each combines, and the
fingerprint that an unchanged judge has."""
LOOK_RECORDS: OpenTable[WeighLooks] = OpenTable()
"""Functions that record the new grades of accepted examples."""
