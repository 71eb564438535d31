"""Accepted counts: a counts file kept as a rubric's accepted run, which later counts are compared with."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.calibration.accepted.acceptance import write_run
from markscheme.calibration.accepted.history import why_not_accepted
from markscheme.calibration.calibration import Calibration
from markscheme.errors import RatingError, RatingWarning, UsageError
from markscheme.features.counts.comparison import CountedComparison, compare_counts, in_words
from markscheme.features.counts.contrast import CountsContrast
from markscheme.features.counts.counts_file import CountsFile, read_counts
from markscheme.files import refuse_unmakeable
from markscheme.grading.receipt import accepted_run_data

if TYPE_CHECKING:
    from markscheme.calibration.requests.calibration import CalibrationRequest

ACCEPTED_COUNTS = "counts"
"""Key of accepted.json whose entry identifies the accepted counts file."""


def accept_counts(calibration: Calibration, counts: CountsFile, path: Path, request: "CalibrationRequest") -> None:
    """Store a counts file as the rubric's accepted run; if the judge must not be used, warn and store nothing.

    Args:
        calibration: The calibration by the counts.
        counts: The counts, read from a file.
        path: The accepted.json to write.
        request: The request of the run, with its options.

    Raises:
        UsageError: The files cannot be written.
    """
    refuse_unmakeable(path)
    why = why_not_accepted(calibration, force=request.accepting.force)
    if why is not None:
        warnings.warn(f"not accepted: {why}", RatingWarning, stacklevel=2)
        return
    file = Path(counts.name)
    content = file.read_bytes()
    with request.turn(path):
        kept_file = write_run(
            calibration,
            content,
            path,
            ending=file.suffix,
            runs=0,
            examples=calibration.counts.graded,
            split=None,
            more={ACCEPTED_COUNTS: {**counts.facts, "judge": "stated"}},
        )
    if request.notify is not None:
        request.notify(f"accepted: {path}: {in_words(counts)}, with the counts in {kept_file.name}.")


def since_accepted(comparison: CountedComparison, path: Path) -> CountsContrast | None:
    """Compare counts with the rubric's accepted counts.

    None if no counts with this rubric are accepted. Also None, with a warning, if the accepted counts can't be read or
    have changed.

    Args:
        comparison: The judge compared with gold, by today's counts.
        path: The rubric's accepted.json.
    """
    if not path.is_file():
        return None
    try:
        data = accepted_run_data(path)
        if ACCEPTED_COUNTS not in data or data["rubric"]["fingerprint"] != comparison.rubric.fingerprint:
            return None
        then = read_counts(path.with_name(Path(data["ratings"]["file"]).name), comparison.rubric)
        if then.digest != data[ACCEPTED_COUNTS]["digest"]:
            raise RatingError(f"{then.name} has other counts than were accepted", path=path)
    except (RatingError, UsageError) as error:
        warnings.warn(f"not compared with the accepted counts: {error}", RatingWarning, stacklevel=2)
        return None
    return CountsContrast(compare_counts(then, comparison.rubric, comparison.measure), comparison)
