"""Rows of plain values in files: read from .csv and .tsv, and written as JSON lines, CSV or Parquet."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, Literal, TypeAlias

from markscheme.errors import FROM_OTHERS_CODE, FileError, UsageError
from markscheme.json_text import safe_json
from markscheme.plain_data import LONGEST_CELL, read_text, refusing_unreadable, shown
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


def table_rows(path: Path, error: type[FileError]) -> Iterator[tuple[int, dict[str, str] | None]]:
    """Yield the rows of a .csv or .tsv file as dicts with line numbers; None in place of a row of the wrong length.

    Cells are separated by commas or, if the header shows it, by semicolons or tabs.

    Raises:
        FileError: The file cannot be read as a table, or two columns with one name differ; the error is of the class
            `error`.
    """
    try:
        with refusing_unreadable(path, error), path.open(encoding="utf-8-sig", newline="") as file:
            header = file.readline()
            file.seek(0)
            others = (mark for mark in "\t;" if mark in header and (mark == "\t" or "," not in header))
            csv.field_size_limit(LONGEST_CELL)
            rows = csv.reader(file, delimiter=next(others, ","))
            names = next(rows, [])
            twins = twin_columns(names)
            for cells in filter(None, rows):
                is_whole = len(cells) == len(names)
                differ = (name for name, places in twins.items() if len({cells[n] for n in places}) > 1)
                if is_whole and (name := next(differ, None)):
                    raise error(TWIN_COLUMNS.format(shown(name), ", which differ"), path=path, line=rows.line_num)
                yield rows.line_num, dict(zip(names, cells, strict=True)) if is_whole else None
    except csv.Error as problem:
        raise error(f"cannot be read: {problem}", path=path, line=rows.line_num) from problem
    except UnicodeDecodeError:
        read_text(path, error)  # says which line it is
        raise


TWIN_COLUMNS = "has several columns named {}{}; rename all but one"


def twin_columns(names: Sequence[str]) -> dict[str, list[int]]:
    """Map each name that several columns of a table have to the indices of these columns.

    >>> twin_columns(["id", "human", "human", "", ""])
    {'human': [1, 2]}
    """
    places: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        if name.strip():
            places.setdefault(name, []).append(index)
    return {name: shared for name, shared in places.items() if len(shared) > 1}


def row_writer(path: Path, option: str) -> WriteRows:
    """Return the function that writes rows to a file of the format its name ends in.

    Args:
        path: The file.
        option: Name of the option that gives the file, for the error.

    Raises:
        UsageError: The file's name has another ending than those that can be written, or a package needed for it is
            missing.
    """
    writers: dict[str, WriteRows] = {".csv": _write_csv, ".jsonl": _write_jsonl}
    if path.suffix.lower() == ".parquet":
        return partial(_write_parquet, load_pyarrow(path))
    if path.suffix.lower() not in writers:
        raise UsageError(f"{option} must end in .csv, .jsonl, .parquet, got {path}")
    return writers[path.suffix.lower()]


def load_pyarrow(path: Path) -> Any:
    """Return the library with which a Parquet file is read or written, with its module `parquet`.

    Raises:
        UsageError: pyarrow is missing, or can't be imported.
    """
    needed = f"{path}: Parquet needs the package pyarrow"
    install = install_command("parquet")
    if find_spec("pyarrow") is None:
        raise UsageError(f"{needed}: {install}")
    try:
        import pyarrow.parquet
    except FROM_OTHERS_CODE as error:  # a library missing on this machine, or one built for another numpy
        raise UsageError(f"{needed}, which cannot be imported here ({on_one_line(str(error))}): {install}") from error
    return pyarrow


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
    """Make a text safe for a CSV cell, so that neither a terminal nor a spreadsheet interprets it."""
    return printable(spreadsheet_cell(text))


def _write_parquet(pyarrow: Any, file: IO[bytes], rows: Iterable[PlainRow], columns: CellKinds) -> None:
    def arrow_type(kind: CellKind) -> Any:
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


"""Functions that write rows, by the ending of the file's name."""
