"""The main commands without modules that only POSIX systems have, as on Windows."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import console
from tests.without_posix import WITHOUT_POSIX, Command, Outcome, is_refused, outcomes_of, run, shipped_set_in, variables


def test_the_system_without_posix_that_tests_simulate_lacks_the_modules_of_posix(tmp_path: Path) -> None:
    for statement in ("import fcntl", "import pwd", "import os; os.getuid()", "import socket; socket.AF_UNIX"):
        done = subprocess.run(
            [sys.executable, "-c", f"{WITHOUT_POSIX}\n{statement}"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1, statement


ACCEPTING = (
    *("calibrate", "code-quality", "--accept", "--force", "--json", "r.json", "--html", "r.html"),
    *("--markdown", "r.md", "--junit", "r.xml", "--sarif", "r.sarif"),
)
CALIBRATED = (ACCEPTING, ("calibrate", "code-quality", "--quiet"))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the shipped labelled set, with human labels."""
    return shipped_set_in(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def calibrated(project: Path) -> dict[Command, Outcome]:
    """Run the commands CALIBRATED in the project; return exit status and standard error of each."""
    return outcomes_of(CALIBRATED, project)


@pytest.mark.proof
def test_calibrating_and_accepting_a_run_work_on_a_system_without_posix(
    project: Path, calibrated: dict[Command, Outcome]
) -> None:
    (accepting, complained), (again, complained_again) = calibrated.values()
    assert accepting in (0, 1, 4), complained
    assert "Traceback" not in complained
    home = project / "calibration" / "code-quality"
    assert {"accepted.json", "settings.jsonl"} <= {path.name for path in home.iterdir()}
    assert json.loads((project / "r.json").read_text(encoding="utf-8"))["counts"]["graded"] == 73
    assert again in (0, 1, 4), complained_again


@pytest.mark.usefixtures("calibrated")
@pytest.mark.proof
def test_figures_on_a_system_without_posix_equal_those_on_a_system_with_posix(project: Path, tmp_path: Path) -> None:
    console.run("calibrate", "code-quality", "--quiet", "--json", "r.json", cwd=shipped_set_in(tmp_path))
    without, whole = (json.loads((folder / "r.json").read_text()) for folder in (project, tmp_path))
    assert without["agreement"] == whole["agreement"]
    assert without["use"] == whole["use"]


def test_grading_a_table_and_caching_the_replies_work_on_a_system_without_posix(project: Path) -> None:
    (project / "careful.py").write_text(
        "def judge(system_prompt, user_prompt):\n"
        "    return {'verdicts': {'form': {'quote': '', 'reason': 'So.', 'level': 'MET'}}}\n"
        "judge.environment = ()\n"
    )
    (project / "rubrics" / "form.yaml").write_text("criteria: [{name: form, requirement: It is short.}]\n")
    (project / "in.jsonl").write_text('{"id": "a", "response": "x"}\n{"id": "b", "response": "y"}\n')
    options = ("--judge", "function:careful:judge", "--out", "out.jsonl")
    done = run("grade", "form", "in.jsonl", *options, cwd=project)
    assert done.returncode == 0, done.stderr
    assert len((project / "out.jsonl").read_text().splitlines()) == 2
    assert (project / "cache" / "replies.sqlite3").is_file()


def test_without_posix_an_assertion_of_promptfoo_grades_in_its_own_process_and_not_in_a_session(project: Path) -> None:
    (project / "rubrics" / "form.yaml").write_text(
        "criteria: [{name: form, requirement: It is JSON., check: json_valid}]\n"
    )
    code = f"""{WITHOUT_POSIX}
from pathlib import Path
from markscheme.promptfoo.assertion import get_assert
print(get_assert("[1]", {{"vars": {{}}, "config": {{"rubric": "form"}}}}, near=Path.cwd())["pass"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project, env=variables(project), capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["True"], done.stderr


def test_on_a_system_without_posix_a_session_says_why_it_does_not_run(tmp_path: Path) -> None:
    is_refused(tmp_path, "this system has no Unix sockets", "session", "start")
