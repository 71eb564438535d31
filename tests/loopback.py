"""The HTTP server on 127.0.0.1 that the tests' own providers stand on."""

import sys
from http.server import ThreadingHTTPServer
from typing import Any


class LoopbackServer(ThreadingHTTPServer):
    """A server with a thread for each connection, which refuses none of many that come at once."""

    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what failed, unless it is that a client went away: a command in the same process would print it."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)
