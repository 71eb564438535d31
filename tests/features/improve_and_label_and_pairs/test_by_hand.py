"""Numbers and words of a rubric for pairs are changed by hand."""

from pathlib import Path

import pytest

from tests.commands.console import run
from tests.features.label_and_pairs.test_command import labelled, project

__all__ = ["project"]  # a fixture


@pytest.mark.parametrize(
    "command", ["improve --numbers --open", "improve --plan", "improve --candidates new.yaml --outside"]
)
@pytest.mark.parametrize("has_labels", [True, False])
def test_improve_refuses_a_rubric_of_pairs_and_advises_to_edit_the_rubric_by_hand(
    project: Path, command: str, *, has_labels: bool
) -> None:
    if has_labels:
        labelled(project)
    name, *options = command.split()
    done = run("markscheme", name, "better", "--judge", "function:judges:longer", *options, cwd=project)
    assert (done.returncode, done.stdout) == (2, "")
    assert "better compares pairs" in done.stderr
    assert "by hand, and see the effect: markscheme calibrate better" in " ".join(done.stderr.split())
