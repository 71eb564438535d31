"""The report on a calibration by counts: that of any calibration, without what counts don't hold."""

from dataclasses import replace
from typing import Any, Final

from markscheme.features.counts.calibration import CountedCalibration
from markscheme.features.counts.comparison import in_words
from markscheme.features.counts.contrast_view import SEPARATE, contrast_table, figures_json
from markscheme.report import document as doc
from markscheme.report.results import DocumentReporter
from markscheme.report.views import calibration as whole

NOT_COUNTED: Final = (
    "examples",
    "rated",
    "drift",
    "not_graded_because",
    "false_passes",
    "false_fails",
    "may_decide",
    "relabelled",
    "slices",
)
"""Entries of a calibration's JSON that counts don't show."""
OUTCOMES_COUNTED: Final = ("examples", "graded", "not_graded")
"""Outcomes of examples that counts show."""

SINCE_ACCEPTED: Final = "Since the accepted run"
"""The section on accepted ratings, which accepted counts have another one for."""


def json_of(calibration: CountedCalibration) -> dict[str, Any]:
    """Return the calibration as a dict, by the keys of any calibration; null for what counts don't show."""
    data = whole.json_of(calibration)
    outcomes = data["counts"]
    counts = {name: getattr(outcomes, name) if name in OUTCOMES_COUNTED else None for name in vars(outcomes)}
    judge = {**data["judge"], "stated": True}
    return {
        **data,
        "judge": judge,
        "counts": counts,
        **dict.fromkeys(NOT_COUNTED),
        "counts_file": calibration.counts_file.facts,
        "since_counts": None if calibration.since is None else figures_json(calibration.since),
    }


def view(calibration: CountedCalibration) -> doc.Document:
    """Build the whole report."""
    document = whole.view(calibration)
    file = calibration.counts_file
    source = f"From counts: no examples, reasons, lengths. {file.name}: {in_words(file)}."
    if calibration.since is None:
        return replace(document, source=source)
    table = contrast_table(calibration.since, "accepted", "now")
    others = (section for section in document.sections if section.title != SINCE_ACCEPTED)
    since = doc.Section("Since the accepted counts", (table, doc.Notes((SEPARATE,))))
    return replace(document, source=source, sections=(since, *others), onward=None)


COUNTS_REPORTER: Final = DocumentReporter(json_of, view)
