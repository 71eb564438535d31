"""`markscheme lint`: what is wrong with a rubric, and what might be better."""

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

from markscheme.commands.options import Parser
from markscheme.errors import RubricError, RubricWarning
from markscheme.lint import advice
from markscheme.rubric_file import load_rubric
from markscheme.rubric_search import find_rubric

SUMMARY = """Say what is wrong with rubrics, by file and line, and what might be better in them.

Exit status: 0 nothing to say, 1 advice, 2 refused."""


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    found = Parser("lint", SUMMARY, "markscheme lint rubrics/*.yaml")
    found.add_argument("rubrics", nargs="+", metavar="RUBRIC", help="a rubric's file or name")
    found.add_argument("--json", action="store_true", help="one JSON object a rubric")
    return found


def run(arguments: argparse.Namespace) -> int:
    """Lint each; the worst status of all."""
    worst = 0
    for name in arguments.rubrics:
        report = lint_file(find_rubric(name))
        print(json.dumps(report, ensure_ascii=False) if arguments.json else _text(report))
        worst = max(worst, report["status"])
    return worst


def lint_file(path: Path) -> dict[str, Any]:
    """What there is to say of one file: status, faults and advice."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", RubricWarning)
        try:
            rubric = load_rubric(path)
        except RubricError as error:
            faults = [{"line": fault.line, "problem": fault.problem} for fault in error.faults]
            return {"rubric": str(path), "status": 2, "faults": faults, "advice": []}
    found = [{"code": "noted", "criterion": None, "message": str(warning.message)} for warning in noted]
    found += [{"code": a.code, "criterion": a.criterion, "message": a.message} for a in advice(rubric)]
    return {"rubric": str(path), "status": 1 if found else 0, "faults": [], "advice": found}


def _text(report: dict[str, Any]) -> str:
    lines = [f"{report['rubric']}:{fault['line'] or 1}: {fault['problem']}" for fault in report["faults"]]
    lines += [
        f"{report['rubric']}: {item['code']}{' ' + repr(item['criterion']) if item['criterion'] else ''}: {item['message']}"
        for item in report["advice"]
    ]
    return "\n".join(lines) or f"{report['rubric']}: nothing to say"
