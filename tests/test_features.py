"""Each feature can be deleted: without its folder and its lines in the list, everything else works as before."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from markscheme.commands.call import command_line, described
from markscheme.commands.help import command_help
from markscheme.commands.overview import overview
from markscheme.commands.table import COMMANDS, command_names
from markscheme.features import FEATURES
from markscheme.judges.kinds import shipped_kinds
from markscheme.options.settings import SettingsFile
from markscheme.seam import Feature, features, offer
from tests.commands.console import ROOT, environment, run_installed
from tests.commands.mutated_project import OTHER, MutatedProject
from tests.commands.reply_project import make_project
from tests.commands.screens import SCREENS, steady
from tests.deletion import delete, names_of_features, run_core_tests
from tests.golden_files import GoldenFiles
from tests.judges.test_kinds import NO_KINDS
from tests.readers.tabular.test_worked_cases import CASES, command_of
from tests.recipes import copy_of_package
from tests.worked_cases import cases_in

EACH_FEATURE = [
    pytest.param(feature, id=feature.name, marks=() if feature is FEATURES[0] else pytest.mark.proof)
    for feature in FEATURES
]
"""One takes five seconds."""
NEVER_LOADED = ("markscheme.__main__", "markscheme.pytest_plugin", "markscheme.sockets.")
"""Modules that start something when they are imported, or need a library of somebody else."""
REMAINING = f"""
import gc, importlib, json, os, pkgutil, sys

def texts_without(source):
    sys.path.insert(0, source)
    import markscheme
    from markscheme.commands.call import described
    from markscheme.commands.help import command_help
    from markscheme.commands.overview import overview
    from markscheme.commands.table import command_names
    from markscheme.options.settings import SettingsFile

    assert markscheme.__file__.startswith(source), markscheme.__file__
    for module in pkgutil.walk_packages(markscheme.__path__, "markscheme."):
        if not module.name.startswith({NEVER_LOADED!r}) and not module.name.endswith(".daft_frames"):
            importlib.import_module(module.name)
    texts = {{name: command_help(described(name), SettingsFile(), everything=True) for name in command_names()}}
    return json.dumps([overview(everything=True), texts])

gc.disable()
loaded = set(sys.modules)
texts_without({str(ROOT / "src")!r})
for name in set(sys.modules) - loaded:
    if name.partition(".")[0] == "markscheme":
        del sys.modules[name]
for line in sys.stdin:
    if os.fork() == 0:
        print(texts_without(line.strip()), flush=True)
        os._exit(0)
    _, status = os.wait()
    if status:
        sys.exit(1)
"""
"""Reads folders with a source of the package, one after another, and prints the texts of the package in each.

Each is loaded in a fork of an interpreter that has loaded what all of them import from elsewhere, and nothing of ours.
No garbage is collected: a fork lives for a second.
"""


@pytest.fixture(scope="module")
def remaining() -> Iterator[Callable[[Path], Any]]:
    """Yield a function that returns the help texts of the package in a folder from which a feature was deleted."""
    with subprocess.Popen(
        [sys.executable, "-c", REMAINING],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as interpreter:
        folders, answers = interpreter.stdin, interpreter.stdout
        assert folders is not None
        assert answers is not None

        def texts(source: Path) -> Any:
            print(source, file=folders, flush=True)
            return json.loads(answers.readline())

        yield texts
        folders.close()


def commands_of(feature: Feature) -> set[str]:
    """Return the names of a feature's commands."""
    return {row.name for table, rows in feature.adds for row in rows if table is COMMANDS}


@contextmanager
def offered_without(feature: Feature) -> Iterator[None]:
    """Offer all features but one until the block ends."""
    before = features()
    offer(lambda: [other for other in before if other is not feature])
    command_line.cache_clear()
    described.cache_clear()
    try:
        yield
    finally:
        offer(lambda: before)
        command_line.cache_clear()
        described.cache_clear()


@pytest.mark.parametrize("feature", EACH_FEATURE)
def test_deleting_a_feature_s_folder_breaks_no_other_module_and_changes_no_other_command_s_help(
    feature: Feature, tmp_path: Path, remaining: Callable[[Path], Any]
) -> None:
    home = copy_of_package(tmp_path)
    delete(feature.name, home)
    listed, texts = remaining(home / "src")
    lost = commands_of(feature)
    lines = overview(everything=True).splitlines()
    left = [line.split() for line in lines if (line.split() or [""])[0] not in lost]
    assert [line.split() for line in listed.splitlines()] == left, "columns may be narrower"
    with offered_without(feature):
        assert texts == {
            name: command_help(described(name), SettingsFile(), everything=True) for name in command_names()
        }


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_the_tests_of_every_optional_feature_lie_in_a_folder_of_its_name(feature: Feature) -> None:
    assert (ROOT / "tests" / "features" / feature.name).is_dir()


def test_the_list_of_optional_features_equals_the_names_of_their_folders_in_alphabetical_order() -> None:
    assert [feature.name for feature in FEATURES] == names_of_features()


CORE_SCREENS = {name: f"core/{name}.txt" for name in ("calibrate", "calibrate-rare-fails")}
"""Golden screens of the core alone, which has no command and no warning that a feature adds."""


@pytest.mark.parametrize(
    "names",
    [("calibrate", "grade"), pytest.param(("calibrate-few-labels", "calibrate-rare-fails"), marks=pytest.mark.proof)],
    ids=" ".join,
)
def test_if_the_folders_of_all_optional_features_are_deleted_calibrate_and_grade_print_their_golden_screens(
    tmp_path: Path, golden: GoldenFiles, names: tuple[str, ...]
) -> None:
    home = copy_of_package(tmp_path / "copy")
    for feature in names_of_features():
        delete(feature, home)
    for name in names:
        screen, project = SCREENS[name], tmp_path / name
        project.mkdir()
        make_project(project)
        screen.before(project)
        env = {"PYTHONPATH": str(home / "src"), "MARKSCHEME_CACHE": str(project / "cache")}
        done = run_installed("markscheme", *screen.arguments, cwd=project, env=env)
        printed = steady(done.stdout + done.stderr, project)
        golden_file = CORE_SCREENS.get(name, f"screens/{name}.txt")
        golden.check(golden_file, f"$ markscheme {' '.join(screen.arguments)}\n{printed}")
        assert done.returncode == screen.status


@pytest.mark.skipif(not CASES.is_file(), reason="runs where ../shared/statistics/tables.yaml is there")
def test_every_command_that_the_file_of_reference_values_on_tables_names_exists() -> None:
    listed = cases_in(CASES)["cases"]
    former = {"gate-risk", "tune"}  # parts of `pass-rate` and `improve`, where one table is another question
    assert {command_of(case) for case in listed} - former <= set(command_names())


def test_every_file_that_is_damaged_on_purpose_in_a_test_is_read_by_some_command(tmp_path: Path) -> None:
    assert {slot.file for slot in MutatedProject(tmp_path).slots} >= OTHER.keys()


def test_each_word_exempt_from_the_search_for_names_of_judge_kinds_names_an_existing_kind() -> None:
    assert {word for _, word in NO_KINDS} <= {kind.name for kind in shipped_kinds()}


@pytest.mark.proof
def test_a_test_file_of_the_core_runs_and_passes_in_a_copy_of_the_package_without_optional_features() -> None:
    assert run_core_tests(names_of_features(), ("-n", "0", "tests/test_verdict.py")) == 0


@pytest.mark.release
@pytest.mark.parametrize("deleted", [[name] for name in names_of_features()] + [names_of_features()], ids=" ".join)
def test_the_tests_of_the_core_pass_if_any_single_feature_or_all_features_are_deleted(deleted: list[str]) -> None:
    assert run_core_tests(deleted) == 0
