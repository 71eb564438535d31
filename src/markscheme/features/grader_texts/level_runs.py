"""Runs of levels in a text behind `llm-rubric`: parts of a line, or lines, that have a score each, before or after."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markscheme.features.grader_texts.scale_direction import is_bad, is_good
from markscheme.features.grader_texts.text_numbers import NUMERAL

_OPENS = r"^(?:[^\d\n]{0,300}(?:: |\? ))?[ \"'“]{0,3}(?:[-*•–+>|] )?[\"'*(\[]{0,3}"
_NAMES = r"(?:score|rating|level|grade|mark|band|step|stage|tier|class|category|stufe|note|nivel|niveau)"
_UNIT = r"(?: ?%|[- ](?:points?|stars?|pts?|marks?|punkte?)(?:\(s\)|\b))?"
_SIGN = r"(?:=>|->|=|:|→|[-–—|](?= ))"
_SAYS = (
    r"(?:means|meaning|is|being|indicates|represents|denotes|signifies|stands for|corresponds to|bedeutet|heißt|ist"
    r"|significa|signifie|es|est|for|if|when|where)"
)
_SCORE = rf"(?P<score>[-+]?{NUMERAL})(?: ?/ ?\d{{1,3}})?{_UNIT}"
_FIRST = re.compile(
    rf"{_OPENS}(?:{_NAMES} (?:of )?)?(?:an? )?{_SCORE}[\"'*)\].]{{0,3}} ?(?:(?P<sign>{_SIGN}|{_SAYS}\b)"
    rf"(?: |$)|(?=[(\"'*]))?[(\"'*]{{0,3}}(?P<words>[^\W\d][^\n]{{0,999}})$",
    re.IGNORECASE,
)
"""A score before what it means."""
_LAST = re.compile(
    rf"{_OPENS}(?P<words>[^\W\d][^\d\n]{{0,60}}?)\"?\*{{0,2}} ?"
    rf"(?P<sign>[(\[]|{_SIGN}|(?:counts )?as\b|is\b|gets\b|scores\b) ?{_SCORE}[\"'*)\].]{{0,3}}$",
    re.IGNORECASE,
)
"""A score after what it means."""
_PARTS = (re.compile(r"\n"), re.compile(r"\n|[;,/](?= )|(?:(?<![\d.])|(?<=[=:→>–-] \d))[.?!](?= )|\|(?= ?\d)"))
_MARKS_OF_LISTS = ":-–—→|"
"""Signs after a number that may as well number a point."""
_FEWEST = 3
"""Two numbers may be anything."""


class _Item(NamedTuple):
    """A score with its meaning, and whether words say that it means that."""

    value: float
    words: str
    is_said: bool


def level_run(text: str, *, may_be_list: bool) -> Mapping[float, str]:
    """Return the first run of levels in a text, with their meanings; nothing where it has none.

    Args:
        text: The text.
        may_be_list: Whether scores count that may as well number the points of a list.
    """
    runs = (run for parts in _PARTS for pattern in (_FIRST, _LAST) for run in _runs(parts.split(text), pattern))
    run = next(runs, ())
    is_list = not may_be_list and _may_number_points(run)
    return {} if is_list else {item.value: item.words.strip(" .,*") for item in run}


def _runs(parts: Sequence[str], pattern: re.Pattern[str]) -> Iterator[Sequence[_Item]]:
    """Yield the runs among parts of a text that have their scores on one side."""
    matches = filter(None, (pattern.match(part.strip()) for part in parts))
    items = [
        _Item(float(match["score"]), match["words"], pattern is _LAST or (match["sign"] or ":") not in _MARKS_OF_LISTS)
        for match in matches
    ]
    return _evenly(items)


def _may_number_points(run: Sequence[_Item]) -> bool:
    """Return whether numbers count from 1 before words that say nothing of a worst and a best level."""
    are_numbers = [item.value for item in run] == [float(index) for index in range(1, len(run) + 1)]
    is_said = any(item.is_said for item in run)
    return bool(run) and are_numbers and not is_said and not (is_bad(run[0].words) and is_good(run[-1].words))


def _evenly(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """Yield the stretches of at least three items whose values rise or fall by one step."""
    start = 0
    for end in range(1, len(items) + 1):
        steps = {round(later.value - earlier.value, 3) for earlier, later in itertools.pairwise(items[start : end + 1])}
        if end == len(items) or len(steps) > 1 or 0 in steps:
            if end - start >= _FEWEST:
                yield items[start:end]
            start = end - 1 if end - start > 1 else end
