"""The lowest and highest total of the points that an `llm-rubric` text awards, deducts or adds up."""

import re
from collections.abc import Iterator

from markscheme.features.grader_texts.grader_sentences import is_to_grader
from markscheme.features.grader_texts.listed_lines import lists_of_lines
from markscheme.features.grader_texts.score_ranges import MOST_SCORES, ScaleEnds
from markscheme.features.grader_texts.text_lines import sentences
from markscheme.features.grader_texts.text_numbers import in_digits

_POINTS = r"(?:points?|marks?|pts?|p|punkte?|puntos?|punti|pontos?|punten)"
_GIVEN_FOR = r"(?:for|if|each|per|when|für|wenn|pour|si|por|per|se|voor)"
_COUNTED = re.compile(
    rf"\b{_POINTS} {_GIVEN_FOR}\b|\b(?:deduct|subtract|take (?:off|away)|minus)\b"
    rf"|\b(?:earns?|worth)\b.{{0,20}}\b{_POINTS}\b"
    rf"|(?<!\w)[-+]\d{{1,3}} {_GIVEN_FOR}\b|\((?:up to )?\d{{1,2}} {_POINTS}\)|\bup to \d{{1,2}} {_POINTS}\b"
    rf"|\beach (?:0 ?[-–] ?)?\d{{1,2}}\b|\b{_POINTS} each\b|^ ?(?:[-*•] )?\d{{1,2}} {_POINTS}:"
    rf"|\b\d{{1,3}} {_POINTS} (?:(?:are )?available|to (?:give|award|distribute|hand out|spend))\b"
    rf"|\btotal(?: score)?(?: of"
    rf"|:)? \d{{1,3}} {_POINTS}\b"
    r"|\badd \d|\blose \d|\bzieh\w{0,2}\b|\babzug|\babziehen|\b(?:retire[rz]?|enlevez?|resta|quita|sottra\w{1,3}"
    r"|togli|desconte|tire|trek)\b"
    r"|\bsum (?:of|them|up)\b|\badd (?:\w{1,20} ){0,3}(?:up|together)\b|\badded up\b",
    re.IGNORECASE,
)
"""Pattern of words by which a text counts points."""
_SUMMED = re.compile(
    r"\b(?:report|give|return|output) the (?:total|sum)\b|\bsum (?:of|them|up|the)\b|\badd (?:\w{1,20} ){0,3}(?:up"
    r"|together)\b|\badded up\b",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"\b(?:max(?:imum|imal)?(?: of| is|:| score| total| points)?\.?|(?:start\w{0,3}|begin\w{0,4}|beginne\w?"
    r"|commence[rz]?|empieza|parti|comece)(?: you)? (?:at|from"
    r"|with|bei|mit|à|avec|con|da|com|van|met)(?: an?)?(?: [a-z]{1,20}){0,3}|total(?: score| mark)?(?: of| is|:)?"
    r"|(?<!is )worth(?: up to)?|(?:full|top|perfect|highest) (?:score|marks?)(?: is| of|:)"
    r"|up to a (?:total|maximum) of|(?:points?|marks?) from) (?:0 ?(?:-|–|to) ?)?"
    r"(\d{1,3})\b(?!\.\d{0,2}[1-9]| (?:is|are) (?:needed|required)| to pass| or (?:higher|more|above|better))"
    rf"|(\d{{1,3}}) (?:{_POINTS} )?(?:max(?:imum)?|in total|at most|(?:(?:are )?available|to (?:give|award|distribute"
    rf"|hand out|spend)))\b",
    re.IGNORECASE,
)
"""Pattern of the highest total of all points."""
_SINGLE = re.compile(
    rf"\b(?:up to )?(\d{{1,2}}) {_POINTS} (?!per\b){_GIVEN_FOR}\b|\bup to (\d{{1,2}}) {_POINTS}\b(?!:| (?:in total"
    rf"|for))"
    rf"|(?<!\w)\+(\d{{1,2}}) {_GIVEN_FOR}\b|[-*•] (\d{{1,2}}) {_POINTS}:"
    r"|\b0 ?(?:-|–|to) ?(\d{1,2})\b(?!%)"
    rf"|\((?:up to |max(?:imum)? )?(\d{{1,2}}) {_POINTS}\.?\)",
    re.IGNORECASE,
)
"""Pattern of the most points that a single one of several parts gives."""
_PARTS = re.compile(
    r"\b(\d{1,2}) (?:[a-z]{1,20} ){1,2}\(?each ?(?:[(:]|is |rated |scored |from )?\(?0 ?(?:-|–|to) ?(\d{1,2})\b",
    re.IGNORECASE,
)
"""Pattern of the number of parts, and the most points that each gives."""
_BY_ITEM = re.compile(
    rf"\b(\d{{1,2}}) (?:{_POINTS} )?(?:for|per) (?:each|every)\b|\b(?:each|every|je|jeweils|chacun|cada|ciascun\w"
    rf"|elk\w?)\b.{{0,40}}\b(\d{{1,2}}) {_POINTS}\b"
    rf"|\b(\d{{1,2}}) {_POINTS} each\b",
    re.IGNORECASE,
)
"""Pattern of the points that each item of a list gives."""
_BY_NAME = re.compile(rf"\b(\d{{1,2}}) {_POINTS} (?:per|for (?:each|every)) (\w{{2,20}})\b", re.IGNORECASE)
"""Pattern of the points that each thing of a kind gives; the text may also state how many such things there are."""
_SEVERAL = re.compile(r"\b(\d{1,2}) (\w{2,20})\b")
_ONE_POINT = re.compile(r"\ban? (?=(?:point|mark) (?:for|per|if|each)\b)", re.IGNORECASE)
_TAKEN_IF = re.compile(r"(?<!\w)-\d{1,2} (?:if|for|when)\b", re.IGNORECASE)
"""Pattern of deductions by a negative number, after which no lowest total is known."""
_ITEM_ENDS = re.compile(r"[,;]")
_AFTER_COLON = re.compile(r":[ \n]([^:.\n]{1,999})")
_DEDUCTED = re.compile(r"\b(?:deduct|subtract|take (?:off|away)|minus|lose)\b", re.IGNORECASE)
_TAKEN_OFF = re.compile(r"\b(?:deduct|subtract|take (?:off|away)|minus|lose|costs?) \d{1,3}\b", re.IGNORECASE)
_BEFORE_DEDUCTION = re.compile(rf"\b(\d{{1,3}}) {_POINTS}\b", re.IGNORECASE)
_TELLS = re.compile(r"\b(?:says?|states?|explains?|tells?|mentions?) (?:that|how)\b", re.IGNORECASE)


def counts_points(text: str) -> bool:
    """Return True if an `llm-rubric` text tells the grader to award or deduct points one by one."""
    counted = (
        _COUNTED.search(in_digits(_ONE_POINT.sub("1 ", words))) for words in sentences(text) if is_to_grader(words)
    )
    return any(counted) and not _TAKEN_IF.search(text)


def sums_points(text: str) -> bool:
    """Return True if an `llm-rubric` text tells the grader to add up points."""
    return _SUMMED.search(text) is not None


def ends_of_points(text: str) -> ScaleEnds | None:
    """Return 0 and the highest total of points in an `llm-rubric` text; None if the total can't be determined."""
    to_grader = in_digits(
        _ONE_POINT.sub("1 ", " ".join(sentence for sentence in sentences(text) if not _TELLS.search(sentence)))
    )
    most = next((most for most in _sums(text, to_grader) if 0 < most < MOST_SCORES), None)
    return None if most is None else (0.0, float(most))


def _sums(text: str, to_grader: str) -> Iterator[int]:
    """Yield the highest total of points in a text by each of several ways of reading it, the surest way first.

    A way that finds no points yields 0.

    Args:
        text: The whole text.
        to_grader: Its sentences that instruct the grader, with numbers as digits.
    """
    yield max((int("".join(named)) for named in _MOST.findall(to_grader)), default=0)
    single = [int("".join(points)) for points in _SINGLE.findall(_TAKEN_OFF.sub("", in_digits(text)))]
    yield sum(single) if len(single) > 1 else 0
    for parts, most in _PARTS.findall(to_grader):
        yield int(parts) * int(most)
    awarding = _TAKEN_OFF.sub("", to_grader)
    listed = sum(len(items) for _, items in lists_of_lines(text)[0])
    for gift in _BY_ITEM.finditer(awarding):
        after = _AFTER_COLON.search(awarding, gift.end())
        yield int(next(filter(None, gift.groups()))) * (
            listed or (len(_ITEM_ENDS.findall(after[1])) + 1 if after else 0)
        )
    numbered = {name.casefold().removesuffix("s"): int(count) for count, name in _SEVERAL.findall(to_grader)}
    for points, name in _BY_NAME.findall(awarding):
        yield int(points) * numbered.get(name.casefold().removesuffix("s"), 0)
    if deducted := _DEDUCTED.search(to_grader):
        yield max(map(int, _BEFORE_DEDUCTION.findall(to_grader[: deducted.start()])), default=0)
