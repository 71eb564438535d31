"""Calibration on rows that each bring a rubric of their own: how often a judge is right on criteria new to it."""

from typing import TYPE_CHECKING

from markscheme.calibration.accepted.further_files import KEPT_WITH_RUN
from markscheme.calibration.comparison.trend import TREND_MAKERS
from markscheme.calibration.file_answers import FILE_ANSWERS, JUDGES_IN_FILES
from markscheme.calibration.results import RESULTS, Reporter
from markscheme.grading.tables import RECEIPTS_OF_ROWS
from markscheme.readers.file_format import FORMATS
from markscheme.seam import Feature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any, Protocol

    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.comparison.trend import TrendEvidence
    from markscheme.calibration.file_answers import FileAnswer
    from markscheme.calibration.options import LabelOptions
    from markscheme.calibration.requests.calibration import CalibrationRequest
    from markscheme.grading.receipt import Receipt
    from markscheme.judges.judge import GradingJudge
    from markscheme.ratings.table import RatingTable
    from markscheme.readers.file_format import FileFormat
    from markscheme.rubrics.keys import TrendSubject
    from markscheme.rubrics.rubric import Rubric

    class _Answers(Protocol):
        def calibrate_rows(self, request: CalibrationRequest) -> FileAnswer | None: ...
        def calibrate_each_judge(self, path: Path, options: LabelOptions) -> Sequence[Calibration] | None: ...
        def labelled_rows(self, calibration: Calibration) -> Mapping[str, Any]: ...
        def receipt_of_rows(self, run: Rubric, judge: GradingJudge, starts: Sequence[Path]) -> Receipt | None: ...
        def trend_of_criteria(
            self, subject: TrendSubject, table: RatingTable, columns: tuple[str, str], options: LabelOptions
        ) -> TrendEvidence | None: ...


def _answers() -> "_Answers":
    from markscheme.features.rows import answers

    return answers


def _reporter() -> Reporter:
    from markscheme.features.rows.view import REPORTER

    return REPORTER


def _formats() -> "Sequence[FileFormat]":
    from markscheme.features.rows.decided import ROWS_FORMAT

    return (ROWS_FORMAT,)


ROWS = Feature(
    "rows",
    FORMATS(_formats),
    KEPT_WITH_RUN(lambda calibration, *_: (_answers().labelled_rows(calibration), lambda: None)),
    RECEIPTS_OF_ROWS(lambda run, judge, starts: _answers().receipt_of_rows(run, judge, starts)),
    FILE_ANSWERS(lambda request: _answers().calibrate_rows(request)),
    JUDGES_IN_FILES(lambda path, options: _answers().calibrate_each_judge(path, options)),
    RESULTS(("RowsCalibration", _reporter)),
    TREND_MAKERS(
        lambda subject, table, columns, options: _answers().trend_of_criteria(subject, table, columns, options)
    ),
)
