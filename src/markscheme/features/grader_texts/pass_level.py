"""The score from which a text behind `llm-rubric` passes an output, where it says."""

import re

from markscheme.features.grader_texts.level_marks import values_of_names
from markscheme.features.grader_texts.text_lines import NUMERAL, in_digits, sentences
from markscheme.rubrics.criterion import Scale

_A_SCORE = (
    rf"({NUMERAL})(?= ?(?:[-–+%.,;:)/*]|$|to\b|or\b|and\b|out\b|points?\b|stars?\b|pass|fail|is\b|are\b|counts?\b"
    r"|should\b|accept|reject|punkt|puntos?\b|bestanden|pour|para|zum|um\b))"
)
"""A number that counts nothing else."""
_SCORES = rf"({NUMERAL}(?:(?:,|,? (?:and|or|to)| ?[-–]) ?(?:an? )?{NUMERAL}){{0,9}})"
"""Scores one after the other, or from one to another."""
_PASSED = r"(?:pass(?:es)?\b|(?:is|are|counts? as) (?:an? )?(?:pass|passing|acceptable|accepted)\b)"
_FAILED = r"(?:fails?\b|(?:is|are|counts? as) (?:an? )?(?:fail|failing|failure|unacceptable|rejected)\b)"
_LISTED_PASSES = re.compile(rf"(?<![\d.]){_SCORES}%?(?: points?| stars?)? ?[=:]? ?{_PASSED}", re.IGNORECASE)
_LISTED_FAILS = re.compile(rf"(?<![\d.]){_SCORES}%?(?: points?| stars?)? ?[=:]? ?{_FAILED}", re.IGNORECASE)
_UP = r"(?:or|and) (?:higher|more|above|better|greater|up)\b|\+|oder (?:mehr|höher)|o más|ou plus"
_PASSES = re.compile(
    r"(?:at least|minimum (?:of|is)|reach(?:es)?|no(?:t)? (?:less|lower) than|(?:above|over|more than|greater than"
    r"|higher than) or equal to|equal to or (?:above|over|more than|greater than|higher than)|≥|>=|\bis|\bab"
    r"|\bmindestens|\bal menos"
    r"|\bau moins|aprueba con|bestanden mit"
    rf"|[aà] partir d[ei]|almeno|pelo menos) ?(?:an? |une? )?{_A_SCORE}"
    rf"|(?<![/\d.]){_A_SCORE}(?:%|/\d{{1,3}})?(?: points?| stars?)? ?(?:{_UP})"
    rf"|\bpass(?:es)? (?:from|at|with|on) ?(?:an? )?(?:(?:score|rating|grade|mark) of )?{_A_SCORE}"
    rf"|^[^\w\n]{{0,9}}(?:it )?(?:must|has to|needs to) be an? {_A_SCORE}"
    rf"|\bonly (?:[a-z]{{1,20}} ){{0,4}}{_A_SCORE}"
    rf"|{_A_SCORE}(?: points?| stars?)? (?:(?:is|are) (?:the (?:bare )?minimum|needed|required|(?:good )?enough)"
    r"|(?:at )?minimum\b)"
    r"|\b(?:threshold|cut-?off|pass(?:ing)?[ -](?:mark|score|grade|level|rating)|bestehensgrenze|minimum (?:score|mark)"
    rf"(?: to pass| for a pass)?)(?: is| of| at|:| =| ist)? ?{_A_SCORE}",
    re.IGNORECASE,
)
_FAILS_BELOW = re.compile(
    rf"(?:below|under|(?:less|lower) than|<|\bunter|por debajo de|menos de|en dessous de|moins de) ?(?:an? )?"
    rf"{_A_SCORE}",
    re.IGNORECASE,
)
_PASSES_ABOVE = re.compile(rf"(?:above|over|more than|greater than|higher than|>) ?(?:an? )?{_A_SCORE}", re.IGNORECASE)
_FAILS = re.compile(r"\bfail|\breject|\bunaccept|\bnot (?:pass|accept|good enough)|durchgefallen|suspen", re.IGNORECASE)
_DECIDES = re.compile(
    r"\bpass|\bthreshold|\bcut-?off|\bscores? at least|\breach|\brequire|\baccept|\bgood enough|\bbestanden|\bbesteh"
    r"|\baprueba|\baprobad|\bréussi|\bvalidé|\bsuperat|\baprovad|\bminimum (?:score|mark)\b"
    r"|\b(?:score|rating|mean|average|total|number|result|mark|grade|we|you)\b.{0,60}"
    r"\b(?:ha(?:s|ve) to|needs?|must|required)\b|\bbare minimum\b|\bpublish|\bto ship\b"
    rf"|^[^\w\n]{{0,9}}(?:it )?(?:must|has to|needs to) be an? {NUMERAL}|{_FAILS.pattern}",
    re.IGNORECASE,
)
_IF_IT_IS = r"(?:only )?(?:if (?:it|the \w{1,20}) is )?"
_MORE_IS_WORSE = re.compile(
    rf"\bfails? {_IF_IT_IS}(?:above|over|more than|greater than|at least|from|>|≥) ?{NUMERAL}"
    rf"|\bpass(?:es)? {_IF_IT_IS}(?:below|under|less than|at most|up to|<|≤) ?{NUMERAL}",
    re.IGNORECASE,
)
_NAMED_OR_BETTER = re.compile(r"\b(\w{1,20}) (?:band |level |grade )?or (?:better|above|higher|up)\b", re.IGNORECASE)
"""The name of the lowest level that passes."""
_DIGITS = re.compile(NUMERAL)


def is_worse_where_high(text: str) -> bool:
    """Return whether a text fails an output whose score is high."""
    return _MORE_IS_WORSE.search(text) is not None


def pass_level(text: str, scale: Scale) -> float | None:
    """Return the level from which a text passes an output, where it says."""
    named = _NAMED_OR_BETTER.search(text)
    names = {level.description.casefold(): level.value for level in scale.levels if level.description}
    value = {**names, **values_of_names(text)}.get(named[1].casefold()) if named else None
    if value is not None:
        return _on(scale, value)
    levels = (_level_in(in_digits(sentence), scale) for sentence in sentences(text) if _DECIDES.search(sentence))
    return next((level for level in levels if level is not None), None)


def _level_in(sentence: str, scale: Scale) -> float | None:
    """Return the level from which a sentence passes an output; None where it names none of the scale."""
    above = _PASSES_ABOVE.search(sentence)
    if above:
        return _above(scale, float(above[1]))
    listed = _LISTED_PASSES.search(sentence)
    if listed:
        return _on(scale, min(_numbers(listed[1])))
    below = _FAILS_BELOW.search(sentence) if _FAILS.search(sentence) else None
    match = below or _PASSES.search(sentence)
    if match:
        return _on(scale, float(next(filter(None, match.groups()))))
    failing = _LISTED_FAILS.search(sentence)
    return _above(scale, max(_numbers(failing[1]))) if failing else None


def _numbers(listed: str) -> list[float]:
    return [float(number) for number in _DIGITS.findall(listed)]


def _on(scale: Scale, value: float) -> float | None:
    """Return a level if some scores of the scale are below it."""
    return value if scale.ends[0] < value <= scale.ends[1] else None


def _above(scale: Scale, value: float) -> float | None:
    return next((level for level in scale.values if level > value), None)
