"""`markscheme lint`: errors in rubrics, and advice."""

import sys
import warnings
from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag, Scorers
from markscheme.errors import RubricError, RubricWarning, UsageError
from markscheme.rubrics.search import find_calibration, find_rubric

if TYPE_CHECKING:
    from markscheme.rubrics.rubric import Criterion, Rubric

ADVICE = 1
"""Exit status of a rubric with advice and no faults."""
NOT_ENGLISH = (
    "its words don't look English: advice on wording is for English only; keys, weights and levels are checked"
)


def lint(
    rubrics: Annotated[tuple[str, ...], Parameter(metavar="RUBRIC", help="a rubric's name or file")] = (),
    /,
    *,
    allow_advice: bool = False,
    schema: bool = False,
    scorers: Scorers = (),
    json: JsonFlag = False,
) -> int:
    """Check rubrics: errors by file and line, and advice on what could be better.

    Args:
        allow_advice: exit 0 if there is only advice
        schema: print the format of rubric files as JSON Schema instead

    Example:
        markscheme lint rubrics/*.yaml

    Exit status:
        0 no issues, 1 advice, 2 refused.
    """
    if schema:
        from markscheme.rubrics.format import json_schema

        print(dumps(json_schema(), indent=2, ensure_ascii=False))
        return 0
    if not rubrics:
        raise UsageError("name a RUBRIC to check, by its name or its file; --schema prints the format of the files")
    worst = 0
    for name in rubrics:
        report = lint_file(_from_here(find_rubric(name)), scorers)
        _show(report, name if len(rubrics) == 1 else "", json=json)
        worst = max(worst, report["status"])
    return 0 if worst == ADVICE and allow_advice else worst


def _from_here(path: Path) -> Path:
    """The path relative to the working directory, where it is below it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def lint_file(path: Path, scorers: Sequence[str] = ()) -> dict[str, Any]:
    """Status, faults and advice for one file; `scorers` are modules with checks by code."""
    from markscheme.rubrics.file import load_rubric
    from markscheme.rubrics.lint import advice, is_in_english

    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", RubricWarning)
        try:
            rubric = load_rubric(path)
        except RubricError as error:
            faults = [{"line": fault.line, "problem": fault.problem} for fault in error.faults]
            return {"rubric": str(path), "status": 2, "faults": faults, "advice": [], "notes": []}
    advised = [{"code": "noted", "criterion": None, "message": str(warning.message)} for warning in noted]
    advised += _unknown_checks(rubric, scorers)
    advised += _unused_gray_zone(rubric, path)
    advised += [{"code": a.code, "criterion": a.criterion, "message": a.message} for a in advice(rubric)]
    notes = [] if is_in_english(rubric) else [NOT_ENGLISH]
    return {"rubric": str(path), "status": ADVICE if advised else 0, "faults": [], "advice": advised, "notes": notes}


def _unknown_checks(rubric: "Rubric", modules: Sequence[str]) -> list[dict[str, Any]]:
    """Advice on checks that no known module has: nothing can be graded with them."""
    checked = [criterion for criterion in rubric.criteria if criterion.check is not None]
    if not checked and not modules:
        return []
    from markscheme.rubrics.lint import UNKNOWN_CHECK
    from markscheme.scorers import check_of, load_scorers

    scorers = load_scorers(*modules)
    advised = []
    for criterion in checked:
        try:
            check_of(criterion, scorers)
        except UsageError as error:
            advised.append({"code": UNKNOWN_CHECK, "criterion": criterion.name, "message": _of_check(error, criterion)})
    return advised


def _unused_gray_zone(rubric: "Rubric", path: Path) -> list[dict[str, Any]]:
    """Advice on a gray zone of a rubric that has a cascade, which decides in its place."""
    from markscheme.judges.cascade_file import CASCADE_FILE
    from markscheme.rubrics.gray_zone import gray_zone

    folder = find_calibration(rubric.name, Path.cwd(), path.resolve().parent)
    file = None if folder is None else folder / CASCADE_FILE
    if file is None or not file.is_file() or not gray_zone(rubric.ask_within).width:
        return []
    message = f"ask_within has no effect under `--judge cascade`: {file} says who decides"
    return [{"code": "unused-gray-zone", "criterion": None, "message": message}]


def _of_check(error: UsageError, criterion: "Criterion") -> str:
    """The sentence without the criterion's name, which the line starts with."""
    return str(error).removeprefix(f"criterion {criterion.name!r}: ")


def _show(report: dict[str, Any], only: str, *, json: bool) -> None:
    """Print what was found in a rubric, with the next step if it is the only one, as the user named it."""
    if json:
        print(dumps(report, ensure_ascii=False))
        return
    path = Path(report["rubric"])
    if not (report["faults"] or report["advice"]):
        print("\n".join([f"{path}: no issues", *(f"{path}: note: {note}" for note in report["notes"])]))
        return
    from markscheme.report.terminal import render_terminal
    from markscheme.report.views.lint import view

    if not only:
        print()
    render_terminal(view(report, _next_step(path, only)), sys.stdout)


def _next_step(path: Path, named: str) -> str:
    """The command that uses a rubric: it compares a judge with the labels, or starts labelling; "" without a name."""
    from markscheme.calibration.findings.commands import POOL, Commands
    from markscheme.ratings.examples import examples_files

    if not named:
        return ""
    commands = Commands.on(named)
    folder = find_calibration(path.stem, Path.cwd(), path.resolve().parent)
    has_examples = folder is not None and examples_files(folder)
    return commands.calibrate() if has_examples else commands.label(f" --pool {POOL}")
