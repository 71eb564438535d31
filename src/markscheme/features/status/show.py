"""Shows the rubrics in the project, the judges and running work; no parser is imported for it."""

import os
from collections.abc import Collection
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.commands.output import put, rendered, show
from markscheme.errors import UsageError
from markscheme.features.status.own_rubrics import own_rubrics
from markscheme.features.status.view import ShowRubrics, json_of, view, without_rubrics
from markscheme.files import refuse_unwritable
from markscheme.judges.kinds import kinds
from markscheme.report.streams import STREAMS
from markscheme.report.under_way import UNDER_WAY
from markscheme.rubrics.search import calibrations, known_rubrics
from markscheme.session import session_sockets

if TYPE_CHECKING:
    from markscheme.features.status.rubric_status import RubricStatus


def show_status(html: str | None = None, *, json: bool = False) -> int:
    """Print the status of the project, write its page, and return the exit status.

    Args:
        html: The file of the page to write; None for no page.
        json: True to print JSON.

    Raises:
        UsageError: The page can't be written.
    """
    if html == "-":
        raise UsageError("`--html` must be a file; standard output has the table itself")
    refuse_unwritable(html)
    start = Path.cwd()
    streams = [stream for find in STREAMS for stream in find(start)]
    rubrics, show_rubrics = _rubrics(start, {stream.data["rubric"] for stream in streams if stream.data.get("moved")})
    judges = {kind: kind.ready() for kind in kinds()}
    sessions, session_lines = _sessions()
    under_way = [look() for look in UNDER_WAY]
    lines = [line for lines_of_one, _ in under_way for line in lines_of_one]
    by_key = {key: entries for _, entries_by_key in under_way for key, entries in entries_by_key.items()}
    lines = [*(stream.line for stream in streams), *lines]
    sections = [stream.section() for stream in streams] if html else []
    document = view(show_rubrics, judges, lines, session_lines, sections)
    by_key |= {key: [stream.data for stream in streams if stream.key == key] for key in ("streams", "looks")}
    show(document, json_of(rubrics, judges, by_key, sessions) if json else {}, json=json)
    if html:
        put(rendered(document, "html"), html)
    return 0


def _sessions() -> tuple[list[dict[str, Any]], list[str]]:
    """Return the status of each running session, as data and as a line of text.

    If no session has left a socket, the modules that talk to sessions aren't imported, to save time.
    """
    sockets = list(session_sockets()) if hasattr(os, "getuid") else []
    if not sockets:
        return [], []
    from markscheme.commands.running_sessions import session_line, sessions_at

    sessions = sessions_at(sockets)
    return sessions, list(map(session_line, sessions))


def _rubrics(start: Path, moved: Collection[str]) -> "tuple[list[RubricStatus], ShowRubrics]":
    """Return the status of each rubric, and a function that renders them; without rubrics, it says how to get one.

    If there are no rubrics, no reader of rubrics is imported.

    Args:
        start: The folder in or above which rubrics are searched for.
        moved: Names of the rubrics whose judge moved since their accepted run, which is therefore stale.
    """
    files = own_rubrics(start).values()
    if files or calibrations(start):
        from markscheme.features.status import rubric_status, view_rubrics

        rubrics = [
            status.after_judge_moved() if status.name in moved else status
            for status in rubric_status.rubrics_here(files, start, date.today())
        ]
        if rubrics:
            return rubrics, partial(view_rubrics.view_rubrics, rubrics)
    return [], partial(without_rubrics, list(known_rubrics(start)))
