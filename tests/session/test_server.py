"""The server of a session, in this process."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from markscheme.session.client import WAITING
from markscheme.session.server import BEAT, Retired, Session, socket_file

CALLERS = 300
PATIENCE = 300.0
"""Seconds until a session counts as hung."""


async def answer_to(place: Path, message: bytes) -> bytes:
    """Send a message to a session and return all bytes of its answer."""
    reader, writer = await asyncio.open_unix_connection(str(place))
    writer.write(message)
    writer.write_eof()
    answer = await reader.read()
    writer.close()
    return answer


@asynccontextmanager
async def served(place: Path, answer: Any, *, ends_itself: bool = False) -> AsyncIterator[None]:
    """Serve a session with the handler `answer`; at the end of the block, stop it unless it ends by itself.

    It would wait for callers longer than any machine stands still.
    """
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))
        listener.listen(WAITING)
        listener.setblocking(False)
        with socket_file(str(place)) as release:
            serving = asyncio.ensure_future(Session(listener, release, "key", answer, idle=PATIENCE).serve())
            yield
            if not ends_itself:
                signal.raise_signal(signal.SIGTERM)
            await asyncio.wait_for(serving, PATIENCE)
    assert not place.exists()


async def talk(place: Path, answer: Any, *messages: Mapping[str, Any], ends_itself: bool = False) -> list[bytes]:
    """Serve a session with the handler `answer`, send it messages, and return its answers once it has ended."""
    async with served(place, answer, ends_itself=ends_itself):
        return await asyncio.gather(*(answer_to(place, json.dumps(message).encode()) for message in messages))


@pytest.mark.proof
def test_a_caller_who_waits_for_a_session_s_answer_gets_regular_signs_that_the_session_is_running(
    runtime: Path,
) -> None:
    async def slow(request: Mapping[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(BEAT + 0.5)
        return {"given": request["n"]}

    (answer,) = asyncio.run(talk(runtime / "s", slow, {"key": "key", "request": {"n": 1}}))
    assert answer.startswith(b" ")
    assert answer.lstrip() == b'{"answer": {"given": 1}}'


def test_a_session_gives_no_details_to_a_caller_with_a_wrong_key_or_a_failed_request(
    runtime: Path,
) -> None:
    async def faulty(request: Mapping[str, Any]) -> dict[str, Any]:
        raise RuntimeError("sk-secret stood in the message")

    messages = {"key": "other", "request": {}}, {"key": "key", "request": {}}
    refused, failed = asyncio.run(talk(runtime / "s", faulty, *messages))
    assert refused == b'{"refused": "environment"}'
    assert failed == b'{"refused": "failed"}'


def test_a_session_that_finds_itself_out_of_date_refuses_the_request_and_ends(runtime: Path) -> None:
    async def retired(request: Mapping[str, Any]) -> dict[str, Any]:
        raise Retired

    (answer,) = asyncio.run(talk(runtime / "s", retired, {"key": "key", "request": {}}, ends_itself=True))
    assert answer == b'{"refused": "retired"}'


def test_a_socket_of_another_session_is_never_removed(runtime: Path) -> None:
    place = runtime / "s"
    with socket.socket(socket.AF_UNIX) as first, socket.socket(socket.AF_UNIX) as second:
        first.bind(str(place))
        with socket_file(str(place)):
            os.rename(place, runtime / "old")
            second.bind(str(place))
        assert place.exists()


def test_a_session_answers_three_hundred_callers_at_once(runtime: Path) -> None:
    """They connect while the session is busy with a verdict and accepts nobody."""
    message = json.dumps({"key": "key", "request": {}}).encode()

    async def fine(request: Mapping[str, Any]) -> dict[str, Any]:
        return {"given": 1}

    async def story() -> list[bytes]:
        async with served(runtime / "s", fine):
            await answer_to(runtime / "s", message)
            with ExitStack() as open_until_answered:
                callers = [open_until_answered.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(CALLERS)]
                for caller in callers:
                    caller.setblocking(False)
                    caller.connect(str(runtime / "s"))  # BlockingIOError where the queue is full
                    caller.sendall(message)
                    caller.shutdown(socket.SHUT_WR)
                loop = asyncio.get_running_loop()
                return [await loop.sock_recv(caller, 4096) for caller in callers]

    assert asyncio.run(story()) == [b'{"answer": {"given": 1}}'] * CALLERS


def test_an_unreadable_request_to_a_session_gets_no_answer_and_does_not_end_the_session(runtime: Path) -> None:
    unreadable = (b"", b"{", b"[]", b"[" * 100_000, b'"text"', b"\xff", b'{"key": "key"}')

    async def fine(request: Mapping[str, Any]) -> dict[str, Any]:
        return {"given": 1}

    async def story() -> list[tuple[bytes, bytes, bytes]]:
        async with served(runtime / "s", fine):
            return [
                (
                    message[:20],
                    await answer_to(runtime / "s", message),
                    await answer_to(runtime / "s", b'{"key": "key", "request": {}}'),
                )
                for message in unreadable
            ]

    for message, answer, next_answer in asyncio.run(story()):
        assert answer in (b"", b'{"refused": "failed"}'), message
        assert next_answer == b'{"answer": {"given": 1}}', message
