"""The points that a text behind `llm-rubric` lists, each a requirement of its own."""

import re
from collections.abc import Iterator

_NUMBERED = (
    r"criteri(?:on|um)|criterio|critère|kriterium|requirement|anforderung|point|punkt|punto|check|rule|regel|condition"
    r"|question|frage|item|test|assertion"
)
"""Words before the number of a point; steps, turns and days are none."""
_POINT_LINE = re.compile(
    r" ?\*{0,2}(?:\((?P<in>\w)\)"
    rf"|(?:(?:(?:{_NUMBERED}) ?#?|#|[A-Z](?=\d))?(?P<mark>\d{{1,2}})|(?P<letter>[IVX]{{1,4}}|[A-Za-z]))[.):]"
    rf"|(?:(?:(?:{_NUMBERED}) ?#?|#|[A-Z](?=\d)))?(?P<dashed>\d{{1,2}}) [-–—]"
    r"|(?P<bullet>[-*•✓✔☐□▪◦·–—+→‣]|[-*]? ?\[ ?\]))\*{0,2}"
    r" (?P<text>\S.*)",
    re.IGNORECASE,
)
_INLINE = re.compile(r"(?:^|(?<=\s))(?:\((\d{1,2}|[a-z])\)|(\d{1,2}|[a-z])[.)]) ")
_ALTERNATIVES = re.compile(
    r"\b(?:any|one|either|some|most|two|three|half|\d{1,2}) of\b|\bexamples?\b|\be\.g\.|\bor:?$", re.IGNORECASE
)
"""Words before a list by which its points aren't all required."""
_SOME_SUFFICE = re.compile(
    r"\b(?:any|one|either|some|most|two|three|half|\d{1,2}) of (?:the|these|those|them)\b"
    r"|\b(?:any|at least|one|two|three|\d{1,2})\b.{0,40}\b(?:is enough|are enough|suffices?|will do)\b"
    r"|\bat least (?:one|two|three|four|half|most|\d{1,2})\b.{0,40}\b(?:met|hold|true|present|satisfied|fulfilled)\b",
    re.IGNORECASE,
)
"""Words after a list by which its points aren't all required."""
_ALL_REQUIRED = re.compile(r"\ball\b.{0,99}\b(?:needed|required|hold|must|present|met|true)\b", re.IGNORECASE)
_FACTS = re.compile(
    r"(?:^|(?<=[.:!?] ))(?:(?:here|these|this|those|the following) (?:is|are)\b"
    r"(?!.{0,60}\b(?:criteria|requirements|checks|rules|conditions|points)\b)"
    r"|(?:for )?(?:context|background|reference|source|facts|known|given)\b)[^.!?]{0,99}$",
    re.IGNORECASE,
)
"""How the sentence before a list begins that says what is so, and not what the output has to have."""
_MEASURED_BY_LIST = re.compile(
    r"\b(?:contradicts?|contradicting|consistent with|in line with|agrees? with|match(?:es)?|based on|backed by)\b"
    r".{0,30}\b(?:this|these|that|those|it|them|above|list|facts|information)\b",
    re.IGNORECASE,
)
"""What an output has to do with a list of facts as a whole."""
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")


def points_of(text: str) -> tuple[str, ...]:
    """Return the points that a text lists, each with the words before and after the list that hold for all."""
    lists, after = _listed(text)
    if sum(len(items) for _, items in lists) < 2:
        lists, after = [_listed_inline(text)], ""
    if sum(len(items) for _, items in lists) < 2 or any(_ALTERNATIVES.search(before.rstrip()) for before, _ in lists):
        return ()
    if _SOME_SUFFICE.search(after) or any(_are_facts(before, after) for before, _ in lists):
        return ()
    tail = "" if not after.strip() or _ALL_REQUIRED.search(after) else f" {' '.join(after.split())}"
    return tuple(f"{_lead(before)}{' '.join(item.split())}{tail}" for before, items in lists for item in items)


def _are_facts(before: str, after: str) -> bool:
    """Return whether a list says what is so, by the sentence before it or by what is asked after it."""
    words = " ".join(before.split())
    return _FACTS.search(words) is not None or _MEASURED_BY_LIST.search(after) is not None


def _lead(before: str) -> str:
    """Return the words before a list as its points begin with them."""
    lead = " ".join(before.replace("#", " ").split()).removesuffix(":")
    return "" if len(lead.split()) < 2 or lead.casefold() == "check that" else f"{lead} "


def _listed(text: str) -> tuple[list[tuple[str, list[str]]], str]:
    """Return the lists of lines, each with what stands before it, and what stands after the last."""
    listed = _ListedLines()
    for line in text.splitlines():
        listed.add(line)
    return listed.lists, "\n".join(listed.between)


class _ListedLines:
    """The lists in a text, which is taken line by line.

    Attributes:
        lists: The points of each, with the words before it.
        between: The lines since the last point.
    """

    def __init__(self) -> None:
        self.lists: list[tuple[str, list[str]]] = []
        self.between: list[str] = []
        self._numbered = 0
        self._is_indented = False

    def add(self, line: str) -> None:
        """Take a line as a point, as the rest of the last one, or as words between lists."""
        point = _POINT_LINE.fullmatch(line.rstrip())
        goes_on = bool(self.lists) and not self.between
        if point and (self._is_next_point(point, line) if goes_on else self._begins_list(point, line)):
            self.lists[-1][1].append(point["text"])
            self._numbered = self._numbered + 1 if _continues(point, self._numbered) else 1
        elif goes_on and (not line.strip() or line[:1].isspace()):
            self.lists[-1][1][-1] += f" {line.strip()}"
        else:
            self.between.append(line)

    def _is_next_point(self, point: re.Match[str], line: str) -> bool:
        """Return whether a mark goes on with the last list; one that stands further in belongs to the last point."""
        is_below = line[:1].isspace() and not self._is_indented
        return not is_below and _continues(point, len(self.lists[-1][1]), self._numbered)

    def _begins_list(self, point: re.Match[str], line: str) -> bool:
        """Begin a list where a mark is a first one, or the next of numbers that run through all lists."""
        begins = _continues(point, 0) or (bool(self.lists) and _continues(point, self._numbered))
        if begins:
            self.lists.append(("\n".join(self.between), []))
            self.between = []
            self._is_indented = line[:1].isspace()
        return begins


def _continues(point: re.Match[str], *indices: int) -> bool:
    """Return whether a mark is the next of a list that has so many points."""
    mark = point["in"] or point["mark"] or point["letter"] or point["dashed"]
    return point["bullet"] is not None or any(_is_next(mark, index) for index in indices)


def _is_next(mark: str, index: int) -> bool:
    roman = _ROMAN[index] if index < len(_ROMAN) else None
    return mark in (str(index + 1), chr(ord("a") + index), chr(ord("A") + index)) or mark.upper() == roman


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
