"""Tables whose rows say how many examples each stands for, in a column `n`, as a query with COUNT(*) makes them."""

from collections.abc import Sequence
from typing import Final

from markscheme.errors import UsageError
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import TableColumn
from markscheme.readers.tabular.words import ID_NAMES, QUERY_ENDS, RESPONSE_ENDS, folded, name_words

N: Final = "n"
"""The name of the column."""
MOST_UNITS: Final = 1_000_000
"""Examples that a table may stand for; a file of counts by part may stand for any number."""


def row_of_each_example(columns: Sequence[TableColumn], options: ColumnOptions) -> list[int] | None:
    """Return the row of each example of a table that counts them; None for a table with a row for each.

    Args:
        columns: The columns, with a cell for each row.
        options: What the caller says of them; a column that it calls a rater's counts nothing.

    Raises:
        UsageError: The table stands for too many examples to be read one by one.

    Example:
        >>> verdicts = [TableColumn("label", ("ok", "bad")), TableColumn("verdict", ("ok", "ok"))]
        >>> row_of_each_example([*verdicts, TableColumn("n", ("2", "1"))], ColumnOptions())
        [0, 0, 1]
    """
    times = next((column for column in columns if folded(column.name) == N), None)
    raters = {*(options.judge or ()), *(options.human or ())}
    if times is None or times.name in raters or any(_names_single_responses(column.name) for column in columns):
        return None
    cells = [cell.strip() for cell in times.cells]
    if not cells or not all(cell.isascii() and cell.isdigit() and int(cell) for cell in cells):
        return None
    units = sum(map(int, cells))
    if units > MOST_UNITS:
        raise UsageError(
            f"column {times.name} says that the table stands for {units:,} examples; {MOST_UNITS:,} are the most: more "
            "are compared by their counts, with a rubric (docs/howto/large-data.md)"
        )
    return [row for row, cell in enumerate(cells) for _ in range(int(cell))]


def with_each_example(columns: Sequence[TableColumn], rows: Sequence[int]) -> tuple[TableColumn, ...]:
    """Return the columns with a cell for each example, without the column that counts them."""
    uncounted = (column for column in columns if folded(column.name) != N)
    return tuple(TableColumn(c.name, tuple(c.cells[row] for row in rows), c.file) for c in uncounted)


def _names_single_responses(name: str) -> bool:
    """Return True for the name of a column of ids or texts, of which each row has its own."""
    words = name_words(name)
    return bool(words) and words[-1] in ID_NAMES | RESPONSE_ENDS | QUERY_ENDS
