"""Tables of functions by which features answer `calibrate` for files that aren't rubrics."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markscheme.calibration.results import Reported
from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from pathlib import Path

    from markscheme.calibration.calibration import Calibration
    from markscheme.calibration.comparison.policy import UseQuestion
    from markscheme.calibration.options import LabelOptions


class FileAnswer(Reported):
    """The result of calibrating a judge on files of a kind that a feature reads, such as counts or rows to grade."""

    @property
    def calibrations(self) -> "Sequence[Calibration]":
        """The calibrations that make up the result, each against people's labels."""
        raise NotImplementedError

    def exit_status_for(self, required: "UseQuestion | None") -> int:
        """Return the exit status of `calibrate`; with several calibrations, the highest of theirs.

        Args:
            required: The question that decides, "gate" or "trend"; None means the verdict.
        """
        return max(calibration.exit_status_for(required) for calibration in self.calibrations)


AnswerFiles: TypeAlias = Callable[[Any], FileAnswer | None]
"""Function that returns the answer for the files of a `CalibrationRequest`; None if the files are of another kind."""
FILE_ANSWERS: Final[OpenTable[AnswerFiles]] = OpenTable()
"""Functions that are tried in turn, before a file is read as an export or as ratings."""

CalibrateOtherwise: TypeAlias = "Callable[[Any], Sequence[Calibration] | None]"
"""Function that makes the calibrations of a `CalibrationRequest` from something other than rated examples; None if it
can't."""
CALIBRATION_SOURCES: Final[OpenTable[CalibrateOtherwise]] = OpenTable()
"""Functions that are tried in turn, before examples are read and a judge is asked."""

CalibrateJudgesIn: TypeAlias = "Callable[[Path, LabelOptions], Sequence[Calibration] | None]"
"""Function that returns the calibrations of all judges who rated the contents of a file; None for another kind of
file."""
JUDGES_IN_FILES: Final[OpenTable[CalibrateJudgesIn]] = OpenTable()
"""Functions that are tried in turn, before `compare` refuses to run with a single side."""

AnswerSides: TypeAlias = "Callable[[Sequence[str], str | None, LabelOptions], Reported | None]"
"""Function that returns the comparison of some sides of `compare`, given the rubric's name, if any; None for other
kinds of sides."""
SIDES_ANSWERS: Final[OpenTable[AnswerSides]] = OpenTable()
"""Functions that are tried in turn, before the sides of `compare` are read as rubrics, judges or files of ratings."""


def calibrations_otherwise(request: Any) -> "list[Calibration] | None":
    """Return the calibrations of the first feature that reads a request's files; None if the core is to read them.

    Args:
        request: The CalibrationRequest, whose files a feature may know how to read.
    """
    first = next((made for calibrate in CALIBRATION_SOURCES if (made := calibrate(request)) is not None), None)
    return None if first is None else list(first)


def answer_of(request: Any) -> FileAnswer | None:
    """Return the result of a request, from the feature that reads its kind of files; None if no feature does."""
    return next((answer for read in FILE_ANSWERS if (answer := read(request)) is not None), None)
