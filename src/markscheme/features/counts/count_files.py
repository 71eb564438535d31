"""Count the rows of files with DuckDB, which doesn't load whole files into memory."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markscheme.errors import UsageError, writing
from markscheme.features.counts.count_query import CountQuery
from markscheme.features.counts.count_sql import DIALECTS, counts_sql

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

READERS: Final = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json", "ndjson": "read_json"}
"""DuckDB's functions that read files, by the ending of the file's name."""
COPY_FORMS: Final = {"parquet": "PARQUET", "csv": "CSV, HEADER", "jsonl": "JSON"}
"""DuckDB's options for writing a counts file, by the ending of its name."""

MEMORY: Final = "1500MB"
"""DuckDB's memory limit, beyond which it spills to the folder of the counts file."""


def count_files(query: CountQuery, files: str, target: Path) -> int:
    """Count the examples in files of ratings, write the counts file, and return its number of rows.

    Args:
        query: What is counted.
        files: A file's path, or a pattern of paths.
        target: Parquet, CSV or JSONL by its name.

    Raises:
        UsageError: DuckDB isn't installed, can't read the files, or finds no column of a rater.
    """
    form = by_ending(COPY_FORMS, str(target), "--counts")
    with writing(target), database_beside(target, files) as (database, folder):
        select = counts_sql(query, _with_group_id(database, rows_of(files)), DIALECTS["duckdb"])
        written = folder / target.name
        copy = f"COPY ({select}) TO {_text(str(written))} (FORMAT {form})"
        (counted,) = database.execute(copy).fetchall()
        written.replace(target)
    return int(counted[0])


@contextmanager
def database_beside(target: Path, files: str) -> "Iterator[tuple[DuckDBPyConnection, Path]]":
    """Open DuckDB with a folder next to a file, to which it spills and which is removed.

    Args:
        target: The file.
        files: What is read, for messages.

    Raises:
        UsageError: DuckDB isn't installed, or can't read the files.
    """
    try:
        import duckdb
    except ImportError:
        raise UsageError("counting files needs DuckDB: pip install 'markscheme[duckdb]'") from None
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        settings: dict[str, Any] = {"memory_limit": MEMORY, "temp_directory": str(Path(folder) / "spilled")}
        try:
            with duckdb.connect(config=settings) as database:
                yield database, Path(folder)
        except duckdb.Error as problem:
            raise UsageError(f"{files} can't be counted: {str(problem).partition(chr(10))[0]}") from None


def rows_of(files: str) -> str:
    """Return the SQL that follows FROM to read the rows of files.

    Raises:
        UsageError: Their names end otherwise than those of files that are read.
    """
    return f"{by_ending(READERS, files, '--from')}({_text(files)})"


def _with_group_id(database: "DuckDBPyConnection", rows: str) -> str:
    """Return the SQL of rows with a column `group_id`, which is null where the files have none."""
    columns = {name for name, *_ in database.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()}
    return rows if "group_id" in columns else f"(SELECT *, NULL AS group_id FROM {rows})"


def by_ending(forms: dict[str, str], name: str, option: str) -> str:
    """Look up the value for a file's name by its ending, in a table of endings.

    Raises:
        UsageError: It has another one.
    """
    ending = name.rpartition(".")[2].lower()
    if ending not in forms:
        raise UsageError(
            f"{option} {name}: its name must end in {', '.join(f'.{ending_of_form}' for ending_of_form in forms)}"
        )
    return forms[ending]


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
