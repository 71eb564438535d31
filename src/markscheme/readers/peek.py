"""A first look at a file: its shape and its first records, by which its format is recognized."""

import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from markscheme.errors import RatingError, UsageError, refuse_lines
from markscheme.json_text import is_json, parse_json
from markscheme.plain_data import (
    ANOTHER_LENGTH,
    json_lines,
    json_parts,
    mapping,
    read_json,
    read_text,
    refusing_unreadable,
)
from markscheme.ratings.column_options import ColumnOptions
from markscheme.ratings.parquet_rows import parquet_rows
from markscheme.readers.archive import UNPACKING_ERRORS
from markscheme.readers.sqlite_files import reading_database
from markscheme.readers.tabular.source import Sheet, is_encoded_text, open_sheet, splits_alike
from markscheme.row_files import table_rows

FIRST = 50
"""Number of items, rows or entries that are read to recognize a file's format."""
HEAD = 200_000
"""Number of characters in which a file of Promptfoo's results names its evaluation or first grading, after long
prompts."""
FilePart = tuple[str, Any]
FIRST_BYTES = 4096
"""Number of bytes that are read to recognize a file's format."""
SHEET_MAGIC = (b"\xd0\xcf\x11\xe0", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd", b"ARROW1")
"""First bytes of old workbooks, compressed tables and Arrow files."""
FileShape: TypeAlias = Literal["sheet", "table", "parquet", "lines", "json", "yaml", "text"]
"""Kind of content of a file: a table that `open_sheet` reads, one that is read by line or from Parquet, JSON, or
other text."""
_SHAPE_OF_NAME: Mapping[str, FileShape] = {
    **dict.fromkeys((".csv", ".tsv"), "table"),
    **dict.fromkeys((".jsonl", ".ndjson"), "lines"),
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    ".json": "json",
    ".parquet": "parquet",
}
_BLANK = "\ufeff \t\r\n"
OF_WORKBOOKS = frozenset({"[Content_Types].xml", "mimetype"})
"""Names of members by which workbooks that are zip archives are recognized: each workbook has one of them."""


@dataclass(frozen=True)
class Peek:
    """Access to the beginning of a file whose format isn't known yet, which reads no more of it than needed.

    Attributes:
        path: The file.
        options: The user's options on how to read the file, if it is a table.
    """

    path: Path
    options: ColumnOptions = ColumnOptions()

    @cached_property
    def shape(self) -> FileShape:
        """Kind of the file's content, such as lines, table or JSON; by its name if it is empty or damaged."""
        by_name = _SHAPE_OF_NAME.get(self.path.suffix.casefold(), "text")
        if not self.path.is_file():
            return by_name
        with self.path.open("rb") as file:
            start = file.read(FIRST_BYTES)
        packed = self._shape_of_packed(start)
        if packed is not None:
            return packed
        is_json_by_name = by_name in ("lines", "json")
        if self.options.encoding is not None and not is_json_by_name:
            return "sheet"
        if not _is_utf8(start):
            return "sheet" if by_name == "table" or (by_name == "text" and is_encoded_text(start)) else by_name
        return self._shape_of_text(by_name)

    def _shape_of_packed(self, start: bytes) -> FileShape | None:
        """Return the kind of content of a compressed or binary file, such as a workbook; None for text."""
        if start.startswith(b"PK\x03\x04"):
            is_one_table = len(self.members) == 1 or not self.members.isdisjoint(OF_WORKBOOKS)
            return "sheet" if is_one_table else "text"
        if start.startswith(b"SQLite format 3"):
            return "sheet" if self.tables else "text"
        if start.startswith(b"PAR1"):
            return "parquet"
        return "sheet" if start.startswith(SHEET_MAGIC) else None

    def _shape_of_text(self, by_name: FileShape) -> FileShape:
        text = self.head.lstrip(_BLANK)
        if text[:1] in ("{", "["):
            is_whole_line = is_json(text.partition("\n")[0])
            if by_name == "lines":
                is_one_value = not is_whole_line or (text[:1] == "[" and not text.partition("\n")[2].strip())
                return "json" if is_one_value and len(self.head) < HEAD and is_json(text) else "lines"
            if is_whole_line and text.partition("\n")[2].strip():
                return "lines"
            if by_name != "table":
                return "json"
            is_document = len(self.head) < HEAD and is_json(text)
            return "sheet" if is_whole_line else "json" if is_document else by_name
        if text[:4].casefold() == "sep=":
            return "sheet"
        if by_name == "table" or not splits_alike(text):
            return by_name
        return by_name if by_name == "yaml" else "sheet"

    @cached_property
    def _sheet(self) -> Sheet:
        """The table in the file, such as a workbook's, with its cells as text."""
        return open_sheet(self.path, self.options)

    @cached_property
    def first(self) -> tuple[FilePart, ...]:
        """The first items, rows or entries of a file, up to one that can't be read; empty if the file has none."""
        parts: list[FilePart] = []
        with suppress(RatingError, UsageError):  # which of several sheets is asked where one is read
            parts.extend(islice(self.parts(), FIRST))
        return tuple(parts)

    def has(self, *fields: str) -> bool:
        """Return True if at least one of the file's first records or rows has all the named fields."""
        return any(mapping(record).keys() >= set(fields) for _, record in self.first)

    def parts(self) -> Iterator[FilePart]:
        """Yield key and value of each top-level part of the file: a list's items, lines, rows, or an object's entries.

        The key of an item, a line or a row is "".

        Raises:
            RatingError: The file cannot be read.
        """
        return (part for _, part in self.parts_on_lines())

    def parts_on_lines(self) -> Iterator[tuple[int | None, FilePart]]:
        """Yield each part of the file, as `parts` does, after the line on which it ends (None if unknown).

        Raises:
            RatingError: The file cannot be read.
        """
        shape = self.shape
        if shape == "sheet":
            for cells in self._sheet.rows:
                filled = {column: cell for column, cell in zip(self._sheet.header, cells, strict=True) if cell.strip()}
                yield None, ("", filled)
        elif shape == "table":
            for line, row in table_rows(self.path, RatingError):
                if row is None:
                    refuse_lines(RatingError(ANOTHER_LENGTH, path=self.path, line=line))
                else:
                    yield line, ("", {column: cell for column, cell in row.items() if cell.strip()})
        elif shape == "parquet":
            for _, row in parquet_rows(self.path):
                yield None, ("", {column: value for column, value in row.items() if value is not None})
        elif shape == "lines":
            yield from ((line, ("", data)) for line, data in json_lines(self.path, RatingError))
        elif shape == "json":
            yield from ((None, part) for part in json_parts(self.path, RatingError))

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns of a text table or a sheet, even of columns without values; empty for other files."""
        if self.shape == "table":
            return tuple(next((row for _, row in table_rows(self.path, RatingError) if row is not None), ()))
        return tuple(self._sheet.header) if self.shape == "sheet" else ()

    @property
    def is_lines(self) -> bool:
        """True if the file has a JSON value on each line."""
        return self.shape == "lines"

    @cached_property
    def head(self) -> str:
        """The beginning of the file's text."""
        with (
            refusing_unreadable(self.path, RatingError),
            self.path.open(encoding="utf-8-sig", errors="replace") as file,
        ):
            return file.read(HEAD)

    @cached_property
    def data(self) -> Any:
        """The parsed content of a JSON file; None for any other file, and for JSON lines.

        Raises:
            RatingError: The file is not valid JSON.
        """
        return read_json(self.path, RatingError) if self.shape == "json" else None

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """The JSON object that the file consists of, whatever the file is named; empty for any other content."""
        if self.shape not in ("lines", "json") or (self.is_lines and len(self.first) > 1):
            return {}
        try:
            return mapping(parse_json(read_text(self.path, RatingError)))
        except (RatingError, ValueError):
            return {}

    @cached_property
    def records(self) -> tuple[Mapping[str, Any], ...]:
        """The objects among the first lines, rows or list items of the file."""
        return tuple(record for key, record in self.first if key == "" and isinstance(record, Mapping))

    def all_records(self) -> Iterator[Mapping[str, Any]]:
        """Yield the objects among all lines, rows or list items of the file.

        Raises:
            RatingError: The file cannot be read.
        """
        yield from (record for key, record in self.parts() if key == "" and isinstance(record, Mapping))

    @cached_property
    def members(self) -> frozenset[str]:
        """Names of the files in a zip archive; empty if the file isn't a zip archive."""
        try:
            if not zipfile.is_zipfile(self.path):
                return frozenset()
            with zipfile.ZipFile(self.path) as archive:
                return frozenset(archive.namelist())
        except UNPACKING_ERRORS as problem:
            raise RatingError(f"cannot be unpacked: {problem}", path=self.path) from problem

    @cached_property
    def tables(self) -> Mapping[str, frozenset[str]]:
        """Columns of each table in an SQLite file, by the table's name; empty for any other file."""
        with refusing_unreadable(self.path, RatingError), self.path.open("rb") as file:
            if file.read(15) != b"SQLite format 3":
                return {}
        with reading_database(self.path) as database:
            names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            columns = "SELECT name FROM pragma_table_info(?)"
            return {name: frozenset(column for (column,) in database.execute(columns, (name,))) for name in names}


def _is_utf8(head: bytes) -> bool:
    """Return True if the first bytes of a file are UTF-8 text, even if they end within a character."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as problem:
        return len(head) - problem.start < LONGEST_LETTER
    return b"\0" not in head


LONGEST_LETTER = 4
"""Largest number of bytes of a character in UTF-8."""
