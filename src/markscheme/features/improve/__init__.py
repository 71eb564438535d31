"""Other words for a rubric: proposed, tried on labels, and confirmed once on labels that were held out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.report.sections.table import SECTIONS, SectionRow
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.report.document import Examples, Section


def _improve() -> CommandFunction:
    from markscheme.features.improve.command import improve

    return improve


def _tune() -> CommandFunction:
    from markscheme.features.improve.command_tune import tune

    return tune


def _other_words(calibration: "Calibration", _: "Examples") -> "Iterator[Section]":
    from markscheme.features.improve.section import other_words

    yield other_words(calibration)


IMPROVE = Feature(
    "improve",
    COMMANDS(
        CommandRow(
            "improve", "Improve", "find better words for a rubric, proven on held-out labels", _improve, rank=10
        ),
        CommandRow("tune", "Improve", "find weights and thresholds that the labels support", _tune, rank=20),
    ),
    SECTIONS(SectionRow(40, _other_words)),
)
