"""Arrays made from coded ratings: levels, "not applicable" flags, header values, and groups of equal rows."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from operator import is_
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.rating import Rated, Rating
from markscheme.stats.distinct import first_of, numbered, numbered_values
from markscheme.stats.intervals import Flags, Floats, Integers


def header_values(codes: RatingCodes, value: Callable[[Rating], Any], dtype: Any) -> npt.NDArray[Any]:
    """Compute a value from the header of each rating (its rater, kind, day, …), as an array of shape (n_ratings,)."""
    if not codes.headers:
        return np.zeros(0, dtype=dtype)
    return np.array(list(map(value, codes.headers)), dtype=dtype)[header_numbers(codes)]


def header_numbers(codes: RatingCodes) -> Integers:
    """Return the index in `codes.headers` of each rating's header (its rater, kind, day, …), shape (n_ratings,)."""
    return np.array(codes.header_numbers, dtype=np.int64)


def rater_numbers(codes: RatingCodes, name: Callable[[Rating], Any]) -> tuple[list[Any], Integers]:
    """Return the different raters, and which of them gave each rating.

    Args:
        codes: The ratings.
        name: Function that returns a rater's name, or another key, from a rating without its answers.

    Returns:
        The different raters in the order of their first ratings, and the index of each rating's rater among them, shape
        (n_ratings,).
    """
    values = list(dict.fromkeys(name(header) for header, _ in codes.header_counts()))
    number = {value: index for index, value in enumerate(values)}
    return values, header_values(codes, lambda header: number.get(name(header), -1), np.int64)


def answer_values(codes: RatingCodes, name: str, value: Callable[[Rated], Any], without: Any) -> npt.NDArray[Any]:
    """Compute a value from each rating's answer to a criterion; ratings without an answer get the value `without`."""
    by_code = np.array([*map(value, codes.answers_on(name)), without])
    return np.asarray(by_code[np.array(codes.codes_on(name), dtype=np.int64)])


def levels_on(codes: RatingCodes, name: str) -> Floats:
    """Return each rating's level on a criterion, nan where it has none, shape (n_ratings,)."""
    return answer_values(codes, name, lambda rated: np.nan if rated.level is None else rated.level, np.nan)


def skips_on(codes: RatingCodes, name: str) -> Flags:
    """Return flags, shape (n_ratings,), of the ratings which say that a criterion does not apply to the example."""
    return answer_values(codes, name, lambda rated: rated.declined == "not applicable", False)


def level_kinds_on(codes: RatingCodes, name: str) -> Integers:
    """Return for each rating a number that is equal for equal levels on a criterion, shape (n_ratings,).

    An answer that the criterion doesn't apply has a number too; a rating without an answer has -1.
    """
    numbers: dict[tuple[float | None, bool], int] = {}

    def number(rated: Rated) -> int:
        return numbers.setdefault((rated.level, rated.declined == "not applicable"), len(numbers))

    return answer_values(codes, name, number, -1)


def have_answer(codes: RatingCodes, says: Callable[[Rated], object]) -> Flags:
    """Return flags, shape (n_ratings,), of the ratings of which at least one answer satisfies the function `says`."""
    is_said = np.zeros(len(codes), dtype=bool)
    for name in codes.names:
        if any(map(says, codes.answers_on(name))):
            is_said |= answer_values(codes, name, lambda rated: bool(says(rated)), False)
    return is_said


def rows_in(ids: Sequence[str], codes: RatingCodes) -> Integers:
    """Return, for each rating, the index of its example among the given ids; -1 if its example isn't among them."""
    times, more = divmod(len(codes), len(ids) or len(codes) + 1)
    if not more and all(all(map(is_, codes.ids[nth::times], ids)) for nth in range(times)):
        return np.repeat(np.arange(len(ids)), times)  # each example in turn, and equally often
    row = _row_of_each(ids) if isinstance(ids, tuple) else dict(zip(ids, range(len(ids)), strict=True))
    return np.fromiter(map(row.get, codes.ids, repeat(-1)), dtype=np.int64, count=len(codes))


@lru_cache(maxsize=2)
def _row_of_each(ids: tuple[str, ...]) -> dict[str, int]:
    """Map each id to its index; the result is cached, since all tables of one comparison have the same ids."""
    return dict(zip(ids, range(len(ids)), strict=True))


def equal_rows(columns: Iterable[npt.NDArray[Any]], n: int) -> tuple[Integers, Integers]:
    """Group the equal rows of a table, which is given as columns of shape (n,); nan equals nan.

    Returns:
        The index of the first row of each group, and the number of each row's group.

    Example:
        >>> first, kind = equal_rows([np.array([1.0, np.nan, 1.0]), np.array([0, 1, 0])], 3)
        >>> first.tolist(), kind.tolist()
        ([0, 1], [0, 1, 0])
    """
    kind = np.zeros(n, dtype=np.int64)
    n_kinds = 1
    for column in columns:
        number, size = _numbered(column)
        if n_kinds * size > MOST_KINDS:
            kind, n_kinds = _closed_up(kind, n_kinds)
        kind = kind * size + number
        n_kinds *= size
    kind, n_kinds = _closed_up(kind, n_kinds)
    return first_of(kind, n_kinds), kind


MOST_KINDS: Final = 2**40
"""Largest product of columns' numbers of distinct values up to which their values are combined into one number per
row."""


def _numbered(column: npt.NDArray[Any]) -> tuple[Integers, int]:
    """Convert a column's cells to whole numbers, equal for equal cells; return these and the largest of them plus 1."""
    if column.dtype.kind == "f":
        distinct, number = numbered_values(column)
        return number, max(len(distinct), 1)
    whole = column.astype(np.int64)
    low = int(whole.min(initial=0))
    return whole - low, int(whole.max(initial=0)) - low + 1


def _closed_up(kind: Integers, n_kinds: int) -> tuple[Integers, int]:
    """Renumber groups of rows without gaps; return each row's new group number, and the number of groups."""
    distinct, number = numbered(kind, n_kinds)
    return number, len(distinct)
