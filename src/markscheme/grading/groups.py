"""Tables to which features add graders for groups of judges, and checks before and after such a group grades."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.grading.by_criterion import GradeOptions, SubmissionGrader
    from markscheme.judges.judge import JudgeGroup
    from markscheme.rubrics.rubric import Rubric


GroupGrader: TypeAlias = "Callable[[Rubric, Any, GradeOptions], SubmissionGrader]"
"""Opens what grades by judges that grade together."""
GRADERS: Final[OpenTable[tuple[str, GroupGrader]]] = OpenTable()
"""The ways in which several judges grade together: the name, as the judges say it in `grader`, and what opens it."""
GroupCheck: TypeAlias = "Callable[[JudgeGroup, Rubric], JudgeGroup]"
"""Returns judges that grade together as they may decide today by a rubric."""
GROUP_CHECKS: Final[OpenTable[GroupCheck]] = OpenTable()
"""The checks that are made of them, one after the other."""
AFTER_GRADING: Final[OpenTable[Callable[[Any, Any], None]]] = OpenTable()
"""Functions that take a `Grading` by such judges and the `GradedCounts` of its grades, and warn of what moved."""
