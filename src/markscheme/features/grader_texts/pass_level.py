"""The score from which a text behind `llm-rubric` passes an output, where it says."""

import re
from collections.abc import Iterator

from markscheme.features.grader_texts.grader_sentences import TO
from markscheme.features.grader_texts.level_marks import values_of_names
from markscheme.features.grader_texts.text_lines import NUMERAL, in_digits, sentences
from markscheme.rubrics.criterion import Scale

_DECIDES = re.compile(
    r"\bpass|\bfail(?!s? to\b)|\breject|\baccept|\bunaccept|\bsuccess|\bthreshold|\bcut-?off|\breach|\brequired?\b"
    r"|\bneed(?:s|ed)?\b|\bminimum\b|\benough\b|\bsuffic|\bthe bar\b|\bok(?:ay)?\b|\bfine\b|\bhappy\b|\bsatisfied\b"
    r"|\bpublish|\bship\b|\bscores? at least|\bwe(?:'re after| want| expect)\b"
    r"|(?:^|\b(?:it|score|rating|mean|average|total|number|result|mark|grade|we|you)\b.{0,60}\b)"
    r"(?:must|has to|have to|should)\b"
    r"|^[^\w\n]{0,9}(?:(?:band|level|score|grade|mark|rating) )?\d{1,3} or (?:above|higher|more|better)[.!]?$"
    r"|\bbestanden|\bbesteh|\bdurchgefallen|\bn[öo]tig|\berforderlich|\bin ordnung|\bschwelle|\bmindest|\breicht"
    r"|\bvoldoende|\bréussi|\bvalidé|\béchec|\béchou|\brequis|\bexig|\bseuil|\bau moins\b|\bdoit\b"
    r"|\bapr[ou]e?b|\bsuspen|\bumbral|\bm[ií]nim|\bno pasa|\bnecesari|\bpara pasar|\bal menos\b|\bdebe\b"
    r"|\bsupera|\bsoglia|\bper passare|\balmeno\b|\breprova|\blimiar|\bpara passar|\bpelo menos\b|\bprecisa"
    r"|合格|通过|通過|及格",
    re.IGNORECASE,
)
"""Words of a sentence that says from which score a text passes an output."""
_FAILS = re.compile(
    r"\bfail(?!s? to\b)|\breject|\bunaccept|(?:\bnot|n't) (?:pass|accept|good enough)"
    r"|durchgefallen|nicht bestanden|\bsuspen|\béchec|\béchou|\bno (?:pasa|aprueba)|\bnon (?:è )?(?:suff|super)"
    r"|\breprova|不合格|不通过|不及格",
    re.IGNORECASE,
)
_FOLLOWS = (
    r" ?(?:[-–+%.,;:)/*=]|$|以|分|で|未)| ?(?:points?|stars?|marks?|pts|percent|score|rating|to|or|and|out|for|only"
    r"|pass\w{0,15}|fail\w{0,15}|accept\w{0,15}|reject\w{0,15}|is|are|counts?|should\w{0,15}|must|has|have|will"
    r"|would|minimum|at minimum|in total|needed|required|suffic\w{0,15}|means? (?:an? )?(?:fail|pass|reject)\w{0,15}"
    r"|punkte?n?|sterne?n?|prozent|bestanden|gilt|ist|sind|genüg\w{0,15}|n[öo]tig|erforder\w{0,15}|reicht|oder|und"
    r"|zum|um|of (?:hoger|meer)|pour|requis\w{0,15}|ou|et|est|puntos?|para|em|en|o|y|e|di|in|no|non|per"
    r"|reprov\w{0,15}|neces\w{0,15}|como)\b"
)
"""What follows a number that counts nothing else."""
_SCORE = re.compile(
    rf"(?<![\d./])(?<![a-z] or )-?({NUMERAL})(?!\d)(?={_FOLLOWS})(?!\*{{0,2}} ?[-–:=](?! ?(?:(?:fail"
    rf"|pass)\w{{0,3}}(?:[.,;]|$)|\d)))",
    re.IGNORECASE,
)
"""A number that counts nothing else, and isn't a level with its meaning."""
_TO = TO.replace("|and|", "|").replace("|und|", "|")
_OF_SCALE = re.compile(
    rf"\bout of {NUMERAL}|(?<=\d) ?/ ?\d{{1,3}}\b|(?:\bbetween -?{NUMERAL} and"
    rf"|-?(?<![\d.]){NUMERAL} ?{_TO}) ?-?{NUMERAL}(?![\d.]*\d)",
    re.IGNORECASE,
)
"""The scale itself, or what a score is of."""
_AT_LEAST = re.compile(
    r"\b(?:or|and) (?:higher|more|above|better|greater|up)\b|\d ?\+|\bat least\b|\bnot? (?:less|lower) than\b"
    r"|\bor equal\b|\bequal (?:to )?or\b|≥|>=|\breach|\bminimum\b|\bof (?:hoger|meer)|\boder (?:mehr|höher)"
    r"|\bmindest|\bab\b|\bo más\b|\bal menos\b|\bou (?:plus|mais)\b|\bau moins\b|\balmeno\b|\bpelo menos\b"
    r"|\bin su\b|以上",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"\b(?:or|and) (?:less|lower|below|fewer|under|worse)\b|\boder (?:weniger|darunter)|以下", re.IGNORECASE
)
_LESS = re.compile(
    r"\b(?:below|under|less|fewer|lower|other than|short of|unter|weniger|abaixo|sotto|meno)\b|\bpor debajo"
    r"|\bmenos\b|\ben dessous"
    r"|\b(?:not|doesn't|don't|didn't) (?:score|get|reach|receive|earn)\b|\bmoins\b|\binf[eé]rieur|低于|未満|<",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:above|over|more than|greater than|higher than|exceeds?|beyond|über)\b|超过|(?<![-=])>", re.IGNORECASE
)
_LISTED = re.compile(rf"{NUMERAL}(?:, (?:and |or )?| (?:and|or) )(?:an? )?{NUMERAL}(?!\d)", re.IGNORECASE)
"""Scores one after the other."""
_OF_ANOTHER_KIND = re.compile(
    r"\b(?:at most|no (?:higher|more) than|around|about|reserved)\b|\bmeans (?!an? (?:fail|pass)|fail|pass|reject)",
    re.IGNORECASE,
)
"""Words of a sentence that says how scores are given, and not which of them pass."""
_CLAUSE_END = re.compile(r"[,;，；] ?(?!\d\d\d)")
_LEVEL_IS = re.compile(rf"\b{NUMERAL} (?:is|means|=) (?!(?:an? )?(?:fail|pass))", re.IGNORECASE)
_FEWEST_LEVELS = 3
"""A sentence that says of so many scores what they are says of none whether it passes."""
_ONLY_TOP = re.compile(
    r"\bonly (?:the |an? )?(?:top|highest|best|maximum|full|perfect) (?:score|grade|mark|rating|level)s?\b",
    re.IGNORECASE,
)
_IF_IT_IS = r"(?:only )?(?:if (?:it|the \w{1,20}) is )?"
_MORE_IS_WORSE = re.compile(
    rf"\bfails? {_IF_IT_IS}(?:above|over|more than|greater than|at least|from|>|≥) ?{NUMERAL}"
    rf"|\bpass(?:es)? {_IF_IT_IS}(?:below|under|less than|at most|up to|<|≤) ?{NUMERAL}",
    re.IGNORECASE,
)
_PASSED = r"(?:pass(?:es)?\b|(?:is|are|counts? as) (?:an? )?(?:pass|passing|acceptable|accepted)\b)"
_NAMED_OR_BETTER = re.compile(r"\b(\w{1,20}) (?:band |level |grade )?or (?:better|above|higher|up)\b", re.IGNORECASE)
"""The name of the lowest level that passes."""
_NAMED_LEVELS = re.compile(rf"\b(?:(\w{{1,20}}) (?:or|and) )?(?:an? )?(\w{{1,20}}) {_PASSED}", re.IGNORECASE)
"""The names of the levels that pass."""


def is_worse_where_high(text: str) -> bool:
    """Return whether a text fails an output whose score is high."""
    return _MORE_IS_WORSE.search(text) is not None


def pass_level(text: str, scale: Scale) -> float | None:
    """Return the level from which a text passes an output, where it says."""
    named = _level_named(text, scale)
    levels = (_level_in(words, scale) for words in _deciding(text))
    return named if named is not None else next((level for level in levels if level is not None), None)


def _level_named(text: str, scale: Scale) -> float | None:
    """Return the level from which a text passes an output, where it says so by the names of levels."""
    described = {level.description.casefold(): level.value for level in scale.levels if level.description}
    names = {**described, **values_of_names(text)}
    for pattern in (_NAMED_OR_BETTER, _NAMED_LEVELS):
        match = pattern.search(text)
        words = [word.casefold() for word in match.groups() if word] if match else []
        values = [names[word] for word in words if word in names]
        if values:
            return _on(scale, min(values))
    return None


def _deciding(text: str) -> Iterator[str]:
    """Yield the sentences that say from which score a text passes an output, each before its clauses."""
    for sentence in map(in_digits, sentences(text)):
        for words in (sentence, *_CLAUSE_END.split(sentence)):
            if _DECIDES.search(words) and len(_LEVEL_IS.findall(sentence)) < _FEWEST_LEVELS:
                yield _OF_SCALE.sub("", words)


def _level_in(words: str, scale: Scale) -> float | None:
    """Return the level from which words pass an output that have one score, or several that pass or fail."""
    scores = {float(score) for score in _SCORE.findall(words)}
    if not scores:
        return scale.ends[1] if _ONLY_TOP.search(words) else None
    if _OF_ANOTHER_KIND.search(words) and not _FAILS.search(words):
        return None
    if len(scores) > 1 and not _LISTED.search(words):
        return None
    if _AT_LEAST.search(words):
        return _on(scale, min(scores))
    is_from_above = _MORE.search(words) or _AT_MOST.search(words)
    if is_from_above or (_FAILS.search(words) and not _LESS.search(words)):
        return _above(scale, max(scores))
    return _on(scale, min(scores))


def _on(scale: Scale, value: float) -> float | None:
    """Return a level if some scores of the scale are below it."""
    return value if scale.ends[0] < value <= scale.ends[1] else None


def _above(scale: Scale, value: float) -> float | None:
    return next((level for level in scale.values if level > value), None)
