"""Conversion of ratings in which judges and people use different scales to one scale, or refusal if it is unknown."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from markscheme.errors import RatingError, UsageError
from markscheme.json_text import id_and_rest
from markscheme.numerals import finite
from markscheme.plain_data import json_in_line, line_batches, mapping
from markscheme.ratings.column_options import SCALE_SIDES, Span
from markscheme.ratings.kinds import JUDGES
from markscheme.readers.peek import Peek
from markscheme.readers.value_kinds import counts_from_0, scale_options, scales_that_differ
from markscheme.rubrics.rubric import Rubric

POSITIONS: Span = (0.0, 1.0)
"""The scale of overall scores, to which judges' and people's are also converted if no rubric names a scale."""
OVERALL = "overall"
"""The key of a rating's overall score, which is from 0 to 1."""


class ScaleError(UsageError):
    """Error for judges' and people's numbers that seem to be on different scales, where the user names no scales.

    Attributes:
        why: Sentence with the numbers and the reason why they can't be on one scale.
    """

    def __init__(self, why: str, options: str) -> None:
        super().__init__(f"{why}. Name the ends: {options}")
        self.why = why


@dataclass(frozen=True)
class SharedScales:
    """Conversion of judges' and people's numbers, criterion by criterion, to one scale for both.

    Attributes:
        spans: Lowest and highest value of the scale that judges used, under "judge", and of people's scale, under
            "human".
        ends: Lowest and highest value of the scale that numbers are converted to. The key is a pair: "judge" or
            "human", and a criterion or `OVERALL`. Numbers without a key stay as they are.
    """

    spans: Mapping[str, Span]
    ends: Mapping[tuple[str, str], Span]

    @property
    def criteria(self) -> set[str]:
        """Names of the criteria whose numbers are converted."""
        return {name for _, name in self.ends if name != OVERALL}

    def moved(self, line: Any) -> Any:
        """Return a line of ratings with its numbers on the scale that judges and people share.

        Raises:
            ValueError: A number isn't on the scale of judges, or of people.
        """
        if not self.ends or not isinstance(line, Mapping):
            return line
        side = _side_of(line)
        criteria = line.get("criteria")
        if isinstance(criteria, Mapping):
            line = {**line, "criteria": {name: self._entry(side, name, raw) for name, raw in criteria.items()}}
        if (side, OVERALL) in self.ends and finite(line.get(OVERALL)) is not None:
            line = {**line, OVERALL: self._level(side, OVERALL, line[OVERALL])}
        return line

    def _entry(self, side: str, name: str, raw: Any) -> Any:
        level = _level_in(raw)
        if (side, name) not in self.ends or finite(level) is None:
            return raw
        moved = self._level(side, name, level)
        return {**raw, "level": moved} if isinstance(raw, Mapping) else moved

    def _level(self, side: str, name: str, level: float) -> float:
        low, high = self.spans[side]
        if not low <= level <= high:
            raise ValueError(f"{name}: {level:g} isn't on the scale {low:g} to {high:g} of --scale {side}")
        worst, best = self.ends[side, name]
        return worst + (level - low) / (high - low) * (best - worst)


def shared_scales(files: Iterable[Peek], rubric: Rubric | None, spans: Mapping[str, Span]) -> SharedScales:
    """Decide how numbers in files of ratings must be converted, so that judges and people share a scale.

    Args:
        files: Files with a rating on each line.
        rubric: The rubric whose scales are shared; without one, judges' and people's numbers are compared.
        spans: Lowest and highest value of judges' scale, under "judge", and people's, under "human", if the user states
            them.

    Raises:
        ScaleError: Numbers can't be on one scale, and no scale is named.
    """
    numbers = _numbers(files)
    ends: dict[tuple[str, str], Span] = {}
    scales = {} if rubric is None else {criterion.name: criterion.scale for criterion in rubric.criteria}
    for name, by_side in numbers.items():
        if name == OVERALL:
            beyond = [side for side, values in by_side.items() if max(values) > 1]
            _refuse_unnamed(beyond, by_side, spans, "overall scores are from 0 to 1")
            ends |= {(side, OVERALL): POSITIONS for side in beyond}
        elif name in scales:
            low, high = scales[name].ends
            elsewhere = [side for side, values in by_side.items() if _is_elsewhere(values, scales[name].values)]
            _refuse_unnamed(elsewhere, by_side, spans, f"the scale of {name!r} is {low:g} to {high:g}")
            ends |= {(side, name): (low, high) for side in elsewhere}
        elif (
            rubric is None
            and len(by_side) == len(SCALE_SIDES)
            and scales_that_differ(*(by_side[side] for side in SCALE_SIDES))
        ):
            _refuse_unnamed(SCALE_SIDES, by_side, spans, f"{name!r}: judge and people are on different scales")
            ends |= {(side, name): POSITIONS for side in SCALE_SIDES}
    return SharedScales(spans, ends)


def _refuse_unnamed(
    moved: Iterable[str], by_side: Mapping[str, Counter[float]], spans: Mapping[str, Span], why: str
) -> None:
    unnamed = {side: by_side[side] for side in moved if side not in spans}
    if unnamed:
        ranges = ", ".join(f"{side} has {min(v):g} to {max(v):g}" for side, v in unnamed.items())
        raise ScaleError(f"{why}; {ranges}", scale_options(unnamed))


def _is_elsewhere(values: Counter[float], levels: Iterable[float]) -> bool:
    """Return True if numbers seem to be from another scale than these levels: from 0 to 1, say, instead of 1 to 5."""
    levels = list(levels)
    is_fractions = min(values) >= 0 and max(values) <= 1 and any(not value.is_integer() for value in values)
    has_them = max(levels) <= 1 or any(not float(level).is_integer() for level in levels)
    is_yes_no = set(values) == {0, 1} and min(levels) > 0
    is_shifted = counts_from_0(values, levels) or counts_from_0(levels, values)
    off = sum(times for value, times in values.items() if not min(levels) <= value <= max(levels))
    return (is_fractions and not has_them) or is_yes_no or is_shifted or off > values.total() / 2


def _numbers(files: Iterable[Peek]) -> dict[str, dict[str, Counter[float]]]:
    """Count how often each number occurs in files of ratings, by criterion (or overall score) and by judge or human."""
    numbers: dict[str, dict[str, Counter[float]]] = {}
    for peek in files:
        for line, times in _different_lines(peek.path):
            rating = mapping(line)
            for name, raw in {**mapping(rating.get("criteria")), OVERALL: rating.get(OVERALL)}.items():
                level = _level_in(raw)
                if finite(level) is not None:
                    numbers.setdefault(name, {}).setdefault(_side_of(rating), Counter())[float(level)] += times
    return numbers


MOST_DIFFERENT: Final = 4096
"""Number of different lines above which they are parsed before more are counted."""


def _different_lines(path: Path) -> Iterator[tuple[Any, int]]:
    """Yield each distinct line of a file, ids aside, with the number of lines equal to it."""
    times: Counter[bytes] = Counter()
    first: dict[bytes, tuple[int, bytes]] = {}
    for batch in line_batches(path, RatingError):
        rests = [id_and_rest(raw)[1] for _, raw in batch]
        times.update(rests)
        for rest, line in zip(rests, batch, strict=True):
            first.setdefault(rest, line)
        if len(times) > MOST_DIFFERENT:
            yield from _read_lines(path, first, times)
            times.clear()
            first.clear()
    yield from _read_lines(path, first, times)


def _read_lines(
    path: Path, first: Mapping[bytes, tuple[int, bytes]], times: Mapping[bytes, int]
) -> Iterator[tuple[Any, int]]:
    """Parse one of several lines that are equal but for the id; yield its data with their number.

    Args:
        path: The file.
        first: The number and the text of the first such line, by the text without the id.
        times: The number of such lines, by the text without the id.
    """
    for rest, (line_number, raw) in first.items():
        for line in json_in_line(raw, path, line_number, RatingError):
            yield line, times[rest]


def _side_of(line: Mapping[str, Any]) -> str:
    """Return who gave the rating in a line, "judge" or "human"; a line without `kind` is a judge's."""
    return "judge" if line.get("kind", JUDGES[0]) in JUDGES else "human"


def _level_in(raw: Any) -> Any:
    return raw.get("level") if isinstance(raw, Mapping) else raw
