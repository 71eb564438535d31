"""Rows with criteria of their own in tables, and with checks by code."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.commands.console import run

JUDGE = """
import re


def judge(system_prompt, user_prompt):
    names = re.findall(r'Criterion "([^"]+)":', system_prompt)
    words = {"quote": "nothing to quote", "reason": "Seen.", "level": "MET"}
    return {"verdicts": dict.fromkeys(names, words)}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a judge that finds every criterion met."""
    (tmp_path / "judging.py").write_text(JUDGE)
    return tmp_path


def grade(folder: Path, *arguments: str) -> Any:
    return run("markscheme", "grade", *arguments, "--judge", "function:judging:judge", cwd=folder)


@pytest.mark.parametrize("name", ["rows.csv", "text.parquet", "structs.parquet"])
def test_lint_and_label_and_calibrate_and_grade_read_rows_with_own_criteria_from_csv_and_parquet_files(
    name: str, folder: Path
) -> None:
    towns = ("Leeds", "York", "Hull", "Bath") * 5
    rows = [labelled_row(number, town) for number, town in enumerate(towns)]
    write_table(folder / name, rows)
    lint = run("markscheme", "lint", name, cwd=folder)
    assert lint.stdout == f"{name}: 20 rows, 4 different criteria: no issues\n"
    assert "0 of 20 criteria" in run("markscheme", "label", name, "--progress", cwd=folder).stdout
    assert "Right on 100%" in run("markscheme", "calibrate", name, cwd=folder).stdout
    graded = [json.loads(line) for line in grade(folder, name, "--json").stdout.splitlines()]
    assert ([line["id"] for line in graded], graded[0]["rubric"]["source"]) == ([row["id"] for row in rows], "row")


def labelled_row(number: int, town: str) -> dict[str, Any]:
    """A response with one criterion of its own, and the same answer of a person and of a judge."""
    raters = (("ann", "human"), ("gpt", "model"))
    labels = [{"rater": rater, "kind": kind, "criteria": {"c1": "MET"}} for rater, kind in raters]
    rubric = [{"requirement": f"Names {town}", "weight": 1.0}]
    return {"id": f"r{number}", "query": f"{number}?", "response": f"In {town}.", "rubric": rubric, "labels": labels}


def write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    texts = [{key: v if isinstance(v, str) else json.dumps(v) for key, v in row.items()} for row in rows]
    if path.suffix == ".parquet":
        cells = rows if path.stem == "structs" else texts
        parquet.write_table(pa.Table.from_pylist(cells), path)
        return
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(texts[0]))
        writer.writeheader()
        writer.writerows(texts)


def test_a_check_in_the_user_s_code_can_be_used_by_a_rubric_file_but_not_by_a_row_s_own_criteria(
    folder: Path,
) -> None:
    (folder / "mine.py").write_text(
        "from markscheme.scorers import scorer\n\n\n@scorer\ndef brief(prediction, expected=None):\n"
        "    return len(prediction) < 20\n"
    )
    (folder / "core.yaml").write_text("criteria: [{name: brief, requirement: Is brief, check: brief}]\n")
    rubrics = [[{"requirement": "Names Leeds"}], [{"requirement": "Is brief too", "check": "brief"}]]
    rows = [{"id": f"r{n}", "response": "In Leeds.", "rubric": rubric} for n, rubric in enumerate(rubrics)]
    (folder / "two.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = grade(folder, "core.yaml", "two.jsonl", "--json", "-o", "scorers=mine")
    fine, faulty = (json.loads(line) for line in done.stdout.splitlines())
    assert (fine["criteria"]["brief"]["level"], fine["score"]) == (1.0, 1.0), done.stderr
    assert "there is no check 'brief' that comes with markscheme; a row may name exact_match" in faulty["error"]
