"""Decides whether an `llm-rubric` text asks for a score on a scale that couldn't be read."""

import re

from markscheme.features.grader_texts.grader_sentences import ONE_BY_ONE, tells_of_output, without_lead
from markscheme.features.grader_texts.text_lines import OF_OUTPUT, sentences
from markscheme.features.grader_texts.text_numbers import NUMERAL

_SCORE = (
    rf"(?:scores?|ratings?|(?:an?|one|single|your|the|school) (?:\w{{1,20}} )?(?:mark|grade|percentage|digit"
    r"|float|integer|decimal)|(?:an?|one|your|the) (?:single |whole |decimal |real |final )?number"
    r"|confidence|probability|likelihood"
    r"|(?:the|a|its) (?:level|tier|band|rank|step|stage|severity)"
    r"|(?:the|that|this|her|his|their|its) (?:\w{{1,20}} )?"
    rf"(?:number|figure|index)"
    rf"|(?:{NUMERAL}|how many|of|in|total) (?:points|stars|marks)|puntuación|nota|(?:une|la) note"
    r"|voto|punktzahl|schulnote|punkte)\b"
)
_NUMBER = re.compile(
    r"\b(?:number|integer|digit|figure|score|level|band|step|rank|value|stage)s?\b(?<!^score)", re.IGNORECASE
)
_TELLS = r"(?:\w{1,20} ){0,3}(?:is|are|was|were|has|have|must|should)\b"
_BARE_NUMBER = rf"{NUMERAL}(?:%|/\d{{1,3}})? ?(?:[.,;)]|$)"
_TO_THE_GRADER = re.compile(
    rf"[^\w\n]{{0,9}}(?:\w{{1,20}}[,:] )?(?:please |then |finally |now |pls |plz )?"
    rf"(?:(?:rate|score|grade|mark|rank) (?!.{{0,60}}\bas (?:pass|fail|met|yes|true)\b"
    rf"|(?:it |this )?(?:as )?(?:pass|fail)(?:ed|ing)?\b"
    rf"|.{{0,60}}\b(?:on|by|against) (?:these|this|the following|our|all|its|each|every)\b|\d|\w{{1,20}}ly\b"
    rf"|{_TELLS})"
    rf"|(?:.{{1,200}}\band (?:then )?)?(?:give|assign|award|return|output (?:an?|the|your|only|just|one)|express|weigh"
    rf"|provide|report|choose|pick|tell|write(?: down)?|enter|record|emit|note down"
    rf"|answer|respond|reply|state|print)\b.{{0,60}}\b{_SCORE}"
    rf"|(?:what|which) (?:score|rating|grade|mark|percentage)\b|how many (?:points|stars|marks)\b"
    rf"|put .{{1,40}}\b(?:in|into|as|under) .{{0,20}}\bscore\b"
    rf"|how many \w{{1,20}} (?:does|do|would|should|will) (?:\w{{1,20}} ){{1,3}}(?:get|deserve|earn|give|score|award)\b"
    rf"|deduct\b|subtract\b"
    rf"|indicate how\b|take off\b|add \d|(?:on|use|using) an? .{{0,30}}\bscale\b(?! \w{{4,20}} ?[,;])"
    rf"|.{{1,60}}\bis (?:the|your) (?:score|rating|grade|mark)\b|{NUMERAL} points? (?:for|if|each|per)\b"
    r"|(?:give|assign|return|grade|rate)\b.{0,40}\bA(?:, ?B\b|(?: to |-|–)[D-F]\b)"
    rf"|(?:bewerte|benote|vergib|gib|puntúa|califica|asigna|da|notez?|donnez?|attribuez?|assegna|dai|dê|atribua)\b"
    rf".{{0,60}}\b{_SCORE})",
    re.IGNORECASE,
)
"""Pattern of the beginning of a sentence that asks the grader for a score."""
_OF_YOU = re.compile(
    r"\b(?:you|your (?:job|task|role)|we|i)\b.{0,60}\b(?:(?:rate|score)\b|grade (?:it|them|this|how|on)\b"
    rf"|(?:give|assign|award|return|output|provide|report)\b.{{0,60}}\b{_SCORE})",
    re.IGNORECASE,
)
_OF_SCORING = re.compile(
    rf"\b(?:pass(?:ing)?[ -](?:mark|score|grade)|cut-?off (?:score|mark|is)|(?:partial|full) (?:credit(?! card)|marks)"
    rf"|(?:sum (?:them|it|these) up|add (?:them|these|the points) up|added up)|each {NUMERAL} ?[-–] ?{NUMERAL}"
    r"|half (?:marks|a point)|scoring (?:guide|rubric|scale)|grading (?:scale|scheme)|rating scale|likert"
    rf"|{NUMERAL}[- ]point (?:scale|basis|system)|your (?:output|answer|reply|response) (?:should|must|has to) be an? "
    r"(?:number|float|integer|digit|decimal)|use (?:this|the following) .{0,20}scale|out of \d{1,4}$"
    r"|(?:judge|grader|evaluator) (?:should|must|has to|will) (?:give|return|output|assign|rate|score)"
    r"|(?:score|mark|rating)\b.{0,30}\bmax(?:imum)?|criteria that are met|on an? (?:\w{1,20} )?scale of [a-z]"
    r"|(?:score|rating|grade) (?:should|must) (?:reflect|depend|measure|express)"
    r"|^(?:the|your) (?:score|rating|grade) (?:says|tells|reflects|measures|expresses|counts|depends|lies)\b)"
    rf"|^[^\w\n]{{0,9}}(?:pass(?:ing)? )?threshold ?(?:is|of|:|=)? ?{NUMERAL}|^[^\w\n]{{0,9}}(?:final |overall )?"
    rf"(?:(?:score|rating|grade|scale|stars)s? ?(?:\([^()\n]{{1,30}}\) ?)?(?:[:=/]|is\b|from\b|between\b|ranges?\b)"
    r"|points?: ?\d)",
    re.IGNORECASE,
)
_OF_POINTS = re.compile(
    r"\b(?:subtract|deduct) \d|(?<!\w)[-+]\d (?:if|for|when)\b|\b(?:worth|earns?) \d"
    r"|\d points? (?:are|is) (?:needed|required)\b|\b(?:correct|right|wrong)(?: answer)? ?= ?\d"
    r"|minus the (?:count|number)|\d ?/ ?\d{1,3} (?:means|is|=)|\bgive (?:a|the) %"
    r"|\b(?:value|number|similarity|range)\b.{0,40}(?<![\d.])[01](?:\.0)? ?(?:and|to|\.\.|-) ?1(?:\.0)?\b"
    r"|^[^\w\n]{0,9}\w{1,20}(?: \w{1,20}){0,2}: ?[\[(]?[01] ?[-–] ?(?:[1-9]|10|100)[\])]?$",
    re.IGNORECASE,
)
"""Pattern of points that are counted, and of ranges of scores without a word for scores."""
_PASSES_AT = re.compile(
    r"\b(?:pass|fail)\w{0,3}\b.{0,30}\b(?:under|below|above|over|at least|less than|more than|from|with|at) "
    rf"{_BARE_NUMBER}|{NUMERAL}(?:%|/\d{{1,3}})? or (?:higher|more|above|better|lower|less|below) "
    r"(?:pass|fail|to pass|is a (?:pass|fail))",
    re.IGNORECASE,
)
"""Pattern of a pass mark in numbers that don't count something else."""
_YES_OR_NO = re.compile(r"(?<![\d.])[01](?:\.0)? ?(?:if|when|for|otherwise|=|or [01]\b)", re.IGNORECASE)
"""Pattern of the scores 0 and 1 as other names for fail and pass."""
_BETWEEN = re.compile(r"(?<!\d)(?:[2-9]|\d\d|0?\.\d)", re.IGNORECASE)


def asks_by_another_scale(text: str) -> bool:
    """Return True if a text asks for one score, even on a scale that can't be read, instead of a verdict per point."""
    return not ONE_BY_ONE.search(text) and any(map(demands_score, sentences(text)))


def demands_number(text: str) -> bool:
    """Return True if a text asks for a score and names it as a number, a level, a rank or the like."""
    return any(demands_score(sentence) and _NUMBER.search(sentence) for sentence in sentences(text))


def demands_score(sentence: str) -> bool:
    """Return True if a sentence asks for a score that is more than yes or no."""
    if _YES_OR_NO.search(sentence) and not _BETWEEN.search(sentence):
        return False
    directive = _TO_THE_GRADER.match(sentence) or _TO_THE_GRADER.match(without_lead(sentence))
    if directive and not OF_OUTPUT.search(directive[0]):
        return True
    tells = (_OF_YOU, _OF_SCORING, _OF_POINTS, _PASSES_AT)
    return not (OF_OUTPUT.search(sentence) or tells_of_output(sentence)) and any(
        pattern.search(sentence) for pattern in tells
    )
