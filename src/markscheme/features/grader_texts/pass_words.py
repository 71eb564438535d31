"""Regular expressions, by language, for the words in `llm-rubric` texts that say which scores pass."""

import re
from collections.abc import Mapping

_SCORE_WORD = (
    r"(?:it|scores?|rating|mean|average|total|number|result|mark|grade|band|level|points|stars|answer|reply|response"
    r"|output"
    r"|we|i|you|anything|everything)"
)
_DECIDES_IN: Mapping[str, str] = {
    "en": r"\bpass(?:es|ed|ing|able)?\b|\bfail(?!s? to\b)|\breject|\baccept|\bunaccept|\bsuccess|\bthreshold|\bcut-?off"
    r"|\breach(?:es)?\b|\brequired?\b|\bneed(?:s|ed)?\b|\bminimum\b|\benough\b|\bsuffic|\bthe bar\b|\bok(?:ay)?\b"
    r"|\bfine\b|\bhappy\b|\bsatisfied\b|\bpublish|\b(?:to|only|we) ship\b|\bscores? at least"
    r"|\b(?:i|we)(?:'d)? (?:only )?(?:expect|want"
    r"|accept|take)\b|\btarget:|\bgood to go\b|\bapproved?\b"
    r"|\bdo(?:es)?n't cut it"
    r"|\bwe(?:'re after|'ll take| want| take| expect)\b|\bwant (?:an? |at least )?\d"
    r"|\bonly (?:an? )?\d|\bmustn't\b|\bto clear\b|\blive with\b"
    r"|\b(?:it's|is) out\b|\bwill do\b|\bit takes\b|\bgreen light\b|\bmin(?:\.|:| is)|\bmin(?:imum)? score|\b(?:ship"
    r"|release)\b|\bbar\b|\bships\b|\bis needed\b|\bmay not\b|\bmay be\b|\btolera"
    rf"|(?:^|\b{_SCORE_WORD}\b.{{0,60}}\b)(?:must|has to|have to|should|ought to)\b"
    r"|^[^\w\n]{0,9}(?:(?:band|level|score|grade|mark|rating) )?\d{1,3} or (?:above|higher|more|better)[.!]?$"
    rf"|\b(?:score|rating|mark|grade|total) of \d{{1,3}}(?:\.\d{{1,2}})?%? (?:or|and) (?:above|higher|more|better"
    rf"|up)\b",
    "de": r"\bgenug\b|\bbestanden|\bbesteh|\bdurchgefallen|\bn[öo]tig|\berforderlich|\bin ordnung|\bschwelle"
    r"|\bmindest|\bhöchstens\b|\breicht"
    r"|\bgenüg|\bakzept|\bdurch(?:fallen|fällt)|\bfällt durch",
    "fr": r"\bréussi|\bvalidé|\béchec|\béchou|\brequis|\bexig|\bseuil|\bau moins\b|\bdoit\b|\bil faut\b|\bsuffit"
    r"|\baccept|\bmoyenne\b",
    "es": r"\bpasa\b|\bhace falta|\bapr[ou]e?b|\bsuspen|\bumbral|\bm[ií]nim|\bno pasa|\bnecesari|\bpara pasar"
    r"|\bal menos\b|\bdebe\b"
    r"|\bvale\b|\bbasta\b|\bsuficiente|\bacept",
    "it": r"\bserv[eo]\b|\bva bene|\bbocciat|\bpassa\b|\bsupera|\bsoglia|\bper passare|\balmeno\b|\bsufficien"
    r"|\bbasta\b|\baccett",
    "pt": r"\baprov|\bestá bo[am]\b|\bsuficiente|\breprova|\blimiar|\bpara passar|\bpelo menos\b|\bprecisa|\bpassa\b"
    r"|\bchega\b",
    "nl": r"\bdrempel|\bgezakt|\bvoldoende|\bgeslaagd|\bgenoeg\b|\bminstens\b|\bminimaal\b|\bgoedgekeurd"
    r"|\bonvoldoende|\bafgekeurd",
    "others": r"合格|通过|通過|及格|не ниже|минимум",
}
"""Patterns of words in a sentence that says which scores pass an output, by language."""
_FAILS_IN: Mapping[str, str] = {
    "en": r"\bfail(?!s? to\b)|\breject|\bunaccept|(?:\bnot|n't) (?:let|ship|take|publish|pass|accept|good enough"
    r"|cut it|ok\b|okay|fine"
    r"|enough)|\b(?:goes|go|sent|send it) back\b|(?:\bnot|n't)(?: be)? (?:shown|released|published|used|merged)\b",
    "de": r"durchgefallen|durchfallen|fällt durch|nicht bestanden|reicht nicht|genügt nicht",
    "fr": r"\béchec|\béchou|\binsuffisant|\bne suffi\w{1,2} pas|\brecal",
    "es": r"\bsuspen|\bno (?:pasa|aprueba|basta)",
    "it": r"\bbocciat|\bnon (?:è )?(?:suff|super|pass)|\binsufficien",
    "pt": r"\breprova|\bnão passa",
    "nl": r"\bonvoldoende|\bafgekeurd|\bgezakt",
    "others": r"不合格|不通过|不及格",
}
_NOT = r"(?:\b(?:not?|never|nothing|none|nowhere)|n't)(?: (?:be|go|get|is|score|rise|fall|drop|come|any|an?)){0,2}"
_OR_BETTER_IN: Mapping[str, str] = {
    "en": rf"\b(?:or|and) better\b|{_NOT} worse than\b",
    "de": r"\boder besser",
    "fr": r"\bou mieux\b",
    "es": r"\bo mejor\b",
    "nl": r"\bof beter\b",
}
_OR_WORSE_IN: Mapping[str, str] = {"en": r"\b(?:or|and) worse\b", "de": r"\boder schlechter"}
_AT_LEAST_IN: Mapping[str, str] = {
    "en": r"\b(?:or|and) (?:higher|more|above|greater|up(?:wards?)?|over)\b|\d ?\+|\bat least\b"
    r"|(?<!starting )(?<!start )\bfrom (?:an? )?\d"
    rf"|{_NOT} (?:less|lower|below|under|fewer)\b"
    r"|\bor equal\b|\bequal (?:to )?or\b|≥|>=|\breach(?:es)?\b|\bmin(?:imum)?\b|\d up\b|\d (?:points? )?upwards?\b",
    "de": r"\boder (?:mehr|höher)|\bmindest|\bab\b|\bzumindest\b|\baufwärts\b",
    "fr": r"\bou plus\b|\bau moins\b|\bà partir d|\bminimum\b",
    "es": r"\bo (?:más|superior)\b|\bal menos\b|\ba partir de|\bcomo mínimo\b|\bpor lo menos\b",
    "it": r"\balmeno\b|\bin su\b|\bo (?:più|superiore)\b|\bminimo\b",
    "pt": r"\bou mais\b|\bpelo menos\b|\bno mínimo\b",
    "nl": r"\bof (?:hoger|meer)\b|\bminstens\b|\bminimaal\b|\bvanaf\b",
    "others": r"以上|не ниже",
}
_LESS_IN: Mapping[str, str] = {
    "en": r"\b(?:below|beneath|under|less|fewer|lower|little|smaller|short of)\b"
    r"|\b(?:not|doesn't|don't|didn't) (?:score|get|reach|receive|earn|hit|make)\b|<",
    "de": r"\b(?:unter(?:halb)?|weniger|schlechter)\b",
    "fr": r"\ben[- ]dessous|\bmoins\b|\binf[eé]rieur",
    "es": r"\bpor debajo|\bmenos\b|\bmenor|\binferior",
    "it": r"\b(?:sotto|meno)\b|\binferior",
    "pt": r"\b(?:abaixo|menos|menor)\b",
    "nl": r"\b(?:onder|lager|minder)\b",
    "others": r"低于|未満|以下(?=は)",
}
_AT_MOST_IN: Mapping[str, str] = {
    "en": r"\b(?:or|and) (?:less|lower|below|fewer|under|smaller|down(?:wards?)?)\b|\bat (?:the )?most\b|≤|<="
    r"|\b(?:below|under|less than|lower than|smaller than) or equal\b|\bmax(?:imum)?\b(?![\"'}:])"
    r"|\d (?:points? )?down(?:wards)?\b|\bup to (?:and including )?(?:an? )?\d"
    rf"|{_NOT} (?:above|over|more than|greater than|higher than|exceed\w{{0,3}}|beyond)\b",
    "de": r"\boder (?:weniger|darunter|niedriger)|\bhöchstens\b|\bmaximal\b|\bbis (?:zu |einschließlich )?\d",
    "fr": r"\bou moins\b|\bau plus\b|\bau maximum\b",
    "es": r"\bo menos\b|\bcomo máximo\b|\ba lo sumo\b",
    "it": r"\bo meno\b|\bal massimo\b",
    "pt": r"\bou menos\b|\bno máximo\b",
    "nl": r"\bof (?:lager|minder)\b|\bhoogstens\b|\bmaximaal\b",
    "others": r"以下",
}
_MORE_IN: Mapping[str, str] = {
    "en": r"\b(?:above|over|more than|greater than|higher than|exceed(?:s|ing)?|beyond)\b|(?<![-=])>|\d higher\b",
    "de": r"\büber\b|\bmehr als\b",
    "fr": r"\bplus de\b|\bsupérieur",
    "es": r"\bmás de\b|\bpor encima",
    "it": r"\bsopra\b|\bpiù di\b",
    "pt": r"\bmais de\b|\bacima\b",
    "nl": r"\bboven\b|\bmeer dan\b|\bhoger dan\b",
    "others": r"超过",
}
_BETTER_IN: Mapping[str, str] = {"en": r"\bbetter than\b", "de": r"\bbesser als\b"}
_PASSES_IN: Mapping[str, str] = {
    "en": r"(?<!n't )(?<!not )\b(?:pass\w{0,3}|accept\w{0,4}|(?:we|i) (?:want|need|expect|take)|live with|ok|okay|fine"
    r"|happy|good (?:if|with|at|enough)|publish\w{0,2}|ship(?:s|ped)?|tolerated?|allowed|fit for|clears)\b",
    "de": r"\bbestanden|\bbesteht\b|\bin ordnung\b|\bgenügt\b|\bakzept",
    "fr": r"\bréussi\w{0,2}\b|\baccept",
    "es": r"\baprueba|\bpasa\b|\bvale\b|\bacept",
    "it": r"\bpassa\b|\bva bene\b|\baccett",
    "pt": r"\bpassa\b|\baprov|\baceit",
    "nl": r"\bgeslaagd\b|\bvoldoende\b|\bgoedgekeurd",
    "others": r"合格|通过|及格",
}
"""Patterns of words that say that a score passes, by language."""
_FOLLOWS_IN: Mapping[str, str] = {
    "en": r"range|points?|stars?|marks?|pts|percent|score|rating|to|or|and|go(?:es)?"
    r"|out|for|only|pass\w{0,15}|fail\w{0,15}"
    r"|accept\w{0,15}"
    r"|reject\w{0,15}|is|are|counts?|should\w{0,15}|must|has|have|will|would|minimum|at minimum|in total|needed"
    r"|required|max(?:imum)?|at most|tops|down(?:wards?)?|less|lower"
    r"|suffic\w{0,15}|means? (?:\w{1,12} ){0,3}(?:fail|pass|reject)\w{0,15}|as|up|upwards?|then|at least"
    r"|at the very least|we|gets?|on|isn't|aren't|won't|doesn't|does|do|can|may|it|this|that|the|you|they|please"
    r"|through|clears?|here|could|would"
    r"|makes?|goes",
    "de": r"punkte?n?|sterne?n?|prozent|bestanden|durchgefallen|fällt|fallen|geht|zu|gilt|ist|sind|genüg\w{0,15}"
    r"|n[öo]tig|erforder\w{0,15}|reicht|oder"
    r"|und|zum|um"
    r"|aufwärts|gelten|besteht",
    "fr": r"c'est|réussi\w{0,3}|échec|accept\w{0,4}|points?|étoiles?|pour|requis\w{0,15}|ou|et|est|sont|suffit"
    r"|minimum|au",
    "es": r"vale|pasa|aprueba\w?|suspen\w{0,4}|no|puntos?|estrellas?|para|en|o|y|ya|basta|es|como|se|mínimo"
    r"|neces\w{0,15}",
    "it": r"o|va|passa|basta|bocciat\w|punti|stelle|e|di|in|no|non|per|è|basta|punti",
    "pt": r"está|passa|aprova\w{0,3}|pontos?|estrelas?|em|reprov\w{0,15}|ou|já|é|pontos",
    "nl": r"geslaagd|gezakt|voldoende|onvoldoende|of (?:hoger|meer|beter)|punten|sterren|is|en|om",
}
"""Patterns of words that may follow a score, unlike a number that counts something else, by language."""

DECIDES = re.compile("|".join((*_DECIDES_IN.values(), *_FAILS_IN.values())), re.IGNORECASE)
FAILS = re.compile("|".join(_FAILS_IN.values()), re.IGNORECASE)
SAYS_PASS = re.compile("|".join(_PASSES_IN.values()), re.IGNORECASE)
REQUIRES = re.compile(
    r"\b(?:must|has to|have to|needs? to|should|ought to) (?:be|stay|remain|lie|come out|read)\b|\b(?:keep|stay)s?\b",
    re.IGNORECASE,
)
UNLESS = re.compile(
    r"\b(?:unless|other than|except(?: for)?|apart from|(?:is|are)(?:n't| not) (?=(?:an? )?\d)"
    r"|(?:anything|all|everything) but)\b",
    re.IGNORECASE,
)
"""Pattern of words before an exception to a verdict, such as "unless"."""

LIMIT_WORDS = (
    (re.compile("|".join(_OR_BETTER_IN.values()), re.IGNORECASE), False, None),
    (re.compile("|".join(_OR_WORSE_IN.values()), re.IGNORECASE), False, None),
    (re.compile("|".join(_AT_MOST_IN.values()), re.IGNORECASE), False, True),
    (re.compile("|".join(_AT_LEAST_IN.values()), re.IGNORECASE), False, False),
    (re.compile("|".join(_BETTER_IN.values()), re.IGNORECASE), True, None),
    (re.compile("|".join(_LESS_IN.values()), re.IGNORECASE), True, True),
    (re.compile("|".join(_MORE_IN.values()), re.IGNORECASE), True, False),
)
"""Rows with a pattern of words that compare scores with a limit, True if the limit itself is excluded, and True if the
words mean lower scores, False if higher ones (None if they mean better or worse scores, whichever of these are lower).

Words of one row may be part of a later row's.
"""
FOLLOWS = rf" ?(?:[-–+%.,;:()/*=!>→]|$|以|分|で|未)| ?(?:{'|'.join(_FOLLOWS_IN.values())})\b"
