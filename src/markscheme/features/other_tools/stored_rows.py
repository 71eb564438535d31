"""Rows of the tables in which tools store what they recorded, in SQLite files."""

from collections.abc import Iterator
from typing import Any

from markscheme.errors import RatingError
from markscheme.numerals import finite
from markscheme.readers.peek import Peek
from markscheme.readers.sqlite_files import reading_database


def stored_rows(peek: Peek, table: str, columns: tuple[str, ...], which: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table in an SQLite file, which is opened read-only.

    Args:
        peek: The file.
        table: Name of the table.
        columns: Names of the columns needed.
        which: A condition in SQL; None for all rows.

    Raises:
        RatingError: The table or one of the columns is missing, or a row can't be read.
    """
    missing = [column for column in columns if column not in peek.tables.get(table, ())]
    if missing:
        columns_there = ", ".join(sorted(peek.tables.get(table, ()))) or f"no such table, only {', '.join(peek.tables)}"
        raise RatingError(f"expected {', '.join(missing)} in the table {table!r}, got {columns_there}", path=peek.path)
    row_number, ahead = 1, 0

    def row(problem: Exception) -> str:
        is_of_text = isinstance(problem, ValueError)  # of the row that SQLite has returned, not of the one it looks up
        return f"row {row_number if is_of_text else row_number + ahead} of the table {table!r}"

    with reading_database(peek.path, row) as database:
        cursor = database.execute(f"SELECT {', '.join(columns)} FROM {table} {which or ''}")  # noqa: S608 - our readers'
        ahead = 1  # from here on, SQLite is asked for the row after the one that is returned
        for cells in cursor:
            yield dict(zip(columns, map(_cell, cells), strict=True))
            row_number += 1


def _cell(value: Any) -> Any:
    """Convert a cell of an SQLite table to JSON data: bytes to text, infinity to None."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None if isinstance(value, float) and finite(value) is None else value
