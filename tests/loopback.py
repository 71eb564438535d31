"""The HTTP server on 127.0.0.1 that the tests' own providers stand on."""

from http.server import ThreadingHTTPServer


class LoopbackServer(ThreadingHTTPServer):
    """A server with a thread for each connection, which refuses none of many that come at once."""

    request_queue_size = 512
    daemon_threads = True
