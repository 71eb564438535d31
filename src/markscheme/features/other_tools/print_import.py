"""Output of `import`: the ratings read, what was lost and the next step; or the rubric that it converted."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from json import dumps
from pathlib import Path
from shlex import join, quote

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.options import existing_file, rubric_named
from markscheme.commands.output import put_on_screen
from markscheme.errors import Fault, RatingError, UsageError, writing
from markscheme.features.other_tools.rubric_conversion import convert_rubric
from markscheme.features.other_tools.run_import import ImportRun, Whose, import_files
from markscheme.features.other_tools.target_files import TargetFiles
from markscheme.features.other_tools.view_imported import json_of, view
from markscheme.grading.by_row import NO_RUBRIC, own_rubric
from markscheme.phrases import counted
from markscheme.plain_data import json_lines
from markscheme.prompts.submission import submission_of
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.kinds import JUDGES
from markscheme.readers.formats import SHEET, format_of
from markscheme.readers.peek import Peek
from markscheme.readers.plain_tables import numbered_rows, rows_bring_rubrics
from markscheme.readers.sheet import check_head
from markscheme.report.json import dumps as report_json
from markscheme.rubrics.of_rows import RowRubric, row_rubric_in, row_rule, rubric_of_all
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import CALIBRATION_FOLDERS, find_calibration
from markscheme.rubrics.shape_hints import ShapeOptions


def print_import(
    files: Sequence[Path],
    rubric: str | None,
    to: Path | None,
    examples: Path | None,
    *,
    append: bool,
    to_current_words: bool,
    only: Whose | None,
    answered_by: str | None,
    rater_column: str | None,
    columns: ColumnOptions,
    json: bool,
) -> int:
    """Import files, print what was read, added and lost, and return the exit status.

    Args:
        files: The files.
        rubric: The name or file of the files' rubric; None for the one that they name or imply.
        to: The file of ratings to write; None to print them.
        examples: The file of examples to write; None to write none.
        append: True if these files may exist already.
        to_current_words: True if annotators gave their labels to the rubric's current words.
        only: "people" or "judges" to keep only their ratings; None to keep all.
        answered_by: Name of the person who answered a labelling sheet; None for the rater it was written for.
        rater_column: The column with the rater's name; None for the usual ones.
        columns: What the files' columns and values mean.
        json: True to print the report as JSON.
    """
    paths = [existing_file(path) for path in files]
    targets = TargetFiles(to, examples, append)
    rubric_of_call, core = _rubric_of_call(rubric, paths) if rubric else (None, None)
    raters = (f"{rater_column}=rater",) if rater_column else ()
    run = import_files(
        paths,
        rubric_of_call,
        targets,
        to_current_words=to_current_words,
        only=only,
        answered_by=answered_by,
        columns=replace(columns, map=(*columns.map, *raters)),
    )
    if json:
        printed = {} if to else {"lines": [rating.to_json() for rating in run.ratings]}
        print(report_json({**json_of(run), **printed}))
        return 0
    if not to:
        sys.stdout.writelines(f"{dumps(rating.to_json(), ensure_ascii=False)}\n" for rating in run.ratings)
    command = None
    if rubric is not None and rubric_of_call is not None:
        options = {"rubric": rubric, "only": only, "as": answered_by, "rater-column": rater_column}
        commands = Commands.on(rubric_of_call)
        commands = commands if core is None else replace(commands, rubric=f"{quote(core)} {commands.rubric}")
        name = rubric_of_call.name
        command = _calibration(name, commands, run) or _with_examples(name, paths, run, options, columns)
    document = replace(view(run), onward=None if command is None else ("Next", command))
    put_on_screen(document, sys.stdout if to else sys.stderr)
    return 0


def _rubric_of_call(name: str, paths: Sequence[Path]) -> tuple[Rubric, str | None]:
    """Return the rubric that a name or file on the command line means, and the name of a rubric that rows share.

    For a file of rows with rubrics of their own, the first is one rubric with the criteria of all rows. If the files
    to import are labelling sheets that also ask by a rubric that all rows share, its criteria are included, and its
    name is the second value. In all other cases, the second value is None.

    Args:
        name: Name or file of the rubric, or a file of rows.
        paths: The files to import.
    """
    path = Path(name)
    if not rows_bring_rubrics(path):
        return rubric_named(name), None
    core = next(filter(None, (_core_of_sheet(sheet, path.name) for sheet in paths)), None)
    return _rubric_of_rows(path, None if core is None else rubric_named(core)), core


def _core_of_sheet(path: Path, name: str) -> str | None:
    """Return the rubric that all rows share, as the head of a labelling sheet names it; None if it names none.

    Args:
        path: The file to import, which may be a sheet.
        name: Name of the file of rows, whose calibration folder has the key by which the head is checked.

    Raises:
        RatingError: The sheet's head was changed.
    """
    peek = Peek(path)
    if peek.shape != "json" or format_of(peek, "ratings") is not SHEET or "core" not in peek.data:
        return None
    try:
        check_head(peek.data, name)
    except ValueError as fault:
        raise RatingError(str(fault), path=path) from fault
    return str(peek.data["core"])


def convert(files: Sequence[Path], to: Path, options: ShapeOptions, *, json: bool) -> int:
    """Write a published rubric to a file in markscheme's own format, and print what was assumed and what wasn't read.

    Returns:
        The exit status.

    Raises:
        UsageError: There are several files to read, the file to read doesn't exist, or the file to write exists
            already.
    """
    paths = [existing_file(path) for path in files]
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


def _calibration(name: str, commands: Commands, run: ImportRun) -> str | None:
    """Return the command that calibrates a judge with the imported ratings.

    None if no ratings were written, or if neither this import nor the rubric's examples have the rated responses.

    Args:
        name: Name of the rubric.
        commands: Builder of the commands to suggest.
        run: The result of the import.
    """
    ratings = run.targets.ratings
    examples = run.targets.examples
    if ratings is None or (examples is None and not _has_examples(name, run)):
        return None
    has_judges = bool(RatingCodes.of(run.file.ratings).of_kinds(JUDGES))
    is_found = examples is None or not run.file.has_responses or examples.resolve() == _examples_of(name).resolve()
    of_examples = replace(commands, examples=None if is_found else examples)
    return (
        of_examples.calibrate_by(ratings=f"--ratings {quote(str(ratings))}") if has_judges else of_examples.calibrate()
    )


def _with_examples(
    name: str, paths: Sequence[Path], run: ImportRun, given_options: Mapping[str, str | None], columns: ColumnOptions
) -> str | None:
    """Return the command that stores the responses that imported ratings are about; None if no ratings are stored.

    The command reads the same files or, if these contain no responses, a file that the user has to name.

    Args:
        name: Name of the rubric.
        paths: The files that were imported.
        run: The result of the import.
        given_options: Options of the import to repeat, by name; None for one that wasn't given.
        columns: What the files' columns and values mean.
    """
    if run.targets.ratings is None:
        return None
    if not run.file.has_responses:
        path = _examples_of(name)
        to_add = " --append" if path.exists() else ""
        return f"markscheme import YOUR-OUTPUTS.jsonl --rubric {quote(name)} --examples {quote(str(path))}{to_add}"
    names = ",".join(columns.judge_names) or None
    options = {**given_options, "kind": columns.kind, "rater": columns.rater, "judge-names": names}
    options |= {"to": str(run.targets.ratings), "examples": str(_examples_of(name))}
    written = "".join(f" --{option} {quote(value)}" for option, value in options.items() if value is not None)
    return f"markscheme import {join(map(str, paths))}{columns.as_shell}{written} --append"


def _has_examples(name: str, run: ImportRun) -> bool:
    """Return True if the rubric's file of examples exists and has at least one rated response.

    If nothing was rated, the file only has to exist.

    Args:
        name: Name of the rubric.
        run: The import, with the ratings.
    """
    path = _examples_of(name)
    if not path.exists():
        return False
    ids = set(run.ratings.ids)
    lines = (line for _, line in json_lines(path, RatingError) if isinstance(line, dict))
    return not ids or any(str(line.get("id")) in ids for line in lines)


def _examples_of(name: str) -> Path:
    """Return the path of `examples.jsonl` in a rubric's calibration folder."""
    folder = find_calibration(name, Path.cwd()) or Path(CALIBRATION_FOLDERS, name)
    return folder / "examples.jsonl"


def _rubric_of_rows(path: Path, core: Rubric | None) -> Rubric:
    """Return one rubric with all distinct criteria of the rubrics that a file's rows bring, and of one they share.

    Args:
        path: The file of rows.
        core: The rubric that all rows share; None without one.

    Raises:
        RatingError: A row or its rubric is invalid.
    """
    rubrics = []
    for line, row in numbered_rows(path):
        try:
            brought = own_rubric(row_rubric_in(submission_of(row, line).inputs, core), core, row_rule(None, core))
        except ValueError as fault:
            raise RatingError([Fault(str(fault), line)], path=path) from fault
        rubric = brought.rubric if isinstance(brought, RowRubric) else core
        if isinstance(brought, str) or rubric is None:
            raise RatingError([Fault(brought if isinstance(brought, str) else NO_RUBRIC, line)], path=path)
        rubrics.append(rubric)
    return replace(rubric_of_all(rubrics, path.name)[0], source=path)
