"""The tables of judges that grade together: what grades by them, and checks before and after; features add rows."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.grading.by_criterion import GradeOptions, SubmissionGrader
    from markscheme.judges.judge import JudgeGroup
    from markscheme.rubrics.rubric import Rubric


class GraderKind(NamedTuple):
    """A way in which several judges grade together.

    Attributes:
        name: As the judges say it in `grader`.
        grader: Opens it.
    """

    name: str
    grader: "Callable[[Rubric, Any, GradeOptions], SubmissionGrader]"


GRADERS: Final[OpenTable[GraderKind]] = OpenTable()
"""The graders that ask several judges."""
GroupCheck: TypeAlias = "Callable[[JudgeGroup, Rubric], JudgeGroup]"
"""Returns judges that grade together as they may decide today by a rubric."""
GROUP_CHECKS: Final[OpenTable[GroupCheck]] = OpenTable()
"""The checks that are made of them, one after the other."""
AFTER_GRADING: Final[OpenTable[Callable[[Any, Any], None]]] = OpenTable()
"""Functions that take a `Grading` by such judges and the `DeciderShares` of its grades, and warn of what moved."""
