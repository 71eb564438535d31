"""Finds the points that an `llm-rubric` text lists, each of which is a requirement of its own."""

import re
from collections.abc import Sequence

from markscheme.features.grader_texts.labelled_points import labelled_lines, sections
from markscheme.features.grader_texts.list_leads import required
from markscheme.features.grader_texts.listed_lines import TextList, lists_of_lines
from markscheme.features.grader_texts.points_in_prose import lists_in_prose

_ALL_REQUIRED = re.compile(r"\ball\b.{0,99}\b(?:needed|required|hold|must|present|met|true)\b", re.IGNORECASE)


def points_of(text: str) -> tuple[str, ...]:
    """Return the points of those lists in a text that an output must meet.

    The words before a list are put before each of its points; the words after the last list are added to every point,
    unless they only say that all points are required.
    """
    lists, after = _lists(text)
    points = [(before, item) for before, items in required(lists, after) for item in items]
    tail = "" if not after.strip() or _ALL_REQUIRED.search(after) else f" {_in_one_line(after)}"
    return tuple(f"{_lead(before)}{_in_one_line(item)}{tail}" for before, item in points)


def _lists(text: str) -> tuple[Sequence[TextList], str]:
    """Return a text's lists, all of one kind, and the words after the last list.

    The kinds are tried in this order, and only lists of the first kind in the text are returned: lists with a line for
    each point, if they have two points or more in all; points in running text; sections; lines that begin with a name.
    Words after the last list are returned for the first kind alone, and "" for any other kind.
    """
    lists, after = lists_of_lines(text)
    if sum(len(items) for _, items in lists) > 1:
        return lists, after
    return lists_in_prose(text) or sections(text) or labelled_lines(text), ""


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _lead(before: str) -> str:
    """Return the words before a list, to put before each of its points; "" if they are one word or "check that"."""
    lead = _in_one_line(before.replace("#", " ")).removesuffix(":")
    return "" if len(lead.split()) < 2 or lead.casefold() == "check that" else f"{lead} "
