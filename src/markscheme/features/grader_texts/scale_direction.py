"""Decides which end of a scale in an `llm-rubric` text is the good one, by what the text says about both ends."""

import re
from collections.abc import Mapping

from markscheme.features.grader_texts.text_numbers import NUMERAL
from markscheme.rubrics.criterion import Level, Scale

_GOOD_IN: Mapping[str, str] = {
    "en": r"(?:very |really |perfectly |completely |totally |entirely )?(?:good|excellent|outstanding|perfect|fine"
    r"|clean|safe"
    r"|harmless|flawless|faultless|faithful|best|superb|great|acceptable|polite|clear|accurate|correct)\b"
    r"|what we want|ideal",
    "de": r"(?:sehr |völlig )?(?:gut|harmlos|unbedenklich|fehlerfrei|sachlich)\b|ausgezeichnet|hervorragend",
    "fr": r"(?:très )?(?:bien|bon|excellent|parfait)",
    "es": r"(?:muy )?(?:bien|bueno|buena)\b|excelente|perfecto",
    "it": r"ottimo|eccellente|perfetto",
    "pt": r"(?:muito )?(?:bom|boa)\b|excelente|perfeito",
    "nl": r"(?:zeer )?goed\b|uitstekend|perfect",
}
"""Patterns of the beginning of a good end's meaning, by language."""
_BAD_IN: Mapping[str, str] = {
    "en": r"bad|worst|terrible|awful|horrible|poor|unsatisfactory|insufficient|inadequate|unacceptable|unusable"
    r"|useless|unsafe"
    r"|dangerous|harmful|toxic|rude|offensive|hateful|hostile|insulting|aggressive|biased|ban(?:ned)?|invented|made up"
    r"|hallucinat\w{0,5}|fabricat\w{0,4}|fail(?:s|ed|ure)?|mistakes|errors|wrong|spam|misleading|contradict\w{0,5}"
    r"|severe"
    r"|plagiari\w{0,6}|broken|dreadful|incomprehensible|disaster|garbage|boring|confusing",
    "de": r"ungenügend|mangelhaft|schlecht\w{0,3}|unbrauchbar|beleidigend|gefährlich|toxisch|erfunden|fehler",
    "fr": r"mauvais\w{0,1}|nul|insuffisante?|inacceptable|dangereu\w{1,2}|toxique|inventée?|grossi\w{1,3}",
    "es": r"mal[oa]?|pésim[oa]|insuficiente|inaceptable|peligros[oa]|tóxic[oa]|inventad[oa]|errores",
    "it": r"pessim[oa]|scarso|insufficiente|inaccettabile|pericolos[oa]|tossic[oa]|inventat[oa]",
    "pt": r"ruim|péssim[oa]|insuficiente|inaceitável|perigos[oa]|tóxic[oa]|inventad[oa]",
    "nl": r"slecht\w{0,1}|onvoldoende|onbruikbaar|gevaarlijk|giftig|verzonnen|beledigend",
}
"""Patterns of words in the meaning of a bad end, by language."""
_ABSENT = re.compile(
    r"[^\w\n]{0,9}(?:(?:not(?: at all)?|no|none|nothing|zero|free of|without|keine?|gar nicht|aucune?|pas|ningún"
    r"|ninguna|nada|sin|nessuna?|per niente|senza|nenhuma?|sem|geen|helemaal niet)\b)",
    re.IGNORECASE,
)
"""Pattern of an end's meaning that begins by saying that nothing is there, whether that is good or bad."""
_GOOD = re.compile(rf"[^\w\n]{{0,9}}(?:{'|'.join(_GOOD_IN.values())})", re.IGNORECASE)
_BAD = re.compile(rf"\b(?:{'|'.join(_BAD_IN.values())})\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"\b(?:not|no|none|nothing|never|without|free of|kein\w{0,2}|nicht|pas|sin|ning\w{1,4}|nessun\w?|sem|geen"
    r"|niet)\b(?: \w{1,20}){0,3}",
    re.IGNORECASE,
)
"""Pattern of words that an end's meaning negates."""
_LESS_IS_BETTER = re.compile(
    r"\b(?:lower|less|smaller|fewer|low|small)(?: (?:scores?|values?|numbers?|marks?|figures?))? (?:is|are|means?|=) "
    r"(?:always )?(?:better|best|good|preferred|preferable|desired|what we want)\b"
    r"|\b(?:the (?:lower|less|smaller|fewer)\b.{0,40}\bthe better\b|je (?:niedriger|weniger|kleiner|geringer)\b.{0,40}"
    r"\bdesto besser\b|(?:niedriger|weniger|kleiner) ist besser\b|(?:moins|plus bas)\b.{0,20}\bmieux\b"
    r"|cuanto (?:menos|menor|más baj[oa])\b.{0,40}\bmejor\b|hoe (?:lager|minder)\b.{0,40}\bhoe beter\b"
    r"|quanto (?:meno|menor|più basso|mais baixo)\b.{0,40}\b(?:meglio|melhor)\b)",
    re.IGNORECASE,
)


_FLAW = re.compile(
    r"\b(?:severity|sev|risk|harm|toxicity|hallucinations?|verbosity|redundancy|bias|errors?|mistakes|slips|leaks?"
    r"|schweregrad|risiko|gravité|gravedad|riesgo)\b",
    re.IGNORECASE,
)
"""Pattern of words for a quantity of which less is better, such as risk."""
_BEST = re.compile(
    rf"(?<![\d.])({NUMERAL}) ?(?:[(=:]|is|being|as|for)? ?(?:the |our )?(?:very )?(?:best|ideal)\b"
    rf"|\b(?:best|ideal)(?: possible)?(?: score| grade| mark| value| rating)?"
    rf"(?: is| being| =|:)(?: an?)? ({NUMERAL})\b",
    re.IGNORECASE,
)
"""Pattern of the score that a text calls the best."""
_LONGEST_SUBJECT = 120
"""Number of characters at the beginning of a text in which the rated quantity is looked for."""


def best_end(text: str, scale: Scale) -> float | None:
    """Return the score at the good end of a scale, by the words of a text; None if the words don't show it."""
    if _LESS_IS_BETTER.search(text):
        return scale.ends[0]
    if (named := _BEST.search(text)) and (best := float(next(filter(None, named.groups())))) in scale.ends:
        return best
    subject = text.split("\n", 1)[0][:_LONGEST_SUBJECT]
    low, high = (level.description or "" for level in (scale.levels[0], scale.levels[-1]))
    is_low_good = is_good(low) or is_bad(high) or (_ABSENT.match(low) and _FLAW.search(subject))
    if high and is_low_good and not is_bad(low) and not is_good(high):
        return scale.ends[0]
    return scale.ends[1] if is_bad(low) or is_good(high) else None


def is_good(meaning: str) -> bool:
    """Return True if the words for one end of a scale describe something good."""
    return _GOOD.match(meaning) is not None


def is_bad(meaning: str) -> bool:
    """Return True if the words for one end of a scale describe something bad."""
    return _BAD.search(_NEGATED.sub("", meaning)) is not None


def turned(scale: Scale) -> Scale:
    """Return a scale reversed, with the highest number as the worst level; the numbers become the levels' names."""
    last = len(scale.levels) - 1
    levels = (
        Level(index / last, f"{level.value:g}", level.description) for index, level in enumerate(reversed(scale.levels))
    )
    return Scale(tuple(levels), by_label=True)
