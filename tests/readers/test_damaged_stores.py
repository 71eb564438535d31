"""Parquet and SQLite files with unreadable cells, which are refused with the row."""

import datetime
import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from markscheme.errors import RatingError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.parquet_rows import parquet_rows
from markscheme.readers.peek import Peek
from markscheme.readers.tabular.source import open_sheet


def test_a_parquet_cell_that_is_not_utf8_is_named_with_its_row(tmp_path: Path) -> None:
    offsets, raw = struct.pack("<1202i", *range(0, 3604, 3)), b"ok." * 1_100 + b"ok\x95" + b"ok." * 100
    texts = pa.Array.from_buffers(pa.string(), 1_201, [None, pa.py_buffer(offsets), pa.py_buffer(raw)])
    parquet.write_table(pa.table({"id": [str(n) for n in range(1_201)], "response": texts}), tmp_path / "t.parquet")
    with pytest.raises(RatingError, match=r"t\.parquet:1101: the cell of 'response' is not UTF-8 text"):
        list(parquet_rows(tmp_path / "t.parquet"))


def test_a_parquet_date_that_python_cannot_represent_is_named_with_its_column_and_row(tmp_path: Path) -> None:
    days = pa.array([datetime.date(2026, 11, 20), None], pa.date32()).view(pa.int32()).to_pylist()
    table = pa.table({"id": ["1", "2"], "at": pa.array([days[0], 2_000_000_000], pa.int32()).view(pa.date32())})
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(RatingError, match=r"t\.parquet:2: the cell of 'at' cannot be read"):
        list(parquet_rows(tmp_path / "t.parquet"))


def test_an_sqlite_file_with_a_damaged_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with closing(sqlite3.connect(path)) as store:
        store.execute("CREATE TABLE spans (id TEXT)")
        store.commit()
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE spans", b"CREAT\x81 TABLE \x81pans"))
    with pytest.raises(RatingError, match=r"s\.db: cannot be read"):
        assert Peek(path).tables


def test_rows_that_a_program_has_committed_to_an_sqlite_file_it_still_has_open_are_read_as_a_table(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.db"
    with closing(sqlite3.connect(path)) as store:
        store.execute("PRAGMA journal_mode = wal")
        store.execute("CREATE TABLE graded (id TEXT, judge TEXT)")
        store.execute("INSERT INTO graded VALUES ('1', 'yes')")
        store.commit()
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.execute("INSERT INTO graded VALUES ('2', 'no')")
        store.commit()
        ids, _ = open_sheet(path, ColumnOptions()).columns
    assert ids.cells == ("1", "2")


def test_a_text_of_an_sqlite_table_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with closing(sqlite3.connect(path)) as store:
        store.execute("CREATE TABLE graded (id TEXT, judge TEXT)")
        store.execute("INSERT INTO graded VALUES ('1', cast(x'6f6b95' AS TEXT))")
        store.commit()
    with pytest.raises(RatingError, match=r"s\.db: cannot be read: it is not UTF-8 text"):
        open_sheet(path, ColumnOptions())


def test_a_parquet_file_without_columns_is_refused_as_a_table_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({}), path)
    with pytest.raises(RatingError, match=r"t\.parquet: holds no rows"):
        open_sheet(path, ColumnOptions())
