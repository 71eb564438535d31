"""Rows that bring criteria of their own, to `improve` and `certify`: these belong to the tasks' authors."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run


@pytest.mark.parametrize("command", [("improve",), ("improve", "--numbers"), ("certify",)], ids=" ".join)
def test_certify_and_improve_refuse_rows_that_bring_rubrics_of_their_own(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    rows = [{"id": f"r{n}", "response": "Rye.", "rubric": [{"requirement": f"Names loaf {n}"}]} for n in range(2)]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    name, *options = command
    refused = run("markscheme", name, "rows.jsonl", *options, cwd=tmp_path)
    assert refused.returncode == 2
    words = " ".join(refused.stderr.split())
    assert "each task has criteria and weights of its own, which belong to its authors" in words
    assert "what can be set is the pass mark, the guidelines, how many criteria a call" in words
