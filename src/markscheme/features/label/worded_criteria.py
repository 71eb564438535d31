"""The words of criteria on the labelling page: the current ones, and those that a rater labelled by before."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markscheme.ratings.wordings import WORDINGS_FILE, wording_line, wording_lines
from markscheme.rubrics.rubric import Criterion


def current_words(criterion: Criterion) -> dict[str, Any]:
    """Return a criterion's text, and its levels' words, except words that are only a number, MET or UNMET."""
    return _words_of(wording_line(criterion, at=""))


def recorded_words(folder: Path) -> dict[str, dict[str, Any]]:
    """Map the digest of each wording on record in a calibration folder to its words; skip invalid lines."""
    return {str(line.get("under")): _words_of(line) for line in wording_lines(folder / WORDINGS_FILE)}


def _words_of(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return the text of a recorded wording, and the words of each level, worst first: its name and description."""
    scale = line.get("scale")
    levels = [level for level in scale if isinstance(level, Mapping)] if isinstance(scale, list) else []
    return {"text": str(line.get("text") or ""), "levels": tuple(map(_level_in_words, filter(_has_words, levels)))}


def _has_words(level: Mapping[str, Any]) -> bool:
    is_number = str(level.get("choice")).replace(".", "", 1).isdigit()
    return bool(level.get("description") or level.get("label")) or not is_number


def _level_in_words(level: Mapping[str, Any]) -> str:
    choice = str(level.get("choice"))
    label = level.get("label")
    name = f"{choice} · {label}" if label and label != choice else choice
    return f"{name}: {level['description']}" if level.get("description") else name
