"""Calibration on rows that each bring a rubric of their own: how often a judge is right on criteria new to it."""

from typing import TYPE_CHECKING

from markscheme.calibration.accepted.further_files import KEPT_WITH_RUN
from markscheme.calibration.comparison.trend import TREND_MAKERS
from markscheme.calibration.file_answers import FILE_ANSWERS, JUDGES_IN_FILES
from markscheme.calibration.results import RESULTS, Reporter
from markscheme.grading.tables import RECEIPTS_OF_ROWS
from markscheme.readers.file_format import FORMATS, SAVED, FileFormat
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
    from markscheme.readers.imported import Columns, ImportedFile
    from markscheme.readers.peek import Peek
    from markscheme.rubrics.keys import TrendSubject
    from markscheme.rubrics.rubric import Rubric

    class _Answers(Protocol):
        @property
        def REPORTER(self) -> Reporter: ...  # noqa: N802 - a constant of the module
        def calibrate_rows(self, request: CalibrationRequest) -> FileAnswer | None: ...
        def calibrate_each_judge(self, path: Path, options: LabelOptions) -> Sequence[Calibration] | None: ...
        def labelled_rows(self, calibration: Calibration) -> Mapping[str, Any]: ...
        def receipt_of_rows(self, run: Rubric, judge: GradingJudge, starts: Sequence[Path]) -> Receipt | None: ...
        def trend_of_criteria(
            self, subject: TrendSubject, table: RatingTable, columns: tuple[str, str], options: LabelOptions
        ) -> TrendEvidence | None: ...
        def first_with_rubric(self, path: Path) -> Mapping[str, Any] | None: ...
        def read_decisions(self, files: Sequence[Peek], rubric: Rubric | None) -> list[ImportedFile]: ...


def _answers() -> "_Answers":
    from markscheme.features.rows import answers

    return answers


def _hold_labelled_rows(peek: "Peek") -> bool:
    """Return True if a file's rows bring their own criteria, and the first rows have labels."""
    has_both = any(
        isinstance(record, dict) and record.get("labels") and any(word in key for key in record for word in _BRINGS)
        for record in peek.records
    )
    return has_both and _answers().first_with_rubric(peek.path) is not None


_BRINGS = ("rubric", "criteria")
"""Words of which the key of a row's own rubric has one."""


def _read_decisions(files: "Sequence[Peek]", rubric: "Rubric | None", _: "Columns") -> "list[ImportedFile]":
    return _answers().read_decisions(files, rubric)


ROWS_FORMAT = FileFormat(
    "rows with rubrics of their own, and labels",
    _hold_labelled_rows,
    _read_decisions,
    expected=("ratings", "decisions"),
    rank=SAVED,
)


ROWS = Feature(
    "rows",
    FORMATS(lambda: (ROWS_FORMAT,)),
    KEPT_WITH_RUN(lambda calibration, *_: (_answers().labelled_rows(calibration), lambda: None)),
    RECEIPTS_OF_ROWS(lambda run, judge, starts: _answers().receipt_of_rows(run, judge, starts)),
    FILE_ANSWERS(lambda request: _answers().calibrate_rows(request)),
    JUDGES_IN_FILES(lambda path, options: _answers().calibrate_each_judge(path, options)),
    RESULTS(("RowsCalibration", lambda: _answers().REPORTER)),
    TREND_MAKERS(
        lambda subject, table, columns, options: _answers().trend_of_criteria(subject, table, columns, options)
    ),
)
