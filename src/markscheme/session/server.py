"""Warm process, which answers requests over a Unix socket until none has arrived for a while."""

import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from markscheme.session.client import WAITING, is_own, remove_marked, socket_mark

IDLE = 60.0
"""Seconds without a request after which a session ends."""
BEAT = 1.0
"""Seconds between heartbeats to a waiting caller."""
LONGEST_REQUEST = 1 << 28
"""Size limit of a request in bytes."""

LEAVE_FILE: Mapping[str, Any] = {"cleanup_socket": False} if sys.version_info >= (3, 13) else {}
"""Arguments with which asyncio doesn't remove the socket's file: it might be another session's, so a session removes
its own file under the folder's lock."""

Answering = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]


class Retired(Exception):  # noqa: N818 - what became of it
    """Error that ends a session because code or files that it has loaded have changed."""


@dataclass(eq=False)
class Session:
    """Warm process that answers requests over a Unix socket.

    Attributes:
        listener: The socket on which it listens, bound by the caller.
        release: Function that removes the socket's file.
        key: Key of the environment that it serves; requests from other environments are refused.
        answer: Function that answers a request, and raises Retired to end the session.
        describe: Function that returns status facts in addition to those of the process.
        idle: Seconds without a request after which the session ends.
    """

    listener: socket.socket
    release: Callable[[], None]
    key: str
    answer: Answering
    describe: Callable[[], Mapping[str, Any]] = dict
    idle: float = IDLE

    _began: float = field(default_factory=time.time, init=False)
    _last: float = field(default_factory=time.monotonic, init=False)
    _ending: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _connections: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _farewells: list[asyncio.StreamWriter] = field(default_factory=list, init=False)
    _answered: int = field(default=0, init=False)

    async def serve(self) -> None:
        """Handle requests until stopped or idle; requests under way are answered before it returns."""
        self._last = time.monotonic()
        loop = asyncio.get_running_loop()
        for signal_number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(signal_number, self._ending.set)
        server = await asyncio.start_unix_server(
            self._connection, sock=self.listener, limit=1 << 20, backlog=WAITING, **LEAVE_FILE
        )
        await self._until_ending()
        self.release()  # the next caller starts another session
        server.close()
        while self._connections:
            await asyncio.wait(self._connections)

    async def _until_ending(self) -> None:
        while not self._ending.is_set():
            seconds = self.idle if self._connections else self._last + self.idle - time.monotonic()
            if seconds <= 0:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ending.wait(), seconds)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
        try:
            if not is_own(writer.get_extra_info("socket")):
                return
            message = json.loads(await _all(reader))
            if message.get("control") == "stop":
                self._ending.set()
                self._farewells.append(writer)  # closes only when the process ends, and so signals that it has
                return
            writer.write(json.dumps(await self._response(message, writer)).encode("ascii"))
            await writer.drain()
        except (ConnectionError, ValueError, RecursionError):
            pass  # the caller has gone or its request is unreadable: it gets no answer and grades in its own process
        finally:
            if writer not in self._farewells:
                writer.close()
            self._last = time.monotonic()
            if task is not None:
                self._connections.discard(task)

    async def _response(self, message: Mapping[str, Any], writer: asyncio.StreamWriter) -> dict[str, Any]:
        if message.get("control") == "status":
            return {"answer": self._facts()}
        if message.get("key") != self.key:
            return {"refused": "environment"}
        if self._ending.is_set():
            return {"refused": "ending"}
        task = asyncio.ensure_future(self.answer(message["request"]))
        try:
            while not (await asyncio.wait({task}, timeout=BEAT))[0]:
                writer.write(b" ")
                await writer.drain()
            answer = task.result()
        except Retired:
            self._ending.set()
            return {"refused": "retired"}
        except Exception:  # the caller hits the same error in its own process and reports it better
            return {"refused": "failed"}
        finally:
            task.cancel()
        self._answered += 1
        return {"answer": answer}

    def _facts(self) -> dict[str, Any]:
        return {
            "pid": os.getpid(),
            "seconds": round(time.time() - self._began, 1),
            "answered": self._answered,
            "under_way": len(self._connections) - 1,
            "idle": self.idle,
            **self.describe(),
        }


async def _all(reader: asyncio.StreamReader) -> bytes:
    parts, size = [], 0
    while received := await reader.read(1 << 20):
        parts.append(received)
        size += len(received)
        if size > LONGEST_REQUEST:
            raise ValueError("a request of this length is invalid")
    return b"".join(parts)


@contextmanager
def socket_file(path: str) -> Iterator[Callable[[], None]]:
    """Yield a function that removes a socket's file; at the end of the `with` block it is called in any case.

    A file that another process has put at the path since then stays.
    """
    bound = [socket_mark(path)]

    def release() -> None:
        remove_marked(path, bound.pop() if bound else None)

    try:
        yield release
    finally:
        release()
