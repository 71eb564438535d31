"""What the core calls to answer from counts, gathered so that it loads together."""

from markscheme.features.counts.calibration import calibrate_counts
from markscheme.features.counts.contrast import contrast_files
from markscheme.features.counts.view import COUNTS_REPORTERS

__all__ = ["COUNTS_REPORTERS", "calibrate_counts", "contrast_files"]
