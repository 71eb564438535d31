"""A small HTTP server that speaks the shape of Anthropic's Messages API: a real local model behind it, or a script.

The real SDK talks to it over loopback. What it answers is decided by one function from the request: `local_model`
gives one that asks llama.cpp, the builders below (`message`, `failing`, `dropped`, …) serve functions of a test's own.
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
    """A request that came in: its place in the order of arrival from 0, its body, when it was read (monotonic s)."""

    number: int
    body: dict[str, Any]
    at: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back: `delay` is waited out first (s); with `drop` the connection is cut instead of answered."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (JSON,)
    delay: float = 0.0
    drop: bool = False


Decide = Callable[[Request], Answer]


def message(
    *content: Mapping[str, Any] | str, stop_reason: str = "end_turn", tokens: tuple[int, int] = (10, 5)
) -> Answer:
    """A Message with these content blocks, a string standing for a text block; `tokens` are those in and out."""
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
    """A Message without content in which the model declines."""
    return message(stop_reason="refusal")


def cut_off(text: str) -> Answer:
    """A Message that ends with `text` because max_tokens were reached."""
    return message(text, stop_reason="max_tokens")


def failing(status: int, *, retry_after: float | None = None, why: str = "scripted") -> Answer:
    """An error in Anthropic's shape, with a `retry-after` header (s) if one is given."""
    body = {"type": "error", "error": {"type": ERROR_TYPES.get(status, "api_error"), "message": why}}
    wait = () if retry_after is None else (("retry-after", f"{retry_after:g}"),)
    return Answer(json.dumps(body).encode(), status, (JSON, *wait))


def html_page() -> Answer:
    """What a proxy's login page looks like: HTML, with status 200."""
    return Answer(b"<!doctype html><title>Sign in</title>", headers=(("content-type", "text/html; charset=utf-8"),))


def not_a_message() -> Answer:
    """JSON with status 200 that is something else than a Message."""
    return Answer(b'{"status": "ok"}')


def not_json() -> Answer:
    """A body with status 200 that says it is JSON and isn't."""
    return Answer(b'{"id": "msg_loc')


def dropped() -> Answer:
    """A connection that is cut without an answer."""
    return Answer(drop=True)


def late(answer: Answer, seconds: float) -> Answer:
    """`answer`, given only after `seconds`."""
    return replace(answer, delay=seconds)


def local_model(path: Path, *, slots: int = 2, context: int = 8192, longest: int | None = None) -> Decide:
    """A function that has the model in the GGUF file `path` answer, held to the schema that a request brings.

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
    """The schema with a greatest length for each free text."""
    if isinstance(schema, list):
        return [with_short_texts(one, longest) for one in schema]
    if not isinstance(schema, dict):
        return schema
    bound = {"maxLength": longest} if schema.get("type") == "string" and "enum" not in schema else {}
    return {key: with_short_texts(value, longest) for key, value in schema.items()} | bound


def plain_text(content: str | list[dict[str, Any]]) -> str:
    """The text of a string or of a list of text blocks."""
    return content if isinstance(content, str) else "\n".join(block["text"] for block in content)


def forced_tool(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The tool that the request makes the model call, if it does."""
    choice = body.get("tool_choice") or {}
    tools: list[dict[str, Any]] = body.get("tools") or []
    return next((tool for tool in tools if choice.get("type") == "tool" and tool["name"] == choice["name"]), None)


def message_of_chat(completion: Mapping[str, Any], tool: Mapping[str, Any] | None) -> Answer:
    """A chat completion as a Message; a call of `tool` where one was forced and its input is whole."""
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
    """The server, on a free port of 127.0.0.1, from entering the context to leaving it.

    Attributes:
        bodies: Bodies of requests as they came in, in order.
        requests: What came in, in order; bodies only, so no key is ever kept.
        most_in_flight: The most requests that were read and not yet answered at one time.
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
        """What the SDK takes as `base_url`."""
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
        """The answer to a request, its delay waited out, counted as in flight meanwhile."""
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
    """A thread a connection; all of them are gone when the server is closed."""

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
        """End the connections that clients keep open for later."""
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what failed, unless it is that a client went away."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """Reads requests from one connection, one after the other, and writes what the front answers."""

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
        """The front's answer, or an error where this isn't a Messages request."""
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
        """Nothing: a test's output is its own."""
