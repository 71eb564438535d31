"""Finds the scale on which an `llm-rubric` text asks for a score, with the levels that the text describes."""

import re
from collections.abc import Mapping, Sequence

from markscheme.features.grader_texts.counted_points import counts_points, ends_of_points, sums_points
from markscheme.features.grader_texts.grader_sentences import ONE_BY_ONE, TO, rates, tells_of_output
from markscheme.features.grader_texts.level_marks import (
    anchors_in,
    conditions_in,
    degrees_in,
    names_levels,
    numbered_levels,
    prose_anchors_in,
)
from markscheme.features.grader_texts.level_runs import level_run
from markscheme.features.grader_texts.listed_lines import without_points
from markscheme.features.grader_texts.pass_level import limits_scores
from markscheme.features.grader_texts.score_ranges import (
    FEWEST_WHOLE,
    MOST_SCORES,
    are_ends,
    asks,
    highest_in,
    percentage,
    range_in,
    tells_what_passes,
    worst_and_best,
)
from markscheme.features.grader_texts.text_lines import sentences
from markscheme.features.grader_texts.text_numbers import NUMERAL, in_digits
from markscheme.features.grader_texts.unread_scale import asks_by_another_scale, demands_number, demands_score
from markscheme.rubrics.criterion import Level, Scale

_BARE = re.compile(
    r"[ \"'*#>-]{0,9}(?:please )?(?:(?:rate|score|grade) (?:the|how|this|it|each)\b"
    r"(?!.{0,60}\bas (?:pass|fail|met|yes|true)\b)"
    r"|.{0,99}\ba (?:score|rating|letter grade)\b)",
    re.IGNORECASE,
)
"""Pattern of a sentence that asks for a score without naming a scale."""
_PASSES_WITH_ALL = re.compile(
    r"\bpass(?:es)?\b.{0,20}\b(?:when|if|only)\b.{0,20}\b(?:all|every|each)\b[^\n]{0,60}\n", re.IGNORECASE
)
"""Pattern of a line by which an output passes if all of the points that follow hold, so that no score is asked for."""
_OF_EACH = re.compile(r"\b(?:each|every|per|apiece)\b", re.IGNORECASE)
_IN_BETWEEN = re.compile(r"\bin[- ]between\b", re.IGNORECASE)
"""Pattern of words that allow scores between those that are explained."""
_IN_JSON = re.compile(
    r"(?:^|(?<=[.!?] ))[^\w\n]{0,9}(?:please |only |always |then )?"
    r"(?:(?:respond|reply|answer) (?:only )?(?:with|as|in)\b|return\b|output (?:only )?json\b"
    r"|(?:output|answer|response|reply)(?: format)?:)"
    rf"[^{{}}]{{0,199}}{{[^{{}}]{{0,199}}?[\"']?\w{{0,20}}(?:score|rating|grade)[\"']? ?:[^,{{}}\n]{{0,40}}?"
    rf"({NUMERAL}) ?{TO} ?({NUMERAL})\b",
    re.IGNORECASE | re.MULTILINE,
)
"""Pattern of the ends of the score's scale within the JSON object that is to be the grader's answer."""
_SCORES = rf"{NUMERAL}(?: ?{TO} ?{NUMERAL})? [^\W\d]"
_HEADED = re.compile(
    rf"^[^\n.:(\d]{{1,60}}[(\[](-?{NUMERAL}) ?{TO} ?\+?({NUMERAL})[)\]] ?(?::|[-–—] )"
    rf"|^(?:#[^\n(\[]{{1,80}}|[^\n(\[]{{1,160}}\? ?)[(\[]({NUMERAL}) ?{TO} ?({NUMERAL})[)\]] ?$"
    rf"|^([01](?:\.0)?) ?{TO} ?({NUMERAL}): {_SCORES}[^,;\n]{{0,99}}[,;] {_SCORES}",
    re.MULTILINE,
)
_ROW_OF_RANGE = re.compile(
    rf"^ ?(?:[-*•] ?)?[^\W\d][^\n.:(\d]{{1,30}}:? ?[(\[]?({NUMERAL}) ?[-–] ?({NUMERAL})[)\]]? ?$", re.MULTILINE
)
"""Pattern of a line with an aspect to score and its scale; a single such line may be anything."""
_TENTHS = 10
"""Scores per unit on a scale from 0 to 1, on which people write one decimal."""


def scale_of(text: str, whole: str) -> Scale | None:
    """Return the scale on which a text asks for a score; None if the text asks for no score.

    Args:
        text: The text's own words, without what it quotes or inserts.
        whole: The text as it is written, including the form of an answer in JSON.
    """
    in_turn = [in_digits(sentence) for sentence in sentences(text)]
    beside_points = [in_digits(sentence) for sentence in sentences(without_points(text))]
    asking = list(filter(asks, beside_points))
    to_grader = "\n".join(sentence for sentence in in_turn if not tells_of_output(sentence))
    conditions = conditions_in(in_turn)
    is_demanded = asks_by_another_scale(text)
    ends = _ends(text, asking, are_levels=_rise_by_one(conditions))
    is_score = bool(ends) or any(map(rates, asking)) or any(map(limits_scores, in_turn))
    run = _longest_run(text, is_score=is_score or is_demanded)
    if len(run) > len(conditions):
        conditions = {}
    anchored, anchor_ends = anchors_in(text, lowest=ends[0] if ends else 0.0, is_score=is_score)
    prose = prose_anchors_in(text, asking) if asking or ends or is_demanded or names_levels(to_grader) else {}
    if ends is None:
        ends = (
            _ends_in_json(whole)
            or _ends_in_prose(run)
            or anchor_ends
            or _ends_in_prose(prose)
            or range_in(list(filter(tells_what_passes, asking)))
            or (
                range_in([words for words in beside_points if demands_score(words) or not tells_of_output(words)])
                if is_demanded or is_score
                else None
            )
        )
    conditions = conditions or (degrees_in(text) if ends is None else {})
    if _are_degrees(conditions) and (ends is None or (0 in conditions and len(conditions) > 2)):
        return _of_levels(conditions) if len(conditions) > 2 else _between(min(conditions), max(conditions), conditions)
    if ends is None:
        if conditions and _IN_BETWEEN.search(text):
            return _between(0.0, 1.0, conditions)
        if conditions or ONE_BY_ONE.search(text) or _PASSES_WITH_ALL.search(text) or not any(map(_BARE.match, asking)):
            return None
        ends = (0.0, 1.0)
    if not 0 < ends[1] - ends[0] < MOST_SCORES:
        return None
    described = anchored or numbered_levels(text, *ends) or (prose if len(prose) > 1 else {})
    return _between(*ends, described or (run if _ends_in_prose(run) == ends else {}))


def _longest_run(text: str, *, is_score: bool) -> Mapping[float, str]:
    """Read a text's levels twice, from scores in digits alone and from scores in words too; return the longer list.

    Args:
        text: The text.
        is_score: True if another part of the text says that it asks for a score.
    """
    may_be_list = demands_number(text)
    runs = (level_run(words, is_score=is_score, may_be_list=may_be_list) for words in (text, in_digits(text)))
    return max(runs, key=len)


def _ends_in_prose(described: Mapping[float, str]) -> tuple[float, float] | None:
    """Return the lowest and highest described score if a scale can plausibly run from one to the other; else None."""
    low, high = (min(described), max(described)) if described else (0.0, 0.0)
    return (low, high) if are_ends(low, high) else None


def _ends(text: str, asking: Sequence[str], *, are_levels: bool) -> tuple[float, float] | None:
    """Return the ends of the scale that a text states as a range, a total or a percentage; None if it states none.

    Args:
        text: The text.
        asking: Its sentences that ask for a score.
        are_levels: True if the text describes scores that rise by one, so that these aren't points to add up.
    """
    ranges = list(filter(None, (range_in([sentence]) for sentence in asking if not _OF_EACH.search(sentence))))
    describing = [sentence for sentence in asking if not tells_what_passes(sentence)]
    summed = ends_of_points(text) if sums_points(text) and len(ranges) != 1 else None
    named = summed or range_in(describing) or highest_in(text, asking)
    if named is None and not are_levels and counts_points(text):
        named = ends_of_points(text)
    return named or percentage(asking) or _headed_ends(text) or worst_and_best(in_digits(text))


def _headed_ends(text: str) -> tuple[float, float] | None:
    """Return the lowest and highest score that a text states after each aspect to score, as in "Tone (1-5)".

    None if there are no such aspects, or if they have different ranges.
    """
    rows = _ROW_OF_RANGE.findall(text)
    ranges = [*_HEADED.findall(text), *(rows if len(rows) > 1 else ())]
    headed = {tuple(float(end) for end in ends if end) for ends in ranges}
    low, high = next(iter(headed)) if len(headed) == 1 else (0.0, 0.0)
    return (low, high) if are_ends(low, high) else None


def _ends_in_json(text: str) -> tuple[float, float] | None:
    """Return the ends of the scale in the JSON form that a text prescribes for the answer; None without one."""
    named = _IN_JSON.search(text)
    low, high = (float(named[1]), float(named[2])) if named else (0.0, 0.0)
    return (low, high) if are_ends(low, high) else None


def _rise_by_one(conditions: Mapping[float, str]) -> bool:
    """Return True if at least three scores with conditions rise by 1 each, like the levels of a scale."""
    return len(conditions) > 2 and list(conditions) == [min(conditions) + step for step in range(len(conditions))]


def _are_degrees(conditions: Mapping[float, str]) -> bool:
    """Return True if a text's scores are levels of a scale, and not just 0 and 1 for fail and pass.

    Args:
        conditions: For each score that the text explains, when to give it.
    """
    return len(conditions) > 2 or (len(conditions) > 1 and not conditions.keys() <= {0, 1})


def _between(low: float, high: float, described: Mapping[float, str]) -> Scale:
    """Build a scale from `low` to `high`, including the levels that a text describes.

    A long range is divided into whole numbers, a short one, such as 0 to 1, into ten equal steps. A short range whose
    ends and at least one level between them are described has just the described levels.

    Args:
        low: The lowest level.
        high: The highest level.
        described: The text's words on levels, by level; levels outside the range are left out.
    """
    inside = {value: words for value, words in described.items() if low <= value <= high}
    if high - low < FEWEST_WHOLE:
        is_whole = len(inside) > 2 and {low, high} <= inside.keys()
        tenths = {round(low + (high - low) * step / _TENTHS, 4): "" for step in range(_TENTHS + 1)}
        return _of_levels(inside if is_whole else {**tenths, **inside})
    whole = {float(value): "" for value in range(int(low), int(high) + 1)}
    return _of_levels({**whole, **inside})


def _of_levels(described: Mapping[float, str]) -> Scale:
    return Scale(tuple(Level(value, description=described[value] or None) for value in sorted(described)))
