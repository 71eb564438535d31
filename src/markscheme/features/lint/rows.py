"""Results of `lint` on rows that bring criteria of their own."""

from collections.abc import Mapping
from pathlib import Path

from markscheme.errors import Fault, RatingError, SubmissionError
from markscheme.features.lint.lint import LintReport
from markscheme.grading.by_row import own_rubric
from markscheme.phrases import counted
from markscheme.plain_data import json_lines
from markscheme.rubrics.of_rows import RowRubric, row_rubric_in
from markscheme.submission import Submission


def lint_rows(path: Path) -> LintReport:
    """Find the rows whose rubrics are faulty, each with its line.

    Raises:
        RatingError: The file can't be read.
    """
    faults: list[Fault] = []
    criteria: set[str] = set()
    n_rows = 0
    for line, data in json_lines(path, RatingError):
        n_rows += 1
        row_rubric = _row_rubric(data)
        if isinstance(row_rubric, RowRubric):
            criteria |= {criterion.wording for criterion in row_rubric.rubric.criteria}
        else:
            faults.append(Fault(row_rubric, line))
    note = f"{counted(n_rows, 'row')}, {counted(len(criteria), 'different criterion', 'different criteria')}"
    return LintReport(path, faults=tuple(faults), notes=(note,))


def _row_rubric(data: object) -> RowRubric | str:
    """Return the rubric that a row brings, or what is wrong with it."""
    if not isinstance(data, Mapping):
        return "a row is an object"
    try:
        brought = {name: data[name] for name in ("rubric", "rubrics", "criteria") if name in data}
        text = row_rubric_in(Submission("", brought).inputs, None)
    except SubmissionError as error:
        return str(error)
    return own_rubric(text, None, "add") or "the row has no rubric"


def rows_in_words(report: LintReport) -> str:
    """Return what was found, a line for each faulty rubric, and how many rows there are."""
    lines = [f"{report.rubric}:{fault.line}: {fault.problem}" for fault in report.faults]
    faulty = f"; {counted(len(report.faults), 'row')} can't be graded" if report.faults else ": no issues"
    return "\n".join([*lines, f"{report.rubric}: {report.notes[0]}{faulty}"])
