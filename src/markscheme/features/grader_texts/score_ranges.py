"""Lowest and highest score of a scale that an `llm-rubric` text names: as a range, as choices, or as "out of 10"."""

import re
from collections.abc import Iterator, Sequence

from markscheme.features.grader_texts.grader_sentences import AND, TO, asks_for_score, instructs, tells_of_output
from markscheme.features.grader_texts.text_lines import sentences
from markscheme.features.grader_texts.text_numbers import NUMBER_WORDS, NUMERAL, number_named

ScaleEnds = tuple[float, float]
MOST_SCORES = 101
"""Largest number of scores of a scale: a rubric's scale has no more, and nobody writes a longer one for a grader."""
FEWEST_WHOLE = 2
"""Distance between a scale's ends below which scores between whole numbers are possible."""
_MEANT = r"(?: ?\([^()\n]{1,99}\)| ?= ?[^\d,;.\n]{1,40})?"
"""Pattern of the meaning after an end of a scale."""
_UNIT = r"(?:%|stars?|points?|sterne?|punkte?|étoiles?|estrellas?|分|点)?"
_END = rf"((?:(?<![\w.%])-)?(?<![\d.,/$€£]){NUMERAL}) ?{_UNIT}"
_LAST = rf"(?:an? )?\+?(-?{NUMERAL})(?!\d|/)"
_OR = r"(?:or|and|oder|und|o|ou|y|e)"
_RANGES = (
    re.compile(rf"{_END}{_MEANT},? (?:over|via|through|über) {NUMERAL}{_MEANT},? {TO} {_LAST}", re.IGNORECASE),
    re.compile(rf"{_END}{_MEANT},? ?{TO} ?{_LAST}", re.IGNORECASE),
    re.compile(
        rf"\b(?:between|zwischen|entre|tra|fra|tussen) (?:the |der |den |le |la |el |il |o "
        rf"|de )?{_END}{_MEANT},? {AND} {_LAST}",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\d.])(-?{NUMERAL}) ?(?:<=?|≤) ?\w{{1,12}} ?(?:<=?|≤) ?({NUMERAL})"),
    re.compile(rf"{{({NUMERAL})(?:, ?{NUMERAL}){{1,20}}, ?({NUMERAL})}}"),
    re.compile(rf"[\[(](-?{NUMERAL}), ?({NUMERAL})[\])]"),
    re.compile(
        rf"(?<![\d.])((?:(?<![\w.%])-)?{NUMERAL})%?(?:{_MEANT}(?:, ?| ){NUMERAL}%?){{1,20}}{_MEANT},? {_OR}"
        rf" ({NUMERAL})(?!\d)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"[(\[](-?{NUMERAL}) [^\W\d][^()\d,;\n]{{1,40}}[,;]? (?:(?:{TO}|and) )?"
        rf"({NUMERAL}) [^\W\d][^()\d\n]{{1,40}}[)\]]",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\d.])([01](?:\.0)?)(?:, ?{NUMERAL}){{1,20}}, ?({NUMERAL})(?!\d)"),
    re.compile(rf"(?<![\d./])({NUMERAL})(?:/{NUMERAL}){{1,20}}/({NUMERAL})(?![\d/])"),
)
_EXPLAINED = re.compile(
    rf"(?:[01]|-\d{{1,2}})(?:\.0)? ?\([^()\n]{{1,99}}\),? ?{TO} ?\+?{NUMERAL} ?\("
    rf"|\b[01](?:\.0)? ?\([^()\n]{{1,99}}\),? (?:(?:or|and) )?{NUMERAL} ?\([^()\n]{{1,99}}\),? (?:(?:or"
    rf"|and) )?{NUMERAL} ?\("
    r"|\b0(?:\.0)?, ?0?\.\d{1,2}, ?\d"
    rf"|\b[01](?:\.0)? ?{TO} ?{NUMERAL}[)\]]?%?(?:,? where| ?\(|:|,)? ?{NUMERAL} ?(?:=|\(|is\b|means\b)",
    re.IGNORECASE,
)
"""Pattern of a range with explained ends, which is a scale whatever else the sentence says."""
_NOTHING_ELSE = re.compile(
    rf"[^\w\n]{{0,9}}(?:(?:\w{{1,20}} ){{0,4}}\w{{1,20}}[,:]? ?)?[(\[]?"
    rf"(?:between )?(?:[01]|-\d{{1,2}})(?:\.0)?(?: ?{TO} ?|, ?| and )\+?{NUMERAL}[)\]]?"
    r"(?:,? (?:please|points|stars))?[.!:]?$",
    re.IGNORECASE,
)
"""Pattern of a sentence with nothing but the name of what is rated and its range."""
_TELLS = re.compile(r"\b(?:says?|states?|explains?|tells?|mentions?) (?:that|how)\b", re.IGNORECASE)
_PASSES = re.compile(r"\bpass|\bfail", re.IGNORECASE)
_POINT_SCALE = re.compile(
    rf"\b(\d{{1,3}}|{NUMBER_WORDS})[- ](?:point|star|level|step)s? (?:likert |rating )?(?:scale|likert)",
    re.IGNORECASE,
)
_OUT_OF = re.compile(
    r"(?:(?<!\d )\bout of|\bas (?:an? )?[xn_] ?/|(?<![\w/])[xn_?]{1,9} ?/|\b(?:score|rating|mark|grade) ?/"
    r"|\bvon maximal|\b(?:auf|sur|sobre|su|op) (?:de )?)(?: ?)(\d{1,3})\b(?! ?(?:words|mots|palabras))",
    re.IGNORECASE,
)
_AS_PART = re.compile(
    r"(?:\bas (?:an? )?[xn]|(?<!\w)[_?]{1,9}) ?/ ?(\d{1,3})\b|\bscores? (?:at least|above|more than"
    r"|≥) ?\d{1,3} ?/ ?(\d{1,3})\b"
    r"|\b(?:at least|minimum|needs?|requires?|must get|passes with) (?:an? )?\d{1,3}(?:\.\d)?(?: ?/ ?| out of )(5|10"
    r"|20|100)\b"
    r"|^how many of the (\d{1,2})\b",
    re.IGNORECASE,
)
"""Pattern of a score as a fraction of the highest, such as "n/10", which names a scale whatever else the sentence
says."""
_PERCENT = re.compile(r"\bpercent(?:age)?\b|\bprozent|\bin %|^what %", re.IGNORECASE)
_IS = r"(?: possible| score| rating| mark)?\"?(?: is| =|:)?(?: an?)?"
_ALONE = r"\b(?! (?!and\b|to\b|or\b|max|min|being\b|best\b|highest\b|while\b)[a-z])"
"""Pattern of what may follow an end of a scale: not a noun, which would make the number count something."""
_WORST_AND_BEST = re.compile(
    rf"\b(?:worst|lowest|min(?:imum)?){_IS} ({NUMERAL}){_ALONE}[^.]{{0,40}}\b(?:best|highest"
    rf"|max(?:imum)?){_IS} ({NUMERAL}){_ALONE}"
    rf"|(?<![\d.])({NUMERAL}) ?(?:[(=]|is|being|at|as|for)? ?(?:the )?(?:worst|lowest|min(?:imum)?|best)\b[^.]{{0,40}}?"
    rf"(?<![\d.])({NUMERAL}) ?(?:[(=]|is|being|at|as|for)? ?(?:the )?(?:best|highest|max(?:imum)?|worst)\b"
    rf"|\b(?:best|highest|max(?:imum)?){_IS} ({NUMERAL}){_ALONE}[^.]{{0,40}}\b(?:worst|lowest"
    rf"|min(?:imum)?){_IS} ({NUMERAL}){_ALONE}",
    re.IGNORECASE,
)
"""Pattern of both ends of a scale, called worst and best."""


def are_ends(low: float, high: float) -> bool:
    """Return True if a scale may run from `low` to `high`: `low` is 0 or 1, or -`high`, and `high` isn't too large."""
    return low < high < MOST_SCORES and (low in (0, 1) or (low < 0 and -low == high))


def range_in(sentences: Sequence[str]) -> ScaleEnds | None:
    """Return the ends of the first range of scores in the sentences, such as "1 to 5"; None if they state no range.

    Args:
        sentences: The sentences, with numbers as digits.
    """
    return next((ends for sentence in sentences for ends in _ranges(sentence)), None)


def asks_between_ends(sentence: str) -> bool:
    """Return True if a sentence asks for a score just by naming the scale's ends, as in "Politeness, 0 to 10"."""
    has_ends = _NOTHING_ELSE.match(sentence) or _EXPLAINED.search(sentence)
    return has_ends is not None and not tells_of_output(sentence)


def asks(sentence: str) -> bool:
    """Return True if a sentence asks the grader for a score, by a word such as "rate" or by naming the scale's ends."""
    return asks_for_score(sentence) or asks_between_ends(sentence)


def highest_in(text: str, asking: Sequence[str]) -> ScaleEnds | None:
    """Return the ends of a scale of which a text names only the highest score, as in "out of 10"; else None.

    Args:
        text: The text.
        asking: Those of its sentences that ask the grader for a score.
    """
    to_grader = (sentence for sentence in sentences(text) if not tells_of_output(sentence))
    point_scale = next(filter(None, map(_POINT_SCALE.search, to_grader)), None)
    if point_scale:
        return 1.0, number_named(point_scale[1])
    out_of = next(filter(None, map(_OUT_OF.search, asking)), None) or _AS_PART.search(text)
    return (0.0, float(next(filter(None, out_of.groups())))) if out_of else None


def percentage(asking: Sequence[str]) -> ScaleEnds | None:
    """Return 0 and 100, the ends of the scale, if a text asks for a percentage; else None.

    Args:
        asking: The sentences of the text that may ask for a score.
    """
    return (0.0, 100.0) if any(_PERCENT.search(words) and instructs(words) for words in asking) else None


def worst_and_best(text: str) -> ScaleEnds | None:
    """Return the ends of a scale, lower first, if a text says which score is worst and which is best; else None."""
    named = _WORST_AND_BEST.search("\n".join(words for words in sentences(text) if not _TELLS.search(words)))
    low, high = sorted(float(end) for end in named.groups() if end) if named else (0.0, 0.0)
    return (low, high) if are_ends(low, high) else None


def tells_what_passes(sentence: str) -> bool:
    """Return True if a sentence says which outputs or scores pass or fail."""
    return _PASSES.search(sentence) is not None


def _ranges(sentence: str) -> Iterator[ScaleEnds]:
    """Yield lowest and highest score of each scale that a sentence names."""
    for pattern in _RANGES:
        for first, last in pattern.findall(sentence):
            lowest, high = sorted((float(first), float(last)))
            low = 0.0 if 0 < lowest < high == 1 else lowest
            is_down = float(first) > float(last)
            if are_ends(low, high) and (not is_down or high - low > FEWEST_WHOLE):
                yield low, high
