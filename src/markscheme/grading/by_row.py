"""Grade rows, some or all of which have a rubric of their own."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from markscheme.errors import UsageError
from markscheme.grading.by_criterion import AroundGrader, SubmissionGrader
from markscheme.grading.grades import Grade
from markscheme.grading.step_checks import shipped_check_names
from markscheme.prompts.prompt import Prompt
from markscheme.prompts.submission import Submission
from markscheme.rubrics.keys import RowRule
from markscheme.rubrics.of_rows import (
    ROWS_ALONE,
    RowRubric,
    row_rubric_in,
    rubric_of,
)
from markscheme.rubrics.rubric import Rubric
from markscheme.rubrics.shapes import RUBRIC_SHAPES

GRADERS_KEPT: Final = 512
"""Number of rows' rubrics whose graders are cached; a grader of ten criteria takes 34 KB, and its rubric 5 KB."""
NO_RUBRIC = "the row has no rubric, and there is no other: give a RUBRIC before the file, in Python `rubric`"
_UNKNOWN_CHECK = "its rubric, criterion {!r}: there is no check {!r} that comes with markscheme; a row may name {}"
ROW_REFUSED = "the row brings a rubric of its own, and --rows refuse is given"


def own_rubric(
    text: str | None, core: Rubric | None, rule: RowRule, of_run: Rubric = ROWS_ALONE
) -> RowRubric | str | None:
    """Read the rubric that a row brings and combine it with the run's; return it, or the reason why it can't be used.

    Return None if the run's rubric applies alone.

    Args:
        text: The row's own rubric as text; None for a row without one.
        core: The rubric of the run; None without one.
        rule: How a row's own rubric is combined with `core`, such as "add" or "instead".
        of_run: The rubric whose settings say how the judge is asked, if there is no `core`.
    """
    if text is None:
        return NO_RUBRIC if core is None else None
    if core is not None and rule == "ignore":
        return None
    if core is not None and rule == "refuse":
        return ROW_REFUSED
    row_rubric = rubric_of(text, core, rule, of_run)
    return row_rubric if isinstance(row_rubric, str) else _unknown_check(row_rubric) or row_rubric


def _unknown_check(row_rubric: RowRubric) -> str | None:
    """Return an error message if a row's own criterion names a check that doesn't come with markscheme; else None.

    A row is data, which may come from strangers, so it can't make the user's own code run.
    """
    for criterion in row_rubric.rubric.criteria:
        if criterion.check is None or criterion.name not in row_rubric.brought:
            continue
        shipped = shipped_check_names()
        if criterion.check not in shipped:
            return _UNKNOWN_CHECK.format(criterion.name, criterion.check, ", ".join(shipped))
    return None


def rubric_for(
    inputs: Mapping[str, Any], core: Rubric | None, rule: RowRule, of_run: Rubric = ROWS_ALONE
) -> RowRubric | str | None:
    """Return a row's own rubric, or the reason why the row has none to use; None if the run's rubric applies.

    If no input holds a rubric, the reason names a key that may hold criteria.

    >>> rubric_for({"questions": '["Is it kind?"]', "query": "Hello?"}, None, "add").rpartition("; ")[2]
    '`questions` may hold criteria: --map questions=rubric'

    Args:
        inputs: The row's inputs by name, one of which may be a rubric.
        core: The rubric of the run; None without one.
        rule: How a row's own rubric is combined with `core`, such as "add" or "instead".
        of_run: The rubric whose settings say how the judge is asked, if there is no `core`.
    """
    brought = own_rubric(row_rubric_in(inputs, core), core, rule, of_run)
    if brought != NO_RUBRIC:
        return brought
    may_hold = next((shape.key_in(inputs) for shape in RUBRIC_SHAPES), None)
    return f"{NO_RUBRIC}; {may_hold}" if may_hold else NO_RUBRIC


class ByRow(AroundGrader):
    """A grader that grades each row by the run's rubric, by the row's own, or by both.

    Attributes:
        core: The rubric by which all rows are graded; None if each row is graded by its own alone.
        of_run: The rubric whose settings say how the judge is asked: `core`, or an empty rubric if there is none.
        rule: How a row's own rubric is combined with `core`, such as "add" or "instead".
    """

    def __init__(
        self,
        grader: SubmissionGrader,
        of_run: Rubric,
        rule: RowRule,
        make: Callable[[Rubric], SubmissionGrader],
        *,
        has_core: bool = True,
    ) -> None:
        """Make a grader of rows that may have rubrics of their own.

        Args:
            grader: The grader of rows without a rubric of their own.
            of_run: The rubric of the run, whose settings say how the judge is asked about all rows.
            rule: How a row's own rubric is combined with that of the run, such as "add" or "instead".
            make: Function that makes the grader for a rubric.
            has_core: True if rows without a rubric of their own are graded by `of_run`.
        """
        super().__init__(grader)
        self.of_run = of_run
        self.core = of_run if has_core else None
        self.rule = rule
        self._grader_by = lru_cache(maxsize=GRADERS_KEPT)(make)

    def rubric_for(self, submission: Submission) -> RowRubric | str | None:
        """Read the rubric that a row brings; return the rubric, or the reason why it can't be used.

        Return None if the run's rubric applies.
        """
        if submission.fault:
            return None
        return rubric_for(submission.inputs, self.core, self.rule, self.of_run)

    def prompts(self, submission: Submission) -> list[Prompt]:
        """Return the prompts about a row by its own rubric, else the run's; none if the row's own rubric is faulty."""
        by_row = self.rubric_for(submission)
        if isinstance(by_row, str):
            return []
        return (self.grader if by_row is None else self._grader_by(by_row.rubric)).prompts(submission)

    async def grade(self, submission: Submission) -> Grade:
        """Grade a row; a faulty rubric is that row's error, and nothing is asked."""
        by_row = self.rubric_for(submission)
        if by_row is None:
            return await self.grader.grade(submission)
        if isinstance(by_row, str):
            return self.ungraded(submission, by_row)
        try:
            grade = await self._grader_by(by_row.rubric).grade(submission)
        except UsageError as error:  # a check that doesn't come with markscheme
            return self.ungraded(submission, f"its rubric: {error}")
        return replace(grade, row_rubric=by_row)
