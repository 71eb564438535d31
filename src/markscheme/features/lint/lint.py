"""Results of `lint` on a rubric's file: faults that make it invalid, advice, and remarks on what isn't checked."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from markscheme.errors import Fault, RubricError, RubricWarning, UsageError
from markscheme.features.lint.language import is_in_english
from markscheme.features.lint.yaml_pitfalls import yaml_pitfalls
from markscheme.grading.checks import check_of, load_scorers
from markscheme.judges.kinds import JUDGE_KINDS
from markscheme.plain_data import form_of, read_text
from markscheme.rubrics.advice import Advice, advice
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.gray_zone import gray_zone
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import find_calibration

NO_ISSUES: Final = 0
"""Status of a rubric without faults and advice."""
ADVICE: Final = 1
"""Status of a rubric with advice and no faults."""
REFUSED: Final = 2
"""Status of a file that isn't a valid rubric."""
UNKNOWN_CHECK: Final = "unknown-check"
"""Code of the advice that a check is defined nowhere, so that nothing can be graded with it."""
NOT_ENGLISH = (
    "its words don't look English: advice on wording is for English only; keys, weights and levels are checked"
)


@dataclass(frozen=True, slots=True)
class LintReport:
    """The result of linting a file: faults for which its rubric is refused, or advice on a valid rubric.

    Attributes:
        rubric: Path of the rubric's file.
        faults: The faults for which the rubric is refused, in the order of the file; empty if it is valid.
        advice: Possible improvements of a valid rubric.
        notes: Sentences on what isn't checked, with the reason.
    """

    rubric: Path
    faults: tuple[Fault, ...] = ()
    advice: tuple[Advice, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        """Exit status of `markscheme lint`: 0 without an issue, 1 with advice, 2 if the rubric is refused."""
        if self.faults:
            return REFUSED
        return ADVICE if self.advice else NO_ISSUES

    def to_json(self) -> dict[str, Any]:
        """Return the report as a dict with the keys of `markscheme lint --json`."""
        return {
            "rubric": str(self.rubric),
            "status": self.status,
            "faults": [{"line": fault.line, "problem": fault.problem} for fault in self.faults],
            "advice": [{"code": a.code, "criterion": a.criterion, "message": a.message} for a in self.advice],
            "notes": list(self.notes),
        }


def lint_file(path: str | Path, scorers: Sequence[str] = ()) -> LintReport:
    """Find the faults of a rubric's file, or give advice on a valid rubric's words, weights, levels and checks.

    Args:
        path: The file. The rubric's folder `calibration/<rubric>` is looked for from the working directory, then from
            the file's folder.
        scorers: Names of modules with checks by code, as in an import statement.

    Raises:
        UsageError: A module of checks cannot be imported, or has none.

    Example:
        >>> from markscheme.shipped import shipped
        >>> report = lint_file(shipped("rubrics/code-quality.yaml"))
        >>> report.status, report.faults, report.advice
        (0, (), ())
    """
    path = Path(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RubricWarning)
        try:
            rubric = load_rubric(path)
        except RubricError as error:
            return LintReport(path, faults=error.faults)
    all_advice = (
        *(Advice("noted", None, str(warning.message)) for warning in caught),
        *_unknown_checks(rubric, scorers),
        *_pitfalls(path),
        *_unused_gray_zone(rubric, path),
        *advice(rubric),
    )
    return LintReport(path, advice=all_advice, notes=() if is_in_english(rubric) else (NOT_ENGLISH,))


def _pitfalls(path: Path) -> Iterator[Advice]:
    """Yield advice on values in a rubric's file that YAML reads differently than they look, such as 010."""
    if form_of(path) == "yaml":
        for line, problem in yaml_pitfalls(read_text(path, RubricError)):
            yield Advice("yaml", None, f"line {line}: {problem}")


def _unknown_checks(rubric: Rubric, modules: Sequence[str]) -> Iterator[Advice]:
    """Yield advice on criteria whose check by code is unknown to markscheme and to the given modules."""
    checked = [criterion for criterion in rubric.criteria if criterion.check is not None]
    if not checked and not modules:
        return

    scorers = load_scorers(*modules)
    for criterion in checked:
        try:
            check_of(criterion, scorers)
        except UsageError as error:
            yield Advice(UNKNOWN_CHECK, criterion.name, _without_name(error, criterion))


def _without_name(error: UsageError, criterion: Criterion) -> str:
    """Return an error's sentence without the criterion's name, which `Advice` states already."""
    return str(error).removeprefix(f"criterion {criterion.name!r}: ")


def _unused_gray_zone(rubric: Rubric, path: Path) -> Iterator[Advice]:
    """Yield advice on a rubric's gray zone if it has no effect, since another file says who decides."""
    folder = find_calibration(rubric.name, Path.cwd(), path.resolve().parent)
    if folder is None or not gray_zone(rubric.ask_within).width:
        return
    for kind in JUDGE_KINDS:
        if kind.file_of is None:
            continue
        with suppress(UsageError):  # the rubric has no such file
            unused = f"ask_within has no effect under `--judge {kind.name}`: {kind.file_of(rubric.name, folder)} says"
            yield Advice("unused-gray-zone", None, f"{unused} who decides")
