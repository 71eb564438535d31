"""How the SQLite file that caches replies is opened, with the standard library alone."""

import os
import sqlite3
import stat
import time
from pathlib import Path

from markscheme.judges import REPLIES_FILE

WAIT = 30.0
"""Seconds that one process waits for another to finish writing."""
REPLY_TABLES = (
    "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS tries (key TEXT PRIMARY KEY, n INTEGER, stop TEXT, settled INTEGER) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT, until REAL) WITHOUT ROWID",
)


def open_replies(folder: Path) -> sqlite3.Connection:
    """Open the SQLite file of replies in a folder, creating both if needed; each statement is its own transaction.

    Raises:
        OSError: The folder or the file can't be created, or another user may write to the folder.
        sqlite3.Error: The file can't be used.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / REPLIES_FILE
    os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    for path in (folder, file):
        _check_owner(path)
    connection = sqlite3.connect(file, timeout=WAIT, isolation_level=None, check_same_thread=False)
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    for statement in REPLY_TABLES:
        connection.execute(statement)
    return connection


def _check_owner(path: Path) -> None:
    """Raise PermissionError if another user can have written to a path, and so can have forged replies."""
    if not hasattr(os, "getuid"):
        return
    about = path.stat()
    user = os.getuid()
    if about.st_mode & stat.S_IWOTH:
        raise PermissionError(f"every user may write to {path}; take that away with chmod o-w, or delete it")
    if user and about.st_uid not in (0, user):
        raise PermissionError(f"{path} belongs to another user; name a folder of your own in MARKSCHEME_CACHE")


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Set write-ahead logging, so that writers don't block readers; retry if another process is just setting it.

    It retries since SQLite doesn't wait: if two processes change the journal mode at once, one fails immediately.
    """
    until = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # low byte: the primary code
            if not is_busy or time.monotonic() > until:
                raise
            time.sleep(0.005)
