"""Checks by code of an agent's steps: the type of such a check, and the table of those that a rubric can name."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.prompts.steps import AgentStep


StepCheck: TypeAlias = "Callable[[Sequence[AgentStep], Any], tuple[bool, str]]"
"""Function that checks an agent's steps, given the rubric's value for the check; it returns whether the check holds,
with a sentence on the steps.

It raises ValueError for a value that it can't take.
"""


CHECKS: Final[OpenTable[tuple[str, Callable[[], StepCheck]]]] = OpenTable()
"""Checks of steps that a rubric can name: the name, as in a criterion's `check`, and the function that loads the
code."""
