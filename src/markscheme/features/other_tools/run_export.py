"""A run of `export`: a rubric's examples as lines, as counts, or as a configuration of Promptfoo."""

import os
import sys
from json import dumps
from pathlib import Path
from typing import Any

import yaml

from markscheme.calibration.labelled_examples import examples_with_every_label
from markscheme.calibration.options import LabelOptions
from markscheme.commands.exports import EXPORTS
from markscheme.commands.output import put
from markscheme.features.other_tools.export_promptfoo import promptfoo_config
from markscheme.options.in_force import with_reading_options
from markscheme.options.table import AddedOptions
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.examples_choice import part_of
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import find_rubric, known_rubrics
from markscheme.shipped import shipped

GRADER = "rubric_grader.mjs"


def export_examples(
    rubric: str,
    labels: LabelOptions,
    judge: tuple[str, ...],
    added: AddedOptions,
    promptfoo: Path | None,
    *,
    json: bool,
) -> int:
    """Write the examples of a rubric, and return the exit status.

    Args:
        rubric: The rubric's name or file.
        labels: Options on which examples are exported.
        judge: Names of judges; the first one grades in the Promptfoo configuration.
        added: Options of features, which may export something else.
        promptfoo: The file of a Promptfoo configuration to write; None to print lines.
        json: True to print the examples as one JSON list.
    """
    path = find_rubric(rubric)
    loaded = load_rubric(path)
    for export_otherwise in EXPORTS:
        status = export_otherwise(loaded, labels.examples, judge, added)
        if status is not None:
            return status
    chosen = part_of(examples_with_every_label(loaded, labels.examples)[0], labels.split)
    if promptfoo is not None:
        _write_promptfoo(chosen, loaded, path, promptfoo, judge[0] if judge else None)
        return 0
    lines = [
        {**example.to_json(), "labels": [label.to_json() for label in example.labels]} for example in chosen.examples
    ]
    print("\n".join([dumps(lines)] if json else [dumps(line, ensure_ascii=False) for line in lines]))
    return 0


def _write_promptfoo(examples: ExampleSet, rubric: Rubric, source: Path, target: Path, judge: str | None) -> None:
    config: dict[str, Any] = {"rubric": _rubric_in(source), **({"judge": judge} if judge else {})}
    document = promptfoo_config(examples, rubric, grader=_grader(target), config=config)
    put(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120), target)
    judge_name = judge or rubric.judge.get("name") or "the default judge"
    print(f"{len(examples.examples)} examples in {target}.", file=sys.stderr)
    print(f"Have {judge_name} grade them (its calls may cost money),", file=sys.stderr)
    print("then give each output a thumbs up or down in Promptfoo's viewer:", file=sys.stderr)
    print(f"  npx promptfoo eval -c {target} && npx promptfoo view", file=sys.stderr)
    print("Then compare that judge with your ratings:", file=sys.stderr)
    print("  npx promptfoo export eval latest -o rated.json", file=sys.stderr)
    print(f"  {with_reading_options('markscheme calibrate rated.json')}", file=sys.stderr)


def _rubric_in(source: Path) -> str:
    """Return a rubric's name if the project finds it by that name, so that files stay portable; else its path."""
    by_name = known_rubrics().get(source.stem)
    return source.stem if by_name is not None and by_name.resolve() == source.resolve() else str(source.resolve())


def _grader(target: Path) -> str:
    """Return the address of the project's grader, relative to `target`'s folder; without one, of the shipped grader."""
    of_project = Path("graders") / GRADER
    if of_project.is_file():
        return f"file://{Path(os.path.relpath(of_project, target.parent)).as_posix()}"
    return f"file://{(shipped('graders') / GRADER).as_posix()}"
