"""Whether a file has counts, by its first line; it answers before numpy is loaded."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

COLUMNS_OF_COUNTS: Final = {"part", "n"}
"""The columns without which a table has no counts."""
_ANY_COLUMN: Final = re.compile(r"part|set_no|gold|judge|p[1-9]\d*|value|n")
"""Names of all columns that counts may have; a table of verdicts with a column `part` has others."""
_LONGEST_LINE: Final = 10_000
"""Bytes of a first line that are read."""


def has_counts(path: Path) -> bool:
    """Return True if a file has the columns of counts: CSV or JSON lines by the first line, Parquet by its schema."""
    with path.open("rb") as file:
        line = file.readline(_LONGEST_LINE)
    text = line.decode("utf-8-sig", errors="replace")
    if text.startswith("PAR1"):
        return _are_of_counts(_parquet_columns(path))
    if not text.lstrip().startswith("{"):
        return _are_of_counts([name.strip() for name in text.split(",")])
    try:
        return _are_of_counts([*json.loads(text)])
    except ValueError:
        return False


def _are_of_counts(columns: Sequence[str]) -> bool:
    return set(columns) >= COLUMNS_OF_COUNTS and all(_ANY_COLUMN.fullmatch(name) for name in columns)


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
