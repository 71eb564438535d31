"""Reader of the columns of a counts table, which are read as whole arrays if all cells are plain numbers.

A table with any other cell is read cell by cell: the cell may still be a number, or else the error names it.
"""

import csv
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from markscheme.errors import UsageError, no_file
from markscheme.features.counts.columns_of_counts import delimiter_of
from markscheme.json_text import json_or
from markscheme.row_files import load_pyarrow
from markscheme.stats.intervals import Floats, Integers

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

PART_COLUMN: Final = "part"
EMPTY_CELLS: Final = frozenset({"", "null", "none", "nan", "\\n"})
"""Lower-case texts of cells that have no value."""
NUMBER_COLUMN: Final = re.compile(r"set_no|gold|judge|n|p[1-9]\d*")
"""Pattern of the columns that are read as numbers; an earlier judge's column is read as numbers too."""
_ARROW_NUMBERS: Final = {
    "double": np.float64,
    "float": np.float32,
    "int64": np.int64,
    "int32": np.int32,
    "int16": np.int16,
    "int8": np.int8,
    "uint8": np.uint8,
    "uint16": np.uint16,
    "uint32": np.uint32,
}
"""Numpy types by the names of Arrow's number types."""
HOW_TO_COUNT: Final = "`markscheme export RUBRIC --counts FILE --from FILES` makes a counts file"
"""End of the errors about a file that isn't a counts file."""

_BOM: Final = b"\xef\xbb\xbf"
_BOMS_OF_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")

Cells: TypeAlias = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class CountsColumns:
    """The columns of a counts table, as numbers and as written.

    Attributes:
        name: The table's name in messages.
        digest: Digest of the table's content.
        first: The number by which messages call the table's first row.
        parts: Names of parts, each once; None without a column of parts.
        part: The index in `parts` of each row's part, shape (n_rows,).
        numbers: Columns of numbers by name, each of shape (n_rows,), nan where the cell is empty.
        cells: Function that reads a column's cells as they are written, for messages.
    """

    name: str
    digest: str
    first: int
    parts: tuple[str, ...] | None
    part: Integers
    numbers: Mapping[str, Floats]
    cells: Callable[[], Cells]

    def fault(self, line: int, column: str, why: str) -> UsageError:
        """Make the error about a wrong cell, which names the cell's row, column and text.

        Args:
            line: Number in the file of the cell's row.
            column: Name of the column.
            why: What the cell must be, such as "must be a number".
        """
        return _fault(self.name, self.cells(), self.first, line, column, why)


def counts_columns(source: Any, earlier: str | None = None) -> CountsColumns:
    """Read the columns of a counts table from a file or from rows.

    Args:
        source: A file (CSV, JSON lines or Parquet), a data frame, rows, or columns by name.
        earlier: The column of an earlier judge, which is read as numbers; None if there is none.

    Raises:
        UsageError: The source can't be read, or has a cell that isn't a number in a column of numbers.
    """
    if isinstance(source, Path):
        return _of_file(source, earlier)
    cells = {name: list(column) for name, column in _in_memory(source).items()}
    digest = hashlib.sha256(repr(sorted(cells.items())).encode()).hexdigest()[:16]
    return _of_cells(cells, "the table of counts", digest, 1, earlier)


def counts_digest(raw: bytes) -> str:
    """Return the digest of a file of counts by its content."""
    return hashlib.sha256(raw).hexdigest()[:16]


def _of_numbers(name: str, earlier: str | None) -> bool:
    return name == earlier or NUMBER_COLUMN.fullmatch(name) is not None


def _of_file(path: Path, earlier: str | None) -> CountsColumns:
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path}: {no_file(path)}") from None
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror or problem}", path=path) from problem
    digest = counts_digest(raw)
    if raw.startswith(_BOMS_OF_UTF_16):
        raw = raw.decode("utf-16", errors="replace").encode()
    if raw.startswith(b"PAR1"):
        return _of_arrow(_parquet(raw, path), path, digest, earlier)
    is_json = raw[:1000].removeprefix(_BOM).lstrip().startswith(b"{")
    first = 1 if is_json else 2

    def cells() -> Cells:
        text = raw.decode("utf-8-sig", errors="replace")
        return _of_rows(_json_rows(text, path)) if is_json else _of_csv(text)

    plain = None if is_json else _plain_csv(raw, earlier)
    if plain is None:
        return _of_cells(cells(), str(path), digest, first, earlier)
    parts, part, numbers = plain
    return CountsColumns(str(path), digest, first, parts, part, numbers, cells)


# --- plain tables -----------------------------------------------------------------------------------------------------


def _plain_csv(raw: bytes, earlier: str | None) -> tuple[tuple[str, ...], Integers, dict[str, Floats]] | None:
    """Read a simple CSV: its parts' names, each row's part as an index, and columns of numbers; None for any other CSV.

    Args:
        raw: The file's content.
        earlier: The column of an earlier judge, which is read as numbers; None if there is none.
    """
    head, _, body = raw.removeprefix(_BOM).replace(b"\r\n", b"\n").rstrip(b"\n").partition(b"\n")
    names = [name.strip() for name in head.decode("utf-8", errors="replace").split(",")]
    if b'"' in raw or not body or b"\n\n" in body or PART_COLUMN not in names or len(set(names)) < len(names):
        return None
    index_of: dict[str, int] = {}
    of_cells: dict[int | str, Callable[[str], Any]] = {
        column: lambda _: np.nan for column, name in enumerate(names) if not _of_numbers(name, earlier)
    }
    of_cells[names.index(PART_COLUMN)] = lambda part: index_of.setdefault(part, len(index_of))
    filled = body.replace(b",,", b",nan,").replace(b",,", b",nan,").replace(b",\n", b",nan\n")
    filled += b"nan" if filled.endswith(b",") else b""
    try:
        table = np.loadtxt(
            io.BytesIO(filled), delimiter=",", converters=of_cells, comments=None, encoding="utf-8", ndmin=2
        )
    except ValueError:
        return None
    if table.shape[1] != len(names):
        return None
    numbers = {name: table[:, column] for column, name in enumerate(names) if column not in of_cells}
    return tuple(index_of), table[:, names.index(PART_COLUMN)].astype(np.int64), numbers


def _of_arrow(file: "ParquetFile", path: Path, digest: str, earlier: str | None) -> CountsColumns:
    """Read the columns of a Parquet file as arrays, or cell by cell if a column isn't of a number type.

    Args:
        file: The open file.
        path: Path of the file, for messages.
        digest: Digest of the file's content.
        earlier: Name of the column of an earlier judge; None without one.
    """

    def column(name: str) -> "pa.ChunkedArray":
        return file.read([name]).column(0)

    names = list(file.schema_arrow.names)

    def cells() -> Cells:
        return {name: column(name).to_pylist() for name in names}

    wanted = [name for name in names if _of_numbers(name, earlier)]
    is_plain = all(str(file.schema_arrow.field(name).type) in _ARROW_NUMBERS for name in wanted)
    of_part = column(PART_COLUMN) if PART_COLUMN in names else None
    if not is_plain or of_part is None or of_part.null_count:
        return _of_cells(cells(), str(path), digest, 1, earlier)
    named = of_part.combine_chunks().dictionary_encode()
    parts = tuple(map(str, named.dictionary.to_pylist()))
    part = np.frombuffer(named.indices.buffers()[1], np.int32, len(named)).astype(np.int64)
    numbers = {name: _arrow_numbers(column(name)) for name in wanted}
    return CountsColumns(str(path), digest, 1, parts, part, numbers, cells)


def _arrow_numbers(column: "pa.ChunkedArray") -> Floats:
    """Copy an Arrow column's numbers to numpy, without Arrow's own conversion, which loads pandas and is slower."""
    numbers = np.empty(len(column))
    start = 0
    for chunk in column.chunks:
        of_chunk = slice(chunk.offset, chunk.offset + len(chunk))
        is_valid, values = chunk.buffers()
        copied = numbers[start : start + len(chunk)]
        copied[:] = np.frombuffer(values, _ARROW_NUMBERS[str(chunk.type)])[of_chunk]
        if is_valid is not None:
            bits = np.unpackbits(np.frombuffer(is_valid, np.uint8), bitorder="little")
            copied[bits[of_chunk] == 0] = np.nan
        start += len(chunk)
    return numbers


def _parquet(raw: bytes, path: Path) -> "ParquetFile":
    return load_pyarrow(path).parquet.ParquetFile(io.BytesIO(raw))


# --- cell by cell -----------------------------------------------------------------------------------------------------


def _of_cells(cells: Cells, name: str, digest: str, first: int, earlier: str | None) -> CountsColumns:
    parts, part = _indexed(cells[PART_COLUMN]) if PART_COLUMN in cells else (None, np.zeros(0, dtype=np.int64))
    numbers = {column: _numbers_of(cells, name, first, column) for column in cells if _of_numbers(column, earlier)}
    return CountsColumns(name, digest, first, parts, part, numbers, lambda: cells)


def _indexed(names: Sequence[Any]) -> tuple[tuple[str, ...], Integers]:
    """Return the distinct names, and for each given name its index among the distinct ones."""
    index_of: dict[Any, int] = {}
    index = np.fromiter((index_of.setdefault(name, len(index_of)) for name in names), np.int64, len(names))
    return tuple(map(str, index_of)), index


def _numbers_of(cells: Cells, name: str, first: int, column: str) -> Floats:
    """Convert a column's cells to numbers; raise an error at the first cell that isn't a number.

    Args:
        cells: The columns that were read at once, each a list of cells.
        name: Name of the file, for the error.
        first: Number in the file of the first row of `cells`, for the error.
        column: Name of the column.
    """
    try:
        return np.array([_number(cell) for cell in cells[column]], dtype=np.float64)
    except (TypeError, ValueError):
        index = next(index for index, cell in enumerate(cells[column]) if not _is_number(cell))
        raise _fault(name, cells, first, index + first, column, "must be a number, or empty") from None


def _number(cell: Any) -> float:
    if cell is None or (isinstance(cell, str) and cell.strip().casefold() in EMPTY_CELLS):
        return np.nan
    return float(cell)


def _is_number(cell: Any) -> bool:
    try:
        _number(cell)
    except (TypeError, ValueError):
        return False
    return True


def _fault(name: str, cells: Cells, first: int, line: int, column: str, why: str) -> UsageError:
    """Make the error about a wrong cell, which names the cell's row, column and text.

    Args:
        name: Name of the file.
        cells: The columns that were read at once, each a list of cells.
        first: Number in the file of the first row of `cells`.
        line: Number in the file of the wrong cell's row.
        column: Name of the column.
        why: What the cell must be, such as "must be a number".
    """
    cell = cells[column][line - first] if column in cells else None
    return UsageError(f"{name}, row {line}, column {column} {why}, got {cell!r}")


def _of_csv(text: str) -> Cells:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter_of(text.partition("\n")[0]))
    header = [name.strip() for name in next(rows, [])]
    width = len(header)
    cells = [row if len(row) == width else (row + [""] * width)[:width] for row in rows if row]
    columns = list(zip(*cells, strict=True)) or [()] * width
    return dict(zip(header, columns, strict=True))


def _json_rows(text: str, path: Path) -> Iterator[Mapping[str, Any]]:
    for ordinal, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        row = json_or(line, None)
        if not isinstance(row, dict):
            raise UsageError(f"{path}, row {ordinal} must be a JSON object with part and n; {HOW_TO_COUNT}")
        yield row


def _of_rows(rows: Iterable[Mapping[str, Any]]) -> Cells:
    """Convert rows to columns, one list of cells each, without keeping the rows in memory."""
    columns: dict[str, list[Any]] = {}
    for length, row in enumerate(rows):
        for name in row:
            if name not in columns:
                columns[str(name)] = [None] * length
        for name, cells in columns.items():
            cells.append(row.get(name))
    return columns


def _in_memory(source: Any) -> Mapping[str, Any]:
    if isinstance(source, Mapping):
        return source
    if isinstance(source, Sequence) and all(isinstance(row, Mapping) for row in source):
        return _of_rows(source)
    import narwhals

    try:
        frame = narwhals.from_native(source, eager_only=True)
    except TypeError:
        raise UsageError(f"`counts` must be a file or a frame, got {type(source).__name__}") from None
    return {str(name): frame[name].to_list() for name in frame.columns}
