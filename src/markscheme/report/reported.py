"""The results of Python calls that reports describe; a report is loaded with the first result that shows itself."""

from functools import partial

from markscheme.calibration.results import RESULTS, Reporter, ResultRow
from markscheme.errors import SENTENCES, UsageError
from markscheme.seam import Feature

_DESCRIBED = ("Calibration", "Agreement", "AnnotatorAgreement", "TableCalibrations")
"""Names of the classes of results that this package describes."""


def _reporter(name: str) -> Reporter:
    from markscheme.report.results import REPORTERS

    return REPORTERS[name]


def _table_sentence(error: UsageError) -> str:
    from markscheme.report.table_words import sentence

    return sentence(error)


RESULT_REPORTS = Feature(
    "report",
    RESULTS(*(ResultRow(name, partial(_reporter, name)) for name in _DESCRIBED)),
    SENTENCES(_table_sentence),
)
"""What the core itself adds in the way of features: its reports are above the results that they describe."""
