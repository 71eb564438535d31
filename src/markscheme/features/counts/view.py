"""Report on a calibration from counts: the usual report without the parts that need single examples."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from markscheme.calibration.results import Reporter
from markscheme.features.counts.calibration import CountedCalibration
from markscheme.features.counts.comparison import in_words
from markscheme.features.counts.contrast_view import CONTRAST_REPORTER, SEPARATE, contrast_table, figures_json
from markscheme.features.counts.counted_slices import CountedSlice, slices_counted
from markscheme.features.counts.wrong_examples import examples_of
from markscheme.report import document as doc
from markscheme.report.figures import share, with_signed_interval
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
)
"""Entries of a calibration's JSON that are null, since they can't be computed from counts."""
OUTCOMES_COUNTED: Final = ("examples", "graded", "not_graded")
"""Outcomes of examples that counts record."""

SINCE_ACCEPTED: Final = "Since the accepted run"
"""Name of the usual section on the accepted run, which is replaced by a section on the accepted counts."""


def json_of(calibration: CountedCalibration) -> dict[str, Any]:
    """Return the JSON of a calibration from counts: the usual keys, with null for figures that need single examples."""
    data = whole.json_of(calibration)
    outcomes = data["counts"]
    counts = {name: getattr(outcomes, name) if name in OUTCOMES_COUNTED else None for name in vars(outcomes)}
    judge = {**data["judge"], "stated": True}
    return {
        **data,
        "judge": judge,
        "counts": counts,
        **dict.fromkeys(NOT_COUNTED),
        "slices": slices_counted(calibration.counts_file, calibration.rubric) or None,
        "counts_file": calibration.counts_file.facts,
        "shown": calibration.examples_shown or None,
        "since_counts": None if calibration.since is None else figures_json(calibration.since),
    }


def view(calibration: CountedCalibration) -> doc.Document:
    """Build the whole report on a calibration from counts."""
    document = whole.view(calibration)
    file = calibration.counts_file
    stated = (
        f" They don't name the judge: {calibration.rater.name} is your word." if calibration.judge_is_stated else ""
    )
    source = f"From counts: no examples, reasons, lengths. {file.name}: {in_words(file)}.{stated}"
    document = replace(document, source=source)
    document = replace(document, sections=tuple(_with_shown(document.sections, calibration)))
    slices = slices_counted(file, calibration.rubric)
    if slices:
        document = replace(document, sections=(*document.sections, _slices_section(slices)))
    if calibration.since is None:
        return document
    table = contrast_table(calibration.since, "accepted", "now")
    others = (section for section in document.sections if section.title != SINCE_ACCEPTED)
    since = doc.Section("Since the accepted counts", (table, doc.Notes((SEPARATE,))))
    return replace(document, sections=(since, *others), onward=None)


def _with_shown(sections: Iterable[doc.Section], calibration: CountedCalibration) -> Iterator[doc.Section]:
    """Yield the report's sections; the list of examples has only the wrong decisions that are stored with the counts.

    If none are stored, the list is left out.
    """
    for section in sections:
        if section.key != "examples":
            yield section
        elif calibration.examples_shown:
            examples = examples_of(calibration.examples_shown, calibration.rubric)
            yield doc.Section(section.title, (examples,), section.key)


def _slices_section(slices: Sequence[CountedSlice]) -> doc.Section:
    """Build the section with figures of slices; counts don't allow tests of whether a slice differs from other ones."""
    rows = tuple(
        (
            doc.Name(f"{of.by}: {of.name}"),
            str(of.agreement.n),
            doc.share_mark(of.agreement),
            share(of.rest),
            with_signed_interval(of.signed_error),
        )
        for of in slices
    )
    return doc.Section("Slices", (doc.Table(("Slice", "examples", "agreement", "elsewhere", "bias"), rows),), "slices")


COUNTS_REPORTERS: Final[Mapping[str, Reporter]] = {
    "CountedCalibration": DocumentReporter(json_of, view),
    "CountsContrast": CONTRAST_REPORTER,
}
"""Reporters of results from counts, by the names of the results' classes."""
