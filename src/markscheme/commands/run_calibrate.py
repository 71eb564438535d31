"""Runs `markscheme calibrate` for what the user names: a rubric, results, an export or a table."""

from collections.abc import Sequence
from pathlib import Path

from markscheme.calibration.comparison.policy import UseQuestion
from markscheme.calibration.requests.calibration import CalibrationRequest
from markscheme.commands.calibration_report import write_calibrations
from markscheme.commands.options import ReportOptions
from markscheme.errors import naming
from markscheme.ratings.column_options import VALUES_OF_EXPORTS
from markscheme.readers.plain_tables import names_table

__all__ = ["CalibrationRequest", "answer"]


def answer(names: Sequence[str], request: CalibrationRequest, report: ReportOptions, use: UseQuestion | None) -> int:
    """Compare the judges that the user names with people, write the report, and return the exit status.

    Args:
        names: A rubric's name or file, or files.
        request: The examples, the judges or their ratings, and how judges are asked and compared.
        report: Where the report is written, and in which forms.
        use: The use that is required, "gate" or "trend"; None if none is.
    """
    is_table = names_table(names)
    if not is_table:
        request.columns.refuse(names[0], but=VALUES_OF_EXPORTS)
    is_read_as_table = is_table and not request.has_own_source
    files = request.ratings if isinstance(request.ratings, tuple) else ()
    of_tool_files = None
    if not is_read_as_table:
        with naming(*files or map(Path, names)):
            of_tool_files = request.of_tool_files()
    if is_read_as_table or of_tool_files is not None:
        from markscheme.commands.calibrate_files import calibrate_table, write_files_answer

        if of_tool_files is not None:
            return write_files_answer(of_tool_files, report, use)
        return calibrate_table(request, report, use)
    with naming(*files):
        return write_calibrations(request.calibrations(), request, report, use)
