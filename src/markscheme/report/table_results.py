"""Reporters of results of tables: agreement of raters, and the calibrations of a table's criteria."""

from collections.abc import Mapping
from typing import Final

from markscheme.calibration.agreement import Agreement
from markscheme.calibration.results import Reporter
from markscheme.calibration.tables import AnnotatorAgreement, TableCalibrations
from markscheme.report.results import DocumentReporter
from markscheme.report.views import agreement, tables

TABLE_REPORTERS: Final[Mapping[str, Reporter]] = {
    "AnnotatorAgreement": DocumentReporter[AnnotatorAgreement](tables.annotators_json, tables.of_annotators),
    "TableCalibrations": DocumentReporter[TableCalibrations](tables.by_criterion_json, tables.by_criterion),
    "Agreement": DocumentReporter[Agreement](agreement.json_of, agreement.view),
}
"""Reporters of tables' results, by the name of the result's class."""
