"""The server of pages for people, each under a secret token and without any resource from the network."""

import hmac
import secrets
import socket
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any

import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from markscheme.errors import UsageError
from markscheme.json_text import no_constant, parse_json
from markscheme.numerals import finite
from markscheme.prompts.parts import parts_of
from markscheme.prompts.submission import Submission

PORTS_TRIED = 50
"""Number of ports that are tried, from the wanted one on: more than the pages that one machine serves at a time."""
LONGEST_FORM = 200_000
"""Largest size in bytes of an answer: enough for a note, and a reason per criterion, of the greatest length that the
page allows."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SANDBOXED = {"Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'"}
"""HTTP headers for content from others, such as images, which let nothing in it run or load anything."""


def free_socket(host: str, port: int) -> socket.socket:
    """Open a socket listening at an address and port, or at the first free port after it.

    Raises:
        UsageError: None of the first PORTS_TRIED ports is free.
    """
    last = min(port + PORTS_TRIED, 65_536)
    family, is_dual = (socket.AF_INET6, socket.has_dualstack_ipv6()) if ":" in host else (socket.AF_INET, False)
    for index in range(port, last):
        with suppress(OSError):
            return socket.create_server((host, index), family=family, dualstack_ipv6=is_dual)
    sentence = f"{host} isn't this machine's, or ports {port} to {last - 1} are taken: -o host=NAME, -o port=N"
    raise UsageError(sentence).of_setting("host", host)


def new_token() -> str:
    """Make a random token, which protects the URL of a page."""
    return secrets.token_urlsafe(24)


def serve_apps(apps: Mapping[str, ASGIApp], listening: socket.socket, hosts: Collection[str], policy: str) -> None:
    """Serve each person's pages until the process is interrupted.

    Args:
        apps: The application of each person, by token.
        listening: Socket on which requests come in.
        hosts: Host names, with ports, under which browsers may reach this server.
        policy: The pages' content security policy, which allows only their own style and script.
    """
    config = uvicorn.Config(
        _PageGuard(apps, frozenset(hosts), policy),
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[listening])


class _PageGuard:
    """ASGI application that refuses requests without a rater's token, to a wrong host name, or from another site."""

    def __init__(self, apps: Mapping[str, ASGIApp], hosts: frozenset[str], policy: str) -> None:
        self.apps, self.hosts = apps, hosts
        self.headers = {**HEADERS, "Content-Security-Policy": f"{policy}; connect-src 'self'; frame-ancestors 'none'"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _, _, remaining = scope["path"].partition("/")
        token, slash, remaining = remaining.partition("/")
        app = next(
            (a for app_token, a in self.apps.items() if hmac.compare_digest(token.encode(), app_token.encode())), None
        )
        answer: ASGIApp
        hosts = _values(scope, b"host")
        if app is None or len(hosts) != 1 or hosts[0] not in self.hosts or self._is_foreign(scope):
            answer = PlainTextResponse("refused\n", 403)
        elif not slash:
            answer = RedirectResponse(f"/{token}/", 303)
        else:
            answer, scope = app, {**scope, "path": f"/{remaining}", "raw_path": f"/{remaining}".encode()}
        await answer(scope, receive, self._with_headers(send))

    def _with_headers(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return sent

    def _is_foreign(self, scope: Scope) -> bool:
        """Return True if a request that changes data comes from a page of another site, by the browser's headers."""
        if scope["method"] in ("GET", "HEAD"):
            return False
        origins = {f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https")}
        sites = {"same-origin", "none"}
        return not (
            origins.issuperset(_values(scope, b"origin")) and sites.issuperset(_values(scope, b"sec-fetch-site"))
        )


def _values(scope: Scope, header: bytes) -> list[str]:
    return [value.decode("latin-1").lower() for name, value in scope["headers"] if name == header]


def part_answer(submissions: Iterable[Submission], digest: str) -> Response:
    """Make the HTTP response with an image or document, which is sandboxed: it can't run or load anything.

    Args:
        submissions: The submissions that the page may show.
        digest: Digest of the image or document in one of them; the response is 404 if none has it.
    """
    texts = (text for submission in submissions for text in (*submission.inputs.values(), *submission.responses))
    shown_part = next((shown_part for shown_part in parts_of(texts) if shown_part.digest == digest), None)
    if shown_part is None:
        return PlainTextResponse("no such part\n", 404)
    try:
        return Response(shown_part.content, media_type=shown_part.mime, headers=SANDBOXED)
    except UsageError as error:
        return PlainTextResponse(f"{error}\n", 409)


def problem(title: str, text: str, status: int, *, block: bool = False) -> Response:
    """Make an HTTP error response whose message the page shows to its reader.

    Args:
        title: Title of the message.
        text: The message.
        status: HTTP status.
        block: True to hide the page's work and to let the page send nothing more.
    """
    return JSONResponse({"title": title, "text": text, "block": block}, status)


async def sent_object(request: Request) -> dict[str, Any] | None:
    """Read the JSON object that a page sends; None if it is too long, {} if it isn't an object."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST_FORM:
            return None
    try:
        data = parse_json(body.decode("utf-8"), parse_constant=no_constant)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def duration(value: Any) -> float | None:
    """Read a number of seconds that a page sends; None if it isn't a number or is negative."""
    seconds = finite(value)
    return seconds if seconds is not None and seconds >= 0 else None
