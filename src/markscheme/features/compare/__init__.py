"""Comparison of judges, runs and results on the same examples, and of two versions of a rubric."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from markscheme.calibration.results import RESULTS, Reporter
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.report.several_judges import JUDGES_REPORTERS
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.report.document import Document


def _compare() -> CommandFunction:
    from markscheme.features.compare.command import compare

    return compare


def _of_diff(words: Sequence[str]) -> list[str]:
    from markscheme.features.compare.rubric_versions import as_versions

    return as_versions(words)


def _compared() -> Reporter:
    from markscheme.features.compare.report_judges import COMPARED_REPORTER

    return COMPARED_REPORTER


def _several(calibrations: "Sequence[Calibration]") -> "tuple[Calibration, Document, Callable[[], dict[str, Any]]]":
    from markscheme.features.compare.report_judges import report_on_judges

    return report_on_judges(calibrations)


COMPARE = Feature(
    "compare",
    COMMANDS(
        CommandRow(
            "compare",
            "Improve",
            "compare judges, runs or results on the same examples",
            _compare,
            30,
            {"diff": _of_diff},
            common="judge rubric pairs examples split human budget details json markdown html",
        ),
    ),
    RESULTS(("Compared", _compared)),
    JUDGES_REPORTERS(_several),
)
