"""Tables in which a column `n` says how many examples each row counts, as a query with COUNT(*) makes them."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from markscheme.errors import UsageError
from markscheme.numerals import number_in
from markscheme.ratings.column_options import ColumnOptions
from markscheme.readers.tabular.columns import TableColumn
from markscheme.readers.tabular.words import ID_NAMES, QUERY_ENDS, RESPONSE_ENDS, folded, name_words

N: Final = "n"
"""Name of the column of counts."""
FEWEST_NUMBERED: Final = 5
"""Fewest rows in which 1, 2, 3, … in a column `n` are numbers of rows; fewer rows may be counted so by chance."""
MOST_UNITS: Final = 1_000_000
"""Largest number of examples that a table with counts may have in all; a counts file by parts has no such limit."""


def row_of_each_example(columns: Sequence[TableColumn], options: ColumnOptions) -> list[int] | None:
    """Return each example's row index in a table whose column `n` counts equal examples; None for other tables.

    Args:
        columns: The table's columns, with a cell for each row.
        options: The user's options; a column whose meaning they state doesn't count examples.

    Raises:
        UsageError: Some of the counts aren't whole numbers, or there are too many examples to be read one by one.

    Example:
        >>> verdicts = [TableColumn("label", ("ok", "bad")), TableColumn("verdict", ("ok", "ok"))]
        >>> row_of_each_example([*verdicts, TableColumn("n", ("2", "1"))], ColumnOptions())
        [0, 0, 1]
    """
    times = next((column for column in columns if folded(column.name) == N), None)
    stated = {*(options.judge or ()), *(options.human or ()), *options.column_fields}
    if times is None or times.name in stated or any(_names_single_responses(column.name) for column in columns):
        return None
    counts = [number_in(cell.strip()) for cell in times.cells]
    whole = [count is not None and count >= 0 and count.is_integer() for count in counts]
    is_of_rows = len(counts) >= FEWEST_NUMBERED and any(counts == list(range(a, a + len(counts))) for a in (0, 1))
    if 2 * counts.count(None) >= len(counts) or is_of_rows or not any(counts):
        return None
    if not all(whole):
        row = whole.index(False)
        raise UsageError(
            f"column {times.name} counts examples in whole numbers, but has {times.cells[row]!r} in row {row + 1}; "
            "if it counts something else, give it another name"
        )
    units = int(sum(filter(None, counts)))
    if units > MOST_UNITS:
        raise UsageError(
            f"column {times.name} says that the table stands for {units:,} examples; {MOST_UNITS:,} are the most: more "
            "are compared by their counts, with a rubric (docs/howto/large-data.md)"
        )
    return [row for row, count in enumerate(counts) for _ in range(int(count or 0))]


def with_each_example(columns: Sequence[TableColumn], rows: Sequence[int]) -> tuple[TableColumn, ...]:
    """Return the columns with a row per example, each row repeated as often as it counts, without the counts.

    Args:
        columns: The columns of the counted rows.
        rows: For each example, the index of its counted row.
    """
    uncounted = (column for column in columns if folded(column.name) != N)
    return tuple(TableColumn(c.name, tuple(c.cells[row] for row in rows), c.file) for c in uncounted)


def names_of_counted(rows: Sequence[int]) -> tuple[str, ...]:
    """Name each example by the row that counts it, so that it can be looked up in the file.

    Args:
        rows: Index of each example's row.

    Example:
        >>> names_of_counted([0, 0, 1])
        ('row 1 (1 of 2)', 'row 1 (2 of 2)', 'row 2')
    """
    return tuple(
        f"row {row + 1}" + (f" ({example} of {n})" if n > 1 else "")
        for row, n in Counter(rows).items()
        for example in range(1, n + 1)
    )


def _names_single_responses(name: str) -> bool:
    """Return True if a column is named like ids or texts, which differ from row to row."""
    words = name_words(name)
    return bool(words) and words[-1] in ID_NAMES | RESPONSE_ENDS | QUERY_ENDS
