"""Reports of `calibrate` on tables and on exports of other tools."""

from pathlib import Path

from markscheme.calibration.comparison.policy import UseQuestion
from markscheme.calibration.file_answers import FileAnswer
from markscheme.calibration.labelled_files import ToolFilesAnswer
from markscheme.calibration.requests.calibration import CalibrationRequest
from markscheme.calibration.requests.tables import answer_of_table
from markscheme.calibration.results import reporter_of
from markscheme.commands.calibration_report import write, write_calibrations
from markscheme.commands.options import ReportOptions
from markscheme.errors import naming
from markscheme.readers.tabular.reading import read_files


def calibrate_table(request: CalibrationRequest, report: ReportOptions, use: UseQuestion | None) -> int:
    """Write the report on a table's judges, or on its annotators if there is no judge; return the exit status."""
    paths = [Path(name) for name in request.of] if isinstance(request.of, tuple) else []
    judges = () if request.judge_is_configured else map(str, request.judges)
    with naming(*paths):
        reading = read_files(paths, request.columns.of_table(judges))
        result = answer_of_table(request, reading)
    if not isinstance(result, list):
        return write_files_answer(result, report, use)
    return write_calibrations(result, None, report, use)


def write_files_answer(answer: ToolFilesAnswer | FileAnswer, report: ReportOptions, use: UseQuestion | None) -> int:
    """Write the report on judges without a rubric, or on annotators if there is no judge; return the exit status.

    Args:
        answer: The calibration of each judge or on each criterion, or the agreement of annotators.
        report: Where and in which form the report is written.
        use: The use that decides the exit status, "gate" or "trend"; None means the verdict.
    """
    status = answer.exit_status_for(use)  # refuses a use that is required of annotators
    reporter = reporter_of(answer)
    write(lambda: reporter.view(answer), lambda: reporter.data(answer), answer.calibrations, report)
    return status
