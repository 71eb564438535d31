"""Report on several judges that were calibrated on the same examples."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from markscheme.calibration.calibration import Calibration
from markscheme.features.compare import view_choice as of_several
from markscheme.features.compare.contenders import Compared, chosen, compare_calibrations
from markscheme.report.document import Document
from markscheme.report.results import DocumentReporter
from markscheme.report.table_words import line_two
from markscheme.report.views import calibration as of_one

COMPARED_REPORTER = DocumentReporter[Compared](
    lambda result: json_of(result),
    lambda result: page_of(result),
    lambda result: screen_of(result),
)
"""Reporter that renders comparisons of judges."""


def page_of(compared: Compared) -> Document:
    """Build the report on a comparison for a page, with its examples."""
    return _with_reading(of_several.view(compared.choice, compared), compared)


def screen_of(compared: Compared) -> Document:
    """Build the report on a comparison for the terminal, without single examples, which only pages show."""
    return _with_reading(of_several.view(compared.choice), compared)


def _with_reading(document: Document, compared: Compared) -> Document:
    """Return a report on judges; if they are columns of a table, add at its top how the table was read."""
    if compared.table is None:
        return document
    how = line_two(compared.table)
    return replace(document, source=f"{how}. {document.source}")


def report_on_judges(
    calibrations: Sequence[Calibration],
) -> tuple[Calibration, Document, Callable[[], dict[str, Any]]]:
    """Compare calibrated judges; return the calibration of the chosen judge, the report on all, and its JSON."""
    compared = compare_calibrations(calibrations)
    choice = compared.choice
    best = chosen(calibrations, choice)
    reports = list(map(of_one.view, calibrations))
    parts = [replace(report, onward=None) for report in reports]
    document = _with_reading(of_several.view(choice, parts=parts), compared)
    of_table = reports[0].onward if calibrations[0].rater.table is not None else None
    onward = of_table or document.onward or _of_chosen(calibrations, best)

    def data() -> dict[str, Any]:
        judges = list(map(of_one.json_of, calibrations))
        return {"schema": 1, "judges": judges, "comparison": of_several.json_of(choice), **_read(compared)}

    return best, replace(document, onward=onward, has_page=True), data


def json_of(compared: Compared) -> dict[str, Any]:
    """Return the JSON of a comparison, which also says how the table was read if the judges are its columns."""
    return {**of_several.json_of(compared.choice), **_read(compared)}


def _read(compared: Compared) -> dict[str, Any]:
    """Return the JSON entry that says how a table with judges as columns was read; {} if judges aren't columns."""
    return {} if compared.table is None else {"read": compared.table.to_json()}


def _of_chosen(calibrations: Sequence[Calibration], best: Calibration) -> tuple[str, str] | None:
    """Return the next step, to see whether the best judge can gate, and the command that calibrates this judge.

    None if the options that name the best judge name other compared judges too, such as a file with several judges.
    """
    alone = [calibration.commands.judge for calibration in calibrations].count(best.commands.judge) == 1
    return ("Next, see whether it can gate", best.commands.calibrate()) if alone else None
