"""Detection of rows in a table that aren't examples: totals or means of the other rows, and notes below them."""

from collections.abc import Sequence
from string import digits
from typing import Final

from markscheme.numerals import number_in
from markscheme.readers.tabular.words import SUM_WORDS, folded


def sums_among(rows: Sequence[Sequence[str]]) -> set[int]:
    """Return the indices of rows in a table that aren't examples: totals, means or notes.

    >>> sums_among([("1", "hi", "4"), ("2", "ho", "3"), ("Average", "", "3.5"), ("1 is the worst grade", "", "")])
    {2, 3}
    """
    named = {index: row for index, row in enumerate(rows) if _is_named_after_sums(row)}
    alone = {index: row for index, row in enumerate(rows) if _is_sentence_alone(row)}
    if (not named and not alone) or len(named) + len(alone) > SUMS_IN_TABLE:
        return set()
    others = [row for index, row in enumerate(rows) if index not in named and index not in alone]
    gone = {
        index
        for index, row in named.items()
        if len(others) > 1 and (_lacks_cell(row, others) or _are_sums(row, others))
    }
    if others and not any(len(row[0].split()) > WORDS_OF_AN_ID for row in others):
        gone |= alone.keys()
    return gone


FEWEST_COLUMNS: Final = 2
"""Largest number of columns of a table in which a row with a single filled cell isn't a note."""
SUMS_IN_TABLE: Final = 8
"""Largest number of rows that may be sums or notes; more are examples with such names."""
WORDS_OF_AN_ID: Final = 3
"""Largest number of words in the name of a row; a note on the table has more."""


def _is_named_after_sums(row: Sequence[str]) -> bool:
    first = row[0] if row[0].strip() else next((cell for cell in row if cell.strip()), "")
    return len(first) <= LONGEST_SUM and first[-1:] not in digits and folded(first).rstrip(":") in SUM_WORDS


LONGEST_SUM: Final = 20
"""Largest number of characters of a cell that may mark its row as a total."""


def _is_sentence_alone(row: Sequence[str]) -> bool:
    is_alone = len(row) > FEWEST_COLUMNS and not any(row[1:])
    return is_alone and len(row[0].split()) > WORDS_OF_AN_ID


def _lacks_cell(row: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Return True if a row has an empty cell, right of a filled cell, where all other rows have a filled cell."""
    first = next(index for index, cell in enumerate(row) if cell.strip())
    gaps = [index for index, cell in enumerate(row) if index > first and not cell.strip()]
    return any(all(peer[index].strip() for peer in others) for index in gaps)


def _are_sums(row: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Return True if each number in a row is the sum, mean or median of the other rows' numbers in its column."""
    are_sums = []
    for index, cell in enumerate(row):
        total = _in_figures(cell)
        column = sorted(value for peer in others if (value := _in_figures(peer[index])) is not None)
        if total is not None and column:
            middle = (column[len(column) // 2] + column[(len(column) - 1) // 2]) / 2
            likely = (sum(column), sum(column) / len(column), middle)
            are_sums.append(any(abs(total - value) <= ROUNDED for value in likely))
    return bool(are_sums) and all(are_sums)


def _in_figures(cell: str) -> float | None:
    return number_in(cell.strip().replace(",", ".", 1))


ROUNDED: Final = 0.05
"""Largest difference of a sum or mean from its column's that rounding to one decimal explains."""
