"""Rows that bring a rubric of their own: how often a judge is right on criteria that it has never seen."""

from typing import TYPE_CHECKING

from markscheme.calibration.file_answers import FILE_ANSWERS
from markscheme.calibration.results import RESULTS, Reporter, ResultRow
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.file_answers import FileAnswer
    from markscheme.calibration.requests.calibration import CalibrationRequest


def _answer(request: "CalibrationRequest") -> "FileAnswer | None":
    from markscheme.features.rows.calibration import calibrate_rows, named_rows

    rows = named_rows(request)
    return None if rows is None else calibrate_rows(rows, request)


def _reporter() -> Reporter:
    from markscheme.features.rows.view import REPORTER

    return REPORTER


ROWS = Feature("rows", FILE_ANSWERS(_answer), RESULTS(ResultRow("RowsCalibration", _reporter)))
