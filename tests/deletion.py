"""Deletes features from a copy of the package, and runs the core's tests there.

    python -m tests.deletion [FEATURE ...] [-- ARGUMENTS OF PYTEST]

Without a name each feature is deleted in turn, each from a copy of its own; `all` deletes them together. Tests of what
two features do together lie in a folder of both names, such as `tests/features/init_and_lint`, and go with either.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.commands.console import INSTALLED, LIBRARIES, ROOT, environment
from tests.house import STUBS
from tests.rooms import TOGETHER

PACKAGE = "src/markscheme/"
LIST = "features/__init__.py"
TESTS = "tests/features/"
ALL = "all"
TESTS_OF_THE_WHOLE = (
    *("tests/features", "tests/test_features.py", "tests/test_whole_reports.py"),
    *("tests/jobs", "tests/docs", "tests/test_contributing.py", "tests/package", "tests/browser", "tests/action"),
    *("tests/commands/test_one_table_in_every_command.py", "tests/commands/test_options_in_help.py"),
    *("tests/commands/test_pasted_screens.py", "tests/promptfoo/test_results_onward.py"),
    "tests/readers/tabular/test_unseen_tables.py",
)
"""Tests of features, and those of pages, wheels, reports, the action of GitHub and the commands as a whole."""
SINGLE_TESTS_OF_THE_WHOLE = (
    "tests/commands/test_annotators_alone.py::test_the_next_step_for_a_table_without_a_judge_is_to_make_a_rubric_from_it",
    "tests/commands/test_authors_held_out.py::test_the_judge_s_card_that_is_written_with_an_accepted_run_has_no_texts_of_held_out_examples",
    "tests/commands/test_commands_in_source.py::test_the_search_for_commands_in_the_source_finds_those_in_messages_and_on_pages",
    "tests/commands/test_first_screens.py::test_the_first_screen_of_a_command_equals_its_golden_file_and_fits_a_terminal[calibrate]",
    "tests/commands/test_first_screens.py::test_the_first_screen_of_a_command_equals_its_golden_file_and_fits_a_terminal[calibrate-unsafe]",
    "tests/commands/test_first_screens.py::test_the_first_screen_of_a_command_equals_its_golden_file_and_fits_a_terminal[status]",
    "tests/commands/test_diagnosis.py::test_a_lenient_judge_is_reported_with_the_criterion_and_with_the_edit_to_make",
    "tests/report/test_calibration_report.py::test_the_report_of_a_calibration_on_a_terminal_equals_its_golden_file",
    "tests/report/test_situations.py::test_each_sample_report_without_the_sections_of_optional_features_equals_its_golden_file",
    "tests/commands/test_mutated_files.py::test_mutated_files_never_cause_a_traceback_and_every_refusal_names_a_file",
    "tests/commands/test_call.py::test_calibrate_s_help_fits_45_lines_and_shows_the_common_options_only",
    "tests/test_rooms.py::test_a_limit_on_the_structure_of_the_package_must_be_lowered_when_the_measured_figure_falls",
    "tests/test_rooms.py::test_every_measured_figure_on_the_package_s_structure_has_a_limit",
    "tests/test_house.py::test_a_limit_on_the_style_of_the_code_must_be_lowered_when_the_measured_figure_falls",
    "tests/test_house.py::test_the_share_of_vague_names_of_variables_in_tests_is_within_its_limit",
)
"""Tests of commands with the options, the judges, the files or the advice of all features, and those that a figure of
the whole package has fallen no further than its limit; that none is above it stays tested."""


def delete(feature: str, home: Path) -> None:
    """Delete a feature from a copy of the package: its folder, its tests, its import and its row."""
    shutil.rmtree(home / PACKAGE / "features" / feature)
    for folder in (home / TESTS).glob("*/"):
        if feature in folder.name.split(TOGETHER):
            shutil.rmtree(folder)
    listed = home / PACKAGE / LIST
    lines = listed.read_text(encoding="utf-8").splitlines(keepends=True)
    own = [line for line in lines if re.search(rf"\b{feature}\b", line, re.IGNORECASE)]
    assert len(own) == 2, f"{LIST} has an import and a row for each feature, found {own}"
    listed.write_text("".join(line for line in lines if line not in own), encoding="utf-8")
    stubs = sorted((home / PACKAGE).glob(STUBS))
    gone = [stub.stem for stub in stubs if _delete_lines_of_stub(stub, feature)]
    _delete_lines_of_names(home / PACKAGE / "__init__.py", [f"features.{feature}", *gone])


def _delete_lines_of_stub(stub: Path, feature: str) -> bool:
    """Delete a feature's names from the stub of a path that programs know; return True if it had no others.

    Then the module goes too: it would be a path without names.
    """
    text = stub.read_text(encoding="utf-8")
    own = re.compile(rf"^from markscheme\.features\.{feature}\b.* import (\([^)]*\)|.*)\n", re.MULTILINE)
    left = own.sub("", text)
    if " import " in left:
        stub.write_text(left, encoding="utf-8")
        return False
    stub.unlink()
    stub.with_suffix(".py").unlink()
    return True


def _delete_lines_of_names(face: Path, modules: Iterable[str]) -> None:
    """Delete from the package's own face the lines about names of modules that are gone."""
    text = face.read_text(encoding="utf-8")
    for module in map(re.escape, modules):
        text = re.sub(rf"^ *from markscheme\.{module}\b.* import .*\n", "", text, flags=re.MULTILINE)
        text = re.sub(rf'^ *"\w+": "{module}(\.\w+)*",\n', "", text, flags=re.MULTILINE)
    face.write_text(text, encoding="utf-8")


def names_of_features() -> list[str]:
    """Return the names of all features, by their folders."""
    return sorted(path.parent.name for path in (ROOT / PACKAGE / "features").glob("*/__init__.py"))


def copy_of_checkout(folder: Path) -> Path:
    """Copy all files that git knows to a folder `main`, next to a link to what the tests read in `../shared`."""
    home = folder / "main"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, home / name)
    subprocess.run(["git", "init", "-q"], cwd=home, check=True)
    subprocess.run(["git", "add", "-A"], cwd=home, check=True)
    if (ROOT.parent / "shared").is_dir():
        (folder / "shared").symlink_to(ROOT.parent / "shared")
    return home


def environment_for(home: Path) -> Path:
    """Make a virtual environment of a copy with the libraries of this one; return its folder of scripts."""
    folder = home.parent / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "of_the_copy.pth").write_text("\n".join([str(home / "src"), *LIBRARIES]) + "\n", encoding="utf-8")
    for script in INSTALLED.iterdir():
        if script.is_file() and not (folder / "bin" / script.name).exists():
            _copy_script(script, folder / "bin" / script.name)
    return folder / "bin"


def _copy_script(script: Path, copy: Path) -> None:
    """Copy a script so that the interpreter next to the copy runs it."""
    first, _, rest = script.read_bytes().partition(b"\n")
    own = str(INSTALLED).encode()
    copy.write_bytes(
        first.replace(own, str(copy.parent).encode()) + b"\n" + rest if own in first else first + b"\n" + rest
    )
    copy.chmod(0o755)


def run_core_tests(deleted: Iterable[str], arguments: Iterable[str] = ("tests",)) -> int:
    """Run the core's tests, or those that arguments name, in a copy without some features; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        home = copy_of_checkout(Path(folder))
        for feature in deleted:
            delete(feature, home)
        scripts = environment_for(home)
        left_out = [f"--ignore={name}" for name in TESTS_OF_THE_WHOLE]
        left_out += [f"--deselect={name}" for name in SINGLE_TESTS_OF_THE_WHOLE]
        command = [str(scripts / "python"), "-m", "pytest", "-q", *left_out, *arguments]
        paths = {"PATH": f"{scripts}:{environment()['PATH']}", "VIRTUAL_ENV": str(scripts.parent)}
        return subprocess.run(command, cwd=home, env=environment(paths), check=False).returncode


def main(arguments: list[str]) -> int:
    """Delete each named feature from a copy, run the core's tests, and print for which they failed."""
    named, _, passed_on = " ".join(arguments).partition("-- ")
    sets = {ALL: names_of_features()} | {name: [name] for name in names_of_features()}
    chosen = named.split() or names_of_features()
    failed = [name for name in chosen if run_core_tests(sets[name], passed_on.split() or ["tests"])]
    print(f"core without {', '.join(chosen)}: {'failed without ' + ', '.join(failed) if failed else 'all pass'}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
