"""Each feature can be deleted: without its folder and its two lines in the list, all else is as it was."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from markscheme.commands.call import described
from markscheme.commands.help import command_help, overview
from markscheme.commands.table import COMMANDS, command_names
from markscheme.features import FEATURES
from markscheme.seam import Feature, features, offer
from markscheme.settings import Settings
from tests.commands.console import ROOT, environment
from tests.house import Module
from tests.recipes import PACKAGE, copy_of_package
from tests.rooms import names_handed_on

LIST = "features/__init__.py"
NEVER_LOADED = ("markscheme.__main__", "markscheme.pytest_plugin", "markscheme.sockets.")
"""Modules that start something when they are imported, or need a library of somebody else."""
REMAINING = f"""
import importlib, json, pkgutil, sys
import markscheme
from markscheme.commands.call import described
from markscheme.commands.help import command_help, overview
from markscheme.commands.table import command_names
from markscheme.settings import Settings

for module in pkgutil.walk_packages(markscheme.__path__, "markscheme."):
    if not module.name.startswith({NEVER_LOADED!r}):
        importlib.import_module(module.name)
texts = {{name: command_help(described(name), Settings(), everything=True) for name in command_names()}}
print(json.dumps([overview(everything=True), texts]))
"""


def delete(feature: Feature, home: Path) -> None:
    """Delete a feature from a copy of the package: its folder, its import and its row."""
    folder = home / PACKAGE / "features" / feature.name
    assert folder.is_dir()
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()
    listed = home / PACKAGE / LIST
    lines = listed.read_text(encoding="utf-8").splitlines(keepends=True)
    own = [line for line in lines if re.search(rf"\b{feature.name}\b", line, re.IGNORECASE)]
    assert len(own) == 2, f"{LIST} has an import and a row for each feature, found {own}"
    listed.write_text("".join(line for line in lines if line not in own), encoding="utf-8")
    for path in (home / PACKAGE).glob("*.py"):
        delete_lines_of_face(path, feature)


def delete_lines_of_face(path: Path, feature: Feature) -> None:
    """Delete the lines about a feature from a path that programs know, and the file where nothing else is in it."""
    text = path.read_text(encoding="utf-8")
    handed_on = names_handed_on(Module(path.name, text))
    own = re.compile(rf"^from markscheme\.features\.{feature.name}\b.* import (\([^)]*\)|.*)\n", re.MULTILINE)
    if handed_on is None or not own.search(text):
        return
    rest = own.sub("", text)
    path.write_text(rest, encoding="utf-8") if " import " in rest else path.unlink()


def commands_of(feature: Feature) -> set[str]:
    """The names of a feature's commands."""
    return {row.name for table, rows in feature.adds for row in rows if table is COMMANDS}


@contextmanager
def offered_without(feature: Feature) -> Iterator[None]:
    """Offer all features but one: help then says nothing of what it adds, such as a kind of judge."""
    before = features()
    offer(lambda: [other for other in before if other is not feature])
    described.cache_clear()
    try:
        yield
    finally:
        offer(lambda: before)
        described.cache_clear()


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_without_a_feature_all_modules_load_and_help_says_the_same_of_every_other_command(
    feature: Feature, tmp_path: Path
) -> None:
    home = copy_of_package(tmp_path)
    delete(feature, home)
    done = subprocess.run(
        [sys.executable, "-c", REMAINING],
        cwd=tmp_path,
        env=environment({"PYTHONPATH": str(home / "src")}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    listed, texts = json.loads(done.stdout)
    lost = commands_of(feature)
    lines = overview(everything=True).splitlines()
    assert listed.splitlines() == [line for line in lines if (line.split() or [""])[0] not in lost]
    with offered_without(feature):
        assert texts == {name: command_help(described(name), Settings(), everything=True) for name in command_names()}


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_the_tests_of_a_feature_lie_in_a_folder_of_its_name(feature: Feature) -> None:
    assert (ROOT / "tests" / "features" / feature.name).is_dir()


def test_the_features_are_the_folders_and_listed_by_name() -> None:
    folders = sorted(path.parent.name for path in (ROOT / PACKAGE / "features").glob("*/__init__.py"))
    assert [feature.name for feature in FEATURES] == folders
