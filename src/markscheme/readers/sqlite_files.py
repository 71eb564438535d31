"""Reading of SQLite files, and why one can't be read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from markscheme.errors import RatingError

if TYPE_CHECKING:
    import sqlite3

MOST_OF_CELL = 64 * 2**20
"""Largest size in bytes of a row in an SQLite file: more than any trace has, and small enough for memory."""


_LIMIT_OF_LENGTH = 0
"""What sqlite3 calls SQLITE_LIMIT_LENGTH."""


@contextmanager
def reading_database(path: Path, row: Callable[[Exception], str] | None = None) -> Iterator[sqlite3.Connection]:
    """Open an SQLite file read-only, also in a read-only folder, and close it afterwards.

    Args:
        path: The file.
        row: Names the row that an error is about; None if it is the file.

    Raises:
        RatingError: The file, or a row of it, can't be read.
    """
    import sqlite3  # a megabyte, which few files need

    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    has_log = Path(f"{path}-wal").exists()
    try:
        try:
            database = _opened(sqlite3.connect(address, uri=True))
        except sqlite3.OperationalError:
            if has_log:
                raise
            database = _opened(sqlite3.connect(f"{address}&immutable=1", uri=True))
        with closing(database):
            yield database
    except (sqlite3.Error, ValueError, OverflowError, MemoryError) as problem:  # ValueError: a text isn't UTF-8
        subject = f"{row(problem)} " if row else ""
        limit = f"; at most {MOST_OF_CELL:,} bytes are read" if isinstance(problem, sqlite3.DataError) else ""
        why = "it is not UTF-8 text" if isinstance(problem, UnicodeDecodeError) else f"{problem}{limit}"
        raise RatingError(f"{subject}cannot be read: {why}", path=path) from problem


def _opened(database: sqlite3.Connection) -> sqlite3.Connection:
    """Set the limits of a connection, and try it; close it if its file can't be read."""
    database.setlimit(_LIMIT_OF_LENGTH, MOST_OF_CELL)
    database.text_factory = bytes.decode
    try:
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        database.close()
        raise
    return database
