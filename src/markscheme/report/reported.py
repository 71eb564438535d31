"""The core's reports on the results of Python calls, each loaded only when such a result is first displayed."""

from functools import partial
from typing import Any

from markscheme.calibration.results import RESULTS, TABLE_NOTES, Reporter
from markscheme.errors import SENTENCES
from markscheme.seam import Feature
from markscheme.stats.wording import CODE_WORDS

_OF_TABLES = ("Agreement", "AnnotatorAgreement", "TableCalibrations", "ToolFilesAnswer")
"""Names of the result classes for tables and exports without a rubric."""


def _of_calibration() -> Reporter:
    from markscheme.report.results import CALIBRATION_REPORTER

    return CALIBRATION_REPORTER


def _of_table(name: str) -> Reporter:
    from markscheme.report.table_results import TABLE_REPORTERS

    return TABLE_REPORTERS[name]


def _codes_in_words() -> Any:
    import markscheme.report.words as words

    return words


def _table_words() -> Any:
    import markscheme.report.table_words as table_words

    return table_words


RESULT_REPORTS = Feature(
    "report",
    RESULTS(
        ("Calibration", _of_calibration),
        *((name, partial(_of_table, name)) for name in _OF_TABLES),
    ),
    SENTENCES(lambda error: _table_words().sentence(error)),
    TABLE_NOTES(lambda reading, spell: _table_words().notes(reading, spell)),
    CODE_WORDS(_codes_in_words),
)
"""The core's own reports, declared like those of features, since they are in layers above the results that they
describe."""
