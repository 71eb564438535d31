"""Comparison of judges, runs and results on the same examples, and of two versions of a rubric."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from markscheme.calibration.results import RESULTS, Reporter
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.report.several_judges import JUDGES_REPORTERS
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.calibration.calibration import Calibration
    from markscheme.report.document import Document

    class _Reports(Protocol):
        @property
        def COMPARED_REPORTER(self) -> Reporter: ...  # noqa: N802 - a constant of the module
        def report_on_judges(
            self, calibrations: Sequence[Calibration]
        ) -> tuple[Calibration, Document, Callable[[], dict[str, Any]]]: ...


def _compare() -> CommandFunction:
    from markscheme.features.compare.command import compare

    return compare


def _of_diff(words: Sequence[str]) -> list[str]:
    from markscheme.features.compare.rubric_versions import as_versions

    return as_versions(words)


def _reports() -> "_Reports":
    from markscheme.features.compare import report_judges

    return report_judges


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
    RESULTS(("Compared", lambda: _reports().COMPARED_REPORTER)),
    JUDGES_REPORTERS(lambda calibrations: _reports().report_on_judges(calibrations)),
)
