"""Server of the labelling page, which loads nothing from the network; each rater has a token."""

import socket
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from markscheme.errors import UsageError
from markscheme.features.label.label_session import LabelSession, Question, ResponseAnswers
from markscheme.features.label.page import PAGE, message_page, page_of, progress_part, shown_of
from markscheme.pages.example import SERVED
from markscheme.pages.serving import duration, part_answer, problem, sent_object, serve_apps


def serve(works: Mapping[str, LabelSession], listening: socket.socket, hosts: Collection[str], *, timed: bool) -> None:
    """Serve each rater's page until the process is interrupted.

    Args:
        works: Each rater's session, by the token in the address of the rater's page.
        listening: The socket on which requests come in.
        hosts: Host names with ports by which browsers may call this server.
        timed: True if the pages record the duration of each response.
    """
    apps = {token: _Pages(work, timed).app for token, work in works.items()}
    serve_apps(apps, listening, hosts, PAGE.policy)


class _Pages:
    """Request handlers of one rater's page. No handler awaits between reading and writing, so none interleave."""

    def __init__(self, work: LabelSession, timed: bool) -> None:
        self.work, self.timed = work, timed
        self.warned = False
        self.app = Starlette(
            routes=[
                Route("/", self.show),
                Route("/unit/{unit}", self.unit),
                Route("/part/{digest}", self.part),
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
        return HTMLResponse(await run_in_threadpool(shown_of, self.work, step, SERVED))

    async def part(self, request: Request) -> Response:
        shown = (self.work.examples[step.id].submission for step in self.work.steps)
        return await run_in_threadpool(part_answer, shown, request.path_params["digest"])

    async def give(self, request: Request) -> Response:
        sent = await sent_object(request)
        if sent is None:
            return problem("That was too long.", "The note is longer than can be kept. Shorten it.", 413)
        if stopped := self._stopped(typed=True):
            return JSONResponse(stopped, 409)
        step = self.work.by_unit.get(str(sent.get("unit")))
        answered = None if step is None else _answered(sent, self.work.questions_at(step))
        if step is None or answered is None:
            return problem("Not saved:", "a criterion has no answer that it allows. Reload the page.", 422, block=True)
        earlier = self.work.answered(step)
        if earlier is not None and earlier.answers == answered.answers and not sent.get("revises"):
            return JSONResponse({})  # sent twice: the first time, only the answer got lost
        if earlier is not None and not sent.get("revises"):
            return problem(
                "Not saved: this response was labelled already, in another tab.",
                "The first label counts. Reload the page to go on.",
                409,
                block=True,
            )
        try:
            self.work.give(step, answered)
        except UsageError as error:
            return problem("Not saved:", f"{error}.", 422)
        except OSError as error:
            return problem(
                "Not saved: the disk refused it.", f"{self.work.file.path}: {error.strerror or error}. Fix that.", 500
            )
        return JSONResponse({})

    async def undo(self, request: Request) -> Response:
        sent = await sent_object(request) or {}
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


def _answered(sent: Mapping[str, Any], questions: Sequence[Question]) -> ResponseAnswers | None:
    """Read the answers that the page sent; None if an answer is missing or isn't allowed."""
    answers, reasons, quotes = (_texts_in(sent.get(key)) for key in ("answers", "reasons", "quotes"))
    if any(answers.get(question.criterion.name) not in question.answers for question in questions):
        return None
    names = [question.criterion.name for question in questions]
    return ResponseAnswers(
        {name: answers[name] for name in names},
        {name: reasons[name] for name in names if reasons.get(name)},
        {name: quotes[name] for name in names if quotes.get(name)},
        str(sent.get("note") or ""),
        duration(sent.get("seconds")),
    )


def _texts_in(value: Any) -> dict[str, str]:
    """Read a mapping of names to texts that a page sends; {} for anything else."""
    return {str(name): str(text) for name, text in value.items()} if isinstance(value, dict) else {}
