"""Reads the levels of a criterion, in any of the forms in which people publish them."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from markscheme.features.published.finding import is_level_list, is_level_mapping
from markscheme.features.published.vocabulary import (
    CREDITS,
    LEVEL_LABELS,
    LEVEL_TEXTS,
    MAXIMA,
    SCALES,
    ends_of,
    is_range,
    level_keys,
    level_of,
    number_of,
    numbered,
    text_in,
    value_of_level,
    without_points,
)

MOST_POINTS = 10
"""Largest maximum score for which each point is a level; scales with a larger one get five levels."""
WIDEST_FILLED = 100
"""Largest number of steps of a scale whose missing levels are filled in without descriptions."""
FIVE_STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
_PLAIN_WORDS = {True: "yes", False: "no"}
"""Words that YAML reads as True and False if they aren't quoted."""


def levels_in(fields: Mapping[str, Any], taken: set[str]) -> list[dict[str, Any]] | None:
    """Return the levels, worst first, that a mapping describes; None if there are none.

    If the mapping states only the lowest and the highest level, and the two aren't far apart, all whole numbers from
    one to the other are returned.

    Args:
        fields: The keys of a criterion, or the keys at the top of a rubric that hold for all its criteria.
        taken: A set to which the keys that describe the levels are added.
    """
    scale = next((key for key in SCALES if ends_of(fields.get(key)) is not None), None)
    ends = None if scale is None else ends_of(fields[scale])
    for key, value in fields.items():
        levels = _worded(key, value)
        if levels is not None:
            taken.update([key, *([scale] if scale and ends and _within(levels, ends) else [])])
            return _filled(levels, ends, is_whole=isinstance(value, Mapping) and not _has_ranges(value))
    numbers = {key: level for key in fields if (level := numbered(key)) is not None and text_in(fields[key])}
    if len(numbers) > 1:
        taken.update(numbers)
        return _filled([_level(float(level), fields[key]) for key, level in numbers.items()], ends, is_whole=True)
    bands = level_keys(fields)
    if bands:
        taken.update(bands)
        is_whole = not any(map(is_range, bands))
        return _filled([_level(level_of(key), fields[key]) for key in bands], ends, is_whole=is_whole)
    credits = [key for key in CREDITS if text_in(fields.get(key)) is not None]
    if len(credits) > 1:
        taken.update(credits)
        return _sorted([_level(CREDITS[key], fields[key]) for key in credits])
    if scale is not None and ends is not None and ends[1] - ends[0] <= WIDEST_FILLED:
        taken.add(scale)
        return numbered_levels(*ends)
    return None


def levels_to(fields: Mapping[str, Any], taken: set[str]) -> list[dict[str, Any]] | None:
    """Make levels from 0 to a criterion's maximum: one per point, or five evenly spaced ones if it is large.

    Args:
        fields: A criterion, or the keys next to all criteria.
        taken: A set to which the key of the maximum is added.

    Returns:
        The levels, worst first; None if no key states a maximum.
    """
    key = next((key for key in MAXIMA if (number_of(fields.get(key)) or 0) > 0), None)
    if key is None:
        return None
    taken.add(key)
    highest = number_of(fields[key]) or 0.0
    if highest <= MOST_POINTS and highest == int(highest):
        return numbered_levels(0, int(highest))
    return [_level(step, None) for step in FIVE_STEPS]


def numbered_levels(low: int, high: int) -> list[dict[str, Any]]:
    """Make levels of the whole numbers between two ends, without descriptions."""
    return [_level(float(value), None) for value in range(low, high + 1)]


def named_level(value: float, name: str, words: Any) -> dict[str, Any]:
    """Make a level with the name that the rubric gives it, without points in brackets.

    Args:
        value: The level's number.
        name: The name in the rubric, such as "Good (3)".
        words: The level's description; None without one.
    """
    return _level(value, words, without_points(name))


def _worded(key: str, value: Any) -> list[dict[str, Any]] | None:
    if is_level_mapping(value):
        return [_level(level_of(level), text) for level, text in value.items()]
    if is_level_list(key, value):
        return [_of_entry(level) for level in value]
    if isinstance(value, Mapping) and len(value) > 1 and all(isinstance(tier, Mapping) for tier in value.values()):
        values = [_value_of(tier) for tier in value.values()]
        if all(level is not None and text for (level, text) in values):
            return [_level(level, text, str(name)) for name, (level, text) in zip(value, values, strict=True)]
    return None


def _value_of(tier: Mapping[str, Any]) -> tuple[float | None, str | None]:
    return value_of_level(tier), next((text for key in LEVEL_TEXTS if (text := text_in(tier.get(key)))), None)


def _of_entry(level: Mapping[str, Any]) -> dict[str, Any]:
    texts = [text for key in LEVEL_TEXTS if (text := text_in(level.get(key)))]
    label = next((text for key in LEVEL_LABELS if (text := text_in(level.get(key)))), None)
    words = "\n".join(dict.fromkeys(texts)) or None
    return _level(value_of_level(level), words or label, label if words else None)


def _level(value: float | None, words: Any, label: str | None = None) -> dict[str, Any]:
    text = _PLAIN_WORDS[words] if isinstance(words, bool) else None if words is None else str(words).strip()
    level: dict[str, Any] = {"value": value}
    if label and number_of(label) is None:
        level["label"] = label
    return level | ({"description": text} if text else {})


def _has_ranges(value: Mapping[str, Any]) -> bool:
    return any(map(is_range, value))


def _within(levels: Sequence[Mapping[str, Any]], ends: tuple[int, int]) -> bool:
    return all(ends[0] <= level["value"] <= ends[1] for level in levels)


def _filled(levels: list[dict[str, Any]], ends: tuple[int, int] | None, *, is_whole: bool) -> list[dict[str, Any]]:
    """Sort levels, worst first, and add whole numbers without a description between them if that is asked for.

    Args:
        levels: The levels that have a description.
        ends: The lowest and the highest level that the criterion states; None if it states none.
        is_whole: True to add a level for each missing whole number, from one end to the other.
    """
    by_value = {level["value"]: level for level in levels}
    if is_whole and all(value == int(value) for value in by_value):
        low = int(min(by_value))
        high = int(max(by_value))
        if ends is not None and _within(levels, ends):
            low, high = ends
        if high - low <= WIDEST_FILLED:
            by_value = {float(value): _level(float(value), None) for value in range(low, high + 1)} | by_value
    return _sorted([*by_value.values()] if len(by_value) == len(levels) or is_whole else levels)


def _sorted(levels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ordered = sorted(levels, key=lambda level: level["value"])
    labels = [level["label"].casefold() for level in ordered if "label" in level]
    if len(set(labels)) < len(labels) or any(low["value"] == high["value"] for low, high in pairwise(ordered)):
        return [{key: value for key, value in level.items() if key != "label"} for level in ordered]
    return ordered
