"""Rubrics in shapes that others publish."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.plain_data import Place
    from markscheme.rubrics.shape_hints import ShapeOptions


class PublishedRubric(NamedTuple):
    """A rubric as somebody published it, read as markscheme's own plain data.

    Attributes:
        data: A mapping with `criteria`, in markscheme's format.
        criteria_at: Where each criterion is in the published data.
        notes: What was assumed and what wasn't read, each once.
    """

    data: Mapping[str, Any]
    criteria_at: "tuple[Place, ...]"
    notes: tuple[str, ...] = ()


class RubricShape(Protocol):
    """A reader of published rubrics."""

    def read(self, data: Any, options: "ShapeOptions") -> PublishedRubric | None:
        """Return the rubric in plain data that aren't of markscheme's format; None for what isn't such a rubric.

        Raises:
            RubricError: It is one and can't be read; says which option helps.
        """

    def shows(self, data: Any) -> bool:
        """Return whether plain data show by their keys alone that they are a rubric, rather than a table."""

    def key_in(self, row: Mapping[str, Any]) -> str | None:
        """Say which key of a row may hold its criteria, with the option that says so; None without one."""

    def text_in(self, row: Mapping[str, Any], key: str) -> str:
        """Return the rubric under a key of a row, with the weights or notes that other keys of the row add to it."""


RUBRIC_SHAPES: OpenTable[RubricShape] = OpenTable()
"""Readers of published rubrics; they are asked for data that aren't of markscheme's own format."""
