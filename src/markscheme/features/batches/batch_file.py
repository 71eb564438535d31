"""The record of batches, in the file that caches replies; reading it loads no module that asks a judge."""

import sqlite3
from contextlib import closing
from pathlib import Path

from markscheme.errors import UsageError
from markscheme.judges import REPLIES_FILE, cache_folder
from markscheme.judges.reply_file import open_replies

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS batches (token TEXT PRIMARY KEY, identity TEXT, remote TEXT, owner TEXT, began REAL, "
    "asked INTEGER, processed INTEGER, reserved REAL, usage TEXT, ended REAL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS batched (key TEXT PRIMARY KEY, token TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS batched_by_token ON batched (token)",
)


def open_batches(folder: Path) -> sqlite3.Connection:
    """Open the cache file of a folder, creating both if needed; each statement returns only after its data is on disk.

    Raises:
        UsageError: The file can't be opened or written.
    """
    try:
        connection = open_replies(folder)
        connection.execute("PRAGMA synchronous=FULL")
        for statement in _SCHEMA:
            connection.execute(statement)
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"batches need the cache: {folder / REPLIES_FILE} cannot be used: {error}") from error
    return connection


def has_open_batch(folder: Path) -> bool:
    """Return True if a cache folder records a batch of which some replies are still to be read; creates no file."""
    if not (folder / REPLIES_FILE).is_file():
        return False
    with closing(open_batches(folder)) as connection:
        return connection.execute("SELECT 1 FROM batches WHERE ended IS NULL LIMIT 1").fetchone() is not None


def is_batch_under_way() -> bool:
    """Return True if this machine's cache records a batch of which some replies are still to be read."""
    return has_open_batch(cache_folder())
