"""Whether the low end of a scale in a text behind `llm-rubric` is the good one, by what both ends are said to mean."""

import re
from collections.abc import Mapping

from markscheme.rubrics.criterion import Level, Scale

_GOOD_IN: Mapping[str, str] = {
    "en": r"(?:very |really |perfectly |completely |totally |entirely )?(?:good|excellent|outstanding|perfect|fine"
    r"|clean|safe"
    r"|harmless|flawless|faultless|faithful|best|superb|great|acceptable|polite|clear|accurate|correct)\b"
    r"|what we want|ideal|(?:not(?: at all)?|no|none|nothing|zero|free of|without)\b",
    "de": r"(?:sehr |völlig )?(?:gut|harmlos|unbedenklich|fehlerfrei|sachlich)\b|ausgezeichnet|hervorragend|(?:keine?"
    r"|gar nicht)\b",
    "fr": r"(?:très )?(?:bien|bon|excellent|parfait)|(?:aucune?|pas)\b",
    "es": r"(?:muy )?(?:bien|bueno|buena)\b|excelente|perfecto|(?:ningún|ninguna|nada|sin)\b",
    "it": r"ottimo|eccellente|perfetto|(?:nessuna?|per niente|senza)\b",
    "pt": r"(?:muito )?(?:bom|boa)\b|excelente|perfeito|(?:nenhuma?|nada|sem)\b",
    "nl": r"(?:zeer )?goed\b|uitstekend|perfect|(?:geen|helemaal niet)\b",
}
"""How the meaning of an end begins that is good, by language."""
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
"""Words of the meaning of an end that is bad, by language."""
_GOOD = re.compile(rf"[^\w\n]{{0,9}}(?:{'|'.join(_GOOD_IN.values())})", re.IGNORECASE)
_BAD = re.compile(rf"\b(?:{'|'.join(_BAD_IN.values())})\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"\b(?:not|no|none|nothing|never|without|free of|kein\w{0,2}|nicht|pas|sin|ning\w{1,4}|nessun\w?|sem|geen"
    r"|niet)\b(?: \w{1,20}){0,3}",
    re.IGNORECASE,
)
"""What an end is said not to have."""
_LESS_IS_BETTER = re.compile(
    r"\b(?:lower|less|smaller|fewer) is better\b|\bthe (?:lower|less|smaller|fewer)\b.{0,40}\bthe better\b",
    re.IGNORECASE,
)


def best_end(text: str, scale: Scale) -> float | None:
    """Return the good end of a scale, by what a text says or both ends mean; None where nothing tells."""
    if _LESS_IS_BETTER.search(text):
        return scale.ends[0]
    low, high = (level.description or "" for level in (scale.levels[0], scale.levels[-1]))
    if _is_bad(high) and not _is_bad(low) and _is_good(low):
        return scale.ends[0]
    return scale.ends[1] if _is_bad(low) or _is_good(high) else None


def _is_good(meaning: str) -> bool:
    return _GOOD.match(meaning) is not None


def _is_bad(meaning: str) -> bool:
    return _BAD.search(_NEGATED.sub("", meaning)) is not None


def turned(scale: Scale) -> Scale:
    """Return a scale of whole numbers with its highest level first, the worst; raters choose the numbers as labels."""
    last = len(scale.levels) - 1
    levels = (
        Level(index / last, f"{level.value:g}", level.description) for index, level in enumerate(reversed(scale.levels))
    )
    return Scale(tuple(levels), by_label=True)
