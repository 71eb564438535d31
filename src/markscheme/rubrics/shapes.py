"""Rubrics in shapes that others publish: what a reader of them returns, and what the caller may say of one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from markscheme.options.forms import VALUE_TEXTS, text_form
from markscheme.options.table import option
from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.plain_data import Place


@dataclass(frozen=True, kw_only=True)
class ShapeOptions:
    """Hints on a rubric in another shape than markscheme's; whatever is missing is read from its structure.

    Attributes:
        other_names: Other names of keys, as KEY=requirement.
        ends: The ends of the scale of criteria without levels, as LOW..HIGH.
    """

    criteria: str | None = option(
        None, "of a published rubric: the key of its criteria", text_form("a key of the file"), value="KEY"
    )
    weights: tuple[str, ...] = option(
        (),
        "of a published rubric: what a word is worth as weight, WORD=NUMBER; may be repeated",
        VALUE_TEXTS,
        value="WORD=N...",
        several=True,
    )
    leave: tuple[str, ...] = option(
        (),
        "of a published rubric: a key to leave unread; may be repeated",
        VALUE_TEXTS,
        value="KEY...",
        several=True,
    )
    other_names: tuple[str, ...] = option((), "other names of keys, KEY=requirement", VALUE_TEXTS, is_typed=False)
    ends: tuple[str, ...] = option((), "the scale of criteria without levels", VALUE_TEXTS, is_typed=False)


NOTHING_SAID = ShapeOptions()
"""The options of a caller who says nothing."""


@dataclass(frozen=True)
class PublishedRubric:
    """A rubric as somebody published it, read as markscheme's own plain data.

    Attributes:
        data: A mapping with `criteria`, in markscheme's format.
        criteria_at: Where each criterion is in the published data.
        notes: What was assumed and what wasn't read, each once.
    """

    data: Mapping[str, Any]
    criteria_at: "tuple[Place, ...]"
    notes: tuple[str, ...] = field(default=())


class RubricShape(Protocol):
    """A reader of published rubrics."""

    def read(self, data: Any, options: ShapeOptions) -> PublishedRubric | None:
        """Return the rubric in plain data that aren't of markscheme's format; None for what isn't such a rubric.

        Raises:
            RubricError: It is one and can't be read; says which option helps.
        """

    def shows(self, data: Any) -> bool:
        """Return whether plain data show by their keys alone that they are a rubric, rather than a table."""


RUBRIC_SHAPES: OpenTable[RubricShape] = OpenTable()
"""Readers of published rubrics; they are asked for data that aren't of markscheme's own format."""
