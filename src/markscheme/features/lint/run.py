"""A run of `lint`: each rubric checked and shown, and the worst exit status."""

import warnings
from collections.abc import Sequence
from json import dumps
from pathlib import Path

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.output import put_on_screen
from markscheme.errors import RubricError
from markscheme.features.lint.lint import ADVICE, NO_ISSUES, LintReport, lint_file
from markscheme.features.lint.rows import lint_rows, rows_in_words
from markscheme.features.lint.view import view
from markscheme.plain_data import LINES
from markscheme.ratings.examples import examples_files
from markscheme.readers.plain_tables import rows_bring_rubrics
from markscheme.rubrics.file import from_here, load_rubric
from markscheme.rubrics.format import json_schema
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import POOL, find_calibration, find_rubric


def print_schema() -> int:
    """Print the JSON Schema of rubric files, and return the exit status."""
    print(dumps(json_schema(), indent=2, ensure_ascii=False))
    return NO_ISSUES


def lint_each(rubrics: Sequence[str], scorers: Sequence[str], *, allow_advice: bool, json: bool) -> int:
    """Check rubrics, and files of rows with rubrics, print the findings, and return the worst exit status.

    Args:
        rubrics: Names or files of rubrics.
        scorers: Names of modules with checks by code, as in an import statement.
        allow_advice: True to treat a rubric with only advice as one without issues.
        json: True to print JSON.
    """
    worst = NO_ISSUES
    files = [name for name in rubrics if _holds_rows(name)]
    core = _core_of(rubrics, files)
    for name in rubrics:
        if name in files:
            rows = lint_rows(Path(name), core)
            print(dumps(rows.to_json(), ensure_ascii=False) if json else rows_in_words(rows))
            worst = max(worst, rows.status)
            continue
        report = lint_file(from_here(find_rubric(name)), scorers)
        _show(report, name if len(rubrics) == 1 else "", json=json)
        worst = max(worst, report.status)
    return NO_ISSUES if worst == ADVICE and allow_advice else worst


def _holds_rows(name: str) -> bool:
    return rows_bring_rubrics(Path(name)) or (name.casefold().endswith(LINES) and Path(name).is_file())


def _core_of(rubrics: Sequence[str], files: Sequence[str]) -> Rubric | None:
    """Return the rubric that rows share: the one rubric that the command names next to files of rows.

    None if no file of rows is named, if no rubric or several are named next to them, or if the rubric is faulty.

    Args:
        rubrics: Names or files of rubrics, and files of rows.
        files: The files of rows among them.
    """
    named = [name for name in rubrics if name not in files]
    if not files or len(named) != 1:
        return None
    try:
        with warnings.catch_warnings():  # checking the rubric itself gives its warnings
            warnings.simplefilter("ignore")
            return load_rubric(find_rubric(named[0]))
    except RubricError:
        return None


def _show(report: LintReport, only: str, *, json: bool) -> None:
    """Print the findings on a rubric, and also the next step if no other rubric is checked.

    Args:
        report: The findings.
        only: The rubric as the user named it, if no other rubric is checked; else "".
        json: True to print JSON.
    """
    path = report.rubric
    if not (json or report.faults or report.advice):
        print("\n".join([f"{path}: no issues", *(f"{path}: note: {note}" for note in report.notes)]))
        return
    if json:
        print(dumps(report.to_json(), ensure_ascii=False))
        return
    if not only:
        print()
    put_on_screen(view(report, _next_step(path, only)))


def _next_step(path: Path, named: str) -> str:
    """Return the command to use a rubric with next: calibrate a judge if there are examples, else label some.

    Return "" if several rubrics are checked.

    Args:
        path: The rubric's file.
        named: The rubric as the user named it; "" if several rubrics are checked.
    """
    if not named:
        return ""
    commands = Commands.on(named)
    folder = find_calibration(path.stem, Path.cwd(), path.resolve().parent)
    has_examples = folder is not None and examples_files(folder)
    return commands.calibrate() if has_examples else commands.label(f"--pool {POOL}")
