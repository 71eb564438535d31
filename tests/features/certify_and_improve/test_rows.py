"""Rows that bring criteria of their own, given to `improve`, which can't change them, and to `certify`."""

import json
from pathlib import Path

import pytest

from tests.commands.console import run


def write_rows(folder: Path) -> None:
    rows = [{"id": f"r{n}", "response": "Rye.", "rubric": [{"requirement": f"Names loaf {n}"}]} for n in range(2)]
    (folder / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


@pytest.mark.parametrize("options", [(), ("--numbers",)], ids=" ".join)
def test_improve_refuses_rows_that_bring_rubrics_of_their_own(options: tuple[str, ...], tmp_path: Path) -> None:
    write_rows(tmp_path)
    refused = run("markscheme", "improve", "rows.jsonl", *options, cwd=tmp_path)
    assert refused.returncode == 2
    words = " ".join(refused.stderr.split())
    assert "each task has criteria and weights of its own, which belong to its authors" in words
    assert "what can be set is the pass mark, the guidelines, how many criteria a call" in words


def test_certify_refuses_rows_without_a_judge_s_verdicts_and_says_how_rows_hold_verdicts(tmp_path: Path) -> None:
    write_rows(tmp_path)
    refused = run("markscheme", "certify", "rows.jsonl", cwd=tmp_path)
    assert refused.returncode == 2
    assert "rows.jsonl has no verdicts of a judge: rows hold them as labels of the kind model" in refused.stderr
