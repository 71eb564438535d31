"""`markscheme pass-rate FILE --calibration TABLE`: labels in a table correct the verdicts of another file."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.console import run
from tests.features.pass_rate.test_command import labels, limits, pool, rated

WORDS = {True: "Pass", False: "fail"}


def write_tables(folder: Path) -> None:
    """Write as tables what `labels` and `pool` write as lines."""
    lines = labels(folder / "labels.jsonl")
    rows = [f"{line['id']},{WORDS[line['judge']]},{WORDS[line['gold']]}" for line in lines]
    (folder / "labels.csv").write_text("\n".join(["id,verdict,human", *rows]) + "\n")
    written = [dict(zip(("id", "verdict", "human"), row.split(","), strict=True)) for row in rows]
    (folder / "words.jsonl").write_text("".join(json.dumps(line) + "\n" for line in written))
    pool(folder / "pool.jsonl", 700, 1000)
    graded = [json.loads(line) for line in (folder / "pool.jsonl").read_text().splitlines()]
    cells = [f"{line['id']},{'PASS' if line['pass'] else 'FAIL'}" for line in graded]
    (folder / "pool.csv").write_text("\n".join(["id,verdict", *cells]) + "\n")


def rates(folder: Path, file: str, by: str, *options: str) -> dict[str, Any]:
    done = run("markscheme", "pass-rate", file, "--calibration", by, "--json", *options, cwd=folder)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("options", [(), ("--judge", "verdict", "--human", "human")])
@pytest.mark.parametrize(
    ("file", "by"), [("pool.csv", "labels.csv"), ("pool.jsonl", "labels.csv"), ("pool.csv", "words.jsonl")]
)
def test_labels_in_a_table_correct_a_pass_rate_as_the_same_labels_in_json_lines_do(
    file: str, by: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    write_tables(tmp_path)
    by_lines = rated(tmp_path)
    by_table = rates(tmp_path, file, by, *options)
    assert limits(by_table["corrected"]) == pytest.approx(limits(by_lines["corrected"]))
    assert [by_table[key] for key in ("drawn", "method", "labels")] == [
        by_lines[key] for key in ("drawn", "method", "labels")
    ]


def test_a_table_of_verdicts_without_labels_is_refused_with_the_option_that_names_a_table_of_labels(
    tmp_path: Path,
) -> None:
    write_tables(tmp_path)
    done = run("markscheme", "pass-rate", "pool.csv", "--json", cwd=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (2, "no-labels")
    assert "markscheme pass-rate pool.csv --calibration TABLE" in error["commands"]


def test_pass_rate_refuses_a_table_without_the_judge_s_column_that_the_table_of_labels_has(tmp_path: Path) -> None:
    write_tables(tmp_path)
    (tmp_path / "other.csv").write_text("id,score_of_it\na,pass\nb,fail\n")
    done = run("markscheme", "pass-rate", "other.csv", "--calibration", "labels.csv", "--json", cwd=tmp_path)
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "option-unused")
