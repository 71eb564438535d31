"""Counts: a judge compared with labels by a table of distinct rows with their numbers, in place of the examples."""

from typing import TYPE_CHECKING

from markscheme.calibration.file_answers import CALIBRATION_SOURCES
from markscheme.calibration.results import RESULTS, Reporter, ResultRow
from markscheme.options.table import OPTIONS, Family
from markscheme.seam import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.requests.calibration import CalibrationRequest


def _options() -> type:
    from markscheme.features.counts.options import CountsOptions

    return CountsOptions


def _calibrations(request: "CalibrationRequest") -> "Sequence[Calibration] | None":
    from markscheme.features.counts.options import CountsOptions

    options = request.added.of(CountsOptions)
    if options.counts is None and options.labels is None:
        return None
    from markscheme.features.counts.calibration import calibrate_counts

    return [calibrate_counts(request, options)]


def _reporter() -> Reporter:
    from markscheme.features.counts.view import COUNTS_REPORTER

    return COUNTS_REPORTER


COUNTS = Feature(
    "counts",
    OPTIONS(Family(_options, commands=("calibrate",), rank=95)),
    CALIBRATION_SOURCES(_calibrations),
    RESULTS(ResultRow("CountedCalibration", _reporter)),
)
