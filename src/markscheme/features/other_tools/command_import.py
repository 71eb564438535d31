"""`markscheme import`: labels and verdicts of other tools as ratings."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from json import dumps
from pathlib import Path
from shlex import join, quote
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.options import existing_file, rubric_named
from markscheme.commands.output import put_on_screen
from markscheme.errors import UsageError, writing
from markscheme.features.other_tools.rubric_conversion import convert_rubric
from markscheme.grading.by_row import rubric_of_rows
from markscheme.options.reading import DamageOptions
from markscheme.phrases import counted
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.kinds import JUDGES
from markscheme.readers.plain_tables import brings_rubrics
from markscheme.rubrics.search import CALIBRATION_FOLDERS, find_calibration
from markscheme.rubrics.shape_hints import ShapeOptions

if TYPE_CHECKING:
    from markscheme.features.other_tools.run_import import ImportRun
    from markscheme.rubrics.rubric import Rubric


def import_ratings(
    file: Annotated[tuple[Path, ...], Parameter(metavar="FILE", help="what to import; files of one export are joined")],
    /,
    *,
    rubric: Annotated[str | None, Parameter(metavar="NAME", help="the rubric's name or file")] = None,
    to: Annotated[Path | None, Parameter(metavar="FILE")] = None,
    examples: Annotated[Path | None, Parameter(metavar="FILE.jsonl")] = None,
    append: bool = False,
    current_words: bool = False,
    only: Annotated[Literal["people", "judges"] | None, Parameter(metavar="WHO")] = None,
    as_: Annotated[str | None, Parameter(name="--as", metavar="NAME")] = None,
    rater_column: Annotated[str | None, Parameter(metavar="COLUMN")] = None,
    columns: ColumnOptions = ColumnOptions(),
    shape: ShapeOptions = ShapeOptions(),
    damage: DamageOptions = DamageOptions(),  # noqa: ARG001 - `call` heeds it
    json: Annotated[bool, Parameter(help="print the report as JSON")] = False,
) -> int:
    """Convert labels and verdicts of other tools to ratings, and report what was lost.

    FILE is an export of MLflow (the sqlite store, JSON), Langfuse (scores with traces), Label Studio, Inspect (.eval,
    JSON), LangSmith (feedback with runs), Phoenix (the sqlite store, JSON, CSV) or DeepEval; without --rubric their
    metrics become criteria.

    FILE may also be Promptfoo's results (.json, .jsonl), a dataset of autorubric (.json), a table (.csv, .tsv), or
    lines (.jsonl with one object each; .txt with "id verdict"). Columns are found by name: id, the rubric's criteria,
    rater, kind, overall, pass, criterion and level; verdict is a judge's, label an annotator's; input, output (or
    query, response) make examples. --map says that a column, outer.inner of an object, or list.*.inner of each
    item holds one of these, or a reference, judge, reason, run or day (at). --map COLUMN=probability reads a judge's
    probability of MET, or of the better of two levels; COLUMN=probability:LEVEL that of one level. Promptfoo's metrics
    become levels of the criteria of the same name.

    A rubric in another tool's shape is converted with --to rubrics/NAME.yaml, a file to read and edit; its comments
    name what wasn't read.

    Args:
        to: write the ratings to a new file (default: standard output), or a converted rubric to a new .yaml
        examples: write the responses to a new file, as examples
        append: add to files that exist
        current_words: people gave these labels to the rubric's current words; later ones make them stale
        only: keep only people's or only judges' ratings
        as_: who answered a labelling sheet, where a file's name says another rater than the sheet
        rater_column: column with the rater's name

    Example:
        markscheme import mlflow.db --to ratings.jsonl
    """
    from markscheme.features.other_tools.run_import import ImportRequest
    from markscheme.features.other_tools.target_files import TargetFiles
    from markscheme.features.other_tools.view_imported import json_of, view
    from markscheme.report.json import dumps as report_json

    paths = [existing_file(path) for path in file]
    if to is not None and to.suffix in (".yaml", ".yml"):
        return _convert(paths, to, replace(shape, other_names=columns.map, ends=columns.scale), json=json)
    targets = TargetFiles(to, examples, append)
    rubric_of_call = _rubric_of_call(rubric) if rubric else None
    raters = (f"{rater_column}=rater",) if rater_column else ()
    run = ImportRequest(
        files=paths,
        rubric=rubric_of_call,
        targets=targets,
        to_current_words=current_words,
        only=only,
        answered_by=as_,
        columns=replace(columns, map=(*columns.map, *raters)),
    ).run()
    if json:
        printed = {} if to else {"lines": [rating.to_json() for rating in run.ratings]}
        print(report_json({**json_of(run), **printed}))
        return 0
    if not to:
        sys.stdout.writelines(f"{dumps(rating.to_json(), ensure_ascii=False)}\n" for rating in run.ratings)
    command = None
    if rubric is not None and rubric_of_call is not None:
        options = {"rubric": rubric, "only": only, "as": as_, "rater-column": rater_column}
        name = rubric_of_call.name
        command = _calibration(name, run) or _with_examples(name, paths, run, options, columns)
    document = replace(view(run), onward=None if command is None else ("Next", command))
    put_on_screen(document, sys.stdout if to else sys.stderr)
    return 0


def _rubric_of_call(name: str) -> "Rubric":
    """Return the rubric of a name or in a file, or the criteria of rows that bring their own."""
    path = Path(name)
    return rubric_of_rows(path) if brings_rubrics(path) else rubric_named(name)


def _convert(paths: "Sequence[Path]", to: Path, options: ShapeOptions, *, json: bool) -> int:
    """Write a published rubric as a file in markscheme's own format, and say what was assumed and not read."""
    if len(paths) > 1:
        raise UsageError(f"a rubric is one file, got {len(paths)}")
    if to.exists():
        raise UsageError(f"{to} exists; name a new file")
    text, n_criteria, notes = convert_rubric(paths[0], options)
    with writing(to):
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text, encoding="utf-8")
    if json:
        print(dumps({"schema": 1, "rubric": str(to), "criteria": n_criteria, "notes": list(notes)}))
        return 0
    print(f"{to}: {counted(n_criteria, 'criterion', 'criteria')}")
    print("".join(f"  {note}\n" for note in notes), end="")
    print(f"Next, read it, then: `markscheme lint {quote(str(to))}`")
    return 0


def _calibration(name: str, run: "ImportRun") -> str | None:
    """Return the command that calibrates a rubric with what was written; None where responses to it aren't kept."""
    ratings = run.targets.ratings
    examples = run.targets.examples
    if ratings is None or (examples is None and find_calibration(name, Path.cwd()) is None):
        return None
    has_judges = bool(RatingCodes.of(run.file.ratings).of_kinds(JUDGES))
    options = [f"--ratings {quote(str(ratings))}"] if has_judges else []
    is_found = examples is None or examples.resolve() == _examples_of(name).resolve()
    return Commands.on(name).calibrate_by(*options, *([] if is_found else [f"--examples {quote(str(examples))}"]))


def _with_examples(
    name: str, paths: Sequence[Path], run: "ImportRun", given_options: Mapping[str, str | None], columns: ColumnOptions
) -> str | None:
    """Return the command that imports the same files again with their responses; None where they have none."""
    if run.targets.ratings is None or not run.file.has_responses:
        return None
    names = ",".join(columns.judge_names) or None
    options = {**given_options, "kind": columns.kind, "rater": columns.rater, "judge-names": names}
    options |= {"to": str(run.targets.ratings), "examples": str(_examples_of(name))}
    written = "".join(f" --{option} {quote(value)}" for option, value in options.items() if value is not None)
    return f"markscheme import {join(map(str, paths))}{columns.as_shell}{written} --append"


def _examples_of(name: str) -> Path:
    """Return the file in which the examples of a rubric are found by its name."""
    folder = find_calibration(name, Path.cwd()) or Path(CALIBRATION_FOLDERS, name)
    return folder / "examples.jsonl"
