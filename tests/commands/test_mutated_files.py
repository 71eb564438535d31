"""Files as accidents and strangers leave them: commands read them or say why they can't, and name them."""

import json
import os
import re
import sqlite3
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.console import ROOT, environment, run
from tests.readers import exports
from tests.readers.every_format import make_project, promptfoo_results


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_project(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("reads", "runs", "archives"),
    [
        (400, 40, 20),
        pytest.param(6_000, 500, 60, marks=pytest.mark.proof),
        pytest.param(100_000, 10_000, 200, marks=pytest.mark.release),
    ],
)
def test_mutated_files_end_in_no_traceback_and_every_refusal_names_a_file(reads: int, runs: int, archives: int) -> None:
    sizes = (f"--reads={reads}", f"--runs={runs}", f"--archives={archives}")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.mutated_files", *sizes, "--seed=7", "--show"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = (line for line in done.stdout.splitlines() if re.match(r"\| (readers|text|arch)", line))
    rows = [line.strip("| ").split(" | ") for line in lines]
    assert [row[1] for row in rows] == [f"{reads:,}", f"{runs:,}", f"{archives:,}"]
    assert [(row[4], row[6], row[9]) for row in rows] == [("0", "0", "0")] * 3, done.stdout
    assert all(int(row[2].replace(",", "")) for row in rows), "some are accepted all the same"


HUGE = "1" + "0" * 400
REFUSED: dict[str, tuple[str, str, str]] = {
    "a level of 401 digits": ("ratings.jsonl", f'{{"id": "p1", "criteria": {{"place": {HUGE}}}}}\n', "is too large"),
    "a score past every float": ("ratings.jsonl", '{"id": "p1", "overall": 1e999}\n', "the number 1e999 is too large"),
    "a weight of 401 digits": ("rubrics/place.yaml", f"criteria: [{{requirement: A, weight: {HUGE}}}]", "is too large"),
    "levels that are a colour": (
        "ratings.jsonl",
        '{"id": "p1", "criteria": {"place": {"level": "\\u001b[31mred"}}}\n',
        "isn't a level",
    ),
    "an experiment's report without cases": (
        "experiment.json",
        '{"schema": 1, "outputs": [{"variant": "a", "case": "b", "output": "c"}, {"variant": "a"}]}',
        "output 2 has no `variant` or no `case`",
    ),
    "settings of 401 digits": ("markscheme.toml", f"target = {HUGE}\n", "markscheme.toml"),
    "a level beyond all scales": (
        "rubrics/place.yaml",
        "criteria: [{requirement: A, levels: [{value: 0}, {value: 1.0e+300}]}]",
        "a level's value must be a finite number from -1e+09 to 1e+09",
    ),
}
COMMANDS = {
    "ratings.jsonl": "calibrate place --ratings ratings.jsonl",
    "rubrics/place.yaml": "lint rubrics/place.yaml",
    "experiment.json": "gate-risk experiment.json experiment.json --threshold 0.5",
    "markscheme.toml": "calibrate place --ratings ratings.jsonl",
}


@pytest.mark.parametrize("name", REFUSED)
def test_values_that_no_arithmetic_takes_are_refused_with_their_file(folder: Path, name: str) -> None:
    file, text, why = REFUSED[name]
    (folder / file).write_text(text)
    done = run("markscheme", *COMMANDS[file].split(), cwd=folder)
    assert "Traceback" not in done.stderr
    assert done.returncode in (1, 2)
    printed = " ".join((done.stdout + done.stderr).split())
    assert Path(file).name in printed
    assert why in printed


LONG = "x" * 300
NAMED_TOO_LONG = (
    f"calibrate {LONG}",
    f"calibrate {LONG}.csv",
    f"calibrate place --ratings {LONG}.jsonl",
    f"calibrate place --ratings ratings.jsonl --html {LONG}.html",
    f"calibrate place --judge recorded:{LONG}",
    f"compare {LONG} ratings.jsonl --rubric place",
    f"plan place --next 1 --pool {LONG}",
    f"grade place {LONG}",
    f"lint folder/{LONG}",
    f"verify {LONG}",
    f"discover fresh --pool {LONG}",
)


def test_a_name_that_no_file_can_have_is_refused_wherever_it_is_given(folder: Path) -> None:
    for command in NAMED_TOO_LONG:
        done = run("markscheme", *command.split(), cwd=folder)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), f"{command}: {done.stderr}"
        assert LONG[:50] in (done.stdout + done.stderr).replace("\n", ""), command


VARIANT = 'variants: [{name: a, prompt: "{{q}}"}]'
NAMED_INSIDE = (
    f'rubric: place\nvariants: [{{name: a, prompt: "file://{LONG}"}}]\ncases: [{{id: c}}]\n',
    f"rubric: place\noutputs: {LONG}.jsonl\ncases: [{{id: c}}]\n",
    f"rubric: place\n{VARIANT}\ncases: {LONG}.jsonl\n",
    f"rubric: {LONG}\n{VARIANT}\ncases: [{{id: c}}]\n",
)


@pytest.mark.parametrize("text", NAMED_INSIDE)
def test_a_file_that_names_what_no_file_can_have_is_named_itself(text: str, folder: Path) -> None:
    (folder / "place.experiment.yaml").write_text(text)
    done = run("markscheme", "experiment", "place.experiment.yaml", cwd=folder)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "place.experiment.yaml" in done.stderr


def set_cells(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    database.execute(statement)
    database.commit()
    database.close()


CELLS = {
    "NULL times": (exports.mlflow_store, "UPDATE assessments SET created_timestamp = NULL"),
    "a time in no calendar": (exports.mlflow_store, "UPDATE assessments SET created_timestamp = 9e18"),
    "NULL ids of annotations": (exports.phoenix_store, "UPDATE span_annotations SET id = NULL, metadata = NULL"),
    "explanations of bytes": (exports.phoenix_store, "UPDATE span_annotations SET explanation = x'00ff'"),
}


@pytest.mark.parametrize("name", CELLS)
def test_stores_with_cells_that_are_missing_or_of_another_type_are_read(folder: Path, name: str) -> None:
    make, statement = CELLS[name]
    set_cells(make(folder / "store.db"), statement)
    done = run("markscheme", "import", "store.db", "--rubric", "place", "--to", "out.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert len((folder / "out.jsonl").read_text().splitlines()) == len(exports.ratings())


def test_numeric_ids_of_a_store_are_ids(folder: Path) -> None:
    store = exports.mlflow_store(folder / "store.db")
    for table, column in (("trace_info", "request_id"), ("spans", "trace_id"), ("assessments", "trace_id")):
        set_cells(store, f"UPDATE {table} SET {column} = CAST(substr({column}, 2) AS INTEGER)")
    done = run("markscheme", "import", "store.db", "--rubric", "place", "--to", "out.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    ids = {json.loads(line)["id"] for line in (folder / "out.jsonl").read_text().splitlines()}
    assert ids == {unit.removeprefix("p") for unit in exports.UNITS}


def with_header(raw: bytes, mark: bytes, offset: int, value: bytes) -> bytes:
    start = raw.index(mark) + offset
    return raw[:start] + value + raw[start + len(value) :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "encrypted": lambda raw: with_header(raw, b"PK\x01\x02", 8, struct.pack("<H", 1)),
    "broken deflate": lambda raw: with_header(raw, b"PK\x03\x04", 30 + len("header.json"), b"\xff" * 40),
    "Zstandard behind the end": lambda raw: with_header(
        with_header(raw, b"PK\x01\x02", 10, struct.pack("<H", 93)), b"PK\x01\x02", 42, struct.pack("<I", len(raw) - 3)
    ),
    "an unknown method": lambda raw: with_header(raw, b"PK\x01\x02", 10, struct.pack("<H", 99)),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged_archives_are_refused_by_name(folder: Path, name: str) -> None:
    path = exports.eval_archive(folder / "log.eval", exports.inspect()["log.json"])
    path.write_bytes(DAMAGE[name](path.read_bytes()))
    assert zipfile.is_zipfile(path)
    done = run("markscheme", "import", "log.eval", "--rubric", "place", cwd=folder)
    assert done.returncode == 2
    assert re.match(r"error: log\.eval: (cannot be unpacked|is packed with Zstandard)", done.stderr), done.stderr


def test_a_device_without_an_end_is_refused_where_a_file_names_it(folder: Path) -> None:
    experiment = folder / "place.experiment.yaml"
    experiment.write_text(experiment.read_text().replace('prompt: "{{query}}"', 'prompt: "file:///dev/zero"'))
    (folder / "rubrics" / "endless.yaml").symlink_to("/dev/zero")
    words = ("--judge", "function:parcel_desk:judge", "--model", "function:parcel_desk:answer")
    done = run("markscheme", "experiment", "place.experiment.yaml", *words, cwd=folder)
    assert done.returncode == 2
    assert "place.experiment.yaml" in done.stderr
    assert "/dev/zero: is a device, not a file" in done.stderr
    assert run("markscheme", "lint", "rubrics/endless.yaml", cwd=folder).returncode == 2


@pytest.mark.parametrize("named", ['variants: [{name: a, prompt: "file://pipe"}]', "outputs: pipe"])
def test_a_pipe_that_an_experiment_names_is_not_waited_for(folder: Path, named: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "waits.experiment.yaml").write_text(f"rubric: place\n{named}\ncases: [{{id: c, inputs: {{query: q}}}}]\n")
    done = run("markscheme", "experiment", "waits.experiment.yaml", cwd=folder)
    assert done.returncode == 2
    assert "pipe: is a pipe, not a file" in done.stderr


def test_a_pyarrow_that_cannot_be_imported_is_named_before_anything_is_asked(folder: Path) -> None:
    broken = folder / "broken"
    broken.mkdir()
    (broken / "pyarrow.py").write_text("raise ImportError('libarrow.so: cannot open shared object file')\n")
    (folder / "rows.jsonl").write_text('{"id": "a", "response": "Reply p1."}\n')
    for file, words in (("table.parquet", ("import", "table.parquet", "--rubric", "place")),
                        ("out.parquet", ("grade", "place", "rows.jsonl", "--out", "out.parquet",
                                         "--judge", "function:parcel_desk:judge"))):  # fmt: skip
        done = run("markscheme", *words, cwd=folder, env={"PYTHONPATH": str(broken)})
        assert done.returncode == 2
        assert f"error: {file}: Parquet needs the package pyarrow, which cannot be imported here" in done.stderr
        assert "libarrow.so" in done.stderr


def test_ids_in_a_graded_table_start_no_formula_and_reach_no_terminal(folder: Path) -> None:
    ids = ["=1+1", "@SUM(A1)", "\x1b[31mred", "-1", "'quoted"]
    (folder / "rows.jsonl").write_text(
        "".join(json.dumps({"id": unit, "response": "Reply p1."}) + "\n" for unit in ids)
    )
    words = ("grade", "place", "rows.jsonl", "--out", "out.csv", "--judge", "function:parcel_desk:judge")
    done = run("markscheme", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    cells = [line.partition(",")[0] for line in (folder / "out.csv").read_text().splitlines()[1:]]
    assert cells == ["'=1+1", "'@SUM(A1)", "\ufffd[31mred", "'-1", "'quoted"]
    back = run("markscheme", "import", "out.csv", "--rubric", "place", cwd=folder)
    read = [json.loads(line)["id"] for line in back.stdout.splitlines()]
    assert read == ["=1+1", "@SUM(A1)", "\ufffd[31mred", "-1", "'quoted"]


def test_scores_outside_0_to_1_in_promptfoo_s_results_are_counted_and_no_gate_is_made_of_them(folder: Path) -> None:
    data = promptfoo_results()
    for row in data["results"]["results"]:
        (grader, _) = row["gradingResult"]["componentResults"]
        row["score"] = row["gradingResult"]["score"] = grader["score"] = 7.5
        row["gradingResult"]["componentResults"] = [grader]
    (folder / "high.json").write_text(json.dumps(data))
    done = run("markscheme", "gate-risk", "high.json", "high.json", "--threshold", "0.5", cwd=folder)
    assert done.returncode in (2, 4, 5)
    assert "Traceback" not in done.stderr
    imported = run("markscheme", "import", "high.json", "--rubric", "place", cwd=folder)
    assert "6 scores of outputs that aren't from 0 to 1" in " ".join(imported.stderr.split())


def test_json_of_an_unknown_tool_is_not_a_rubric_with_ninety_faults(folder: Path) -> None:
    record = {f"field {n}": n for n in range(9)}
    for data in ({"rows": [record], **record}, [record] * 10):
        (folder / "other.json").write_text(json.dumps(data))
        done = run("markscheme", "calibrate", "other.json", cwd=folder)
        assert done.returncode == 2
        assert done.stderr.startswith("error: which columns are a judge's and people's? 'field 0', ")
        assert len(done.stderr.splitlines()) == 2
        assert "isn't a rubric" in run("markscheme", "lint", "other.json", cwd=folder).stdout
    (folder / "other.json").write_text('{"criterias": [], "treshold": 0.5}')
    assert "'criterias' and 'treshold' may be" in run("markscheme", "calibrate", "other.json", cwd=folder).stderr


def test_examples_that_are_imported_twice_are_added_once(folder: Path) -> None:
    (table,) = exports.written(folder, exports.mlflow())
    words = ("import", table.name, "--rubric", "place", "--append", "--to", "to.jsonl", "--examples", "pool.jsonl")
    texts = []
    for _ in range(2):
        assert run("markscheme", *words, cwd=folder).returncode == 0
        texts.append((folder / "pool.jsonl").read_text())
    assert texts[0] == texts[1]
    assert len(texts[0].splitlines()) == len(exports.UNITS)
    (folder / "pool.jsonl").write_text(texts[0].replace("Reply p1.", "Another reply."))
    done = run("markscheme", *words, cwd=folder)
    assert done.returncode == 2
    assert "pool.jsonl: holds other responses under 1 id of what is imported: p1" in done.stderr


def test_a_project_s_judge_is_not_a_rater_of_a_table(folder: Path) -> None:
    (folder / "markscheme.toml").write_text('judge = "anthropic"\n')
    (folder / "raters.csv").write_text("unit,ann,ben\na,1,1\nb,0,1\nc,1,0\n")
    done = run("markscheme", "agreement", "raters.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
