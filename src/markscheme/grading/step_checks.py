"""Names of the checks by code that a rubric can name, and the table of checks of an agent's steps."""

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
TEXT_CHECKS: Final = ("exact_match", "json_valid", "rouge_l", "token_f1")
"""Names of the checks of a response's text, whose code is loaded only when a criterion names one."""


def shipped_check_names() -> list[str]:
    """Return the names of all checks that come with markscheme, in alphabetical order."""
    return sorted([*TEXT_CHECKS, *(name for name, _ in CHECKS)])
