"""`lint` on rows that bring criteria of their own."""

import json
from pathlib import Path

from tests.commands.console import run


def test_lint_lists_the_faulty_rubrics_in_a_file_of_rows_by_line(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "response": "x", "rubric": [{"requirement": "Names Paris", "weight": 3}]},
        {"id": "b", "response": "x", "rubric": [{"requirement": "Names Rome", "weight": 0}]},
        {"id": "c", "response": "x"},
        {"id": "d", "response": "x", "rubric": [{"requirement": "names  Paris."}, {"requirement": "Is short"}]},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = run("markscheme", "lint", "rows.jsonl", cwd=tmp_path)
    *faults, last = done.stdout.splitlines()
    assert [line.partition(": ")[0] for line in faults] == ["rows.jsonl:2", "rows.jsonl:3"]
    assert "its rubric, criterion 1: weight must be a finite number other than 0" in faults[0]
    assert (done.returncode, last) == (2, "rows.jsonl: 4 rows, 2 different criteria; 2 rows can't be graded")
    (tmp_path / "rows.jsonl").write_text(f"{json.dumps(rows[0])}\n")
    fine = run("markscheme", "lint", "rows.jsonl", "--json", cwd=tmp_path)
    assert (fine.returncode, json.loads(fine.stdout)["faults"]) == (0, [])


def test_lint_reports_two_criteria_with_the_same_words_in_a_row_of_a_csv_file(
    tmp_path: Path,
) -> None:
    rubric = json.dumps([{"requirement": "Names Paris"}, {"requirement": "names Paris."}]).replace('"', '""')
    (tmp_path / "rows.csv").write_text(f'id,response,rubric\na,x,"{rubric}"\n')
    done = run("markscheme", "lint", "rows.csv", cwd=tmp_path)
    twice, last = done.stdout.splitlines()
    assert twice == (
        "rows.csv: note: 1 criterion has the words of another: asked once, and the weights add up (1 row, first 2)"
    )
    assert (done.returncode, last) == (0, "rows.csv: 1 row, 1 different criterion: no issues")


def test_lint_refuses_a_file_of_rows_without_any_row_instead_of_finding_no_issues(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("\n")
    done = run("markscheme", "lint", "rows.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout, "rows.jsonl is empty" in done.stderr) == (2, "", True)


def test_lint_checks_rows_together_with_the_rubric_that_they_share(tmp_path: Path) -> None:
    (tmp_path / "core.yaml").write_text("criteria: [{name: short, requirement: The reply is short.}]\n")
    rows = [
        {"id": "a", "response": "x", "rubric": [{"requirement": "Names Paris", "weight": 3}]},
        {"id": "b", "response": "x"},
        {"id": "c", "response": "x", "rubric": [{"requirement": "Names Rome", "weight": 0}]},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    report_on_rows = run("markscheme", "lint", "rows.jsonl", cwd=tmp_path).stdout
    assert "rows.jsonl:2: the row has no rubric" in report_on_rows
    report_lines = run("markscheme", "lint", "core.yaml", "rows.jsonl", cwd=tmp_path).stdout.splitlines()
    assert [line for line in report_lines if line.startswith("rows.jsonl:2")] == []
    assert report_lines[-1] == "rows.jsonl: 3 rows, 2 different criteria; 1 row can't be graded"
