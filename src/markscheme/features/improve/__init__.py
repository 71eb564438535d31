"""New wordings for a rubric, which are proposed, tried on dev labels, and tested once on held-out labels."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from markscheme.calibration.findings.table import CAN_IMPROVE, FINDINGS, FindingRow
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.report.sections.table import SECTIONS, SectionRow
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.ratings.examples import ExampleSet
    from markscheme.ratings.gold import Gold
    from markscheme.report.document import Examples, Section
    from markscheme.rubrics.rubric import Rubric

    class _InCalibration(Protocol):
        @property
        def FITTING_FINDINGS(self) -> Sequence[FindingRow]: ...  # noqa: N802 - a constant of the module
        def can_try_words(self, rubric: Rubric, examples: ExampleSet, gold: Gold | None) -> bool: ...


def _improve() -> CommandFunction:
    from markscheme.features.improve.command import improve

    return improve


_OF_WHO_DECIDES = ("--source", "--cascade", "--error", "--confidence", "--for", "--wrong-passes")
"""Options of `tune` that `improve` has no use for."""


def _of_tune(words: Sequence[str]) -> list[str]:
    """Convert arguments of the removed command `tune` to arguments of `improve`; drop those about cascades."""
    typed: list[str] = []
    is_left_out = False
    for word in words:
        option, equals, _ = word.partition("=")
        if option in _OF_WHO_DECIDES:
            is_left_out = not equals
        elif is_left_out:
            is_left_out = False
        else:
            typed.append("--open" if word == "--final" else word)
    looks = [] if {"--open", "--write"} & set(typed) else ["--open"]
    return [*typed, "--numbers", *looks]


def _other_words(calibration: "Calibration", _: "Examples") -> "Iterator[Section]":
    from markscheme.features.improve.section import other_words

    yield from other_words(calibration)


def _in_calibration() -> "_InCalibration":
    from markscheme.features.improve import in_calibration

    return in_calibration


IMPROVE = Feature(
    "improve",
    COMMANDS(
        CommandRow(
            "improve",
            "Improve",
            "find better words, weights or a better pass mark, proven on labels",
            _improve,
            rank=10,
            heir_of={"tune": _of_tune},
            shares={"tune": "weights and pass mark"},
            common="numbers candidates proposer open outside write cost ratings judge plan details json",
        ),
    ),
    FINDINGS(lambda: _in_calibration().FITTING_FINDINGS),
    CAN_IMPROVE(lambda rubric, examples, gold: _in_calibration().can_try_words(rubric, examples, gold)),
    SECTIONS(SectionRow(40, _other_words, rated=("responses",))),
)
