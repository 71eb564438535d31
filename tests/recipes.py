"""The recipes of CONTRIBUTING.md, and copies of the package in which they are followed to the letter."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.commands import scripted_setting as setting
from tests.commands.console import ROOT, environment

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PACKAGE = "src/markscheme/"
TITLES = re.findall(r"^### (Add an? .*)$", PAGE, re.M)
"""The titles of all recipes."""


@dataclass(frozen=True)
class Followed:
    """A copy of the package in which the recipes were followed, and the files that each touched."""

    home: Path
    touched: dict[str, list[str]]


def recipe(title: str) -> str:
    """Return the section of CONTRIBUTING.md with a recipe."""
    return PAGE.partition(f"### {title}\n")[2].partition("\n##")[0]


def follow(title: str, home: Path) -> list[str]:
    """Apply a recipe's changes to the package in `home`; return the files that it touched.

    A diff is applied where its context is, which must be one place. A block of Python becomes the file that was named
    last before it.
    """
    text, touched = recipe(title), []
    for block in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.M | re.S):
        language, body = block.groups()
        if language == "diff":
            first, _, change = body.partition("\n")
            name = first.removeprefix("--- ")
            patch(home / name, change)
        elif language == "python":
            name = re.findall(rf"`({PACKAGE}\S+\.py)`", text[: block.start()])[-1]
            assert not (home / name).exists()
            (home / name).parent.mkdir(exist_ok=True)
            (home / name).write_text(body, encoding="utf-8")
        else:
            continue
        touched.append(name)
    return touched


def patch(path: Path, change: str) -> None:
    """Replace a diff's old lines, context included, by its new ones."""
    lines = change.splitlines(keepends=True)
    old, new = ("".join(line[1:] or "\n" for line in lines if line[0] in kept) for kept in (" -\n", " +\n"))
    before = path.read_text(encoding="utf-8")
    assert before.count(old) == 1, f"{path.name} holds these lines {before.count(old)} times:\n{old}"
    path.write_text(before.replace(old, new), encoding="utf-8")


def copy_of_package(folder: Path) -> Path:
    """Copy the package's source to a folder."""
    shutil.copytree(ROOT / PACKAGE, folder / PACKAGE, ignore=shutil.ignore_patterns("*.pyc.*"))  # being written
    return folder


def follow_all(folder: Path) -> Followed:
    """Apply all recipes to one copy of the package."""
    home = copy_of_package(folder)
    return Followed(home, {title: follow(title, home) for title in TITLES})


def markscheme(home: Path, *arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command of the package copied to `home`."""
    env = environment({**setting.environment(cwd), "PYTHONPATH": str(home / "src"), "COLUMNS": "120"})
    command = [sys.executable, "-m", "markscheme", *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False)
