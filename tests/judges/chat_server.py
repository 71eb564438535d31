"""A small HTTP server with a chat completions API, whose answers a test's function decides."""

import json
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any

from tests.loopback import LoopbackServer


@dataclass(frozen=True)
class Answer:
    """An answer to send: JSON, or raw bytes."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Decide = Callable[[dict[str, Any]], Answer]


def completion(text: str | None, **choice: Any) -> Answer:
    """Build a chat completion with this text."""
    whole = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}} | choice
    usage = {"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49}
    return Answer({"id": "x", "object": "chat.completion", "model": "served", "choices": [whole], "usage": usage})


def failing(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    """Build an error in the format of OpenAI's API."""
    return Answer({"error": {"message": message, "type": "error", "code": code}}, status, headers)


class ChatServer(AbstractContextManager["ChatServer"]):
    """The server, on a free port of 127.0.0.1 while its context lasts.

    Attributes:
        bodies: Bodies of the requests, in order of arrival.
        requests: Bodies of the requests, parsed.
        keys: Authorization headers of the requests.
    """

    def __init__(self, decide: Decide) -> None:
        self.decide = decide
        self.bodies: list[bytes] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self._scheme = "http"
        self._server = LoopbackServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def secured(self, context: ssl.SSLContext) -> None:
        """Use TLS from now on, with a context's certificate."""
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._scheme = "https"

    @property
    def url(self) -> str:
        """Address that the SDK takes as `base_url`."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> "ChatServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received = self.rfile.read(int(self.headers["content-length"]))
            body = json.loads(received)
            server.bodies.append(received)
            server.requests.append(body)
            server.keys.append(self.headers.get("authorization"))
            answer = server.decide(body)
            raw = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in ({"content-type": "application/json"} | dict(answer.headers)).items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: Any) -> None:
            """Suppress the log of requests."""

    return Handler
