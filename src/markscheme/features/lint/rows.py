"""Results of `lint` on rows that bring criteria of their own."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markscheme.errors import Fault, RatingError, SubmissionError
from markscheme.features.lint.lint import LintReport
from markscheme.grading.by_row import NO_RUBRIC, rubric_for
from markscheme.phrases import counted
from markscheme.prompts.submission import Submission
from markscheme.readers.plain_tables import numbered_rows
from markscheme.rubrics.of_rows import RowRubric, notes_on_key, row_rule, rubric_key_in
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.shapes import RUBRIC_SHAPES


def lint_rows(path: Path, core: Rubric | None = None) -> LintReport:
    """Check the rubric in each row of a file: return the faults by line, and remarks on rows that aren't faulty.

    Args:
        path: The file.
        core: The rubric that all rows share, by which a row without one of its own is graded; None without one.

    Raises:
        RatingError: The file can't be read, or has no rows.
    """
    faults: list[Fault] = []
    criteria: set[str] = set()
    lines_by_note: dict[str, list[int]] = {}
    n_rows = 0
    may_be_mapped = False
    for line, data in numbered_rows(path):
        n_rows += 1
        row_rubric = _row_rubric(data, core)
        if not isinstance(row_rubric, str):
            criteria |= {criterion.wording for criterion in row_rubric.rubric.criteria}
            for note in (*notes_on_key(rubric_key_in(data, core)), *row_rubric.notes):
                lines_by_note.setdefault(note, []).append(line)
        else:
            faults.append(Fault(row_rubric, line))
            may_be_mapped |= isinstance(data, Mapping) and _may_be_mapped(data)
    if not n_rows:
        raise RatingError("is empty; expected rows that each bring a `rubric`", path=path)
    counts = f"{counted(n_rows, 'row')}, {counted(len(criteria), 'different criterion', 'different criteria')}"
    notes = [f"{note} ({counted(len(lines), 'row')}, first {lines[0]})" for note, lines in lines_by_note.items()]
    if may_be_mapped:
        notes.append(f"`--map` is an option of `markscheme grade {shlex.quote(path.name)}`")
    return LintReport(path, faults=tuple(faults), notes=(counts, *notes))


def _row_rubric(data: object, core: Rubric | None) -> RowRubric | str:
    """Return the rubric that a row is graded by, or a sentence that says what is wrong with the row."""
    if not isinstance(data, Mapping):
        return "a row is an object"
    try:
        inputs = _inputs(data)
    except SubmissionError as error:
        return str(error)
    row_rubric = rubric_for(inputs, core, row_rule(None, core))
    return row_rubric or (NO_RUBRIC if core is None else RowRubric(core, "core", ()))


def _may_be_mapped(row: Mapping[str, object]) -> bool:
    """Return True if a row has no rubric under the usual key, but another key may hold criteria."""
    try:
        inputs = _inputs(row)
    except SubmissionError:
        return False
    return rubric_key_in(inputs, None) is None and any(shape.key_in(inputs) for shape in RUBRIC_SHAPES)


def _inputs(row: Mapping[str, object]) -> Mapping[str, Any]:
    """Return a row's fields as the inputs that a judge would receive."""
    return Submission("", {str(key): value for key, value in row.items()}).inputs


def rows_in_words(report: LintReport) -> str:
    """Return the report on rows as text: a line for each faulty rubric and each remark, then the number of rows."""
    lines = [f"{report.rubric}:{fault.line}: {fault.problem}" for fault in report.faults]
    lines += [f"{report.rubric}: note: {note}" for note in report.notes[1:]]
    faulty = f"; {counted(len(report.faults), 'row')} can't be graded" if report.faults else ": no issues"
    return "\n".join([*lines, f"{report.rubric}: {report.notes[0]}{faulty}"])
