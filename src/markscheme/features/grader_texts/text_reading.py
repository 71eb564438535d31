"""What a text behind `llm-rubric` asks for: pass or fail, a score, or a verdict on each of several points.

Rules read it, no model. A text that asks for a score by no scale that they know gets one from 0 to 1, Promptfoo's own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from markscheme.rubrics.criterion import YES_NO, Level, Scale

_NUMBER = r"\d{1,4}(?:\.\d{1,3})?"
_MEANT = r"(?: ?\([^()\n]{1,99}\))?"
"""What an end of a scale means, after it."""
_RANGE = re.compile(
    rf"(?<![\d.])({_NUMBER}|-1(?:\.0)?) ?%?{_MEANT} ?(?:-|–|—|to|and|bis|à|al?|到|至|から) ?\+?({_NUMBER})(?![\d])",
    re.IGNORECASE,
)
_FOREIGN = (
    r"bewerte|notez? (?:la|le|les|cette|ce)\b|notez? l'|évaluez?|califica|puntúa|evalúa|valora|valuta|avalie"
    r"|.{0,99}(?:打分|评分|採点)"
)
_DIRECTIVE = re.compile(
    r"[ \"'*#>-]{0,9}(?:please |then |and )?(?:(?:rate|rating|score|scoring|grade|grading|assign|give|award|return"
    r"|provide|evaluate|assess|judge|estimate|what is|how)\b|output\b(?! (?:is|has|must|should|contains|names)\b)"
    rf"|on an? |use an? |the (?:score|rating|grade) |{_FOREIGN}"
    r"|.{0,99}\b(?<!not )(?<!n't )(?:write|give|return|end with) (?:the|your|a|one) (?:final |overall )?"
    r"(?:score|rating|grade)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that tells the grader what to answer, and not what the output has."""
_OF_SCORES = re.compile(
    r"\b(?:rat(?:e|ing)|scor(?:e|ing)|grad(?:e|ing)|scale|skala|stars|points|percentage|confidence|probability"
    rf"|(?:a|an|one|single) (?:number|integer))\b|{_FOREIGN}",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"[ \"'*#>-]{0,9}(?:please )?(?:(?:rate|score|grade) (?:the|how|this|it|each)\b"
    r"|.{0,99}\ba (?:score|rating|letter grade)\b)",
    re.IGNORECASE,
)
"""A score is asked for, on whatever scale."""
_WORDS = {"zero": 0, "one": 1, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_POINT_SCALE = re.compile(rf"\b(\d{{1,3}}|{'|'.join(_WORDS)})[- ]point (?:likert )?(?:scale|likert)", re.IGNORECASE)
_OUT_OF = re.compile(r"(?:\bout of|\btotal of|\bas (?:an? )?[xn_] ?/|\bscore ?/) ?(\d{1,3})\b", re.IGNORECASE)
_REACHED = re.compile(r"\bscores? (?:at least|above|more than|≥) ?\d{1,3} ?/ ?(\d{1,3})\b", re.IGNORECASE)
_COUNTED = re.compile(r"\bpoints? for\b|\bdeduct\b|\bsubtract\b", re.IGNORECASE)
_MOST_POINTS = re.compile(r"\b(?:maximum(?: of)?|max|up to|starting (?:at|from)) (\d{1,3})\b", re.IGNORECASE)
_CHOICES = re.compile(rf"\(({_NUMBER})(?:, {_NUMBER}){{0,20}},? or ({_NUMBER})\)")
_AS_PART = re.compile(r"\bas (?:an? )?[xn]/(\d{1,3})\b")
_HEADED = re.compile(rf"^[^\n.:(]{{1,40}}\(({_NUMBER}) ?[-–] ?({_NUMBER})\) ?:", re.MULTILINE)
_ANCHOR = re.compile(
    rf"(?:^ ?|(?<=[,;:] )|(?<=\. ))(?:[-*•] ?)?({_NUMBER})(?: ?[-–] ?({_NUMBER}))? ?(=|:|-|–) "
    rf"((?:(?![,.] (?:and |or )?{_NUMBER}(?: ?[-–] ?{_NUMBER})? ?(?:=|:|-|–) )[^\n;]){{1,999}})",
    re.MULTILINE,
)
"""A number or a range, and what it means, up to the next."""
_CONDITION = re.compile(rf"(?<![\d.])({_NUMBER}) (?:if|when|for|otherwise)\b[^,;.\n]{{0,999}}", re.IGNORECASE)
_A_SCORE = rf"({_NUMBER})(?= ?(?:[.,;:)/]|$|to\b|or\b|out\b|points?\b|stars?\b|passes\b|fails?\b))"
"""A number that counts nothing else."""
_PASSES = re.compile(
    rf"(?:at least|minimum of|reach(?:es)?|≥|>=|\bis) ?{_A_SCORE}|{_A_SCORE} or (?:higher|more|above|better|greater)"
    rf"|\bpass(?:es)? (?:from|at) ?{_A_SCORE}|(?:below|under|less than|<) ?{_A_SCORE} fails?\b",
    re.IGNORECASE,
)
_PASSES_ABOVE = re.compile(rf"(?:above|over|more than|greater than|>) ?{_A_SCORE}", re.IGNORECASE)
_DECIDES = re.compile(r"\bpass|\bfails?\b|\bthreshold|\bscores? at least", re.IGNORECASE)
_IF_IT_IS = r"(?:only )?(?:if (?:it|the \w{1,20}) is )?"
_MORE_IS_WORSE = re.compile(
    rf"\bfails? {_IF_IT_IS}(?:above|over|more than|greater than|at least|from|>|≥) ?{_NUMBER}"
    rf"|\bpass(?:es)? {_IF_IT_IS}(?:below|under|less than|at most|up to|<|≤) ?{_NUMBER}",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?]) |\n")
_POINT_LINE = re.compile(
    r" ?(?:\((?P<in>\w)\)|(?P<mark>\d{1,2}|[IVX]{1,4}|[A-Za-z])[.):]|(?P<dashed>\d{1,2}) [-–]"
    r"|(?P<bullet>[-*•✓✔☐]|\[ ?\]))"
    r" (?P<text>\S.*)"
)
_INLINE = re.compile(r"(?:^|(?<=\s))(?:\((\d{1,2}|[a-z])\)|(\d{1,2}|[a-z])[.)]) ")
_ALTERNATIVES = re.compile(
    r"\b(?:any|one|either|some|most|two|three|half|\d{1,2}) of\b|\bexamples?\b|\be\.g\.|\bor:?$", re.IGNORECASE
)
"""Words before a list by which its points aren't all required."""
_ALL_REQUIRED = re.compile(r"\ball\b.{0,99}\b(?:needed|required|hold|must|present|met)\b", re.IGNORECASE)
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_TABLE_OF_SCORES = re.compile(r"^ ?\|[^\n]{0,99}\b(?:score|rating|grade|points|level)\b", re.IGNORECASE | re.MULTILINE)
_TABLE_ROW = re.compile(rf"^ ?\| ?({_NUMBER}) ?\| ?([^|\n]{{1,999}})\|[^\n]{{0,999}}$", re.MULTILINE)
_TAGGED = re.compile(r"^ ?<\w{1,20}>([^<>\n]{1,999})</\w{1,20}>$", re.MULTILINE)
_TAG_ALONE = re.compile(r"^ ?</?\w{1,20}>$", re.MULTILINE)
_SPACES = re.compile(r"[^\S\n]+")
_MOST_LEVELS = 101
"""A rubric's scale has no more, and nobody writes a longer one for a grader."""
_TENTHS = 10
"""Between 0 and 1 people write one decimal."""


class TextReading(NamedTuple):
    """What a text asks for.

    Attributes:
        text: The text.
        scale: The scale of its answer: yes or no where it asks for no score.
        passes_from: The level from which it passes, where the text says; None where it doesn't.
        points: The points that it lists, each as a requirement of its own; empty where it has none.
        more_is_worse: Whether it asks for a score that fails where it is high, which is asked as pass or fail.
    """

    text: str
    scale: Scale = YES_NO
    passes_from: float | None = None
    points: tuple[str, ...] = ()
    more_is_worse: bool = False

    @property
    def asks_for_score(self) -> bool:
        """Whether pass or fail is not all that it asks for."""
        return not self.scale.is_yes_no

    @property
    def described(self) -> tuple[float, ...]:
        """The levels that the text describes one by one."""
        return tuple(level.value for level in self.scale.levels if level.description) if self.asks_for_score else ()

    @property
    def in_words(self) -> str:
        """What it asks for, as results and commands say it.

        Example:
            >>> read_text("Rate the tone from 1 to 5. Pass if it is at least 4.").in_words
            'a score from 1 to 5; passes from 4'
        """
        if self.more_is_worse:
            return "pass or fail, since more is worse on its scale"
        if not self.asks_for_score:
            return f"{len(self.points)} points, each pass or fail" if self.points else "pass or fail"
        low, high = self.scale.ends
        words = f"a score from {low:g} to {high:g}"
        words += f", {len(self.described)} levels described" if self.described else ""
        return words if self.passes_from is None else f"{words}; passes from {self.passes_from:g}"


def read_text(text: str) -> TextReading:
    """Return what a text asks for."""
    words = _as_lines(_SPACES.sub(" ", text).strip())
    scale = _scale(words)
    if scale is None:
        return TextReading(text, points=_points(words))
    if _MORE_IS_WORSE.search(words):
        return TextReading(text, more_is_worse=True)
    return TextReading(text, scale, _passes_from(words, scale))


def _as_lines(text: str) -> str:
    """Return a text whose tables and tags are lines, as most people write levels and points."""
    row = r"\1 = \2" if _TABLE_OF_SCORES.search(text) else r"\1. \2"
    return _TAG_ALONE.sub("", _TAGGED.sub(r"- \1", _TABLE_ROW.sub(row, text)))


# --- scores ---------------------------------------------------------------------------------------------------------


def _scale(text: str) -> Scale | None:
    """Return the scale on which a text asks for a score; None where it asks for none."""
    directives = [sentence for sentence in _SENTENCE_END.split(text) if _DIRECTIVE.match(sentence)]
    asking = [sentence for sentence in directives if _OF_SCORES.search(sentence)]
    ends = _ends(text, asking)
    anchors = _anchors(text, is_score=bool(ends or asking or any(map(_asks_how, directives))))
    if ends is None and anchors:
        ends = _ends_of_anchors(text)
    if ends is None:
        conditions = _conditions(asking)
        if len(conditions) > 2:
            return _of_levels(conditions)
        if conditions or not any(map(_BARE.match, asking)):
            return None
        ends = (0.0, 1.0)
    return _between(*ends, anchors)


def _asks_how(sentence: str) -> bool:
    """Return True if a sentence asks for a degree."""
    return sentence.strip().lower().startswith("how ")


def _ends(text: str, asking: Sequence[str]) -> tuple[float, float] | None:
    """Return the ends of a scale that sentences name which ask for a score."""
    for sentence in asking:
        in_digits = _WORD.sub(lambda word: str(_WORDS[word[0].lower()]), sentence)
        for low, high in (*_RANGE.findall(in_digits), *_CHOICES.findall(in_digits)):
            if _are_ends(float(low), float(high)):
                return float(low), float(high)
    point_scale = _POINT_SCALE.search(text)
    if point_scale:
        return 1.0, float(_WORDS.get(point_scale[1].lower()) or point_scale[1])
    out_of = next(filter(None, map(_OUT_OF.search, asking)), None) or _AS_PART.search(text) or _REACHED.search(text)
    if not out_of and _COUNTED.search(text):
        out_of = _MOST_POINTS.search(text)
    if out_of:
        return 0.0, float(out_of[1])
    headed = {(float(low), float(high)) for low, high in _HEADED.findall(text)}
    return next(iter(headed)) if len(headed) == 1 and _are_ends(*next(iter(headed))) else None


def _are_ends(low: float, high: float) -> bool:
    return (low in (0, 1) and low < high < _MOST_LEVELS) or (low, high) == (-1, 1)


def _anchors(text: str, *, is_score: bool) -> dict[float, str]:
    """Return the levels that a text describes one by one; numbers before points of a list are none."""
    anchors = [(float(low), high, sign, words) for low, high, sign, words in _ANCHOR.findall(text)]
    values = [low for low, *_ in anchors]
    are_points = values == [float(index) for index in range(1, len(values) + 1)] and not any(h for _, h, *_ in anchors)
    if len(anchors) < 2 or (are_points and not is_score and all(sign != "=" for *_, sign, _ in anchors)):
        return {}
    described = {low: words.strip(" .,") for low, high, _, words in anchors if not high}
    return described or {-1.0: ""}


def _ends_of_anchors(text: str) -> tuple[float, float]:
    """Return the ends of the scale whose levels, or ranges of levels, a text describes."""
    values = [float(value) for low, high, *_ in _ANCHOR.findall(text) for value in (low, high) if value]
    return (0.0, 1.0) if max(values) <= 1 else (min(values), max(values))


def _conditions(asking: Sequence[str]) -> dict[float, str]:
    """Return the scores that a text gives for what an output does, with that."""
    return {
        float(match[1]): match[0].removeprefix(match[1]).strip()
        for sentence in asking
        for match in _CONDITION.finditer(sentence)
    }


def _between(low: float, high: float, described: Mapping[float, str]) -> Scale:
    """Return the scale from a lowest to a highest score: whole numbers, tenths of 0 to 1, or what is described."""
    inside = {value: words for value, words in described.items() if low <= value <= high}
    if high - low < 2:
        is_whole = len(inside) > 2 and {low, high} <= inside.keys()
        tenths = {low + (high - low) * step / _TENTHS: "" for step in range(_TENTHS + 1)}
        return _of_levels(inside if is_whole else {**tenths, **inside})
    whole = {float(value): "" for value in range(int(low), int(high) + 1)}
    return _of_levels({**whole, **inside})


def _of_levels(described: Mapping[float, str]) -> Scale:
    return Scale(tuple(Level(value, description=described[value] or None) for value in sorted(described)))


def _passes_from(text: str, scale: Scale) -> float | None:
    """Return the level from which a text passes an output, where it says."""
    for sentence in _SENTENCE_END.split(text):
        if not _DECIDES.search(sentence):
            continue
        above = _PASSES_ABOVE.search(sentence)
        if above:
            return next((value for value in scale.values if value > float(above[1])), None)
        match = _PASSES.search(sentence)
        value = float(next(filter(None, match.groups()))) if match else None
        if value is not None and scale.ends[0] <= value <= scale.ends[1]:
            return value
    return None


# --- points ---------------------------------------------------------------------------------------------------------


def _points(text: str) -> tuple[str, ...]:
    """Return the points that a text lists, each with the words before and after the list that hold for all."""
    lists, after = _listed(text)
    if sum(len(items) for _, items in lists) < 2:
        lists, after = [_listed_inline(text)], ""
    if sum(len(items) for _, items in lists) < 2 or any(_ALTERNATIVES.search(before.rstrip()) for before, _ in lists):
        return ()
    tail = "" if not after.strip() or _ALL_REQUIRED.search(after) else f" {' '.join(after.split())}"
    return tuple(f"{_lead(before)}{' '.join(item.split())}{tail}" for before, items in lists for item in items)


def _lead(before: str) -> str:
    """Return the words before a list as its points begin with them."""
    lead = " ".join(before.replace("#", " ").split()).removesuffix(":")
    return "" if len(lead.split()) < 2 or lead.casefold() == "check that" else f"{lead} "


def _listed(text: str) -> tuple[list[tuple[str, list[str]]], str]:
    """Return the lists of lines, each with what stands before it, and what stands after the last."""
    lists: list[tuple[str, list[str]]] = []
    between: list[str] = []
    for line in text.splitlines():
        point = _POINT_LINE.fullmatch(line.rstrip())
        items = lists[-1][1] if lists else []
        if point and not between and lists and _continues(point, len(items)):
            items.append(point["text"])
        elif point and (between or not lists) and _continues(point, 0):
            lists.append(("\n".join(between), [point["text"]]))
            between = []
        elif items and not between and (not line.strip() or line[:1].isspace()):
            items[-1] += f" {line.strip()}"
        else:
            between.append(line)
    return lists, "\n".join(between)


def _continues(point: re.Match[str], index: int) -> bool:
    """Return whether a mark is the next of a list."""
    return point["bullet"] is not None or _is_next(point["in"] or point["mark"] or point["dashed"], index)


def _is_next(mark: str, index: int) -> bool:
    roman = _ROMAN[index] if index < len(_ROMAN) else None
    return mark in (str(index + 1), chr(ord("a") + index), chr(ord("A") + index), roman)


def _listed_inline(text: str) -> tuple[str, list[str]]:
    """Return what stands before a list within a line, and its items."""
    marks = list(_next_marks(text))
    if len(marks) < 2:
        return text, []
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    items = [text[mark.end() : end].strip(" ,;.\n") for mark, end in zip(marks, ends, strict=True)]
    return text[: marks[0].start()], items


def _next_marks(text: str) -> Iterator[re.Match[str]]:
    index = 0
    for mark in _INLINE.finditer(text):
        if _is_next(mark[1] or mark[2], index):
            index += 1
            yield mark
