"""Datasets of the autorubric package: submissions with one vector of true levels each, in the order of its rubric."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markscheme.errors import MarkschemeError, RatingError, RubricError
from markscheme.plain_data import read_json, shown
from markscheme.ratings.examples import Example
from markscheme.ratings.rating import Kind, Rated, Rating
from markscheme.readers.imported import Imported, Reading, unique_ids
from markscheme.rubrics.file import rubric_from_data
from markscheme.rubrics.rubric import Criterion
from markscheme.submission import Submission

RATER = "ground_truth"
CANNOT_ASSESS = "CANNOT_ASSESS"
NOT_APPLICABLE = frozenset(["na", "n/a", "not applicable"])
KEPT = frozenset(
    ["submission", "description", "prompt", "rubric", "reference_submission", "ground_truth", "ground_truth_reasons"]
)


def is_autorubric(path: Path) -> bool:
    """Whether a JSON file is a dataset of autorubric."""
    data = read_json(path, RatingError) if path.suffix == ".json" else None
    items = data.get("items") if isinstance(data, Mapping) else None
    return isinstance(items, list) and any(isinstance(item, Mapping) and "submission" in item for item in items)


def import_autorubric(path: Path, reading: Reading) -> Imported:
    """A dataset's submissions, and its ground truth as the ratings of one rater.

    Raises:
        RatingError: Its ground truth fits no rubric, or the caller doesn't say who gave it.
    """
    kind = reading.columns.kind
    if kind is None:
        raise RatingError("doesn't say who gave its ground truth; pass `--kind human` or constructed", path=path)
    data = read_json(path, RatingError)
    items = [item for item in data["items"] if isinstance(item, Mapping)]
    ids = unique_ids(_name(item, place) for place, item in enumerate(items))
    own = _criteria(data.get("rubric"), reading, path)
    examples, ratings = [], []
    for item, unit in zip(items, ids, strict=True):
        _count_lost(item, reading)
        examples.append(_example(item, data, unit))
        columns = own if item.get("rubric") is None else _criteria(item["rubric"], reading, path)
        rating = _rating(item, unit, columns, reading, kind)
        ratings += [rating] if rating is not None else []
    for key in data.keys() - {"name", "prompt", "rubric", "reference_submission", "items"}:
        reading.lose(f"{key!r} of the dataset")
    return reading.imported(path, "a dataset of autorubric", examples, ratings)


def _criteria(data: Any, reading: Reading, path: Path) -> list[Criterion | None]:
    """For each place of a ground truth the criterion of our rubric: by name, by its words, else by place."""
    ours = list(reading.rubric.criteria)
    if data is None:
        return list(ours)
    try:
        theirs = rubric_from_data(data).criteria
    except (RubricError, MarkschemeError) as error:
        raise RatingError(f"holds a rubric that cannot be read: {error}", path=path) from error
    by_text = {criterion.requirement.strip(): criterion for criterion in ours}
    found = [reading.criterion(c.name) or by_text.get(c.requirement.strip()) for c in theirs]
    if not any(found) and len(theirs) == len(ours):
        reading.note(
            f"no criterion of the dataset is named as in the rubric {reading.rubric.name}: they are taken by place"
        )
        return list(ours)
    for criterion, known in zip(theirs, found, strict=True):
        if known is None:
            reading.lose(f"criterion {criterion.name!r}, which the rubric does not have")
    return found


def _rating(
    item: Mapping[str, Any], unit: str, columns: Sequence[Criterion | None], reading: Reading, kind: Kind
) -> Rating | None:
    truth, reasons = item.get("ground_truth"), item.get("ground_truth_reasons")
    if truth is None:
        return None
    if not isinstance(truth, list) or len(truth) != len(columns):
        reading.lose(f"ground truths that are no list of {len(columns)} levels")
        return None
    said = {
        criterion.name: rated
        for place, (criterion, level) in enumerate(zip(columns, truth, strict=True))
        if criterion is not None and level is not None
        and (rated := _rated(criterion, level, _reason(reasons, place, criterion), reading)) is not None
    }  # fmt: skip
    return Rating(unit, RATER, kind, said) if said else None


def _rated(criterion: Criterion, level: Any, reason: str, reading: Reading) -> Rated | None:
    word = str(level).strip()
    if word.upper() == CANNOT_ASSESS:
        return Rated(None, reason, declined="abstained")
    if word.casefold() in NOT_APPLICABLE:
        return Rated(None, reason, declined="not applicable")
    return reading.level(criterion, level, reason=reason)


def _reason(reasons: Any, place: int, criterion: Criterion) -> str:
    if isinstance(reasons, list) and place < len(reasons):
        return str(reasons[place] or "")
    return str(reasons.get(criterion.name) or "") if isinstance(reasons, Mapping) else ""


def _example(item: Mapping[str, Any], data: Mapping[str, Any], unit: str) -> Example:
    inputs = {"query": item.get("prompt") or data.get("prompt")}
    inputs["reference"] = item.get("reference_submission") or data.get("reference_submission")
    submission = item.get("submission")
    response = submission if isinstance(submission, str) else json.dumps(submission, ensure_ascii=False)
    return Example(Submission(response, {name: text for name, text in inputs.items() if text}, unit))


def _name(item: Mapping[str, Any], place: int) -> str:
    said = item.get("id") or item.get("description")
    return " ".join(said.split())[:60] if isinstance(said, str) and said.strip() else f"item-{place + 1}"


def _count_lost(item: Mapping[str, Any], reading: Reading) -> None:
    for key in _unknown(item):
        reading.lose(f"{shown(key)} of an item")


def _unknown(item: Mapping[str, Any]) -> Iterator[str]:
    yield from (key for key in item if key not in KEPT and key != "id")
