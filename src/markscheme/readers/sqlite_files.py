"""Opening of SQLite files, read-only, and why one can't be read."""

import sqlite3
from pathlib import Path
from urllib.parse import quote

from markscheme.errors import RatingError

MOST_OF_CELL = 64 * 2**20
"""Largest size in bytes of a row in an SQLite file: more than any trace has, and small enough for memory."""
STORE_ERRORS = (sqlite3.Error, ValueError, OverflowError, MemoryError)
"""Errors that the module sqlite3 raises for damaged files; ValueError also if SQLite's own message isn't UTF-8."""


def why_unreadable(problem: Exception) -> str:
    """Explain why a row of an SQLite file can't be read; if it is too large, with the size limit."""
    if isinstance(problem, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return (
        f"{problem}; at most {MOST_OF_CELL:,} bytes are read"
        if isinstance(problem, sqlite3.DataError)
        else str(problem)
    )


def open_database(path: Path) -> sqlite3.Connection:
    """Open an SQLite file read-only, also in a read-only folder."""
    address = f"file:{quote(str(path.resolve()))}?mode=ro"
    has_log = Path(f"{path}-wal").exists()
    for ending in ("", "&immutable=1"):
        database = sqlite3.connect(address + ending, uri=True)
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_OF_CELL)
        database.text_factory = bytes.decode
        try:
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except STORE_ERRORS as problem:
            database.close()
            if ending or has_log or not isinstance(problem, sqlite3.OperationalError):
                raise RatingError(f"cannot be read: {why_unreadable(problem)}", path=path) from problem
        else:
            return database
    raise AssertionError("one of the two ways returns or raises")
