"""Record of the batches under way, in the file that caches replies: the prompts of each, and what came back."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from markscheme.errors import UsageError
from markscheme.features.batches.batch_file import has_open_batch, open_batches
from markscheme.judges import REPLIES_FILE
from markscheme.judges.batching import SENDING
from markscheme.judges.judge import Identity, Reply, Usage, total
from markscheme.judges.remembering import is_running, new_owner, reply_json

KNOWN_DAYS: Final = 30
"""Number of days for which an ended batch is remembered: a little longer than providers keep results."""

_LOOK = "SELECT token, identity, remote, owner, began, asked, processed, reserved, usage, ended FROM batches "


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """What the cache records of one batch, so that the provider needn't be asked about it.

    Attributes:
        token: Our id for the batch, chosen before the provider gives its id.
        judge: Identity of the judge that answers it.
        remote: The provider's id for it; "" while it isn't known whether the provider has received it.
        owner: The process that sends the batch.
        began: Time at which sending it was last tried, in seconds since 1970.
        prompts: Number of prompts in it.
        processed: Number of prompts done at the last poll; some providers report this only at the end.
        reserved: Largest possible cost in US dollars, 0 if the price is unknown.
        usage: Tokens and cost of the replies read so far.
        is_open: True if some replies are still to be read.
    """

    token: str
    judge: Identity
    remote: str
    owner: str
    began: float
    prompts: int
    processed: int
    reserved: float
    usage: Usage
    is_open: bool

    @property
    def is_being_sent(self) -> bool:
        """True if a running process is sending the batch and hasn't recorded the provider's id for it yet."""
        return not self.remote and is_running(self.owner) and time.time() < self.began + SENDING


@dataclass
class BatchLedger:
    """Record of the batches and their prompts in the cache's file, which several processes may use at once.

    Writes are on disk when a method returns, so that they survive a power cut: a batch that is forgotten is paid for
    twice.

    Attributes:
        folder: The folder of the cached replies.
    """

    folder: Path
    _connection: sqlite3.Connection | None = field(default=None, init=False, repr=False)

    # sending

    def intend(self, token: str, judge: Identity, keys: Sequence[str], reserved: float) -> list[str]:
        """Record a batch before it is sent, and return the keys of the prompts that it is to contain.

        A prompt that another batch on record contains is left out.

        Args:
            token: Our name for the batch.
            judge: The judge that is asked.
            keys: Keys of the prompts to send.
            reserved: Cost in US dollars that is reserved for the batch within the budget.
        """
        who = json.dumps([judge.name, judge.model or "", dict(judge.parameters), judge.address or ""])
        with self._writing() as connection:
            connection.execute("DELETE FROM batches WHERE ended < ?", (time.time() - KNOWN_DAYS * 86_400,))
            connection.executemany("INSERT OR IGNORE INTO batched VALUES (?, ?)", ((key, token) for key in keys))
            mine = [key for (key,) in connection.execute("SELECT key FROM batched WHERE token = ?", (token,))]
            row = (token, who, "", new_owner(), time.time(), len(mine), 0, reserved, _usage_json(Usage()), None)
            connection.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        return mine

    def trying(self, token: str) -> None:
        """Record that this process now begins to send a batch.

        Args:
            token: Our own id for the batch.
        """
        with self._writing() as connection:
            values = (new_owner(), time.time(), token)
            connection.execute("UPDATE batches SET owner = ?, began = ? WHERE token = ?", values)

    def sent(self, token: str, remote: str) -> None:
        """Record the provider's id for a batch, once the provider has received it."""
        with self._writing() as connection:
            connection.execute("UPDATE batches SET remote = ? WHERE token = ?", (remote, token))

    def forget(self, token: str) -> None:
        """Drop a batch, so that its prompts without a reply may be sent again."""
        with self._writing() as connection:
            connection.execute("DELETE FROM batches WHERE token = ?", (token,))
            connection.execute("DELETE FROM batched WHERE token = ?", (token,))

    # waiting and reading

    def processed(self, token: str, count: int) -> None:
        """Record how many of a batch's prompts the provider has processed.

        Args:
            token: Our own name of the batch.
            count: The number of prompts.
        """
        with self._writing() as connection:
            connection.execute("UPDATE batches SET processed = ? WHERE token = ?", (count, token))

    def keep(self, token: str, replies: Sequence[tuple[str, Reply]]) -> set[str]:
        """Store a batch's replies and their cost; return the keys of the replies that no process had stored before.

        Args:
            token: Our own name of the batch.
            replies: The replies, each with the key of its prompt.
        """
        with self._writing() as connection:
            new = {
                key: reply
                for key, reply in replies
                if connection.execute("DELETE FROM batched WHERE key = ? AND token = ?", (key, token)).rowcount
            }
            new_rows = ((key, reply_json(reply)) for key, reply in new.items())
            connection.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?)", new_rows)
            row = connection.execute("SELECT usage FROM batches WHERE token = ?", (token,)).fetchone()
            if row and new:
                usage = total([_usage(row[0]), *(reply.usage for reply in new.values())])
                connection.execute("UPDATE batches SET usage = ? WHERE token = ?", (_usage_json(usage), token))
        return set(new)

    def close_batch(self, token: str) -> None:
        """Record that all results of a batch are read, so that prompts without a reply may be sent again."""
        with self._writing() as connection:
            connection.execute("UPDATE batches SET ended = ? WHERE token = ?", (time.time(), token))
            connection.execute("DELETE FROM batched WHERE token = ?", (token,))

    # queries

    def where(self, keys: Iterable[str]) -> dict[str, str]:
        """Map each prompt's key to the token of the batch that contains the prompt; omit keys that are in no batch."""
        look = partial(self._open().execute, "SELECT token FROM batched WHERE key = ?")
        return {key: token for key in keys for (token,) in look((key,))}

    def keys(self, token: str) -> set[str]:
        """Return the keys of a batch's prompts that have no reply yet."""
        return {key for (key,) in self._open().execute("SELECT key FROM batched WHERE token = ?", (token,))}

    def batch(self, token: str) -> BatchRecord | None:
        """Return the record of one batch, by our token for it; None if it is unknown or forgotten."""
        row = self._open().execute(_LOOK + "WHERE token = ?", (token,)).fetchone()
        return _record(row) if row else None

    def batches(self) -> list[BatchRecord]:
        """Return the records of all batches, the oldest first."""
        rows = self._open().execute(_LOOK + "ORDER BY began").fetchall()
        return [_record(row) for row in rows]

    # the file

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_batches(self.folder)
        return self._connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Run the body of a `with` statement as one transaction.

        Raises:
            UsageError: The file can't be written.
        """
        connection = self._open()
        try:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection
        except sqlite3.Error as error:
            raise UsageError(
                f"batches need the cache: {self.folder / REPLIES_FILE} cannot be written: {error}"
            ) from error

    def close(self) -> None:
        """Close the connection to the cache's file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def batches_under_way(folder: Path) -> list[BatchRecord]:
    """Return the batches of a cache folder that have replies still to be read, the oldest first; creates no file."""
    if not has_open_batch(folder):
        return []
    with closing(BatchLedger(folder)) as ledger:
        return [batch for batch in ledger.batches() if batch.is_open]


def _record(row: tuple[Any, ...]) -> BatchRecord:
    token, identity, remote, owner, began, prompts, processed, reserved, usage, ended = row
    judge = Identity(*json.loads(identity))
    return BatchRecord(token, judge, remote, owner, began, prompts, processed, reserved, _usage(usage), ended is None)


def _usage_json(usage: Usage) -> str:
    return json.dumps(usage.to_json())


def _usage(text: str) -> Usage:
    return Usage(**json.loads(text))
