"""Decides whether a list in an `llm-rubric` text states requirements, by its points and the words around it."""

import re
from collections.abc import Sequence

from markscheme.features.grader_texts.grader_sentences import without_lead
from markscheme.features.grader_texts.listed_lines import TextList
from markscheme.features.grader_texts.text_lines import sentences

_ALTERNATIVES = re.compile(
    r"(?<!every )(?<!each )\b(?:any|one|either|some|most|two|three|half|\d{1,2}|one or more) of\b|\b\w{2,20}est of\b"
    r"|\bsuch as (?:these|the following)\b|\b(?:or|such as|for instance|(?<!looks )(?<!look )like|including|which):?$",
    re.IGNORECASE,
)
"""Pattern of words before a list that make its points alternatives, so that not all are required."""
_EXAMPLES = re.compile(r"\bexamples?\b|\be\.g\.", re.IGNORECASE)
"""Pattern of words, anywhere before a list, that make its points examples."""
_NONE_OF = re.compile(
    r"\b(?:fails?|failed|reject\w{0,2}|wrong|not|never|n't|none)\b(?!.{0,40}\b(?:contain|include|use|mention)\b).{0,60}"
    r"\b(?:any|one|either) of (?:the following|these|those)\b[^.!?]{0,40}$",
    re.IGNORECASE,
)
"""Pattern of words before a list of faults, any one of which fails an output."""
_ANY_MISSING = re.compile(
    r"\bany (?:one )?of (?:them|these|those|the \w{1,20})\b"
    r".{0,30}(?:n't|\b(?:not|missing|lacking|violated|fails?|false))\b"
    r".{0,60}\b(?:fail\w{0,4}|reject\w{0,2})\b",
    re.IGNORECASE,
)
"""Pattern of words before a list by which an output fails if one of its points is missing."""
_SOME_SUFFICE = re.compile(
    r"^(?!.{0,99}(?:n't\b|\b(?:fail\w{0,4}|not|every|each|violat\w{2,3}|breaks?|breach\w{0,3}|missing|leaving)\b)).{0,99}"
    r"\b(?:any|one|either|some|most|two|three|half|\d{1,2}) of (?:the|these|those|them)\b"
    r"|^(?!.{0,99}\b(?:fails?|failed|violat\w{2,5}|breaks?|breach\w{0,3}|missing)\b).{0,99}"
    r"\b(?:any|at least|one|two|three|\d{1,2})\b.{0,40}\b(?:is enough|are enough|suffices?|will do)\b"
    r"|\bat least (?:one|two|three|four|half|most|\d{1,2})\b.{0,40}\b(?:met|hold|true|present|satisfied|fulfilled)\b",
    re.IGNORECASE,
)
"""Pattern of words after a list by which not all of its points are required."""
_ALL_COUNT = re.compile(
    r"\b(?:pass|accept|correct)\w{0,3}\b.{0,60}\b(?:all|each|every one) of (?:the above|these|those|them|the points)\b",
    re.IGNORECASE,
)
"""Pattern of words after a list by which an output that meets all of its points passes."""
_MEASURED_BY_LIST = re.compile(
    r"\b(?:contradicts?|contradicting|consistent with|in line with|agrees? with|match(?:es)?|based on|backed by)\b"
    r".{0,30}\b(?:this|these|that|those|it|them|above|list|facts|information)\b",
    re.IGNORECASE,
)
"""Pattern of words by which an output is compared with a whole list of facts, as in "consistent with the list
above"."""
_MODAL = re.compile(
    r"\b(?:should|must|shall|has to|have to|needs? to|if|when|provided that)(?: (?:it|the \w{1,20}))?:?$", re.IGNORECASE
)
_OBLIGES = re.compile(
    rf"{_MODAL.pattern}|\b(?:check|verify|ensure|confirm|make sure|look)(?: that| whether| if| for)?:?$"
    r"|^(?:please )?(?:evaluate|grade|judge|check|assess|score|mark|review|verify|confirm|test)\b"
    r"(?!.{0,99}\b(?:reference|source|facts|context|document|original|passage)s?\b)"
    r"|^what (?:an?|the|every) |\b(?:satisf(?:y|ies)|meets?|fulfils?|comply|complies)\b[^.!?]{0,60}$"
    r"|\b(?:true|met|holds?|satisfied|fulfilled)\b[^.!?]{0,20}$|\b(?:checked|judged|tested) (?:by|against|on)\b"
    r"|\b(?:i|we)(?:'d| would)? (?:\w{1,20} )?(?:expect|want|need|look for|require|check|hope"
    r"|like to see)\b[^.!?]{0,40}$",
    re.IGNORECASE,
)
"""Pattern of the end of the words before a list that say what an output must do or have."""
_RULES = r"(?:criteria|requirements|checks|rules|conditions|points)"
_TEXT = r"(?:answer|output|response|reply|solution|text|summary|translation|version|message|steps)s?"
_THE_USER = r"the (?:user|customer|patient|client|caller|student|traveller|guest|company|shop|store)s?"
_ASIDE = re.compile(
    r"\b(?:not|n't|never) contradict\b[^.!?]{0,40}$|\bcounts? against\b|"
    rf"^(?:here|these|this|those|the following) (?:is|are)\b(?!.{{0,60}}\b{_RULES}\b)"
    r"|^(?:for )?(?:context|background|reference|source|facts|known|given|notes?|remarks|hints)\b"
    r"|\bbecause:?$|\b(?:ranks?|sorts?|ranking)\b[^.!?]{0,40}$|\b(?:ignore|doesn't matter|irrelevant)\b[^.!?]{0,40}$"
    r"|^(?!the (?:answer|output|reply|response"
    r"|summary|bot|assistant|agent|email|text)\b).{0,60}\b(?:says|states|reads):?$|\b(?:verbatim|word for word)\b"
    r"|\b(?:based|supported|grounded|backed)\b.{0,20}\b(?:on|by"
    r"|in) (?:the following|these|this)\b|^question\b|\boptions?\b[^.!?]{0,20}$|,? which (?:is|are|reads?|says?):?$"
    r"|\bin (?!any\b|whatever\b)(?:\w{1,20} ){0,3}(?:order|sequence)\b[^.!?]{0,40}$"
    r"|\b(?:follows?|keeps?|preserves?) (?:\w{1,20} ){0,3}(?:order|sequence)\b[^.!?]{0,60}$"
    r"|\bnothing else\b[^.!?]{0,20}$"
    r"|\b(?:uses?|use of|mentions?|names?|recommends?|contains?) only (?:the|these)\b[^.!?]{0,60}$"
    rf"|\bagrees? with (?:these|this|the following)\b(?!.{{0,40}}\b(?:{_RULES}|guidelines|policies|principles)\b)"
    r"|\b(?:agrees? with|(?:consistent|in line) with|contradicts?) (?:\w{1,20} ){0,3}"
    r"(?:following|facts|figures|data|information|statements)\b"
    rf"|\b(?:same|equivalent|identical|similar|equal)\b.{{0,40}}\b(?:to|as)\b(?!.{{0,40}}\b{_RULES}\b)[^.!?]{{0,40}}$"
    rf"|\b(?:reference|ideal|expected|gold(?:en)?|model|sample|target|original|correct) (?:\w{{1,20}} )?{_TEXT}:?$"
    r"|\b(?:reference|ground truth):?$"
    r"|\b(?:acceptable|accepted|valid|allowed|permitted|possible|correct) (?:\w{1,20} )?\w{1,20}s"
    r"(?: (?:include|are|would be|could be|might be|look like)\b[^.!?]{0,20})?:?$"
    r"|\b(?:typical|common|usual) (?:\w{1,20} ){1,5}(?:include|are|look like):?$"
    r"|\b(?:avoids?|without|free of|not|never|n't|banned|forbidden|no)\b[^.!?]{0,60}"
    r"\b(?:words|phrases|terms|expressions|wordings|buzzwords|names|ingredients)\b[^.!?]{0,40}$"
    r"|\blike this:?$|^(?:the )?(?:user|customer) (?:profile|preferences|details)\b"
    r"|^(?:the )?(?:request|knowledge base|inventory)s?:?$"
    r"|^(?:conversation|passages|documents|sources|chunks|snippets|articles"
    r"|dialogue|transcript|(?:chat )?history)\b|\bavailable\b[^.!?]{0,30}$"
    r"|\b(?:consistent|in line) with (?:\w{1,20} ){0,3}(?:policy|policies|terms|schedule|menu|catalogue?|price list)\b"
    r"|^(?:instructions|(?:evaluation |grading )?(?:steps|procedure|process)|how to (?:grade|evaluate|judge))\b"
    rf"|^{_THE_USER} (?:(?:message|question|input|prompt) )?(?:has|have|had|is|are|was|prefers?|wants?|asked|said"
    r"|bought|owns?|sent|chose|got|took|\w{2,20}ed"
    rf"|wrote|provided)\b"
    r"|\b(?:this|the following) list:?$|\b(?:is|are) (?:known|given|provided|available)\b",
    re.IGNORECASE,
)
"""Pattern of a sentence before a list that only states facts or possibilities, and nothing that an output must meet."""
_OF_OUTPUT = re.compile(
    rf"the (?:{_TEXT}|bot|chatbot|assistant|agent|model|email|letter)\b (?!(?:is|was) (?:grounded|based)\b)",
    re.IGNORECASE,
)
"""Pattern of the beginning of a point that says what an output must do or have, whatever introduces the list."""
_PROCEDURE = re.compile(r"(?:read|identify|look at|go through|open|compare)\b", re.IGNORECASE)
"""Pattern of the beginning of a grader's first step, such as "Read"."""
_CHECKS = re.compile(
    r"(?:step \d{1,2}: )?(?:check|verify|confirm|ensure|make sure) (?:that|whether|if)\b", re.IGNORECASE
)
"""Pattern of the beginning of a step that is a requirement, whatever introduces the list."""
_SAME = re.compile(
    r"\b(?:verbatim|word for word|same|order|sequence|examples?|steps|include)\b|\be\.g\.", re.IGNORECASE
)
_PLACEHOLDER = re.compile(r"\{\{[^{}]{1,60}\}\}")
_PHRASE = re.compile(r"[\"“„][^\"”\n]{1,400}[\"”“][.,;]?")


def required(lists: Sequence[TextList], after: str) -> Sequence[TextList]:
    """Return those lists of which an output must meet every point, by the words before and after them."""
    if _SOME_SUFFICE.search(after) or _MEASURED_BY_LIST.search(after):
        return ()
    if any(_EXAMPLES.search(before) for before, _ in lists):
        return ()
    leads = [_last_sentence(before) for before, _ in lists]
    if any(_ALTERNATIVES.search(lead) and not (_NONE_OF.search(lead) or _ANY_MISSING.search(lead)) for lead in leads):
        return ()
    return lists if _ALL_COUNT.search(after) else [listed for listed in lists if not _is_aside(listed)]


def _is_aside(listed: TextList) -> bool:
    """Return True if a list gives only facts, permissions or the grader's steps, so that no point of it is required."""
    before, items = listed
    lead = _last_sentence(before)
    if all(_PHRASE.fullmatch(item.strip()) for item in items) or all(map(_PLACEHOLDER.fullmatch, items)):
        return True
    if all(map(_CHECKS.match, items)):
        return False
    if all(map(_OF_OUTPUT.match, items)) and not _SAME.search(lead):
        return False
    is_procedure = _PROCEDURE.match(items[0]) and not _MODAL.search(lead)
    return bool(is_procedure or (_ASIDE.search(lead) and not _OBLIGES.search(lead)))


def _last_sentence(before: str) -> str:
    """Return the last sentence of the words before a list, without heading marks."""
    leading = [sentence.strip(" #*.>") for sentence in sentences(before)]
    return without_lead(next(filter(None, reversed(leading)), ""))
