"""The HTTP server on 127.0.0.1 that the tests' own providers stand on."""

import sys
from http.server import ThreadingHTTPServer
from socketserver import BaseServer
from typing import Any


class LoopbackServer(ThreadingHTTPServer):
    """A server with a thread for each connection, which refuses none of many that come at once."""

    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say what failed, unless it is that a client went away."""
        report_error(self, request, client_address)


def report_error(server: BaseServer, request: Any, client_address: Any) -> None:
    """Say what failed, unless it is that a client went away: a command in the same process would print it."""
    if not isinstance(sys.exception(), ConnectionError):
        BaseServer.handle_error(server, request, client_address)
