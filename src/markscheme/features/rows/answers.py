"""The functions that the core calls for rows with rubrics of their own, gathered so that they load together."""

from markscheme.features.rows.calibration import calibrate_each_judge, calibrate_rows
from markscheme.features.rows.decided import read_decisions
from markscheme.features.rows.receipt import labelled_rows, receipt_of_rows
from markscheme.features.rows.trend import trend_of_criteria
from markscheme.features.rows.view import REPORTER
from markscheme.readers.plain_tables import first_with_rubric

__all__ = [
    "REPORTER",
    "calibrate_each_judge",
    "calibrate_rows",
    "first_with_rubric",
    "labelled_rows",
    "read_decisions",
    "receipt_of_rows",
    "trend_of_criteria",
]
