"""`improve` on rows that bring criteria of their own."""

import json
from pathlib import Path

from tests.commands.console import run


def test_improve_refuses_rows_that_bring_criteria_of_their_own(tmp_path: Path) -> None:
    row = {"id": "a", "response": "x", "rubric": [{"requirement": "Names Paris", "weight": 3}]}
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps(row)}\n")
    refused = run("markscheme", "improve", "rows.jsonl", "--numbers", cwd=tmp_path)
    assert (refused.returncode, "each task has criteria and weights of its own" in refused.stderr) == (2, True)
