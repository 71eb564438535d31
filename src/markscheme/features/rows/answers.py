"""The functions that the core calls for rows with rubrics of their own, gathered so that they load together."""

from markscheme.features.rows.calibration import calibrate_each_judge, calibrate_rows
from markscheme.features.rows.receipt import labelled_rows, receipt_of_rows
from markscheme.features.rows.trend import trend_of_criteria

__all__ = ["calibrate_each_judge", "calibrate_rows", "labelled_rows", "receipt_of_rows", "trend_of_criteria"]
