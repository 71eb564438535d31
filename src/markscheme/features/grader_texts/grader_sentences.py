"""Distinguishes sentences of an `llm-rubric` text that instruct the grader from those that describe the output."""

import re
from collections.abc import Mapping

from markscheme.features.grader_texts.text_lines import OF_OUTPUT
from markscheme.features.grader_texts.text_numbers import NUMERAL

_TO_IN: Mapping[str, str] = {
    "signs": r"->|→|-|–|—|〜|～|\.{2,3}|…",
    "en": r"(?:all the way )?(?:(?:up|down) )?to|through|thru|till",
    "de": r"bis(?: (?:zu|einschließlich))?",
    "fr": r"à|au|jusqu'à",
    "es": r"al?|hasta",
    "it": r"fino a",
    "pt": r"ao|até",
    "nl": r"tot(?: en met)?|t/m",
    "others": r"до|到|至|から",
}
"""Patterns of the words and signs between the two ends of a range, by language."""
TO = rf"(?:{'|'.join(_TO_IN.values())})"
AND = r"(?:and|und|et|y|e|en)"
"""Pattern of the word between the two ends of a range that "between" introduces."""
_RATING_IN: Mapping[str, str] = {
    "en": r"rat(?:e[ds]?|ings?)|scor(?:e[ds]?|ing)|grad(?:e[ds]?|ing)"
    r"|(?<!exclamation )(?<!question )(?<!quotation )mark(?:s|ed|ing)?|ranks?|ranked|ranking|scales?"
    r"|likert"
    r"|stars?|bands?|tiers?|judge|judging|evaluat\w{1,4}|assess\w{0,5}|estimate|how|(?:these|the following"
    r"|one of the) (?:levels|points|numbers|values)|percent(?:age)?",
    "de": r"bewert\w{1,6}|benot\w{1,6}|(?:schul)?noten?|punktzahl|sternen?|skala|beurteil\w{1,6}|vergib|vergeben|wie",
    "fr": r"not(?:e[rz]?|é|ée)|évalu\w{1,4}|échelle|étoiles?|barème|attribue[rz]?|juge[rz]?|à quel point",
    "es": r"puntúa|puntuar|puntuación|puntaje|calific\w{1,6}|nota|escala|estrellas|eval[uú]\w{1,4}|valor\w{1,4}"
    r"|qué tan|asigna",
    "it": r"vot[aeio]|valut\w{1,5}|punteggio|scala|stelle|assegn\w{1,3}|quanto|giudic\w{1,3}",
    "pt": r"pontu\w{1,5}|avali\w{1,4}|estrelas|classifi\w{1,5}|atribu\w{1,3}|quão",
    "nl": r"beoorde\w{1,5}|cijfer|schaal|sterren|hoe",
}
"""Patterns of words for rating, by language."""
_COUNTED_IN: Mapping[str, str] = {
    "en": r"points?(?! out\b)|total|levels?|steps?|quality|range|(?:whole )?numbers?|integers?|decimals?|floats?"
    r"|digit|value|confidence"
    r"|probability|likelihood|similarity|out of|give it|assign|severity|degree|extent|intensity|from you|verdict"
    r"|[a-z]{3,20}(?:ness|ivity)",
    "de": r"punkten?|stufen?",
    "fr": r"donnez?",
    "es": r"puntos?",
    "it": r"punti",
    "pt": r"pontos",
    "nl": r"punten",
}
"""Patterns of words that mean rating only if the ends of a scale are next to them, by language."""
_RATING_ELSEWHERE = r"打分|评分|評分|评价|评估|評估|採点|評価|оцен|шкал"
_COUNTED_ELSEWHERE = r"分|点"
"""Pattern of words that mean rating only if the ends of a scale are next to them, in scripts without word
boundaries."""
_RATING = re.compile(rf"\b(?:{'|'.join(_RATING_IN.values())})\b|{_RATING_ELSEWHERE}", re.IGNORECASE)
_RATING_OR_COUNTED = re.compile(
    rf"\b(?:{'|'.join((*_RATING_IN.values(), *_COUNTED_IN.values()))})\b|{_RATING_ELSEWHERE}|{_COUNTED_ELSEWHERE}",
    re.IGNORECASE,
)
_IMPERATIVE = (
    r"rat(?:e|ing)|rank|scor(?:e|ing)|grad(?:e|ing)|mark(?:ing)?|assign|give|award|return|provide|pick|choose|select"
    r"|report|indicate|say how|reply|respond|answer|express|start|begin|deduct|tell (?:me|us)|output(?! (?:is|has"
    r"|must|should"
    r"|contains|names|ends)\b)|(?:take|use)\b|(?:evaluate|assess|judge|estimate|determine|compute|calculate|measure)"
    r"(?! (?:if|whether|that)\b)|what|how|on a|using an?|your|bewerte\w{0,2}|beurteile|vergib|gib"
)
_LEAD = re.compile(
    r"(?:(?:as|for each|acting|given|considering|based|after|taking|using|keeping|imagine"
    r"|pretend)\b[^,:;\n]{1,199}[,:;]"
    r"|(?!(?:question|query|user|customer|prompt|input|answer|assistant|example|context)\b"
    r"|[\w ]{0,30}\b(?:asks|says|reads|writes):)[A-Z][\w /-]{1,30}:) ",
    re.IGNORECASE,
)
"""Pattern of words before an instruction in its sentence: the grader's role, a condition, or a heading."""
_INSTRUCTS = re.compile(
    rf"[^\w\n]{{0,9}}(?:(?:ple?a?se?|plz|pls|bitte|por favor|per favore|then|and|now|finally),? )?(?:{_IMPERATIVE})\b",
    re.IGNORECASE,
)
"""Pattern of the beginning of a sentence that tells the grader what to do."""
_AFTER_READING = re.compile(
    r"[^\w\n]{0,9}(?:please )?(?:compare|read|look|consider|check|review|think|analy[sz]e|examine|count|inspect"
    r"|decide|imagine)\b"
    r".{0,199}(?:\band|\bthen|,) (?:then |finally |only )?"
    r"(?:rate|score|grade|mark|give|assign|award|return|output|report)\b",
    re.IGNORECASE,
)
"""Pattern of a sentence that asks the grader for a score after something else, such as reading."""
_TO_YOU = re.compile(
    r".{0,99}\b(?:(?<!asks )(?<!ask )(?<!tells )"
    r"(?:you|(?:we|i)(?! ask\w{0,2} (?:our )?(?:users|customers|guests|clients|people|them)\b))"
    r"|your (?:job|task|role)|(?:judge|grader|evaluator)) "
    r"(?:\w{1,20} ){0,3}(?:rate|score|grade|mark|give|assign|return|output)s?\b",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"[^\w\n]{0,9}(?:(?:it|(?:the|an?|each|every) (?:\w{1,20} ){1,2})(?:\w{1,20}ly )?)?"
    r"(?!(?:always|unless|bias|pass|stars|points|marks|grades|scores|levels|bands|this|assess|class|express|numbers"
    r"|values"
    r"|goes|runs|ranges|means|ratings|gets|receives|earns)\b)(?:[a-z]{3,20}[^s\W]s|has(?! to\b))\b(?! ?[(:,] ?\d)"
    r"|(?!.{0,199}\b(?:that|how|whether|if|where|scores?|ratings?|marks|grades|points|stars)\b)"
    r".{0,199}\b(?:is|are|was|were) (?:\w{1,20}ly )?"
    r"(?!rated|scored|graded|marked|judged|evaluated|assessed|needed|required|allowed|expected)"
    r"(?:\w{2,20}ed|given(?! an?\b)|set|kept|shown|known)\b"
    r"|(?:the|an?) (?!score|rating|mark|grade|scale|range|number|verdict|result|value|answer|possible|allowed)"
    r"\w{1,20} (?:is|are) \d"
    r"|.{0,99}\b(?:is|are) not \w{2,20}ed\b"
    r"|.{0,199}\b(?:answer|reply|response|output|bot|assistant) (?:must|should|has to|needs to) "
    r"(?!(?:reach|get|score|be|have|receive|achieve|fail|pass|at)\b)\w",
    re.IGNORECASE,
)
"""Pattern of the beginning of a sentence that says what somebody or something does, is, or must do."""
_OF_SOMEBODY = re.compile(
    r"\b(?:asks?|asked|uses|consists of|lies|sets|shows|picks|holds|columns?|fields?|config|reports|holding|proposed"
    r"|nutzer|kund|usuario|client|utent|erwähnt|nennt|sagt"
    r"|erklärt|fragt|menciona|dice|diz|explica|pregunta|dit|mentionne|explique|demande|is not|are not)\b",
    re.IGNORECASE,
)
"""Pattern of words before a number that somebody other than the grader gives."""
_FIRST_NUMBER = re.compile(NUMERAL)
ONE_BY_ONE = re.compile(
    r"\b(?:each|every) (?:\w{1,20} ){1,3}(?:is |are )?(?:judged|checked|assessed|graded|evaluated) "
    r"(?:on its own|by itself|separately|individually|independently)\b"
    r"|\b(?:points|items|rows|criteria|requirements|checks|rules), each (?:one )?(?:on its own|by itself|separately)\b"
    r"|\b(?:needs? to|must|should|has to|have to)(?: all)? ?:? ?\n[^\w\n]{0,9}(?=\w)",
    re.IGNORECASE,
)
"""Pattern of phrases by which each point is judged by itself."""
_LIST_LEAD = re.compile(
    r"(?:^|(?<=[.!?] ))[^\w\n]{0,9}(?:grade|rate|score|mark|evaluate|assess|judge) (?:(?:[^\n.:\d]{1,80}:"
    r"|[^\n.:\d]{1,60}\b(?:below|following|these|this list|checklist)\b[^\n.:\d]{0,30}[.:])\n+"
    r"(?= ?[(\[]?(?:[1a]|i)[.)\]] \w{1,20}[ '’]\w)"
    r"|[^\n.:\d]{1,80}\.\n+(?= ?[(\[]?(?:[1a]|i)[.)\]](?: [^\s\d]{1,30}){4}))",
    re.IGNORECASE | re.MULTILINE,
)


_ALL_POINTS = re.compile(
    rf"(?<![\w.])\d{{1,2}} ?{TO} ?\d{{1,2}}(?= (?:(?:are|is|must|have to|need to|should) )?"
    r"(?:be )?(?:all\b|met\b|true\b|hold\b|ok\b|satisfied\b|fulfilled\b))",
    re.IGNORECASE,
)
"""Pattern of the numbers of points that must all hold, as in "1 to 5 are met", which look like a scale but aren't
one."""


def without_list_leads(text: str) -> str:
    """Remove phrases such as "for each point", which ask for no score by themselves, from a text."""
    return _ALL_POINTS.sub("", _LIST_LEAD.sub("", text))


def asks_for_score(sentence: str) -> bool:
    """Return True if a sentence addresses the grader and has a word for rating, such as "score" or "points".

    A word such as "points" counts, too, although it doesn't always mean a rating.
    """
    return _RATING_OR_COUNTED.search(sentence) is not None and is_to_grader(sentence)


def rates(sentence: str) -> bool:
    """Return True if a sentence addressed to the grader has a word that always means rating, unlike "points"."""
    return _RATING.search(sentence) is not None and is_to_grader(sentence)


def is_to_grader(sentence: str) -> bool:
    """Return True if a sentence instructs the grader, or at least doesn't describe the output."""
    return instructs(sentence) or not tells_of_output(sentence)


def instructs(sentence: str) -> bool:
    """Return True if a sentence is an instruction to the grader, by its first words or by "you" in it."""
    return any(map(_INSTRUCTS.match, (sentence, without_lead(sentence)))) or bool(
        _TO_YOU.match(sentence) or _AFTER_READING.match(sentence)
    )


def tells_of_output(sentence: str) -> bool:
    """Return True if a sentence is about the output, by the words before its first number or by its beginning."""
    number = _FIRST_NUMBER.search(sentence)
    before = sentence[: number.start()] if number else sentence
    return bool(OF_OUTPUT.search(before) or _OF_SOMEBODY.search(before) or _OF_OTHERS.match(sentence))


def without_lead(sentence: str) -> str:
    """Return a sentence without opening words, such as "As a strict teacher,", that precede its instruction."""
    lead = _LEAD.match(sentence)
    return sentence[lead.end() :] if lead else sentence
