"""Opening of tables in any kind of file, recognized by content, as named columns of text."""

import bz2
import csv
import gzip
import io
import json
import lzma
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, TypeAlias, overload

from markscheme.errors import RatingError, refuse_lines
from markscheme.json_text import parse_json
from markscheme.numerals import number_in
from markscheme.plain_data import LONGEST_CELL, refusing_unreadable
from markscheme.prompts.submission import is_missing
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.archive import zstandard_or
from markscheme.readers.sqlite_files import reading_database
from markscheme.readers.tabular.columns import TableColumn
from markscheme.readers.tabular.refusals import refusal
from markscheme.readers.tabular.sums import sums_among
from markscheme.readers.tabular.words import name_words, says_role
from markscheme.text import encodable

MOST_UNPACKED: Final = 4 * 2**30
"""Largest number of bytes that are unpacked of a compressed file; no table that fits into memory has more."""
DELIMITERS: Final = ",;\t|"
SAMPLE_ROWS: Final = 50
"""Number of rows after the header from which the delimiter is inferred."""
FEWEST_IN_HEADER: Final = 2
"""Smallest number of different texts in a sheet's header; a title above it has only one."""
Rows: TypeAlias = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Sheet:
    """A table as text: the header, and the cells of each column below it.

    Attributes:
        name: Name of the file, without folder and ending.
        header: Names of the columns.
        cells: Cells of each column, in the order of rows.
        notes: Codes of assumptions that the user may want to correct.
        n_copies: Number of rows left out since they equal an earlier one.
    """

    name: str
    header: tuple[str, ...]
    cells: Sequence[Sequence[str]]
    notes: tuple[str, ...] = ()
    n_copies: int = 0

    @property
    def columns(self) -> tuple[TableColumn, ...]:
        """The columns, each with its name and cells."""
        return tuple(TableColumn(name, column) for name, column in zip(self.header, self.cells, strict=True))

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """Rows of the table, each with as many cells as the header."""
        return zip(*self.cells, strict=True)


def open_sheet(path: Path, options: ColumnOptions) -> Sheet:
    """Open the table in a file of any kind.

    Raises:
        UsageError: The file has no table or several, or its text could be read in several ways.
        RatingError: The file can't be read, or its rows don't fit its header.
    """
    with refusing_unreadable(path, RatingError):
        raw = path.read_bytes()
    for magic, kind in _REFUSED.items():
        if raw.startswith(magic):
            raise refusal("not-a-table", kind=kind, path=str(path))
    raw = _unpacked(raw, path)
    name = path.name.partition(".")[0]
    if raw.startswith(b"SQLite format 3"):
        return _of_database(path, name, options)
    if raw.startswith((b"PAR1", b"ARROW1")):
        return _of_arrow(path, raw, name)
    if raw.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        return _of_workbook(path, raw, name, options)
    text, notes = _decoded(raw, path, options)
    if b"\0" in raw[:_HEAD] and "\0" in text[:_HEAD]:
        raise refusal("not-a-table", kind="binary data", path=str(path))
    sheet = _of_text(text, path, name, options)
    return replace(sheet, notes=(*notes, *sheet.notes))


_HEAD: Final = 4096
"""Number of characters that are read to see whether data are text."""
_REFUSED: Final = {
    b"%PDF": "a PDF",
    b"\x89PNG": "an image (PNG)",
    b"\xff\xd8\xff": "an image (JPEG)",
    b"GIF8": "an image (GIF)",
    b"\x80\x03": "a pickle of Python",
    b"\x80\x04": "a pickle of Python",
    b"\x80\x05": "a pickle of Python",
}
_PACKED: Final[Mapping[bytes, Callable[[io.BytesIO], Any]]] = {
    b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ": lzma.LZMAFile,
}


def _unpacked(raw: bytes, path: Path) -> bytes:
    """Unpack a compressed file or a zip archive of one file, up to a size limit; other bytes are returned unchanged."""
    try:
        for magic, opened in _PACKED.items():
            if raw.startswith(magic):
                with opened(io.BytesIO(raw)) as file:
                    return _within_limit(file.read(MOST_UNPACKED + 1), path)
        if raw.startswith(b"\x28\xb5\x2f\xfd"):
            return _within_limit(_of_zstandard(raw, path), path)
        if raw.startswith(b"PK\x03\x04"):
            return _of_zip(raw, path)
    except (OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile, NotImplementedError) as problem:
        raise RatingError(f"cannot be unpacked: {problem}", path=path) from problem
    return raw


def _within_limit(raw: bytes, path: Path) -> bytes:
    if len(raw) > MOST_UNPACKED:
        raise RatingError(f"is longer than {MOST_UNPACKED:,} bytes when it is unpacked", path=path)
    return raw


def _of_zstandard(raw: bytes, path: Path) -> bytes:
    zstandard = zstandard_or("is compressed with zstd: pip install zstandard", path)
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(raw)) as file:
        return bytes(file.read(MOST_UNPACKED + 1))


def _of_zip(raw: bytes, path: Path) -> bytes:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        names = [info for info in archive.infolist() if not info.is_dir() and not info.filename.startswith("__MACOSX")]
        if any(info.filename == "[Content_Types].xml" or info.filename == "mimetype" for info in names):
            return raw  # a workbook
        if len(names) != 1:
            listed = ", ".join(info.filename for info in names[:5])
            raise refusal("which-member", path=str(path), members=listed, count=len(names))
        with archive.open(names[0]) as member:
            return _within_limit(member.read(MOST_UNPACKED + 1), path)


# --- text ------------------------------------------------------------------------------------------------------------

_MARKS: Final = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def _zeros(raw: bytes) -> tuple[int, int]:
    """Count zero bytes at odd and at even positions of a file's start; many show that it is UTF-16."""
    return raw[1:_HEAD:2].count(0), raw[0:_HEAD:2].count(0)


def _decoded(raw: bytes, path: Path, options: ColumnOptions) -> tuple[str, tuple[str, ...]]:
    """Decode a file's bytes; also return a note if the encoding is only a guess."""
    zeros = _zeros(raw)
    named = options.encoding or next((name for mark, name in _MARKS.items() if raw.startswith(mark)), None)
    if named is None and max(zeros) > len(raw[:_HEAD]) / 4:
        named = "utf-16-le" if zeros[0] > zeros[1] else "utf-16-be"
    try:
        if named is not None:
            return encodable(raw.decode(named)), ()
        try:
            return encodable(raw.decode("utf-8")), ()
        except UnicodeDecodeError:
            return raw.decode("cp1252"), ("encoding",)
    except (UnicodeDecodeError, LookupError) as problem:
        error = RatingError(f"cannot be read as {options.encoding or 'text'}: {problem}", path=path)
        raise error.of_setting("encoding", str(options.encoding)) from problem


def _of_text(text: str, path: Path, name: str, options: ColumnOptions) -> Sheet:
    begin = text[:_HEAD].lstrip("\ufeff \t\r\n")
    if begin[:1] in ("{", "["):
        return records_sheet(_json_records(text, path, options), name, path)
    if begin[:1] == "<" and any(tag in begin.casefold() for tag in ("<html", "<!doctype", "<table")):
        raise refusal("not-a-table", kind="HTML", path=str(path))
    return _delimited(text.removeprefix("\ufeff"), path, name)


def is_encoded_text(start: bytes) -> bool:
    """Return True if a file that isn't UTF-8 seems to be text in another encoding, and not binary data.

    Args:
        start: The file's first bytes.
    """
    if start.startswith(tuple(_REFUSED)):
        return False
    return start.startswith(tuple(_MARKS)) or b"\0" not in start or max(_zeros(start)) > len(start) / 4


def splits_alike(text: str) -> bool:
    """Return True if a text looks like a table: its first lines have as many cells as its header.

    >>> splits_alike("id,verdict\\nt1,pass\\n"), splits_alike("t1,pass\\nt2,fail\\n"), splits_alike("a;b;c\\n1;2;3\\n")
    (True, False, True)
    """
    csv.field_size_limit(LONGEST_CELL)
    try:
        rows = list(filter(None, islice(csv.reader(io.StringIO(text), delimiter=_delimiter(text)), SAMPLE_ROWS)))
    except csv.Error:
        return False
    lengths = {len(row) for row in rows[:-1]}  # the last may be cut off
    if len(lengths) != 1 or lengths == {1}:
        return False
    return len(rows[0]) > FEWEST_IN_HEADER or any(says_role(name_words(name)) for name in rows[0])


def _delimited(text: str, path: Path, name: str) -> Sheet:
    csv.field_size_limit(LONGEST_CELL)
    skipped = 0
    first, _, rest = text.partition("\n")
    stated = first.strip(" \r").casefold()
    delimiter = ""
    if stated.startswith("sep=") and len(stated) == len("sep=,"):
        delimiter = stated[-1]
        text = rest
        skipped = 1
    rows = csv.reader(_lines(text), delimiter=delimiter or _delimiter(text))
    try:
        filled = (row for row in rows if any(cell.strip() for cell in row))
        header = next(filled, None)
        if header is None:
            raise RatingError("holds no rows", path=path)
        numbered = ((rows.line_num + skipped, row) for row in rows)
        if not _may_be_title(header):
            return _headed(header, numbered, path, name)
        below = next(filled, [])
        if _names_columns(below, len(header) if len(header) > 1 else max(FEWEST_IN_HEADER, len(below))):
            return _headed(below, numbered, path, name)
        return _headed(header, chain([(rows.line_num + skipped, below)], numbered), path, name)
    except csv.Error as problem:
        raise RatingError(f"cannot be read: {problem}", path=path) from problem


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text with their line ends, one at a time, to save memory."""
    if text.count("\r") != text.count("\r\n"):
        yield from io.StringIO(text, newline="")
        return
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin) + 1 or len(text)
        yield text[begin:end]
        begin = end


def _may_be_title(row: Sequence[str]) -> bool:
    """Return True if a row may be a title above the header: only its first cell has text, and it isn't one of two."""
    return len(row) != FEWEST_IN_HEADER and bool(row[0].strip()) and not any(map(str.strip, row[1:]))


def _is_drawn(row: Sequence[str], n_above: int) -> bool:
    """Return True if a row is drawn, as by Markdown or a database's shell: a line below the header, or a count of rows.

    >>> _is_drawn(["---", "---"], 0), _is_drawn(["(40 rows)"], 40), _is_drawn(["(40 rows)"], 39)
    (True, True, False)
    """
    if n_above:
        return "".join(row) in (f"({n_above} rows)", f"({n_above} row)")
    return set("".join(row)) <= {*"-:+="} and any("--" in cell for cell in row)


def _names_columns(row: Sequence[str], width: int) -> bool:
    """Return True if a row looks like a header of a table with `width` columns.

    Its cells are as many as the columns, distinct and not empty, and one of them is a usual column name such as "id".
    """
    names = {cell.strip() for cell in row} - {""}
    return len(names) == len(row) == width and any(says_role(name_words(name)) for name in names)


def _delimiter(text: str) -> str:
    """Return the delimiter by which most rows have as many cells as the header; a comma if none divides the header.

    If none divides the first row, it may be a title: the delimiter is then one that divides all rows below alike.
    """
    of_header: dict[str, tuple[float, int]] = {}
    below_title: dict[str, tuple[float, int]] = {}
    for mark in DELIMITERS:
        reader = csv.reader(_lines(text), delimiter=mark)
        lengths = [len(row) for row, _ in zip(reader, range(SAMPLE_ROWS), strict=False) if row]
        if lengths and lengths[0] > 1:
            of_header[mark] = (sum(length == lengths[0] for length in lengths) / len(lengths), lengths[0])
        elif len(set(lengths[1:])) == 1 and lengths[1] > 1:
            below_title[mark] = (1.0, lengths[1])
    counts = of_header or below_title
    return max(counts, key=lambda mark: counts[mark]) if counts else ","


def _headed(header: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]], path: Path, name: str) -> Sheet:
    """Make a Sheet from a header and rows; drop blank rows and repeated headers, refuse rows longer than the header.

    A shorter row ends in empty cells, as spreadsheets leave out the last delimiters of a row; a note says so.

    Args:
        header: The cells of the header.
        rows: Each row's number, or its line in the file, and its cells.
        path: The file, for messages.
        name: Name of the sheet.
    """
    names = [cell.strip() for cell in header]
    if names and not names[-1]:
        rows = list(rows)
    while names and not names[-1] and not any(len(row) >= len(names) and row[len(names) - 1] for _, row in rows):
        names.pop()
    cells: list[list[str]] = [[] for _ in names]
    too_long: list[int] = []
    is_any_short = False
    shared: dict[str, str] = {}
    for line, row in rows:
        stripped = list(map(str.strip, row))
        if not any(stripped) or stripped[: len(names)] == names or _is_drawn(stripped, len(cells[0]) if cells else 0):
            continue
        if any(stripped[len(names) :]):
            too_long.append(line)
            continue
        lacking = len(names) - len(row)
        is_any_short = is_any_short or lacking > 0
        share = shared.setdefault if len(shared) < MOST_SHARED else shared.get
        for cell, column in zip([*row, *[""] * lacking], cells, strict=False):
            column.append(share(cell, cell))
    if too_long:
        raise refusal("long-rows", path=str(path), lines=too_long)
    if not cells or not cells[0]:
        raise RatingError("holds no rows", path=path)
    notes: tuple[str, ...] = ("short-rows",) if is_any_short else ()
    filled = _RowsOf(cells)
    if _are_cells(names, filled):
        for column, name_above in zip(cells, names, strict=True):
            column.insert(0, name_above)
        names = [f"column {index}" for index in range(1, len(names) + 1)]
        notes = (*notes, "no-header")
    elif _is_second_header(names, filled):
        names = _over_two_rows(names, [column.pop(0) for column in cells])
    _refuse_two_headers(names, filled, path)
    sums = sums_among(filled)
    if sums:
        cells = [[cell for row, cell in enumerate(column) if row not in sums] for column in cells]
        notes = (*notes, "totals")
    named = [column or (f"column {index}" if index > 1 else "") for index, column in enumerate(names, start=1)]
    return _without_twins(Sheet(name, tuple(named), list(map(tuple, cells)), notes), path)


class _RowsOf(Sequence[Sequence[str]]):
    """Rows of a table that is stored by columns; a row is made only when it is accessed, to save memory."""

    def __init__(self, cells: Sequence[Sequence[str]]) -> None:
        self._cells = cells

    def __len__(self) -> int:
        return len(self._cells[0])

    def __iter__(self) -> Iterator[Sequence[str]]:
        return zip(*self._cells, strict=True)

    @overload
    def __getitem__(self, index: int) -> Sequence[str]: ...
    @overload
    def __getitem__(self, index: slice) -> "_RowsOf": ...
    def __getitem__(self, index: int | slice) -> "Sequence[str] | _RowsOf":
        if isinstance(index, slice):
            return _RowsOf([column[index] for column in self._cells])
        return tuple(column[index] for column in self._cells)


def _are_cells(names: Sequence[str], rows: Rows) -> bool:
    """Return True if a table seems to have no header, so that its first row is data.

    That is shown if several cells of the first row are equal, and the columns of these cells contain their text again.

    Args:
        names: The cells of the first row.
        rows: The other rows.
    """
    if not all(names) or len(set(names)) == len(names):
        return False
    repeated = [name for index, name in enumerate(names) if any(row[index].strip() == name for row in rows)]
    return len(set(repeated)) < len(repeated)


def _is_second_header(names: Sequence[str], rows: Rows) -> bool:
    """Return True if the row below a header continues it, by filling the header's empty cells with names."""
    below = rows[0]
    gaps = [index for index, name in enumerate(names) if not name and index]
    is_merged = bool(gaps) and all(below[index].strip() for index in gaps) and not below[0].strip() and bool(names[0])
    if not is_merged or len(rows) < FEWEST_BELOW:
        return False
    return all(
        number_in(cell.strip()) is None and all(row[index] != cell for row in rows[1:])
        for index, cell in enumerate(below)
        if cell.strip()
    )


FEWEST_BELOW: Final = 3
"""Smallest number of rows below a header that show whether the first of them is part of the header."""


def _over_two_rows(names: Sequence[str], below: Sequence[str]) -> list[str]:
    """Join two header rows to names of columns; the text of a merged cell is put before each name below it.

    Args:
        names: Cells of the first header row; of a merged cell, only the first has text.
        below: Cells of the second header row.
    """
    joined: list[str] = []
    over = ""
    for name, name_below in zip(names, map(str.strip, below), strict=True):
        over = name or over
        joined.append(f"{over} {name_below}" if name_below else name)
    return joined


MOST_SHARED: Final = 4096
"""Number of different cells from which on others aren't shared: equal cells are stored once, to save memory, and a
table with more different cells has many ids or texts."""


def _refuse_two_headers(names: Sequence[str], rows: Rows, path: Path) -> None:
    """Refuse a header with gaps if the row below looks like a second header row.

    Raises:
        RatingError: The header extends over two rows.
    """
    if all(names[1:]) or len(rows) - 1 < len(rows[0]) or not all(cell.strip() for cell in rows[0]):
        return
    below = rows[1:]
    gaps = [index for index, column in enumerate(names) if not column and index]
    repeat = [len({row[index] for row in below}) < len(below) for index in gaps]
    has_names = any(repeat) and any(says_role(name_words(cell)) for cell in rows[0])
    recur = [rows[0][index] in {row[index] for row in below} for index in range(len(names))]
    if (all(repeat) or has_names) and not any(recur):
        problem = f"has a header of two rows: column {gaps[0] + 1} is named in the second alone"
        raise RatingError(f"{problem}; write each column's name in one row", path=path)


def _without_twins(sheet: Sheet, path: Path) -> Sheet:
    """Drop columns that equal an earlier one in name and cells; refuse columns of equal names but different cells."""
    first: dict[str, int] = {}
    gone = set()
    for index, name in enumerate(sheet.header):
        if name not in first or not name:
            first.setdefault(name, index)
            continue
        if list(sheet.cells[index]) != list(sheet.cells[first[name]]):
            raise refusal("equal-names", columns=[name], path=str(path))
        gone.add(index)
    if not gone:
        return sheet
    keep = [index for index in range(len(sheet.header)) if index not in gone]
    return replace(
        sheet, header=tuple(sheet.header[index] for index in keep), cells=[sheet.cells[index] for index in keep]
    )


# --- JSON and frames -------------------------------------------------------------------------------------------------


def _json_records(text: str, path: Path, options: ColumnOptions) -> list[Mapping[str, Any]]:
    """Return the records in JSON data: lines, a list, columns, records by id, or pandas' `split` format."""
    try:
        data = parse_json(text)
    except ValueError as whole:
        return _json_lines(text, path, whole)
    return json_records(data, path, options)


def json_records(data: Any, path: Path, options: ColumnOptions) -> list[Mapping[str, Any]]:
    """Return the records in the data of a JSON file: the data itself, or the list under the only key that has one.

    Data by column, and data with the keys `columns` and `data` as pandas writes them, are converted to records.

    Raises:
        UsageError: Several keys have records and `--table` names none of them, the key that it names has no records, or
            the data has no records.
        RatingError: A list contains records and also other items.
    """
    if isinstance(data, list):
        return _objects(data, path)
    if not isinstance(data, Mapping):
        raise refusal("not-a-table", kind="JSON without records", path=str(path))
    if {"columns", "data"} <= data.keys() and isinstance(data["data"], list):
        return [dict(zip(map(str, data["columns"]), row, strict=False)) for row in data["data"]]
    lists = {key: value for key, value in data.items() if is_records(value)}
    if lists or options.table is not None:
        return _objects(lists[_chosen(lists, options)], path)
    return _columns_or_records(data)


def _columns_or_records(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    values = list(data.values())
    if values and all(isinstance(value, list) for value in values) and len(set(map(len, values))) == 1:
        return [dict(zip(data, row, strict=True)) for row in zip(*values, strict=True)]
    if values and all(isinstance(value, Mapping) for value in values):
        are_cells = [not isinstance(cell, Mapping | list) for value in values for cell in value.values()]
        keys = [frozenset(value) for value in values]
        by_row = len(values) < len(keys[0]) and len(set(keys)) == 1 and all(are_cells)
        if by_row:  # pandas writes columns, each with the cells by row
            return [{name: column[row] for name, column in data.items()} for row in values[0]]
        return [{"id": key, **value} for key, value in data.items()]
    return [data]


def is_records(value: Any) -> bool:
    """Return True if a value is a list of one or more objects."""
    return isinstance(value, list) and bool(value) and all(isinstance(record, Mapping) for record in value)


def _json_lines(text: str, path: Path, whole: ValueError) -> list[Mapping[str, Any]]:
    records: list[Any] = []
    for line, written in enumerate(text.splitlines(), start=1):
        if written.strip():
            try:
                records.append(parse_json(written))
            except ValueError as problem:
                fault = whole if line == 1 else problem
                refuse_lines(RatingError(f"is not readable JSON: {fault}", path=path, line=line))
    return _objects(records, path)


def _objects(entries: Sequence[Any], path: Path) -> list[Mapping[str, Any]]:
    others = [index for index, record in enumerate(entries, start=1) if not isinstance(record, Mapping)]
    if others:
        raise RatingError(f"a row is an object; {len(others)} aren't, the first is number {others[0]}", path=path)
    return list(entries)


def records_sheet(records: Iterable[Mapping[str, Any]], name: str, path: Path | None = None) -> Sheet:
    """Convert records to a Sheet; the key `b` of a record nested under `a` becomes the column `a.b`."""
    flat = [dict(flat_cells(record)) for record in records]
    header = tuple(dict.fromkeys(key for record in flat for key in record))
    rows = [tuple(record.get(key, "") for key in header) for record in flat]
    filled = [row for row in rows if any(row)]
    if not filled:
        raise RatingError("holds no rows", path=path or name)
    return Sheet(name, header, list(zip(*filled, strict=True)))


def flat_cells(record: Mapping[str, Any], before: tuple[str, ...] = ()) -> Iterable[tuple[str, str]]:
    """Yield the name and the cell of each column that a record fills, such as `a.b` for the key `b` nested under `a`.

    Args:
        record: The record.
        before: The keys under which it is nested.
    """
    for key, value in record.items():
        if isinstance(value, Mapping) and value:
            yield from flat_cells(value, (*before, str(key)))
        else:
            yield ".".join((*before, str(key))), cell_text(value)


def flat_columns(columns: Iterable[tuple[str, Sequence[Any]]]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Yield columns with cells as text, and of a column `a` of objects a column `a.b` for each key `b`."""
    for name, values in columns:
        if any(isinstance(value, Mapping) for value in values):
            records = [{key: cell for key, cell in flat_cells({name: value}) if cell} for value in values]
            for key in dict.fromkeys(key for record in records for key in record):
                yield key, tuple(record.get(key, "") for record in records)
        else:
            yield name, tuple(map(cell_text, values))


def cell_text(value: Any) -> str:
    """Convert a Python value to the text of a cell; a missing value becomes "".

    >>> cell_text(4.0), cell_text(True), cell_text(None), cell_text(float("nan")), cell_text(["a", "b"])
    ('4', 'True', '', '', '["a", "b"]')
    """
    if isinstance(value, str):
        return value
    if is_missing(value) or value is None:
        return ""
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


# --- workbooks, databases, Parquet -----------------------------------------------------------------------------------


def open_sheets(path: Path, options: ColumnOptions) -> list[Sheet]:
    """List the one table of a file or, with `--table '*'`, several sheets of a workbook.

    These are the sheets whose columns another sheet has too or, if there are none, all sheets.

    Raises:
        UsageError: The file has no table or several, or its text could be read in several ways.
        RatingError: The file can't be read, or its rows don't fit its header.
    """
    if options.table != ALL_TABLES:
        return [open_sheet(path, options)]
    tables = _sheets_of(path, path.read_bytes())
    names = alike_in(tables) or list(tables)
    return [replace(open_sheet(path, replace(options, table=name)), name=name) for name in names]


ALL_TABLES: Final = "*"
"""Value of `--table` for all sheets with the same columns."""


def alike_in(tables: Mapping[str, Sequence[Sequence[Any]]]) -> list[str]:
    """Return the names of tables that share their columns with another table, such as one sheet per rater."""
    headers = {name: tuple(map(str, rows[_header_row(rows) or 0])) for name, rows in tables.items()}
    times = Counter(headers.values())
    return [name for name, header in headers.items() if times[header] > 1]


def _sheets_of(path: Path, raw: bytes) -> dict[str, list[list[Any]]]:
    """Map the name of each visible sheet in a workbook to its rows, if the sheet holds a table."""
    from python_calamine import CalamineError, CalamineWorkbook, SheetVisibleEnum

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(raw))
        visible = [sheet.name for sheet in book.sheets_metadata if sheet.visible == SheetVisibleEnum.Visible]
        grids = {sheet: book.get_sheet_by_name(sheet).to_python(skip_empty_area=True) for sheet in visible}
    except (CalamineError, ValueError, OSError) as problem:
        raise RatingError(f"cannot be read as a workbook: {problem}", path=path) from problem
    tables = {sheet: rows for sheet, rows in grids.items() if _header_row(rows) is not None}
    if not tables:
        raise RatingError("holds no sheet with a table", path=path)
    return tables


def _of_workbook(path: Path, raw: bytes, name: str, options: ColumnOptions) -> Sheet:
    tables = _sheets_of(path, raw)
    chosen = _chosen(tables, options, alike=alike_in(tables))
    rows = [[cell_text(cell) for cell in row] for row in tables[chosen]]
    start = _header_row(rows) or 0
    return _headed(rows[start], enumerate(rows[start + 1 :]), path, name)


def _header_row(rows: Sequence[Sequence[Any]]) -> int | None:
    """Return the index of a sheet's header: the first row with two different texts and a row below; else None."""
    for index, row in enumerate(rows[:-1]):
        if len({cell for cell in row if isinstance(cell, str) and cell.strip()}) >= FEWEST_IN_HEADER:
            return index
    return None


def _chosen(tables: Mapping[str, object], options: ColumnOptions, *, alike: Sequence[str] = ()) -> str:
    if options.table is not None:
        if options.table not in tables:
            raise refusal("option-unused", columns=list(tables), option=f"--table {options.table}")
        return options.table
    if len(tables) > 1:
        names = [ALL_TABLES, *tables] if alike else tables
        raise refusal("which-table", columns=list(tables), choices=[("--table", name) for name in names], alike=alike)
    return next(iter(tables))


def _of_database(path: Path, name: str, options: ColumnOptions) -> Sheet:
    with reading_database(path) as database:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        listed = database.execute(tables).fetchall()
        if not listed:
            raise RatingError("is an SQLite file without tables", path=path)
        chosen = _chosen({table: None for (table,) in listed}, options)
        quoted = chosen.replace('"', '""')
        cursor = database.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 - a name that the database lists
        header = tuple(column[0] for column in cursor.description)
        rows = [tuple(map(cell_text, row)) for row in cursor]
    return _headed(header, enumerate(rows), path, name)


def _of_arrow(path: Path, raw: bytes, name: str) -> Sheet:
    try:
        from pyarrow import ArrowException, feather, parquet
    except ImportError as missing:
        file_type = "Parquet" if raw.startswith(b"PAR1") else "Arrow"
        raise RatingError(f"is {file_type}: pip install 'markscheme[parquet]'", path=path) from missing
    try:
        file = io.BytesIO(raw)
        table = parquet.ParquetFile(file).read() if raw.startswith(b"PAR1") else feather.read_table(file)
    except (ArrowException, OSError) as problem:
        raise RatingError(f"cannot be read: {problem}", path=path) from problem
    columns = [*flat_columns(zip(table.column_names, (c.to_pylist() for c in table.columns), strict=True))]
    rows = zip(*(cells for _, cells in columns), strict=True)
    return _headed([heading for heading, _ in columns], enumerate(rows), path, name)
