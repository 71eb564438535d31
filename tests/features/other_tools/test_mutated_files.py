"""Files as accidents and strangers leave them, given to `import`."""

import json
import re
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.console import run
from tests.commands.test_mutated_files import break_pyarrow, names_the_library_that_is_broken
from tests.readers import exports
from tests.readers.every_format import high_scores, make_project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_project(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


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
def test_sqlite_stores_with_missing_cells_or_cells_of_another_type_are_read(folder: Path, name: str) -> None:
    make, statement = CELLS[name]
    set_cells(make(folder / "store.db"), statement)
    done = run("markscheme", "import", "store.db", "--rubric", "place", "--to", "out.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert len((folder / "out.jsonl").read_text().splitlines()) == len(exports.ratings())


def test_numeric_ids_in_a_sqlite_store_are_read_as_ids(folder: Path) -> None:
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
def test_the_import_command_refuses_damaged_archives_and_names_the_file(folder: Path, name: str) -> None:
    path = exports.eval_archive(folder / "log.eval", exports.inspect()["log.json"])
    path.write_bytes(DAMAGE[name](path.read_bytes()))
    assert zipfile.is_zipfile(path)
    done = run("markscheme", "import", "log.eval", "--rubric", "place", cwd=folder)
    assert done.returncode == 2
    assert re.match(r"error: log\.eval: (cannot be unpacked|is packed with Zstandard)", done.stderr), done.stderr


def test_examples_that_are_imported_twice_are_added_only_once(folder: Path) -> None:
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


def test_the_import_command_counts_scores_outside_0_to_1_in_promptfoo_s_results_as_not_imported(folder: Path) -> None:
    (folder / "high.json").write_text(json.dumps(high_scores()))
    imported = run("markscheme", "import", "high.json", "--rubric", "place", cwd=folder)
    assert "6 scores of outputs that aren't from 0 to 1" in " ".join(imported.stderr.split())


def test_reading_parquet_without_pyarrow_names_the_missing_package(folder: Path) -> None:
    break_pyarrow(folder)
    names_the_library_that_is_broken(folder, "table.parquet", "import", "table.parquet", "--rubric", "place")


def test_an_import_removes_the_apostrophe_that_keeps_a_spreadsheet_from_running_an_id_as_a_formula(
    folder: Path,
) -> None:
    (folder / "out.csv").write_text("id,score,pass,place,error,receipt\n'=1+1,1.0,true,1,,no accepted run\n")
    back = run("markscheme", "import", "out.csv", "--rubric", "place", cwd=folder)
    assert [json.loads(line)["id"] for line in back.stdout.splitlines()] == ["=1+1"]
