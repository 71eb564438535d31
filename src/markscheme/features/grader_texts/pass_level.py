"""The lowest score that passes by the words of an `llm-rubric` text, if the text states one."""

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markscheme.features.grader_texts.grader_sentences import TO
from markscheme.features.grader_texts.level_marks import values_of_names
from markscheme.features.grader_texts.level_runs import level_run
from markscheme.features.grader_texts.pass_words import (
    DECIDES,
    FAILS,
    FOLLOWS,
    LIMIT_WORDS,
    REQUIRES,
    SAYS_PASS,
    UNLESS,
)
from markscheme.features.grader_texts.text_lines import sentences
from markscheme.features.grader_texts.text_numbers import NUMERAL, in_digits
from markscheme.rubrics.criterion import Scale

_VERDICT = (
    r"(?:fail|pass|reject|accept|échec|échou|réussi|bestanden|durchgefallen|suspen|apro[bv]|reprov|bocciat|promoss"
    r"|geslaagd|gezakt|voldoende|onvoldoende)"
)
_SCORE = re.compile(
    rf"(?<![\d./])(?<![a-z] or )-?({NUMERAL})(?!\.?\d)(?={FOLLOWS})"
    rf"(?!\*{{0,2}} ?[-–:=](?! ?(?:{_VERDICT}\w{{0,3}}(?:[.,;)]|$)|\d|$)))",
    re.IGNORECASE,
)
"""Pattern of a score: a number that doesn't count something else, and isn't a level before its meaning."""
_OF_SCALE = re.compile(
    rf" ?\bout of {NUMERAL}|[\[(]-?{NUMERAL}, ?{NUMERAL}[\])]|(?<=\d) (?:of(?: the)?|von|sur|de|su) \d{{1,3}}\b"
    rf"|(?<=\d) ?/ ?\d{{1,3}}\b|(?:\bbetween [-+]?{NUMERAL} and"
    rf"|[-+]?(?<![\d.]){NUMERAL} ?{TO}) ?[-+]?{NUMERAL}(?![\d.]*\d)",
    re.IGNORECASE,
)
"""Pattern of the scale itself, as in "1 to 5", or of the scale's highest score after a score, as in "out of 5"."""
_OF_BAND = re.compile(
    rf"({NUMERAL}) ?{TO} ?({NUMERAL})(?= (?:or|and) (?:better|higher|above|up)\b|(?: range)?(?: ?[:=])? (?:pass|fail"
    rf"|(?:is|are|means?|counts? as) (?:an? )?(?:pass|accept|ok|fine|fail|reject)))"
    rf"|(?P<verdict>\b(?:pass|fail)[^\d\n.;,]{{0,25}})(?<!\d)({NUMERAL}) ?{TO} ?({NUMERAL})",
    re.IGNORECASE,
)
"""Pattern of a range of scores that passes or fails."""
_ONE_SIDED = "|".join(words.pattern for words, is_strict, lower in LIMIT_WORDS if is_strict or not lower)
_COMPARES = re.compile(rf"[^\w\n]{{0,9}}(?:(?!\w{{1,20}}s )\w{{1,20}} )?(?:{_ONE_SIDED})", re.IGNORECASE)
_ON_SCORES = re.compile(
    r"(?<![\d.])\d{1,3} ?(?:\+|(?:or|and) (?:higher|above|better|lower|worse|below|more|up)\b(?! of)|passes\b|fails\b"
    r"|to pass\b|is (?:an? )?(?:pass|fail|enough))"
    r"|\b(?:score|rating|threshold|mark|cut-?off|grade|bar)\b[^.\n]{0,30}?\b\d"
    r"|\b(?:less than|below|under|from|expect|ab|mindestens|unter|au moins|al menos|almeno|pelo menos|minimaal|vanaf)"
    r" (?:an? |eine[rs]? |une? |uma? )?\d{1,3}\b(?! ?(?:of\b|%|(?!upwards|passes|fails|counts|is\b|has\b|means"
    r"|always)\w{1,20}s\b))"
    r"|\d and \d are\b|\d(?:, | or | and )\d ?(?:=|:|is|are)? ?(?:pass|fail)",
    re.IGNORECASE,
)
"""Pattern of a limit on scores, in numbers that don't count something else."""
_POINTS = re.compile(r"\b(?:points?|marks?|pts)\b", re.IGNORECASE)
_GIVES_POINTS = re.compile(
    r"[^\w\n]{0,9}(?:(?:deduct|subtract|start|begin)\w{0,3}\b"
    r"|(?:up to )?\d{1,3} (?:points?|marks?|pts) (?:for|if|when)\b)",
    re.IGNORECASE,
)
"""Pattern of the beginning of a sentence that awards or deducts points."""
_IN_BRACKETS = re.compile(r"\b(?:[a-z]{1,20} ){0,2}[a-z]{1,20} \((\d{1,3})\)", re.IGNORECASE)
"""Pattern of the name of a level with its score in brackets."""
_FEWEST_WORDS = 4
"""Largest number of words in which a comparison without a word for passing is read as a limit."""
_MOST_WORDS = 7
"""Largest number of words of a sentence whose comparison is read as a limit; longer ones compare something else."""
_LISTED = re.compile(rf"{NUMERAL}(?:, (?:and |or )?| (?:and|or) )(?:an? )?{NUMERAL}(?!\d)", re.IGNORECASE)
"""Pattern of several scores in a row, as in "4 or 5"."""
_OF_ANOTHER_KIND = re.compile(
    r"\b(?:around|about|reserved)\b|\bmeans "
    r"(?!\d|an? (?:\d|fail|pass)|fail|pass|reject|(?:it|the \w{1,20}) (?:may|can|is ready))",
    re.IGNORECASE,
)
"""Pattern of words in a sentence that says how scores are given, and not which of them pass."""
_ON_CONDITION = re.compile(r"\b(?:if|when|unless|where)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"(?<!\d)[,，] ?|[,，](?! ?(?:(?:or|and|oder|und) )?(?:an? )?\d) ?|[;；] ?")
_LEVEL_IS = re.compile(
    rf"\b{NUMERAL}(?: points?| stars?)? (?:(?:is|means|=) (?!(?:an? )?(?:fail|pass))|\()", re.IGNORECASE
)
_JOINED = re.compile(r"_|(?<=[a-z])(?=[A-Z][a-z])")
"""Pattern of the joints in a compound name, as in passThreshold."""
_PERCENTAGE = re.compile(r"(?<![\d.])(\d{1,3}) ?%")
_THRESHOLD = re.compile(rf"(\b(?:threshold|pass mark|cut-?off) ?(?:is|of|[:=])? ?{NUMERAL}):", re.IGNORECASE)
"""Pattern of a pass mark before a colon and what is rated."""
_LEVEL_SAYS = re.compile(
    rf"\b{NUMERAL} (?:is|means) (?!(?:an? |not )?(?:fail|pass|fine|ok|enough|needed|required|good enough|accept|unacc"
    r"|the\b|too\b|it\b))",
    re.IGNORECASE,
)
"""Pattern of a score whose meaning isn't a verdict."""
_HEADING = re.compile(r"^#{1,6} ([^\n.:]{1,40})\n+(?=[^\n]{1,40}$)", re.MULTILINE)
"""Pattern of a heading above a short line, which may be just a number."""
_NUMBERS_OF = re.compile(r"\b(\d{1,3})s\b")
_ASKED_FIRST = re.compile(
    r"\? (?=(?:fail|pass|reject|then|that's|no(?! (?:less|lower|more|higher)\b))\b)", re.IGNORECASE
)
"""Pattern of the end of a question whose answer, a verdict, is the next sentence."""
_FEWEST_LEVELS = 3
"""Number of scores from which on a sentence that explains them is read as explaining the scale, not which scores
pass."""
_ONLY_TOP = re.compile(
    r"\bonly (?:the |an? )?(?:top|highest|best|maximum|full|perfect) (?:score|grade|mark|rating|level)s?\b",
    re.IGNORECASE,
)
_PASSED = (
    r"(?:pass(?:es)?\b|(?:is|are|counts? as) (?:an? )?"
    r"(?:pass|passing|acceptable|accepted|ok|okay|fine|enough|good enough)\b)"
)
_NAMED_OR_BETTER = re.compile(r"\b(\w{1,20}) (?:band |level |grade )?or (?:better|above|higher|up)\b", re.IGNORECASE)
"""Pattern of the name of the lowest level that passes, as in "good or better"."""
_AT_LEAST_NAMED = re.compile(
    r"\b(?:at least|no worse than|minimum(?: level)?(?: is| of|:)?"
    r"|(?:pass(?:es)?|threshold|pass mark)(?: at| from| with|:)) "
    r"(?:an? )?[\"'*]{0,2}(?:(\w{1,20} \w{1,20})(?=[\"'*.,;)\n]|$)|(\w{1,20})\b)",
    re.IGNORECASE,
)
"""Pattern of the name of the lowest level that passes, as in "at least good"."""
_NAMED_LEVELS = re.compile(rf"\b(?:(\w{{1,20}}) (?:or|and) )?(?:an? )?(\w{{1,20}}) {_PASSED}", re.IGNORECASE)
"""Pattern of the names of levels that pass, as in "good and excellent pass"."""
_NAMED_FAILURE = re.compile(r"\b(\w{1,20}) (?:is|means|counts as) (?:an? )?fail", re.IGNORECASE)


def limits_scores(sentence: str) -> bool:
    """Return True if a sentence unambiguously says which scores pass."""
    return DECIDES.search(sentence) is not None and _ON_SCORES.search(sentence) is not None


class _Limit(NamedTuple):
    """A text's statement about which scores pass.

    Attributes:
        scores: The scores that the statement names.
        is_strict: True if these scores don't pass themselves.
        lower_passes: True if lower scores pass, False if higher ones do; None if that depends on the scale.
        is_listed: True if the statement names scores without a comparison.
    """

    scores: frozenset[float]
    is_strict: bool
    lower_passes: bool | None
    is_listed: bool = False

    def level(self, scale: Scale, *, is_turned: bool) -> float | None:
        """Return the worst level that passes; None if all levels would pass or all would fail.

        Args:
            scale: The scale of the scores.
            is_turned: True if the lowest score of the scale is the best one.
        """
        if self.lower_passes is not None and is_turned < self.lower_passes:
            return None
        nearest, farthest = (min, max) if is_turned else (max, min)
        score = nearest(self.scores) if self.is_strict else farthest(self.scores)
        level = _next(scale, score, above=not is_turned) if self.is_strict else score
        worst = scale.ends[is_turned]
        return level if level is not None and level != worst and scale.ends[0] <= level <= scale.ends[1] else None


def level_in(text: str, scale: Scale, *, is_turned: bool) -> float | None:
    """Return the worst level that a text says passes; None if the text states none.

    Args:
        text: The text.
        scale: The scale of the text's scores, the lowest first.
        is_turned: True if the lowest score is the best one.
    """
    named = _named_level(text, scale, is_turned=is_turned)
    levels = (limit.level(scale, is_turned=is_turned) for limit in _limits_in(text, scale))
    return named if named is not None else next((level for level in levels if level is not None), None)


def lower_passes(text: str, scale: Scale) -> bool:
    """Return True if a text says that scores below a limit pass, by its first limit that fits the scale."""
    one_sided = (limit for limit in _limits_in(text, scale) if limit.lower_passes is not None)
    told = (limit for limit in one_sided if limit.level(scale, is_turned=bool(limit.lower_passes)) is not None)
    return any(bool(limit.lower_passes) for limit in itertools.islice(told, 1))


def _limits_in(text: str, scale: Scale) -> Sequence[_Limit]:
    """Return a text's statements about which scores pass; comparisons such as "at least 4" come first."""
    deciding = [(words, scores) for words in _deciding(text, scale) if (scores := _scores(words, scale))]
    limits = [_compared(words, scores) or _listed(words, scores, scale) for words, scores in deciding]
    return sorted(filter(None, limits), key=lambda limit: limit.is_listed)


def _named_level(text: str, scale: Scale, *, is_turned: bool) -> float | None:
    """Return the worst level that passes if a text names levels by words, as in "good or better"; else None.

    Args:
        text: The text.
        scale: The scale, with the numbers that the text names.
        is_turned: True if the lowest number is the best.
    """
    run = level_run(in_digits(text), is_score=True, may_be_list=True)
    described = {level.description.casefold(): level.value for level in scale.levels if level.description}
    names = {words.casefold(): value for value, words in run.items()} | described | dict(values_of_names(text))
    worst, best = (max, min) if is_turned else (min, max)
    for pattern in (_NAMED_OR_BETTER, _AT_LEAST_NAMED, _NAMED_LEVELS):
        found = [match for match in pattern.finditer(text) if _values_of(match, names)]
        if found:
            value = worst(_values_of(found[0], names))
            return value if value != scale.ends[is_turned] else None
    failing = [value for match in _NAMED_FAILURE.finditer(text) for value in _values_of(match, names)]
    return _next(scale, best(failing), above=not is_turned) if failing else None


def _values_of(names: re.Match[str], values: Mapping[str, float]) -> Sequence[float]:
    """Return the scores of the levels that the groups of a regular expression's match name, in the groups' order.

    Groups that matched another word, or nothing, are left out.

    Args:
        names: The match.
        values: The score of each level, by the level's name in lower case.
    """
    return [values[name.casefold()] for name in names.groups() if name and name.casefold() in values]


def _deciding(text: str, scale: Scale) -> Iterator[str]:
    """Yield a text's statements on which scores pass, without the sentences that only describe the scale's levels."""
    described = tuple(level.description for level in scale.levels if level.description)
    plain = _ASKED_FIRST.sub(
        ", ", _THRESHOLD.sub(r"\1.", _NUMBERS_OF.sub(r"\1", _JOINED.sub(" ", _HEADING.sub(r"\1: ", text))))
    )
    if scale.ends[1] == 1:
        plain = _PERCENTAGE.sub(lambda share: f"{int(share[1]) / 100:g}", plain)
    for sentence in map(in_digits, sentences(plain)):
        if (
            len(_LEVEL_IS.findall(sentence)) >= _FEWEST_LEVELS
            or len(_LEVEL_SAYS.findall(sentence)) > 1
            or sentence.strip().endswith(described)
        ):
            continue
        on_bands = _OF_SCALE.sub("", _OF_BAND.sub(lambda band: _both_ends(band, scale), sentence))
        for words in _statements(_IN_BRACKETS.sub(r"\1", on_bands) if DECIDES.match(on_bands) else on_bands):
            if not _GIVES_POINTS.match(words) and (DECIDES.search(words) or _is_bare_limit(words)):
                yield words


def _statements(sentence: str) -> Iterator[str]:
    """Split a sentence into statements, each with its own scores and the words that say whether these scores pass."""
    pending = ""
    for clause in _CLAUSE_END.split(sentence):
        is_next = _SCORE.search(pending) and (_SCORE.search(clause) or _has_verdict(pending))
        if is_next:
            yield pending
        pending = f"{pending}, {clause}" if pending and not is_next else clause
    yield pending


def _has_verdict(words: str) -> bool:
    return any(pattern.search(words) for pattern in (SAYS_PASS, REQUIRES, FAILS))


def _both_ends(band: re.Match[str], scale: Scale) -> str:
    """Rewrite a range of passing scores by its two ends: "pass 3 to 5" becomes "pass 3 or 5".

    The limit is read later from the two ends. A range that is the whole scale stays as it is.

    Args:
        band: The match of the range in the text.
        scale: The scale.
    """
    ends = [float(end) for end in (band[1] or band[4], band[2] or band[5])]
    return band[0] if tuple(ends) == scale.ends else f"{band['verdict'] or ''}{ends[0]:g} or {ends[1]:g}"


def _is_bare_limit(words: str) -> bool:
    """Return True if a short statement only compares a score with a number, as in "at least 4"."""
    is_short = len(words.split()) <= _MOST_WORDS
    is_terse = len(words.split()) <= _FEWEST_WORDS and any(pattern.search(words) for pattern, _, _ in LIMIT_WORDS)
    if is_terse and not _POINTS.search(words) and _SCORE.search(words):
        return True
    return is_short and bool(_COMPARES.match(words) and _SCORE.search(words))


def _compared(words: str, scores: frozenset[float]) -> _Limit | None:
    """Return the limit that a statement sets by a comparison such as "at least 4"; None if it sets none.

    Args:
        words: The statement.
        scores: Numbers in the statement.
    """
    compares = next((row for row in LIMIT_WORDS if row[0].search(words)), None)
    if compares is None:
        return None
    _, is_strict, lower = compares
    fails = _fails(words)
    if lower and not FAILS.search(words) and not SAYS_PASS.search(words):
        if _ON_CONDITION.search(words):
            return None
        fails = is_strict and not REQUIRES.search(words)
    if fails:
        return _Limit(scores, not is_strict, None if lower is None else not lower)
    return _Limit(scores, is_strict, lower)


def _listed(words: str, scores: frozenset[float], scale: Scale) -> _Limit | None:
    """Return the limit in a statement that lists scores ("4 or 5 passes"); None if it compares them ("at least 4")."""
    if any(pattern.search(words) for pattern, _, _ in LIMIT_WORDS):
        return None
    fails = _fails(words)
    has_low, has_high = (end in scores for end in scale.ends)
    is_sure = has_low != has_high and (fails or _has_verdict(words))
    return _Limit(scores, fails, has_low != fails if is_sure else None, is_listed=True)


def _fails(words: str) -> bool:
    """Return True if the scores in a statement fail; in "fails unless it scores 4", 4 passes."""
    return (FAILS.search(words) is not None) != (UNLESS.search(words) is not None)


def _scores(words: str, scale: Scale) -> frozenset[float]:
    """Return the score, or the listed scores, that a statement names as passing; none if it isn't such a statement.

    Args:
        words: The statement.
        scale: The scale, whose highest score "only the top score" means.
    """
    scores = frozenset(map(float, _SCORE.findall(words))) or (
        frozenset(scale.ends[1:]) if _ONLY_TOP.search(words) else frozenset()
    )
    is_of_another_kind = _OF_ANOTHER_KIND.search(words) and not FAILS.search(words)
    return frozenset() if is_of_another_kind or (len(scores) > 1 and not _LISTED.search(words)) else scores


def _next(scale: Scale, value: float, *, above: bool) -> float | None:
    """Return the scale's level next above a score or, if `above` is false, next below it; None if there is none."""
    levels = scale.values if above else scale.values[::-1]
    return next((level for level in levels if (level > value if above else level < value)), None)
