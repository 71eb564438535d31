"""A small HTTP server that plays the batch APIs of Anthropic and OpenAI, with all that can go wrong, and a meter.

The real SDKs talk to it over loopback. It can go away and come back on the same port, with what it knows. What a prompt
comes to is decided by its digest: one in `errored` fails and one in `expired` expires, each the first time it is sent;
one in `unusable` is answered with words that can't be read, unless it is a re-ask.
"""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from tests.judges.asking import VERDICT
from tests.loopback import LoopbackServer

TOKENS = (400, 30)
"""Read and written for each answer."""
AGAIN = "An earlier reply could not be used"


@dataclass
class Batch:
    """A batch that the server has: its entries, when its results are ready (monotonic s), and how it was described."""

    id: str
    entries: list[dict[str, Any]]
    ready: float
    created: float
    metadata: dict[str, str] = field(default_factory=dict)
    results: list[dict[str, Any]] | None = None
    canceled: bool = False


class BatchServer(AbstractContextManager["BatchServer"]):
    """The server, on a free port of 127.0.0.1.

    Args:
        delay: Seconds that a batch takes.
        errored: One in so many prompts fails the first time; 0 for none.
        expired: Likewise.
        unusable: Likewise.
        bad_polls: One in so many questions for a batch's state is answered with status 500; 0 for none.
        arrived: Called with each batch before the client hears of it; a ConnectionError cuts the line.

    Attributes:
        batches: By id.
        answered: How often each prompt was answered in a batch, which is when it is paid.
        live: Answers outside batches.
        go_on: Not set while the server waits between having a new batch and saying so, and amid sending results.
        creates, polls, reads: Requests of these kinds that have come in.
    """

    def __init__(
        self,
        *,
        delay: float = 0.1,
        errored: int = 0,
        expired: int = 0,
        unusable: int = 0,
        bad_polls: int = 0,
        arrived: Callable[[Batch], None] = lambda _: None,
    ) -> None:
        self.arrived = arrived
        self.delay, self.bad_polls = delay, bad_polls
        self.errored, self.expired, self.unusable = errored, expired, unusable
        self.batches: dict[str, Batch] = {}
        self.files: dict[str, list[dict[str, Any]]] = {}
        self.answered: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self.live = self.creates = self.polls = self.reads = 0
        self.refusals: list[tuple[int, dict[str, Any]]] = []
        self.go_on = threading.Event()
        self.go_on.set()
        self._lock, self._port = threading.RLock(), 0

    @property
    def url(self) -> str:
        """The base URL for Anthropic's SDK; OpenAI's takes it with /v1."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def paid(self) -> tuple[int, int]:
        """Answers in batches and live."""
        return sum(self.answered.values()), self.live

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Listen, on the port of before if there was one."""
        self._server = LoopbackServer(("127.0.0.1", self._port), _handler(self))
        self._port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def stop(self) -> None:
        """Go away."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer_live(self) -> None:
        """Count an answer outside batches; many threads do at once."""
        with self._lock:
            self.live += 1

    # batches

    def add(self, entries: list[dict[str, Any]], metadata: dict[str, str] | None = None) -> Batch:
        """Take a batch, and hold back saying so."""
        with self._lock:
            now = time.monotonic()
            batch = Batch(f"batch_{self.creates}", entries, now + self.delay, time.time(), metadata or {})
            self.batches[batch.id] = batch
            self.creates += 1
        self.go_on.wait()
        self.arrived(batch)
        return batch

    def results(self, batch: Batch) -> list[dict[str, Any]] | None:
        """What came of the entries, in any order; None before it has ended."""
        with self._lock:
            if batch.results is None and (batch.canceled or time.monotonic() >= batch.ready):
                batch.results = [self._result(entry, batch.canceled) for entry in batch.entries]
                random.Random(7).shuffle(batch.results)
            return batch.results

    def _result(self, entry: dict[str, Any], canceled: bool) -> dict[str, Any]:
        key = entry["custom_id"]
        self.sent[key] += 1
        number, first = int(key[:8], 16), self.sent[key] == 1
        if canceled:
            return {"key": key, "kind": "canceled"}
        if first and self.errored and number % self.errored == 0:
            return {"key": key, "kind": "errored"}
        if first and self.expired and number % self.expired == 1:
            return {"key": key, "kind": "expired"}
        self.answered[key] += 1
        unusable = self.unusable and number % self.unusable == 2 and AGAIN not in json.dumps(entry)
        return {"key": key, "kind": "succeeded", "text": "I'd rather not say." if unusable else VERDICT}


def _handler(server: BatchServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            path = urlsplit(self.path).path
            if server.refusals and path.endswith("/batches"):
                self._say(*server.refusals.pop(0))
            elif path == "/v1/messages/batches":
                self._say(200, _anthropic_batch(server, server.add(json.loads(raw)["requests"])))
            elif path == "/v1/files":
                lines = [line for line in raw.split(b"\n") if line.startswith(b'{"custom_id"')]
                server.files[f"file_{len(server.files)}"] = [json.loads(line) for line in lines]
                self._say(200, {"id": f"file_{len(server.files) - 1}", "object": "file"})
            elif path == "/v1/batches":
                body = json.loads(raw)
                batch = server.add(server.files[body["input_file_id"]], body["metadata"])
                self._say(200, _openai_batch(server, batch))
            elif path.endswith("/cancel"):
                batch = server.batches[path.split("/")[-2]]
                batch.canceled = True
                self._say(200, (_anthropic_batch if "messages" in path else _openai_batch)(server, batch))
            elif path == "/v1/messages":
                server.answer_live()
                self._say(200, _message(VERDICT))
            else:
                server.answer_live()
                self._say(200, _completion(VERDICT))

        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            shape = _anthropic_batch if "messages" in path else _openai_batch
            if path.endswith("/batches"):
                after = parse_qs(urlsplit(self.path).query).get("after_id")
                newest = [] if after else [shape(server, batch) for batch in reversed([*server.batches.values()])]
                self._say(200, {"object": "list", "data": newest, "has_more": False, "first_id": None, "last_id": None})
            elif path.endswith("/results"):
                self._stream(_anthropic_result, server.batches[path.split("/")[-2]])
            elif path.endswith("/content"):
                self._stream(_openai_result, server.batches[path.split("/")[-2].partition("-")[0]], path)
            else:
                server.polls += 1
                if server.bad_polls and server.polls % server.bad_polls == 0:
                    self._say(500, {"type": "error", "error": {"type": "api_error", "message": "played"}})
                    return
                self._say(200, shape(server, server.batches[path.split("/")[-1]]))

        def _stream(self, shape: Any, batch: Batch, path: str = "") -> None:
            results = server.results(batch) or []
            errors = "-errors" in path
            wanted = [result for result in results if not path or (result["kind"] != "succeeded") == errors]
            lines = [json.dumps(shape(entry)).encode() + b"\n" for entry in wanted]
            self.send_response(200)
            self.send_header("content-length", str(sum(map(len, lines))))
            self.end_headers()
            half = len(lines) * 2 // 3
            self.wfile.write(b"".join(lines[:half]))
            self.wfile.flush()
            server.reads += 1
            server.go_on.wait()
            self.wfile.write(b"".join(lines[half:]))

        def _say(self, status: int, body: dict[str, Any]) -> None:
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def handle(self) -> None:
            try:
                super().handle()
            except ConnectionError:
                """The client was killed, or `arrived` cuts the line."""

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: a test's output is its own."""

    return Handler


# --- the shapes of the two APIs -------------------------------------------------------------------------------------


def _message(text: str) -> dict[str, Any]:
    return {
        "id": "msg_played",
        "type": "message",
        "role": "assistant",
        "model": "played",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": TOKENS[0], "output_tokens": TOKENS[1]},
    }


def _completion(text: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1], "total_tokens": sum(TOKENS)}
    return {"id": "x", "object": "chat.completion", "model": "played", "choices": [choice], "usage": usage}


def _stamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _anthropic_batch(server: BatchServer, batch: Batch) -> dict[str, Any]:
    results = server.results(batch)
    kinds = Counter(result["kind"] for result in results or ())
    counts = {kind: kinds[kind] for kind in ("succeeded", "errored", "canceled", "expired")}
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": "in_progress" if results is None else "ended",
        "request_counts": {"processing": len(batch.entries) if results is None else 0, **counts},
        "created_at": _stamp(batch.created),
        "expires_at": _stamp(batch.created + 86_400),
        "ended_at": None,
        "results_url": None if results is None else f"{server.url}/v1/messages/batches/{batch.id}/results",
    }


def _anthropic_result(one: dict[str, Any]) -> dict[str, Any]:
    match one["kind"]:
        case "succeeded":
            result = {"type": "succeeded", "message": _message(one["text"])}
        case "errored":
            error = {"type": "error", "error": {"type": "api_error", "message": "played"}}
            result = {"type": "errored", "error": error}
        case kind:
            result = {"type": kind}
    return {"custom_id": one["key"], "result": result}


def _openai_batch(server: BatchServer, batch: Batch) -> dict[str, Any]:
    results = server.results(batch)
    failed = sum(result["kind"] != "succeeded" for result in results or ())
    return {
        "id": batch.id,
        "object": "batch",
        "endpoint": "/v1/chat/completions",
        "completion_window": "24h",
        "input_file_id": "file",
        "status": "in_progress" if results is None else "cancelled" if batch.canceled else "completed",
        "created_at": int(batch.created),
        "metadata": batch.metadata,
        "output_file_id": f"{batch.id}-answers" if results is not None else None,
        "error_file_id": f"{batch.id}-errors" if failed else None,
        "request_counts": {"total": len(batch.entries), "completed": len(results or ()) - failed, "failed": failed},
    }


def _openai_result(one: dict[str, Any]) -> dict[str, Any]:
    response, error = None, None
    match one["kind"]:
        case "succeeded":
            response = {"status_code": 200, "request_id": "r", "body": _completion(one["text"])}
        case "errored":
            response = {"status_code": 500, "request_id": "r", "body": {"error": {"message": "played"}}}
        case kind:
            error = {"code": f"batch_{kind}", "message": "played"}
    return {"id": "line", "custom_id": one["key"], "response": response, "error": error}
