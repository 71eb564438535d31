"""`export --counts FILE --shown N`: wrong decisions next to the counts, and the report that shows them."""

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from markscheme import calibrate
from markscheme.errors import RatingWarning
from tests.commands.console import run
from tests.features.counts.test_counted_ratings import RUBRIC, exported, project

__all__ = ["project"]


def shown_in(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "counts.shown.jsonl").read_text().splitlines()]


def test_the_export_command_with_the_shown_option_writes_wrong_decisions_to_a_file_that_calibrate_shows(
    project: Path,
) -> None:
    of_export = exported(project, "counts.csv", "--shown", "3")
    assert "wrong decisions in counts.shown.jsonl" in of_export.stderr
    shown = shown_in(project)
    of_rows = calibrate(project / "answers.yaml", project / "examples.jsonl", ratings=project / "ratings.jsonl")
    wrong = {"false-pass": of_rows.comparison.false_passes, "false-fail": of_rows.comparison.false_fails}
    assert Counter(line["wrong"] for line in shown) == {name: min(3, len(ids)) for name, ids in wrong.items()}
    assert all(line["id"] in wrong[line["wrong"]] for line in shown)
    assert [line["wrong"] for line in shown] == sorted((line["wrong"] for line in shown), reverse=True)
    command = ("markscheme", "calibrate", "answers.yaml", "--counts", "counts.csv")
    report = run(*command, "--details", "--html", "page.html", cwd=project).stdout
    assert f"- {shown[0]['id']}: judge" in report
    page = (project / "page.html").read_text()
    assert all(line["response"] in page for line in shown)
    assert json.loads(run(*command, "--json", "-", cwd=project).stdout)["shown"] == shown


def test_examples_of_wrong_decisions_are_not_shown_if_the_counts_file_changed_after_export_wrote_them(
    project: Path,
) -> None:
    exported(project, "counts.csv", "--shown", "3")
    counts = project / "counts.csv"
    header, _, rows = counts.read_text().partition("\n")
    counts.write_text(f"{header}\nweather{',' * header.count(',')}1\n{rows}")
    with pytest.warns(RatingWarning, match="its examples are of other counts"):
        assert calibrate(project / "answers.yaml", counts=project / "counts.csv").to_json()["shown"] is None


def test_wrong_decisions_exported_from_a_table_have_the_texts_of_their_rows(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="runs where DuckDB is installed, which comes with markscheme[test]")
    (tmp_path / "answers.yaml").write_text(RUBRIC)
    raters = ("ana", "gpt", "mini")
    columns = ["id", "group_id", "query", "response", *(f"{r}__{c}" for r in raters for c in ("clear", "right"))]
    with (tmp_path / "wide.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for place in range(60):
            judged = 5 if place % 3 == 0 else 1
            levels = (1 + 4 * (place % 2),) * 2 + (judged,) * 4
            writer.writerow([f"e{place}", f"g{place // 2}", f"question {place}", f"reply {place}", *levels])
    command = ("markscheme", "export", "answers.yaml", "--counts", "counts.csv", "--from", "wide.csv")
    done = run(*command, "--raters", "ana", "--judge", "gpt", "--shown", "4", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown = shown_in(tmp_path)
    assert Counter(line["wrong"] for line in shown) == {"false-pass": 4, "false-fail": 4}
    for line in shown:
        place = int(line["id"][1:])
        gold, judge = (1, 5) if line["wrong"] == "false-pass" else (5, 1)
        assert (place % 2, place % 3 == 0) == (gold == 5, judge == 5)
        assert line["response"] == f"reply {place}"
        assert line["inputs"] == {"query": f"question {place}"}
        assert line["scores"] == {"gold": (gold - 1) / 4, "judge": (judge - 1) / 4}
        assert line["criteria"]["clear"] == {"gold": gold, "judge": judge}
    assert sorted(int(line["id"][1:]) for line in shown) != [0, 1, 5, 6, 7, 11, 12, 18]  # not the first ones
    select = run("markscheme", "export", "answers.yaml", "--counts-sql", "t", "--raters", "ana", "--shown", "4")
    assert select.returncode == 2
