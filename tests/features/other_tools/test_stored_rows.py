"""Rows of SQLite files in which tools store what they recorded: those with unreadable cells are refused."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from markscheme.errors import RatingError
from markscheme.features.other_tools.stored_rows import stored_rows
from markscheme.readers.peek import Peek
from markscheme.readers.sqlite_files import MOST_OF_CELL


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("cast(x'6f6b95' AS TEXT)", "row 3 of the table 'spans' cannot be read: it is not UTF-8 text"),
        (
            f"zeroblob({MOST_OF_CELL + 1})",
            f"row 3 of the table 'spans' cannot be read: .*at most {MOST_OF_CELL:,} bytes",
        ),
    ],
)
def test_a_cell_of_an_sqlite_file_that_cannot_be_read_is_named_with_its_row(
    cell: str, why: str, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "s.db")) as store:
        store.execute("CREATE TABLE spans (id TEXT, text TEXT)")
        store.execute(f"INSERT INTO spans VALUES ('1', 'ok'), ('2', 'ok'), ('3', {cell})")
        store.commit()
    rows = stored_rows(Peek(tmp_path / "s.db"), "spans", ("id", "text"))
    with pytest.raises(RatingError, match=rf"s\.db: {why}"):
        list(rows)
