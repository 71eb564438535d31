"""Find wrong decisions in files with DuckDB, and read the texts of only the few to show."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from markscheme.features.counts.count_files import database_beside, rows_of
from markscheme.features.counts.count_query import CountQuery
from markscheme.features.counts.count_sql import DIALECTS, ROW_COLUMN, rows_sql, wrong_sql
from markscheme.features.counts.wrong_examples import FALSE_FAIL, FALSE_PASS
from markscheme.row_files import PlainRow

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def wrong_rows(query: CountQuery, files: str, target: Path, most: int) -> Iterator[PlainRow]:
    """Yield rows to show: first some false passes, then some false fails; both are chosen pseudo-randomly by group.

    Args:
        query: What to count.
        files: A file's path, or a pattern of paths.
        target: The counts file, next to which DuckDB moves data that doesn't fit into memory.
        most: Largest number of false passes, and of false fails.

    Raises:
        UsageError: DuckDB can't read the files.
    """
    rows = rows_of(files)
    with database_beside(target, files) as (database, _):
        wrong = _records(database, wrong_sql(query, rows, DIALECTS["duckdb"], most))
        whole = _records(database, rows_sql(rows, [row[ROW_COLUMN] for row in wrong]))
    by_number = {row[ROW_COLUMN]: row for row in whole}
    for row in wrong:
        yield _row_of_levels_and_texts(query, row, by_number[row[ROW_COLUMN]])


def _records(database: "DuckDBPyConnection", select: str) -> list[PlainRow]:
    cursor = database.execute(select)
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _row_of_levels_and_texts(query: CountQuery, rated: PlainRow, row: PlainRow) -> PlainRow:
    """Return a row of the file of wrong decisions, with levels from the SQL query and texts from the table.

    Args:
        query: What was counted.
        rated: The row of levels and scores that the SQL query returned.
        row: The example's whole row in the table.
    """
    ratings = tuple(f"__{criterion.name}" for criterion in query.rubric.criteria)
    others = {"group_id", ROW_COLUMN}
    texts = {n: value for n, value in row.items() if n not in others and not n.endswith(ratings) and value is not None}
    levels = {
        criterion.name: {"gold": rated[f"gold_{index}"], "judge": rated[f"judge_{index}"]}
        for index, criterion in enumerate(query.rubric.criteria, start=1)
    }
    response = texts.pop("response", None)
    return {
        "wrong": FALSE_PASS if rated["judge_pass"] == 1 else FALSE_FAIL,
        "id": str(texts.pop("id", f"row {row[ROW_COLUMN]}")),
        "response": None if response is None else str(response),
        "inputs": {name: str(text) for name, text in texts.items()},
        "scores": {"gold": rated["gold_score"], "judge": rated["judge_score"]},
        "criteria": levels,
    }
