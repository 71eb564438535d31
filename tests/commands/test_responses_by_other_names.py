"""Rows whose column of responses has another name than ours, graded."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.readers.tabular.named_otherwise import ROWS, outputs


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_rows_are_graded_whatever_their_column_of_responses_is_called(tmp_path: Path, form: str) -> None:
    outputs(tmp_path, form, "model_output")
    graded = run("markscheme", "grade", "r", f"t.{form}", "--judge", "function:j:meets", "--json", cwd=tmp_path)
    lines = [json.loads(line) for line in graded.stdout.splitlines()]
    assert ([line["id"] for line in lines if line["pass"]], len(lines)) == (["q7"], ROWS), graded.stderr
