"""Which sentences of a text behind `llm-rubric` tell the grader what to answer, and not what the output has."""

import re

from markscheme.features.grader_texts.text_lines import NUMERAL, OF_OUTPUT

TO = (
    r"(?:-|–|—|〜|～|\.\.|up to|down to|to|through|and|bis|und|à|et|al?|y|e|tot(?: en met)?|t/m|bis einschließlich"
    r"|до|到|至|から)"
)
"""What stands between the ends of a range."""
OTHER_LANGUAGES = (
    r"bewerte|benote|vergib|gib (?:eine|0|1)|notez? (?:la|le|les|cette|ce)\b|notez? l'|évaluez?|donnez?\b|attribuez?"
    r"|califica|puntúa"
    r"|geef een|beoordeel|.{0,99}\b(?:bewerten|benoten)\b|evalúa|valora|asigna|valuta|assegna|avalie|atribua"
    r"|.{0,99}(?:打分|评分|評分|评价|评估|評估|採点|評価|оцени|по шкале)"
)
_VERB = r"(?:rat(?:e|ing)|scor(?:e|ing)|grad(?:e|ing)|mark(?:ing)?|assign|give|award|return|report|output|answer with)"
_NOUN = r"(?:scores?|ratings?|grades?|marks?|scale|range|number|percentage)"
_VALUE = r"(?:score|rating|grade|mark|number|percentage|integer|float|value)"
_IMPERATIVE = (
    r"(?:rate|rating|rank|score|scoring|grade|grading|mark|marking|assign|give|award|return|provide|pick|choose"
    r"|select|report|indicate"
    r"|reply|respond|answer|express|start|begin|deduct|tell (?:me|us)|(?:take|use) the (?:average|mean|sum) of"
    r"|full (?:marks|credit)"
    r"|(?:evaluate|assess|judge|estimate|determine|compute|calculate|measure)(?! (?:if|whether|that)\b)"
    r"|output(?! (?:is|has|must|should|contains|names)\b))\b"
)
_QUESTION = (
    rf"(?:what(?: is|'s| percentage| score| grade)|how|to what|we (?:rate|grade|score|mark)|use (?:whole|only"
    rf"|numbers|integers|(?:this|the) .{{0,30}}\bscale|{NUMERAL}))\b"
    r"|(?:on|use|using) an? "
)
_NAMED = (
    rf"(?:the )?(?:possible |valid |allowed |final |overall |total )?{_NOUN}"
    rf"(?: \w{{1,20}}| (?:for|of) (?:\w{{1,20}} ){{0,2}}\w{{1,20}})? ?"
    r"(?:[:=(]|(?:is|are|must be|should be|can be|ranges?|goes|runs|from|between)\b)"
)
_YOUR_ANSWER = (
    r"your (?:output|answer|reply|response|verdict|score|grade|rating|mark) (?:is|must be|should be|has to be) "
    rf".{{0,40}}\b{_VALUE}\b"
)
_GETS = (
    r"(?:the|an?|each) (?:\w{1,20} ){1,3}(?:gets|scores|receives|earns|is given) (?:an? )?"
    rf"{NUMERAL} (?:if|when|for)\b"
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
ONLY_A_RANGE = (
    rf"(?:(?:overall )?(?:quality|\w{{3,20}}ness) )?[(\[]?{NUMERAL} ?{TO} ?{NUMERAL}[)\]]?"
    r"(?:,? (?:please|points|stars))?[.!]?$"
    rf"|{NUMERAL} ?\([^()\n]{{1,60}}\) {TO} {NUMERAL} ?\([^()\n]{{1,60}}\) ?(?:[,;.]|$)"
)
"""A range alone."""
_HOW = r"(?:how|to what|wie|qué tan|cuán|à quel point|quão|quanto|hoe)"
PHRASE_WITH_RANGE = (
    rf"[^,;\n]{{1,99}}, (?:(?:scored|rated|graded|marked) .{{0,20}}?\b{NUMERAL}"
    rf"|[(\[]?{NUMERAL} ?{TO} ?{NUMERAL}[)\]]?(?:%| points)?(?:,? where| ?\() ?{NUMERAL}(?: ?=|\b(?!\)))"
    rf"|{NUMERAL} ?\([^()\n]{{1,60}}\) {TO} {NUMERAL} ?\()"
)
"""What is scored, without a verb, and its ends."""
OF_A_DEGREE = (
    rf"(?!(?:does|do|did|is|are|has|have)\b).{{0,99}}\b{_HOW}\b.{{0,199}}\b[01] ?(?:\([^()\n]{{1,60}}\) )?"
    rf"{TO} ?\d{{1,3}}\b[^?\n]{{0,199}}\?"
    rf"|[^,;(\n]{{0,30}}\b[01] ?(?:\([^()\n]{{1,60}}\) )?{TO} ?\d{{1,3}}(?: ?\([^()\n]{{1,60}}\))?, {_HOW}\b"
    r"|(?!says?\b|states?\b|mentions?\b|explains?\b|tells?\b|reports?\b)(?:\w{1,20} ){1,4}(?:is|are|be) (?:to be )?"
    rf"(?:rated|scored|graded|marked|judged) (?:from |on a scale of |on |between )?[01] ?{TO} ?\d{{1,3}}\b"
)
"""A question for a degree with its ends, and what is rated between ends."""
_SHORT_OF_VERB = (
    rf"[^\w\n]{{0,9}}(?!\w{{1,20}}[^\Ws]s\b)(?:\w{{1,20}} ){{0,3}}"
    r"(?:score|rating|grade|mark|note|nota|voto|cijfer|puntuación)s? ?"
    rf"(?:,|:|\(|from|between|on|in|out of|of|max|de|da|von|del|van|sur)? ?\(?(?:{NUMERAL}|max)\b"
)
JUDGED_ON = (
    rf"[^\w\n]{{0,9}}(?:please |pls |plz )?(?:give|assign|award|return) (?:it |me )?(?:an? )?"
    rf"{NUMERAL} ?{TO} ?{NUMERAL} (?:for|on|by|depending|based)\b|"
    rf"[^\w\n]{{0,9}}(?:please )?(?:evaluate|assess|judge|rate|grade)\b(?! (?:if|whether|that)\b).{{0,99}}"
    rf"(?:(?:from|between|:|,|[(\[]) ?{NUMERAL} ?{TO} ?{NUMERAL}%?[)\]]? ?(?:[.:]?$|,|;|and\b)"
    rf"|from [-+]?{NUMERAL} \([^()\n]{{1,60}}\) to [-+]?{NUMERAL} \()"
)
ONE_BY_ONE = re.compile(
    r"\b(?:each|every) (?:\w{1,20} ){1,3}(?:is |are )?(?:judged|checked|assessed|graded|evaluated) "
    r"(?:on its own|by itself|separately|individually|independently)\b"
    r"|\b(?:points|items|rows|criteria|requirements|checks|rules), each (?:one )?(?:on its own|by itself|separately)\b"
    r"|\b(?:needs? to|must|should|has to|have to)(?: all)? ?:? ?\n[^\w\n]{0,9}(?=\w)",
    re.IGNORECASE,
)
"""Points are judged, each by itself."""
_LEAD = re.compile(
    r"(?:(?:as|for each|acting|given|considering|based|after|taking|using|keeping|imagine"
    r"|pretend)\b[^,:;\n]{1,199}[,:;]"
    r"|(?!(?:question|query|user|customer|prompt|input|answer|assistant|example|context)\b)[A-Z][\w /-]{1,30}:) ",
    re.IGNORECASE,
)
"""What stands before an instruction in its sentence: for whom or by what, or what it is about."""
_DIRECTIVE = re.compile(
    rf"[ \"'*#>-]{{0,9}}(?:ple?a?se? |plz |pls |bitte,? |por favor,? |per favore,? |then |and |now |finally,? )?"
    rf"(?:{_IMPERATIVE}|{_QUESTION}|{_NAMED}|{OTHER_LANGUAGES}|{ONLY_A_RANGE}|{OF_A_DEGREE}|{_YOUR_ANSWER}|{_GETS}|{_WRITTEN}|{_AFTER_READING}|{_OF_YOU})",
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
    rf"|{_SHORT_OF_VERB}|{JUDGED_ON}|{PHRASE_WITH_RANGE}",
    re.IGNORECASE,
)
"""A score after something else that the grader does, or without any verb."""
_SCALE_ELSEWHERE = re.compile(
    r"(?!.{0,199}\b(?:nutzer|kund|usuario|client|utent|erwähnt|nennt|sagt|erklärt|fragt|menciona|dice|diz|explica"
    r"|pregunta|dit|mentionne|explique|demande))"
    r".{0,99}\b(?:skala|escala|échelle|scala|schaal|punteggio|nota|une note|un score|calificación|puntuación"
    r"|pontuação|voto)\b"
    rf"(?:.{{0,20}}\b{NUMERAL} ?{TO} ?{NUMERAL}| (?:sur|su|sobre|von) \d{{1,3}})\b",
    re.IGNORECASE,
)
"""A scale in another language, in a sentence that tells of nothing in the output."""
_IS_PASSED = re.compile(r"\bpass|\bfail", re.IGNORECASE)


def said_to_the_grader(sentence: str) -> str | None:
    """Return what a sentence says to answer, without what leads on to it; None where it says what the output has."""
    if _DIRECTIVE.match(sentence) or _SCALE_ELSEWHERE.match(sentence):
        return sentence
    instruction = without_lead(sentence)
    if _DIRECTIVE.match(instruction):
        return instruction
    tells = _SCORED_ON.match(sentence) or _GRADER_TELLS.match(sentence)
    return sentence if tells and not OF_OUTPUT.search(sentence) and not _IS_PASSED.search(sentence) else None


def without_lead(sentence: str) -> str:
    """Return a sentence without the words before its instruction."""
    lead = _LEAD.match(sentence)
    return sentence[lead.end() :] if lead else sentence
