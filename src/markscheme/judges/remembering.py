"""Replies kept on disk, so that nothing already answered is asked again."""

import json
import os
import sqlite3
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from markscheme.fingerprint import fingerprint
from markscheme.judges.judge import Identity, Judge, Reply, Token
from markscheme.prompt import Prompt

FILE = "replies.sqlite3"
WAIT = 30.0
"""Seconds that one process waits for another to finish writing."""

_SCHEMA = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID"


def cache_folder() -> Path:
    """Where replies are kept: $MARKSCHEME_CACHE, else $XDG_CACHE_HOME/markscheme, else the user's cache folder."""
    named = os.environ.get("MARKSCHEME_CACHE")
    if named:
        return Path(named)
    shared = os.environ.get("XDG_CACHE_HOME")
    if shared:
        return Path(shared) / "markscheme"
    from platformdirs import user_cache_path

    return user_cache_path("markscheme", appauthor=False)


@dataclass
class Memory:
    """Replies by key in one SQLite file that many processes may use at once.

    Every reply is on disk before `keep` returns, so that a killed run loses none. Where two processes answer the
    same key, the first reply stays and both get it. A folder that cannot be written, or a full disk, is told once
    and costs the memory, not the run.

    Attributes:
        folder: Made, for its owner alone, when first needed.
    """

    folder: Path = field(default_factory=cache_folder)

    def __post_init__(self) -> None:
        self._connection: sqlite3.Connection | None = None
        self._lost = False

    def recall(self, key: str) -> Reply | None:
        """The reply kept under `key`; one that cannot be read is forgotten."""
        found = self._execute("SELECT reply FROM replies WHERE key = ?", (key,))
        if not found:
            return None
        try:
            return _from_json(found[0][0])
        except (ValueError, KeyError, TypeError):
            self._execute("DELETE FROM replies WHERE key = ? AND reply = ?", (key, found[0][0]))
            return None

    def keep(self, key: str, reply: Reply) -> Reply:
        """Keep `reply` unless there is one already; the reply that is kept, at the cost of having asked."""
        self._execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, _to_json(reply)))
        first = self.recall(key)
        return reply if first is None or _to_json(first) == _to_json(reply) else replace(first, usage=reply.usage)

    def close(self) -> None:
        """Let go of the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _execute(self, statement: str, values: tuple[str, ...]) -> list[Any]:
        if self._lost:
            return []
        try:
            if self._connection is None:
                self._connection = self._open()
            return self._connection.execute(statement, values).fetchall()
        except (OSError, sqlite3.Error) as error:
            self._lost = True
            warnings.warn(f"replies are not kept: {self.folder / FILE}: {error}", RuntimeWarning, stacklevel=4)
            return []

    def _open(self) -> sqlite3.Connection:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = self.folder / FILE
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(file, timeout=WAIT, isolation_level=None, check_same_thread=False)
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(_SCHEMA)
        return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let writers leave readers alone; where others are opening the file as well, each takes its turn.

    SQLite doesn't wait by itself here: of two that change the journal at once, one is told at once that it may not.
    """
    until = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # its lowest byte; the rest tells why
            if not is_busy or time.monotonic() > until:
                raise
            time.sleep(0.005)


@dataclass(frozen=True)
class Remembering:
    """A judge that asks `judge` only what `memory` has no reply to.

    Attributes:
        judge: Who is asked; of a panel each member is remembered by itself, since a reply of several parts is not kept.
        memory: Where replies are kept.
    """

    judge: Judge
    memory: Memory

    @property
    def identity(self) -> Identity:
        """The judge's own."""
        return self.judge.identity

    def kept(self, prompt: Prompt, sample: int = 0) -> Reply | None:
        """The kept reply; None where there is none. Nobody is asked."""
        return self.memory.recall(self._key(prompt, sample))

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """The kept reply, or the judge's, which is then kept."""
        kept = self.kept(prompt, sample)
        if kept is not None:
            return kept
        reply = await self.judge.reply(prompt, sample)
        return reply if reply.parts else self.memory.keep(self._key(prompt, sample), reply)

    def _key(self, prompt: Prompt, sample: int) -> str:
        return fingerprint(prompt.fingerprint, self.judge.identity.fingerprint, sample)

    async def aclose(self) -> None:
        """Close the judge and the memory."""
        await self.judge.aclose()
        self.memory.close()


def _to_json(reply: Reply) -> str:
    kept: dict[str, Any] = {"text": reply.text, "model": reply.model, "stop": reply.stop}
    if reply.tokens:
        kept["tokens"] = [[token.text, dict(token.alternatives)] for token in reply.tokens]
    return json.dumps(kept, ensure_ascii=True, separators=(",", ":"))


def _from_json(text: str) -> Reply:
    kept = json.loads(text)
    if not isinstance(kept, Mapping) or not isinstance(kept["text"], str):
        raise ValueError("what was kept is no reply")
    tokens = tuple(Token(token, alternatives) for token, alternatives in kept.get("tokens", ()))
    return Reply(kept["text"], kept["model"], kept["stop"], source="cache", tokens=tokens)
