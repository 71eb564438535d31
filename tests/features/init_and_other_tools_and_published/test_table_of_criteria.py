"""A rubric that was written as a table: a row for each criterion, and a column for each level."""

import re
import shlex
from pathlib import Path

import pytest

from markscheme.rubrics.file import load_rubric
from tests.commands.console import run


@pytest.mark.parametrize("name", ["Criterion", "", "Dimension"])
def test_a_table_of_criteria_with_a_column_for_each_level_becomes_a_rubric_by_the_command_that_init_prints(
    tmp_path: Path, name: str
) -> None:
    table = f'{name},Good (6),Fair (3),Poor (0)\nCrust,"Dark, all over: it cracks.",Brown.,Pale.\nCrumb,Even.,,Wet.\n'
    (tmp_path / "bread.csv").write_text(table)
    refused = run("markscheme", "init", "--from", "bread.csv", cwd=tmp_path)
    assert refused.stderr.startswith("error: bread.csv is a table of criteria and their levels, not of outputs: ")
    (command,) = re.findall("`(markscheme import .*?)`", refused.stderr)
    assert run(*shlex.split(command), cwd=tmp_path).returncode == 0
    rubric = load_rubric(tmp_path / "rubrics" / "bread.yaml")
    assert [(c.requirement, c.scale.values) for c in rubric.criteria] == [("Crust", (0, 3, 6)), ("Crumb", (0, 3, 6))]


def test_a_row_with_the_wrong_number_of_cells_in_a_table_of_criteria_is_reported_by_line(tmp_path: Path) -> None:
    (tmp_path / "bread.csv").write_text("criterion,Good,Fair,Poor\nCrust,Dark.,Brown.,Pale.\nCrumb,Even.,Wet.\n")
    refused = run("markscheme", "import", "bread.csv", "--to", "bread.yaml", cwd=tmp_path)
    assert (refused.returncode, refused.stderr.startswith("error: bread.csv:3: ")) == (2, True)
