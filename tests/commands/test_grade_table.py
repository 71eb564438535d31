"""`markscheme grade --out`: rows to a table that a stopped run continues."""

import csv
import json
import math
import os
import subprocess
import sys
import time
from datetime import date
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
    while os.path.exists("held") and os.path.getsize("asked") > int(os.environ.get("HELD_FROM", "0")):
        time.sleep(0.01)
    if os.path.exists("down"):
        raise RuntimeError("it is down")
    level = "MET" if "thanks" in response else "UNMET"
    verdict = {"quote": "nothing to quote", "reason": "So.", "level": level}
    return {"verdicts": {"thanks": verdict, "length": verdict | {"level": 3}}}

judge.environment = ()
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


def test_grading_a_parquet_file_writes_a_parquet_file_with_a_column_for_each_criterion(here: Path) -> None:
    rows = [{"id": k, "answer_text": row["response"], "note": ["x"]} for k, row in enumerate(_rows(4))]
    parquet.write_table(pa.Table.from_pylist(rows), here / "rows.parquet")
    done = _grade(here, "rows.parquet", "--map", "answer_text=response", "--out", "graded.parquet")
    assert done.returncode == 1, done.stderr
    assert "graded.parquet: 2 fail, 0 not graded" in done.stderr
    assert "response from column answer_text, id from column id; inputs: none\n" in done.stderr
    table = parquet.read_table(here / "graded.parquet")
    assert table.column_names == ["id", "score", "pass", "thanks", "length", "error", "receipt"]
    rows = sorted(table.to_pylist(), key=lambda row: row["id"])
    assert rows[1] == {
        "id": "1",
        "score": pytest.approx(1.25 / 1.5),
        "pass": True,
        "thanks": 1.0,
        "length": 3.0,
        "error": None,
        "receipt": "0.83, no accepted run",
    }
    made = {"asked", "cache", "graded.parquet", "rows.parquet", "rubrics", "stand_in.py"}
    assert set(os.listdir(here)) - {"__pycache__"} == made


def test_a_cell_of_a_table_that_holds_nan_counts_as_empty(here: Path) -> None:
    ids = pa.array([math.nan, math.nan, 7.0])
    table = pa.table({"id": ids, "response": ["thanks", None, "no"], "query": pa.array([math.nan, 1.0, math.nan])})
    parquet.write_table(table, here / "rows.parquet")
    assert _grade(here, "rows.parquet", "--out", "graded.jsonl").returncode == 5
    graded = {row["id"]: row["pass"] for row in _lines(here / "graded.jsonl")}
    assert graded == {"1": True, "2": None, "7.0": False}


def test_bytes_in_a_table_s_cell_are_refused_only_if_the_judge_would_be_shown_them(here: Path) -> None:
    image = b"\x89PNG"
    shown = {"image as response": {"response": image}, "image as input": {"response": "thanks", "query": image}}
    for name, row in shown.items():
        parquet.write_table(pa.Table.from_pylist([row]), here / "rows.parquet")
        done = _grade(here, "rows.parquet", "--out", "graded.jsonl")
        assert done.returncode == 2, name
        assert "rows.parquet:1: " in done.stderr
        assert "is a bytes object; accepted are text, numbers, booleans, lists, mappings and traces" in done.stderr
    assert not (here / "asked").exists()
    row = {"response": "thanks", "thumbnail": image, "made": date(2026, 1, 31)}
    parquet.write_table(pa.Table.from_pylist([row]), here / "rows.parquet")
    assert _grade(here, "rows.parquet", "--out", "graded.jsonl").returncode == 0


def test_graded_rows_are_the_same_in_csv_and_in_json_lines(here: Path) -> None:
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


def test_graded_rows_are_written_in_the_order_of_the_table_however_long_the_grading_of_each_takes(here: Path) -> None:
    (here / "stand_in.py").write_text(JUDGE.replace('float(os.environ.get("SLOW", "0"))', "0.2 * ('no' in response)"))
    parquet.write_table(pa.Table.from_pylist(_rows(12)), here / "rows.parquet")
    assert _grade(here, "rows.parquet", "--out", "graded.jsonl", "-o", "concurrency=4").returncode == 1
    assert [row["id"] for row in _lines(here / "graded.jsonl")] == [row["id"] for row in _rows(12)]


WITHOUT_RESPONSE: list[dict[str, Any]] = [
    {"id": "a", "response": "thanks"},
    {"id": "b", "response": None},
    {"id": "c", "response": "thanks too"},
]


@pytest.mark.parametrize("name", ["rows.parquet", "rows.jsonl", "no_key.jsonl"])
def test_a_row_without_a_response_is_ungraded_and_all_other_rows_are_graded(here: Path, name: str) -> None:
    rows = [{k: v for k, v in row.items() if v or name != "no_key.jsonl"} for row in WITHOUT_RESPONSE]
    if name.endswith(".parquet"):
        parquet.write_table(pa.Table.from_pylist(rows), here / name)
    else:
        (here / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = _grade(here, name, "--out", "graded.jsonl")
    assert (done.returncode, "0 fail, 1 not graded" in done.stderr) == (5, True), done.stderr
    graded = _lines(here / "graded.jsonl")
    assert [(row["id"], row["pass"], row["error"]) for row in graded] == [
        ("a", True, None),
        ("b", None, "the row has no response"),
        ("c", True, None),
    ]
    printed = [json.loads(line) for line in _grade(here, name, "--json").stdout.splitlines()]
    assert [(row["id"], row["error"]) for row in printed] == [(row["id"], row["error"]) for row in graded]
    assert sorted((here / "asked").read_text().splitlines()) == ["thanks", "thanks too"]


def test_grades_never_replace_the_table_that_is_graded(here: Path) -> None:
    (here / "rows.csv").write_text("id,response\na,thanks\n")
    for name in ("rows.csv", "./rows.csv"):
        done = _grade(here, "rows.csv", "--out", name)
        assert done.returncode == 2
        assert "rows.csv cannot be written: it is read, and would be lost; name another file" in done.stderr
    assert (here / "rows.csv").read_text() == "id,response\na,thanks\n"
    assert not (here / "asked").exists()


def test_a_table_in_which_no_row_has_a_response_is_refused(here: Path) -> None:
    (here / "rows.jsonl").write_text('{"id": "a", "respnse": "thanks"}\n{"id": "b", "response": null}\n')
    done = _grade(here, "rows.jsonl", "--out", "graded.jsonl")
    assert done.returncode == 2
    assert "rows.jsonl: no row has a response, under `response` or `output`" in done.stderr
    assert not (here / "graded.jsonl.partial").exists()


def _begun(here: Path) -> "subprocess.Popen[bytes]":
    """Start a run that writes graded.csv and waits for its judge until the file `held` is removed."""
    (here / "held").touch()
    command = [sys.executable, "-m", "markscheme", *GRADE[1:], "rows.jsonl", "--out", "graded.csv"]
    env = {**environment(), "MARKSCHEME_CACHE": str(here / "cache")}
    running = subprocess.Popen(command, cwd=here, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 300
    while not (here / "asked").exists():
        assert running.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    return running


def test_a_second_process_writing_the_same_table_is_refused_and_the_first_loses_no_row(here: Path) -> None:
    n = 40
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, _rows(n))), encoding="utf-8")
    first = _begun(here)
    second = _grade(here, "rows.jsonl", "--out", "graded.csv")
    (here / "held").unlink()
    assert second.returncode == 2
    assert f"graded.csv is being written by process {first.pid} (since 20" in second.stderr
    assert first.wait(timeout=300) == 1
    with (here / "graded.csv").open(encoding="utf-8", newline="") as file:
        assert [row["id"] for row in csv.DictReader(file)] == [row["id"] for row in _rows(n)]


def test_a_second_process_that_writes_the_same_table_through_a_link_is_also_refused(here: Path) -> None:
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, _rows(20))), encoding="utf-8")
    (here / "link.csv").symlink_to("graded.csv")
    first = _begun(here)
    second = _grade(here, "rows.jsonl", "--out", "link.csv")
    (here / "held").unlink()
    assert second.returncode == 2
    assert f"link.csv is being written by process {first.pid} (since 20" in second.stderr
    first.wait(timeout=300)
    assert (here / "link.csv").is_symlink()


def test_the_lock_on_a_graded_table_is_released_if_its_process_is_killed(here: Path) -> None:
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, _rows(4))), encoding="utf-8")
    first = _begun(here)
    first.kill()
    first.wait()
    (here / "held").unlink()
    assert _grade(here, "rows.jsonl", "--out", "graded.csv").returncode == 1
    made = {"asked", "cache", "graded.csv", "rows.jsonl", "rubrics", "stand_in.py"}
    assert set(os.listdir(here)) - {"__pycache__"} == made


@pytest.mark.proof
def test_a_graded_table_that_lacks_rows_never_replaces_the_existing_file(here: Path) -> None:
    rows = _rows(6)
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (here / "graded.csv").write_text("before")
    wrecking = """    if response.endswith("3"):
        time.sleep(2.2)  # grades wait for up to 2 seconds before they are written
    if response.endswith("5"):
        with open("graded.csv.partial", "r+") as journal:
            journal.truncate(len(journal.readline()))
    level ="""
    (here / "stand_in.py").write_text(JUDGE.replace("    level =", wrecking))
    done = _grade(here, "rows.jsonl", "--out", "graded.csv", "-o", "concurrency=1")
    assert done.returncode == 2
    assert "graded.csv is not written: " in done.stderr
    assert "of 6 rows" in done.stderr
    assert (here / "graded.csv").read_text() == "before"


def test_a_row_that_has_changed_since_a_run_was_stopped_is_graded_again_and_unchanged_rows_are_not(here: Path) -> None:
    rows = _rows(5)
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    crash = """    if os.path.exists("crash") and response.endswith("2"):
        time.sleep(2.2)  # grades wait for up to 2 seconds before they are written
    if os.path.exists("crash") and response.endswith("3"):
        os._exit(9)
    level ="""
    (here / "stand_in.py").write_text(JUDGE.replace("    level =", crash))
    (here / "crash").touch()
    command = [sys.executable, "-m", "markscheme", *GRADE[1:], "rows.jsonl", "--out", "graded.jsonl"]
    env = {**environment(), "MARKSCHEME_CACHE": str(here / "cache")}
    assert subprocess.run([*command, "-o", "concurrency=1"], cwd=here, env=env, check=False).returncode == 9
    (here / "crash").unlink()
    (here / "asked").unlink()
    rows[0]["response"] = "thanks 0"
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert _grade(here, "rows.jsonl", "--out", "graded.jsonl").returncode == 1
    assert sorted((here / "asked").read_text().split("\n")) == ["", "no 4", "thanks 0", "thanks 3"]
    lines = _lines(here / "graded.jsonl")
    assert [line["thanks"] for line in lines] == [1, 1, 0, 1, 0]
    assert not any("digest" in key for line in lines for key in line)


def test_rows_of_a_table_that_could_not_be_graded_are_tried_again_in_the_next_run(here: Path) -> None:
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, _rows(2))), encoding="utf-8")
    (here / "down").touch()
    done = _grade(here, "rows.jsonl", "--out", "graded.jsonl")
    assert (done.returncode, [row["score"] for row in _lines(here / "graded.jsonl")]) == (5, [None, None])
    assert "it is down" in _lines(here / "graded.jsonl")[0]["error"]
    (here / "down").unlink()
    assert _grade(here, "rows.jsonl", "--out", "graded.jsonl").returncode == 1
    assert [row["error"] for row in _lines(here / "graded.jsonl")] == [None, None]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("rows.jsonl", "--out", "graded.xlsx"), "`--out` must end in .csv, .jsonl, .parquet, got graded.xlsx"),
        (("rows.jsonl", "--map", "text=response"), "`--map`: there is no column 'text'"),
        (("answer.md", "--map", "text=response"), "--map is for files of several responses"),
        (("rows.jsonl", "--out", "begun.jsonl"), "begun.jsonl.partial was begun with another rubric, prompt or judge"),
    ],
)
def test_an_impossible_option_of_grade_is_refused_before_a_judge_is_asked(
    here: Path, command: tuple[str, ...], message: str
) -> None:
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, _rows(2))), encoding="utf-8")
    (here / "answer.md").write_text("thanks", encoding="utf-8")
    (here / "begun.jsonl.partial").write_text('{"fingerprints": {}}\n', encoding="utf-8")
    done = _grade(here, *command)
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    assert not (here / "asked").exists()


def test_the_map_option_of_grade_renames_a_key_that_the_first_line_of_the_file_lacks(here: Path) -> None:
    rows = [{"id": "r0"}, *({"id": f"r{k}", "said": "thanks"} for k in range(1, 10))]
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = _grade(here, "rows.jsonl", "--map", "said=response", "--json")
    grades = [json.loads(line) for line in done.stdout.splitlines()]
    assert [grade["error"] is None for grade in grades] == [False] + [True] * 9, done.stderr


def test_the_grade_command_with_the_skip_damaged_setting_leaves_out_a_damaged_line_of_a_file_with_renamed_keys(
    here: Path,
) -> None:
    rows = [json.dumps({"id": f"r{k}", "said": "thanks"}) for k in range(4)]
    (here / "rows.jsonl").write_text("\n".join([*rows, "{broken", ""]), encoding="utf-8")
    refused = _grade(here, "rows.jsonl", "--map", "said=response")
    assert (refused.returncode, "rows.jsonl:5: is not readable JSON" in refused.stderr) == (2, True)
    done = _grade(here, "rows.jsonl", "--map", "said=response", "-o", "skip_damaged=true", "--json")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 4), done.stderr
    assert done.stderr.count("rows.jsonl:5: is not readable JSON") == 1
    assert "left out" in done.stderr


def test_the_grade_command_prints_the_category_of_each_response_of_a_rubric_whose_categories_have_no_score(
    here: Path,
) -> None:
    options = "options: [{label: billing}, {label: delivery}]"
    topic = f"name: topic\ncriteria:\n  - {{name: about, description: Its topic, scale_type: nominal, {options}}}\n"
    (here / "rubrics" / "topic.yaml").write_text(topic, encoding="utf-8")
    verdict = {"quote": "", "reason": "So.", "level": "delivery"}
    judge = f"def judge(system_prompt, user_prompt):\n    return {{'verdicts': {{'about': {verdict}}}}}\n"
    (here / "topics.py").write_text(judge, encoding="utf-8")
    (here / "rows.jsonl").write_text("\n".join(map(json.dumps, _rows(2))), encoding="utf-8")
    done = run("markscheme", "grade", "topic", "rows.jsonl", "--judge", "function:topics:judge", cwd=here)
    assert done.stdout.splitlines()[:2] == ["r0  no score  about delivery", "r1  no score  about delivery"], done.stderr


@pytest.mark.proof
def test_a_killed_and_repeated_run_of_grade_loses_no_row_and_neither_writes_a_row_nor_asks_a_prompt_twice(
    here: Path,
) -> None:
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
        "-o",
        "concurrency=4",
    ]
    env = {
        **environment(),
        "MARKSCHEME_CACHE": str(here / "cache"),
        "SLOW": "0.1",  # grades wait for up to 2 seconds before they are written
        "HELD_FROM": str(sum(len(f"{row['response']}\n") for row in _rows(200))),
    }
    (here / "held").touch()
    running = subprocess.Popen(command, cwd=here, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal, end = here / "graded.csv.partial", time.monotonic() + 300
    while not journal.exists() or journal.read_bytes().count(b"\n") < 20:
        assert running.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    running.kill()
    running.wait()
    (here / "held").unlink()
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"id": "r9')  # as a power cut leaves it
    assert _grade(here, "rows.jsonl", "--out", "graded.csv").returncode == 1
    with (here / "graded.csv").open(encoding="utf-8", newline="") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    assert sorted(ids) == sorted(row["id"] for row in _rows(n))
    asked = (here / "asked").read_text(encoding="utf-8").splitlines()
    assert len(asked) - len(set(asked)) <= 4, "only what was being asked when it was killed"
    assert set(asked) == {row["response"] for row in _rows(n)}


def test_the_grade_command_counts_the_commonest_reasons_for_ungraded_rows_if_it_writes_a_table(here: Path) -> None:
    own_rubrics = [
        {"id": f"r{weight}", "response": "thanks", "rubric": [{"requirement": "Says a.", "weight": weight}]}
        for weight in ("a", "b", "c", 0)
    ]
    rows = [*own_rubrics, *({"id": f"n{index}", "response": None} for index in range(3))]
    (here / "some.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = _grade(here, "some.jsonl", "--out", "graded.jsonl")
    line = done.stderr.split("graded.jsonl: ")[1].splitlines()[0]
    assert line.startswith("0 fail, 7 not graded: 3 × the row has no response; 1 × its rubric, criterion 1: ")
    assert line.endswith("; and 2 more")
    assert sum(row["error"] is not None for row in _lines(here / "graded.jsonl")) == 7
