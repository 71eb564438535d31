"""Rubrics in the formats in which people publish them: read by their structure; whatever isn't read is reported."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from markscheme.rubrics.shapes import RUBRIC_SHAPES
from markscheme.seam import Feature

if TYPE_CHECKING:
    from markscheme.rubrics.shape_hints import ShapeOptions
    from markscheme.rubrics.shapes import PublishedRubric


class _ByStructure:
    """Reader of rubrics in other tools' formats, whose modules are imported when it is first used."""

    def read(self, data: Any, options: "ShapeOptions") -> "PublishedRubric | None":
        _, _, reader = self._modules
        published: PublishedRubric | None = reader.read_published(data, options)
        return published

    def shows(self, data: Any) -> bool:
        finding, g_eval, _ = self._modules
        return bool(finding.shows_rubric(data) or g_eval.g_eval_metrics(data))

    def key_in(self, row: Mapping[str, Any]) -> str | None:
        finding, _, _ = self._modules
        key: str | None = finding.key_of_criteria(row)
        return key

    def text_in(self, row: Mapping[str, Any], key: str) -> str:
        text = str(row[key])
        finding, _, _ = self._modules
        return finding.with_weights_of_groups(text, row) if text.startswith("{") else text

    @property
    def _modules(self) -> tuple[Any, Any, Any]:
        from markscheme.features.published import finding, g_eval, reader

        return finding, g_eval, reader


PUBLISHED = Feature("published", RUBRIC_SHAPES(_ByStructure()))
