"""What people often type wrong, in a project with a few files as people write them."""

import shlex
from collections.abc import Mapping
from pathlib import Path

from tests.commands import reply_project
from tests.commands.console import run


def make_project(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """Make a project with ratings, an answer to grade, and further files by their names."""
    reply_project.make_project(folder, n=10)
    for name, text in ({"answer.txt": "Your order is on its way."} | dict(files or {})).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def names_the_way_out(project: Path, typed: str, way_out: str) -> None:
    """Check that an error message says what to do, and is no traceback."""
    done = run("markscheme", *shlex.split(typed), cwd=project)
    output = " ".join((done.stderr + done.stdout).split())
    assert done.returncode in (1, 2, 3)
    assert way_out in output
    assert "Traceback" not in output
