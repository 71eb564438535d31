"""A small HTTP server with Anthropic's Messages API, backed by a real local model or by a script.

The real SDK talks to it over loopback. One function decides the answer to each request: `local_model` makes one that
asks llama.cpp, and the builders below (`message`, `failing`, `dropped`, …) serve functions in tests.
"""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.loopback import LoopbackServer

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
JSON = ("content-type", "application/json")


@dataclass(frozen=True, slots=True)
class Request:
    """A received request: its number in order of arrival from 0, its body, and when it was read (monotonic s)."""

    number: int
    body: dict[str, Any]
    at: float


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to send after `delay` seconds; with `drop` the connection is cut instead."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (JSON,)
    delay: float = 0.0
    drop: bool = False


Decide = Callable[[Request], Answer]


def message(
    *content: Mapping[str, Any] | str, stop_reason: str = "end_turn", tokens: tuple[int, int] = (10, 5)
) -> Answer:
    """Build a Message from content blocks, of which strings are text blocks; `tokens` are input and output."""
    blocks = [{"type": "text", "text": block} if isinstance(block, str) else dict(block) for block in content]
    body = {
        "id": "msg_local",
        "type": "message",
        "role": "assistant",
        "model": "local",
        "content": blocks,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }
    return Answer(json.dumps(body).encode())


def refusal() -> Answer:
    """Build a Message without content in which the model declines to answer."""
    return message(stop_reason="refusal")


def cut_off(text: str) -> Answer:
    """Build a Message that ends with `text` because max_tokens were reached."""
    return message(text, stop_reason="max_tokens")


def failing(status: int, *, retry_after: float | None = None, why: str = "scripted") -> Answer:
    """Build an error in Anthropic's format, with a `retry-after` header in seconds if given."""
    body = {"type": "error", "error": {"type": ERROR_TYPES.get(status, "api_error"), "message": why}}
    wait = () if retry_after is None else (("retry-after", f"{retry_after:g}"),)
    return Answer(json.dumps(body).encode(), status, (JSON, *wait))


def html_page() -> Answer:
    """Build an HTML page with status 200, as a proxy's login page is sent."""
    return Answer(b"<!doctype html><title>Sign in</title>", headers=(("content-type", "text/html; charset=utf-8"),))


def not_a_message() -> Answer:
    """Build JSON with status 200 that isn't a Message."""
    return Answer(b'{"status": "ok"}')


def not_json() -> Answer:
    """Build a body with status 200 that claims to be JSON and isn't."""
    return Answer(b'{"id": "msg_loc')


def dropped() -> Answer:
    """Cut the connection without an answer."""
    return Answer(drop=True)


def late(answer: Answer, seconds: float) -> Answer:
    """Delay `answer` by `seconds`."""
    return replace(answer, delay=seconds)


def local_model(path: Path, *, slots: int = 2, context: int = 8192, longest: int | None = None) -> Decide:
    """Make a function that answers requests with the model in the GGUF file `path`, following the request's schema.

    Args:
        path: The model.
        slots: Requests it works on at once; others wait.
        context: Tokens that a prompt and its answer may have together.
        longest: Characters of any text in an answer: a small model may never end one.
    """
    import xllamacpp  # type: ignore[import-untyped]  # only the real model needs it

    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.port, settings.n_parallel, settings.n_ctx = 0, slots, slots * context
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    settings.verbosity = -1
    server = xllamacpp.Server(settings)

    def decide(request: Request) -> Answer:
        try:
            completion = server.handle_chat_completions(chat_request(request.body, longest))
        except (ValueError, KeyError) as error:
            return failing(400, why=f"{type(error).__name__}: {error}")
        if "error" in completion:
            return failing(completion["error"]["code"], why=completion["error"]["message"])
        return message_of_chat(completion, forced_tool(request.body))

    return decide


def chat_request(body: Mapping[str, Any], longest: int | None = None) -> dict[str, Any]:
    """A Messages request as a chat completion request that gives the same answer each time, in texts of at most
    `longest` characters."""
    turns = [{"role": turn["role"], "content": plain_text(turn["content"])} for turn in body["messages"]]
    if body.get("system"):
        turns.insert(0, {"role": "system", "content": plain_text(body["system"])})
    chat = {
        "messages": turns,
        "max_tokens": body["max_tokens"],
        "stop": body.get("stop_sequences", []),
        "temperature": 0,
        "seed": 1,
        "cache_prompt": False,
    }
    tool = forced_tool(body)
    schema = tool["input_schema"] if tool else ((body.get("output_config") or {}).get("format") or {}).get("schema")
    if schema and longest is not None:
        schema = with_short_texts(schema, longest)
    if schema:
        chat["response_format"] = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    return chat


def with_short_texts(schema: Any, longest: int) -> Any:
    """Return the schema with a maximum length for each free text."""
    if isinstance(schema, list):
        return [with_short_texts(one, longest) for one in schema]
    if not isinstance(schema, dict):
        return schema
    bound = {"maxLength": longest} if schema.get("type") == "string" and "enum" not in schema else {}
    return {key: with_short_texts(value, longest) for key, value in schema.items()} | bound


def plain_text(content: str | list[dict[str, Any]]) -> str:
    """Return the text of a string or of a list of text blocks."""
    return content if isinstance(content, str) else "\n".join(block["text"] for block in content)


def forced_tool(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the tool that the request forces the model to call; None without one."""
    choice = body.get("tool_choice") or {}
    tools: list[dict[str, Any]] = body.get("tools") or []
    return next((tool for tool in tools if choice.get("type") == "tool" and tool["name"] == choice["name"]), None)


def message_of_chat(completion: Mapping[str, Any], tool: Mapping[str, Any] | None) -> Answer:
    """Convert a chat completion to a Message; as a call of `tool` if that was forced and its input is complete."""
    (choice,) = completion["choices"]
    text = choice["message"]["content"]
    tokens = completion["usage"]["prompt_tokens"], completion["usage"]["completion_tokens"]
    if choice["finish_reason"] == "length":
        return message(text, stop_reason="max_tokens", tokens=tokens)
    if tool:
        call = {"type": "tool_use", "id": "toolu_local", "name": tool["name"], "input": json.loads(text)}
        return message(call, stop_reason="tool_use", tokens=tokens)
    return message(text, tokens=tokens)


class MessagesFront:
    """The server, on a free port of 127.0.0.1 while its context lasts.

    Attributes:
        bodies: Bodies of the requests, in order of arrival.
        requests: The requests in order of arrival; without headers, so that no key is kept.
        most_in_flight: Largest number of requests that were read and not yet answered at one time.
        held_from: Requests from this number on wait for their answers until it is None again. A process that is killed
            while it waits can't have finished before, however late the kill comes.

    Example:
        >>> import urllib.request
        >>> with MessagesFront(lambda request: message(f"this is number {request.number}")) as front:
        ...     ask = urllib.request.Request(f"{front.url}/v1/messages", b"{}", {"x-api-key": "none"})
        ...     with urllib.request.urlopen(ask) as reply:
        ...         json.load(reply)["content"][0]["text"]
        'this is number 0'
    """

    def __init__(self, decide: Decide) -> None:
        self.bodies: list[bytes] = []
        self.requests: list[Request] = []
        self.most_in_flight = 0
        self.held_from: int | None = None
        self._decide = decide
        self._in_flight = 0
        self._counting = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(self)
        self._serving = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        """Address that the SDK takes as `base_url`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._serving.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._serving.join()
        self._server.hang_up()
        self._server.server_close()

    def answer(self, body: dict[str, Any]) -> Answer:
        """Return the answer to a request after its delay, counting it as in flight meanwhile."""
        with self._counting:
            request = Request(len(self.requests), body, time.monotonic())
            self.requests.append(request)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            answer = self._decide(request)
            self._closing.wait(answer.delay)
            while self.held_from is not None and request.number >= self.held_from and not self._closing.wait(0.01):
                pass
            return answer
        finally:
            with self._counting:
                self._in_flight -= 1


class _Server(LoopbackServer):
    """HTTP server with a thread per connection, all of which end when it is closed."""

    daemon_threads = False

    def __init__(self, front: MessagesFront) -> None:
        self.front = front
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close the connections that clients keep open for later."""
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error, unless it is that a client closed the connection."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Handler that reads requests from one connection, and writes the server's answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        answer = self.checked(raw)
        if answer.drop:
            self.close_connection = True
            return
        self.send_response(answer.status)
        for name, value in (*answer.headers, ("content-length", str(len(answer.body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def checked(self, raw: bytes) -> Answer:
        """Return the server's answer, or an error if this isn't a Messages request."""
        if self.path.partition("?")[0] != "/v1/messages":
            return failing(404, why=f"no such endpoint: {self.path}")
        if not (self.headers.get("authorization") or self.headers.get("x-api-key")):
            return failing(401, why="no key")
        try:
            body = json.loads(raw)
        except ValueError as error:
            return failing(400, why=f"the body is not JSON: {error}")
        self.server.front.bodies.append(raw)
        return self.server.front.answer(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Suppress the log of requests."""
