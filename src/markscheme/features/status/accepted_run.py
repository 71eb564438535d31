"""The part of a rubric's status that comes from its accepted run, and whether that run is stale."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from markscheme.calibration.accepted.accepted_history import AcceptedPoint, kept_points, point_of
from markscheme.calibration.earlier_runs.load import load_accepted
from markscheme.calibration.earlier_runs.run_identity import labels_digest
from markscheme.errors import RatingError
from markscheme.features.status.history import history_blocks
from markscheme.grading import asking_fingerprint
from markscheme.grading.receipt import ACCEPTED, Receipt, accepted_run_data, load_receipt
from markscheme.phrases import counted
from markscheme.ratings.examples import ExampleSet
from markscheme.rubrics.rubric import Rubric

FRESH_DAYS = 90
"""Days after which an accepted run counts as stale, since providers change the models behind their names."""


def accepted_rubric(folder: Path) -> Rubric:
    """Return the rubric of the accepted run in a calibration folder."""
    return load_accepted(folder / ACCEPTED).setting.rubric


def of_accepted_run(rubric: Rubric, folder: Path, examples: ExampleSet | None, today: date) -> dict[str, Any]:
    """Return those fields of a RubricStatus that come from the accepted run in a calibration folder.

    Args:
        rubric: The rubric as it is now.
        folder: The calibration folder.
        examples: The rubric's examples with their labels; None if there are none.
        today: Today's date, which decides if the run is too old.

    Raises:
        RatingError: The accepted run can't be read.
    """
    receipt = load_receipt(folder / ACCEPTED)
    accepted = load_accepted(folder / ACCEPTED)
    fresh_until = _day(receipt.date, folder) + timedelta(days=FRESH_DAYS)
    stale = [*_differences(receipt, rubric), *_other_labels(accepted.labels, rubric, examples)]
    if today >= fresh_until:
        stale.append(f"accepted over {FRESH_DAYS} days ago")
    false_passes, usd, tokens = _measured(folder / ACCEPTED)
    history = load_history(folder)
    target = accepted_run_data(folder / ACCEPTED)["measurements"].get("target")
    return {
        "receipt": receipt,
        "judge": accepted.setting.judge,
        "false_passes": false_passes,
        "usd": usd,
        "tokens": tokens,
        "fresh_until": None if stale else fresh_until,
        "stale": tuple(stale),
        "history": history,
        "draw_history": partial(history_blocks, history, target if isinstance(target, float | int) else None),
    }


def load_history(folder: Path) -> tuple[AcceptedPoint, ...]:
    """Read the accepted runs in a folder, the earliest first; only the current one if no history was kept.

    Raises:
        RatingError: A line of the history isn't an accepted run, or accepted.json is invalid.
    """
    history = kept_points(folder)
    path = folder / ACCEPTED
    if not path.is_file():
        return tuple(history)
    try:
        current = point_of(accepted_run_data(path), load_accepted(path).setting.rubric, None)
    except (KeyError, TypeError, ValueError) as error:
        raise RatingError(f"isn't an accepted run: {error!r}; accept another", path=path) from error
    if history and history[-1].ratings == current.ratings:
        return tuple(history)
    return (*history, current)


def _day(text: str, folder: Path) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise RatingError(f"is dated {text!r}, which isn't a date", path=folder / ACCEPTED) from error


def _differences(receipt: Receipt, rubric: Rubric) -> tuple[str, ...]:
    checked = receipt.checked_against(rubric, prompt=asking_fingerprint(rubric), judge=receipt.judge)
    return tuple(f"accepted for {difference}" for difference in checked.differs)


def _other_labels(then: Mapping[str, str], rubric: Rubric, examples: ExampleSet | None) -> Iterator[str]:
    """Yield a sentence on how many examples have other labels than when the run was accepted, if any have.

    Args:
        then: The digest of each example's labels when the run was accepted, by the example's id.
        rubric: The rubric.
        examples: The examples with their labels now; None if they can't be read.
    """
    changed = 0 if examples is None else _count_changed(then, examples)
    if changed and examples is not None:
        from markscheme.calibration.carried_labels import carried_labels  # loads statistics

        carried = carried_labels(examples, rubric)
        changed = changed if carried is None else _count_changed(then, carried.counting)
    if changed:
        yield f"the labels of {counted(changed, 'example')} are others now"


def _count_changed(then: Mapping[str, str], examples: ExampleSet) -> int:
    """Count the examples whose labels have changed since a run was accepted.

    Args:
        then: The digest of each example's labels when the run was accepted, by the example's id.
        examples: The examples with their labels now.
    """
    labelled = examples.labelled.examples
    return sum(example.id in then and labels_digest(example) != then[example.id] for example in labelled)


def _measured(path: Path) -> tuple[tuple[str, ...] | None, float | None, float | None]:
    """Return an accepted run's false passes by id, its US dollars per thousand grades, and its tokens per grade.

    The false passes are None if the run was accepted from counts, or if its rubric doesn't decide pass or fail, as for
    pairs.
    """
    data = accepted_run_data(path)
    try:
        may_pass = bool(data["ratings"]["samples"]) and (data.get("decision") or {}).get("gate", {}) is not None
        ids = tuple(map(str, data["measurements"]["false_passes"])) if may_pass else None
        return ids, *_cost(data["cost"])
    except (KeyError, TypeError) as error:
        raise RatingError(f"isn't an accepted run: {error!r}; accept another", path=path) from error


def _cost(cost: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Return US dollars per 1,000 grades, and tokens per grade; None in place of a number that isn't known.

    Replies from the cache are assumed to have cost as much as the paid ones.
    """
    grades = cost["examples"] * cost["runs"]
    calls = cost["calls"]
    if not calls or not grades:
        return None, None
    share_paid = calls / (calls + cost["from_cache"])
    tokens = None if cost["input_tokens"] is None else cost["input_tokens"] + (cost["output_tokens"] or 0)
    usd = cost["usd"]
    per_grade = 1 / (grades * share_paid)
    return (None if usd is None else 1000 * usd * per_grade), (None if tokens is None else tokens * per_grade)
