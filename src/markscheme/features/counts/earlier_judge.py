"""Comparison of a judge with an earlier judge whose ratings are counted in the same counts file."""

from dataclasses import replace
from typing import TYPE_CHECKING

from markscheme.calibration.calibration import Rater
from markscheme.calibration.earlier_runs.accepted_basis import DRIFT_MARGIN, AcceptedBasis
from markscheme.calibration.earlier_runs.comparing import COMPARE_JUDGES
from markscheme.calibration.options import AcceptingOptions
from markscheme.errors import UsageError
from markscheme.features.counts.comparison import CountedComparison, compare_counts

if TYPE_CHECKING:
    from markscheme.calibration.earlier_runs.accepted_basis import RunsCompared


def since_earlier(comparison: CountedComparison, rater: Rater, accepting: AcceptingOptions) -> "RunsCompared | None":
    """Compare the judge with the earlier judge in the counts file; None if the file has no earlier judge.

    Args:
        comparison: The judge compared with gold.
        rater: The judge.
        accepting: Options on how runs are compared.

    Raises:
        UsageError: More comparisons were made than planned, or no installed feature compares judges.
    """
    counts = comparison.counts
    if counts.earlier is None:
        return None
    compare_judges = next(iter(COMPARE_JUDGES), None)
    if compare_judges is None:
        raise UsageError(f"--earlier {counts.earlier}: this markscheme doesn't compare a judge with an earlier one")
    run = accepting.run_number or 1
    planned = accepting.planned_runs
    if planned is not None and run > planned:
        raise UsageError(f"this is comparison {run} with {counts.earlier}, and {planned} were planned")
    margin = accepting.drift_margin or DRIFT_MARGIN
    since = AcceptedBasis(None, run, planned, margin, accepting=accepting.accept, start_over=accepting.replace)
    current = rater.setting(comparison.rubric)
    then = compare_counts(counts.of_earlier, comparison.rubric, comparison.measure)
    return compare_judges(since, current, comparison, replace(current, judge=counts.earlier), then)
