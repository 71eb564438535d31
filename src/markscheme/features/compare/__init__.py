"""Comparison of judges, runs and results on the same examples, and of two versions of a rubric."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from markscheme.calibration.results import RESULTS, Reporter
from markscheme.commands.table import COMMANDS, CommandFunction, CommandRow
from markscheme.report.several_judges import JUDGES_REPORTERS
from markscheme.rubrics.search import RUBRIC_SUFFIXES
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
    """Convert arguments of the removed command `diff` to those of `compare`: a rubric in a commit, and on disk."""
    operands: list[str] = []
    options: list[str] = []
    since = "HEAD"
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        name, _, value = word.partition("=")
        if name == "--since":
            since = value or (waiting.pop(0) if waiting else since)
        elif name == "--markdown":
            if not value and waiting:
                waiting.pop(0)
            options.append(name)
        elif name == "--report" and not value and waiting:
            options += [name, waiting.pop(0)]
        elif word.startswith("-"):
            options.append(word)
        else:
            operands.append(word)
    versions = [f"{since}:{name}" if Path(name).suffix in RUBRIC_SUFFIXES else f"{name}@{since}" for name in operands]
    return [*versions, *operands, *options]


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
