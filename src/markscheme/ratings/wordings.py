"""The words that labels were given to, kept next to them: `wordings.jsonl` in a rubric's calibration folder."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markscheme.errors import RatingError, writing
from markscheme.files import append_lines
from markscheme.plain_data import json_lines
from markscheme.rubrics.rubric import Criterion, Rubric

WORDINGS_FILE = "wordings.jsonl"
"""The file's name."""


@dataclass(frozen=True)
class CriterionWords:
    """The words of a criterion when labels were given.

    Attributes:
        text: What the criterion asked.
        levels: The words of each level, worst first: how raters chose it, and what it meant.
    """

    text: str
    levels: tuple[str, ...]

    @classmethod
    def of(cls, criterion: Criterion) -> "CriterionWords":
        """The current words of a criterion; a yes/no scale and levels that are only numbers have none."""
        scale = _scale_of(criterion)
        return cls(criterion.requirement, tuple(_level_in_words(level) for level in scale if _has_words(level)))


def words_in(folder: Path) -> dict[str, CriterionWords]:
    """The words recorded in a calibration folder, by their digest; what can't be read is left out."""
    return {str(line.get("under")): _words_of(line) for line in _lines(folder / WORDINGS_FILE)}


def record_words(folder: Path, rubric: Rubric, at: str) -> None:
    """Append a rubric's current words to the folder's record, if they aren't there yet.

    Raises:
        UsageError: The file can't be written.
    """
    path = folder / WORDINGS_FILE
    recorded = {(line.get("criterion"), line.get("under")) for line in _lines(path)}
    new = [
        {
            "under": criterion.wording,
            "criterion": criterion.name,
            "text": criterion.requirement,
            "scale": _scale_of(criterion),
            "at": at,
        }
        for criterion in rubric.criteria
        if (criterion.name, criterion.wording) not in recorded
    ]
    if new:
        with writing(path):
            append_lines(path, new, follow=False)


def _lines(path: Path) -> Iterator[Mapping[str, Any]]:
    if path.is_file():
        yield from (line for _, line in json_lines(path, RatingError) if isinstance(line, Mapping))


def _scale_of(criterion: Criterion) -> list[dict[str, Any]]:
    return [
        {"value": level.value, "choice": choice, "label": level.label or "", "description": level.description or ""}
        for level, choice in zip(criterion.scale.levels, criterion.scale.choices, strict=True)
    ]


def _words_of(line: Mapping[str, Any]) -> CriterionWords:
    scale = line.get("scale")
    levels = [level for level in scale if isinstance(level, Mapping)] if isinstance(scale, list) else []
    return CriterionWords(str(line.get("text") or ""), tuple(_level_in_words(v) for v in levels if _has_words(v)))


def _has_words(level: Mapping[str, Any]) -> bool:
    is_number = str(level.get("choice")).replace(".", "", 1).isdigit()
    return bool(level.get("description") or level.get("label")) or not is_number


def _level_in_words(level: Mapping[str, Any]) -> str:
    choice = str(level.get("choice"))
    label = level.get("label")
    name = f"{choice} · {label}" if label and label != choice else choice
    return f"{name}: {level['description']}" if level.get("description") else name
