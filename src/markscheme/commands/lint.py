"""`markscheme lint`: what is wrong with a rubric, and what might be better."""

import argparse
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markscheme.commands.options import Parser, add_scorers
from markscheme.errors import RubricError, RubricWarning, UsageError
from markscheme.rubrics.file import json_schema, load_rubric
from markscheme.rubrics.lint import advice
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.rubrics.search import find_rubric

SUMMARY = """Say what is wrong with rubrics, by file and line, and what might be better in them.

Exit status: 0 nothing to say, 1 advice, 2 refused."""
ADVICE = 1


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("lint", SUMMARY, "markscheme lint rubrics/*.yaml")
    found.add_argument("rubrics", nargs="*", metavar="RUBRIC", help="a rubric's file or name")
    found.add_argument("--allow-advice", action="store_true", help="status 0 where there is nothing but advice")
    found.add_argument("--schema", action="store_true", help="print the format of rubric files as JSON Schema instead")
    found.add_argument("--json", action="store_true", help="one JSON object a rubric")
    add_scorers(found)
    return found


def run(arguments: argparse.Namespace) -> int:
    """Lint each; the worst status of all.

    Raises:
        UsageError: There is nothing to lint.
    """
    if arguments.schema:
        print(json.dumps(json_schema(), indent=2, ensure_ascii=False))
        return 0
    if not arguments.rubrics:
        raise UsageError("name a RUBRIC to lint, by its file or its name; --schema prints the format of the files")
    worst = 0
    for name in arguments.rubrics:
        report = lint_file(_from_here(find_rubric(name)), arguments.scorers)
        print(json.dumps(report, ensure_ascii=False) if arguments.json else _text(report))
        worst = max(worst, report["status"])
    return 0 if worst == ADVICE and arguments.allow_advice else worst


def _from_here(path: Path) -> Path:
    """The path as a person who stands here writes it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def lint_file(path: Path, scorers: Sequence[str] = ()) -> dict[str, Any]:
    """What there is to say of one file, with checks by code in these modules: status, faults and advice."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", RubricWarning)
        try:
            rubric = load_rubric(path)
        except RubricError as error:
            faults = [{"line": fault.line, "problem": fault.problem} for fault in error.faults]
            return {"rubric": str(path), "status": 2, "faults": faults, "advice": []}
    found = [{"code": "noted", "criterion": None, "message": str(warning.message)} for warning in noted]
    found += _unknown_checks(rubric, scorers)
    found += [{"code": a.code, "criterion": a.criterion, "message": a.message} for a in advice(rubric)]
    return {"rubric": str(path), "status": ADVICE if found else 0, "faults": [], "advice": found}


def _unknown_checks(rubric: Rubric, modules: Sequence[str]) -> list[dict[str, Any]]:
    """Checks that neither ship nor stand in a module that was named: nothing is graded with them."""
    checked = [criterion for criterion in rubric.criteria if criterion.check is not None]
    if not checked and not modules:
        return []
    from markscheme.scorers import check_of, load_scorers

    scorers = load_scorers(*modules)
    found = []
    for criterion in checked:
        try:
            check_of(criterion, scorers)
        except UsageError as error:
            found.append({"code": "unknown-check", "criterion": criterion.name, "message": _of_check(error, criterion)})
    return found


def _of_check(error: UsageError, criterion: Criterion) -> str:
    """The sentence without the criterion's name, which lint says before it."""
    return str(error).removeprefix(f"criterion {criterion.name!r}: ")


def _text(report: dict[str, Any]) -> str:
    name = report["rubric"]
    lines = [f"{name}:{fault['line'] or 1}: {fault['problem']}" for fault in report["faults"]]
    lines += [f"{name}: {_kind(said)}: {said['message']}" for said in report["advice"]]
    return "\n".join(lines) or f"{name}: nothing to say"


def _kind(said: dict[str, Any]) -> str:
    return f"{said['code']} {said['criterion']!r}" if said["criterion"] else str(said["code"])
