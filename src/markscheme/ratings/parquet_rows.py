"""Reader of rows in Parquet files."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markscheme.errors import RatingError
from markscheme.plain_data import shown
from markscheme.prompts.submission import is_missing
from markscheme.row_files import TWIN_COLUMNS, load_pyarrow, twin_columns

if TYPE_CHECKING:
    from pyarrow import RecordBatch


def parquet_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file, or of a folder of Parquet files, numbered from 1 and not all loaded at once.

    Cells with NaN or null are None.

    Raises:
        RatingError: The file or folder can't be read.
        UsageError: pyarrow is missing.
    """
    pyarrow = load_pyarrow(path)
    index = 0
    try:
        for file in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
            with pyarrow.parquet.ParquetFile(file) as opened:
                for name in twin_columns(opened.schema_arrow.names):
                    raise RatingError(TWIN_COLUMNS.format(shown(name), ""), path=file)
                for batch in opened.iter_batches(batch_size=1000):
                    for row in _batch_rows(batch, index, file):
                        index += 1
                        yield index, {name: None if is_missing(cell) else cell for name, cell in row.items()}
    except (OSError, pyarrow.ArrowException, *_UNREADABLE) as error:
        raise RatingError(f"cannot be read as Parquet: {error}", path=path) from error


_UNREADABLE: Final = (ValueError, OverflowError, LookupError, MemoryError)
"""Errors that pyarrow raises for cells without a Python value, such as bytes that aren't UTF-8 or the year 300,000."""


def _batch_rows(batch: "RecordBatch", before: int, path: Path) -> list[dict[str, Any]]:
    """Convert a batch of Parquet rows to dicts.

    Args:
        batch: The batch that pyarrow read.
        before: The number of rows before it.
        path: The file.

    Raises:
        RatingError: A cell has no value in Python; the message names the first such cell and its row.
    """
    try:
        rows: list[dict[str, Any]] = batch.to_pylist()
    except _UNREADABLE:
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            for row, cell in enumerate(column, start=1):
                try:
                    cell.as_py()
                except _UNREADABLE as error:
                    why = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else f"cannot be read: {error}"
                    raise RatingError(f"the cell of {shown(name)} {why}", path=path, line=before + row) from error
        raise
    return rows
