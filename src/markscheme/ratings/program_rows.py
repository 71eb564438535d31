"""Conversion of rows in memory, such as a data frame's, to the plain data that a line of a file would have."""

from collections.abc import Mapping
from typing import Any

from markscheme.plain_data import shown
from markscheme.prompts.submission import PAIR_NAMES, is_missing

_MAPPINGS = ("metadata", *PAIR_NAMES)
"""Keys of an example whose mappings consist of cells; any other mapping, such as a trace, is data."""


def rating_cells(row: Any) -> dict[str, Any]:
    """Convert a rating in memory to the plain data of a line of ratings.

    Empty cells (None, NaN, and pandas' NA and NaT) are left out, except in `criteria`: an empty level there becomes
    None.

    Raises:
        ValueError: The row isn't a mapping.

    Example:
        >>> rating_cells({"id": "a", "overall": float("nan"), "criteria": {"polite": float("nan"), "kind": 1}})
        {'id': 'a', 'criteria': {'polite': None, 'kind': 1}}
    """
    if not isinstance(row, Mapping):
        raise ValueError(f"a rating is an object, found {shown(row)}")
    cells = _filled(row)
    criteria = cells.get("criteria")
    if isinstance(criteria, Mapping):
        cells["criteria"] = {name: _level(rated) for name, rated in criteria.items()}
    return cells


def example_cells(row: Any) -> Any:
    """Convert an example in memory, with its labels, to plain data; other values than mappings stay as they are.

    Example:
        >>> example_cells({"id": "a", "query": None, "labels": ({"criteria": {"kind": float("nan")}},)})
        {'id': 'a', 'labels': [{'criteria': {'kind': None}}]}
    """
    if not isinstance(row, Mapping):
        return row
    cells = _filled(row)
    cells |= {name: _filled(cells[name]) for name in _MAPPINGS if isinstance(cells.get(name), Mapping)}
    labels: Any = cells.get("labels")
    if isinstance(labels, list | tuple) or hasattr(labels, "tolist"):  # Parquet files are read with arrays in cells
        cells["labels"] = [rating_cells(label) if isinstance(label, Mapping) else label for label in labels]
    return cells


def _level(rated: Any) -> Any:
    """Convert a level, or an object with level, reason and probabilities, to plain data without missing values."""
    if not isinstance(rated, Mapping):
        return None if is_missing(rated) else _plain(rated)
    cells = {name: _filled(value) if isinstance(value, Mapping) else value for name, value in _filled(rated).items()}
    return {name: value for name, value in cells.items() if value != {}}


def _filled(cells: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in cells.items() if not is_missing(value)}


def _plain(value: Any) -> Any:
    """Convert a numpy scalar to a Python value; return any other value unchanged."""
    is_numpy = not isinstance(value, str) and getattr(value, "shape", None) == () and hasattr(value, "item")
    return value.item() if is_numpy else value
