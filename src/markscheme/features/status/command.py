"""`markscheme status`: the rubrics here, the judges usable here, and the warm session."""

import socket
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from markscheme.commands.options import JsonFlag
from markscheme.commands.output import put, rendered, show
from markscheme.commands.session import session_line, sessions_at
from markscheme.errors import UsageError
from markscheme.files import refuse_unwritable
from markscheme.judges.kinds import kinds
from markscheme.options.reading import DamageOptions
from markscheme.report.streams import STREAMS
from markscheme.report.under_way import UNDER_WAY
from markscheme.rubrics.search import calibrations, known_rubrics, own_rubrics
from markscheme.session import client

if TYPE_CHECKING:
    from markscheme.features.status.rubric_status import RubricStatus


def status(
    *,
    html: Annotated[str | None, Parameter(metavar="FILE")] = None,
    json: JsonFlag = False,
    damage: DamageOptions = DamageOptions(),  # noqa: ARG001 - `call` heeds it
) -> int:
    """Show for each rubric what its judge can decide, from the accepted run: use, judge, labels, false passes, cost
    of 1,000 grades, and how long the run stays fresh. Lists the streams and judges watched over time, the judges usable
    here, the batches under way and the running session. Makes no calls.

    Args:
        html: write a page with the history of the accepted runs: agreement, false passes, and what changed; and of the
            streams: what the judge passes and people would pass, by week

    Example:
        markscheme status --html status.html
    """
    from markscheme.features.status.view import JudgeStatus, json_of, view

    if html == "-":
        raise UsageError("`--html` must be a file; standard output has the table itself")
    refuse_unwritable(html)
    start = Path.cwd()
    rubrics = _rubrics(start)
    lacking = [(kind, kind.ready()) for kind in kinds()]
    judges = [JudgeStatus(kind, why is None, why or kind.shown()) for kind, why in lacking]
    sessions = sessions_at(list(client.sockets())) if hasattr(socket, "AF_UNIX") else []
    under_way = [look() for look in UNDER_WAY]
    lines = [line for lines_of_one, _ in under_way for line in lines_of_one]
    by_key = {key: entries for _, entries_by_key in under_way for key, entries in entries_by_key.items()}
    streams = [stream for find in STREAMS for stream in find(start)]
    lines = [*(stream.line for stream in streams), *lines]
    sections = [stream.section() for stream in streams] if html else []
    document = view(rubrics, judges, lines, list(map(session_line, sessions)), list(known_rubrics(start)), sections)
    by_key |= {key: [stream.data for stream in streams if stream.key == key] for key in ("streams", "looks")}
    show(document, json_of(rubrics, judges, by_key, sessions) if json else {}, json=json)
    if html:
        put(rendered(document, "html"), html)
    return 0


def _rubrics(start: Path) -> "list[RubricStatus]":
    """List the status of each rubric here; where there is none, what reads rubrics isn't loaded."""
    if not (own_rubrics(start) or calibrations(start)):
        return []
    from markscheme.features.status.rubric_status import rubrics_here

    return list(rubrics_here(start, date.today()))
