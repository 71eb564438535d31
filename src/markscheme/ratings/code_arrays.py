"""Arrays made from coded ratings: levels, "not applicable" flags, header values, and groups of equal rows."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.rating import Rated, Rating
from markscheme.stats.distinct import first_of, numbered, numbered_values
from markscheme.stats.intervals import Flags, Floats, Integers


def header_values(codes: RatingCodes, value: Callable[[Rating], Any], dtype: Any) -> npt.NDArray[Any]:
    """Compute a value for each rating from its header (its rater, kind, day, …), as an array of shape (n_ratings,).

    Args:
        codes: The ratings.
        value: Function that computes the value from a header, a rating without its answers.
        dtype: Type of the array's elements.
    """
    return np.array(list(map(value, codes.headers)), dtype=dtype)[np.asarray(codes.header_numbers, dtype=np.intc)]


def rater_numbers(codes: RatingCodes, name: Callable[[Rating], Any]) -> tuple[list[Any], Integers]:
    """Return the names of the raters, and for each rating the index of its rater among them.

    Args:
        codes: The ratings.
        name: Function that takes a rating and returns its rater's name, or another key that differs between raters. The
            Rating that it is called with has no answers.

    Returns:
        The different raters in the order of their first ratings, and the index of each rating's rater among them, shape
        (n_ratings,).
    """
    values = list(dict.fromkeys(name(header) for header, _ in codes.header_counts()))
    number = {value: index for index, value in enumerate(values)}
    return values, header_values(codes, lambda header: number.get(name(header), -1), np.int32)


def answer_values(codes: RatingCodes, name: str, value: Callable[[Rated], Any], without: Any) -> npt.NDArray[Any]:
    """Compute a value from each rating's answer to a criterion; ratings without an answer get the value `without`."""
    by_code = np.array([*map(value, codes.answers_on(name)), without])
    return np.asarray(by_code[np.asarray(codes.codes_on(name))])


def level_kinds_on(codes: RatingCodes, name: str) -> tuple[npt.NDArray[Any], Floats, Flags]:
    """Number the kinds of answers to a criterion: each level, "does not apply", and other answers without level.

    Returns:
        The number of the kind of each rating's answer, shape (n_ratings,); the level of each kind, nan for a kind
        without a level; and for each kind a flag, True for "does not apply". Ratings without an answer to the
        criterion have the last kind.
    """
    numbers: dict[tuple[float | None, bool], int] = {}

    def number(rated: Rated) -> int:
        return numbers.setdefault((rated.level, rated.declined == "not applicable"), len(numbers))

    of_answers = list(map(number, codes.answers_on(name)))
    by_code = np.array([*of_answers, len(numbers)], dtype=np.min_scalar_type(len(numbers)))
    levels = np.array([np.nan if level is None else level for level, _ in (*numbers, (None, False))], dtype=np.float64)
    skipped = np.array([does_not_apply for _, does_not_apply in (*numbers, (None, False))])
    return by_code[np.asarray(codes.codes_on(name))], levels, skipped


def have_answer(codes: RatingCodes, says: Callable[[Rated], object]) -> Flags:
    """Return flags, shape (n_ratings,), of the ratings with at least one answer for which `says` returns True."""
    is_said = np.zeros(len(codes), dtype=bool)
    for name in codes.names:
        if any(map(says, codes.answers_on(name))):
            is_said |= answer_values(codes, name, lambda rated: bool(says(rated)), False)
    return is_said


def rows_in(ids: Sequence[str], codes: RatingCodes) -> Integers:
    """Return, for each rating, the index of its example among the given ids; -1 if its example isn't among them."""
    times, more = divmod(len(codes), len(ids) or len(codes) + 1)
    if not more and all(codes.ids[nth::times] == list(ids) for nth in range(times)):
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
        The index of the first row of each group, and for each row the index of its group.

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
        kind *= size
        kind += number
        n_kinds *= size
    kind, n_kinds = _closed_up(kind, n_kinds)
    return first_of(kind, n_kinds), kind


MOST_KINDS: Final = 2**40
"""Largest product of columns' numbers of distinct values up to which their values are combined into one number per
row."""


def _numbered(column: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], int]:
    """Convert a column's cells to whole numbers, equal for equal cells; also return the greatest of them plus 1."""
    if column.dtype.kind == "f":
        distinct, number = numbered_values(column)
        return number, max(len(distinct), 1)
    if column.dtype.kind in "bu":
        return column, int(column.max(initial=0)) + 1
    whole = column.astype(np.int64)
    low = int(whole.min(initial=0))
    return whole - low, int(whole.max(initial=0)) - low + 1


def _closed_up(kind: Integers, n_kinds: int) -> tuple[Integers, int]:
    """Renumber groups of rows so that no number is left out; return each row's group, and the number of groups.

    Args:
        kind: Number of each row's group, from 0.
        n_kinds: A number above all numbers of groups.
    """
    distinct, number = numbered(kind, n_kinds)
    return number, len(distinct)
