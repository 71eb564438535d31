"""`compare` on rows that bring criteria of their own."""

import json
from pathlib import Path

from tests.commands.console import run
from tests.features.rows.test_calibration import label, row, write_rows


def test_compare_chooses_between_judges_whose_verdicts_stand_in_the_rows(tmp_path: Path) -> None:
    rows = [row(number) for number in range(40)]
    for number, rated in enumerate(rows):
        worse = {"c1": "UNMET", "c2": "UNMET" if number % 4 == 0 else "MET", "c3": "UNMET"}
        rated["labels"].append(label("claude", "model", worse))
    write_rows(tmp_path / "rows.jsonl", rows)
    compared = json.loads(run("markscheme", "compare", "rows.jsonl", "--json", cwd=tmp_path).stdout)
    assert compared["recommended"] == "gpt"
    write_rows(tmp_path / "one.jsonl", [row(number) for number in range(40)])
    alone = run("markscheme", "compare", "one.jsonl", cwd=tmp_path)
    assert alone.returncode == 2
    assert "a comparison needs two judges, and 1 judge rated these rows" in alone.stderr
