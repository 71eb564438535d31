"""Reader of the grades that `grade` writes, as ratings of a judge."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markscheme.errors import Fault, RatingError, refuse_lines
from markscheme.grading.grades import GRADE_COLUMNS
from markscheme.plain_data import json_lines, mapping, shown
from markscheme.ratings.gold import JUDGE
from markscheme.ratings.rating import RatingReader
from markscheme.readers.imported import Columns, ImportedFile, number
from markscheme.readers.infer_rubric import rubric_of_levels, rubric_of_wholes
from markscheme.readers.peek import Peek
from markscheme.row_files import table_rows
from markscheme.rubrics.rubric import Rubric
from markscheme.text import cell_text

OF_GRADE = frozenset(["id", "score", "receipt"])
DECISIONS = {"true": True, "false": False}


def is_grades(peek: Peek) -> bool:
    """Return True if a file holds grades as `grade` writes them, in JSON or as a table."""
    return any(record.keys() >= OF_GRADE for record in (*peek.records, peek.document))


def read_grades(files: Sequence[Peek], rubric: Rubric | None, columns: Columns) -> list[ImportedFile]:  # noqa: ARG001
    """Return an ImportedFile of each file, with all grades in the file as ratings of one judge.

    Raises:
        RatingError: A grade can't be read, or doesn't fit the rubric.
    """
    return [ratings_of_grades(peek, list(_graded(peek)), rubric) for peek in files]


def _graded(peek: Peek) -> Iterator[tuple[int | None, Any]]:
    """Yield each grade in a file with its line number; a table's columns of levels become the grade's `criteria`."""
    if peek.shape in ("lines", "json"):
        whole = [("", peek.document)] if peek.document.keys() >= OF_GRADE else peek.parts()
        lines = json_lines(peek.path, RatingError) if peek.is_lines else ((None, record) for _, record in whole)
        for line, grade in lines:
            yield line, grade if not isinstance(grade, Mapping) or "criteria" in grade else _brought_together(grade)
        return
    if peek.shape != "table":
        yield from ((None, _brought_together(row)) for row in peek.all_records())
        return
    for line, row in table_rows(peek.path, RatingError):
        cells = {name: cell for name, cell in (row or {}).items() if cell != ""}
        yield line, _brought_together({cell_text(name): cell_text(cell) for name, cell in cells.items()})


def _brought_together(row: Mapping[str, Any]) -> dict[str, Any]:
    grade = {name: value for name, value in row.items() if name in GRADE_COLUMNS}
    score = grade.get("score")
    decision = grade.get("pass")
    grade["score"] = score if number(score) is None else number(score)
    grade["pass"] = DECISIONS.get(str(decision).casefold(), decision)
    levels = {name: value for name, value in row.items() if name not in GRADE_COLUMNS and value is not None}
    return {
        **grade,
        "criteria": {name: value if number(value) is None else number(value) for name, value in levels.items()},
    }


def _ratings_in(grade: Mapping[str, Any], rubric: Rubric) -> Iterator[dict[str, Any]]:
    """Yield a grade as lines of ratings: one for a single response, one per order in which a judge saw a pair."""
    line = {key: grade.get(key) for key in ("id", "pass", "error", "criteria")} | {"rater": JUDGE, "kind": "model"}
    if not rubric.is_of_pairs:
        yield {**line, "overall": grade.get("score")}
        return
    orders = mapping(grade.get("orders"))
    for order, levels in orders.items():
        answers = {name: {"abstained": ""} if level is None else level for name, level in mapping(levels).items()}
        yield {**line, "criteria": answers, "error": None, "shown": order}
    if not orders:
        yield line


def ratings_of_grades(peek: Peek, graded: Sequence[tuple[int | None, Any]], rubric: Rubric | None) -> ImportedFile:
    """Read grades in the form that `grade --json` writes as ratings of one judge.

    Args:
        peek: The file that holds them.
        graded: Each grade with its line number; None for a grade in a JSON document.
        rubric: The rubric; None to infer one from the levels.

    Raises:
        RatingError: A grade can't be read, or doesn't fit the rubric.
    """
    levels = [mapping(mapping(grade).get("criteria")) for _, grade in graded]
    if rubric is None:
        rubric = rubric_of_levels(levels, peek.path) if any(levels) else rubric_of_wholes()
    reader = RatingReader(rubric)
    reading = ImportedFile(peek.path, rubric)
    faults = []
    for line, grade in graded:
        try:
            if not isinstance(grade, Mapping):
                raise ValueError(f"a grade is an object, found {shown(grade)}")
            for line_of_rating in _ratings_in(grade, rubric):
                reading.add(reader.rating(line_of_rating))
        except ValueError as fault:
            faults.append(Fault(str(fault), line))
    if faults:
        refuse_lines(RatingError(faults, path=peek.path))
    return reading
