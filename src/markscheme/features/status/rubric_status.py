"""The status of each rubric here: what its judge can decide by its accepted run, and how long that stays fresh."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markscheme.calibration.next_labels import NEXT_LABELS, NextLabels, next_labels
from markscheme.errors import DamagedLine, MarkschemeError, RatingError
from markscheme.phrases import counted
from markscheme.ratings.examples import RATINGS_FOLDER, examples_file, load_examples
from markscheme.receipt import ACCEPTED, Receipt, accepted_run_data, load_receipt
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.search import calibrations, find_calibration, own_rubrics

if TYPE_CHECKING:
    from markscheme.calibration.accepted.accepted_history import AcceptedPoint

FRESH_DAYS = 90
"""Days after which an accepted run counts as stale: providers change what stands behind a model's name."""


@dataclass(frozen=True)
class RubricStatus:
    """The status of one rubric.

    Attributes:
        name: The rubric's.
        file: Its file; None if only its accepted run is known.
        fault: Why it, its examples or its accepted run cannot be read; None if they can.
        labelled: Number of labelled examples; None without a set of examples.
        asks_default: Whether the default judge is asked where none is named.
        receipt: Of its accepted run; None without one.
        judge: The accepted judge.
        false_passes: Ids of the examples that the judge passes and the labels fail.
        usd: US dollars per thousand grades; None if unknown.
        tokens: Tokens read and written per grade; None if unknown.
        fresh_until: The day from which the accepted run is stale; None without one, or if it is already.
        stale: Why the accepted run doesn't apply to the current rubric.
        is_calibrated: Whether a calibration has recorded the labels that its verdict needs.
        next_labels: Returns the labels that an open verdict needs; before the first calibration it loads statistics.
        labels_needed: How many they are; 0 where none are, or no number would do.
        history: The accepted runs, the earliest first.
        target: The agreement that the accepted run was asked for; None without one.
    """

    name: str
    file: Path | None
    fault: str | None = None
    labelled: int | None = None
    asks_default: bool = False
    receipt: Receipt | None = None
    judge: str | None = None
    false_passes: tuple[str, ...] = ()
    usd: float | None = None
    tokens: float | None = None
    fresh_until: date | None = None
    stale: tuple[str, ...] = ()
    is_calibrated: bool = False
    next_labels: Callable[[], NextLabels] | None = field(default=None, repr=False)
    labels_needed: int = 0
    history: "tuple[AcceptedPoint, ...]" = ()
    target: float | None = None

    @cached_property
    def next_step(self) -> str | None:
        """The labels that an open verdict needs, in a sentence; None where it isn't open."""
        return None if self.next_labels is None else self.next_labels().in_words or None


def rubrics_here(start: Path, today: date) -> Iterator[RubricStatus]:
    """Yield the status of every rubric of the user's, and of every accepted run whose rubric's file is elsewhere."""
    names = set[str]()
    for file in own_rubrics(start).values():
        rubric_status = _or_fault(file.stem, file, partial(_of_file, file, start, today))
        names.add(rubric_status.name)
        yield rubric_status
    for name, folder in calibrations(start).items():
        if name not in names and (folder / ACCEPTED).is_file():
            yield _or_fault(name, None, partial(_of_accepted_run, name, folder, today))


def _or_fault(name: str, file: Path | None, read_status: Callable[[], RubricStatus]) -> RubricStatus:
    """Return what is known of a rubric, or why nothing is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", DamagedLine)
            return read_status()
    except MarkschemeError as error:
        return RubricStatus(name, file, fault=str(error).splitlines()[0])


def _of_file(file: Path, start: Path, today: date) -> RubricStatus:
    rubric = load_rubric(file)
    folder = find_calibration(rubric.name, start, file.parent)
    return RubricStatus(rubric.name, file) if folder is None else _with_calibration(rubric, file, folder, today)


def _of_accepted_run(name: str, folder: Path, today: date) -> RubricStatus:
    from markscheme.calibration.earlier_runs.load import load_accepted

    rubric = load_accepted(folder / ACCEPTED).setting.rubric
    return replace(_with_calibration(rubric, None, folder, today), name=name)


def _with_calibration(rubric: Rubric, file: Path | None, folder: Path, today: date) -> RubricStatus:
    examples = load_examples(examples_file(folder), rubric, ratings=folder / RATINGS_FOLDER)
    labelled = examples.labelled.examples
    is_calibrated = (folder / NEXT_LABELS).is_file()
    to_label = cache(partial(next_labels, folder, rubric, examples))
    if not (folder / ACCEPTED).is_file():
        return RubricStatus(
            rubric.name,
            file,
            labelled=len(labelled),
            asks_default=not rubric.judge.get("name") and any(c.check is None for c in rubric.criteria),
            is_calibrated=is_calibrated,
            next_labels=to_label,
            labels_needed=_needed(to_label()) if is_calibrated or not labelled else 0,
        )
    from markscheme.calibration.accepted.accepted_history import load_history
    from markscheme.calibration.earlier_runs.load import load_accepted

    receipt = load_receipt(folder / ACCEPTED)
    accepted = load_accepted(folder / ACCEPTED)
    fresh_until = _day(receipt.date, folder) + timedelta(days=FRESH_DAYS)
    stale = [*_differences(receipt, rubric), *_other_labels(accepted.labels, labelled)]
    if today >= fresh_until:
        stale.append(f"accepted over {FRESH_DAYS} days ago")
    false_passes, usd, tokens = _measured(folder / ACCEPTED)
    target = accepted_run_data(folder / ACCEPTED)["measurements"].get("target")
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
        is_calibrated=is_calibrated,
        next_labels=to_label if is_calibrated else None,
        labels_needed=_needed(to_label()) if is_calibrated else 0,
        history=load_history(folder),
        target=target if isinstance(target, float | int) else None,
    )


def _needed(to_label: NextLabels) -> int:
    return 0 if to_label.labels is None else to_label.labels.more


def _day(text: str, folder: Path) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise RatingError(f"is dated {text!r}, which isn't a date", path=folder / ACCEPTED) from error


def _differences(receipt: Receipt, rubric: Rubric) -> tuple[str, ...]:
    from markscheme.grading import asking_fingerprint

    checked = receipt.checked_against(rubric, prompt=asking_fingerprint(rubric), judge=receipt.judge)
    return tuple(f"accepted for {difference}" for difference in checked.differs)


def _other_labels(then: Mapping[str, str], labelled: Sequence[Any]) -> Iterator[str]:
    from markscheme.calibration.earlier_runs.setting import labels_digest

    changed = sum(example.id in then and labels_digest(example) != then[example.id] for example in labelled)
    if changed:
        yield f"the labels of {counted(changed, 'example')} are others now"


def _measured(path: Path) -> tuple[tuple[str, ...], float | None, float | None]:
    """Return false passes, US dollars of a thousand grades and tokens of one, by an accepted run."""
    data = accepted_run_data(path)
    try:
        return tuple(map(str, data["measurements"]["false_passes"])), *_cost(data["cost"])
    except (KeyError, TypeError) as error:
        raise RatingError(f"isn't an accepted run: {error!r}; accept another", path=path) from error


def _cost(cost: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Return US dollars of a thousand grades and tokens of one, with kept replies counted as if they were paid for."""
    grades = cost["examples"] * cost["runs"]
    calls = cost["calls"]
    if not calls or not grades:
        return None, None
    share_paid = calls / (calls + cost["from_cache"])
    tokens = None if cost["input_tokens"] is None else cost["input_tokens"] + (cost["output_tokens"] or 0)
    usd = cost["usd"]
    per_grade = 1 / (grades * share_paid)
    return (None if usd is None else 1000 * usd * per_grade), (None if tokens is None else tokens * per_grade)
