"""Which sentences of a text behind `llm-rubric` tell the grader what to answer, and not what the output has."""

import re

from markscheme.features.grader_texts.text_lines import NUMERAL, OF_OUTPUT

TO = r"(?:-|–|—|\.\.|up to|down to|to|through|and|bis|und|à|et|al?|y|e|tot|до|到|至|から)"
"""What stands between the ends of a range."""
OTHER_LANGUAGES = (
    r"bewerte|benote|vergib|notez? (?:la|le|les|cette|ce)\b|notez? l'|évaluez?|donnez?\b|attribuez?|califica|puntúa"
    r"|geef een|beoordeel|.{0,99}\b(?:bewerten|benoten)\b|evalúa|valora|asigna|valuta|assegna|avalie|atribua"
    r"|.{0,99}(?:打分|评分|评价|採点|評価|оцени|по шкале)"
)
_VERB = r"(?:rat(?:e|ing)|scor(?:e|ing)|grad(?:e|ing)|mark(?:ing)?|assign|give|award|return|report|output|answer with)"
_NOUN = r"(?:scores?|ratings?|grades?|marks?|scale|number|percentage)"
_VALUE = r"(?:score|rating|grade|mark|number|percentage|integer|float|value)"
_IMPERATIVE = (
    r"(?:rate|rating|score|scoring|grade|grading|mark|marking|assign|give|award|return|provide|pick|choose|select|report|indicate"
    r"|reply|respond|answer|express|start|begin|deduct"
    r"|(?:evaluate|assess|judge|estimate|determine|compute|calculate|measure)(?! (?:if|whether|that)\b)"
    r"|output(?! (?:is|has|must|should|contains|names)\b))\b"
)
_QUESTION = (
    rf"(?:what(?: is|'s| percentage| score| grade)|how|to what|use (?:whole|only|numbers|integers|{NUMERAL}))\b"
    r"|(?:on|use|using) an? "
)
_NAMED = (
    rf"(?:the )?(?:possible |valid |allowed |final |overall |total )?{_NOUN}(?: \w{{1,20}})? ?"
    r"(?:[:=(]|(?:is|are|must be|should be|can be|ranges?|goes|runs|from|between)\b)"
)
_WRITTEN = (
    r".{0,99}\b(?<!not )(?<!n't )(?<!should )(?<!must )(?:write|give|return|end with|assign|award|report) "
    r"(?:it |them )?(?:the|your|an?|one) "
    rf"(?:\w{{1,20}} )?{_NOUN}\b"
)
_AFTER_READING = (
    rf"(?:compare|read|look|consider|check|review|think|analy[sz]e|examine|count|inspect)\b.{{0,199}}[ ,]{_VERB}\b"
)
_OF_YOU = rf".{{0,99}}\b(?:you|your (?:job|task|role)|want|like|us)\b.{{0,60}}\b(?:{_VERB}|an? {_VALUE})\b"
_SHORT_OF_VERB = (
    rf"[^\w\n]{{0,9}}(?!\w{{1,20}}[^\Ws]s\b)(?:\w{{1,20}} ){{0,3}}"
    r"(?:score|rating|grade|mark|note|nota|voto|cijfer|puntuación)s? ?"
    rf"(?:,|:|\(|from|between|on|in|out of|of|max|de|da|von|del|van|sur)? ?\(?(?:{NUMERAL}|max)\b"
)
JUDGED_ON = (
    rf"[^\w\n]{{0,9}}(?:please )?(?:evaluate|assess|judge|rate|grade)\b(?! (?:if|whether|that)\b).{{0,99}}"
    rf"(?:(?:from|between|:|,|[(\[]) ?{NUMERAL} ?{TO} ?{NUMERAL}[)\]]? ?[.:]?$"
    rf"|from [-+]?{NUMERAL} \([^()\n]{{1,60}}\) to [-+]?{NUMERAL} \()"
)
_DIRECTIVE = re.compile(
    rf"[ \"'*#>-]{{0,9}}(?:ple?a?se? |plz |then |and |now |finally,? )?(?:{_IMPERATIVE}|{_QUESTION}|{_NAMED}"
    rf"|{OTHER_LANGUAGES}|{_WRITTEN}|{_AFTER_READING}|{_OF_YOU})",
    re.IGNORECASE,
)
"""How a sentence begins that tells the grader what to answer, and not what the output has."""
_SCORED_ON = re.compile(
    rf".{{0,99}}\b(?:score|rating|grade|mark) (?:from|between|in|on|out of|of) (?:{NUMERAL}|the range|a scale)",
    re.IGNORECASE,
)
"""A score with its scale, whoever gives it."""
_GRADER_TELLS = re.compile(
    rf".{{0,199}}\b(?:and|then|(?:judge|grader|evaluator) (?:must|should|has to|will)) (?:only )?{_VERB}\b"
    rf"|{_SHORT_OF_VERB}|{JUDGED_ON}",
    re.IGNORECASE,
)
"""A score after something else that the grader does, or without any verb."""
_IS_PASSED = re.compile(r"\bpass|\bfail", re.IGNORECASE)


def is_to_the_grader(sentence: str) -> bool:
    """Return whether a sentence says what to answer, and not what the output has."""
    if _DIRECTIVE.match(sentence):
        return True
    tells = _SCORED_ON.match(sentence) or _GRADER_TELLS.match(sentence)
    return tells is not None and not OF_OUTPUT.search(sentence) and not _IS_PASSED.search(sentence)
