"""The score from which a text behind `llm-rubric` passes an output, where it says."""

import re
from collections.abc import Iterator

from markscheme.features.grader_texts.grader_sentences import TO
from markscheme.features.grader_texts.level_marks import values_of_names
from markscheme.features.grader_texts.pass_words import AT_LEAST, AT_MOST, DECIDES, FAILS, FOLLOWS, LESS_THAN, MORE_THAN
from markscheme.features.grader_texts.text_lines import sentences
from markscheme.features.grader_texts.text_numbers import NUMERAL, in_digits
from markscheme.rubrics.criterion import Scale

_VERDICT = (
    r"(?:fail|pass|reject|accept|échec|échou|réussi|bestanden|durchgefallen|suspen|apro[bv]|reprov|bocciat|promoss"
    r"|geslaagd|gezakt|voldoende|onvoldoende)"
)
_SCORE = re.compile(
    rf"(?<![\d./])(?<![a-z] or )-?({NUMERAL})(?!\d)(?={FOLLOWS})"
    rf"(?!\*{{0,2}} ?[-–:=](?! ?(?:{_VERDICT}\w{{0,3}}(?:[.,;)]|$)|\d)))",
    re.IGNORECASE,
)
"""A number that counts nothing else, and isn't a level with its meaning."""
_OF_SCALE = re.compile(
    rf"\bout of {NUMERAL}|[\[(]-?{NUMERAL}, ?{NUMERAL}[\])]|(?<=\d) (?:of(?: the)?|von|sur|de|su) \d{{1,3}}\b"
    rf"|(?<=\d) ?/ ?\d{{1,3}}\b|(?:\bbetween -?{NUMERAL} and"
    rf"|-?(?<![\d.]){NUMERAL} ?{TO}) ?-?{NUMERAL}(?![\d.]*\d)",
    re.IGNORECASE,
)
"""The scale itself, or what a score is of."""
_OF_BAND = re.compile(
    rf"({NUMERAL}) ?[-–] ?{NUMERAL}(?= (?:or|and) (?:better|higher|above|up)\b| (?:range )?(?:pass|(?:is"
    rf"|are) (?:a pass|accept|ok|fine)))"
    rf"|(?<=pass )({NUMERAL}) ?[-–] ?{NUMERAL}|(?<=passes: )({NUMERAL}) ?[-–] ?{NUMERAL}"
    rf"|(?<=pass: )({NUMERAL}) ?[-–] ?{NUMERAL}",
    re.IGNORECASE,
)
"""The lowest band that passes."""
_COMPARES = re.compile(
    rf"[^\w\n]{{0,9}}(?:(?!\w{{1,20}}s )\w{{1,20}} )?(?:{AT_LEAST.pattern}|{LESS_THAN.pattern})", re.IGNORECASE
)
_ON_SCORES = re.compile(
    r"(?<![\d.])\d{1,3} ?(?:\+|(?:or|and) (?:higher|above|better|lower|worse|below|more|up)\b(?! of)|passes\b|fails\b"
    r"|to pass\b|is (?:an? )?(?:pass|fail|enough))"
    r"|\b(?:score|rating|threshold|mark|cut-?off|grade|bar)\b[^.\n]{0,30}?\b\d"
    r"|\b(?:less than|below|under|from|expect|ab|mindestens|unter|au moins|al menos|almeno|pelo menos|minimaal|vanaf)"
    r" (?:an? |eine[rs]? |une? |uma? )?\d{1,3}\b(?! ?(?:of\b|%|(?!upwards|passes|fails|counts|is\b|has\b|means"
    r"|always)\w{1,20}s\b))"
    r"|\d and \d (?:are|pass|fail)",
    re.IGNORECASE,
)
"""A limit in numbers that count nothing else."""
_FAILING_BAND = re.compile(
    rf"{NUMERAL} ?[-–] ?({NUMERAL})(?=(?: range|:)? (?:fail|(?:is|are|means?) (?:a )?(?:fail|reject)))", re.IGNORECASE
)
"""The highest band that fails."""
_MOST_WORDS = 7
"""Longer sentences compare something else."""
_LISTED = re.compile(rf"{NUMERAL}(?:, (?:and |or )?| (?:and|or) )(?:an? )?{NUMERAL}(?!\d)", re.IGNORECASE)
"""Scores one after the other."""
_OF_ANOTHER_KIND = re.compile(
    r"\b(?:at most|no (?:higher|more) than|around|about|reserved)\b|\bmeans "
    r"(?!\d|an? (?:\d|fail|pass)|fail|pass|reject|(?:it|the \w{1,20}) (?:may|can|is ready))",
    re.IGNORECASE,
)
"""Words of a sentence that says how scores are given, and not which of them pass."""
_CLAUSE_END = re.compile(r"[,;，；] ?(?!\d\d\d)")
_LEVEL_IS = re.compile(
    rf"\b{NUMERAL}(?: points?| stars?)? (?:(?:is|means|=) (?!(?:an? )?(?:fail|pass))|\()", re.IGNORECASE
)
_NUMBERS_OF = re.compile(r"\b(\d{1,3})s\b")
_ASKED_FIRST = re.compile(r"\? (?=(?:fail|pass|reject|then|that's|no)\b)", re.IGNORECASE)
"""A question with its answer in the next sentence."""
_FEWEST_LEVELS = 3
"""A sentence that says of so many scores what they are says of none whether it passes."""
_ONLY_TOP = re.compile(
    r"\bonly (?:the |an? )?(?:top|highest|best|maximum|full|perfect) (?:score|grade|mark|rating|level)s?\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_WORDS = (
    r"(?:(?!not\b|unless\b|never\b|\w{0,6}n't\b|(?:or|and|above|over|below|under|less|lower|more"
    r"|higher)\b)[a-z']{1,12} ){0,5}"
)
_PASSED_BY = (
    r"(?<!n't )(?<!not )(?:pass\w{0,3}|accept\w{0,4}|(?:we|i) (?:want|need|expect|take)|live with|(?:ok|okay|fine"
    r"|happy|good) (?:if|with|at)"
    r"|publish\w{0,2}|bestanden|besteht|réussi\w{0,2})"
)
_LOWER = r"(?:less|lower|below|fewer|under|better)"
_STRICTLY_LOWER_PASS = re.compile(
    rf"\b{_PASSED_BY} {_WORDS}(?:below|under|less than|lower than|<(?!=)) ?({NUMERAL})(?={FOLLOWS})"
    rf"|\bfail\w{{0,3}}\b {_WORDS}(?:at least|from|≥|>=) ?({NUMERAL})"
    rf"|({NUMERAL}) (?:or|and) (?:more|higher|above|worse|up) {_WORDS}(?:fail|reject)",
    re.IGNORECASE,
)
"""What passes an output whose score is lower than a number."""
_LOWER_PASS = re.compile(
    rf"\b{_PASSED_BY} {_WORDS}(?:at most|no more than|no higher than|up to|≤|<=) ?({NUMERAL})(?={FOLLOWS})"
    rf"|\b{_PASSED_BY} {_WORDS}({NUMERAL}) (?:or|and) (?!better){_LOWER}\b"
    rf"|\bfail\w{{0,3}}\b {_WORDS}(?:above|over|more than|greater than|higher than|exceeds|>(?!=)) ?({NUMERAL})"
    rf"|\b(?:above|over|more than|greater than|higher than|>(?!=)) ?({NUMERAL}) {_WORDS}(?:fail|reject)"
    rf"|\b(?:at most|no more than|up to) ({NUMERAL}) {_WORDS}(?:pass|accept|ok\b|okay|fine)"
    rf"|({NUMERAL}) (?:or|and) (?!better){_LOWER} {_WORDS}(?:pass|accept|ok\b|okay|fine)",
    re.IGNORECASE,
)
"""What passes an output whose score is a number, or lower."""
_PASSED = (
    r"(?:pass(?:es)?\b|(?:is|are|counts? as) (?:an? )?"
    r"(?:pass|passing|acceptable|accepted|ok|okay|fine|enough|good enough)\b)"
)
_NAMED_OR_BETTER = re.compile(r"\b(\w{1,20}) (?:band |level |grade )?or (?:better|above|higher|up)\b", re.IGNORECASE)
"""The name of the lowest level that passes."""
_NAMED_LEVELS = re.compile(rf"\b(?:(\w{{1,20}}) (?:or|and) )?(?:an? )?(\w{{1,20}}) {_PASSED}", re.IGNORECASE)
"""The names of the levels that pass."""
_NAMED_FAILURE = re.compile(r"\b(\w{1,20}) (?:is|means|counts as) (?:an? )?fail", re.IGNORECASE)


def limits_scores(sentence: str) -> bool:
    """Return whether a sentence says which scores pass, in words that are about nothing else."""
    return DECIDES.search(sentence) is not None and _ON_SCORES.search(sentence) is not None


def lowest_passing(text: str, scale: Scale) -> float | None:
    """Return the level from which a text passes an output, where it says; what it names or compares comes first."""
    ways = ((_named, (text,)), *((level_in, tuple(_deciding(text, scale))) for level_in in (_stated, _implied)))
    levels = (level_in(words, scale) for level_in, texts in ways for words in texts)
    return next((level for level in levels if level is not None), None)


def highest_passing(text: str, scale: Scale) -> float | None:
    """Return the level up to which a text passes an output, where it says, so that less is better."""
    levels = (_up_to(words, scale) for words in _deciding(text, scale))
    return next((level for level in levels if level is not None), None)


def _named(text: str, scale: Scale) -> float | None:
    """Return the level from which a text passes an output, where it says so by the names of levels."""
    described = {level.description.casefold(): level.value for level in scale.levels if level.description}
    names = {**described, **values_of_names(text)}
    for pattern in (_NAMED_OR_BETTER, _NAMED_LEVELS):
        match = pattern.search(text)
        words = [word.casefold() for word in match.groups() if word] if match else []
        values = [names[word] for word in words if word in names]
        if values:
            return _from(scale, min(values))
    failing = [names[name.casefold()] for name in _NAMED_FAILURE.findall(text) if name.casefold() in names]
    return _next(scale, max(failing), above=True) if failing else None


def _deciding(text: str, scale: Scale) -> Iterator[str]:
    """Yield the sentences that say from which score a text passes an output, each before its clauses."""
    described = tuple(level.description for level in scale.levels if level.description)
    for sentence in map(in_digits, sentences(_NUMBERS_OF.sub(r"\1", _ASKED_FIRST.sub(", ", text.replace("_", " "))))):
        if len(_LEVEL_IS.findall(sentence)) >= _FEWEST_LEVELS or sentence.strip().endswith(described):
            continue
        for words in (sentence, *_CLAUSE_END.split(sentence)):
            if DECIDES.search(words) or _is_bare_limit(words):
                yield _OF_SCALE.sub("", _FAILING_BAND.sub(r"\1", _OF_BAND.sub(_lowest_of, words)))


def _lowest_of(band: re.Match[str]) -> str:
    return str(next(filter(None, band.groups())))


def _is_bare_limit(words: str) -> bool:
    """Return whether a few words compare a number and say nothing else."""
    return len(words.split()) <= _MOST_WORDS and bool(_COMPARES.match(words) and _SCORE.search(words))


def _up_to(words: str, scale: Scale) -> float | None:
    """Return the level up to which words pass an output."""
    strictly = _STRICTLY_LOWER_PASS.search(words)
    lower = _LOWER_PASS.search(words)
    level = _number(lower) if lower else _next(scale, _number(strictly), above=False) if strictly else None
    scores = {float(score) for score in _SCORE.findall(words)}
    is_listed = len(scores) > 1 and _LISTED.search(words) is not None
    if level is None and not FAILS.search(words) and not _OF_ANOTHER_KIND.search(words):
        is_lowest = scale.ends[0] in scores and scale.ends[1] not in scores and (is_listed or _ONLY.search(words))
        level = max(scores) if is_lowest else None
    return None if level is None or not scale.ends[0] <= level < scale.ends[1] else level


def _number(match: re.Match[str]) -> float:
    return float(next(filter(None, match.groups())))


def _stated(words: str, scale: Scale) -> float | None:
    """Return the level from which words pass an output that say how it is compared."""
    is_compared = any(pattern.search(words) for pattern in (AT_LEAST, LESS_THAN, MORE_THAN, AT_MOST))
    return _implied(words, scale) if is_compared else None


def _implied(words: str, scale: Scale) -> float | None:
    """Return the level from which words pass an output that have one score, or several that pass or fail."""
    scores = {float(score) for score in _SCORE.findall(words)}
    if not scores:
        return scale.ends[1] if _ONLY_TOP.search(words) else None
    if _OF_ANOTHER_KIND.search(words) and not FAILS.search(words):
        return None
    if len(scores) > 1 and not _LISTED.search(words):
        return None
    if AT_LEAST.search(words):
        return _from(scale, min(scores))
    is_from_above = MORE_THAN.search(words) or AT_MOST.search(words)
    if is_from_above or (FAILS.search(words) and not LESS_THAN.search(words)):
        return _next(scale, max(scores), above=True)
    return _from(scale, min(scores))


def _from(scale: Scale, value: float) -> float | None:
    """Return a level as the lowest that passes if some scores of the scale are below it."""
    return value if scale.ends[0] < value <= scale.ends[1] else None


def _next(scale: Scale, value: float, *, above: bool) -> float | None:
    """Return the level next to a number, above or below it."""
    levels = scale.values if above else scale.values[::-1]
    return next((level for level in levels if (level > value if above else level < value)), None)
