"""A text behind `llm-rubric` as most people write one: tables and tags as lines, words for scores without slips."""

import re
from collections.abc import Sequence

NUMERAL = r"\d{1,4}(?:\.\d{1,3})?"
_SPACES = re.compile(r"[^\S\n]+")
_SENTENCE_END = re.compile(r"(?<=[.!?]) |(?<=[。！？])|\n")
_TABLE_OF_SCORES = re.compile(
    r"^ ?\|[^\n]{0,99}\b(?:score|rating|grade|points|level)\b[^\n]{0,99}\n ?\|[ :|-]{2,999}$",
    re.IGNORECASE | re.MULTILINE,
)
_TABLE_ROW = re.compile(rf"^ ?\| ?({NUMERAL}) ?\| ?([^|\n]{{1,999}})\|[^\n]{{0,999}}$", re.MULTILINE)
_TABLE_OF_POINTS = re.compile(
    r"^ ?\|[^\n]{0,99}\b(?:criteri(?:on|a|um)|requirements?|checks?|aspect|dimension|rules?)\b",
    re.IGNORECASE | re.MULTILINE,
)
_POINT_ROW = re.compile(
    r"^ ?\| ?([^|\n]{0,99}[^\W\d])[^|\w\n]{0,9}\|([^|\n]{1,999})\|[^\n]{0,999}$(?!\n ?\|[ :|-]{2,999}$)", re.MULTILINE
)
_TAGGED = re.compile(r"^ ?<\w{1,20}(?: [^<>\n]{1,99})?>([^<>\n]{1,999})</\w{1,20}>$", re.MULTILINE)
_NAMED_TAG = re.compile(
    r"^ ?<(scale|range|score|rating|threshold|pass_?mark|passing_?score)>([^<>\n]{1,999})</\w{1,20}>",
    re.IGNORECASE | re.MULTILINE,
)
"""A tag that says of a score what it holds."""
_COUNTED_LINE = re.compile(r"^ ?(one|two|three|four|five|six|seven|eight|nine|ten): ", re.IGNORECASE | re.MULTILINE)
_CIRCLED = {ord("①") + index: f"{index + 1}. " for index in range(20)}
_TAG_ALONE = re.compile(r"^ ?</?\w{1,20}>$", re.MULTILINE)
OF_OUTPUT = re.compile(
    r"\b(?:whether|says?|stat(?:es|ed)|mentions?|explains?|describes?|quotes?|tells?|contains?|includes?|rates|gives"
    r"|users?|customers?|(?:output|answer|reply|response) (?:is|has)"
    r"|(?<!judge )(?<!grader )(?<!score )(?:must|should|has to|have to|needs to) (?!be\b)\w{1,20}"
    r"|(?:don't|do not|never|not) (?:give|assign|rate|score|grade|return|output))\b",
    re.IGNORECASE,
)
"""What a sentence has that tells of scores in the output."""
_WORDS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eins": 1,
    "drei": 3,
    "vier": 4,
    "fünf": 5,
    "sechs": 6,
    "sieben": 7,
    "acht": 8,
    "zehn": 10,
    "trois": 3,
    "quatre": 4,
    "cinq": 5,
    "sept": 7,
    "huit": 8,
    "dix": 10,
    "uno": 1,
    "tres": 3,
    "cuatro": 4,
    "cinco": 5,
    "siete": 7,
    "ocho": 8,
    "diez": 10,
}
NUMBER_WORDS = "|".join(_WORDS)
_AND_A_HALF = re.compile(r"(\d{1,3}) and a half\b", re.IGNORECASE)
_WORD = re.compile(rf"\b(?:{NUMBER_WORDS})\b", re.IGNORECASE)
_SCORING_WORDS = ("score", "scores", "scale", "rate", "rating", "grade", "grades")
_BY_LETTERS = {(word[0], *sorted(word)): word for word in _SCORING_WORDS}
_MAY_BE_SLIP = re.compile(r"\b[gGrRsS][a-z]{3,5}\b")


def plain_lines(text: str) -> str:
    """Return a text whose tables and tags are lines, as most people write levels and points."""
    words = _SPACES.sub(" ", text.translate(_CIRCLED)).replace("−", "-").strip()
    words = _COUNTED_LINE.sub(lambda line: f"{_WORDS[line[1].lower()]}. ", _NAMED_TAG.sub(r"\1: \2", words))
    row = r"\1 = \2" if _TABLE_OF_SCORES.search(words) else r"\1. \2"
    words = _TABLE_ROW.sub(row, words)
    if _TABLE_OF_POINTS.search(words):
        words = _POINT_ROW.sub(r"- \1:\2", words)
    return _MAY_BE_SLIP.sub(_spelled, _TAG_ALONE.sub("", _TAGGED.sub(r"- \1", words)))


def in_digits(text: str) -> str:
    """Return a text whose words for small numbers are digits."""
    return _AND_A_HALF.sub(r"\1.5", _WORD.sub(lambda word: str(_WORDS[word[0].lower()]), text))


def number_named(words: str) -> float:
    """Return the number that digits or a word for it name."""
    return float(in_digits(words))


def sentences(text: str) -> Sequence[str]:
    """Return the sentences of a text; a line ends one."""
    return _SENTENCE_END.split(text)


def _spelled(word: re.Match[str]) -> str:
    """Return a word for a score whose letters are there in another order as it is spelled; any other as it is."""
    letters = word[0].lower()
    return _BY_LETTERS.get((letters[0], *sorted(letters)), word[0]) if letters not in _SCORING_WORDS else word[0]
