"""Reporters of results of tables and exports: agreement of raters, and the calibrations of criteria or metrics."""

from collections.abc import Mapping
from typing import Final

from markscheme.calibration.agreement import Agreement
from markscheme.calibration.labelled_files import ToolFilesAnswer
from markscheme.calibration.results import Reporter
from markscheme.calibration.tables import AnnotatorAgreement, TableCalibrations
from markscheme.report.results import DocumentReporter
from markscheme.report.views import agreement, labelled_files, tables

TABLE_REPORTERS: Final[Mapping[str, Reporter]] = {
    "AnnotatorAgreement": DocumentReporter[AnnotatorAgreement](tables.annotators_json, tables.of_annotators),
    "TableCalibrations": DocumentReporter[TableCalibrations](tables.by_criterion_json, tables.by_criterion),
    "ToolFilesAnswer": DocumentReporter[ToolFilesAnswer](labelled_files.json_of, labelled_files.view),
    "Agreement": DocumentReporter[Agreement](agreement.json_of, agreement.view),
}
"""Reporters of results of tables and exports, by the name of the result's class."""
