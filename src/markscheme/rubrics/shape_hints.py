"""Options with which the user explains a rubric in another tool's format."""

from dataclasses import dataclass

from markscheme.options.forms import VALUE_TEXTS, text_form
from markscheme.options.table import option


@dataclass(frozen=True, kw_only=True)
class ShapeOptions:
    """The user's hints on a rubric in another tool's format; whatever is missing is inferred from its structure.

    Attributes:
        other_names: Other names of the key for a criterion's wording, as KEY=requirement.
        ends: Lowest and highest level for criteria without listed levels, as LOW..HIGH.
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
"""Options of a caller who gives none."""
