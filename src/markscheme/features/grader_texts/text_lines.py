"""Normalizes an `llm-rubric` text: tables and tags become lines, and misspelt words for scores are corrected."""

import re
from collections.abc import Sequence

from markscheme.features.grader_texts.text_numbers import DIGITS, NUMERAL
from markscheme.features.grader_texts.text_tables import without_tables

_SPACES = re.compile(r"[^\S\n]+")
_BETWEEN_TAGS = re.compile(r"> ?<(?=/?\w)(?!/?t(?:[dhr]|able)\b)")
_CELL = re.compile(r"<t[dh]>")
_CELL_END = re.compile(r"</?(?:table|thead|tbody)>|</t[dhr]>")
_ROW = re.compile(r"<tr>")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\.\.)(?<!\bmin\.)(?<!\bmax\.)(?<!\bMin\.)(?<!\bMax\.) |(?<=[.!?][\"”]) (?=[A-Z])|(?<=[。！？])|\n"
)
_TAGGED_LEVEL = re.compile(
    rf"^ ?<(?:(?:level|score|rating|grade|band|anchor|mark)s? \w{{1,20}}|\w{{1,20}} (?:value|score|points|level|grade"
    rf"|rating))"
    rf"=[\"']?({NUMERAL})[\"']?>([^<\n]{{1,999}})</\w{{1,20}}>$",
    re.IGNORECASE | re.MULTILINE,
)
_TAGGED = re.compile(r"^ ?<\w{1,20}(?: [^<>\n]{1,99})?>([^<\n]{1,999})</\w{1,20}>$", re.MULTILINE)
_STARRED = re.compile(r"(?<![\w.])(\d{1,2}(?:\.\d)?) ?[★⭐]{1,10}\ufe0f?☆{0,9}")
_BRACKETED = re.compile(rf"^( ?(?:[-*•] )?{NUMERAL}) ?\(([^()\n]{{3,400}})\)[,;.]?$", re.MULTILINE)
"""Pattern of a line with a level whose meaning is in brackets."""
_STARS = re.compile(r"([★⭐]\ufe0f?){1,10}☆{0,9}")
_WRAPPED = re.compile(
    r"^(?! ?(?:[-*•>#|]|\w{1,4}[.):]) ?)([^\n]{40,999}(?:[^\s.:;!?>,|]|(?=,)),?)\n(?=[a-z(](?!\w{0,3}[.)])|(?<=,\n)\d"
    r"|(?<=(?:and|.or)\n)\d)",
    re.MULTILINE,
)
"""Pattern of a line that continues in the next one."""
_NAMED_TAG = re.compile(
    r"^ ?<(\w{0,20}(?:scale|range|score|rating|threshold|pass|minimum|min"
    r"|cut-?off)\w{0,20})(?: [^<>\n]{1,99})?>([^<\n]{1,999})</[\w-]{1,20}>",
    re.IGNORECASE | re.MULTILINE,
)
"""Pattern of a tag whose name says what it contains, such as a scale or a threshold."""
_COUNTED_LINE = re.compile(r"^ ?(one|two|three|four|five|six|seven|eight|nine|ten): ", re.IGNORECASE | re.MULTILINE)
_CIRCLED = {ord("①") + index: f"{index + 1}. " for index in range(20)}
_TAG_ALONE = re.compile(r"^ ?</?\w{1,20}>$", re.MULTILINE)
OF_OUTPUT = re.compile(
    r"\b(?:whether|says?|stat(?:es|ed)|mentions?|explains?|describes?|quotes?|tells?|contains?|includes?|rates|gives"
    r"|users?|customers?|(?:output|answer|reply|response) (?:is|has)"
    r"|(?<!judge )(?<!grader )(?<!score )(?:must|should|has to|have to|needs to) (?!be\b)\w{1,20}"
    r"|(?:don't|doesn't|do not|never|not) (?:give|assign|rate|score|grade|return|output))\b",
    re.IGNORECASE,
)
"""Pattern of words in a sentence on scores that the output mentions or gives, rather than the grader."""
_SCORING_WORDS = ("score", "scores", "scale", "rate", "rating", "grade", "grades")
_BY_LETTERS = {(word[0], *sorted(word)): word for word in _SCORING_WORDS}
_MAY_BE_SLIP = re.compile(r"\b[gGrRsS][a-z]{3,5}\b")


def plain_lines(text: str) -> str:
    """Rewrite tables and tags in a text as lines such as "2 = good" or "- is polite"."""
    words = (
        _SPACES.sub(" ", _BETWEEN_TAGS.sub(">\n<", text.translate(_CIRCLED)))
        .replace("−", "-")
        .replace("> =", ">=")
        .replace("< =", "<=")
        .strip()
    )
    words = _CELL.sub("| ", _CELL_END.sub("", _ROW.sub("\n", words))) if "<td>" in words else words
    words = _WRAPPED.sub(_joined, _STARS.sub(_counted_stars, _STARRED.sub(r"\1 stars", words)))
    words = _COUNTED_LINE.sub(
        lambda line: f"{DIGITS[line[1].lower()]}. ", _NAMED_TAG.sub(r"\1: \2", _TAGGED_LEVEL.sub(r"\1 = \2", words))
    )
    words = _TAGGED.sub(r"- \1", without_tables(words))
    words = _BRACKETED.sub(r"\1 = \2", words)
    return _MAY_BE_SLIP.sub(_spelled, _TAG_ALONE.sub("", words))


def _joined(line: re.Match[str]) -> str:
    """Return a wrapped line with a space in place of its line break, so that the next line continues it.

    If the next line begins with the same word, both may be points of a list; then the line is returned unchanged.

    Args:
        line: Match of the line with its line break; its first group is the line without the break.
    """
    following = line.string[line.end() :].split(maxsplit=1)[0]
    return line[0] if line[1].split(maxsplit=1)[0] == following else f"{line[1]} "


def _counted_stars(stars: re.Match[str]) -> str:
    """Return the number of star characters in a match in words, such as "3 stars"."""
    return f"{sum(stars[0].count(star) for star in '★⭐')} stars"


def sentences(text: str) -> Sequence[str]:
    """Split a text into sentences; each line break ends a sentence."""
    return _SENTENCE_END.split(text)


def _spelled(word: re.Match[str]) -> str:
    """Return a word as it is, unless it is a scoring word such as "score" with swapped letters: then correct it."""
    letters = word[0].lower()
    return _BY_LETTERS.get((letters[0], *sorted(letters)), word[0]) if letters not in _SCORING_WORDS else word[0]
