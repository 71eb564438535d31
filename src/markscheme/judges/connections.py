"""The HTTP client under an SDK, for many calls at once."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any
from urllib.request import getproxies


def client_for_many_calls(sdk: ModuleType) -> Any:
    """Make the SDK's own HTTP client, with a connection for each call; None where a proxy is set.

    The SDK's client without ours finds proxies by itself.

    Args:
        sdk: The SDK's module, which says which HTTP library it uses.
    """
    if getproxies().keys() - {"no"}:
        return None
    of_library = next(base for base in sdk.DefaultAsyncHttpxClient.__mro__ if base.__name__ == "AsyncClient")
    http = import_module(of_library.__module__.partition(".")[0])
    limits = http.Limits(max_connections=1, max_keepalive_connections=1)
    open_one = partial(http.AsyncHTTPTransport, verify=http.create_ssl_context(), limits=limits)
    return sdk.DefaultAsyncHttpxClient(transport=ConnectionEach(open_one))


class ConnectionEach:
    """A transport that gives each request a connection of its own, that which was used last.

    A pool looks at all its connections before and after each request, and at the sockets of those that are idle. With
    64 calls at once that is a quarter of their CPU time.
    """

    def __init__(self, open_one: Callable[[], Any]) -> None:
        self._open_one = open_one
        self._all: list[Any] = []
        self._idle: list[Any] = []

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request; its connection is free for another one once the response is closed."""
        transport = self._idle.pop() if self._idle else self._opened()
        try:
            response = await transport.handle_async_request(request)
        except BaseException:
            self._idle.append(transport)
            raise
        stream = response.stream
        stream.aclose = partial(self._close, transport, stream, stream.aclose)
        return response

    async def aclose(self) -> None:
        """Close all connections."""
        self._idle.clear()
        for transport in self._all:
            await transport.aclose()

    def _opened(self) -> Any:
        transport = self._open_one()
        self._all.append(transport)
        return transport

    async def _close(self, transport: Any, stream: Any, close: Callable[[], Any]) -> None:
        stream.aclose = close  # a stream may be closed twice, but a connection is given back once
        try:
            await close()
        finally:
            self._idle.append(transport)
