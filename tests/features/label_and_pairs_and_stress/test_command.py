"""Pairs and stress tests."""

from pathlib import Path

import pytest

from tests.commands.console import run
from tests.features.label_and_pairs.test_command import labelled, write_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project: a rubric of pairs, a judge, and outputs of three systems; a writes the longest, c the least."""
    return write_project(tmp_path)


def test_the_stress_command_refuses_a_rubric_of_pairs(project: Path) -> None:
    labelled(project)
    done = run("markscheme", "stress", "better", "--judge", "function:judges:longer", cwd=project)
    assert (done.returncode, "changes single responses" in done.stderr) == (2, True)
