"""Writing of rows of plain values to a file: JSON lines, CSV or Parquet, by the ending of its name."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeAlias

from markscheme.errors import FROM_OTHERS_CODE, UsageError
from markscheme.json_text import safe_json
from markscheme.shipped import install_command
from markscheme.text import on_one_line, printable, spreadsheet_cell

CellKind: TypeAlias = "Literal['text', 'number', 'whole', 'yes-no'] | Mapping[str, CellKind]"
"""Kind of a column's cells; a mapping of keys to kinds means a list of records."""
CellKinds: TypeAlias = Mapping[str, CellKind]
"""Kind of the cells of each column of a file, by column and in the file's order."""
PlainRow: TypeAlias = Mapping[str, Any]
WriteRows: TypeAlias = "Callable[[IO[bytes], Iterable[PlainRow], CellKinds], None]"

_ROWS_OF_A_PART: Final = 10_000
"""Number of rows that are gathered before they are written to Parquet together."""


def row_writer(path: Path, option: str) -> WriteRows:
    """Return the function that writes rows to a file of the format its name ends in.

    Args:
        path: The file.
        option: Name of the option that gives the file, for the error.

    Raises:
        UsageError: The file's name has another ending than those that can be written, or a package needed for it is
            missing.
    """
    if path.suffix.lower() not in ROW_WRITERS:
        raise UsageError(f"{option} must end in {', '.join(ROW_WRITERS)}, got {path}")
    if path.suffix.lower() == ".parquet":
        require_parquet(path)
    return ROW_WRITERS[path.suffix.lower()]


def require_parquet(path: Path) -> None:
    """Raise an error if Parquet files can't be read and written here.

    Raises:
        UsageError: pyarrow is missing, or can't be imported.
    """
    needed = f"{path}: Parquet needs the package pyarrow"
    install = install_command("parquet")
    if find_spec("pyarrow") is None:
        raise UsageError(f"{needed}: {install}")
    try:
        import_module("pyarrow.parquet")
    except FROM_OTHERS_CODE as error:  # a library missing on this machine, or one built for another numpy
        raise UsageError(f"{needed}, which cannot be imported here ({on_one_line(str(error))}): {install}") from error


def _write_jsonl(file: IO[bytes], rows: Iterable[PlainRow], columns: CellKinds) -> None:  # noqa: ARG001
    for row in rows:
        file.write((safe_json(row) + "\n").encode())


def _write_csv(file: IO[bytes], rows: Iterable[PlainRow], columns: CellKinds) -> None:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(map(_csv_text, columns))
    for row in rows:
        writer.writerow(_csv_cell(row.get(name)) for name in columns)
    text.detach()


def _csv_cell(value: Any) -> Any:
    """Convert a value to the cell of a CSV file."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _csv_text(value)
    return safe_json(value) if isinstance(value, list) else value


def _csv_text(text: str) -> str:
    """Make a text safe for a cell of a CSV file: neither a terminal nor a spreadsheet acts on it."""
    return printable(spreadsheet_cell(text))


def _write_parquet(file: IO[bytes], rows: Iterable[PlainRow], columns: CellKinds) -> None:
    import pyarrow.parquet

    def arrow_type(kind: CellKind) -> pyarrow.DataType:
        if isinstance(kind, Mapping):
            return pyarrow.list_(pyarrow.struct({name: arrow_type(of_key) for name, of_key in kind.items()}))
        return {
            "text": pyarrow.string(),
            "number": pyarrow.float64(),
            "whole": pyarrow.int64(),
            "yes-no": pyarrow.bool_(),
        }[kind]

    schema = pyarrow.schema({name: arrow_type(kind) for name, kind in columns.items()})
    unwritten: Iterator[PlainRow] = iter(rows)
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while some := list(islice(unwritten, _ROWS_OF_A_PART)):
            writer.write_table(pyarrow.Table.from_pylist(some, schema))


ROW_WRITERS: Final[Mapping[str, WriteRows]] = {".csv": _write_csv, ".jsonl": _write_jsonl, ".parquet": _write_parquet}
"""Functions that write rows, by the ending of the file's name."""
