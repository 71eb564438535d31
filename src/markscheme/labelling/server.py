"""The labelling page, served on this machine only: behind a token, and without anything from the network."""

import hmac
import secrets
import socket
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from markscheme.errors import UsageError
from markscheme.fingerprint import fingerprint
from markscheme.labelling.disputes import STEP
from markscheme.labelling.order import Step
from markscheme.labelling.work import CANNOT_TELL, NOT_APPLICABLE, Question, Work

LOOPBACK = "127.0.0.1"
PORTS_TRIED = 50
LONGEST_FORM = 200_000
TEMPLATES = Path(__file__).parent / "templates"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def free_socket(port: int) -> socket.socket:
    """A socket listening on this machine at the port, or at the first free port after it.

    Raises:
        UsageError: None of fifty ports is free.
    """
    last = min(port + PORTS_TRIED, 65_536)
    for number in range(port, last):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((LOOPBACK, number))
            found.listen()
        except OSError:
            found.close()
            continue
        return found
    raise UsageError(f"no port from {port} to {last - 1} is free on {LOOPBACK}; name another --port")


def new_token() -> str:
    """A random token for the page's address."""
    return secrets.token_urlsafe(24)


def serve(work: Work, listening: socket.socket, token: str) -> None:
    """Serve the page until the process is interrupted."""
    app = application(work, token, listening.getsockname()[1])
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[listening])


def application(work: Work, token: str, port: int) -> ASGIApp:
    """The page as an ASGI application, behind the token."""
    pages = _Pages(work)
    routes = [
        Route("/", pages.show),
        Route("/give", pages.give, methods=["POST"]),
        Route("/undo", pages.undo, methods=["POST"]),
        Route("/progress", pages.progress),
        Route("/page.css", _file("page.css", "text/css")),
        Route("/page.js", _file("page.js", "text/javascript")),
    ]
    return _Guard(Starlette(routes=routes), token, {f"{LOOPBACK}:{port}", f"localhost:{port}"})


class _Guard:
    """Answers requests that carry the token, call this machine by its own name and come from no other site."""

    def __init__(self, app: ASGIApp, token: str, hosts: set[str]) -> None:
        self.app, self.token, self.hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        hosts = _values(scope, b"host")
        _, _, rest = scope["path"].partition("/")
        token, slash, rest = rest.partition("/")
        known = hmac.compare_digest(token.encode(), self.token.encode())
        if len(hosts) != 1 or hosts[0] not in self.hosts or not known or self._is_foreign(scope):
            await PlainTextResponse("refused\n", 403, headers=HEADERS)(scope, receive, send)
        elif not slash:
            await RedirectResponse(f"/{token}/", 303, headers=HEADERS)(scope, receive, send)
        else:
            await self.app({**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}, receive, send)

    def _is_foreign(self, scope: Scope) -> bool:
        """Whether a page of another site sends a form: browsers name the site, and other clients needn't."""
        if scope["method"] in ("GET", "HEAD"):
            return False
        origins = {f"http://{host}" for host in self.hosts}
        sites = {"same-origin", "none"}
        return not (
            origins.issuperset(_values(scope, b"origin")) and sites.issuperset(_values(scope, b"sec-fetch-site"))
        )


def _values(scope: Scope, header: bytes) -> list[str]:
    return [value.decode("latin-1").lower() for name, value in scope["headers"] if name == header]


def _file(name: str, media_type: str) -> Any:
    text = (TEMPLATES / name).read_text(encoding="utf-8")

    async def answer(_: Request) -> Response:
        return Response(text, media_type=media_type, headers=HEADERS)

    return answer


class _Pages:
    """The pages of one rater's work. No handler awaits between reading and writing, so requests can't interleave."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.warned = False
        self.templates = Environment(
            loader=PackageLoader("markscheme.labelling"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    async def show(self, _: Request) -> Response:
        if stopped := self._stopped():
            return stopped
        step = self.work.current
        if step is None:
            return self._progress()
        answers, note = self.work.earlier_answers(step)
        return self._page(step, answers, note, taken_back=any(answers))

    async def give(self, request: Request) -> Response:
        form = await _form(request)
        if form is None:
            return self._message(
                "That was too long", "The note is longer than can be kept. Go back and shorten it.", 413
            )
        if stopped := self._stopped(typed=True):
            return stopped
        step = self.work.current
        if step is None or form.get("unit") != _unit(step):
            return self._message(
                "Not saved: this response was labelled already",
                "It was sent twice, or labelled in another tab. The first one counts; undo takes it back.",
                409,
            )
        questions = self.work.questions[step.id]
        answers = [form.get(f"c{place}", "") for place in range(len(questions))]
        known = [
            answer if answer in question.answers else "" for question, answer in zip(questions, answers, strict=True)
        ]
        note = form.get("note", "").replace("\r\n", "\n")
        if not all(known):
            return self._page(step, known, note, unanswered=known.count(""), status=422)
        said = {question.criterion.name: answer for question, answer in zip(questions, known, strict=True)}
        try:
            self.work.give(step, said, note)
        except OSError as error:
            return self._message(
                "Not saved: the disk refused it",
                f"{self.work.file.path}: {error.strerror or error}. Fix that, go back, and save again.",
                500,
            )
        return _onward()

    async def undo(self, request: Request) -> Response:
        form = await _form(request) or {}
        if stopped := self._stopped():
            return stopped
        if form.get("given") == str(len(self.work.file.given)):
            self.work.undo()
        return _onward()

    async def progress(self, _: Request) -> Response:
        return self._stopped() or self._progress()

    def _stopped(self, *, typed: bool = False) -> Response | None:
        change = self.work.change()
        if not change:
            return None
        if not self.warned:
            print(f"error: {change}; labelling has stopped. Start again to go on with it.", file=sys.stderr, flush=True)
            self.warned = True
        lost = "What you have just chosen was not saved. " if typed else ""
        return self._message(
            "Labelling has stopped: the rubric changed",
            f"{change}. {lost}All labels before are kept. End the command in the terminal and start it again: "
            "what was labelled under words that have changed will come again.",
            409,
            goes_on=False,
        )

    def _page(
        self,
        step: Step,
        answers: list[str],
        note: str,
        *,
        taken_back: bool = False,
        unanswered: int = 0,
        status: int = 200,
    ) -> Response:
        work = self.work
        example, questions = work.examples[step.id], work.questions[step.id]
        shown = [(name, example.submission.inputs.get(name)) for name in work.rubric.known_inputs]
        if work.rubric.inputs is None:
            shown = [(name, text) for name, text in shown if text is not None]
        cards = [_card(work, question, answer) for question, answer in zip(questions, answers, strict=True)]
        return self._rendered(
            "response.html",
            status,
            place=work.done + 1,
            inputs=shown,
            response=example.submission.response,
            cards=cards,
            note=note,
            unit=_unit(step),
            taken_back=taken_back,
            unanswered=unanswered,
        )

    def _progress(self) -> Response:
        is_done = self.work.current is None
        return self._rendered("progress.html", 200, progress=self.work.progress(), is_done=is_done, step=STEP)

    def _message(self, title: str, text: str, status: int, *, goes_on: bool = True) -> Response:
        return self._rendered("message.html", status, title=title, text=text, goes_on=goes_on)

    def _rendered(self, template: str, status: int, **values: Any) -> Response:
        work = self.work
        html = self.templates.get_template(template).render(
            rubric=work.rubric,
            rater=work.file.rater,
            adjudicating=work.file.kind == "adjudicated",
            done=work.done,
            total=len(work.steps),
            again=work.again,
            given=len(work.file.given),
            can_undo=work.last is not None,
            **values,
        )
        return HTMLResponse(html, status, headers=HEADERS)


def _onward() -> Response:
    return RedirectResponse("./", 303, headers=HEADERS)


def _unit(step: Step) -> str:
    """The step's name in the page; the id might say who wrote the response."""
    return fingerprint(step.id, step.sample)


async def _form(request: Request) -> dict[str, str] | None:
    """The fields of a form; None if it is too long."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_FORM:
            return None
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, errors="replace")
    return {name: values[-1] for name, values in fields.items()}


def _card(work: Work, question: Question, chosen: str) -> Mapping[str, Any]:
    """A criterion as the page shows it."""
    criterion = question.criterion
    seen = work.rubric.shown_to(criterion)
    return {
        "criterion": criterion,
        "choices": list(_choices(question, chosen)),
        "given": question.given,
        "is_fault": criterion.weight < 0,
        "by": None if seen == work.rubric.known_inputs else [*seen, "the response"],
    }


def _choices(question: Question, chosen: str) -> Iterator[Mapping[str, Any]]:
    scale = question.criterion.scale
    by_number = all(len(choice) == 1 and choice.isdecimal() for choice in scale.choices[:9]) and not scale.by_label
    for place, (choice, level) in enumerate(zip(scale.choices, scale.levels, strict=True)):
        key = choice if by_number else str(place + 1)
        name, label = choice, level.label if level.label and level.label != choice else ""
        if scale.is_yes_no:
            name, label = ("Yes", f"it is so ({choice})") if place else ("No", f"it is not so ({choice})")
        words = {"label": label, "description": level.description or "", "example": level.example or ""}
        yield {**_choice(str(place), key if len(key) == 1 else "", name, chosen), **words}
    if NOT_APPLICABLE in question.answers:
        yield _choice(NOT_APPLICABLE, "x", "Does not apply", chosen)
    yield _choice(CANNOT_TELL, "t", "Can’t tell", chosen)


def _choice(value: str, key: str, name: str, chosen: str) -> dict[str, Any]:
    words = dict.fromkeys(("label", "description", "example"), "")
    way_out = value in (CANNOT_TELL, NOT_APPLICABLE)
    return {"value": value, "key": key, "name": name, "is_chosen": value == chosen, "is_way_out": way_out, **words}
