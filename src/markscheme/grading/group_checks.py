"""Checks of judges that grade together, before and after they grade by a rubric; features add them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.judges.judge import JudgeGroup
    from markscheme.rubrics.rubric import Rubric

GroupCheck: TypeAlias = "Callable[[JudgeGroup, Rubric], JudgeGroup]"
"""Returns judges that grade together as they may decide today by a rubric."""
GROUP_CHECKS: Final[OpenTable[GroupCheck]] = OpenTable()
"""The checks that are made of them, one after the other."""
AFTER_GRADING: Final[OpenTable[Callable[[Any, Any], None]]] = OpenTable()
"""Functions that take a `Grading` by such judges and the `DeciderShares` of its grades, and warn of what moved."""
