"""Checks of judges that grade together, before they grade by a rubric; packages above this one add them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.judges.judge import JudgeGroup
    from markscheme.rubrics.rubric import Rubric

GroupCheck: TypeAlias = "Callable[[JudgeGroup, Rubric], JudgeGroup]"
"""Returns judges that grade together as they may decide today by a rubric."""
GROUP_CHECKS: Final[OpenTable[GroupCheck]] = OpenTable()
"""The checks that are made of them, one after the other."""
