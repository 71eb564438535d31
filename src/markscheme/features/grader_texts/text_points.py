"""The points that a text behind `llm-rubric` lists, each a requirement of its own."""

import re
from collections.abc import Iterator, Sequence

from markscheme.features.grader_texts.text_lines import sentences

_NUMBERED = (
    r"criteri(?:on|um)|criterio|critère|kriterium|requirement|anforderung|point|punkt|punto|check|rule|regel|condition"
    r"|question|frage|item|test|assertion"
)
"""Words before the number of a point; steps, turns and days are none."""
_POINT_LINE = re.compile(
    r" ?\*{0,2}(?:\((?P<in>\w)\)"
    rf"|(?:(?:(?:{_NUMBERED}) ?#?|#|[A-Z](?=\d))?(?P<mark>\d{{1,2}})|(?P<letter>[IVX]{{1,4}}|[A-Za-z]))(?:\.\)|[.):])"
    rf"|(?:(?:(?:{_NUMBERED}) ?#?|#|[A-Z](?=\d)))?(?P<dashed>\d{{1,2}}) [-–—]"
    r"|(?P<bullet>[-*•✓✔☐□▪◦·–—+→‣]|[-*]? ?\[ ?\]))\*{0,2}"
    r" (?P<text>\S.*)",
    re.IGNORECASE,
)
_INLINE = re.compile(
    r"(?:^|(?<=\s))(?:\((\d{1,2}|[a-z]|[ivx]{1,4})\)|(\d{1,2}|[a-z])[.)]"
    rf"|(?:{_NUMBERED}) ?#?(\d{{1,2}})(?:[:.)]| [-–—])) ",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(
    r"(?<!every )(?<!each )\b(?:any|one|either|some|most|two|three|half|\d{1,2}) of\b|\bexamples?\b|\be\.g\."
    r"|\b(?:or|such as|for instance|like|including):?$",
    re.IGNORECASE,
)
"""Words before a list by which its points aren't all required."""
_SOME_SUFFICE = re.compile(
    r"^(?!.{0,99}\b(?:fails?|failed|not|violated|missing)\b).{0,99}"
    r"\b(?:any|one|either|some|most|two|three|half|\d{1,2}) of (?:the|these|those|them)\b"
    r"|\b(?:any|at least|one|two|three|\d{1,2})\b.{0,40}\b(?:is enough|are enough|suffices?|will do)\b"
    r"|\bat least (?:one|two|three|four|half|most|\d{1,2})\b.{0,40}\b(?:met|hold|true|present|satisfied|fulfilled)\b",
    re.IGNORECASE,
)
"""Words after a list by which its points aren't all required."""
_ALL_REQUIRED = re.compile(r"\ball\b.{0,99}\b(?:needed|required|hold|must|present|met|true)\b", re.IGNORECASE)
_ASIDE = re.compile(
    r"(?:^|(?<=[.:!?] ))(?:(?:here|these|this|those|the following) (?:is|are)\b"
    r"(?!.{0,60}\b(?:criteria|requirements|checks|rules|conditions|points)\b)"
    r"|(?:for )?(?:context|background|reference|source|facts|known|given|notes?|remarks|hints)\b)[^.!?]{0,99}$"
    r"|,? which (?:is|are|reads?|says?):?$|\bin (?:exactly )?(?:this|the following) order:?$"
    r"|\b(?:agrees? with|(?:consistent|in line) with|contradicts?) (?:any of )?(?:the following|these) "
    r"(?:facts|figures|data|information|statements)\b[^.!?]{0,40}$",
    re.IGNORECASE,
)
"""How the sentence before a list begins, or ends, that says what is so, and not what the output has to have."""
_OBLIGES = re.compile(r"\b(?:should|must|shall|has to|have to|needs? to):?$", re.IGNORECASE)
"""How the words before a list end that say what the output has to have."""
_HEADING = re.compile(r"^ ?(?:#{1,6} |\*\*)([^*\n]{1,60})(?:\*\*)?:?$\n", re.MULTILINE)
_NO_POINT = re.compile(
    r"(?:context|task|background|role|instructions?|inputs?|outputs?|reference|question|answer|examples?|notes?|rubric"
    r"|conversation|guidelines|steps|scoring|scale|goal)\b",
    re.IGNORECASE,
)
"""A heading over something else than a point."""
_LABELLED_LINE = re.compile(r"([A-Z][A-Za-z]{2,20}(?: [A-Za-z]{2,20}){0,2}): \S.{9,999}")
"""A line that begins with what it is about."""
_FEWEST_LINES = 3
"""Two such lines may be anything."""
_ORDINAL = re.compile(
    r"[ -]{0,3}(first|second|third|fourth|fifth|sixth|finally|lastly|last)(?:ly)?[,:] "
    r"(?!(?:read|check|compare|look|decide|consider|list|write|think|identify|rate|score)\b)",
    re.IGNORECASE,
)
_FEWEST_ORDINALS = 3
"""Two sentences may be a comparison."""
_TITLE_WORDS = 3
"""A point that only sorts others has no more words."""
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
    if sum(len(items) for _, items in lists) < 2:
        return _sections(text) or _labelled_lines(text) or _ordinals(text)
    if any(_ALTERNATIVES.search(before.rstrip()) for before, _ in lists) or _SOME_SUFFICE.search(after):
        return ()
    required = [(before, items) for before, items in lists if not _is_aside(_in_one_line(before))]
    if _MEASURED_BY_LIST.search(after):
        return ()
    tail = "" if not after.strip() or _ALL_REQUIRED.search(after) else f" {_in_one_line(after)}"
    return tuple(f"{_lead(before)}{_in_one_line(item)}{tail}" for before, items in required for item in items)


def _is_aside(before: str) -> bool:
    """Return whether the words before a list say what is so."""
    return _ASIDE.search(before) is not None and not _OBLIGES.search(before)


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _lead(before: str) -> str:
    """Return the words before a list as its points begin with them."""
    lead = _in_one_line(before.replace("#", " ")).removesuffix(":")
    return "" if len(lead.split()) < 2 or lead.casefold() == "check that" else f"{lead} "


# --- paragraphs -----------------------------------------------------------------------------------------------------


def _sections(text: str) -> tuple[str, ...]:
    """Return the paragraphs under headings, each a point; none where a heading names something else."""
    intro, *sections = _HEADING.split(text)
    named = [(name.strip(" :"), _in_one_line(body)) for name, body in zip(sections[::2], sections[1::2], strict=True)]
    if len(named) < 2 or intro.strip() or any(not body or _NO_POINT.match(name) for name, body in named):
        return ()
    return tuple(f"{name}: {body}" for name, body in named)


def _labelled_lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text of which each says what it is about, and none names something else than a point."""
    lines = [_LABELLED_LINE.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
    points = [line for line in lines if line and not _NO_POINT.match(line[1])]
    return tuple(line[0] for line in points) if len(points) == len(lines) >= _FEWEST_LINES else ()


def _ordinals(text: str) -> tuple[str, ...]:
    """Return the sentences that begin with first, second and so on, each with those up to the next."""
    points: list[str] = []
    for sentence in sentences(text):
        ordinal = _ORDINAL.match(sentence)
        if ordinal and (points or ordinal[1].casefold().startswith("first")):
            points.append(sentence[ordinal.end() :])
        elif points:
            points[-1] += f" {sentence}"
    return tuple(points) if len(points) >= _FEWEST_ORDINALS else ()


# --- lines ----------------------------------------------------------------------------------------------------------


class _Item:
    """A point of a list while its lines are read.

    Attributes:
        title: Its own words.
        below: The points of the list that stands below it.
        text: All of it.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.below: list[str] = []
        self.text = title

    def add(self, line: str, below: str | None) -> None:
        """Take another line, which may be a point of a list below."""
        self.text += f" {line.strip()}"
        self.below += [] if below is None else [below]


def _listed(text: str) -> tuple[list[tuple[str, list[str]]], str]:
    """Return the lists of lines, each with what stands before it, and what stands after the last."""
    listed = _ListedLines()
    for line in text.splitlines():
        listed.add(line)
    return [(before, list(_leaves(items))) for before, items in listed.lists], "\n".join(listed.between)


def _leaves(items: Sequence[_Item]) -> Iterator[str]:
    """Yield the points of a list; those below them instead where the list itself only sorts them."""
    only_sorts = all(item.below and len(item.title.split()) <= _TITLE_WORDS for item in items)
    for item in items:
        if only_sorts:
            yield from (f"{item.title.rstrip(':')}: {point}" for point in item.below)
        else:
            yield item.text


class _ListedLines:
    """The lists in a text, which is taken line by line.

    Attributes:
        lists: The points of each, with the words before it.
        between: The lines since the last point.
    """

    def __init__(self) -> None:
        self.lists: list[tuple[str, list[_Item]]] = []
        self.between: list[str] = []
        self._numbered = 0
        self._is_indented = False

    def add(self, line: str) -> None:
        """Take a line as a point, as the rest of the last one, or as words between lists."""
        point = _POINT_LINE.fullmatch(line.rstrip())
        goes_on = bool(self.lists) and not self.between
        if point and (self._is_next_point(point, line) if goes_on else self._begins_list(point, line)):
            self.lists[-1][1].append(_Item(point["text"]))
            self._numbered = self._numbered + 1 if _continues(point, self._numbered) else 1
        elif goes_on and (not line.strip() or line[:1].isspace()):
            self.lists[-1][1][-1].add(line, point["text"] if point else None)
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
        if _is_next(next(filter(None, mark.groups())), index):
            index += 1
            yield mark
