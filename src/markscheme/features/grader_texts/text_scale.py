"""The scale on which a text behind `llm-rubric` asks for a score, with the levels that it describes."""

import re
from collections.abc import Mapping, Sequence

from markscheme.features.grader_texts.grader_sentences import (
    JUDGED_ON,
    OF_A_DEGREE,
    ONE_BY_ONE,
    ONLY_A_RANGE,
    OTHER_LANGUAGES,
    PHRASE_WITH_RANGE,
    TO,
    said_to_the_grader,
)
from markscheme.features.grader_texts.level_marks import (
    anchors_in,
    conditions_in,
    degrees_in,
    labelled_levels,
    names_levels,
    numbered_levels,
    prose_anchors_in,
)
from markscheme.features.grader_texts.text_lines import (
    NUMBER_WORDS,
    NUMERAL,
    in_digits,
    number_named,
    sentences,
)
from markscheme.rubrics.criterion import Level, Scale

_MEANT = r"(?: ?\([^()\n]{1,99}\)| ?= ?[^\d,;.\n]{1,40})?"
"""What an end of a scale means, after it."""
_UNIT = r"(?:%|stars?|points?|sterne?|punkte?|étoiles?|estrellas?)?"
_RANGE = re.compile(
    rf"((?:(?<![\w.%])-)?(?<![\d.]){NUMERAL}) ?{_UNIT}{_MEANT} ?{TO} ?\+?(-?{NUMERAL})(?!\d)", re.IGNORECASE
)
_INTERVAL = re.compile(rf"[\[(](-?{NUMERAL}), ?({NUMERAL})[\])]")
_OR = r"(?:or|and|oder|und|o|ou|y|e)"
_CHOICES = re.compile(
    rf"(?<![\d.])({NUMERAL})%?(?:{_MEANT},? ?{NUMERAL}%?){{1,20}}{_MEANT},? {_OR} ({NUMERAL})(?!\d)"
    rf"|(?<![\d./])({NUMERAL})(?:/{NUMERAL}){{1,20}}/({NUMERAL})(?![\d/])"
)
_ENDS_IN_RANGE = re.compile(rf"{JUDGED_ON}|{ONLY_A_RANGE}|{OF_A_DEGREE}|{PHRASE_WITH_RANGE}", re.IGNORECASE)
_OF_SCORES = re.compile(
    r"\b(?:rat(?:e|es|ing|ings)|rank|out of \d{1,3}|scor(?:e|es|ing)|grad(?:e|es|ing)|scale|range|likert|skala|stars?"
    r"|marks?|points|percent(?:age)?"
    r"|confidence|probability|punkte|puntos|puntuación|nota|note|voto|échelle|escala|scala|punteggio|calificación"
    r"|pontuação|(?:whole )?numbers"
    rf"|(?:a|an|one|1|single) (?:(?:whole |decimal |real )?number|integer|value|float|decimal|digit)"
    rf"|similarity|schulnoten?|cijfer|{NUMERAL}, {NUMERAL},? or {NUMERAL})\b|{OTHER_LANGUAGES}",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"[ \"'*#>-]{0,9}(?:please )?(?:(?:rate|score|grade) (?:the|how|this|it|each)\b"
    r"|.{0,99}\ba (?:score|rating|letter grade)\b)",
    re.IGNORECASE,
)
"""A score is asked for, on whatever scale."""
_IN_JSON = re.compile(
    r"(?:^|(?<=[.!?] ))[^\w\n]{0,9}(?:please |only |always |then )?"
    r"(?:(?:respond|reply|answer) (?:only )?(?:with|as|in)\b|return\b|output (?:only )?json\b"
    r"|(?:output|answer|response|reply)(?: format)?:)"
    rf"[^{{}}]{{0,199}}{{[^{{}}]{{0,199}}?[\"']?\w{{0,20}}(?:score|rating|grade)[\"']? ?:[^,{{}}\n]{{0,40}}?"
    rf"({NUMERAL}) ?{TO} ?({NUMERAL})\b",
    re.IGNORECASE | re.MULTILINE,
)
"""The ends of a score in the object that a grader answers with."""
_POINT_SCALE = re.compile(
    rf"\b(\d{{1,3}}|{NUMBER_WORDS})[- ](?:point|star|level|step) (?:likert |rating )?(?:scale|likert)",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    r"(?:\bout of|\btotal of|\bas (?:an? )?[xn_] ?/|(?<![\w/])[xn_?]{1,9} ?/|\b(?:score|rating|mark|grade) ?/"
    r"|\bvon maximal|\bsur|\bsobre|\bsu) ?(\d{1,3})\b",
    re.IGNORECASE,
)
_REACHED = re.compile(r"\bscores? (?:at least|above|more than|≥) ?\d{1,3} ?/ ?(\d{1,3})\b", re.IGNORECASE)
_POINTS = r"(?:points?|marks?|pts)"
_COUNTED = re.compile(
    rf"\b{_POINTS} (?:for|if|each|per|when)\b|\b(?:deduct|subtract|take off)\b|\b(?:earns?"
    rf"|worth)\b.{{0,20}}\b{_POINTS}\b"
    rf"|(?<!\w)[-+]\d{{1,3}} (?:for|if|per)\b|\(\d{{1,2}} {_POINTS}\)|\b\d{{1,3}} {_POINTS} (?:(?:are )?available"
    rf"|to (?:give|award))\b"
    rf"|\btotal(?: of|:)? \d{{1,3}} {_POINTS}\b",
    re.IGNORECASE,
)
_SUMMED = re.compile(r"\bsum (?:of|them|up)\b|\badd (?:\w{1,20} ){0,3}up\b|\badded up\b", re.IGNORECASE)
_MOST_POINTS = re.compile(
    r"\b(?:max(?:imum|imal)?(?: of| is|:| score| total)?\.?|(?:start(?:s|ing)?|begin(?:s|ning)?) (?:at|from"
    r"|with)(?: an?)?"
    r"(?: [a-z]{1,20}){0,3}|total(?: of|:)?|worth(?: up to)?) (\d{1,3})\b(?! (?:is|are) (?:needed|required)| to pass)"
    rf"|(\d{{1,3}}) (?:{_POINTS} )?(?:max(?:imum)?|in total|at most|(?:(?:are )?available|to (?:give|award)))\b",
    re.IGNORECASE,
)
_SINGLE_POINTS = re.compile(
    rf"\b(?:up to )?(\d{{1,2}}) {_POINTS} (?:for|if|when)\b"
    r"|\b0 ?(?:-|–|to) ?(\d{1,2})\b(?!%)"
    r"|\((\d{1,2}) (?:points?|pts?|p)\.?\)",
    re.IGNORECASE,
)
"""The most that each of several parts gives."""
_TELLS = re.compile(r"\b(?:says?|states?|explains?|tells?|mentions?) (?:that|how)\b", re.IGNORECASE)
_AS_PART = re.compile(r"(?:\bas (?:an? )?[xn]|(?<!\w)[_?]{1,9}) ?/ ?(\d{1,3})\b")
_HEADED = re.compile(
    rf"^[^\n.:(]{{1,40}}[(\[]({NUMERAL}) ?[-–] ?({NUMERAL})[)\]] ?(?::|[-–—] )"
    rf"|^(?:#[^\n(\[]{{1,80}}|[^\n(\[]{{1,160}}\? ?)[(\[]({NUMERAL}) ?(?:[-–]|to) ?({NUMERAL})[)\]] ?$",
    re.MULTILINE,
)
_ROW_OF_RANGE = re.compile(
    rf"^ ?(?:[-*•] ?)?[^\W\d][^\n.:(\d]{{1,30}}:? ?[(\[]?({NUMERAL}) ?[-–] ?({NUMERAL})[)\]]? ?$", re.MULTILINE
)
"""What is scored, with its scale; one such line may be anything."""
_PERCENT = re.compile(r"\bpercent(?:age)?\b|\bprozent|\bin %", re.IGNORECASE)
_IS = r"(?: possible| score| rating| mark)?(?: is| =|:)?(?: an?)?"
_WORST_AND_BEST = re.compile(
    rf"\b(?:worst|lowest|minimum){_IS} ({NUMERAL})\b[^\n]{{0,40}}\b(?:best|highest|maximum){_IS} ({NUMERAL})"
    rf"|\b(?:best|highest|maximum){_IS} ({NUMERAL})\b[^\n]{{0,40}}\b(?:worst|lowest|minimum){_IS} ({NUMERAL})",
    re.IGNORECASE,
)
"""Both ends by what they are."""
_MOST_LEVELS = 101
"""A rubric's scale has no more, and nobody writes a longer one for a grader."""
_TENTHS = 10
"""Between 0 and 1 people write one decimal."""
_FEWEST_WHOLE = 2
"""Ends that are no further apart than this may have scores between whole numbers."""


def scale_of(text: str, whole: str) -> Scale | None:
    """Return the scale on which a text asks for a score; None where it asks for none.

    Args:
        text: The text, without quotations and material.
        whole: The text as it is written, with the form of an answer in JSON.
    """
    directives = [words for words in map(said_to_the_grader, map(in_digits, sentences(text))) if words]
    asking = [sentence for sentence in directives if _OF_SCORES.search(sentence) or _ENDS_IN_RANGE.match(sentence)]
    ends = _ends(text, asking)
    anchors = anchors_in(
        text, lowest=ends[0] if ends else 0.0, is_score=bool(ends or asking or any(map(_asks_how, directives)))
    )
    prose = prose_anchors_in(text, asking) if asking or ends or (directives and names_levels(text)) else {}
    labelled = labelled_levels(text)
    if ends is None:
        ends = _ends_in_json(whole) or anchors.ends or _ends_in_prose(labelled) or _ends_in_prose(prose)
    conditions = conditions_in(map(in_digits, sentences(text))) or (degrees_in(text) if ends is None else {})
    if _are_degrees(conditions) and (ends is None or 0 in conditions):
        return _of_levels(conditions)
    if ends is None:
        if conditions or ONE_BY_ONE.search(text) or not any(map(_BARE.match, asking)):
            return None
        ends = (0.0, 1.0)
    if not 0 < ends[1] - ends[0] < _MOST_LEVELS:
        return None
    described = anchors.described or labelled or numbered_levels(text, *ends) or (prose if len(prose) > 1 else {})
    return _between(*ends, described)


def _ends_in_prose(described: Mapping[float, str]) -> tuple[float, float] | None:
    """Return the ends of a scale of which only levels are named, in sentences."""
    low, high = (min(described), max(described)) if described else (0.0, 0.0)
    return (low, high) if _are_ends(low, high) else None


def _asks_how(sentence: str) -> bool:
    """Return True if a sentence asks for a degree."""
    return sentence.strip().lower().startswith("how ")


def _ends(text: str, asking: Sequence[str]) -> tuple[float, float] | None:
    """Return the ends of a scale that sentences name which ask for a score."""
    summed = _ends_of_points(text) if _SUMMED.search(text) else None
    return summed or _named_ends(asking) or _whole_ends(text, asking) or _headed_ends(text) or _worst_and_best(text)


def _named_ends(asking: Sequence[str]) -> tuple[float, float] | None:
    """Return both ends where a sentence names them."""
    for sentence in asking:
        for ends in (*_RANGE.findall(sentence), *_INTERVAL.findall(sentence), *_CHOICES.findall(sentence)):
            first, last = (float(end) for end in ends if end)
            if _are_ends(first, last) or (first - last > _FEWEST_WHOLE and _are_ends(last, first)):
                return min(first, last), max(first, last)
    return None


def _whole_ends(text: str, asking: Sequence[str]) -> tuple[float, float] | None:
    """Return the ends where a text names the highest score alone."""
    point_scale = _POINT_SCALE.search(text)
    if point_scale:
        return 1.0, number_named(point_scale[1])
    out_of = next(filter(None, map(_OUT_OF.search, asking)), None) or _AS_PART.search(text) or _REACHED.search(text)
    if out_of:
        return 0.0, float(out_of[1])
    if _COUNTED.search(text):
        return _ends_of_points(text)
    return (0.0, 100.0) if any(map(_PERCENT.search, asking)) else None


def _ends_of_points(text: str) -> tuple[float, float] | None:
    """Return the ends of what points come to: the most that a text names, else their sum."""
    to_grader = " ".join(sentence for sentence in sentences(text) if not _TELLS.search(sentence))
    most = _MOST_POINTS.search(in_digits(to_grader))
    if most:
        return 0.0, float(most[1] or most[2])
    single = [int("".join(points)) for points in _SINGLE_POINTS.findall(text)]
    return (0.0, float(sum(single))) if len(single) > 1 and sum(single) < _MOST_LEVELS else None


def _headed_ends(text: str) -> tuple[float, float] | None:
    """Return the ends that stand behind what is scored, where they are always the same."""
    rows = _ROW_OF_RANGE.findall(text)
    ranges = [*_HEADED.findall(text), *(rows if len(rows) > 1 else ())]
    headed = {tuple(float(end) for end in ends if end) for ends in ranges}
    low, high = next(iter(headed)) if len(headed) == 1 else (0.0, 0.0)
    return (low, high) if _are_ends(low, high) else None


def _worst_and_best(text: str) -> tuple[float, float] | None:
    """Return the ends that a text names the worst and the best."""
    named = _WORST_AND_BEST.search(in_digits(text))
    low, high = sorted(float(end) for end in named.groups() if end) if named else (0.0, 0.0)
    return (low, high) if _are_ends(low, high) else None


def _ends_in_json(text: str) -> tuple[float, float] | None:
    """Return the ends of the score in the object that a grader has to answer with."""
    named = _IN_JSON.search(text)
    low, high = (float(named[1]), float(named[2])) if named else (0.0, 0.0)
    return (low, high) if _are_ends(low, high) else None


def _are_ends(low: float, high: float) -> bool:
    return low < high < _MOST_LEVELS and (low in (0, 1) or (low < 0 and -low == high))


def _are_degrees(conditions: Mapping[float, str]) -> bool:
    """Return whether scores are more than pass and fail by other names."""
    return len(conditions) > 2 or (len(conditions) > 1 and not conditions.keys() <= {0, 1})


def _between(low: float, high: float, described: Mapping[float, str]) -> Scale:
    """Return the scale from a lowest to a highest score: whole numbers, tenths of 0 to 1, or what is described."""
    inside = {value: words for value, words in described.items() if low <= value <= high}
    if high - low < _FEWEST_WHOLE:
        is_whole = len(inside) > 2 and {low, high} <= inside.keys()
        tenths = {round(low + (high - low) * step / _TENTHS, 4): "" for step in range(_TENTHS + 1)}
        return _of_levels(inside if is_whole else {**tenths, **inside})
    whole = {float(value): "" for value in range(int(low), int(high) + 1)}
    return _of_levels({**whole, **inside})


def _of_levels(described: Mapping[float, str]) -> Scale:
    return Scale(tuple(Level(value, description=described[value] or None) for value in sorted(described)))
