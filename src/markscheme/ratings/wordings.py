"""Record of the wordings that labels were given to: `wordings.jsonl` in a rubric's calibration folder."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, writing
from markscheme.files import append_lines
from markscheme.plain_data import json_lines
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Criterion, Rubric

WORDINGS_FILE = "wordings.jsonl"
"""Name of the file with the record of wordings."""
SAME_AS = "same_as"
"""Key of the earlier wordings that, as their author states, mean the same as the current one."""


NOT_KNOWN = "not known"
"""Mark in place of a digest for labels that don't name their wording although a criterion was reworded."""


def record_words(folder: Path, rubric: Rubric, at: str) -> None:
    """Append a rubric's current wording to the record in a folder, unless it is recorded already.

    Args:
        folder: The rubric's calibration folder.
        rubric: The rubric.
        at: The day on which the wording is recorded.

    Raises:
        UsageError: The file can't be written.
    """
    path = folder / WORDINGS_FILE
    recorded = {(line.get("criterion"), line.get("under")) for line in wording_lines(path)}
    new = [
        wording_line(criterion, at)
        for criterion in rubric.criteria
        if (criterion.name, criterion.wording) not in recorded
    ]
    if new:
        with writing(path):
            append_lines(path, new, follow=False)


def same_meaning(folder: Path, criteria: Iterable[Criterion]) -> dict[str, frozenset[str]]:
    """Return digests of earlier wordings that, by the author's word, mean the same as the current ones.

    Args:
        folder: The rubric's calibration folder.
        criteria: The criteria with their current wordings.

    Returns:
        Digests by the criterion's name; criteria without a statement are left out.
    """
    words = {criterion.name: criterion.wording for criterion in criteria}
    same: dict[str, frozenset[str]] = {}
    for line in wording_lines(folder / WORDINGS_FILE):
        name = str(line.get("criterion"))
        earlier = line.get(SAME_AS)
        if isinstance(earlier, list) and words.get(name) == line.get("under"):
            same[name] = same.get(name, frozenset()) | frozenset(map(str, earlier))
    return same


def reworded_in(folder: Path, criteria: Iterable[Criterion]) -> frozenset[str]:
    """Return the names of the criteria for which a calibration folder records a wording other than the current one."""
    recorded: dict[str, set[str]] = {}
    for line in wording_lines(folder / WORDINGS_FILE):
        recorded.setdefault(str(line.get("criterion")), set()).add(str(line.get("under")))
    return frozenset(c.name for c in criteria if not all(map(c.is_worded, recorded.get(c.name, ()))))


def wording_line(criterion: Criterion, at: str) -> dict[str, Any]:
    """Return the line that records a criterion's current wording in `wordings.jsonl`.

    Args:
        criterion: The criterion.
        at: The day on which the wording is recorded.
    """
    return {
        "under": criterion.wording,
        "criterion": criterion.name,
        "text": criterion.requirement,
        "scale": _scale_of(criterion),
        "at": at,
    }


def wording_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the lines of a record of wordings; none if there is no record yet."""
    if path.is_file():
        yield from (line for _, line in json_lines(path, RatingError) if isinstance(line, Mapping))


def without_known_words(label: Rating, reworded: Set[str]) -> Rating:
    """Mark a person's answers on reworded criteria as given under an unknown wording.

    Answers whose wording is on record, and labels by a judge, stay as they are.

    Args:
        label: The label.
        reworded: Names of the criteria that were reworded.
    """
    if label.kind not in PEOPLE:
        return label
    superseded = {name: _not_known(rated) if name in reworded else rated for name, rated in label.superseded.items()}
    label = replace(label, superseded=superseded) if superseded else label
    if label.under or reworded.isdisjoint(label.criteria):
        return label
    criteria = {name: _not_known(rated) if name in reworded else rated for name, rated in label.criteria.items()}
    return replace(label, criteria=criteria)


def on_criteria(names: Collection[str], label: Any) -> Any:
    """Return a label, as data, without its levels on criteria other than `names`.

    >>> on_criteria(["tone"], {"id": "a", "criteria": {"tone": 1, "truth": 0}})
    {'id': 'a', 'criteria': {'tone': 1}}
    """
    levels = label.get("criteria") if isinstance(label, Mapping) else None
    if not isinstance(levels, Mapping):
        return label
    return {**label, "criteria": {name: level for name, level in levels.items() if name in names}}


def _not_known(rated: Rated) -> Rated:
    return rated if rated.under else replace(rated, under=NOT_KNOWN)


def _scale_of(criterion: Criterion) -> list[dict[str, Any]]:
    return [
        {"value": level.value, "choice": choice, "label": level.label or "", "description": level.description or ""}
        for level, choice in zip(criterion.scale.levels, criterion.scale.choices, strict=True)
    ]
