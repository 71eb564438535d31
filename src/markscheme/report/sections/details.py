"""The sections of a calibration's page below its first screen, in order."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from markscheme.calibration.calibration import Calibration
from markscheme.phrases import counted
from markscheme.report import document as doc
from markscheme.report.sections.annotators import annotators
from markscheme.report.sections.criteria import criteria_blocks
from markscheme.report.sections.examples import is_one_decision
from markscheme.report.sections.pictures import labels_against_width, scatter, score_histogram
from markscheme.report.sections.run import what_was_run
from markscheme.report.sections.slices import slices_section
from markscheme.report.sections.table import SectionRow, sections_for


def details(calibration: Calibration, examples: doc.Examples) -> Iterator[doc.Section]:
    """Yield the sections that a calibration's page has below its first screen, in order.

    Args:
        calibration: The calibration to report on.
        examples: The block of its examples, with those to read first at the top.
    """
    for row in sections_for(calibration, *OWN_SECTIONS):
        yield from row.make(calibration, examples)


def _criteria(calibration: Calibration, _: doc.Examples) -> Iterator[doc.Section]:
    blocks = criteria_blocks(calibration.comparison, calibration.findings)
    yield doc.Section("Criteria" if calibration.rubric.table_of is None else "Columns", tuple(blocks), "criteria")


def _to_read_first(calibration: Calibration, examples: doc.Examples) -> Iterator[doc.Section]:
    yield doc.Section("Examples to read first", tuple(_examples(calibration, examples)), "examples")


def _annotators(calibration: Calibration, _: doc.Examples) -> Iterator[doc.Section]:
    yield annotators(calibration)


def _labels_against_width(calibration: Calibration, _: doc.Examples) -> Iterator[doc.Section]:
    width = labels_against_width(calibration)
    if width is not None:
        yield width


def _slices(calibration: Calibration, _: doc.Examples) -> Iterator[doc.Section]:
    if calibration.slices:
        yield slices_section(calibration.slices)


def _run(calibration: Calibration, _: doc.Examples) -> Iterator[doc.Section]:
    yield what_was_run(calibration)


def _examples(calibration: Calibration, examples: doc.Examples) -> Iterator[doc.Block]:
    """Yield the section of examples: plots of scores (on pages), how many judge and gold differ on, and the list."""
    comparison = calibration.comparison
    if not comparison.rubric.is_of_pairs:
        histogram = score_histogram(comparison)
        yield doc.OnPages((scatter(comparison), *([histogram] if histogram is not None else [])))
    if examples.differing:
        differing = int((np.nan_to_num(comparison.distances) != 0).sum())
        wrong = "wrong decisions, then the " if comparison.false_passes or comparison.false_fails else ""
        of = counted(int((~np.isnan(comparison.distances)).sum()), "example")
        have_no_degrees = bool(comparison.rubric.categories) or is_one_decision(comparison)
        have_no_degrees = have_no_degrees or comparison.rubric.is_of_pairs
        words = "Judge and gold differ" if have_no_degrees else "Scores differ"
        yield doc.Paragraph((f"{words} on {differing} of {of}. First: {wrong}largest differences.",))
    yield examples


OWN_SECTIONS: Final = (
    SectionRow(10, _criteria),
    SectionRow(50, _to_read_first),
    SectionRow(60, _annotators),
    SectionRow(70, _labels_against_width),
    SectionRow(90, _slices),
    SectionRow(100, _run),
)
"""Sections of the core."""
