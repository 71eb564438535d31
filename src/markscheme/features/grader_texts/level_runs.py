"""Finds sequences of levels in an `llm-rubric` text: lines or clauses in a row that each begin or end with a score."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markscheme.features.grader_texts.level_words import LEVEL_NOUNS, MEANS, UNITS
from markscheme.features.grader_texts.scale_direction import is_bad, is_good
from markscheme.features.grader_texts.text_numbers import NUMERAL

_OPENS = r"^(?:[^\d\n]{0,300}(?:: |\? ))?[ \"'“]{0,3}(?:[-*•–+>|] )?[\"'*(\[]{0,3}"
_NAMES = rf"(?:{LEVEL_NOUNS}|band|step|stage|tier|class|category)"
_UNIT = rf"(?: ?%|[- ](?:{UNITS}|marks?)(?:\(s\)|\b))?"
_SIGN = r"(?:=>|->|=|:|→|[-–—|](?= ))"
_SAYS = rf"(?:{MEANS}|is|being|ist|es|est|for|if|when|where)"
_SCORE = rf"(?P<score>[-+]?{NUMERAL})(?: ?/ ?\d{{1,3}})?{_UNIT}"
_FIRST = re.compile(
    rf"{_OPENS}(?P<name>{_NAMES} (?:of )?)?(?:an? )?{_SCORE}(?P<closes>[\"'*)\].]{{0,3}}) ?"
    rf"(?:(?P<sign>{_SIGN}|{_SAYS}\b)(?: |$)|(?=[(\"'*]))?[(\"'*]{{0,3}}(?P<words>[^\W\d][^\n]{{0,999}})$",
    re.IGNORECASE,
)
"""Pattern of a score before its meaning."""
_LAST = re.compile(
    rf"{_OPENS}(?P<words>[^\W\d][^\d\n]{{0,60}}?)\"?\*{{0,2}} ?"
    rf"(?P<sign>[(\[]|{_SIGN}|(?:counts )?as\b|is\b|(?:then )?(?:gets?|scores?|give|award|assign"
    rf"|return|rate)(?: it)?\b) ?{_SCORE}[\"'*)\].]{{0,3}}$",
    re.IGNORECASE,
)
"""Pattern of a score after its meaning."""
_LINES = re.compile(r"\n")
_CLAUSES = re.compile(r"\n|[;,/](?= )|(?:(?<![\d.])|(?<=[=:→>–-] \d)|(?<=[=:→>–-]\d))[.?!](?= )|\|(?= ?\d)")
_CLOSES_NUMBER = re.compile(r"[.)\]]")
_MARKS_OF_LISTS = ":-–—→|"
"""Signs after a number that is a score or the number of a point in a list."""
_FEWEST = 3
"""Fewest scores in a run of levels; two numbers may be anything."""


class _Item(NamedTuple):
    """A score with its meaning, and whether the text states the score rather than just numbering a list."""

    value: float
    words: str
    is_said: bool


def level_run(text: str, *, is_score: bool, may_be_list: bool) -> Mapping[float, str]:
    """Map scores to meanings, as the first sequence of levels in a text states them; {} if there is none.

    Args:
        text: The text.
        is_score: True if other words of the text ask for a score. If False, a sequence counts only if it goes from a
            bad level to a good one.
        may_be_list: True to accept numbers that may only number the items of a list instead of being scores.
    """
    runs = (run for parts in (_LINES, _CLAUSES) for side in (_FIRST, _LAST) for run in _runs(text, parts, side))
    run = next(runs, ())
    if not run or not (_goes_from_bad_to_good(run) or (is_score and (may_be_list or not _may_number_points(run)))):
        return {}
    return {item.value: item.words.strip(" .,*") for item in run}


def _runs(text: str, parts: re.Pattern[str], side: re.Pattern[str]) -> Iterator[Sequence[_Item]]:
    """Yield sequences of levels in a text, from lines or clauses in a row that all begin, or all end, with a score.

    Args:
        text: The text.
        parts: Pattern at which the text is split: `_LINES` or `_CLAUSES`.
        side: Pattern of a line or clause with its score: `_FIRST` if it begins with the score, `_LAST` if it ends so.
    """
    matches = filter(None, (side.match(part.strip()) for part in parts.split(text)))
    return _evenly(
        [
            _Item(float(match["score"]), match["words"], side is _LAST or _is_said(match, in_clauses=parts is _CLAUSES))
            for match in matches
        ]
    )


def _is_said(match: re.Match[str], *, in_clauses: bool) -> bool:
    """Return True if a number is stated as a score, as in "score 2" or "2 = good".

    Any other number may just count the points of a list.

    Args:
        match: Match of the number with its surroundings.
        in_clauses: True if the text was split into clauses, and not only into lines. Then "2: good" states a score,
            too, but "2) good" doesn't.
    """
    is_named = match["name"] is not None or (match["sign"] or ":") not in _MARKS_OF_LISTS
    return is_named or (in_clauses and _CLOSES_NUMBER.search(match["closes"]) is None)


def _goes_from_bad_to_good(run: Sequence[_Item]) -> bool:
    """Return True if the first of the levels is bad and the last is good, or the reverse, by their meanings."""
    first, last = run[0].words, run[-1].words
    return (is_bad(first) and is_good(last)) or (is_bad(last) and is_good(first))


def _may_number_points(run: Sequence[_Item]) -> bool:
    """Return True if the scores of a sequence may just be the numbers 1, 2, 3 in front of a list's points."""
    are_numbers = [item.value for item in run] == [float(index) for index in range(1, len(run) + 1)]
    return are_numbers and not any(item.is_said for item in run)


def _evenly(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    """Yield each sequence of three or more successive items whose numbers rise or fall by equal steps.

    The steps may differ if the text says that the numbers are scores.
    """
    run: list[_Item] = []
    for item in items:
        if run and not _goes_on(run, item):
            if len(run) >= _FEWEST:
                yield run
            run = [last for last in run[-1:] if last.value != item.value]
        run.append(item)
    if len(run) >= _FEWEST:
        yield run


def _goes_on(run: Sequence[_Item], item: _Item) -> bool:
    """Return True if an item's value continues the rising or falling values of a sequence of items.

    Values must rise or fall by equal steps. If the text says of the first item, of the last one so far and of the new
    one that they are scores, steps may differ.
    """
    step = round(item.value - run[-1].value, 3)
    first = step if len(run) == 1 else round(run[1].value - run[0].value, 3)
    return step * first > 0 and (step == first or (run[0].is_said and run[-1].is_said and item.is_said))
