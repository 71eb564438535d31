"""Points that an `llm-rubric` text lists within its sentences: by numbers, ordinals, semicolons or questions."""

import re
from collections.abc import Callable, Iterator, Sequence

from markscheme.features.grader_texts.listed_lines import NUMBERED, TextList, is_next
from markscheme.features.grader_texts.text_lines import sentences
from markscheme.features.grader_texts.text_numbers import NUMBER_WORDS, in_digits

_MARK = re.compile(
    r"(?:^|(?<=\s))(?:\((\d{1,2}|[a-z]|[ivx]{1,4})\)|(\d{1,2}|[a-z]|[ivx]{1,4})[.)]|(\d{1,2}):"
    rf"|[A-Z]{{1,2}}(\d{{1,2}})[:.)]|(?:{NUMBERED}) ?#?(\d{{1,2}}|[A-Z]|{NUMBER_WORDS})(?:[:.)]| [-–—])) ",
    re.IGNORECASE,
)
_ORDINALS = (
    ("first", "second", "third", "fourth", "fifth", "sixth"),
    ("erstens", "zweitens", "drittens", "viertens", "fünftens"),
    ("premièrement", "deuxièmement", "troisièmement", "quatrièmement"),
    ("primero", "segundo", "tercero", "cuarto"),
)
_LAST = ("finally", "lastly", "last", "schließlich", "enfin", "finalmente")
_ORDINAL_WORDS = "|".join((*(word for words in _ORDINALS for word in words), *_LAST))
_ORDINAL = re.compile(
    rf"(?:^|(?<=[.!?;:,] )|(?<=[\n-]))[ -]{{0,3}}(?:and )?({_ORDINAL_WORDS})(?:(?:ly)?[,:]|(?<=tens)| of all,?) "
    r"(?!(?:read|check|compare|look|decide|consider|list|write|think|identify|rate|score)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_CLAUSES = re.compile(
    r"((?:please )?(?:ensure|verify|check|make sure)\b[^:;\n]{0,99}|[^:;\n]{0,199}\b(?:should|must|has to|have to"
    r"|needs? to|if|when|that|criteria|requirements|conditions|checks|rules)"
    r"(?: not)?): ([^:\n]{1,1999})",
    re.IGNORECASE,
)
"""Pattern of words on what an output must do or be, before a colon, and of the clauses after it."""
_CLAUSE_ENDS = re.compile(r"; (?:and )?")
_THREE_CLAUSES = re.compile(r"([^,;\n]{1,199}), ([^,;\n]{1,199}),? and ([^,;\n]{1,199})")
_YES_OR_NO = re.compile(r"(?:does|do|did|is|are|was|were|has|have|can|will)\b[^?\n]{1,400}\?", re.IGNORECASE)
_FEWEST_QUESTIONS = 3
"""Fewest questions that are read as points; two may ask for the same."""


def lists_in_prose(text: str) -> Sequence[TextList]:
    """Return the lists within a text's sentences, found in the first of four ways that yields any.

    The ways are numbered or lettered points, as in "(a) … (b) …"; ordinals, as in "first … second …"; clauses, as in
    "a; b; c"; and yes/no questions.
    """
    ways: Sequence[Callable[[str], Sequence[TextList]]] = (_marked, _with_ordinals, _clauses, _questions)
    return next(filter(None, (listed(text) for listed in ways)), ())


def _marked(text: str) -> Sequence[TextList]:
    """Return, as one list, points in running text that begin with numbers or letters, as in "(a) … (b) …"; else ()."""
    return _between(text, list(_in_turn(text)))


def _in_turn(text: str) -> Iterator[re.Match[str]]:
    index = 0
    for mark in _MARK.finditer(text):
        if is_next(in_digits(next(filter(None, mark.groups()))), index):
            index += 1
            yield mark


def _with_ordinals(text: str) -> Sequence[TextList]:
    """Return the list that sentences contain if its points begin with "first", "second" and so on."""
    marks: list[re.Match[str]] = []
    for mark in _ORDINAL.finditer(text):
        ordinal = mark[1].casefold()
        if any(words[len(marks) : len(marks) + 1] == (ordinal,) for words in _ORDINALS) or (marks and ordinal in _LAST):
            marks.append(mark)
    return _between(text, marks)


def _between(text: str, marks: Sequence[re.Match[str]]) -> Sequence[TextList]:
    """Return one list of points: the text after each mark, such as "(1)", with the words before the first mark.

    Return () if there are fewer than two marks.
    """
    if len(marks) < 2:
        return ()
    ends = (*(mark.start() for mark in marks[1:]), len(text))
    items = [text[mark.end() : end].strip(" ,;.\n") for mark, end in zip(marks, ends, strict=True)]
    return [(text[: marks[0].start()], items)]


def _clauses(text: str) -> Sequence[TextList]:
    """Return a list of points for each sentence that says several things of the output: "a; b; c", or "a, b and c"."""
    lists: list[TextList] = []
    for sentence in sentences(text):
        led = _CLAUSES.match(sentence)
        if led:
            three = _THREE_CLAUSES.fullmatch(led[2].rstrip("."))
            items = three.groups() if three else _CLAUSE_ENDS.split(led[2].rstrip("."))
            lists += [(f"{led[1]}:", items)] if len(items) > 1 else []
    return lists


def _questions(text: str) -> Sequence[TextList]:
    """Return the yes/no questions of a text as one list; an empty sequence if there are fewer than three."""
    questions = _YES_OR_NO.findall(text)
    in_sentences = [sentence for sentence in sentences(text) if _YES_OR_NO.fullmatch(sentence.strip())]
    return [("", in_sentences)] if len(questions) == len(in_sentences) >= _FEWEST_QUESTIONS else ()
