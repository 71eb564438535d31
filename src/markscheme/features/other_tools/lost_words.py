"""Words for the contents of a file that can't become ratings."""

from collections.abc import Iterable

LEVELS_OF_WORDS = "`--levels WORD=LEVEL` says which level a word means"
COLUMN_OF_IDS = "`--id COLUMN` names the column of ids"
_WITHOUT_ID = "rows without an id"
_OF_WORDS = ("levels '", 'levels "')
"""Beginnings of the phrases for levels that are words; one with an apostrophe is in double quotes."""


def counted_loss(things: str, count: int) -> str:
    """Return a phrase for content that an import loses, from its plural form and its count.

    >>> counted_loss("levels 'meh' of 'good', which aren't among UNMET, MET", 1)
    "1 level 'meh' of 'good', which isn't among UNMET, MET"
    """
    if count == 1 and things.startswith("levels "):
        things = things.replace("levels ", "level ", 1).replace("which aren't among", "which isn't among")
    return f"{count} {things}"


def has_word_off_scale(lost: Iterable[str]) -> bool:
    """Return True if the phrases for what an import lost include a word that isn't a level of its criterion."""
    return any(things.startswith(_OF_WORDS) for things in lost)


def has_row_without_id(lost: Iterable[str]) -> bool:
    """Return True if an import lost rows that neither an id nor a text identifies.

    Args:
        lost: Phrases for everything that the import lost.
    """
    return any(things.startswith(_WITHOUT_ID) for things in lost)


def has_unread_column(lost: Iterable[str]) -> bool:
    """Return True if the phrases for what an import lost include the cells of a column."""
    return any(things.startswith("cells of column ") for things in lost)
