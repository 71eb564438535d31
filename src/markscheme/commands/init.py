"""`markscheme init`: graders, a rubric, labelled examples and a configuration, added to a project."""

import os
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.errors import UsageError, writing
from markscheme.files import write_whole
from markscheme.shipped import shipped

ASSERTION = """\
    - type: python
      value: file://graders/rubric_grader.mjs
      config: {rubric: support-reply}"""


def init(
    folder: Annotated[Path, Parameter(metavar="FOLDER", help="the project (default: here)")] = Path(),
    /,
    *,
    json: JsonFlag = False,
) -> int:
    """Add what grading under Promptfoo needs: graders/, a rubric of yes/no criteria, labelled examples, and a
    promptfooconfig.yaml that runs. Existing files stay as they are.

    Example:
        markscheme init

    Exit status:
        0 done, 2 invalid arguments.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    made: list[str] = []
    left_alone: list[str] = []
    for place, source in sorted(_files()):
        (made if _put(source, folder / place) else left_alone).append(str(place))
    print(
        dumps({"schema": 1, "created": made, "kept": left_alone})
        if json
        else "\n".join(_told(folder, made, left_alone))
    )
    return 0


def _files() -> Iterator[tuple[Path, Path]]:
    """Where each file goes, and where it is taken from."""
    project = shipped("project")
    for file in project.rglob("*"):
        if file.is_file():
            yield file.relative_to(project), file
    for file in shipped("graders").iterdir():
        if file.suffix in (".py", ".mjs"):
            yield Path("graders") / file.name, file


def _put(source: Path, place: Path) -> bool:
    """Whether the file was written; one that is there, or something in its way, is left alone.

    Raises:
        UsageError: It cannot be written.
    """
    if place.parent.is_dir() and os.path.lexists(place):
        return False
    with writing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, source.read_text(encoding="utf-8"), follow=False)
    return True


def _told(folder: Path, made: list[str], left_alone: list[str]) -> Iterator[str]:
    yield from (f"made  {folder / name}" for name in made)
    yield from (f"kept  {folder / name} (already there)" for name in left_alone)
    if "promptfooconfig.yaml" in left_alone:
        yield f"To grade with it, add to the `assert` of your tests:\n{ASSERTION}"
    yield "Next: `npx promptfoo eval` grades, and `calibrate support-reply` measures how far the grades can be trusted."
