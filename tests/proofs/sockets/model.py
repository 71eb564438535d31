"""A server that stands in for a model behind an OpenAI-compatible API, for the frameworks' programs."""

import http.server
import json
import os
import threading
from pathlib import Path
from typing import Any


class Model(http.server.BaseHTTPRequestHandler):
    """Model that gives a reply the best level if it names a town, else the worst."""

    calls = 0
    completion_tokens = 1

    def do_POST(self) -> None:
        type(self).calls += 1
        asked = self.rfile.read(int(self.headers["content-length"])).decode()
        verdict = {"quote": "nothing to quote", "reason": "So.", "level": "MET" if "Leeds" in asked else "UNMET"}
        message = {"role": "assistant", "content": json.dumps({"verdicts": {"place": verdict}})}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        usage = {"prompt_tokens": 1, "completion_tokens": self.completion_tokens}
        reply = {"id": "x", "object": "chat.completion", "created": 1, "model": "my-model", "choices": [choice]}
        body = json.dumps({**reply, "usage": {**usage, "total_tokens": sum(usage.values())}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: Any) -> None:
        pass


def serve() -> None:
    """Start the server, configure judges to use it, and write its rubric."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ.update(
        OPENAI_BASE_URL=f"http://127.0.0.1:{server.server_port}/v1",
        OPENAI_API_KEY="key-of-a-test",
        MARKSCHEME_CACHE=str(Path("cache").absolute()),
    )
    Path("rubrics").mkdir()
    rubric = {"name": "support-reply", "criteria": [{"name": "place", "requirement": "Names a town.", "weight": 1}]}
    Path("rubrics/support-reply.json").write_text(json.dumps(rubric))


def replies(n: int) -> dict[str, list[str]]:
    """Return this many different replies, every second of which names a town."""
    return {
        "id": [f"r{number}" for number in range(n)],
        "response": [f"It is in {'Leeds' if number % 2 else 'transit'}, {number}." for number in range(n)],
    }
