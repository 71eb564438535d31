"""Advice on a valid rubric: wording that a judge and an annotator may understand differently, and unclear settings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from markscheme.phrases import brief, percent
from markscheme.rubrics.rubric import Criterion, Rubric

Code = Literal[
    "vague",
    "double-barrelled",
    "overlapping",
    "unanchored",
    "one-decides",
    "never-fails",
    "always-fails",
    "outweighed",
    "negated-fault",
    "too-many-levels",
    "split-up",
    "tie",
    "unreachable-limit",
]
"""Codes of the kinds of advice that follow from the rubric alone."""
CodeOfFile = Literal["noted", "unknown-check", "unused-gray-zone", "yaml"]
"""Codes of the kinds of advice that also need the rubric's file, modules with checks, or the folder next to it."""
MOST_PLAIN_LEVELS = 7
"""Largest number of levels whose neighbours raters can distinguish without anchors."""
_SAME_SIZE = 1e-9
"""Largest difference between a step and the tolerance at which they count as equal: scores are rounded to 9 decimals
before comparison."""
_SAME_QUESTION = 0.8
"""Smallest share of common words with which two criteria seem to ask the same."""

_VAGUE = re.compile(
    r"\b(good|nice|high[- ]quality|well[- ](written|done|structured)|appropriate(ly)?|proper(ly)?|reasonabl[ey]"
    r"|adequate(ly)?|sufficient(ly)?|suitabl[ey]|excellent|great|effective(ly)?|as needed|etc)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:the |an? |it )?(?:(?!(?:that|it|what|who|which)\b)\w+ ){0,2}"
    r"(?:(?:does|do|is|are|has|have|must|should)(?: not\b|n[’']t\b)|never\b|avoids?\b|refrains? from\b|free of\b"
    r"|(?:contains?|has|have|makes?|gives?|uses?) no\b)",
    re.IGNORECASE,
)
"""Pattern of a requirement whose main verb is negated; a negation further on is part of what is looked for."""
_JOINED = re.compile(r"\b(and|as well as|and/or)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?<=\w{3})(ing|ed|es|s|e)$")
_SAYS_LITTLE = re.compile(
    "a|an|and|any|are|as|at|be|been|by|do|does|each|every|for|from|has|have|in|is|it|its|no|not|of|on|or|so|than|that|the"
    "|their|there|they|this|to|was|were|which|with"
)


@dataclass(frozen=True, slots=True)
class Advice:
    """A suggestion to improve a rubric, about one criterion or the whole.

    Attributes:
        code: Code of the kind of problem, such as "vague".
        criterion: Name of the criterion; None for the whole rubric.
        message: Sentence on the problem and what to do about it.
    """

    code: Code | CodeOfFile
    criterion: str | None
    message: str


def advice(rubric: Rubric) -> list[Advice]:
    """List suggestions to improve a rubric: for each criterion, then for the whole.

    Example:
        >>> from markscheme import Rubric
        >>> rubric = Rubric.from_dict({"criteria": [{"name": "a", "description": "The text is good", "weight": 1}]})
        >>> [found.code for found in advice(rubric)]
        ['vague', 'unanchored']
    """
    of_criteria = [Advice(code, c.name, sentence) for c in rubric.criteria for code, sentence in _of_criterion(c)]
    return [*of_criteria, *_of_weights(rubric), *_of_agreement(rubric), *_overlaps(rubric)]


def _of_criterion(criterion: Criterion) -> Iterator[tuple[Code, str]]:
    if criterion.check is None:
        yield from _of_words(criterion)
    if criterion.required:
        yield from _of_failing(criterion)


def _of_words(criterion: Criterion) -> Iterator[tuple[Code, str]]:
    text = criterion.requirement
    levels = len(criterion.scale.levels)
    described = sum(level.description is not None for level in criterion.scale.levels)
    if not described and (vague := _VAGUE.search(text)):
        yield (
            "vague",
            f"“{vague.group(0)}” means different things to different people; say what a response must contain",
        )
    if levels > MOST_PLAIN_LEVELS and 2 * described < levels:
        yield (
            "too-many-levels",
            f"annotators can't distinguish {levels} levels without descriptions; use five that have one, or yes/no",
        )
    elif not described and levels > 2 and criterion.scale.ordered:
        yield (
            "unanchored",
            f"its {levels} levels have no descriptions, so raters may use them differently; "
            "describe each under `levels:`",
        )
    joined = len(_JOINED.findall(text)) + text.count(",") // 2
    if not described and joined >= 2:
        yield (
            "split-up",
            "it asks several things at once; split it into yes/no criteria, so that each gets its own verdict",
        )
    elif not described and joined == 1 and levels == 2:
        yield (
            "double-barrelled",
            "it asks two things at once; split it into two criteria, or say whether one of them is enough",
        )
    if criterion.weight < 0 and criterion.scale.is_yes_no and (negated := _NEGATED.match(text)):
        yield (
            "negated-fault",
            f"its weight is negative, so a response loses points where “{negated.group(0)} …” is true; say what a bad "
            "response does, or make the weight positive",
        )


def _of_failing(criterion: Criterion) -> Iterator[tuple[Code, str]]:
    passing = {criterion.passes(criterion.scale.position(value)) for value in criterion.scale.values}
    condition = f"it is required, and at threshold {criterion.threshold:g}"
    if passing == {True}:
        yield "never-fails", f"{condition} no level fails it"
    if passing == {False}:
        yield "always-fails", f"{condition} every level fails it"


def _of_weights(rubric: Rubric) -> Iterator[Advice]:
    if rubric.pass_mark == 0:
        yield Advice("never-fails", None, "at pass mark 0 every score passes")
    positive = {c.name: c.weight for c in rubric.criteria if c.weight > 0}
    total = sum(positive.values())
    for name, weight in positive.items():
        highest = (total - weight) / total
        if rubric.has_gate_question and len(positive) > 1 and weight / total >= rubric.pass_mark > highest:
            decides = f"it decides alone: it has {percent(weight / total)} of the weight, and the pass mark is"
            yield Advice("one-decides", name, f"{decides} {rubric.pass_mark:g}; lower its weight, or drop the others")
    for criterion in rubric.criteria:
        if positive and criterion.weight < 0 and -criterion.weight >= total:
            outweighs = "this fault alone takes all that can be earned; `required: true` says so openly"
            yield Advice("outweighed", criterion.name, outweighs)


def _of_agreement(rubric: Rubric) -> Iterator[Advice]:
    """Yield advice on limits that no judge can be shown to meet, and on a tolerance that makes ties likely."""
    yield from _ties(rubric)
    for key in ("max_false_pass", "max_false_fail"):
        if getattr(rubric, key) == 0:
            never = (
                f"{key} 0 can't be shown to be kept, however many labels there are; set the largest share you accept"
            )
            yield Advice("unreachable-limit", None, never)


def _ties(rubric: Rubric) -> Iterator[Advice]:
    """Yield advice on criteria where an error of a level, or half a level, moves the score by exactly the tolerance."""
    for criterion in rubric.criteria:
        levels = len(set(criterion.scale.values))
        if not criterion.scale.ordered or levels < 2:
            continue
        step = abs(criterion.weight) / rubric.whole_weight / (levels - 1)
        for size, called in ((step, "one level"), (step / 2, "half a level")):
            if abs(size - rubric.tolerance) <= _SAME_SIZE:
                wider = rubric.tolerance * 1.1
                narrower = rubric.tolerance * 0.9
                yield Advice(
                    "tie",
                    criterion.name,
                    f"{called} moves the score by exactly the tolerance ({rubric.tolerance:g}), which is a miss; set "
                    f"tolerance {brief(wider, 3)} to count it as agreement, or {brief(narrower, 3)} to keep it a miss",
                )


def _overlaps(rubric: Rubric) -> Iterator[Advice]:
    words_of = [(criterion.name, _telling_words(criterion.requirement)) for criterion in rubric.criteria]
    sized = [(name, words, len(words)) for name, words in words_of if words]
    for (first, words, size), (second, others, size_of_others) in combinations(sized, 2):
        if len(words & others) >= _SAME_QUESTION * (size if size < size_of_others else size_of_others):
            nearly = f"its words are nearly those of {first!r}; what both ask counts twice"
            yield Advice("overlapping", second, nearly)


def _telling_words(text: str) -> set[str]:
    """Return the set of a text's words in lower case, without words such as "the" and without endings such as "ing"."""
    return {_ENDING.sub("", word) for word in _WORD.findall(text.casefold()) if not _SAYS_LITTLE.fullmatch(word)}
