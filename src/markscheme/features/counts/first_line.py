"""Test of whether a file is a counts file, without reading it whole and without loading numpy."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from markscheme.errors import UsageError
from markscheme.features.counts.columns_of_counts import OTHER_COLUMNS, delimiter_of
from markscheme.json_text import json_or
from markscheme.row_files import load_pyarrow

COLUMNS_OF_COUNTS: Final = {"part", "n"}
"""Columns that a table must have to be a counts file."""
COLUMNS_OF_EXPORTS: Final = {"part", "set_no", "gold", "judge", "n"}
"""Columns that every export of counts has; a table with them may have one more, of an earlier judge."""
_LONGEST_LINE: Final = 10_000
"""Largest number of bytes read to find a file's first line."""


def has_counts(path: Path) -> bool:
    """Return True if a file has the columns of counts: CSV or JSON lines by the first line, Parquet by its schema."""
    with path.open("rb") as file:
        line = file.readline(_LONGEST_LINE)
    text = line.decode("utf-8-sig", errors="replace")
    if text.startswith("PAR1"):
        return _are_of_counts(_parquet_columns(path))
    if not text.lstrip().startswith("{"):
        return _are_of_counts([name.strip() for name in text.split(delimiter_of(text))])
    return _are_of_counts([*json_or(text, ())])


def _are_of_counts(columns: Sequence[str]) -> bool:
    others = [name for name in columns if not OTHER_COLUMNS.fullmatch(name)]
    if len(others) == 1:
        return set(columns) >= COLUMNS_OF_EXPORTS
    return not others and set(columns) >= COLUMNS_OF_COUNTS


def _parquet_columns(path: Path) -> list[str]:
    """Return the names of a Parquet file's columns; an empty collection if they can't be read."""
    try:
        pyarrow = load_pyarrow(path)
    except UsageError:
        return []
    try:
        return [str(name) for name in pyarrow.parquet.read_schema(path).names]
    except (pyarrow.ArrowException, OSError):
        return []
