"""A local server that stores what another tool's client sends, and returns it."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

Answer = Callable[[str, Any], Any]
"""What is answered to a path and the JSON that was sent."""


@contextmanager
def serving(answers: Mapping[tuple[str, str], Answer]) -> Iterator[str]:
    """Serve answers by method and beginning of the path; yield the server's address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(None)

        def do_POST(self) -> None:
            self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def answer(self, sent: Any) -> None:
            path = urlsplit(self.path).path
            matching = (answers[key] for key in answers if self.command == key[0] and path.startswith(key[1]))
            reply: Answer = next(matching, lambda path, sent: {})
            text = json.dumps(reply(path, sent)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *parts: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(30)
