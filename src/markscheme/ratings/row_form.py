"""Detection of how a file holds rows (JSON lines, table, Parquet, …), by content and, failing that, by name."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypeAlias

from markscheme.json_text import json_or
from markscheme.plain_data import LINES, PARQUET, TABLES

RowForm: TypeAlias = Literal["lines", "table", "parquet", "json", "yaml", "packed"]
"""Ways in which a file holds rows: JSON by line, cells by line, Parquet, one document of JSON or YAML, or a packed
file."""
PACKED: Final = (
    *(b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"),
    *(b"SQLite format 3", b"PAR1", b"ARROW1"),
)
"""First bytes of workbooks, compressed files and databases."""
_PARQUET: Final = b"PAR1"
_KEYS_OF_ROWS: Final = frozenset(["examples", "results"])
_BLANK: Final = b"\xef\xbb\xbf \t\r\n"
_MARKS: Final = (b",", b";", b"\t")
_YAML: Final = re.compile(rb"---|%YAML|[#-](\s|$)|[\"']?[\w .-]+[\"']?:(\s|$)")
"""Pattern of the first line of a YAML document, which isn't the header of a table."""


def form_of_rows(path: Path) -> RowForm:
    """Return the form in which a file holds rows, such as JSON lines or Parquet, by its content or else its name.

    >>> form_of_rows(Path("not there.csv"))
    'table'
    """
    by_name = _form_of_name(path)
    try:
        with path.open("rb") as file:
            first = b""
            while not first and (line := file.readline()):
                first = line.strip(_BLANK)
            rest = any(line.strip() for line in file) if first[:1] in (b"{", b"[") else False
    except OSError:
        return by_name
    if first.startswith(PACKED):
        return "parquet" if first.startswith(_PARQUET) else "packed"
    if first[:1] in (b"{", b"["):
        return _form_of_json(first, path, by_name, has_more=rest)
    if not first or by_name == "table":
        return by_name
    if _YAML.match(first):
        return "yaml"
    return "table" if any(mark in first for mark in _MARKS) else by_name


def takes_lines(path: Path) -> bool:
    """Return True if lines of JSON can be appended to a file: it ends in .jsonl, and is empty or holds JSON lines."""
    return path.suffix == ".jsonl" and form_of_rows(path) == "lines"


def _form_of_name(path: Path) -> RowForm:
    ending = path.suffix.casefold()
    if ending in LINES:
        return "lines"
    if ending in TABLES:
        return "table"
    return "parquet" if ending == PARQUET else "json" if ending == ".json" else "yaml"


def _form_of_json(first: bytes, path: Path, by_name: RowForm, *, has_more: bool) -> RowForm:
    """Return the form of a file that begins with { or [: JSON lines, one JSON document, or the form its name says.

    Args:
        first: The file's first line.
        path: The file.
        by_name: The form that the ending of the file's name means.
        has_more: True if the file has more lines than the first.
    """
    line = _parsed(first)
    if has_more:
        if line is not None:
            return "lines"
        is_whole = by_name in ("lines", "table") and _parsed(path.read_bytes().strip(_BLANK)) is not None
        return "json" if is_whole else by_name
    if line is None:
        return by_name
    if isinstance(line, list):
        holds_rows = by_name != "lines" or any(isinstance(row, Mapping) for row in line)
    else:
        holds_rows = isinstance(line, Mapping) and not _KEYS_OF_ROWS.isdisjoint(line)
    return "json" if holds_rows or by_name == "json" else "lines"


def _parsed(text: bytes) -> object:
    """Parse a text as JSON; return None if it isn't JSON."""
    return json_or(text.decode("utf-8-sig", errors="replace"), None)
