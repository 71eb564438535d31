"""Calibration from counts: a table that says how many examples have each combination of gold's and judge's ratings."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.calibration.file_answers import CALIBRATION_SOURCES, SIDES_ANSWERS
from markscheme.calibration.results import RESULTS, Reported, Reporter
from markscheme.commands.exports import EXPORTS
from markscheme.options.table import OPTIONS, AddedOptions, Family
from markscheme.ratings.frame_counts import FRAME_COUNTERS, CountFrame
from markscheme.seam import Feature

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.options import LabelOptions
    from markscheme.calibration.requests.calibration import CalibrationRequest
    from markscheme.features.counts.export_options import CountExportOptions
    from markscheme.features.counts.options import CountsOptions
    from markscheme.rubrics.rubric import Rubric

    class _Answers(Protocol):
        @property
        def COUNTS_REPORTERS(self) -> Mapping[str, Reporter]: ...  # noqa: N802 - a constant of the module
        def calibrate_counts(self, request: CalibrationRequest, options: CountsOptions) -> Calibration: ...
        def contrast_files(self, files: Sequence[str], rubric: str | None, labels: LabelOptions) -> Reported: ...


def _options() -> "type[CountsOptions]":
    from markscheme.features.counts.options import CountsOptions

    return CountsOptions


def _calibrations(request: "CalibrationRequest") -> "Sequence[Calibration] | None":
    options = request.added.of(_options())
    if options.counts is None:
        options = replace(options, counts=_named_counts(request))
    if options.counts is None and options.labels is None and options.earlier is None:
        return None
    return [_answers().calibrate_counts(request, options)]


def _named_counts(request: "CalibrationRequest") -> Path | None:
    """Return the counts file that a command names in place of a rubric; None if it names no such file."""
    names = request.of if isinstance(request.of, tuple) else ()
    return Path(names[0]) if len(names) == 1 and _have_counts(names) else None


def _have_counts(files: "Sequence[str]") -> bool:
    """Return True if any of the given files is a counts file."""
    from markscheme.features.counts.first_line import has_counts

    return any(has_counts(path) for path in map(Path, files) if path.is_file())


def _export_options() -> "type[CountExportOptions]":
    from markscheme.features.counts.export_options import CountExportOptions

    return CountExportOptions


def _export(rubric: "Rubric", examples: "Path | None", judges: tuple[str, ...], added: AddedOptions) -> int | None:
    of_counts = _export_options()
    options = added.of(of_counts)
    if options == of_counts():
        return None
    from markscheme.features.counts.export import export_counts

    return export_counts(rubric, options, examples, judges)


def _sides(sides: "Sequence[str]", rubric: str | None, labels: "LabelOptions") -> Reported | None:
    return _answers().contrast_files(sides, rubric, labels) if _have_counts(sides) else None


def _daft_counter() -> CountFrame:
    from markscheme.features.counts.daft_frames import counted_frame

    return counted_frame


def _reporter(name: str) -> Reporter:
    return _answers().COUNTS_REPORTERS[name]


def _answers() -> "_Answers":
    from markscheme.features.counts import answers

    return answers


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
    RESULTS(*((name, partial(_reporter, name)) for name in ("CountedCalibration", "CountsContrast"))),
)
