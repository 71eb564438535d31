"""Counts of the rows of files, which DuckDB reads without holding them."""

import tempfile
from pathlib import Path
from typing import Any, Final

from markscheme.errors import UsageError, writing
from markscheme.features.counts.count_query import CountQuery
from markscheme.features.counts.count_sql import DIALECTS, counts_sql

READERS: Final = {"parquet": "read_parquet", "csv": "read_csv", "jsonl": "read_json", "ndjson": "read_json"}
"""What reads files, by the end of their names."""
COPY_FORMS: Final = {"parquet": "PARQUET", "csv": "CSV, HEADER", "jsonl": "JSON"}
"""How counts are written, by the end of their file's name."""

MEMORY: Final = "1500MB"
"""What DuckDB holds at most; beyond it writes to the folder of the counts."""


def count_files(query: CountQuery, files: str, target: Path) -> int:
    """Count the rows of files, and write the counts; return how many rows they have.

    Args:
        query: What is counted.
        files: A file's path, or a pattern of paths.
        target: Parquet, CSV or JSONL by its name.

    Raises:
        UsageError: DuckDB isn't installed, can't read the files, or finds no column of a rater.
    """
    reader = by_ending(READERS, files, "--from")
    form = by_ending(COPY_FORMS, str(target), "--counts")
    try:
        import duckdb
    except ImportError:
        raise UsageError("counting files needs DuckDB: pip install 'markscheme[duckdb]'") from None
    select = counts_sql(query, f"{reader}({_text(files)})", DIALECTS["duckdb"])
    with writing(target), tempfile.TemporaryDirectory(dir=target.parent) as folder:
        written = Path(folder) / target.name
        settings: dict[str, Any] = {"memory_limit": MEMORY, "temp_directory": str(Path(folder) / "spilled")}
        try:
            with duckdb.connect(config=settings) as database:
                (counted,) = database.execute(f"COPY ({select}) TO {_text(str(written))} (FORMAT {form})").fetchall()
        except duckdb.Error as problem:
            raise UsageError(f"{files} can't be counted: {str(problem).partition(chr(10))[0]}") from None
        written.replace(target)
    return int(counted[0])


def by_ending(forms: dict[str, str], name: str, option: str) -> str:
    """Return the form of a file by the ending of its name.

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
