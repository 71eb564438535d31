"""The table of the project's rubrics, with remarks, histories and the next step."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from markscheme.calibration.findings.commands import ANNOTATOR, SECOND_ANNOTATOR, Commands
from markscheme.calibration.judge_at_hand import judge_argument
from markscheme.calibration.next_labels import NextLabels
from markscheme.features.status.rubric_status import JUDGE_MOVED, RubricStatus
from markscheme.features.status.view import JudgesHere
from markscheme.grading.receipt import NO_ACCEPTED_RUN, allowed_in_words
from markscheme.judges.kinds import DEFAULT, kind_of
from markscheme.phrases import counted, in_words, thousands
from markscheme.report.document import Block, Callout, Document, Line, Name, Notes, OnPages, Section, Table
from markscheme.report.figures import NONE
from markscheme.rubrics.file import from_here
from markscheme.rubrics.search import POOL, known_rubrics

_HEADINGS = ("rubric", "use", "judge", "labels", "false passes", "cost / 1,000", "fresh until")
_WITHOUT_ACCEPTED = (0, 1, 3)
"""Indices of the table's columns that aren't empty for a rubric without an accepted run."""
_MOST_NAMED = 10
"""Most false passes that a remark names; the JSON has all."""
_ABOUT_FRESH = "Fresh until: after that day a run is stale, since a model may change behind its name; accept a new one."


def view_rubrics(rubrics: Sequence[RubricStatus], judges: JudgesHere, streams: Sequence[Section] = ()) -> Document:
    """Return the report on rubrics: a table of what each one's judge may be used for, with remarks.

    Args:
        rubrics: The rubrics, at least one.
        judges: What to do before each kind of judge can be asked, by kind; None if that kind is ready to be asked.
        streams: A section with the picture of each stream.
    """
    on_pages = OnPages((*(_history(status) for status in rubrics if status.history), *streams))
    blocks = (_callout(rubrics), _table(rubrics), Notes(tuple(_remarks(rubrics))), on_pages)
    return Document(_title(rubrics), "", blocks, onward=_onward(rubrics, judges))


def _title(rubrics: Sequence[RubricStatus]) -> str:
    """Count the rubrics, and the files of rows that bring criteria of their own."""
    n_files = sum(status.are_rows for status in rubrics)
    counts = ((len(rubrics) - n_files, "rubric", "rubrics"), (n_files, "file of rows", "files of rows"))
    return " and ".join(counted(n, one, several) for n, one, several in counts if n)


def _table(rubrics: Sequence[RubricStatus]) -> Block:
    """Return a table with a row for each rubric, without the columns on accepted runs if there are none."""
    shared = {name for name, _ in _shared_names(rubrics)}
    files = (
        from_here(status.file) if status.file is not None and status.name in shared else None for status in rubrics
    )
    rows = tuple(_cells(status, file) for status, file in zip(rubrics, files, strict=True))
    if any(status.receipt is not None for status in rubrics):
        return Table(_HEADINGS, rows)
    headings = tuple(_HEADINGS[column] for column in _WITHOUT_ACCEPTED)
    return Table(headings, tuple(tuple(row[column] for column in _WITHOUT_ACCEPTED) for row in rows))


def _callout(rubrics: Sequence[RubricStatus]) -> Callout:
    """Return the headline: which rubrics have a judge that can gate or show trends."""
    by_use = {status.name: status.receipt.use if status.receipt and not status.stale else None for status in rubrics}
    gates = [name for name, use in by_use.items() if use == "gate"]
    trends = [name for name, use in by_use.items() if use == "trend"]
    if not (gates or trends) and any(status.stale for status in rubrics):
        return Callout("open", "No judge here may decide or show trends: what was accepted is stale.")
    if not (gates or trends):
        return Callout("open", "No judge here may decide or show trends yet.")
    parts = [f"The judge of {in_words(gates)} can gate." if gates else ""]
    parts += [f"That of {in_words(trends)} is for trends." if trends else ""]
    return Callout("good" if gates else "trend", " ".join(filter(None, parts)))


def _onward(rubrics: Sequence[RubricStatus], judges: JudgesHere) -> tuple[str, str] | None:
    """Return the next step of the first rubric that has one, with its command; None if no rubric has one."""
    for status in rubrics:
        commands = Commands(shlex.quote(_argument(status)))
        if status.labels_needed and status.unlabelled:
            return "Next", commands.label(ANNOTATOR)
        if status.labels_needed and status.are_rows:
            return f"Next, add tasks to {status.name}, then label them", commands.label(ANNOTATOR)
        if status.labels_needed:
            return "Next", commands.label_next(status.labels_needed)
        if status.last_calibration is not None and status.last_calibration.to_second:
            return "Next", commands.label(SECOND_ANNOTATOR)
        if status.receipt is None and status.labelled and not status.fault:
            return _calibration(status, judges)
        is_of_no_use = status.receipt is not None and status.receipt.use == "none"
        if (status.stale or is_of_no_use) and status.file is not None:
            judge = judge_argument(status.judge or "") if status.are_rows else None
            see = "Next" if status.stale else f"Next, see what to fix first in {status.name}"
            return see, Commands.on(_argument(status), judge).calibrate(
                cache="-o cache=off" if JUDGE_MOVED in status.stale else ""
            )
    for status in rubrics:
        if not (status.labelled or status.fault or status.file is None):
            return "Next", Commands(shlex.quote(_argument(status))).label_pool(f"--pool {POOL}")
    return None


def _argument(status: RubricStatus) -> str:
    """Return the word by which commands find a rubric: its name, or its path if the name finds another rubric.

    Files of rows are found by their path.
    """
    if status.are_rows and status.file is not None:
        return str(from_here(status.file))
    meant = known_rubrics().get(status.name)
    return status.name if status.file is None or meant in (None, status.file) else str(from_here(status.file))


def _calibration(status: RubricStatus, judges: JudgesHere) -> tuple[str, str]:
    """Return a heading and the `calibrate` command with the last run's judge, with `--accept` if that run was ok."""
    last = status.last_calibration
    last_judge = None if last is None else judge_argument(last.judge or "")
    kind = None if last_judge is None else kind_of(last_judge)
    judge = last_judge if kind is not None and kind.asks else None
    commands = Commands(shlex.quote(_argument(status)), None if judge is None else f"--judge {shlex.quote(judge)}")
    can_accept = last is not None and last.verdict == "ok" and not last.in_words and kind is not None
    command = commands.calibrate(accept="--accept" if can_accept else "")
    return ("Next" if judge is not None else _next_if_ready(status, judges)), command


def _next_if_ready(status: RubricStatus, judges: JudgesHere) -> str:
    """Return the words before the next command: "Next", and what to set first if no judge can be asked yet."""
    lack_of_default = judges.get(DEFAULT)
    can_answer = any(lack is None for kind, lack in judges.items() if kind is DEFAULT or kind.stands_in)
    if not status.asks_default or lack_of_default is None or can_answer:
        return "Next"
    return f"Next, first {lack_of_default} or add --judge NAME"


def _history(status: RubricStatus) -> Section:
    """Return the section with the accepted runs of a rubric."""
    return Section(status.name, tuple(status.draw_history()))


def _shared_names(rubrics: Sequence[RubricStatus]) -> list[tuple[str, list[Path]]]:
    """Return each name that several rubric files have, with these files."""
    files = [(status.name, from_here(status.file)) for status in rubrics if status.file is not None]
    by_name = {name: [file for other, file in files if other == name] for name, _ in files}
    return [(name, of_name) for name, of_name in by_name.items() if len(of_name) > 1]


def _about_files(rubrics: Sequence[RubricStatus]) -> Iterator[str]:
    """Yield a line on each name that several rubric files have, then one on each rubric file that no command reads.

    Each line says which file a command takes if it is given the name.
    """
    for name, files in _shared_names(rubrics):
        read = known_rubrics().get(name)
        file_read = "no file" if read is None else str(from_here(read))
        yield (
            f"{len(files)} rubric files have the name {name}: {in_words(list(map(str, files)))}. In commands, "
            f"`{name}` is {file_read}; all share the labels in calibration/{name}. Give each a name of its own."
        )
    for file, unread in ((status.file, status.unread) for status in rubrics):
        if file is not None:
            meant = f"in commands, `{file.stem}` is {from_here(file)}"
            yield from (f"{from_here(other)} isn't read: {meant}." for other in unread)


def _cells(status: RubricStatus, file: Path | None) -> tuple[Line, ...]:
    """Return the cells of a rubric's row in the table.

    Args:
        status: Status of the rubric.
        file: The rubric's file, which is shown because other rubrics have the same name; None to show the name alone.
    """
    name = Name(status.name if file is None else f"{status.name} ({from_here(file)})")
    receipt = status.receipt
    if receipt is None:
        state = "cannot be read" if status.fault else NO_ACCEPTED_RUN
        labelled = NONE if status.labelled is None else counted(status.labelled, "example")
        if status.are_rows and status.labelled is not None:
            labelled = f"{status.labelled:,} of {counted(status.labelled + status.unlabelled, 'row')}"
        return name, state, NONE, labelled, NONE, NONE, NONE
    cost = NONE if status.tokens is None else f"{thousands(status.tokens)} tokens each"
    return (
        name,
        f"{'was: ' if status.stale else ''}{allowed_in_words(receipt.use, may_trend=receipt.averages)}",
        status.judge or "",
        f"{receipt.labels} {receipt.kind}",
        NONE if status.false_passes is None else str(len(status.false_passes)),
        cost if status.usd is None else f"${thousands(status.usd, 2)}",
        "stale" if status.fresh_until is None else status.fresh_until.isoformat(),
    )


def _remarks(rubrics: Sequence[RubricStatus]) -> Iterator[str]:
    yield from _about_files(rubrics)
    if any(status.fresh_until is not None for status in rubrics):
        yield _ABOUT_FRESH
    for status in rubrics:
        if status.fault:
            yield f"{status.name}: {status.fault}"
        elif status.file is None:
            yield f"{status.name}: its file is not in rubrics/; only its accepted run is shown"
        if status.stale:
            yield f"{status.name} is stale: {'; '.join(status.stale)}"
        if status.last_calibration is not None and status.receipt is None:
            yield from _about_last(status.name, status.last_calibration)
        if _is_to_compare(status):
            labelled = counted(status.labelled or 0, "labelled row" if status.are_rows else "labelled example")
            yield f"{status.name}: compare a judge with its {labelled} first."
        elif status.next_step:
            by_others = f"its {counted(status.labelled or 0, 'example')} have labels, but none by people. "
            is_by_others = bool(status.labelled) and not status.has_people
            last = status.last_calibration
            is_of_other = status.receipt is not None and last is not None and last.judge != status.judge
            of_judge = f"the last run was of {last.judge}. " if last is not None and is_of_other else ""
            yield f"{status.name}: {by_others if is_by_others else of_judge}{status.next_step}"
        if status.false_passes:
            more = len(status.false_passes) - _MOST_NAMED
            and_more = f" and {thousands(more)} more" if more > 0 else ""
            named = ", ".join(status.false_passes[:_MOST_NAMED])
            yield f"{status.name} passes what its labels don't: {named}{and_more}"


def _is_to_compare(status: RubricStatus) -> bool:
    """Return True if the next step for a rubric is to compare a judge with its labels, not to label more."""
    is_open = status.receipt is None and bool(status.labelled) and not status.labels_needed and not status.fault
    return is_open and not status.is_calibrated


def _about_last(name: str, last: NextLabels) -> Iterator[str]:
    """Yield a line on what to do after the last calibration: fix what its report says, or accept its run.

    Yield nothing if the verdict is neither adjust nor ok, or if it is ok and there is another next step, such as labels
    to give.
    """
    if last.verdict == "ok" and not last.in_words:
        yield f"{name}: {last.judge} is good enough by the last calibration; accept its run."
    elif last.verdict == "adjust":
        yield f"{name}: {last.judge} isn't good enough by the last calibration, whose report says what to fix."
