"""Recognition of rubrics in another language than English, whose wording the advice can't judge."""

import re

from markscheme.rubrics.rubric import Rubric

_ENGLISH = re.compile(
    "the|and|that|to|are|it|does|with|which|has|not|for|this|says|gives|names|what|every|each|any|in|its"
    "|by|from|be|been|must|should|than|where|who|how|their|there|they|would|have|least|most|only|without"
    "|response|reply|answer|contains|mentions|states|uses|words"
)
"""Pattern of common English words, at least one of which nearly every English criterion has, and which are rare in
other languages."""
FEWEST_WORDS = 6
"""Smallest number of words of a rubric from which its language is determined; a judgement."""
LEAST_ENGLISH = 0.1
"""Smallest share of common English words in a rubric that counts as English: the seven English rubrics here have .21 to
.41, sentences in German, French, Dutch, Spanish and Italian up to .06."""


def is_in_english(rubric: Rubric) -> bool:
    """Return True if the criteria are in English, the only language for whose wording there is advice.

    A rubric of a few words counts as English if they are plain ASCII.

    Example:
        >>> from markscheme import Rubric
        >>> german = "Die Antwort nennt den n\u00e4chsten Schritt, den der Kunde tun kann."
        >>> is_in_english(Rubric.from_dict({"criteria": [{"name": "a", "requirement": german, "weight": 1}]}))
        False
    """
    words = [word for criterion in rubric.criteria for word in re.findall(r"\w+", criterion.requirement.casefold())]
    if len(words) < FEWEST_WORDS:
        return all(word.isascii() for word in words)
    return sum(_ENGLISH.fullmatch(word) is not None for word in words) >= LEAST_ENGLISH * len(words)
