"""An experiment's file runs no code that only it names."""

from pathlib import Path

import pytest

from tests.commands.console import run_installed
from tests.commands.judged_project import make_project
from tests.test_user_code import JUDGE, PANEL, refuses_code

CASES = "variants: [{name: a, system: Be good.}]\ncases: [{id: c, inputs: {query: reply 7 of many}}]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a stranger's project, whose experiment names code."""
    make_project(tmp_path, n=12)
    text = f"rubric: manners\nmodel: function:scripted_judges:careful\n{CASES}"
    (tmp_path / "support.experiment.yaml").write_text(text)
    return tmp_path


@pytest.mark.proof
def test_an_experiment_s_file_is_refused_if_its_model_is_a_panel_with_a_user_s_function(folder: Path) -> None:
    (folder / "panel.experiment.yaml").write_text(f"rubric: manners\nmodel: '{PANEL}'\n{CASES}")
    refuses_code(folder, "experiment", "panel.experiment.yaml", "--judge", "openai:small")


def test_an_experiment_s_file_alone_never_makes_a_function_run(folder: Path) -> None:
    done = run_installed("markscheme", "experiment", "support.experiment.yaml", *JUDGE, cwd=folder)
    assert done.returncode == 2
    assert "support.experiment.yaml: `model: function:scripted_judges:careful` is code" in done.stderr
    assert "--model function:scripted_judges:careful does" in done.stderr
