"""Rubrics as people publish them: read by structure, and nothing of them is lost without a word."""

from typing import TYPE_CHECKING, Any

from markscheme.rubrics.shapes import RUBRIC_SHAPES
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.rubrics.shape_hints import ShapeOptions
    from markscheme.rubrics.shapes import PublishedRubric


class _ByStructure:
    """The reader, which is loaded when it is first asked."""

    def read(self, data: Any, options: "ShapeOptions") -> "PublishedRubric | None":
        from markscheme.features.published.reader import read_published

        return read_published(data, options)

    def shows(self, data: Any) -> bool:
        from markscheme.features.published.finding import shows_rubric

        return shows_rubric(data)


PUBLISHED = Feature("published", RUBRIC_SHAPES(_ByStructure()))
