"""The table of promises about faults in the documentation: each row names an existing test."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    line
    for line in (ROOT / "docs" / "reference" / "faults.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| What happens")
]


def test_the_table_on_the_reference_page_about_faults_has_at_least_40_rows() -> None:
    assert len(ROWS) >= 40


@pytest.mark.parametrize("row", ROWS)
def test_each_row_on_the_page_about_faults_names_tests_that_exist(row: str) -> None:
    names = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", row.rstrip(" |").rpartition("|")[2])
    assert names, row
    for file, name in names:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert not name or name in functions, f"{file} has no {name}"
