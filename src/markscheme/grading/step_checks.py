"""Checks by code of what an agent did: what such a check is, and the table of those that a rubric can name."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.trajectory import AgentStep


StepCheck: TypeAlias = "Callable[[Sequence[AgentStep], Any], tuple[bool, str]]"
"""Takes all steps and the value that a rubric gives, and returns whether the check holds, with a sentence on the steps.

Raises ValueError for a value that it can't take.
"""


class StepCheckKind(NamedTuple):
    """A check of steps that a rubric can name.

    Attributes:
        name: As a criterion's `check` has it.
        load: Loads the code.
    """

    name: str
    load: Callable[[], StepCheck]


CHECKS: Final[OpenTable[StepCheckKind]] = OpenTable()
"""The checks of steps."""
