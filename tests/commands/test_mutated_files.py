"""Files as accidents and strangers leave them: commands read them or say why they can't, and name them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from markscheme.readers.rated import open_rated
from tests.commands.console import ROOT, environment, run
from tests.commands.long_names import LONG, refuses_long_name
from tests.readers.every_format import make_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_project(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("reads", "runs", "archives"),
    [
        (150, 30, 10),
        pytest.param(1_200, 100, 25, marks=pytest.mark.proof),
        pytest.param(100_000, 10_000, 200, marks=pytest.mark.release),
    ],
)
def test_mutated_files_never_cause_a_traceback_and_every_refusal_names_a_file(
    reads: int, runs: int, archives: int
) -> None:
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
    "settings of 401 digits": ("markscheme.toml", f"target = {HUGE}\n", "markscheme.toml"),
    "a level beyond all scales": (
        "rubrics/place.yaml",
        "criteria: [{requirement: A, levels: [{value: 0}, {value: 1.0e+300}]}]",
        "a level's value must be a finite number from -1e+09 to 1e+09",
    ),
}
COMMANDS = {
    "ratings.jsonl": "calibrate place --ratings ratings.jsonl",
    "rubrics/place.yaml": "calibrate place --ratings ratings.jsonl",
    "markscheme.toml": "calibrate place --ratings ratings.jsonl",
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_with_a_value_that_cannot_be_used_in_calculations_is_refused_and_named(folder: Path, name: str) -> None:
    file, text, why = REFUSED[name]
    (folder / file).write_text(text)
    refuses_values(folder, file, why, *COMMANDS[file].split())


def refuses_values(folder: Path, file: str, why: str, *command: str) -> None:
    """Check that a command refuses a file's content with the reason and the file's name."""
    done = run("markscheme", *command, cwd=folder)
    assert "Traceback" not in done.stderr
    assert done.returncode in (1, 2)
    printed = " ".join((done.stdout + done.stderr).split())
    assert Path(file).name in printed
    assert why in printed


NAMED_TOO_LONG = (
    f"calibrate {LONG}",
    f"calibrate {LONG}.csv",
    f"calibrate place --ratings {LONG}.jsonl",
    f"calibrate place --ratings ratings.jsonl --html {LONG}.html",
    f"calibrate place --judge recorded:{LONG}",
    f"grade place {LONG}",
)


def test_a_name_that_no_file_can_have_is_refused_wherever_it_is_given(folder: Path) -> None:
    for command in NAMED_TOO_LONG:
        refuses_long_name(folder, command)


def test_a_pyarrow_that_cannot_be_imported_is_reported_before_a_judge_is_asked(folder: Path) -> None:
    break_pyarrow(folder)
    (folder / "rows.jsonl").write_text('{"id": "a", "response": "Reply p1."}\n')
    words = ("grade", "place", "rows.jsonl", "--out", "out.parquet", "--judge", "function:parcel_desk:judge")
    names_the_library_that_is_broken(folder, "out.parquet", *words)


def break_pyarrow(folder: Path) -> None:
    """Write a module `pyarrow` that can't be imported."""
    (folder / "broken").mkdir()
    (folder / "broken" / "pyarrow.py").write_text("raise ImportError('libarrow.so: cannot open shared object file')\n")


def names_the_library_that_is_broken(folder: Path, file: str, *command: str) -> None:
    """Check that a command says that pyarrow can't be imported, and for which file it is needed."""
    done = run("markscheme", *command, cwd=folder, env={"PYTHONPATH": str(folder / "broken")})
    assert done.returncode == 2
    assert f"error: {file}: Parquet needs the package pyarrow, which cannot be imported here" in done.stderr
    assert "libarrow.so" in done.stderr


def test_ids_in_a_graded_table_are_safe_in_spreadsheets_and_on_terminals(folder: Path) -> None:
    ids = ["=1+1", "@SUM(A1)", "\x1b[31mred", "-1", "'quoted"]
    (folder / "rows.jsonl").write_text(
        "".join(json.dumps({"id": unit, "response": "Reply p1."}) + "\n" for unit in ids)
    )
    words = ("grade", "place", "rows.jsonl", "--out", "out.csv", "--judge", "function:parcel_desk:judge")
    done = run("markscheme", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    cells = [line.partition(",")[0] for line in (folder / "out.csv").read_text().splitlines()[1:]]
    assert cells == ["'=1+1", "'@SUM(A1)", "\ufffd[31mred", "'-1", "'quoted"]
    read = [rating.id for rating in open_rated([folder / "out.csv"]).ratings]
    assert read == ["=1+1", "@SUM(A1)", "\ufffd[31mred", "-1", "'quoted"]


def test_json_of_an_unknown_tool_is_reported_in_two_lines_and_not_read_as_a_faulty_rubric(folder: Path) -> None:
    record = {f"field {n}": n for n in range(9)}
    for data in ({"rows": [record], **record}, [record] * 10):
        (folder / "other.json").write_text(json.dumps(data))
        done = run("markscheme", "calibrate", "other.json", cwd=folder)
        assert done.returncode == 2
        assert done.stderr.startswith("error: which columns are a judge's and people's? 'field 0', ")
        assert len(done.stderr.splitlines()) == 2
    (folder / "other.json").write_text('{"criterias": [], "treshold": 0.5}')
    assert "'criterias' and 'treshold' may be" in run("markscheme", "calibrate", "other.json", cwd=folder).stderr


def test_a_judge_in_the_settings_file_is_not_taken_for_a_rater_of_a_table(folder: Path) -> None:
    (folder / "markscheme.toml").write_text('judge = "anthropic"\n')
    (folder / "raters.csv").write_text("unit,ann,ben\na,1,1\nb,0,1\nc,1,0\n")
    done = run("markscheme", "calibrate", "raters.csv", "--human", "ann", "ben", cwd=folder)
    assert done.returncode == 0, done.stderr
