"""Reports of `calibrate` on tables and on exports of other tools."""

from pathlib import Path

from markscheme.calibration.comparison.policy import UseQuestion
from markscheme.calibration.file_answers import FileAnswer
from markscheme.calibration.labelled_files import ToolFilesAnswer
from markscheme.calibration.requests.calibration import CalibrationRequest
from markscheme.calibration.requests.tables import answer_of_table
from markscheme.calibration.results import reporter_of
from markscheme.calibration.tables import AnnotatorAgreement, TableCalibrations
from markscheme.commands.calibration_report import write, write_calibrations
from markscheme.commands.options import ReportOptions, notify
from markscheme.errors import naming
from markscheme.readers.tabular.reading import read_files
from markscheme.report.table_words import notes
from markscheme.report.views import tables


def calibrate_table(request: CalibrationRequest, report: ReportOptions, use: UseQuestion | None) -> int:
    """Write the report on a table's judges, or on its annotators if there is no judge; return the exit status."""
    paths = [Path(name) for name in request.of] if isinstance(request.of, tuple) else []
    judges = () if request.judge_is_configured else map(str, request.judges)
    with naming(*paths):
        reading = read_files(paths, request.columns.of_table(judges))
        result = answer_of_table(request, reading)
    sentences = "\n".join(notes(reading))
    if sentences:
        notify(sentences)
    if not isinstance(result, list):
        return _write_table(result, report, use)
    return write_calibrations(result, None, report, use)


def _write_table(result: AnnotatorAgreement | TableCalibrations, report: ReportOptions, use: UseQuestion | None) -> int:
    """Write the report on a table's annotators, or on its judge by criterion; return the exit status.

    Args:
        result: The calibration on each criterion, or the agreement of annotators.
        report: Where and in which form the report is written.
        use: The use that decides the exit status, "gate" or "trend"; None means the verdict.
    """
    status = result.exit_status_for(use)  # refuses a use that is required of annotators
    write(lambda: tables.view(result), lambda: tables.json_of(result), tables.judges_in(result), report)
    return status


def write_files_answer(
    answer: ToolFilesAnswer | AnnotatorAgreement | FileAnswer, report: ReportOptions, use: UseQuestion | None
) -> int:
    """Write the report on an export's judges, or on its annotators if it has no judge; return the exit status."""
    if isinstance(answer, AnnotatorAgreement):
        return _write_table(answer, report, use)
    reporter = reporter_of(answer)
    write(lambda: reporter.view(answer), lambda: reporter.data(answer), answer.calibrations, report)
    return answer.exit_status_for(use)
