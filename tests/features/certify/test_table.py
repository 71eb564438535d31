"""`certify TABLE`: which decisions of a table's judges would have needed no person."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """200 replies that a person passes or fails, a judge that is never wrong, and one that is at random."""
    rows = [
        {"id": f"r{n}", "human": verdict, "gpt": verdict, "coin": ("pass", "fail")[n % 2]}
        for n, verdict in enumerate(("pass", "fail", "fail", "pass") * 50)
    ]
    write(tmp_path / "replies.csv", rows)
    return tmp_path


def certified(folder: Path, *options: str, status: int = 0) -> dict[str, Any]:
    done = run("markscheme", "certify", "replies.csv", *options, "--json", cwd=folder)
    assert done.returncode == status, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(done.stdout)["cascade"]
    return report


def test_a_judge_s_column_that_is_always_right_is_certified_to_decide_all_rows(table: Path) -> None:
    report = certified(table, "--judge", "gpt", "--human", "human")
    assert (report["supported"], report["decided"], report["errors"]) == (True, [200, 0], 0)
    assert report["upper"] == pytest.approx(1 - 0.1 ** (1 / 200))


def test_judge_columns_of_a_table_are_stages_of_a_cascade_in_the_order_in_which_they_are_named(table: Path) -> None:
    report = certified(table, "--judge", "coin,gpt", "--human", "human")
    assert [stage["judge"] for stage in report["stages"]] == ["coin", "gpt"]
    assert report["decided"] == [0, 200, 0]


def test_a_judge_s_column_of_random_verdicts_gets_no_certificate(table: Path) -> None:
    assert certified(table, "--judge", "coin", "--human", "human", status=4)["supported"] is False


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--judge", "nobody", "--human", "human"), "names nothing that is there"),
        (("--judge", "gpt", "--human", "human", "--write"), "names no judge to ask"),
    ],
)
def test_options_that_certify_cannot_take_for_a_table_are_refused(
    table: Path, options: tuple[str, ...], why: str
) -> None:
    done = run("markscheme", "certify", "replies.csv", *options, cwd=table)
    assert done.returncode == 2
    assert why in " ".join(done.stderr.split())


def test_a_table_without_a_pass_mark_is_refused_with_the_option_that_sets_one(tmp_path: Path) -> None:
    write(tmp_path / "replies.csv", [{"id": n, "human": n % 5 + 1, "judge": n % 5 + 1} for n in range(60)])
    done = run("markscheme", "certify", "replies.csv", cwd=tmp_path)
    assert done.returncode == 2
    assert "--pass-mark" in done.stderr
    assert certified(tmp_path, "--pass-mark", "4")["supported"] is True


def test_decisions_that_follow_from_scores_are_ranked_by_the_distance_of_the_score_from_the_pass_mark(
    tmp_path: Path,
) -> None:
    """The judge is right on scores of at least 0.8 or at most 0.2, and on every other row between them."""
    scores = [(0.95, "pass"), (0.05, "fail"), (0.55, "pass"), (0.55, "fail"), (0.45, "fail"), (0.45, "pass")] * 50
    write(tmp_path / "replies.csv", [{"id": f"r{n}", "judge": s, "human": v} for n, (s, v) in enumerate(scores)])
    report = certified(tmp_path, "--judge", "judge", "--pass-mark", "0.5")
    assert (report["supported"], report["decided"], report["errors"]) == (True, [100, 200], 0)
    assert report["stages"][0]["certainty"] == "distance"
    assert report["stages"][0]["certain"] == pytest.approx(0.45)
    shown = run("markscheme", "certify", "replies.csv", "--judge", "judge", "--pass-mark", "0.5", cwd=tmp_path).stdout
    assert "follow from their labels" not in shown
