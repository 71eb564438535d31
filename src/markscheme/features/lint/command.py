"""`markscheme lint`: errors in rubrics, and advice."""

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.families import only
from markscheme.commands.options import JsonFlag
from markscheme.commands.output import put_on_screen
from markscheme.errors import UsageError
from markscheme.judges.options import AskOptions
from markscheme.plain_data import LINES
from markscheme.readers.plain_tables import brings_rubrics
from markscheme.rubrics.search import POOL, find_calibration, find_rubric

if TYPE_CHECKING:
    from markscheme.features.lint.lint import LintReport


def lint(
    rubrics: Annotated[tuple[str, ...], Parameter(metavar="RUBRIC", help="a rubric's name or file")] = (),
    /,
    *,
    allow_advice: bool = False,
    schema: bool = False,
    ask: Annotated[AskOptions, only(AskOptions, "scorers")] = AskOptions(),
    json: JsonFlag = False,
) -> int:
    """Check rubrics: errors by file and line, and advice on what could be better.

    Args:
        allow_advice: exit 0 if there is only advice
        schema: print the format of rubric files as JSON Schema instead

    Of rows that bring criteria of their own it lists each faulty rubric.

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
    from markscheme.features.lint.lint import ADVICE, NO_ISSUES, lint_file
    from markscheme.features.lint.rows import lint_rows, rows_in_words

    worst = NO_ISSUES
    for name in rubrics:
        if brings_rubrics(Path(name)) or (name.casefold().endswith(LINES) and Path(name).is_file()):
            rows = lint_rows(Path(name))
            print(dumps(rows.to_json(), ensure_ascii=False) if json else rows_in_words(rows))
            worst = max(worst, rows.status)
            continue
        report = lint_file(_from_here(find_rubric(name)), ask.scorers)
        _show(report, name if len(rubrics) == 1 else "", json=json)
        worst = max(worst, report.status)
    return NO_ISSUES if worst == ADVICE and allow_advice else worst


def _from_here(path: Path) -> Path:
    """Return the path relative to the working directory, if it is below it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _show(report: "LintReport", only: str, *, json: bool) -> None:
    """Print what was found in a rubric, with the next step if it is the only one, as the user named it."""
    path = report.rubric
    if not (json or report.faults or report.advice):
        print("\n".join([f"{path}: no issues", *(f"{path}: note: {note}" for note in report.notes)]))
        return
    if json:
        print(dumps(report.to_json(), ensure_ascii=False))
        return
    from markscheme.features.lint.view import view

    if not only:
        print()
    put_on_screen(view(report, _next_step(path, only)))


def _next_step(path: Path, named: str) -> str:
    """Return the command that uses a rubric: it calibrates a judge if there are examples, else starts labelling.

    Without a name it is "".
    """
    from markscheme.ratings.examples import examples_files

    if not named:
        return ""
    commands = Commands.on(named)
    folder = find_calibration(path.stem, Path.cwd(), path.resolve().parent)
    has_examples = folder is not None and examples_files(folder)
    return commands.calibrate() if has_examples else commands.label(f"--pool {POOL}")
