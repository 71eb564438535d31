"""The HTTP client of an SDK: one connection per simultaneous call, and the SDK's own client if a proxy is set."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest

from markscheme.judges.connections import ConnectionEach, client_for_many_calls


class Stream:
    """Body of a response."""

    closed = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield b""

    async def aclose(self) -> None:
        self.closed += 1


class Response:
    """Response whose body is not read yet."""

    def __init__(self) -> None:
        self.stream: Any = Stream()


class Connection:
    """Connection that counts the requests sent on it."""

    def __init__(self) -> None:
        self.sent = 0
        self.is_open = True
        self.fails = False

    async def handle_async_request(self, _: object) -> Response:
        self.sent += 1
        if self.fails:
            raise OSError("the line broke")
        return Response()

    async def aclose(self) -> None:
        self.is_open = False


def transport() -> tuple[ConnectionEach, list[Connection]]:
    opened: list[Connection] = []

    def open_one() -> Connection:
        opened.append(Connection())
        return opened[-1]

    return ConnectionEach(open_one), opened


def test_a_connection_serves_one_request_at_a_time_and_is_reused_once_the_response_is_closed() -> None:
    async def asked() -> None:
        each, opened = transport()
        first = await each.handle_async_request(None)
        second = await each.handle_async_request(None)
        assert [connection.sent for connection in opened] == [1, 1]
        await first.stream.aclose()
        await first.stream.aclose()  # closing twice gives one connection back once
        await each.handle_async_request(None)
        await each.handle_async_request(None)
        assert [connection.sent for connection in opened] == [2, 1, 1]
        await second.stream.aclose()
        await each.aclose()
        assert not any(connection.is_open for connection in opened)

    asyncio.run(asked())


def test_a_connection_can_be_reused_after_a_failed_request() -> None:
    async def asked() -> None:
        each, opened = transport()
        await (await each.handle_async_request(None)).stream.aclose()
        opened[0].fails = True
        with pytest.raises(OSError, match="the line broke"):
            await each.handle_async_request(None)
        opened[0].fails = False
        await each.handle_async_request(None)
        assert [connection.sent for connection in opened] == [3]

    asyncio.run(asked())


def test_the_openai_sdk_keeps_its_own_http_client_if_the_environment_names_a_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("no_proxy", "localhost")
    assert isinstance(client_for_many_calls(openai), openai.DefaultAsyncHttpxClient)
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    assert client_for_many_calls(openai) is None
