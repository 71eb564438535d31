"""The status of the rubrics here, and which judges are available."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markscheme.calibration.findings.commands import Commands
from markscheme.features.status.history import history_blocks
from markscheme.judges.kinds import DEFAULT, JudgeKind
from markscheme.phrases import counted, in_words, thousands
from markscheme.receipt import NOT_CALIBRATED, allowed_in_words
from markscheme.report.document import (
    Block,
    Callout,
    Document,
    Line,
    Name,
    Notes,
    OnPages,
    Paragraph,
    Section,
    Table,
)
from markscheme.report.figures import NONE
from markscheme.report.json import attributes

if TYPE_CHECKING:
    from markscheme.features.status.rubric_status import RubricStatus

_NO_RUBRICS = (
    "No rubric is here yet: `markscheme init` puts one with labelled examples into this folder; {shipped} come with "
    "markscheme and are found by name."
)
_NO_SESSION = "session: none is running; Promptfoo's first assertion starts one, to grade for all"
_HEADINGS = ("rubric", "use", "judge", "labels", "false passes", "cost / 1,000", "fresh until")
_WITHOUT_ACCEPTED = (0, 1, 3)
"""The columns that say something where no run is accepted."""
_ABOUT_FRESH = "Fresh until: after that day a run is stale, since a model may change behind its name; accept a new one."


@dataclass(frozen=True)
class JudgeStatus:
    """Availability of a kind of judge.

    Attributes:
        kind: The kind.
        usable: Whether one of its judges can be asked here.
        why: What it would use; if it can't be asked, what to do first.
    """

    kind: JudgeKind
    usable: bool
    why: str

    @property
    def name(self) -> str:
        """Short form of the names of such judges."""
        return self.kind.form.partition("[")[0]


def view(
    rubrics: "Sequence[RubricStatus]",
    judges: Sequence[JudgeStatus],
    under_way: Sequence[str],
    sessions: Sequence[str],
    shipped: Sequence[str],
    streams: Sequence[Section] = (),
) -> Document:
    """Show the rubrics, the judges, what is under way, and the running sessions.

    Args:
        rubrics: The rubrics here.
        judges: The kinds of judge.
        under_way: A line for each stream, and for each thing under way.
        sessions: A line for each running session.
        shipped: Names of the rubrics that come with markscheme.
        streams: The picture of each stream.
    """
    lines: list[Line] = [f"can ask {judge.name}: {judge.why}" for judge in judges if judge.usable]
    lines += _not_ready([judge for judge in judges if not judge.usable])
    lines += under_way
    lines += [f"session: {session}" for session in sessions] or [_NO_SESSION]
    callout = _callout(rubrics) if rubrics else Callout("open", _NO_RUBRICS.format(shipped=", ".join(shipped)))
    return Document(
        counted(len(rubrics), "rubric") if rubrics else "No rubric",
        "",
        (
            callout,
            *([_table(rubrics)] if rubrics else []),
            Notes(tuple(_remarks(rubrics))),
            OnPages((*(_history(status) for status in rubrics if status.history), *streams)),
            Paragraph(tuple(lines)),
        ),
        onward=_onward(rubrics, judges),
    )


def _table(rubrics: "Sequence[RubricStatus]") -> Block:
    """Render a row for each rubric; without an accepted run, only the columns that have something in them."""
    rows = tuple(map(_cells, rubrics))
    if any(status.receipt is not None for status in rubrics):
        return Table(_HEADINGS, rows)
    headings = tuple(_HEADINGS[column] for column in _WITHOUT_ACCEPTED)
    return Table(headings, tuple(tuple(row[column] for column in _WITHOUT_ACCEPTED) for row in rows))


def _not_ready(judges: Sequence[JudgeStatus]) -> Iterator[str]:
    """Say what the first judge that can't be asked lacks, and where to read what the others lack."""
    if not judges:
        return
    first = judges[0]
    others = f"; what {counted(len(judges) - 1, 'other kind')} of judge need: `markscheme status --json`"
    others = others if judges[1:] else ""
    yield f"cannot ask {first.name}: {first.why}{others}"


def _callout(rubrics: "Sequence[RubricStatus]") -> Callout:
    """Render how many rubrics have a judge that can decide, and which."""
    by_use = {status.name: status.receipt.use if status.receipt and not status.stale else None for status in rubrics}
    gates = [name for name, use in by_use.items() if use == "gate"]
    trends = [name for name, use in by_use.items() if use == "trend"]
    if not (gates or trends):
        return Callout("open", "No judge here may decide or show trends yet.")
    parts = [f"The judge of {in_words(gates)} can gate." if gates else ""]
    parts += [f"That of {in_words(trends)} is for trends." if trends else ""]
    return Callout("good" if gates else "trend", " ".join(filter(None, parts)))


def _onward(rubrics: "Sequence[RubricStatus]", judges: Sequence[JudgeStatus]) -> tuple[str, str] | None:
    """Return the next step of the first rubric that has one."""
    if not rubrics:
        return "Next", "markscheme init"
    for status in rubrics:
        commands = Commands(shlex.quote(status.name))
        if status.labels_needed:
            return "Next", commands.label_next(status.labels_needed)
        if status.receipt is None and status.labelled and not status.fault:
            return _next_if_ready(status, judges), commands.calibrate()
    return None


def _next_if_ready(status: "RubricStatus", judges: Sequence[JudgeStatus]) -> str:
    """Say what to set before the default judge can be asked; "Next" if it can be, or isn't asked."""
    default = next((judge for judge in judges if judge.kind is DEFAULT), None)
    can_answer = any(judge.usable for judge in judges if judge.kind is DEFAULT or judge.kind.stands_in)
    if not status.asks_default or default is None or can_answer:
        return "Next"
    return f"Next, first {default.why} or add --judge NAME"


def _history(status: "RubricStatus") -> Section:
    """Render the accepted runs of a rubric."""
    return Section(status.name, tuple(history_blocks(status.history, status.target)))


def _cells(status: "RubricStatus") -> tuple[Line, ...]:
    receipt = status.receipt
    if receipt is None:
        state = "cannot be read" if status.fault else NOT_CALIBRATED
        labelled = NONE if status.labelled is None else counted(status.labelled, "example")
        return Name(status.name), state, NONE, labelled, NONE, NONE, NONE
    cost = NONE if status.tokens is None else f"{thousands(status.tokens)} tokens each"
    return (
        Name(status.name),
        allowed_in_words(receipt.use, may_trend=receipt.averages),
        status.judge or "",
        f"{receipt.labels} {receipt.kind}",
        NONE if status.false_passes is None else str(len(status.false_passes)),
        cost if status.usd is None else f"${thousands(status.usd, 2)}",
        "stale" if status.fresh_until is None else status.fresh_until.isoformat(),
    )


def _remarks(rubrics: "Sequence[RubricStatus]") -> Iterator[str]:
    if any(status.fresh_until is not None for status in rubrics):
        yield _ABOUT_FRESH
    for status in rubrics:
        if status.fault:
            yield f"{status.name}: {status.fault}"
        elif status.file is None:
            yield f"{status.name}: its file is not in rubrics/; only its accepted run is shown"
        if status.stale:
            yield f"{status.name} is stale: {'; '.join(status.stale)}"
        if _is_to_compare(status):
            yield f"{status.name}: compare a judge with its {counted(status.labelled or 0, 'labelled example')} first."
        elif status.next_step:
            yield f"{status.name}: {status.next_step}"
        if status.false_passes:
            yield f"{status.name} passes what its labels don't: {', '.join(status.false_passes)}"


def _is_to_compare(status: "RubricStatus") -> bool:
    """Return True if labels are there and no judge is compared with them, which comes before further labels."""
    is_open = status.receipt is None and bool(status.labelled) and not status.labels_needed and not status.fault
    return is_open and (not status.is_calibrated or bool(status.next_step))


def json_of(
    rubrics: "Sequence[RubricStatus]",
    judges: Sequence[JudgeStatus],
    under_way: Mapping[str, Any],
    sessions: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the status as its JSON file has it, with all details of what is under way and of each session."""
    return {
        "schema": 1,
        "rubrics": list(map(_rubric_json, rubrics)),
        "judges": [attributes(judge, "name usable why") for judge in judges],
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
