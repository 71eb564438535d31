"""Files of rows that bring criteria of their own, as `status` shows them."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run

MET = {"c1": "MET"}


def row(index: int, *labels: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"r{index}",
        "response": "Leeds.",
        "rubric": [{"requirement": f"Names Leeds on route {index}"}],
        "labels": list(labels),
    }


def label(rater: str, kind: str = "human") -> dict[str, Any]:
    return {"rater": rater, "kind": kind, "criteria": MET}


def status(folder: Path) -> tuple[dict[str, Any], str]:
    """Return the status of the only file of rows as data, and the screen as one line."""
    done = run("markscheme", "status", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    (rows_status,) = json.loads(done.stdout)["rubrics"]
    return rows_status, " ".join(run("markscheme", "status", cwd=folder).stdout.split())


def write_rows(path: Path, *rows: Mapping[str, Any]) -> None:
    """Write rows, and their calibration folder, which `label` and `calibrate` make."""
    (path.parent / "calibration" / path.name / "ratings").mkdir(parents=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_last_calibration(folder: Path, **record: Any) -> None:
    usual = {
        "judge": "openai:gpt-5", "verdict": "not-enough-labels", "labelled": 2, "labels_needed": 75,
        "labels_chance": 0.5, "assumed": 0.9, "next_step": "Label about 75 more tasks (80 verdicts).",
    }  # fmt: skip
    (folder / "next_labels.json").write_text(json.dumps(usual | record))


def test_status_counts_the_rows_that_people_labelled_in_the_file_or_on_the_page(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", row(0, label("ann")), row(1, label("gpt", "model")), row(2), row(3))
    stored = {"id": "r2", "rater": "ben", "kind": "human", "criteria": MET}
    (tmp_path / "calibration/rows.jsonl/ratings/ben.jsonl").write_text(json.dumps(stored) + "\n")
    rows_status, screen = status(tmp_path)
    assert (rows_status["name"], rows_status["file"], rows_status["labelled_examples"]) == (
        "rows.jsonl",
        str(tmp_path / "rows.jsonl"),
        2,
    )
    assert "1 file of rows" in screen
    assert "rows.jsonl no accepted run 2 of 4 rows" in screen
    assert "compare a judge with its 2 labelled rows first" in screen
    assert screen.endswith("Next: markscheme calibrate rows.jsonl")  # the file has a judge's verdicts


def test_status_lists_rows_in_a_table_with_the_command_that_labels_them(tmp_path: Path) -> None:
    rows = [row(index) for index in range(3)]
    (tmp_path / "calibration/rows.csv").mkdir(parents=True)
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows({**line, "rubric": json.dumps(line["rubric"]), "labels": "[]"} for line in rows)
    rows_status, screen = status(tmp_path)
    assert (rows_status["labelled_examples"], rows_status["next_step"]) == (0, "Label all 3 that are left.")
    assert screen.endswith("Next: markscheme label rows.csv --rater YOUR-NAME")


def test_the_label_command_that_status_prints_for_rows_in_another_folder_names_the_path_of_their_file(
    tmp_path: Path,
) -> None:
    write_rows(tmp_path / "rows.jsonl", row(0), row(1))
    (tmp_path / "data").mkdir()
    (tmp_path / "rows.jsonl").rename(tmp_path / "data/rows.jsonl")
    _, screen = status(tmp_path)
    assert screen.endswith("Next: markscheme label data/rows.jsonl --rater YOUR-NAME")


@pytest.mark.parametrize(
    ("rows", "sentence", "onward"),
    [
        (
            [row(0, label("a")), row(1, label("a")), row(2), row(3)],
            "rows.jsonl: Label all 2 that are left.",
            "Next: markscheme label rows.jsonl --rater YOUR-NAME",
        ),
        (
            [row(0, label("a")), row(1, label("a"))],
            "rows.jsonl: Label about 75 more tasks (80 verdicts).",
            "Next, add tasks to rows.jsonl, then label them: markscheme label rows.jsonl --rater YOUR-NAME",
        ),
    ],
)
def test_after_a_calibration_status_says_how_many_labels_the_verdict_on_rows_still_needs(
    rows: list[dict[str, Any]], sentence: str, onward: str, tmp_path: Path
) -> None:
    write_rows(tmp_path / "rows.jsonl", *rows)
    write_last_calibration(tmp_path / "calibration/rows.jsonl")
    _, screen = status(tmp_path)
    assert sentence in screen
    assert screen.endswith(onward)


def test_status_says_that_a_judge_of_rows_is_good_enough_and_how_to_accept_its_run(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", row(0, label("a"), label("b")), row(1, label("a"), label("b")))
    write_last_calibration(
        tmp_path / "calibration/rows.jsonl", verdict="ok", labels_needed=None, labels_chance=None, next_step=""
    )
    _, screen = status(tmp_path)
    assert "openai:gpt-5 is good enough by the last calibration; accept its run." in screen
    assert screen.endswith("Next: markscheme calibrate rows.jsonl --judge openai:gpt-5 --accept")


def test_status_reports_a_damaged_file_of_rows_and_shows_the_rest(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", row(0))
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write("[1]\n")
    rows_status, screen = status(tmp_path)
    assert "rows.jsonl:2" in rows_status["fault"]
    assert "rows.jsonl cannot be read" in screen


def test_status_names_the_line_of_a_label_that_is_not_an_object(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", row(0))
    (tmp_path / "calibration/rows.jsonl/ratings/ann.jsonl").write_text("5\n")
    assert "ann.jsonl:1" in status(tmp_path)[0]["fault"]
