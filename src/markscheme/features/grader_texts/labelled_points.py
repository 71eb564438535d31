"""Points of an `llm-rubric` text that have names: paragraphs under headings, and lines that begin with labels."""

import re
from collections.abc import Sequence

from markscheme.features.grader_texts.listed_lines import TextList

_HEADING = re.compile(r"^ ?(?:#{1,6} |\*\*)([^*\n]{1,60})(?:\*\*)?:?$\n", re.MULTILINE)
_NO_POINT = re.compile(
    r"(?:context|task|background|role|instructions?|inputs?|outputs?|reference|question|answer|examples?|notes?|rubric"
    r"|conversation|guidelines|steps|scoring|scale|goal|user|assistant|expected|prompt|query|response|source"
    r"|(?:step|turn|day) \d{1,2}$)\b",
    re.IGNORECASE,
)
"""Pattern of names, such as "Input", that introduce something other than a point."""
_BOLD_LINE = re.compile(r" ?\*\*([^*\n:]{1,60}):?\*\*:? ?[-–—]? ?(\S.{0,1999})")
_LABELLED_LINE = re.compile(r" ?\[?([A-Z][\w /&-]{2,30})(?:[:\]]| [-–—]) (\S.{9,1999})")
"""Pattern of a line that begins with a label for what it is about."""
_LEADS_ON = re.compile(r":$|\b(?:below|following)\b[^.!?]{0,20}[.!]?$", re.IGNORECASE)
_CHECKS = re.compile(r"(?:check|verify|confirm|ensure|make sure) (?:that|whether|if)\b", re.IGNORECASE)
"""Pattern of the beginning of a step that is a requirement."""
_FEWEST_BOLD, _FEWEST_PLAIN = 2, 3
"""Fewest lines with a bold label, and with a plain one, that are read as points; fewer may be anything."""


def sections(text: str) -> Sequence[TextList]:
    """Return a list with a point for each heading of a text: the heading and the words below it.

    Return () if there are fewer than two headings, or if one of them, such as "Input", isn't that of a point to check.
    """
    intro, *pieces = _HEADING.split(text)
    named = [(name.strip(" :"), body.strip()) for name, body in zip(pieces[::2], pieces[1::2], strict=True)]
    if len(named) < 2 or intro.strip() or any(not body or _NO_POINT.match(name) for name, body in named):
        return ()
    return [("", [f"{name}: {body}" for name, body in named])]


def labelled_lines(text: str) -> Sequence[TextList]:
    """Return lists of points, read from the lines of a text that begin with a name, such as "Tone:"; () without any."""
    lines = [line for line in text.splitlines() if line.strip()]
    return _labelled(lines, _BOLD_LINE, _FEWEST_BOLD) or _labelled(lines, _LABELLED_LINE, _FEWEST_PLAIN)


def _labelled(lines: Sequence[str], label: re.Pattern[str], fewest: int) -> Sequence[TextList]:
    """Return the lines of the form "Name: point", such as "Accuracy: no false claims", as one list of points.

    Return () if there are too few such lines, if other lines are between them, or if they aren't points to check.

    Args:
        lines: All lines of the text.
        label: Pattern of a whole line of this form.
        fewest: The smallest number of such lines that are a list.
    """
    indices = [index for index, line in enumerate(lines) if label.fullmatch(line)]
    if len(indices) < fewest or indices[-1] - indices[0] != len(indices) - 1:
        return ()
    points = [label.fullmatch(lines[index]) for index in indices]
    before = "\n".join(lines[: indices[0]])
    is_led = not before or _LEADS_ON.search(before.rstrip()) is not None
    is_whole = fewest == _FEWEST_BOLD or (is_led and indices[-1] == len(lines) - 1)
    if not is_whole or any(point is None or _is_no_point(*point.groups()) for point in points):
        return ()
    return [(before, [f"{point[1]}: {point[2]}" for point in points if point])]


def _is_no_point(name: str, words: str) -> bool:
    """Return True if a label, such as "Input" or "Step 1", begins a line that is no point to check.

    Args:
        name: The label.
        words: The words after it; a step whose words describe a check is a point.
    """
    return _NO_POINT.match(name) is not None and not (name.casefold().startswith("step") and _CHECKS.match(words))
