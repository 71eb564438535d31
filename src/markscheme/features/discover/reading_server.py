"""The page for reading and grouping, served to each reader or written as a file to send."""

import socket
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from shlex import quote
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from markscheme.errors import MarkschemeError
from markscheme.features.discover.modes import UNDEFINED, Codebook
from markscheme.features.discover.note_sheet import head_of
from markscheme.features.discover.reading import OutputReading
from markscheme.features.discover.reading_work import (
    ReadingWork,
    grouping_state,
    listed_modes,
    named_by,
    shown_output,
    unit_name,
)
from markscheme.options.in_force import with_reading_options
from markscheme.pages.example import whole_texts
from markscheme.pages.serving import part_answer, problem, sent_object, serve_apps
from markscheme.pages.template import PageTemplate
from markscheme.readers.sheet import sheet_key

READING_PAGE = PageTemplate(
    "discover.html",
    ("page.css", "discover.css"),
    ("shell.js", "passages.js", "discover.js", "reading.js", "grouping.js", "discover_start.js"),
    Path(__file__).parent / "templates",
)
PAGE_OUTPUTS = 1_000
"""Largest number of outputs that a page lists: more than anyone reads in a day; reopening the page lists the next
ones."""
SHEET_OUTPUTS = 200
"""Largest number of outputs in a reading sheet: more than anyone reads before sending it back."""


def serve_reading(
    works: Mapping[str, ReadingWork], listening: socket.socket, hosts: Collection[str], *, timed: bool
) -> None:
    """Serve each reader's page, by its token, until the process is interrupted.

    Args:
        works: Each reader's outputs to read and notes so far, by the token in the page's address.
        listening: Socket on which requests come in.
        hosts: Host names, with ports, under which browsers may reach this server.
        timed: True to store how long each reading takes.
    """
    apps = {token: _ReadingPages(work, timed).app for token, work in works.items()}
    serve_apps(apps, listening, hosts, READING_PAGE.policy)


def reading_page(work: ReadingWork, *, timed: bool) -> str:
    """Render the reading page for the server to send.

    Args:
        work: The reader's outputs to read, and the notes so far.
        timed: True to store how long each reading takes.
    """
    return _page(work, _data(work, timed=timed), is_sheet=False)


def reading_sheet(work: ReadingWork, *, timed: bool, sent_along: set[str] | None = None) -> str:
    """Render a reader's page as a file that needs no server, and that saves the notes in a file for `--notes`.

    Args:
        work: The reader's work: the outputs to read, and the notes so far.
        timed: True to store the duration of each reading.
        sent_along: A set to which the names of images and documents that are too large for the sheet are added.
    """
    data = _data(work, timed=timed)
    is_left = [step for step in data["steps"] if step["reading"] is None]
    data["steps"] = is_left[:SHEET_OUTPUTS]
    units = {step["unit"] for step in data["steps"]}
    examples = work.opened.pool.examples
    in_sheet = whole_texts(set() if sent_along is None else sent_along)
    data["units"] = {unit: shown_output(examples[id], in_sheet) for unit, id in work.ids.items() if unit in units}
    with work.opened.folder.locked():
        key = sheet_key(work.opened.folder.path)
    shown = [examples[id] for unit, id in work.ids.items() if unit in units]
    file = f"{work.opened.folder.name}-{work.rater}.jsonl"
    data["sheet"] = {
        "head": head_of(work.opened.folder.name, work.rater, shown, key),
        "ids": {unit: id for unit, id in work.ids.items() if unit in units},
        "file": file,
        "taken_in_by": with_reading_options(
            f"markscheme discover {quote(work.opened.folder.name)} --notes {quote(file)}"
        ),
        "key": " ".join(["markscheme notes", work.opened.folder.name, work.rater]),
    }
    return _page(work, data, is_sheet=True)


def _page(work: ReadingWork, data: Mapping[str, Any], *, is_sheet: bool) -> str:
    name = work.opened.folder.name
    return READING_PAGE.page(data, is_sheet=is_sheet, name=name, rater=work.rater, view=work.view)


def _data(work: ReadingWork, *, timed: bool) -> dict[str, Any]:
    """Return the data for the page's script, with no notes but the reader's own.

    Args:
        work: The reader's outputs to read, and the notes so far.
        timed: True to store how long each reading takes.
    """
    readings = work.own_readings()
    book = work.opened.codebook()
    examples = work.opened.pool.examples
    return {
        "name": work.opened.folder.name,
        "rater": work.rater,
        "view": work.view,
        "timed": timed,
        "modes": listed_modes(book),
        "undefined": UNDEFINED,
        "steps": [
            {
                "unit": unit_name(id),
                "chosen": chosen,
                **named_by(examples[id]),
                "reading": _reading(readings.get(id), book),
            }
            for id, chosen in work.steps[: len(readings) + PAGE_OUTPUTS]
        ],
        "again": [
            {"mode": name, "unit": unit_name(id)} for name, id in (work.again_pairs() if work.view == "again" else ())
        ],
        "recode": work.recode_notes() if work.view == "recode" else [],
        "sheet": None,
    }


def _reading(reading: OutputReading | None, book: Codebook) -> dict[str, Any] | None:
    """Return a reader's own reading of an output as the dict that the page's script takes; None if there is none.

    Args:
        reading: The reading; None if the reader hasn't read the output.
        book: The codebook, which says in which failure modes each note is.
    """
    if reading is None:
        return None
    return {
        "read": reading.read,
        "pass": reading.passed,
        "seconds": reading.seconds,
        "listed": dict(reading.listed),
        "notes": [
            {
                "n": note.n,
                "text": note.text,
                "quote": note.quote or "",
                "modes": list(book.modes_of(reading.key_of(note))),
            }
            for note in reading.notes
        ],
    }


class _ReadingPages:
    """Request handlers of one reader's page; none awaits between reading and writing files, so requests don't mix."""

    def __init__(self, work: ReadingWork, timed: bool) -> None:
        self.work, self.timed = work, timed
        self.app = Starlette(
            routes=[
                Route("/", self.show),
                Route("/unit/{unit}", self.unit),
                Route("/part/{digest}", self.part),
                Route("/read", self.read, methods=["POST"]),
                Route("/reopen", self.reopen, methods=["POST"]),
                Route("/again", self.again, methods=["POST"]),
                Route("/recode", self.recode, methods=["POST"]),
                Route("/group", self.group, methods=["POST"]),
                Route("/state", self.state),
            ]
        )

    async def show(self, request: Request) -> Response:
        if request.query_params.get("view") in ("read", "group"):
            self.work.view = request.query_params["view"]
        self.work.__dict__.pop("steps", None)  # others may have read since
        return HTMLResponse(reading_page(self.work, timed=self.timed))

    async def unit(self, request: Request) -> Response:
        shown = await run_in_threadpool(self.work.shown, request.path_params["unit"])
        return PlainTextResponse("no such output\n", 404) if shown is None else HTMLResponse(shown)

    async def part(self, request: Request) -> Response:
        examples = self.work.opened.pool.examples
        shown = (examples[id].submission for id in self.work.ids.values() if id in examples)
        return await run_in_threadpool(part_answer, shown, request.path_params["digest"])

    async def read(self, request: Request) -> Response:
        sent = await sent_object(request)
        if sent is None:
            return problem("That was too long.", "A note is longer than can be kept. Shorten it.", 413)
        return self._saved(lambda: self.work.read(str(sent.get("unit")), sent))

    async def reopen(self, request: Request) -> Response:
        sent = await sent_object(request) or {}
        return self._saved(lambda: self.work.withdraw(str(sent.get("unit"))))

    async def again(self, request: Request) -> Response:
        sent = await sent_object(request) or {}
        answer = sent.get("answer")
        return self._saved(
            lambda: self.work.answer_again(
                str(sent.get("unit")), str(sent.get("mode")), None if answer is None else str(answer)
            )
        )

    async def recode(self, request: Request) -> Response:
        sent = await sent_object(request) or {}
        modes = [str(name) for name in sent.get("modes") or ()]
        return self._saved(lambda: self.work.recode(str(sent.get("note")), modes))

    async def group(self, request: Request) -> Response:
        sent = await sent_object(request) or {}
        answer = self._saved(lambda: self.work.group(sent))
        return answer if answer.status_code != 200 else JSONResponse(await run_in_threadpool(grouping_state, self.work))

    async def state(self, _: Request) -> Response:
        return JSONResponse(await run_in_threadpool(grouping_state, self.work))

    def _saved(self, change: Callable[[], object]) -> Response:
        """Make a change; answer with an empty body once it is on disk, or with an error if it fails."""
        try:
            change()
        except MarkschemeError as error:
            return problem("Not done:", f"{error}.", 422)
        except OSError as error:
            return problem("Not saved: the disk refused it.", f"{error.strerror or error}. Fix that.", 500)
        return JSONResponse({})
