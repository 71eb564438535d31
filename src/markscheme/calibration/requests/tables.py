"""A request to calibrate the judges in a table."""

from itertools import chain

from markscheme.calibration.calibration import Calibration
from markscheme.calibration.file_answers import FileAnswer
from markscheme.calibration.requests.calibration import CalibrationRequest
from markscheme.calibration.results import TABLE_NOTES
from markscheme.calibration.tables import annotator_agreement, by_criterion, calibrations_of
from markscheme.readers.tabular.reading import TableReading


def answer_of_table(request: CalibrationRequest, table: TableReading) -> list[Calibration] | FileAnswer:
    """Return what is computed of a table of ratings, and notify of how the table was read.

    That is the calibration of each judge; a TableCalibrations if the table's judge rates by several criteria; or the
    AnnotatorAgreement if the table has no judge.

    Raises:
        UsageError: An option is given that only calibrations by a rubric have.
    """
    request.refuse_options_of_rubrics("a table contains its own ratings", judge=None, accept=request.accepting.accept)
    table.refuse_apart()
    answer: list[Calibration] | FileAnswer
    if not table.has_judge:
        chosen = table.options
        answer = annotator_agreement(table, metric=chosen.metric, weights=chosen.agreement_weights)
    elif table.is_by_criterion:
        answer = by_criterion(table, request.options)
    else:
        answer = list(chain.from_iterable(calibrations_of(table, request.options).values()))
    if request.notify is not None:
        for note in chain.from_iterable(notes(table, request.spell) for notes in TABLE_NOTES):
            request.notify(note)
    return answer
