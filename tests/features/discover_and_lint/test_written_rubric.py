"""What lint says of a rubric that discover wrote."""

import json
from pathlib import Path

import pytest
import yaml

from tests.commands.console import run
from tests.features.discover.test_command import FAULTS, write_project, written


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """200 outputs, and notes on the first 60, which are a random draw; each fault was named when it was first seen."""
    return write_project(tmp_path)


def test_the_rubric_has_a_criterion_per_mode_and_lint_finds_no_fault(project: Path) -> None:
    data = written(project)
    assert data["criteria"] == ["wrong-price", "too-long"]
    rubric = yaml.safe_load((project / "rubrics" / "reply.yaml").read_text())
    price = rubric["criteria"][0]
    assert (price["requirement"], price["weight"], price["required"]) == (FAULTS["wrong-price"], -3, True)
    assert price["examples"] == {"bad": "the old list says"}
    assert data["lenders"] == ["o1"]
    assert "check" not in price
    assert "docs/howto/when-code.md" in (project / "rubrics" / "reply.yaml").read_text()
    linted = run("markscheme", "lint", "reply", "--json", cwd=project)
    assert json.loads(linted.stdout)["faults"] == []
