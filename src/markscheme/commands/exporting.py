"""`calibrate --export-promptfoo`: examples for people to rate in Promptfoo's viewer."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import yaml

from markscheme.commands.output import put
from markscheme.commands.sources import labelled_examples
from markscheme.commands.splits import part_of
from markscheme.errors import UsageError
from markscheme.promptfoo.export import promptfoo_config
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.search import find_rubric, shipped

GRADER = "rubric_grader.py"


def run(arguments: argparse.Namespace) -> int:
    """Write the file; nobody is asked."""
    if len(arguments.rubric) != 1:
        raise UsageError("--export-promptfoo takes one rubric")
    path = find_rubric(*arguments.rubric)
    rubric = load_rubric(path)
    examples = part_of(labelled_examples(rubric, arguments.examples)[0], arguments)
    target: Path = arguments.export_promptfoo
    config: dict[str, Any] = {"rubric": str(path.resolve())}
    if arguments.judge:
        config["judge"] = arguments.judge[0]
    document = promptfoo_config(examples, rubric, grader=_grader(target), config=config)
    put(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120), target)
    print(f"{len(examples.examples)} examples in {target}. Rate them:", file=sys.stderr)
    print(f"  npx promptfoo eval -c {target} && npx promptfoo view", file=sys.stderr)
    print("  npx promptfoo export eval latest -o rated.json && calibrate rated.json", file=sys.stderr)
    return 0


def _grader(target: Path) -> str:
    """The project's own grader, by its path from the file that names it; where it has none, the one that is shipped."""
    own = Path("graders") / GRADER
    if own.is_file():
        return f"file://{Path(os.path.relpath(own, target.parent)).as_posix()}"
    return "file://" + (shipped("graders") / GRADER).as_posix()
