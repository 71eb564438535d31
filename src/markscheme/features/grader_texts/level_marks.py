"""Finds the meanings that an `llm-rubric` text gives to single scores and to ranges of scores."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from markscheme.features.grader_texts.grader_sentences import tells_of_output
from markscheme.features.grader_texts.level_words import LEVEL_NOUNS, MEANS, UNITS
from markscheme.features.grader_texts.text_lines import sentences
from markscheme.features.grader_texts.text_numbers import NUMERAL

_PREFIX = rf"(?:(?:{LEVEL_NOUNS})(?: of)? )?"
_UNIT = rf"(?:%| (?:{UNITS}))?"
_SAYS = rf"(?:{MEANS})"
_SIGN = r"=|:|-|–|—|→|->|=>"
_MARK = re.compile(
    rf"(?:^ ?(?:[-*•–+>] )?[\"'*(\[]{{0,3}}{_PREFIX}|(?<=[,;:({{|/—–] )|(?<=\. )|(?<=[({{]))\"?"
    rf"([-+]?{NUMERAL})(?: ?[-–] ?({NUMERAL}))?{_UNIT}[\"'*)\]]{{0,3}}(?: \([^()\n]{{1,40}}\)(?=:))?"
    rf"(?: ?({_SIGN})\*{{0,2}} | ({_SAYS}) )"
    rf"|(?<![\w.-])({NUMERAL})(?: ?[-–] ?({NUMERAL}))?{_UNIT} ?(= ?|{_SAYS} )",
    re.MULTILINE | re.IGNORECASE,
)
"""Pattern of a score, or a range of scores, before its meaning."""
_IF = r"(?:if|when|for|otherwise|in (?:all|any|every) other)\b"
_CONDITION = re.compile(
    rf"(?<![\d.+-])({NUMERAL})\)?(?: points?| stars?| marks?)? {_IF}"
    rf"(?:(?! (?:and|or|else) {NUMERAL}(?: points?| stars?| marks?)? {_IF})[^,;.\n]){{0,999}}",
    re.IGNORECASE,
)
_BEGINS_WITH_SCORE = re.compile(
    rf"^ ?(?:[-*•] )?{NUMERAL}\)?(?: points?| stars?| marks?)? (?:if|when|for|in (?:all|any|every) other)\b",
    re.IGNORECASE,
)
_CONDITIONAL_SCORE = re.compile(
    rf"[^\w\n]{{0,9}}(?:please )?(?:give|use|score|award|assign|return|output|answer|grade|rate|mark|full (?:marks"
    rf"|credit)|(?:the|an?|each) (?:\w{{1,20}} ){{1,3}}(?:gets|scores|receives|earns|is given))\b.{{0,40}}?"
    rf"{NUMERAL}\)?(?: points?| stars?| marks?)? (?:if|when|for|in (?:all|any|every) other)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(rf"\b(?:otherwise|else)(?: it gets| score| give)?,? ({NUMERAL})(?![\d.]*\w)", re.IGNORECASE)
_MARKS = r"(full|half|partial|no|zero) (?:marks|credit|points|score)\b"
_DEGREE = re.compile(
    rf"\b{_MARKS}(?: (?:for|if|when))?((?:(?!\b{_MARKS.replace('(full', '(?:full')})[^.;\n]){{0,999}})", re.IGNORECASE
)
_DEGREES = {"full": 1.0, "half": 0.5, "partial": 0.5, "no": 0.0, "zero": 0.0}
_REVERSED = re.compile(
    rf"(?:^|(?<=[,;:(?.<>|/] )|(?<=\band )|(?<=\bor )|(?<=\d )|(?<=[(<|/]))((?:[^\W\d]"
    rf"|[\U0001f300-\U0001faff])[\w '’-]{{0,40}}?)"
    rf"(?: ?= ?({NUMERAL})(?=[,;.)\n ]|$)| (?:counts )?as ({NUMERAL})(?=[,;.)\n]|$| and\b| or\b)"
    rf"| ?\(({NUMERAL})\)(?=[,;.\n]| [<>|/]| or\b| and\b|$))",
    re.MULTILINE,
)
"""Pattern of a meaning before its score."""
_LABELLED = re.compile(
    rf"^ ?(?:[-*•–] ?)?\*{{0,2}}([^\W\d][\w ]{{0,20}})\*{{0,2}} ?"
    rf"[(\[]({NUMERAL})(?: ?[-–] ?({NUMERAL}))?[)\]]\*{{0,2}} ?"
    r"[-:–—=] ([^\n]{1,999})$",
    re.MULTILINE,
)
"""Pattern of a line with the name of a level, its score or range of scores, and its meaning."""
_NUMBERED = re.compile(rf"^ ?(\d{{1,2}})(?:[.)]|{_UNIT})? ([^\n]{{1,999}})$", re.MULTILINE | re.IGNORECASE)
_FEWEST_CONDITIONS = 3
"""Fewest scores with conditions that are read as levels; two may be anything."""
_FEWEST_NAMES = 3
"""Fewest names with numbers that are read as levels; two may be anything."""
_SENTENCE_END = re.compile(r"[.!?)]{1,2} (?=[A-Z])")
_LINE_ENDS = re.compile(r"[\n;]")
_IN_BRACKETS = re.compile(rf"((?:(?<![\w.])-)?(?<![\d.]){NUMERAL})%? ?\(([^()\n]{{1,99}})\)")
_IS = re.compile(
    rf"(?:(?:^|(?<=[.!?] )|(?<=[,;:(] )|(?<=where )|(?<=with )|(?<=and ))(?:an? )?{_PREFIX})"
    rf"(-?{NUMERAL}){_UNIT} (?:is|would be|could be|being|ist|est|es|è|é|{_SAYS}) "
    r"(?!(?:good )?enough\b|needed\b|required\b)",
    re.MULTILINE | re.IGNORECASE,
)
_MEANING_ENDS = re.compile(r"[\n;]|[.!?](?= |$)", re.MULTILINE)
_TRAILING = re.compile(r"[ ,.]{0,9}(?:\b(?:and|or|where|und|et|y|o)\b)?[ ,.]{0,9}(?:\b(?:an?|score|level)\b ?)?$")


class _Anchor(NamedTuple):
    """A score or a range of scores, with its meaning in the words of the text.

    Attributes:
        low: The score, or the lowest of the range.
        high: The highest score of the range; None for a single score.
        sign: What joins score and meaning, such as ":" or "means".
        words: The meaning.
    """

    low: float
    high: float | None
    sign: str
    words: str


def anchors_in(text: str, *, lowest: float, is_score: bool) -> tuple[Mapping[float, str], tuple[float, float] | None]:
    """Return the levels that a text describes one by one; if the text has a mere list of points, there are none.

    Args:
        text: The text.
        lowest: The lowest score that the text names; if it is below 0, a dash at the start of a line is a minus sign.
        is_score: True if another part of the text says that it asks for a score.

    Returns:
        The meaning of each single score, and the lowest and highest score that the text names, None if it names none.
    """
    anchors = [anchor if lowest < 0 else anchor._replace(low=abs(anchor.low)) for anchor in _anchors(text)]
    values = [anchor.low for anchor in anchors]
    has_ranges = any(anchor.high is not None for anchor in anchors)
    are_points = values == [float(index) for index in range(1, len(values) + 1)] and not has_ranges
    is_pair = len(anchors) == 2 and not is_score and abs(values[1] - values[0]) <= 1
    are_counted = len(set(values)) < len(values) and not has_ranges
    is_list = (
        is_pair or are_counted or (are_points and not is_score and all(anchor.sign in ":-–—" for anchor in anchors))
    )
    if len(anchors) < 2 or is_list or (not is_score and _tells_of_output_before_levels(text)):
        return {}, None
    described = {anchor.low: anchor.words for anchor in anchors if anchor.high is None and anchor.words}
    return described, _ends_of([end for a in anchors for end in (a.low, a.high) if end is not None])


def _tells_of_output_before_levels(text: str) -> bool:
    """Return True if the sentence before a text's first score is about the output, so that the score isn't a level."""
    mark = _MARK.search(text)
    return mark is not None and tells_of_output(sentences(text[: mark.start()])[-1])


def _anchors(text: str) -> Iterator[_Anchor]:
    """Yield scores and ranges of scores, each with the words up to the next score or the end of the line."""
    for mark, words in _with_meanings(text, _MARK, _LINE_ENDS):
        low, high, sign, says, loose_low, loose_high, loose_sign = mark.groups()
        top = high or loose_high
        yield _Anchor(float(low or loose_low), float(top) if top else None, (sign or says or loose_sign).strip(), words)


def _begins_line(mark: re.Match[str]) -> bool:
    return mark.start() == 0 or mark.string[mark.start() - 1] == "\n"


def _with_meanings(text: str, mark: re.Pattern[str], stop: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
    """Yield each match of one pattern with the words after it, up to the next match or one of a second pattern.

    Args:
        text: The text.
        mark: Pattern of the matches to yield.
        stop: Pattern of what ends the words of a match.
    """
    marks = list(mark.finditer(text))
    ends = (*(following.start() for following in marks[1:]), len(text))
    for level, end in zip(marks, ends, strict=False):
        words = stop.split(text[level.end() : end], maxsplit=1)[0]
        yield level, _trimmed(words if _begins_line(level) else _SENTENCE_END.split(words, maxsplit=1)[0])


def _ends_of(values: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and highest of the given scores as the ends of their scale; 0 and 1 if none is above 1."""
    return (0.0, 1.0) if max(values) <= 1 else (min(values), max(values))


def prose_anchors_in(text: str, asking: Iterable[str]) -> Mapping[float, str]:
    """Map each score to its meaning, where a text explains scores in sentences or in brackets.

    Args:
        text: The text.
        asking: Those of its sentences that ask the grader for a score, in which brackets are read.
    """
    described = {float(mark[1]): words for mark, words in _with_meanings(text, _IS, _MEANING_ENDS)}
    described |= {float(value): words.strip() for words, value in _reversed(text)}
    for sentence in asking:
        described |= {float(value): _trimmed(words) for value, words in _IN_BRACKETS.findall(sentence)}
    return described


def _reversed(text: str) -> Sequence[tuple[str, str]]:
    """Return the names of levels that a text puts before their scores, as in "poor (1)", with these scores."""
    return [(name, "".join(scores)) for name, *scores in _REVERSED.findall(text)]


def names_levels(text: str) -> bool:
    """Return True if a text puts scores after names, as in "poor (1), good (2)", like levels of a scale."""
    return len(_reversed(text)) >= _FEWEST_NAMES


def values_of_names(text: str) -> Mapping[str, float]:
    """Map the name of each level in a text to the level's score; for a range such as 6-9, to its lowest score."""
    names = {name: float(low) for name, low, _, _ in _LABELLED.findall(text)}
    names |= {name.removesuffix(" counts"): float(value) for name, value in _reversed(text)}
    return {name.removeprefix("and ").casefold().strip(): value for name, value in names.items()}


def numbered_levels(text: str, low: float, high: float) -> Mapping[float, str]:
    """Map each number of a numbered list to its line.

    The result is {} unless the numbers are all whole numbers from `low` to `high`, each of them once.
    """
    lines = {float(number): words.strip() for number, words in _NUMBERED.findall(text)}
    return lines if sorted(lines) == [float(value) for value in range(int(low), int(high) + 1)] else {}


def conditions_in(sentences: Iterable[str]) -> Mapping[float, str]:
    """Map each score to its condition, from sentences such as "Give 2 if the reply is polite"."""
    conditional = [(sentence, list(_CONDITION.finditer(sentence))) for sentence in sentences]
    has_lines = sum(bool(_BEGINS_WITH_SCORE.match(sentence)) for sentence, _ in conditional) >= _FEWEST_CONDITIONS
    found = {
        float(match[1]): match[0].removeprefix(match[1]).strip()
        for sentence, matches in conditional
        if _CONDITIONAL_SCORE.match(sentence)
        or len(matches) >= _FEWEST_CONDITIONS
        or _are_ends([float(match[1]) for match in matches])
        or (has_lines and _BEGINS_WITH_SCORE.match(sentence))
        for match in matches
    }
    rest = (match for sentence, _ in conditional for match in _OTHERWISE.finditer(sentence) if len(found) > 1)
    return found | {float(match[1]): "otherwise" for match in rest}


def _are_ends(values: Sequence[float]) -> bool:
    """Return True if scores may be a scale's ends: the lowest is 0 or 1, and the highest exceeds it by more than 1."""
    return len(values) > 1 and min(values) in (0, 1) and max(values) - min(values) > 1


def degrees_in(text: str) -> Mapping[float, str]:
    """Map 1, 0.5 and 0 to a text's conditions for full, half and no marks; {} if it never awards full marks."""
    described = {_DEGREES[degree.lower()]: _trimmed(words) for degree, words in _DEGREE.findall(text)}
    return described if 1.0 in described else {}


def _trimmed(words: str) -> str:
    """Return the meaning of a level without trailing words that only introduce the next level."""
    return _TRAILING.sub("", words.strip(" .,*"))
