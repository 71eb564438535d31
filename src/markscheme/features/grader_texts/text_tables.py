"""Rewrites tables in an `llm-rubric` text as lines, one for each level or point."""

import re
from collections.abc import Iterator, Sequence

from markscheme.features.grader_texts.text_numbers import NUMERAL

_OF_SCORES = re.compile(
    r"\b(?:scores?|rating|grade|points?|levels?|stars?|marks?|band|value|sev(?:erity)?|risk|class|tier|step|stage|degree|note|punkte|stufe|puntos|nota|puntuación"
    r"|voto|punti"
    r"|pontos|cijfer|punten)\b",
    re.IGNORECASE,
)
_OF_POINTS = re.compile(
    r"\b(?:criteri(?:on|a|um)|requirements?|checks?|aspect|dimension|rules?|items?|expect(?:ed|ation)s?)\b",
    re.IGNORECASE,
)
_SCORE = re.compile(rf"\*{{0,2}}([-+]?{NUMERAL}(?: ?[-–] ?{NUMERAL})?)%?\*{{0,2}}")
_MOST = re.compile(r"\bmax|\bweight|\bavailable|\bworth", re.IGNORECASE)
_RULE = re.compile(r"[ :|-]{2,999}")


def without_tables(text: str) -> str:
    """Rewrite the tables in a text as lines of levels with their scores, or of points."""
    lines: list[str] = []
    table: list[str] = []
    for line in (*text.splitlines(), ""):
        if line.lstrip().startswith("|"):
            table.append(line)
        else:
            lines += (*_lines_of(table), line)
            table = []
    return "\n".join(lines[:-1])


def _lines_of(table: Sequence[str]) -> Sequence[str]:
    """Rewrite a table's rows as lines of levels or of points; return a table that has neither unchanged."""
    rows = [[cell.strip() for cell in line.strip(" |").split("|")] for line in table if not _RULE.fullmatch(line)]
    header, body = (rows[0], rows[1:]) if rows else ((), ())
    numbered = next((column for column in range(len(header)) if body and _is_numbered(body, column)), None)
    if numbered is not None:
        return list(_numbered_lines(header, body, numbered))
    if any(map(_OF_POINTS.search, header)):
        return [f"- {': '.join(row[:2])}" for row in body]
    return table


def _numbered_lines(header: Sequence[str], body: Sequence[Sequence[str]], numbered: int) -> Iterator[str]:
    """Yield a line for each row of a table in which one column holds numbers: scores, points or just row numbers.

    Args:
        header: The table's header.
        body: The rows below the header.
        numbered: Index of the column of numbers.
    """
    heading = header[numbered]
    are_counted = len({row[numbered] for row in body}) < len(body) or _MOST.search(heading) is not None
    for row in body:
        score = row[numbered].strip("*%")
        words = " ".join(cell for column, cell in enumerate(row) if column != numbered)
        if not _OF_SCORES.search(heading):
            yield f"{score}. {words}"
        else:
            yield f"- {words} ({score} points)" if are_counted else f"{score} = {words}"


def _is_numbered(body: Sequence[Sequence[str]], column: int) -> bool:
    """Return True if every cell of a table's column is a number."""
    return all(column < len(row) and _SCORE.fullmatch(row[column]) for row in body)
