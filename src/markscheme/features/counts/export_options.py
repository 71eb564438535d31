"""Options of `export` for counting examples with equal ratings in a database or in files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from markscheme.options.forms import COLUMN_NAMES, WHOLE, WRITTEN, one_of, text_form
from markscheme.options.table import option

DialectName: TypeAlias = Literal["standard", "duckdb", "bigquery"]
"""Names of SQL dialects; SQLite and DuckDB understand the standard dialect."""


@dataclass(frozen=True, kw_only=True)
class CountExportOptions:
    """Options of `export` for counting a wide table of ratings, which has a row per example."""

    counts_sql: str | None = option(
        None, "print a SELECT that counts the rows of TABLE for calibrate --counts", text_form("a table"), value="TABLE"
    )
    counts: Path | None = option(
        None,
        "write to FILE the counts of the rubric's ratings, or of the files --from",
        WRITTEN,
        value="FILE",
    )
    wide: str | None = option(
        None,
        "count these Parquet, CSV or JSONL files, such as 'graded/*.parquet'",
        text_form("files"),
        value="FILES",
        name="from",
    )
    raters: tuple[str, ...] = option(
        (), "annotators in columns RATER__CRITERION; gold is final", COLUMN_NAMES, value="P1,P2"
    )
    earlier_judge: str | None = option(
        None,
        "also count an earlier judge's columns NAME__CRITERION, for calibrate --earlier NAME",
        text_form("a judge"),
        value="NAME",
        name="earlier",
    )
    slices: tuple[str, ...] = option((), "also count by the values of these columns", COLUMN_NAMES, value="FIELD,…")
    most_shown: int | None = option(
        None,
        "with --counts: write N false passes and N false fails, such as 50, with their texts next to it",
        WHOLE,
        value="N",
        name="shown",
    )
    dialect: DialectName = option("standard", "the database's SQL", one_of(*get_args(DialectName)))
