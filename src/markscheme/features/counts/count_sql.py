"""Writer of a SELECT that counts examples with equal ratings in the user's database."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markscheme.features.counts.count_query import COUNTS_FORMAT, SCORE_DECIMALS, CountQuery, Expressions, rounded
from markscheme.features.counts.export_options import DialectName
from markscheme.features.counts.slice_values import OTHER_VALUES, SLICE_PREFIX, VALUE_COLUMN, VALUES_COUNTED
from markscheme.stats.group_sets import OFFSET, PRIME, SETS

_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""Pattern of a name that needs no quotes in any database."""


ROW_COLUMN: Final = "markscheme_row"
"""Column with a row's number, by which the row's texts are looked up."""


@dataclass(frozen=True)
class Dialect:
    """SQL syntax of one database, as far as databases differ.

    Attributes:
        double: The type of numbers in double precision.
        text: The type of texts.
        quote: The sign around a quoted name.
        remainder: An expression for the remainder of a first `{}` divided by a second `{}`.
        row_order: The clause that gives the order in which rows are numbered.
        median: An expression for the median of any number of levels, with `{}` for the levels; None if the database has
            none.
    """

    double: str = "DOUBLE PRECISION"
    text: str = "VARCHAR"
    quote: str = '"'
    remainder: str = "({} % {})"
    row_order: str = "ORDER BY group_id"
    median: str | None = None


DIALECTS: Final[Mapping[DialectName, Dialect]] = {
    "standard": Dialect(),
    "duckdb": Dialect(row_order="", median="list_aggregate([{}], 'median')"),
    "bigquery": Dialect(double="FLOAT64", text="STRING", quote="`", remainder="MOD({}, {})"),
}
"""Dialects by name. SQL in the standard dialect runs on SQLite and DuckDB."""


def counts_sql(query: CountQuery, table: str, dialect: Dialect) -> str:
    """Write the SELECT whose result has the rows and columns of a counts file.

    Args:
        query: What to count.
        table: The table or view, or anything that may follow FROM.
        dialect: The database's dialect.
    """
    blocks, last = _computed(query, _examples(query, table, dialect, ""), dialect)
    blocks += _constant(query, last)
    blocks += (_most_common(index, last) for index in query.slices)
    people = [f"p{place}" for place in range(1, max(len(query.annotators), 1) + 1)]
    earlier = [] if query.earlier is None else [_quoted(query.earlier, dialect)]
    values = ["gold", "judge", *people, *earlier, *([VALUE_COLUMN] if query.slices else [])]
    rows = " UNION ALL\n".join(_rows(query, last, values, dialect))
    names = ", ".join(["part", "set_no", *values, "n"])
    written = ",\n".join(blocks)
    return f"WITH\n{written}\nSELECT {names} FROM (\n{rows}\n) AS counts"


def wrong_sql(query: CountQuery, rows: str, dialect: Dialect, most: int) -> str:
    """Write the SELECT of some false passes and some false fails, from groups of examples in pseudo-random order.

    Args:
        query: What to count.
        rows: The table, or anything else that may follow FROM.
        dialect: The database's dialect.
        most: Largest number of false passes, and of false fails.
    """
    blocks, last = _computed(query, _examples(query, _numbered(rows), dialect, f",\n    {ROW_COLUMN}"), dialect)
    levels = ", ".join(
        f"{part.values[0]} AS gold_{index}, {part.values[1]} AS judge_{index}"
        for index, part in enumerate(query.criterion_parts(), start=1)
    )
    apart = f"{_scattered(dialect)}, place"
    written = ",\n".join(blocks)
    return (
        f"WITH\n{written}\nSELECT * FROM (\n"
        f"  SELECT {ROW_COLUMN}, judge_pass, gold_score, judge_score, {levels},\n"
        f"    ROW_NUMBER() OVER (PARTITION BY judge_pass ORDER BY {apart}, {ROW_COLUMN}) AS shown_place\n"
        f"  FROM {last} WHERE gold_pass <> judge_pass\n) AS wrong\n"
        f"WHERE shown_place <= {most} ORDER BY judge_pass DESC, shown_place"
    )


def rows_sql(rows: str, numbers: Sequence[int]) -> str:
    """Write the SELECT of whole rows of a table by row numbers.

    Args:
        rows: The table, or anything else that may follow FROM.
        numbers: The numbers of the rows, in the column of row numbers.
    """
    wanted = ", ".join(map(str, numbers)) or "NULL"
    return f"SELECT * FROM {_numbered(rows)} WHERE {ROW_COLUMN} IN ({wanted})"


def _numbered(rows: str) -> str:
    return f"(SELECT *, ROW_NUMBER() OVER () AS {ROW_COLUMN} FROM {rows}) AS numbered"


def _computed(query: CountQuery, examples: Iterator[str], dialect: Dialect) -> tuple[list[str], str]:
    """Return the WITH blocks that compute what is counted of each example, and the name of the last block.

    Args:
        query: What to count.
        examples: The blocks that come first, as `_examples` yields them; the last one is named `labelled`.
        dialect: The database's dialect.
    """
    blocks = list(examples)
    last = "labelled"
    for place, columns in enumerate(query.stages(dialect.median), start=1):
        name = f"stage_{place}"
        blocks.append(_stage(name, last, columns))
        last = name
    return blocks, last


def _stage(name: str, before: str, columns: Expressions) -> str:
    made = ",\n    ".join(f"{expression} AS {column}" for column, expression in columns.items())
    return f"{name} AS (\n  SELECT *,\n    {made}\n  FROM {before}\n)"


def _scattered(dialect: Dialect) -> str:
    """Write an SQL expression that assigns each group to one of the jackknife's sets of groups, pseudo-randomly."""
    x = f"(place + {OFFSET})"
    square = dialect.remainder.format(f"({x} * {x})", PRIME)
    cube = dialect.remainder.format(f"({square} * {x})", PRIME)
    return dialect.remainder.format(cube, SETS)


def _examples(query: CountQuery, table: str, dialect: Dialect, also: str) -> Iterator[str]:
    """Yield the WITH block that reads the table, then blocks that number each example's jackknife set.

    The first block alone is for the user to edit, if the table's columns have other names.

    Args:
        query: What to count.
        table: The table or view, or anything that may follow FROM.
        dialect: The database's dialect.
        also: Further columns for the end of the first block's SELECT, each after a comma; "" for none.
    """

    def level(alias: str, column: str) -> str:
        return f"CAST({_quoted(column, dialect)} AS {dialect.double}) AS {alias}"

    levels = ",\n    ".join(level(alias, column) for alias, column in query.columns.items())
    fields = "".join(
        f",\n    CAST({_quoted(field, dialect)} AS {dialect.text}) AS {index}" for index, field in query.slices.items()
    )
    skips = any(criterion.not_applicable for criterion in query.rubric.criteria)
    exits = ", -2 where it does not apply" if skips else ""
    yield (
        "-- Edit this block alone: a row per example, with its group (NULL: a group by itself) and each rater's\n"
        f"-- level of each criterion, NULL where there is none{exits}.\n"
        f"ratings AS (\n  SELECT group_id,\n    {levels}{fields}{also}\n  FROM {table}\n)"
    )
    group = f"'group ' || CAST(group_id AS {dialect.text})"
    alone = f"'example ' || CAST(ROW_NUMBER() OVER ({dialect.row_order}) AS {dialect.text})"
    yield (
        f"named AS (\n  SELECT *, CASE WHEN group_id IS NULL THEN {alone} ELSE {group} END AS unit\n"
        f"  FROM ratings WHERE {query.is_labelled}\n)"
    )
    yield (
        "places AS (\n  SELECT unit, ROW_NUMBER() OVER (ORDER BY unit) AS place FROM (SELECT DISTINCT unit FROM named) "
        "AS units\n)"
    )
    yield (
        "sizes AS (\n  SELECT (SELECT COUNT(*) FROM places) AS n_groups, COUNT(group_id) AS n_named, COUNT(*) AS n\n"
        "  FROM named\n)"
    )
    scattered = _scattered(dialect)
    yield (
        "sets AS (\n  SELECT unit, place,\n"
        f"    CASE WHEN n_named = 0 THEN NULL WHEN n_groups <= {SETS} THEN place - 1 ELSE {scattered} END AS set_no\n"
        "  FROM places CROSS JOIN sizes\n)"
    )
    yield ("labelled AS (\n  SELECT named.*, sets.place, sets.set_no FROM named JOIN sets ON named.unit = sets.unit\n)")


def _quoted(name: str, dialect: Dialect) -> str:
    if _PLAIN_NAME.fullmatch(name):
        return name
    return dialect.quote + name.replace(dialect.quote, dialect.quote * 2) + dialect.quote


def _constant(query: CountQuery, examples: str) -> Iterator[str]:
    """Yield WITH blocks of the distinct scores, and of the constant answers that agree with annotators most often.

    Args:
        query: What to count.
        examples: Name of the SQL table or block that has each example with its scores.
    """
    people = [f"{person}_score" for person in query.annotators]
    selects = [f"SELECT {score} AS score FROM {examples}" for score in ("judge_score", *people)]
    n_known = " + ".join(f"COUNT({score})" for score in people)
    of_none = f" WHERE (SELECT {n_known} FROM {examples}) = 0" if people else ""
    selects.append(f"SELECT gold_score FROM {examples}{of_none}")
    every = " UNION ALL ".join(selects)
    yield f"given AS (\n  SELECT DISTINCT score FROM ({every}) AS scores WHERE score IS NOT NULL\n)"
    if len(people) < 2:
        return
    by_person = " UNION ALL ".join(
        f"SELECT {score} AS score, 1.0 / n_people AS weight FROM {examples} WHERE {query.shared}" for score in people
    )
    yield (
        f"spread AS (\n  SELECT score, SUM(weight) AS weight FROM ({by_person}) AS scores\n"
        "  WHERE score IS NOT NULL GROUP BY score\n)"
    )
    near = f"ABS(given.score - spread.score) <= {query.rubric.tolerance - 0.5 * 10.0**-SCORE_DECIMALS!r}"
    agreeing = f"{rounded(f'SUM(CASE WHEN {near} THEN spread.weight ELSE 0.0 END)')}"
    yield (
        f"constant AS (\n  SELECT given.score AS answer FROM given CROSS JOIN spread\n  GROUP BY given.score "
        f"ORDER BY {agreeing} DESC, given.score LIMIT 1\n)"
    )
    if query.shared_decision is not None:
        lead = rounded(f"SUM({query.passing_lead})")
        yield (
            f"constant_decision AS (\n  SELECT CASE WHEN {lead} > 0 THEN 1 ELSE 0 END AS answer\n"
            f"  FROM {examples} WHERE {query.shared_decision}\n)"
        )


def _most_common(index: str, examples: str) -> str:
    """Return SQL for a WITH clause that selects the most common values of a column by which examples are sliced.

    Args:
        index: Name of the column.
        examples: Name of the SQL table or block that has each example.
    """
    times = f"SELECT {index} AS value, COUNT(*) AS n FROM {examples} WHERE {index} IS NOT NULL GROUP BY {index}"
    return (
        f"common_{index} AS (\n  SELECT value AS common FROM ({times} ORDER BY n DESC, value LIMIT {VALUES_COUNTED})"
        " AS times\n)"
    )


def _rows(query: CountQuery, examples: str, columns: Sequence[str], dialect: Dialect) -> Iterator[str]:
    """Yield the SELECTs whose rows together are the counts file, one or more for each part.

    Args:
        query: What to count.
        examples: The table of the examples with their values, as it follows FROM.
        columns: Names of the file's columns for values.
        dialect: The database's dialect.
    """
    # the first SELECT gives columns their types
    missing = [f"CAST(NULL AS {dialect.text if name == VALUE_COLUMN else dialect.double})" for name in columns]
    yield _select(f"format:{COUNTS_FORMAT}", "CAST(NULL AS BIGINT)", missing, "1", "", columns)
    yield _select(f"rubric:{query.rubric.fingerprint}", "NULL", (), "1", "", columns)
    yield _select("examples", "NULL", (), "n", "FROM sizes", columns)
    yield _select("groups", "NULL", (), "n_groups", "FROM sizes WHERE n_named > 0", columns)
    for part in query.parts():
        missing = ["NULL"] * (2 + max(len(query.annotators), 1) - len(part.values))
        values = part.values if part.earlier is None else (*part.values, *missing, part.earlier)
        yield _counted(part.name, values, examples, columns)
    if len(query.annotators) > 1:
        shares = query.shares("answer")
        yield _counted("people", shares, f"{examples} CROSS JOIN constant WHERE {query.shared}", columns)
    if query.shared_decision is not None:
        shares = query.decision_shares("answer")
        source = f"{examples} CROSS JOIN constant_decision WHERE {query.shared_decision}"
        yield _counted("people:decision", shares, source, columns)
    scores = f"FROM (SELECT DISTINCT {rounded('score')} AS score FROM given) AS scores"
    yield _select("given", "NULL", ("score",), "1", scores, columns)
    for name, hit, counted in query.rates():
        by_group = f"SELECT SUM({hit}) AS hits, COUNT(*) AS size FROM {examples} WHERE {counted} GROUP BY place"
        source = f"FROM ({by_group}) AS by_group GROUP BY hits, size"
        yield _select(name, "NULL", ("hits", "size"), "COUNT(*)", source, columns)
    for index, field in query.slices.items():
        source = f"{examples} LEFT JOIN common_{index} ON {index} = common WHERE {index} IS NOT NULL"
        nothing = ["NULL"] * (len(columns) - 3)
        value = f"COALESCE(common, '{OTHER_VALUES}')"
        of_slice = (rounded("gold_score"), rounded("judge_score"), *nothing, value)
        yield _counted(f"{SLICE_PREFIX}{field}", of_slice, source, columns)


def _counted(name: str, values: Sequence[str], source: str, columns: Sequence[str]) -> str:
    named = [f"v{place}" for place in range(1, len(values) + 1)]
    inside = ", ".join(f"{value} AS {column}" for value, column in zip(values, named, strict=True))
    rows = f"FROM (SELECT set_no, {inside} FROM {source}) AS e GROUP BY set_no, {', '.join(named)}"
    return _select(name, "set_no", named, "COUNT(*)", rows, columns)


def _select(name: str, set_no: str, values: Sequence[str], n: str, source: str, columns: Sequence[str]) -> str:
    """Return the SELECT of one part's rows, with the columns that all parts share.

    Args:
        name: Name of the part.
        set_no: SQL expression for the number of a row's jackknife set.
        values: SQL expressions for the part's values; columns without one are NULL.
        n: SQL expression for the number of examples that a row counts.
        source: The part of the SELECT from FROM on; "" for a single row of constants.
        columns: Names of the columns for values.
    """
    filled = [*values, *["NULL"] * (len(columns) - len(values))]
    cells = ", ".join(f"{value} AS {column}" for value, column in zip(filled, columns, strict=True))
    quoted = name.replace("'", "''")
    return f"SELECT '{quoted}' AS part, {set_no} AS set_no, {cells}, {n} AS n {source}".rstrip()
