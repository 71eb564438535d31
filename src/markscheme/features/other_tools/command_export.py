"""`markscheme export`: examples for other tools."""

import os
import sys
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from markscheme.calibration.options import LabelOptions
from markscheme.commands.exports import export_otherwise
from markscheme.commands.families import only
from markscheme.commands.options import JudgeNames, RubricName
from markscheme.commands.output import put
from markscheme.options.reading import DamageOptions
from markscheme.options.table import AddedOptions
from markscheme.rubrics.search import find_rubric, known_rubrics
from markscheme.shipped import shipped

if TYPE_CHECKING:
    from markscheme.ratings.examples import ExampleSet
    from markscheme.rubrics.rubric import Rubric

GRADER = "rubric_grader.mjs"


def export(
    rubric: RubricName,
    /,
    *,
    promptfoo: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    labels: Annotated[LabelOptions, only(LabelOptions, "examples", "split")] = LabelOptions(),
    judge: JudgeNames = (),
    added: AddedOptions = AddedOptions(),
    json: Annotated[bool, Parameter(help="print one JSON list instead of lines")] = False,
    damage: DamageOptions = DamageOptions(),  # noqa: ARG001 - `call` heeds it
) -> int:
    """Write a rubric's examples for other tools. Makes no calls.

    With --promptfoo it writes a Promptfoo configuration, to rate the examples in Promptfoo's viewer. With --counts-sql
    it prints a SELECT that counts rows of ratings in a database, with --counts it counts those of files; then --judge
    names the judge's columns. Else the examples with their labels go to standard output, one JSON object per line.

    Args:
        promptfoo: write a Promptfoo configuration to FILE

    Example:
        markscheme export code-quality --promptfoo rate.yaml
    """
    from markscheme.calibration.labelled_examples import examples_with_every_label
    from markscheme.ratings.examples_choice import part_of
    from markscheme.rubrics.file import load_rubric

    path = find_rubric(rubric)
    loaded = load_rubric(path)
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


def _write_promptfoo(examples: "ExampleSet", rubric: "Rubric", source: Path, target: Path, judge: str | None) -> None:
    import yaml

    from markscheme.features.other_tools.export_promptfoo import promptfoo_config

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
    print("  markscheme calibrate rated.json", file=sys.stderr)


def _rubric_in(source: Path) -> str:
    """Return a rubric's name where the project has it, so that the file works on another machine; else its path."""
    by_name = known_rubrics().get(source.stem)
    return source.stem if by_name is not None and by_name.resolve() == source.resolve() else str(source.resolve())


def _grader(target: Path) -> str:
    """Return the address of the project's own grader, by its path from `target`'s folder; else of the shipped one."""

    of_project = Path("graders") / GRADER
    if of_project.is_file():
        return f"file://{Path(os.path.relpath(of_project, target.parent)).as_posix()}"
    return f"file://{(shipped('graders') / GRADER).as_posix()}"
