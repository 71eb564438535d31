"""Cells of the SQLite stores of other tools."""

from typing import Any


def id_cell(value: Any) -> str:
    """Convert an id in an SQLite table, which may be a number, to text; None becomes ""."""
    return "" if value is None else str(value)
