"""Whether a file has counts, by its first line; it answers before numpy is loaded."""

import json
from pathlib import Path
from typing import Final

COLUMNS_OF_COUNTS: Final = {"part", "n"}
"""The columns without which a table has no counts."""
_LONGEST_LINE: Final = 10_000
"""Bytes of a first line that are read."""


def has_counts(path: Path) -> bool:
    """Return True if a file has the columns of counts: CSV or JSON lines by the first line, Parquet by its schema."""
    with path.open("rb") as file:
        line = file.readline(_LONGEST_LINE)
    text = line.decode("utf-8-sig", errors="replace")
    if text.startswith("PAR1"):
        return set(_parquet_columns(path)) >= COLUMNS_OF_COUNTS
    if not text.lstrip().startswith("{"):
        return {name.strip() for name in text.split(",")} >= COLUMNS_OF_COUNTS
    try:
        return set(json.loads(text)) >= COLUMNS_OF_COUNTS
    except ValueError:
        return False


def _parquet_columns(path: Path) -> list[str]:
    """Return the names of a Parquet file's columns; none where they can't be read."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        return []
    try:
        return [str(name) for name in parquet.read_schema(path).names]
    except (ArrowException, OSError):
        return []
