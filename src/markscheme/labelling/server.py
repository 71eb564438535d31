"""The labelling page, served: behind a token for each rater, and without anything from the network."""

import hmac
import json
import secrets
import socket
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from markscheme.errors import UsageError
from markscheme.labelling.page import message_page, page_of, policy, progress_part, shown_of
from markscheme.labelling.work import Answered, Question, Work
from markscheme.numerals import finite
from markscheme.text import encodable

PORTS_TRIED = 50
"""Ports tried from the one asked for: more sessions of annotators than one machine serves."""
LONGEST_FORM = 200_000
"""Bytes of an answer: a note and a reason per criterion, all as long as the page lets them be, fit in."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def free_socket(host: str, port: int) -> socket.socket:
    """A socket listening at an address and port, or at the first free port after it.

    Raises:
        UsageError: None of fifty ports is free there.
    """
    last = min(port + PORTS_TRIED, 65_536)
    family, both = (socket.AF_INET6, socket.has_dualstack_ipv6()) if ":" in host else (socket.AF_INET, False)
    for number in range(port, last):
        with suppress(OSError):
            return socket.create_server((host, number), family=family, dualstack_ipv6=both)
    raise UsageError(f"no port from {port} to {last - 1} is free on {host}; name another --port")


def new_token() -> str:
    """A random token for the page's address."""
    return secrets.token_urlsafe(24)


def serve(works: Mapping[str, Work], listening: socket.socket, hosts: Collection[str], *, timed: bool) -> None:
    """Serve each rater's page until the process is interrupted.

    Args:
        works: The raters' work, by token.
        listening: Where requests come in.
        hosts: By which names browsers may call this server, with their ports.
        timed: Whether the pages note how long each response takes.
    """
    config = uvicorn.Config(
        _Guard({token: _Pages(work, timed).app for token, work in works.items()}, frozenset(hosts)),
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[listening])


class _Guard:
    """Answers requests that carry a rater's token, call this server by its name and come from no other site."""

    def __init__(self, apps: Mapping[str, ASGIApp], hosts: frozenset[str]) -> None:
        self.apps, self.hosts = apps, hosts
        self.headers = {**HEADERS, "Content-Security-Policy": f"{policy()}; connect-src 'self'; frame-ancestors 'none'"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _, _, rest = scope["path"].partition("/")
        token, slash, rest = rest.partition("/")
        app = next(
            (a for app_token, a in self.apps.items() if hmac.compare_digest(token.encode(), app_token.encode())), None
        )
        answer: ASGIApp
        if app is None or not self._is_known(_values(scope, b"host")) or self._is_foreign(scope):
            answer = PlainTextResponse("refused\n", 403)
        elif not slash:
            answer = RedirectResponse(f"/{token}/", 303)
        else:
            answer, scope = app, {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
        await answer(scope, receive, self._with_headers(send))

    def _with_headers(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        return sent

    def _is_known(self, hosts: list[str]) -> bool:
        return len(hosts) == 1 and hosts[0] in self.hosts

    def _is_foreign(self, scope: Scope) -> bool:
        """Whether a page of another site sends answers: browsers name the site, and other clients needn't."""
        if scope["method"] in ("GET", "HEAD"):
            return False
        origins = {f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https")}
        sites = {"same-origin", "none"}
        return not (
            origins.issuperset(_values(scope, b"origin")) and sites.issuperset(_values(scope, b"sec-fetch-site"))
        )


def _values(scope: Scope, header: bytes) -> list[str]:
    return [value.decode("latin-1").lower() for name, value in scope["headers"] if name == header]


class _Pages:
    """One rater's page and what it asks for. No handler awaits between reading and writing, so none interleave."""

    def __init__(self, work: Work, timed: bool) -> None:
        self.work, self.timed = work, timed
        self.warned = False
        self.app = Starlette(
            routes=[
                Route("/", self.show),
                Route("/unit/{unit}", self.unit),
                Route("/give", self.give, methods=["POST"]),
                Route("/undo", self.undo, methods=["POST"]),
                Route("/progress", self.progress),
            ]
        )

    async def show(self, _: Request) -> Response:
        if stopped := self._stopped():
            return HTMLResponse(message_page(stopped["title"], stopped["text"]), 409)
        return HTMLResponse(page_of(self.work, timed=self.timed))

    async def unit(self, request: Request) -> Response:
        if stopped := self._stopped():
            return JSONResponse(stopped, 409)
        step = self.work.by_unit.get(request.path_params["unit"])
        if step is None:
            return PlainTextResponse("no such response\n", 404)
        return HTMLResponse(await run_in_threadpool(shown_of, self.work, step))

    async def give(self, request: Request) -> Response:
        sent = await _sent(request)
        if sent is None:
            return _problem("That was too long.", "The note is longer than can be kept. Shorten it.", 413)
        if stopped := self._stopped(typed=True):
            return JSONResponse(stopped, 409)
        step = self.work.by_unit.get(str(sent.get("unit")))
        answered = None if step is None else _answered(sent, self.work.asked(step))
        if step is None or answered is None:
            return _problem("Not saved:", "a criterion has no answer that it allows. Reload the page.", 422, block=True)
        earlier = self.work.answered(step)
        if earlier is not None and earlier.answers == answered.answers and not sent.get("revises"):
            return JSONResponse({})  # sent twice: the first time, only the answer got lost
        if earlier is not None and not sent.get("revises"):
            return _problem(
                "Not saved: this response was labelled already, in another tab.",
                "The first label counts. Reload the page to go on.",
                409,
                block=True,
            )
        try:
            self.work.give(step, answered)
        except OSError as error:
            return _problem(
                "Not saved: the disk refused it.", f"{self.work.file.path}: {error.strerror or error}. Fix that.", 500
            )
        return JSONResponse({})

    async def undo(self, request: Request) -> Response:
        sent = await _sent(request) or {}
        if stopped := self._stopped():
            return JSONResponse(stopped, 409)
        step = self.work.by_unit.get(str(sent.get("unit")))
        if step is not None:
            self.work.withdraw(step)
        return JSONResponse({})

    async def progress(self, _: Request) -> Response:
        if stopped := self._stopped():
            return JSONResponse(stopped, 409)
        return HTMLResponse(progress_part(self.work))

    def _stopped(self, *, typed: bool = False) -> dict[str, Any] | None:
        change = self.work.change()
        if not change:
            return None
        if not self.warned:
            print(f"error: {change}; labelling has stopped. Start again to go on with it.", file=sys.stderr, flush=True)
            self.warned = True
        lost = "What you have just chosen was not saved. " if typed else ""
        text = (
            f"{change}. {lost}All labels before are kept. End the command in the terminal and start it again: "
            "what was labelled under words that have changed will come again."
        )
        return {"title": "Labelling has stopped: the rubric changed.", "text": text, "block": True}


def _problem(title: str, text: str, status: int, *, block: bool = False) -> Response:
    return JSONResponse({"title": title, "text": text, "block": block}, status)


async def _sent(request: Request) -> dict[str, Any] | None:
    """The object that a page sends; None if it is too long, and empty if it is none."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_FORM:
            return None
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _answered(sent: Mapping[str, Any], questions: Sequence[Question]) -> Answered | None:
    """The answers to questions; None where one has none that it allows."""
    answers, reasons, quotes = (_texts(sent.get(key)) for key in ("answers", "reasons", "quotes"))
    if any(answers.get(question.criterion.name) not in question.answers for question in questions):
        return None
    names = [question.criterion.name for question in questions]
    return Answered(
        {name: answers[name] for name in names},
        {name: reasons[name] for name in names if reasons.get(name)},
        {name: quotes[name] for name in names if quotes.get(name)},
        encodable(str(sent.get("note") or "")),
        finite(sent.get("seconds")),
    )


def _texts(value: Any) -> dict[str, str]:
    return {str(name): encodable(str(text)) for name, text in value.items()} if isinstance(value, dict) else {}
