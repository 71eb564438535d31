"""Counts: a judge compared with labels by a table of distinct rows with their numbers, in place of the examples."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.calibration.file_answers import CALIBRATION_SOURCES, SIDES_ANSWERS
from markscheme.calibration.results import RESULTS, Reported, Reporter, ResultRow
from markscheme.commands.exports import EXPORTS
from markscheme.options.table import OPTIONS, AddedOptions, Family
from markscheme.ratings.frame_counts import FRAME_COUNTERS, CountFrame
from markscheme.seam import Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.options import LabelOptions
    from markscheme.calibration.requests.calibration import CalibrationRequest
    from markscheme.rubrics.rubric import Rubric


def _options() -> type:
    from markscheme.features.counts.options import CountsOptions

    return CountsOptions


def _calibrations(request: "CalibrationRequest") -> "Sequence[Calibration] | None":
    from markscheme.features.counts.options import CountsOptions

    options = request.added.of(CountsOptions)
    if options.counts is None:
        options = replace(options, counts=_named_counts(request))
    if options.counts is None and options.labels is None:
        return None
    from markscheme.features.counts.calibration import calibrate_counts

    return [calibrate_counts(request, options)]


def _named_counts(request: "CalibrationRequest") -> Path | None:
    """Return the file of counts that stands in the place of a rubric; None where something else does."""
    from markscheme.features.counts.first_line import has_counts

    names = request.of if isinstance(request.of, tuple) else ()
    path = Path(names[0]) if len(names) == 1 else None
    return path if path is not None and path.is_file() and has_counts(path) else None


def _export_options() -> type:
    from markscheme.features.counts.export_options import CountExportOptions

    return CountExportOptions


def _export(rubric: "Rubric", examples: "Path | None", judges: tuple[str, ...], added: AddedOptions) -> int | None:
    from markscheme.features.counts.export_options import CountExportOptions

    options = added.of(CountExportOptions)
    if options == CountExportOptions():
        return None
    from markscheme.features.counts.export import export_counts

    return export_counts(rubric, options, examples, judges)


def _sides(sides: "Sequence[str]", rubric: str | None, labels: "LabelOptions") -> Reported | None:
    from markscheme.features.counts.first_line import has_counts

    if not any(has_counts(path) for path in map(Path, sides) if path.is_file()):
        return None
    from markscheme.features.counts.contrast import contrast_files

    return contrast_files(sides, rubric, labels)


def _contrast_reporter() -> Reporter:
    from markscheme.features.counts.contrast_view import CONTRAST_REPORTER

    return CONTRAST_REPORTER


def _daft_counter() -> CountFrame:
    from markscheme.features.counts.daft_frames import counted_frame

    return counted_frame


def _reporter() -> Reporter:
    from markscheme.features.counts.view import COUNTS_REPORTER

    return COUNTS_REPORTER


COUNTS = Feature(
    "counts",
    OPTIONS(
        Family(_options, commands=("calibrate",), rank=95),
        Family(_export_options, commands=("export",)),
    ),
    EXPORTS(_export),
    FRAME_COUNTERS(_daft_counter),
    CALIBRATION_SOURCES(_calibrations),
    SIDES_ANSWERS(_sides),
    RESULTS(ResultRow("CountedCalibration", _reporter), ResultRow("CountsContrast", _contrast_reporter)),
)
