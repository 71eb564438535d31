"""A request to calibrate the judges in a table."""

from itertools import chain

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.requests.calibration import CalibrationRequest
from markscheme.calibration.tables import (
    AnnotatorAgreement,
    TableCalibrations,
    annotator_agreement,
    by_criterion,
    calibrations_of,
)
from markscheme.readers.tabular.reading import TableReading


def answer_of_table(
    request: CalibrationRequest, table: TableReading
) -> list[Calibration] | TableCalibrations | AnnotatorAgreement:
    """Return what is computed of a table of ratings.

    That is the calibration of each judge; a TableCalibrations if the table's judge rates by several criteria; or the
    AnnotatorAgreement if the table has no judge.

    Raises:
        UsageError: An option is given that only calibrations by a rubric have.
    """
    request.refuse_options_of_rubrics("a table contains its own ratings", judge=None, accept=request.accepting.accept)
    table.refuse_apart()
    if not table.has_judge:
        chosen = table.options
        return annotator_agreement(table, metric=chosen.metric, weights=chosen.agreement_weights)
    if table.is_by_criterion:
        return by_criterion(table, request.options)
    return list(chain.from_iterable(calibrations_of(table, request.options).values()))
