"""Lists in an `llm-rubric` text that have a line for each point, with bullets, numbers or letters."""

import re
from collections.abc import Iterator, Sequence

from markscheme.features.grader_texts.grader_sentences import instructs

NUMBERED = (
    r"criteri(?:on|um)|criterio|critère|kriterium|requirement|anforderung|point|punkt|punto|check|rule|regel|condition"
    r"|question|frage|part|aspect|item|claim|test|assertion"
)
"""Pattern of words before the number of a point; "step", "turn" and "day" number something else."""
_NAME = rf"(?:(?:{NUMBERED}) ?#?|#|[A-Z]{{1,4}}-?(?=\d))"
_POINT_LINE = re.compile(
    r" ?(?:and )?\*{0,2}(?:\((?P<in>\w)\)|\[(?P<square>\d{1,2})\]|#(?P<hash>\d{1,2})"
    rf"|(?:{_NAME}?(?P<mark>\d{{1,2}})|(?:(?:{NUMBERED}) )?(?P<letter>[IVX]{{1,4}}|[A-Za-z]))(?:\.[)-]|[º°ª]\.?|[.):/]"
    rf"|\ufe0f?\u20e3)|[A-Z]{{1,3}}(?P<keyed>\d{{1,2}}) ?="
    rf"|(?-i:[A-Z]{{1,4}})-?(?P<coded>\d{{1,2}})(?= )|(?P<wide>\d{{1,2}})[、．）]"
    rf"|{_NAME}?(?P<dashed>\d{{1,2}}|[a-z]) ?[-–—]|(?P<section>\d{{1,2}}\.\d{{1,2}})\.?"
    r"|(?P<bare>\d{1,2})(?= [A-Z])|(?P<bullet>(?:[-*] )?(?:[-*•✓✔☐☑✅❌✗✘⬜□■●○▪◦·・–—+→➤‣»◆▶✦]\ufe0f?|\[[ x]?\])"
    r"|-\[ \]))\*{0,2}"
    r"(?: |(?<=[-•])(?=[^\W\d])|(?<=[・、．）]))(?P<text>\S.*)",
    re.IGNORECASE,
)
_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_FIRST_SECTION = "1.1"
_FEWEST_POINTS = 3
"""Fewest numbered lines that are read as points; two may be anything."""
_TITLE_WORDS = 3
"""Largest number of words in a point that is only the title of the points nested below it."""
TextList = tuple[str, Sequence[str]]
"""The words before a list, and the list's points."""


class _Item:
    """A point of a list, to which lines are added while a text is read.

    Attributes:
        title: The point's own words.
        below: The points of the list nested below it.
        text: The whole text of the point.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.below: list[str] = []
        self.text = title

    def add(self, line: str, below: str | None) -> None:
        """Append a line to this point's text.

        Args:
            line: The line.
            below: The text of the nested point that the line begins, which is added to the nested points; None if it
                begins none.
        """
        self.text += f" {line.strip()}"
        self.below += [] if below is None else [below]


def lists_of_lines(text: str) -> tuple[Sequence[TextList], str]:
    """Return the lists in a text that have a line for each point, and the words after the last list."""
    listed = _ListedLines()
    for line in text.splitlines():
        listed.add(line)
    return [(before, list(_leaves(items))) for before, items in listed.lists], "\n".join(listed.between)


def without_points(text: str) -> str:
    """Return a text without its numbered lines that describe the output; lines that instruct the grader stay."""
    lines = text.splitlines()
    numbered = {line: point["text"] for line in lines if (point := _POINT_LINE.fullmatch(line)) and point["mark"]}
    if len(numbered) < _FEWEST_POINTS:
        return text
    return "\n".join(line for line in lines if line not in numbered or instructs(numbered[line]))


def _leaves(items: Sequence[_Item]) -> Iterator[str]:
    """Yield the points of a list.

    If all points are only short titles of nested lists, yield the nested points, each after its title.

    Args:
        items: The points, with the points nested below them.
    """
    only_sorts = all(item.below and len(item.title.split()) <= _TITLE_WORDS for item in items)
    for item in items:
        if only_sorts:
            yield from (f"{item.title.rstrip(':')}: {point}" for point in item.below)
        else:
            yield item.text


class _ListedLines:
    """Collector of the lists in a text, which reads the text line by line.

    Attributes:
        lists: The points of each list, with the words before it.
        between: The lines since the last point.
    """

    def __init__(self) -> None:
        self.lists: list[tuple[str, list[_Item]]] = []
        self.between: list[str] = []
        self._numbered = 0
        self._is_indented = False
        self._is_numbered = False

    def add(self, line: str) -> None:
        """Add a line: as a new point, as a continuation of the last point, or as words between lists."""
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
        """Return True if the bullet or number of a line makes the line the next point of the latest list.

        A point of a list nested in that list doesn't count.
        """
        is_below = line[:1].isspace() and (not self._is_indented or (self._is_numbered and point["bullet"] is not None))
        return not is_below and _continues(point, len(self.lists[-1][1]), self._numbered)

    def _begins_list(self, point: re.Match[str], line: str) -> bool:
        """Begin a list if the mark is a bullet or a first number, or if it goes on with the latest list's numbers.

        If numbers go on after a text between the points, the points after that text are a list of their own.

        Args:
            point: The match of the mark and the text after it.
            line: The whole line.

        Returns:
            True if a list begins.
        """
        begins = _continues(point, 0) or (bool(self.lists) and _continues(point, self._numbered))
        if begins:
            self.lists.append(("\n".join(self.between), []))
            self.between = []
            self._is_indented = line[:1].isspace()
            self._is_numbered = point["bullet"] is None
        return begins


def _continues(point: re.Match[str], *indices: int) -> bool:
    """Return True if a line's mark is a bullet, or the number or letter that comes after one of the given positions.

    Args:
        point: Match of the line that begins with the mark.
        indices: Possible counts of the list's points before this line; after 3 points, the next mark is "4" or "d".
    """
    if point["section"]:
        return any(indices) or point["section"] == _FIRST_SECTION
    marks = (
        point[kind] for kind in ("in", "square", "hash", "mark", "letter", "wide", "dashed", "keyed", "coded", "bare")
    )
    mark = next(filter(None, marks), None)
    return mark is None or any(is_next(mark, index) for index in indices)


def is_next(mark: str, index: int) -> bool:
    """Return True if the mark of a point, such as "4", "d" or "IV", is that of the point at an index (here 3)."""
    roman = _ROMAN[index] if index < len(_ROMAN) else None
    return mark.lstrip("0") in (str(index + 1), chr(ord("a") + index), chr(ord("A") + index)) or mark.upper() == roman
