"""Interface of autograders, with which a rubric can grade responses, and the default autograder."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from markscheme.errors import UsageError
from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Report_co = TypeVar("Report_co", default=Any, covariant=True)

    class SupportsGrade(Protocol[Report_co]):
        """Interface of autograders, which grade a response by a rubric."""

        async def grade(self, to_grade: Any, rubric: Any, query: str | None = None, **options: Any) -> Report_co: ...


AUTOGRADERS: "Final[OpenTable[Callable[[], SupportsGrade[Any]]]]" = OpenTable()
"""Functions that make the autograder that is used if the caller passes none; the first one is used."""


def default_autograder() -> "SupportsGrade[Any]":
    """Make the autograder that is used if the caller passes none.

    Raises:
        UsageError: No feature provides an autograder.
    """
    make = next(iter(AUTOGRADERS), None)
    if make is None:
        raise UsageError("no autograder is here by default: name one, or grade by `markscheme.grade`")
    return make()
