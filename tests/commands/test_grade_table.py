"""`markscheme grade --out`: rows to a table that a stopped run continues."""

import csv
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.commands.console import environment, run

RUBRIC = """
name: polite
criteria:
  - {name: thanks, requirement: Says thank you}
  - {name: length, description: How long it is, weight: 0.5, scale: {min: 1, max: 5}}
"""
JUDGE = """
import os, time

def judge(system_prompt, user_prompt):
    response = user_prompt.split("<response")[1].split(">")[1].split("<")[0].strip()
    with open("asked", "a") as log:
        log.write(response + "\\n")
    time.sleep(float(os.environ.get("SLOW", "0")))
    if os.path.exists("down"):
        raise RuntimeError("it is down")
    level = "MET" if "thanks" in response else "UNMET"
    verdict = {"quote": "nothing to quote", "reason": "So.", "level": level}
    return {"verdicts": {"thanks": verdict, "length": verdict | {"level": 3}}}
"""
GRADE = ("markscheme", "grade", "polite", "--judge", "function:stand_in:judge")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A working directory with a rubric and a judge that notes what it is asked."""
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "polite.yaml").write_text(RUBRIC, encoding="utf-8")
    (tmp_path / "stand_in.py").write_text(JUDGE, encoding="utf-8")
    return tmp_path


def _grade(here: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return run(*GRADE, *command, cwd=here, env={"MARKSCHEME_CACHE": str(here / "cache")})


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _rows(n: int) -> list[dict[str, Any]]:
    return [{"id": f"r{k}", "response": f"{'thanks' if k % 2 else 'no'} {k}"} for k in range(n)]


def test_parquet_becomes_parquet_with_a_column_for_each_criterion(here: Path) -> None:
    rows = [{"id": k, "answer_text": row["response"], "note": ["x"]} for k, row in enumerate(_rows(4))]
    parquet.write_table(pa.Table.from_pylist(rows), here / "rows.parquet")
    done = _grade(here, "rows.parquet", "--map", "answer_text=response", "--out", "graded.parquet")
    assert done.returncode == 1, done.stderr
    assert "graded.parquet: 2 fail, 0 not graded" in done.stderr
    table = parquet.read_table(here / "graded.parquet")
    assert table.column_names == ["id", "score", "pass", "thanks", "length", "error", "receipt"]
    found = sorted(table.to_pylist(), key=lambda row: row["id"])
    assert found[1] == {
        "id": "1",
        "score": pytest.approx(1.25 / 1.5),
        "pass": True,
        "thanks": 1.0,
        "length": 3.0,
        "error": None,
        "receipt": "0.83, not calibrated",
    }
    made = {"asked", "cache", "graded.parquet", "rows.parquet", "rubrics", "stand_in.py"}
    assert set(os.listdir(here)) - {"__pycache__"} == made


def test_csv_and_lines_have_the_same_rows(here: Path) -> None:
    (here / "rows.csv").write_text("id,response\na,thanks\nb,no\n", encoding="utf-8")
    _grade(here, "rows.csv", "--out", "graded.csv")
    _grade(here, "rows.csv", "--out", "graded.jsonl")
    with (here / "graded.csv").open(encoding="utf-8", newline="") as file:
        cells = {row["id"]: row for row in csv.DictReader(file)}
    lines = {row["id"]: row for row in _lines(here / "graded.jsonl")}
    assert {id: (row["pass"], row["thanks"]) for id, row in cells.items()} == {
        "a": ("true", "1.0"),
        "b": ("false", "0.0"),
    }
    assert {id: (row["pass"], row["thanks"]) for id, row in lines.items()} == {"a": (True, 1.0), "b": (False, 0.0)}
    assert (here / "asked").read_text(encoding="utf-8").count("\n") == 2, "the second run took the replies of the first"


def test_a_single_response_from_standard_input_becomes_a_row(here: Path) -> None:
    cache = {"MARKSCHEME_CACHE": str(here / "cache")}
    done = run(*GRADE, "-", "--out", "graded.csv", cwd=here, env=cache, stdin="thanks a lot")
    assert done.returncode == 0, done.stderr
    with (here / "graded.csv").open(encoding="utf-8") as file:
        assert [row["thanks"] for row in csv.DictReader(file)] == ["1.0"]
    assert (here / "asked").read_text() == "thanks a lot\n"


def test_rows_that_cannot_be_graded_come_last_and_are_tried_again(here: Path) -> None:
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, _rows(2))), encoding="utf-8")
    (here / "down").touch()
    done = _grade(here, "rows.jsonl", "--out", "graded.jsonl")
    assert (done.returncode, [row["score"] for row in _lines(here / "graded.jsonl")]) == (5, [None, None])
    assert "it is down" in _lines(here / "graded.jsonl")[0]["error"]
    (here / "down").unlink()
    assert _grade(here, "rows.jsonl", "--out", "graded.jsonl").returncode == 1
    assert [row["error"] for row in _lines(here / "graded.jsonl")] == [None, None]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("rows.jsonl", "--out", "graded.xlsx"), "`--out` must end in .csv, .jsonl, .parquet, got graded.xlsx"),
        (("rows.jsonl", "--map", "text=response"), "`--map`: there is no column 'text'"),
        (("answer.md", "--map", "text=response"), "--map is for files of several responses"),
        (("rows.jsonl", "--out", "begun.jsonl"), "begun.jsonl.partial was begun with another rubric, prompt or judge"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(here: Path, command: tuple[str, ...], said: str) -> None:
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, _rows(2))), encoding="utf-8")
    (here / "answer.md").write_text("thanks", encoding="utf-8")
    (here / "begun.jsonl.partial").write_text('{"fingerprints": {}}\n', encoding="utf-8")
    done = _grade(here, *command)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert not (here / "asked").exists()


def test_a_killed_run_writes_no_row_twice_loses_none_and_asks_no_prompt_twice(here: Path) -> None:
    n = 300
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, _rows(n))), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "markscheme",
        *GRADE[1:],
        "rows.jsonl",
        "--out",
        "graded.csv",
        "--concurrency",
        "4",
    ]
    env = {**environment(), "MARKSCHEME_CACHE": str(here / "cache"), "SLOW": "0.03"}
    running = subprocess.Popen(command, cwd=here, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal, end = here / "graded.csv.partial", time.monotonic() + 60
    while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
        assert running.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    running.kill()
    running.wait()
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"id": "r9')  # as a power cut leaves it
    assert _grade(here, "rows.jsonl", "--out", "graded.csv").returncode == 1
    with (here / "graded.csv").open(encoding="utf-8", newline="") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    assert sorted(ids) == sorted(row["id"] for row in _rows(n))
    asked = (here / "asked").read_text(encoding="utf-8").splitlines()
    assert len(asked) - len(set(asked)) <= 4, "only what was being asked when it was killed"
    assert set(asked) == {row["response"] for row in _rows(n)}
