"""Interface of readers of rubrics in the formats of other tools and data sets."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.plain_data import Place
    from markscheme.rubrics.shape_hints import ShapeOptions


class PublishedRubric(NamedTuple):
    """A rubric in the format of another tool or data set, converted to the plain data of markscheme's own format.

    Attributes:
        data: Mapping with `criteria`, in markscheme's format.
        criteria_at: Path of each criterion in the original data.
        notes: Sentences on what was assumed and what was ignored, without repetition.
    """

    data: Mapping[str, Any]
    criteria_at: "tuple[Place, ...]"
    notes: tuple[str, ...] = ()


class RubricShape(Protocol):
    """Interface of a reader of rubrics in other formats."""

    def read(self, data: Any, options: "ShapeOptions") -> PublishedRubric | None:
        """Convert a rubric in another format to markscheme's; None for data that aren't such a rubric.

        Raises:
            RubricError: The data are such a rubric, but can't be read; the message says which option helps.
        """

    def shows(self, data: Any) -> bool:
        """Return True if the keys of plain data alone show that they are a rubric, and not a table."""

    def key_in(self, row: Mapping[str, Any]) -> str | None:
        """Return a sentence on which key of a row may hold criteria, and how to read it; None if no key may."""

    def text_in(self, row: Mapping[str, Any], key: str) -> str:
        """Return the rubric under a key of a row, with its criteria's weights if another key of the row has them."""


RUBRIC_SHAPES: OpenTable[RubricShape] = OpenTable()
"""Readers of published rubrics, which are tried on data that aren't in markscheme's own format."""
