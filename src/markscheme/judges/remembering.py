"""A cache of judges' replies on disk, so that no prompt is sent twice."""

import asyncio
import itertools
import json
import os
import socket
import sqlite3
import time
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from markscheme.errors import JudgeUnavailable
from markscheme.fingerprint import fingerprint
from markscheme.judges import REPLIES_FILE, cache_folder
from markscheme.judges.judge import Reply, Stop, Token, Wrapping
from markscheme.judges.reply_file import REPLY_TABLES, open_replies
from markscheme.numerals import count, finite
from markscheme.phrases import counted
from markscheme.prompts.prompt import Prompt
from markscheme.session.client import is_halted

LEASE = 150.0
"""Seconds after which a claim to request a reply expires if its process can't be checked: longer than a request may
take."""
LONGEST_LOOK = 0.25
"""Largest number of seconds between two checks for a reply that another process has requested."""

_NOTE = (
    "INSERT INTO tries VALUES (?, 1, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET n = n + 1, stop = excluded.stop, settled = excluded.settled"
)
_CLAIM = (
    "INSERT INTO claims VALUES (?, ?, ?) "
    "ON CONFLICT (key) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE claims.until < ?"
)
_STOPS = get_args(Stop)
_HOST = socket.gethostname()
_CLAIMS = itertools.count()


@dataclass
class Memory:
    """Cache of replies by key, in one SQLite file that many processes may use at once.

    Every reply is on disk before `keep` returns, so that a killed run loses none. If two processes get replies for one
    key, the first reply is kept and used by both. A folder that cannot be written, or a full disk, causes one warning
    and turns the cache off; the run continues.

    Attributes:
        folder: Folder of the file, created on first use and readable only by its owner.
        is_brief: True if only this process uses the replies, and only until the cache is closed.
        asked_again: Number of replies of earlier runs that were unreadable and therefore requested again.
    """

    folder: Path = field(default_factory=cache_folder)
    is_brief: bool = False
    asked_again: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._connection: sqlite3.Connection | None = None
        self._lost = False

    def recall(self, key: str) -> Reply | None:
        """Return the reply cached under `key`; None if there is none, or if it can't be decoded.

        A cached reply that can't be decoded is removed. If `forget` removed the reply of this key earlier, and noted
        that another reply supplied what it lacked, an empty reply is returned, so that the key isn't requested again.
        """
        for (record,) in self._execute("SELECT reply FROM replies WHERE key = ?", (key,)):
            try:
                return _from_json(record, key)
            except (ValueError, KeyError, TypeError, RecursionError):
                self._execute("DELETE FROM replies WHERE key = ? AND reply = ?", (key, record))
        settled = self._execute("SELECT stop FROM tries WHERE key = ? AND settled", (key,))
        return Reply("", stop=settled[0][0], source="cache") if settled else None

    def keep(self, key: str, reply: Reply) -> Reply:
        """Store a reply unless one is stored under its key already; return the stored one.

        The returned reply has the tokens and cost of the new one.
        """
        record = reply_json(reply)
        self._execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, record))
        first = self.recall(key)
        if first is None:
            return reply
        same = reply_json(first) == record
        return replace(reply, key=key) if same else replace(first, usage=reply.usage)

    def tries(self, key: str) -> int:
        """Return how many requests for `key` have got no readable reply so far."""
        rows = self._execute("SELECT n FROM tries WHERE key = ? AND NOT settled", (key,))
        return int(rows[0][0]) if rows else 0

    def forget(self, reply: Reply, *, settled: bool) -> None:
        """Remove a cached reply that couldn't be read, and count it as a try that failed.

        Args:
            reply: The reply as this cache returned it.
            settled: True if another reply supplied what this one lacks, so that the next run needn't ask for this one.
        """
        values = (reply.key, reply_json(reply))
        if self._execute("SELECT 1 FROM replies WHERE key = ? AND reply = ?", values):
            self._execute("DELETE FROM replies WHERE key = ? AND reply = ?", values)
            self._execute(_NOTE, (reply.key, reply.stop, settled))

    # one request at a time

    def claim(self, key: str) -> str:
        """Claim the right to request the reply for `key`; return the claim, or "" if another process has the right."""
        mine = new_owner()
        now = time.time()
        self._execute(_CLAIM, (key, mine, now + LEASE, now))
        rows = self._execute("SELECT owner FROM claims WHERE key = ?", (key,))
        return mine if not rows or rows[0][0] == mine else ""

    def release(self, key: str, claim: str) -> None:
        """Give up a claim on a request, so that another process may request the reply."""
        self._execute("DELETE FROM claims WHERE key = ? AND owner = ?", (key, claim))

    def is_claimed(self, key: str) -> bool:
        """Return True if a running process has a claim to request the reply for `key`."""
        rows = self._execute("SELECT owner FROM claims WHERE key = ? AND until > ?", (key, time.time()))
        return bool(rows) and is_running(rows[0][0])

    def close(self) -> None:
        """Close the file, and warn of how many replies were requested again because they couldn't be read."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        again = self.asked_again
        self.asked_again = 0
        if again:
            unread = "that could not be read in an earlier run"
            again_asked = counted(again, f"reply {unread} was", f"replies {unread} were")
            warnings.warn(f"{again_asked} asked for again", RuntimeWarning, stacklevel=3)

    def _opened(self) -> sqlite3.Connection:
        if not self.is_brief:
            return open_replies(self.folder)
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        for statement in REPLY_TABLES:
            connection.execute(statement)
        return connection

    def _execute(self, statement: str, values: tuple[str | float, ...]) -> list[Any]:
        if self._lost:
            return []
        try:
            if self._connection is None:
                self._connection = self._opened()
            return self._connection.execute(statement, values).fetchall()
        except (OSError, sqlite3.Error) as error:
            self._lost = True
            warnings.warn(f"replies are not kept: {self.folder / REPLIES_FILE}: {error}", RuntimeWarning, stacklevel=4)
            return []


@dataclass(frozen=True)
class Remembering(Wrapping):
    """Judge that asks another judge only for replies that aren't in the cache.

    Attributes:
        judge: The judge to ask. A reply that consists of several judges' replies, as a panel's does, isn't cached; each
            of the judges has a cache of its own instead.
        memory: The cache of replies.
        may_ask: False to use only cached replies, so that `judge` is neither asked nor closed.
    """

    memory: Memory
    may_ask: bool = field(default=True, kw_only=True)

    def cached_reply(self, prompt: Prompt, sample: int = 0) -> Reply | None:
        """Return the cached reply to a prompt without asking the judge; None if no reply is cached."""
        return self.memory.recall(self.key(prompt, sample))

    async def reply(self, prompt: Prompt, sample: int = 0) -> Reply:
        """Return the cached reply, or ask the judge and cache its reply; wait if another process is asking.

        Raises:
            JudgeError: The judge gave no reply, or no reply is cached and the judge may not be asked.
        """
        key = self.key(prompt, sample)
        cached = self.memory.recall(key)
        if cached is not None:
            return cached
        tried = self.memory.tries(key)
        claim = self.memory.claim(key)
        cached = self.memory.recall(key) if claim else await self._awaited(key)
        try:
            if cached is None:
                self.memory.asked_again += tried > 0
                if not self.may_ask:
                    raise JudgeUnavailable(f"no reply to prompt {prompt.fingerprint}, sample {sample}, is kept")
                reply = await self.judge.reply(prompt, sample)
                cached = reply if reply.parts else self.memory.keep(key, reply)
            return cached
        finally:
            self.memory.release(key, claim)

    async def _awaited(self, key: str) -> Reply | None:
        """Wait for the reply that another process has requested; None if that process gives up."""
        pause = 0.02
        while (cached := self.memory.recall(key)) is None and self.memory.is_claimed(key):
            await asyncio.sleep(pause)
            pause = min(LONGEST_LOOK, 1.5 * pause)
        return cached or self.memory.recall(key)

    def key(self, prompt: Prompt, sample: int) -> str:
        """Compute the cache key for a prompt and sample."""
        return fingerprint(prompt.fingerprint, self.judge.identity.fingerprint, sample)

    def forget(self, reply: Reply, *, settled: bool) -> None:
        """Remove an unreadable reply from the cache, so that the next run asks again unless `settled` is true.

        Args:
            reply: The reply as the cache returned it.
            settled: True if another reply supplied what this one lacks.
        """
        self.memory.forget(reply, settled=settled)

    async def aclose(self) -> None:
        """Close the cache and, unless all replies had to come from the cache, the judge."""
        if self.may_ask:
            await self.judge.aclose()
        self.memory.close()


def reply_json(reply: Reply) -> str:
    """Encode a reply as JSON for the cache."""
    record: dict[str, Any] = {"text": reply.text, "model": reply.model or "", "stop": reply.stop}
    if reply.tokens:
        record["tokens"] = [[token.text, dict(token.alternatives)] for token in reply.tokens]
    if taken := reply.spared or reply.usage.tokens:
        record["taken"] = taken
    if reply.decided:
        record["decided"] = True
    if reply.without:
        record["without"] = list(reply.without)
    return json.dumps(record, ensure_ascii=True, separators=(",", ":"))


def _from_json(text: str, key: str) -> Reply:
    """Decode a cached reply; raise ValueError, KeyError or TypeError if the text isn't one.

    Args:
        text: The reply as the cache stores it, in JSON.
        key: The key under which it is stored.
    """
    record = json.loads(text)
    reply = Reply(
        record["text"],
        record["model"] or None,
        record["stop"],
        source="cache",
        tokens=tuple(Token(token, alternatives) for token, alternatives in record.get("tokens", ())),
        decided=record.get("decided") is True,
        key=key,
        spared=count(record.get("taken", 0)) or 0,
        without=tuple(record.get("without", ())),
    )
    sound = all(
        isinstance(token.text, str)
        and isinstance(token.alternatives, dict)
        and all(finite(share) is not None for share in token.alternatives.values())
        for token in reply.tokens
    ) and all(isinstance(name, str) for name in reply.without)
    if not (isinstance(reply.text, str) and isinstance(record["model"], str) and reply.stop in _STOPS and sound):
        raise ValueError("the cached record isn't a reply")
    return reply


def new_owner() -> str:
    """Make a unique name for a claim to request a reply, from the computer, the process and a running number."""
    return f"{_HOST}:{os.getpid()}:{next(_CLAIMS)}"


def is_running(owner: str) -> bool:
    """Return True if the process that reserved a request is running, or may be, as on another computer.

    Args:
        owner: The process's claim on the request, which holds the computer's name and the process's id.
    """
    host, _, pid = owner.rpartition(":")[0].rpartition(":")
    return host != _HOST or not is_halted(int(pid))
