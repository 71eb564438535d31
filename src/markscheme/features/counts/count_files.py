"""Count the rows of files with DuckDB, which doesn't load whole files into memory."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markscheme.errors import UsageError, suggestion, writing
from markscheme.features.counts.count_query import CountQuery
from markscheme.features.counts.count_sql import DIALECTS, counts_sql
from markscheme.phrases import listed

if TYPE_CHECKING:
    import duckdb
    from duckdb import DuckDBPyConnection

READERS: Final = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json", "ndjson": "read_json"}
"""DuckDB's functions that read files, by the ending of the file's name."""
COPY_FORMS: Final = {"parquet": "PARQUET", "csv": "CSV, HEADER", "jsonl": "JSON"}
"""DuckDB's options for writing a counts file, by the ending of its name."""

_NO_NUMBER: Final = "Could not convert string '"
_OF_COLUMN: Final = "' to DOUBLE when casting from source column "
"""DuckDB's words between a level that isn't a number and the name of its column, in an error."""

MEMORY: Final = "1500MB"
"""DuckDB's memory limit, beyond which it spills to the folder of the counts file."""


def count_files(query: CountQuery, files: str, target: Path) -> int:
    """Count the examples in files of ratings by equal ratings, write a counts file, and return its number of rows.

    Args:
        query: What to count.
        files: A file's path, or a pattern of paths.
        target: The counts file to write: Parquet, CSV or JSONL, by the ending of its name.

    Raises:
        UsageError: DuckDB isn't installed, can't read the files, or finds no column of a rater.
    """
    form = by_ending(COPY_FORMS, str(target), "--counts")
    with writing(target), database_beside(target, files) as (database, folder):
        rows = rows_of(files)
        columns = [name for name, *_ in database.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()]
        _refuse_missing_columns(query, columns, files)
        with_group_id = rows if "group_id" in columns else f"(SELECT *, NULL AS group_id FROM {rows})"
        select = counts_sql(query, with_group_id, DIALECTS["duckdb"])
        written = folder / target.name
        copy = f"COPY ({select}) TO {_text(str(written))} (FORMAT {form})"
        (counted,) = database.execute(copy).fetchall()
        written.replace(target)
    return int(counted[0])


@contextmanager
def database_beside(target: Path, files: str) -> "Iterator[tuple[DuckDBPyConnection, Path]]":
    """Open DuckDB with a temporary folder next to a file, to which it moves data that doesn't fit into memory.

    Args:
        target: The file next to which the temporary folder is made.
        files: The files that are read, for messages.

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
            raise UsageError(f"{files} can't be counted: {_why_duckdb_failed(problem)}") from None


def rows_of(files: str) -> str:
    """Return the SQL expression, for use after FROM, that reads the rows of files.

    Raises:
        UsageError: Files whose names have this ending can't be read.
    """
    return f"{by_ending(READERS, files, '--from')}({_text(files)})"


def _refuse_missing_columns(query: CountQuery, columns: list[str], files: str) -> None:
    """Raise an error if files lack columns to count; it names the raters whose columns they have.

    Args:
        query: The query, whose columns must be there; upper and lower case are equal.
        columns: The columns of the files.
        files: The files in words, for the error.

    Raises:
        UsageError: A column is missing.
    """
    lower = {name.lower() for name in columns}
    missing = [name for name in (*query.columns.values(), *query.fields) if name.lower() not in lower]
    if not missing:
        return
    endings = tuple(f"__{criterion.name}".lower() for criterion in query.rubric.criteria)
    raters = dict.fromkeys(name.rpartition("__")[0] for name in columns if name.lower().endswith(endings))
    present = f"raters there: {', '.join(raters)}" if raters else f"it has {listed(columns)}"
    how = "--judge names the judge, --raters the annotators"
    raise UsageError(f"{files} has no column {missing[0]}; {present}; {how}{suggestion(missing[0], columns)}")


def _why_duckdb_failed(problem: "duckdb.Error") -> str:
    """Return why DuckDB failed: a level isn't a number, files don't exist, or the first line of DuckDB's message."""
    first_line = str(problem).partition("\n")[0]
    value, is_of_column, column = first_line.partition(_NO_NUMBER)[2].partition(_OF_COLUMN)
    if is_of_column:
        return f"column {column.split()[0]} has '{value}'; levels must be numbers of the scale, 1 and 0 for yes and no"
    return "there is no such file" if "No files found" in first_line else first_line


def by_ending(forms: dict[str, str], name: str, option: str) -> str:
    """Return the text that `forms` has for the ending of a file's name; raise an error for any other ending.

    Args:
        forms: The allowed endings, without the dot, each with a text such as a clause of SQL.
        name: The file's name.
        option: Name of the option that gives the file, for the error.

    Raises:
        UsageError: The name has another ending.
    """
    ending = name.rpartition(".")[2].lower()
    if ending not in forms:
        raise UsageError(
            f"{option} {name}: its name must end in {', '.join(f'.{ending_of_form}' for ending_of_form in forms)}"
        )
    return forms[ending]


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
