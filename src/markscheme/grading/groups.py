"""Tables to which features add graders for groups of judges, and checks before and after such a group grades."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.grading.by_criterion import GradeOptions, SubmissionGrader
    from markscheme.judges.judge import JudgeGroup
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
