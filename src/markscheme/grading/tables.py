"""Tables to which features add graders and checks for groups of judges, and receipts for rows with own rubrics."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.grading.by_criterion import GradeOptions, SubmissionGrader
    from markscheme.grading.receipt import Receipt
    from markscheme.judges.judge import GradingJudge, JudgeGroup
    from markscheme.rubrics.rubric import Rubric


GroupGrader: TypeAlias = "Callable[[Rubric, Any, GradeOptions], SubmissionGrader]"
"""Function that makes the grader for a group of judges."""
GRADERS: Final[OpenTable[tuple[str, GroupGrader]]] = OpenTable()
"""Kinds of graders for groups of judges: the name, as in a group's `grader`, and the function that makes the grader."""
GroupCheck: TypeAlias = "Callable[[JudgeGroup, Rubric], JudgeGroup]"
"""Function that returns a group of judges reduced to the decisions that it may make by a rubric today."""
GROUP_CHECKS: Final[OpenTable[GroupCheck]] = OpenTable()
"""Checks of groups of judges, which are applied one after the other."""
AFTER_GRADING: Final[OpenTable[Callable[[Any, Any], None]]] = OpenTable()
"""Functions that are called after a group of judges has graded, with the `Grading` and its `GradedCounts`, such as one
that warns if shares shifted."""
RECEIPTS_OF_ROWS: Final[OpenTable["Callable[[Rubric, GradingJudge, Sequence[Path]], Receipt | None]"]] = OpenTable()
"""Functions that find the receipt of an accepted run on rows with rubrics of their own, for further rows.

Each gets the run's settings as a rubric, the judge, and folders in or above which folders `calibration/` are searched.
"""
