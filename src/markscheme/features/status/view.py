"""The report on the project's rubrics and available judges."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from markscheme.judges.kinds import JudgeKind
from markscheme.phrases import counted
from markscheme.report.document import (
    Callout,
    Document,
    Line,
    Notes,
    OnPages,
    Paragraph,
    Section,
)
from markscheme.report.json import attributes

if TYPE_CHECKING:
    from markscheme.features.status.rubric_status import RubricStatus

_NO_RUBRICS = (
    "No rubric is here yet: `markscheme init` puts one with labelled examples into this folder; {shipped} come with "
    "markscheme and are found by name."
)
_NO_SESSION = "session: none is running; Promptfoo's first assertion starts one, to grade for all"


JudgesHere: TypeAlias = Mapping[JudgeKind, str | None]
"""What to do before each kind of judge can be asked in this environment, by kind; None if it is ready."""
ShowRubrics: TypeAlias = "Callable[[JudgesHere, Sequence[Section]], Document]"
"""Function that renders the rubrics, given the kinds of judge and, for pages, the sections with pictures of streams,
which come after the histories."""


def without_rubrics(
    shipped: Sequence[str],
    judges: JudgesHere,  # noqa: ARG001 - a ShowRubrics once `shipped` is known
    streams: Sequence[Section],
) -> Document:
    """Return the report for a project without a rubric: how to get a first one.

    Args:
        shipped: Names of the rubrics that come with markscheme.
        judges: What to do before each kind of judge can be asked, by kind; None if it is ready.
        streams: A section with the picture of each stream.
    """
    callout = Callout("open", _NO_RUBRICS.format(shipped=", ".join(shipped)))
    return Document("No rubric", "", (callout, Notes(()), OnPages(tuple(streams))), onward=("Next", "markscheme init"))


def view(
    show_rubrics: ShowRubrics,
    judges: JudgesHere,
    under_way: Sequence[str],
    sessions: Sequence[str],
    streams: Sequence[Section] = (),
) -> Document:
    """Return the report on rubrics, judges, running work and running sessions.

    Args:
        show_rubrics: Function that renders the project's rubrics.
        judges: What to do before each kind of judge can be asked, by kind; None if it is ready.
        under_way: A line for each stream, and for each piece of running work, such as a batch.
        sessions: A line for each running session.
        streams: A section with the picture of each stream.
    """
    lines: list[Line] = [f"can ask {_form(kind)}: {_readiness(kind)}" for kind, lack in judges.items() if lack is None]
    lines += _not_ready([(kind, lack) for kind, lack in judges.items() if lack is not None])
    lines += under_way
    lines += [f"session: {session}" for session in sessions] or [_NO_SESSION]
    document = show_rubrics(judges, streams)
    return replace(document, blocks=(*document.blocks, Paragraph(tuple(lines))))


def _form(kind: JudgeKind) -> str:
    """Return the argument that names a judge of this kind, such as `anthropic`, without optional parts."""
    return kind.spelling.partition("[")[0]


def _not_ready(lacking: Sequence[tuple[JudgeKind, str]]) -> Iterator[str]:
    """Yield a line on why one kind of judge can't be asked here, and on where to read what other kinds need.

    Args:
        lacking: The kinds of judges that can't be asked here, each with what is missing.
    """
    if not lacking:
        return
    kind, lack = lacking[0]
    others = f"; what {counted(len(lacking) - 1, 'other kind')} of judge need: `markscheme status --json`"
    others = others if lacking[1:] else ""
    yield f"cannot ask {_form(kind)}: {lack}{others}"


def _readiness(kind: JudgeKind) -> str:
    """Describe what makes a kind of judge usable on this computer, such as a set environment variable."""
    if kind.uses:
        return kind.uses()
    variable = next((name for name in kind.environment if os.environ.get(name)), None)
    return f"{variable} is set" if variable else kind.about or ""


def json_of(
    rubrics: "Sequence[RubricStatus]",
    judges: JudgesHere,
    under_way: Mapping[str, Any],
    sessions: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the status of the project as a dict with the keys of the JSON output."""
    return {
        "schema": 1,
        "rubrics": list(map(_rubric_json, rubrics)),
        "judges": [
            {"name": _form(kind), "usable": lack is None, "why": _readiness(kind) if lack is None else lack}
            for kind, lack in judges.items()
        ],
        **under_way,
        "sessions": sessions,
    }


def _rubric_json(status: "RubricStatus") -> dict[str, Any]:
    receipt = status.receipt
    return {
        **attributes(status, "name file fault labelled_examples=labelled stale"),
        "next_step": status.next_step or "",
        **attributes(receipt, "use may_trend agreement margin accepted=date"),
        "labels": None if receipt is None else attributes(receipt, "n=labels kind"),
        "judge": status.judge or None,
        "false_passes": None if receipt is None else status.false_passes,
        "history": [point.to_json() for point in status.history],
        "cost": {"usd_per_1000": status.usd, "tokens_per_grade": status.tokens},
        "fresh_until": None if status.fresh_until is None else status.fresh_until.isoformat(),
    }
