"""Calibration on rows that each bring a rubric of their own: how often a judge is right on criteria new to it."""

from typing import TYPE_CHECKING

from markscheme.calibration.accepted.further_files import KEPT_WITH_RUN, Kept
from markscheme.calibration.comparison.trend import TREND_MAKERS
from markscheme.calibration.file_answers import FILE_ANSWERS, JUDGES_IN_FILES
from markscheme.calibration.results import RESULTS, Reporter
from markscheme.grading.receipts import RECEIPTS_OF_ROWS
from markscheme.seam import Feature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any, Protocol

    from markscheme.calibration.accepted.further_files import RunBasis
    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.comparison.trend import TrendEvidence
    from markscheme.calibration.file_answers import FileAnswer
    from markscheme.calibration.options import LabelOptions
    from markscheme.calibration.requests.calibration import CalibrationRequest
    from markscheme.grading.receipt import Receipt
    from markscheme.judges.judge import GradingJudge
    from markscheme.ratings.table import RatingTable
    from markscheme.rubrics.keys import TrendSubject
    from markscheme.rubrics.rubric import Rubric

    class _Calibration(Protocol):
        def calibrate_rows(self, request: CalibrationRequest) -> FileAnswer | None: ...
        def calibrate_each_judge(self, path: Path, options: LabelOptions) -> Sequence[Calibration] | None: ...


def _calibration() -> "_Calibration":
    from markscheme.features.rows import calibration

    return calibration


def _reporter() -> Reporter:
    from markscheme.features.rows.view import REPORTER

    return REPORTER


def _trend_of_criteria(
    subject: "TrendSubject", table: "RatingTable", columns: tuple[str, str], options: "LabelOptions"
) -> "TrendEvidence | None":
    from markscheme.features.rows.trend import trend_of_criteria

    return trend_of_criteria(subject, table, columns, options)


def _keep(calibration: "Calibration", _document: "Mapping[str, Any]", _basis: "RunBasis | None", _path: "Path") -> Kept:
    from markscheme.features.rows.receipt import labelled_rows

    return labelled_rows(calibration), lambda: None


def _receipt(rubric: "Rubric", judge: "GradingJudge", starts: "Sequence[Path]") -> "Receipt | None":
    from markscheme.features.rows.receipt import receipt_of_rows

    return receipt_of_rows(rubric, judge, starts)


ROWS = Feature(
    "rows",
    KEPT_WITH_RUN(_keep),
    RECEIPTS_OF_ROWS(_receipt),
    FILE_ANSWERS(lambda request: _calibration().calibrate_rows(request)),
    JUDGES_IN_FILES(lambda path, options: _calibration().calibrate_each_judge(path, options)),
    RESULTS(("RowsCalibration", _reporter)),
    TREND_MAKERS(_trend_of_criteria),
)
