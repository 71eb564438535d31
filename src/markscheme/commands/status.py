"""`markscheme status`: the rubrics here, the judges usable here, and the warm session."""

import socket
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from json import dumps
from pathlib import Path
from typing import Any

from markscheme.commands.options import JsonFlag, SkipDamaged
from markscheme.commands.session import session_line, sessions_at
from markscheme.counts import counted
from markscheme.errors import DamagedLine, MarkschemeError, RatingError
from markscheme.judges.kinds import kinds
from markscheme.receipt import ACCEPTED, ALLOWS, NOT_CALIBRATED, Receipt, accepted_data, load_receipt
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibrations, find_calibration, known_rubrics, own_rubrics
from markscheme.session import client

FRESH_DAYS = 90
"""Days after which an accepted run counts as stale: providers change what stands behind a model's name."""
NO_RUBRICS = (
    "No rubric is here yet: `markscheme init` puts one with labelled examples into this folder; {shipped} come with "
    "markscheme and are found by name."
)
NO_SESSION = "session: none is running; under Promptfoo the first assertion starts one"
HEADINGS = ("rubric", "use", "judge", "labels", "false passes", "cost / 1,000", "fresh until")


@dataclass(frozen=True)
class RubricStatus:
    """What is known of one rubric here.

    Attributes:
        name: The rubric's.
        file: Where it stands; None for one that is known by its accepted run only.
        fault: Why it, its examples or its accepted run cannot be read; None where they can.
        labelled: Examples with a label; None without a set of examples.
        receipt: Of its accepted run; None without one.
        judge: Who was accepted.
        false_passes: Ids of the examples that the judge passed and the labels don't.
        usd: US dollars for a thousand grades; None where nobody knows.
        tokens: Tokens read and written for one grade; None where nobody counted.
        fresh_until: The day from which the accepted run is stale; None without one, or if it is already.
        stale: Why the accepted run doesn't speak of what is here now.
    """

    name: str
    file: Path | None
    fault: str | None = None
    labelled: int | None = None
    receipt: Receipt | None = None
    judge: str = ""
    false_passes: tuple[str, ...] = ()
    usd: float | None = None
    tokens: float | None = None
    fresh_until: date | None = None
    stale: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        receipt = self.receipt
        return {
            "name": self.name,
            "file": None if self.file is None else str(self.file),
            "fault": self.fault,
            "use": None if receipt is None else receipt.use,
            "judge": self.judge or None,
            "labels": None if receipt is None else {"n": receipt.labels, "kind": receipt.kind},
            "labelled_examples": self.labelled,
            "agreement": None if receipt is None else receipt.agreement,
            "margin": None if receipt is None else receipt.margin,
            "false_passes": None if receipt is None else list(self.false_passes),
            "cost": {"usd_per_1000": self.usd, "tokens_per_grade": self.tokens},
            "accepted": None if receipt is None else receipt.date,
            "fresh_until": None if self.fresh_until is None else self.fresh_until.isoformat(),
            "stale": list(self.stale),
        }


@dataclass(frozen=True)
class JudgeStatus:
    """Whether a kind of judge can be asked here."""

    name: str
    usable: bool
    why: str

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"name": self.name, "usable": self.usable, "why": self.why}


def status(
    *,
    json: JsonFlag = False,
    skip_damaged: SkipDamaged = False,  # noqa: ARG001 - `call` heeds it
) -> int:
    """Show for each rubric what its judge can decide, from the accepted run: use, judge, labels, false passes, cost
    of 1,000 grades, and how long the run stays fresh. Lists the judges usable here and the running session. Makes no
    calls.

    Example:
        markscheme status
    """
    start, today = Path.cwd(), date.today()
    rubrics = list(rubrics_here(start, today))
    judges = list(judges_here())
    sessions = sessions_at(list(client.sockets())) if hasattr(socket, "AF_UNIX") else []
    if json:
        data = {
            "schema": 1,
            "rubrics": [rubric.to_json() for rubric in rubrics],
            "judges": [judge.to_json() for judge in judges],
            "sessions": sessions,
        }
        print(dumps(data, ensure_ascii=False, indent=2, allow_nan=False))
        return 0
    table = _table([HEADINGS, *map(_cells, rubrics)]) if rubrics else [_nothing_here(start)]
    running = [f"session: {session_line(one)}" for one in sessions] or [NO_SESSION]
    print("\n".join([*table, *_remarks(rubrics), "", *map(_judge_line, judges), *running]))
    return 0


def _nothing_here(start: Path) -> str:
    return NO_RUBRICS.format(shipped=", ".join(known_rubrics(start)))


# --- rubrics --------------------------------------------------------------------------------------------------------


def rubrics_here(start: Path, today: date) -> Iterator[RubricStatus]:
    """Every rubric of the user's, and every one whose accepted run is here though its file stands elsewhere."""
    told = [rubric_status(file, start, today) for file in own_rubrics(start).values()]
    yield from told
    names = {status.name for status in told}
    for name, folder in calibrations(start).items():
        if name not in names and (folder / ACCEPTED).is_file():
            yield _by_accepted_run(name, folder, today)


def _by_accepted_run(name: str, folder: Path, today: date) -> RubricStatus:
    from markscheme.calibration.accepted import load_accepted

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", DamagedLine)
            found = _with_calibration(load_accepted(folder / ACCEPTED).setting.rubric, None, folder, today)
            return replace(found, name=name)
    except MarkschemeError as error:
        return RubricStatus(name, None, fault=str(error).splitlines()[0])


def rubric_status(file: Path, start: Path, today: date) -> RubricStatus:
    """What is known of the rubric in a file, from its accepted run and its examples."""
    from markscheme.rubrics.file import load_rubric

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", DamagedLine)
            rubric = load_rubric(file)
            folder = find_calibration(rubric.name, start, file.parent)
            if folder is None:
                return RubricStatus(rubric.name, file)
            return _with_calibration(rubric, file, folder, today)
    except MarkschemeError as error:
        return RubricStatus(file.stem, file, fault=str(error).splitlines()[0])


def _with_calibration(rubric: Rubric, file: Path | None, folder: Path, today: date) -> RubricStatus:
    from markscheme.calibration.accepted import load_accepted
    from markscheme.ratings.examples import examples_file, load_examples

    examples = load_examples(examples_file(folder), rubric, ratings=folder / "ratings")
    labelled = examples.labelled.examples
    if not (folder / ACCEPTED).is_file():
        return RubricStatus(rubric.name, file, labelled=len(labelled))
    receipt, accepted = load_receipt(folder / ACCEPTED), load_accepted(folder / ACCEPTED)
    fresh_until = _day(receipt.date, folder) + timedelta(days=FRESH_DAYS)
    stale = [*_differences(receipt, rubric), *_other_labels(accepted.labels, labelled)]
    if today >= fresh_until:
        stale.append(f"accepted over {FRESH_DAYS} days ago")
    false_passes, usd, tokens = _measured(folder / ACCEPTED)
    return RubricStatus(
        name=rubric.name,
        file=file,
        labelled=len(labelled),
        receipt=receipt,
        judge=accepted.setting.judge,
        false_passes=false_passes,
        usd=usd,
        tokens=tokens,
        fresh_until=None if stale else fresh_until,
        stale=tuple(stale),
    )


def _day(text: str, folder: Path) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise RatingError(f"is dated {text!r}, which is no day", path=folder / ACCEPTED) from error


def _differences(receipt: Receipt, rubric: Rubric) -> tuple[str, ...]:
    from markscheme.grading import asking_fingerprint

    held = receipt.held_to(rubric, prompt=asking_fingerprint(rubric), judge=receipt.judge)
    return tuple(f"accepted for {difference}" for difference in held.differs)


def _other_labels(then: Mapping[str, str], labelled: Sequence[Any]) -> Iterator[str]:
    from markscheme.calibration.changes import labels_digest

    changed = sum(example.id in then and labels_digest(example) != then[example.id] for example in labelled)
    if changed:
        yield f"the labels of {counted(changed, 'example')} are others now"


def _measured(path: Path) -> tuple[tuple[str, ...], float | None, float | None]:
    """False passes, US dollars of a thousand grades and tokens of one, by an accepted run."""
    data = accepted_data(path)
    try:
        return tuple(map(str, data["measurements"]["false_passes"])), *_cost(data["cost"])
    except (KeyError, TypeError) as error:
        raise RatingError(f"is no accepted run: {error!r}; accept one anew", path=path) from error


def _cost(cost: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """US dollars of a thousand grades and tokens of one, kept replies counted as if they had been paid for."""
    grades, asked = cost["examples"] * cost["runs"], cost["calls"]
    if not asked or not grades:
        return None, None
    share_paid = asked / (asked + cost["from_cache"])
    tokens = None if cost["input_tokens"] is None else cost["input_tokens"] + (cost["output_tokens"] or 0)
    usd = cost["usd"]
    per_grade = 1 / (grades * share_paid)
    return (None if usd is None else 1000 * usd * per_grade), (None if tokens is None else tokens * per_grade)


# --- judges ---------------------------------------------------------------------------------------------------------


def judges_here() -> Iterator[JudgeStatus]:
    """The kinds of judge, and whether each can be asked here; keys are never shown."""
    for kind in kinds():
        lacks = kind.ready()
        yield JudgeStatus(kind.form.partition("[")[0], lacks is None, lacks or kind.shown())


# --- printing -------------------------------------------------------------------------------------------------------


def _cells(status: RubricStatus) -> tuple[str, ...]:
    receipt = status.receipt
    if receipt is None:
        found = "cannot be read" if status.fault else NOT_CALIBRATED
        labelled = "–" if status.labelled is None else counted(status.labelled, "example")
        return (status.name, found, "–", labelled, "–", "–", "–")
    cost = "–" if status.tokens is None else f"{status.tokens:,.0f} tokens each"
    return (
        status.name,
        ALLOWS[receipt.use],
        status.judge,
        f"{receipt.labels} {receipt.kind}",
        str(len(status.false_passes)),
        cost if status.usd is None else f"${status.usd:,.2f}",
        "stale" if status.fresh_until is None else status.fresh_until.isoformat(),
    )


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _judge_line(judge: JudgeStatus) -> str:
    return f"{'can' if judge.usable else 'cannot'} ask {judge.name}: {judge.why}"


def _remarks(rubrics: Sequence[RubricStatus]) -> list[str]:
    remarks = [f"{status.name}: {status.fault}" for status in rubrics if status.fault]
    remarks += [
        f"{status.name}: its file is not in rubrics/; what its accepted run tells is shown"
        for status in rubrics
        if status.file is None and not status.fault
    ]
    remarks += [f"{status.name} is stale: {'; '.join(status.stale)}" for status in rubrics if status.stale]
    remarks += [
        f"{status.name} passes what its labels don't: {', '.join(status.false_passes)}"
        for status in rubrics
        if status.false_passes
    ]
    return ["", *remarks] if remarks else []
