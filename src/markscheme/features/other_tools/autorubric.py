"""Datasets of the autorubric package: each submission has one vector of true levels, in the order of its rubric."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markscheme.errors import MarkschemeError, RatingError
from markscheme.plain_data import shown
from markscheme.prompts.submission import Submission, as_text
from markscheme.ratings.example_rows import Example
from markscheme.ratings.rating import Rated, Rating
from markscheme.readers.imported import ImportedFile
from markscheme.readers.peek import Peek
from markscheme.readers.tabular.words import NOT_APPLICABLE, folded
from markscheme.rubrics.rubric import Criterion, Rubric

RATER = "ground_truth"
CANNOT_ASSESS = "CANNOT_ASSESS"
KEYS_READ = frozenset(
    ["id", "submission", "description", "prompt", "rubric", "reference_submission", "ground_truth",
     "ground_truth_reasons"]
)  # fmt: skip


def is_autorubric(peek: Peek) -> bool:
    """Return True if a JSON file is an autorubric dataset."""
    items = peek.data.get("items") if isinstance(peek.data, Mapping) else None
    return isinstance(items, list) and any(isinstance(record, Mapping) and "submission" in record for record in items)


def read_autorubric(reading: ImportedFile) -> None:
    """Read a dataset's submissions as responses, and its ground truth as the ratings of one rater.

    Raises:
        RatingError: The ground truth doesn't fit the rubric, or the caller doesn't say who gave it.
    """
    kind = reading.columns.kind
    data = reading.data
    if kind is None:
        raise RatingError(
            "doesn't say who gave its ground truth; pass `--kind human` or `--kind constructed`", path=reading.path
        )
    items = [record for record in data["items"] if isinstance(record, Mapping)]
    criteria_of_dataset = _criteria(data.get("rubric"), reading)
    seen: Counter[str] = Counter()
    for index, record in enumerate(items):
        unit = _name(record, index)
        seen[unit] += 1
        unit += f" #{seen[unit]}" if seen[unit] > 1 else ""
        for key in (key for key in record if key not in KEYS_READ):
            reading.lose(f"{shown(key)} of an item")
        reading.add_example(_example(record, data, unit))
        columns = criteria_of_dataset if record.get("rubric") is None else _criteria(record["rubric"], reading)
        reading.add(Rating(unit, RATER, kind, _levels(record, columns, reading)))
    for key in data.keys() - {"name", "prompt", "rubric", "reference_submission", "items"}:
        reading.lose(f"{key!r} of the dataset")


def _criteria(data: Any, reading: ImportedFile) -> list[Criterion | None]:
    """Return the rubric's criterion for each entry of a ground truth: by the entry's name, or else by its text.

    It is None for an entry that no criterion fits. If no entry fits by name or text, and there are as many entries as
    criteria, entries are matched by position.
    """
    ours = list(reading.rubric.criteria)
    if data is None:
        return list(ours)
    try:
        theirs = Rubric.from_dict(data).criteria
    except MarkschemeError as error:
        raise RatingError(f"holds a rubric that cannot be read: {error}", path=reading.path) from error
    by_text = {criterion.requirement.strip(): criterion for criterion in ours}
    matched = [reading.criterion(c.name) or by_text.get(c.requirement.strip()) for c in theirs]
    if not any(matched) and len(theirs) == len(ours):
        reading.note(
            f"no criterion of the dataset is named as in the rubric {reading.rubric.name}: they are taken by place"
        )
        return list(ours)
    for criterion, ours_for_it in zip(theirs, matched, strict=True):
        if ours_for_it is None:
            reading.lose(f"criterion {criterion.name!r}, which the rubric does not have")
    return matched


def _levels(record: Mapping[str, Any], columns: Sequence[Criterion | None], reading: ImportedFile) -> dict[str, Rated]:
    truth = record.get("ground_truth")
    reasons = record.get("ground_truth_reasons")
    if truth is not None and (not isinstance(truth, list) or len(truth) != len(columns)):
        reading.lose(f"ground truths that aren't a list of {len(columns)} levels")
        return {}
    return {
        criterion.name: rated
        for index, (criterion, level) in enumerate(zip(columns, truth or (), strict=False))
        if criterion is not None and level is not None
        and (rated := _rated(criterion, level, _reason(reasons, index, criterion), reading)) is not None
    }  # fmt: skip


def _rated(criterion: Criterion, level: Any, reason: str, reading: ImportedFile) -> Rated | None:
    word = str(level).strip()
    if word.upper() == CANNOT_ASSESS:
        return Rated(None, reason, declined="abstained")
    if folded(word) in NOT_APPLICABLE:
        return Rated(None, reason, declined="not applicable")
    return reading.level(criterion, level, reason=reason)


def _reason(reasons: Any, index: int, criterion: Criterion) -> str:
    if isinstance(reasons, list) and index < len(reasons):
        return str(reasons[index] or "")
    return str(reasons.get(criterion.name) or "") if isinstance(reasons, Mapping) else ""


def _example(record: Mapping[str, Any], data: Mapping[str, Any], unit: str) -> Example:
    keys = {"query": "prompt", "reference": "reference_submission"}
    inputs = {name: text for name, key in keys.items() if (text := record.get(key) or data.get(key))}
    return Example(Submission(as_text(record.get("submission")), inputs, unit))


def _name(record: Mapping[str, Any], index: int) -> str:
    name = record.get("id") or record.get("description")
    return " ".join(name.split())[:60] if isinstance(name, str) and name.strip() else f"item-{index + 1}"
