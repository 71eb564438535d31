"""`markscheme init`: graders, a rubric, labelled examples and a configuration, added to a project."""

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from json import dumps
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.calibration.findings.commands import Commands
from markscheme.commands.options import JsonFlag, existing_file
from markscheme.commands.project_sources import PROJECT_SOURCES, FoundProject
from markscheme.errors import UsageError
from markscheme.features.init.ci_workflow import ci_files
from markscheme.features.init.new_project import project_files, skill_files
from markscheme.files import add_files
from markscheme.git import has_uncommitted_changes
from markscheme.phrases import counted, in_words
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.examples import RATINGS_FOLDER
from markscheme.text import escaped

if TYPE_CHECKING:
    from markscheme.readers.table_project import TableProject

STAND_IN = "function:stand_in_judge:judge"
"""The judge that comes with a new project and needs no key."""
_FOR = {
    "rubrics/support-reply.yaml": "what a good reply is: edit this",
    "calibration/support-reply/examples.jsonl": "ten labelled replies, to try it on",
    "calibration/support-reply/README.md": "how far these labels can be trusted",
    "promptfooconfig.yaml": "replies graded under Promptfoo",
    "stand_in_judge.py": "judges by simple rules, needs no key",
    "graders/rubric_grader.mjs": "the grader in Promptfoo's assertions",
    "graders/rubric_grader.py": "the same, in Python",
    "graders/rubric_provider.mjs": "the grader behind llm-rubric",
    "graders/rubric_provider.py": "the same, in Python",
    "graders/session.py": "one process for all assertions",
    "graders/warm_session.mjs": "how assertions reach that process",
}
"""Purpose of each file of a new project, in the order in which a user meets the files."""
ASSERTION = """\
    - type: python
      value: file://graders/rubric_grader.mjs
      config: {rubric: support-reply}"""


def init(
    folder: Annotated[Path, Parameter(metavar="FOLDER", help="the project (default: here)")] = Path(),
    /,
    *,
    from_: Annotated[tuple[Path, ...], Parameter(name="--from", metavar="TABLE")] = (),
    columns: ColumnOptions = ColumnOptions(),
    skill: bool = False,
    ci: bool = False,
    force: bool = False,
    yes: bool = False,
    json: JsonFlag = False,
) -> int:
    """Add what grading under Promptfoo needs: graders/, a rubric of yes/no criteria, labelled examples, and a
    promptfooconfig.yaml that runs. Existing files stay as they are without --force.

    With --from, make a rubric, its examples and all ratings from a table instead. It has verdicts and labels, or either
    alone, and is read as `calibrate TABLE` reads it; outputs alone become examples to label. From Promptfoo's results,
    each graded metric becomes a criterion and each output an example. In a folder with a promptfooconfig.yaml, each
    text that a model grades by becomes a criterion once you confirm it; the configuration stays as it is. With --skill,
    add what a coding agent reads to work with markscheme, and nothing else.

    Args:
        from_: go on with a table that `calibrate` has read, or one of outputs; repeated for those it joined
        skill: add a skill for coding agents, .claude/skills/markscheme, instead
        ci: add a GitHub workflow that checks the project's rubrics, .github/workflows/markscheme.yml, instead
        force: replace files that exist, unless they have uncommitted changes
        yes: write what was read from the folder's Promptfoo configuration without asking

    Example:
        markscheme init --from verdicts.csv

    Exit status:
        0 done, 2 invalid arguments.
    """
    if folder.exists() and not folder.is_dir():
        of_tables = ": give each table its own --from" if from_ else ""
        raise UsageError(f"{folder} is not a folder{of_tables}")
    if skill + ci + bool(from_) > 1:
        raise UsageError("--skill and --ci each add nothing else: name one of --from, --skill and --ci")
    project = None
    suggested = None if skill or ci or from_ else _suggested(folder)
    if suggested is not None:
        columns.refuse("this call")
        if not _is_confirmed(suggested, yes=yes, quiet=json):
            return 0
        files = _graders() | dict(suggested.files)
    elif not from_:
        columns.refuse("this call")
        files = skill_files() if skill else ci_files(folder) if ci else project_files()
    else:
        from markscheme.features.init.files_project import project_of_files

        paths = [existing_file(path) for path in from_]
        project = project_of_files(paths, columns.of_table(), folder)
        files = dict(project.files)
    if force:
        _refuse_uncommitted(files, folder)
    made, left_alone = ([path.as_posix() for path in paths] for paths in add_files(files, folder, replace=force))
    if suggested is not None:
        next_steps: Iterable[str] = suggested.next_steps
    elif skill:
        next_steps = _with_skill()
    elif ci:
        next_steps = ["Next: commit it with a wheel of markscheme in vendor/, and give the repository the judge's key."]
    else:
        next_steps = _with_promptfoo(folder, left_alone) if project is None else _with_rubric(folder, project)
    print(
        dumps({"schema": 1, "created": made, "kept": left_alone})
        if json
        else "\n".join([*_written(folder, made, left_alone), *next_steps])
    )
    return 0


def _refuse_uncommitted(files: Mapping[Path, str], folder: Path) -> None:
    """Raise an error if a file that would be replaced has changes that Git couldn't bring back.

    Raises:
        UsageError: A file has uncommitted changes; the message names it.
    """
    for path, text in files.items():
        target = folder / path
        is_changed = target.is_file() and target.read_bytes() != text.encode()
        if is_changed and has_uncommitted_changes(target):
            raise UsageError(f"{target} has uncommitted changes, which --force would overwrite; commit them first")


def _suggested(folder: Path) -> FoundProject | None:
    """Return the first project that can be made from a folder's files, such as a Promptfoo configuration; else None."""
    return next((project for read in PROJECT_SOURCES if (project := read(folder)) is not None), None)


def _graders() -> dict[Path, str]:
    """Return, by path, the texts of a new project's graders and stand-in judge, which depend on no rubric."""
    return {path: text for path, text in project_files().items() if path.parts[0] in ("graders", "stand_in_judge.py")}


def _is_confirmed(suggested: FoundProject, *, yes: bool, quiet: bool) -> bool:
    """Show the project that a folder's files suggest, ask the user, and return True if it is to be written.

    Args:
        suggested: The project.
        yes: True if the user has agreed beforehand, and isn't asked.
        quiet: True to show nothing.

    Raises:
        UsageError: There is no terminal on which to ask.
    """
    if not quiet:
        print("\n".join(suggested.reading))
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("nothing is written yet: add --yes to write a rubric of these criteria")
    return input("Write a rubric of these criteria? [y/N] ").strip().lower() in ("y", "yes")


def _written(folder: Path, made: Sequence[str], left_alone: Sequence[str]) -> Iterator[str]:
    """Yield the lines that list the files made and those left as they are, each with its purpose.

    The rubric's file comes first, since the user is to edit it.
    """
    where = "here" if folder == Path() else f"in {folder}"
    yield f"{counted(len(made), 'file')} made {where}{f', {len(left_alone)} left as they are' if left_alone else ''}"
    order = {name: index for index, name in enumerate(_FOR)}
    width = max(map(len, (*made, *left_alone)), default=0)
    for name in sorted((*made, *left_alone), key=lambda name: order.get(name, -1)):
        remark = _as_it_is(folder / name) if name in left_alone else _FOR.get(name, "")
        yield f"  {name:<{width}}  {remark}".rstrip()


def _as_it_is(path: Path) -> str:
    """Return the remark that an existing file was left as it is; of a broken link, also where it points."""
    return (
        "left as it is"
        if path.exists()
        else f"left as it is: a link that leads nowhere, {escaped(str(path.readlink()))}"
    )


def _with_rubric(folder: Path, project: "TableProject") -> Iterator[str]:
    """Yield the next steps for a project whose rubric was made from a table."""
    options = "".join(f" --ratings {quote(_seen_from(folder, path))}" for path in project.judged)
    cd = _to(folder)
    judged = f"`{cd}markscheme calibrate {quote(project.rubric)}{options}`"
    has_labels = _has_labels(project)
    if project.judged and has_labels:
        yield f"The same judge by the rubric: {judged}"
    if not project.has_responses:
        to = "To ask a judge" if has_labels else "No output is labelled yet. To label them or to ask a judge"
        yield f"{to}, add the responses: `init --from` again, in an empty folder, with `--response COLUMN`."
        return
    if project.unread:
        option = quote(f"{project.unread[0]}=query")
        yield (
            f"Judges see the response alone, without {in_words(project.unread)}; to show what was asked, "
            f"`init --from` again, in an empty folder, with `--map {option}`."
        )
    words = f"Next: say in {folder / 'rubrics' / project.rubric}.yaml what your annotators look for, then"
    of_raters = [path for path in project.files if path.parent.name == RATINGS_FOLDER]
    if not has_labels:
        yield f"{words} label the outputs: `{cd}{Commands.on(project.rubric).label()}`"
        if project.judged:
            yield f"Then compare the judge with the labels: {judged}"
    elif project.judged or len(of_raters) == 1:
        yield f"{words} ask a judge: `{cd}markscheme calibrate {quote(project.rubric)} --judge anthropic`"
    else:
        resolve = f"{cd}{Commands.on(project.rubric).adjudicate()}"
        yield f"{words} decide which label counts where they differ: `{resolve}`"


def _has_labels(project: "TableProject") -> bool:
    """Return True if a project has people's ratings, in files of their own or in the examples."""
    lines = {
        path: text for path, text in project.files.items() if path.suffix == ".jsonl" and path not in project.judged
    }
    return any(
        path.name != "examples.jsonl" or any("labels" in json.loads(line) for line in text.splitlines())
        for path, text in lines.items()
    )


def _seen_from(folder: Path, path: Path) -> str:
    """Return the path by which a command names a file if it is run in the project's folder.

    Args:
        folder: The project's folder.
        path: The file, which may lie outside the folder; as an absolute path, or relative to the working directory or
            to the folder.
    """
    return str(path) if path.is_absolute() or (folder / path).exists() else os.path.relpath(path, folder)


def _to(folder: Path) -> str:
    """Return the beginning of a command line that changes to the project's folder; "" if that is here."""
    return "" if folder == Path() else f"cd {quote(str(folder))} && "


def _with_skill() -> Iterator[str]:
    """Yield the next step for a project to which the skill for coding agents was added."""
    yield "Next: ask your coding agent for a rubric, or whether a judge can be trusted; it finds the skill by itself."


def _with_promptfoo(folder: Path, left_alone: Sequence[str]) -> Iterator[str]:
    """Yield the next steps for a Promptfoo project: calibrate the stand-in judge without a key, then grade.

    Args:
        folder: The project's folder.
        left_alone: Files that existed already and weren't overwritten.
    """
    yield ""
    if "promptfooconfig.yaml" in left_alone:
        yield f"To grade with it, add to the `assert` of your tests:\n{ASSERTION}"
    yield f"Next, without a key:\n  {_to(folder)}markscheme calibrate support-reply --judge {STAND_IN}"
    yield "With ANTHROPIC_API_KEY set, or another judge named in promptfooconfig.yaml,\n`npx promptfoo eval` grades."
