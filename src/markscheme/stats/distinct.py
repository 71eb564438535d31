"""Distinct numbers, found without sorting where they are dense or few."""

from typing import Final

import numpy as np
import numpy.typing as npt

MOST_MARKED: Final = 2**16
"""Limit up to which numbers are found by marking, however few occur; larger ones are only if most numbers in between
occur too."""
MANY_VALUES: Final = 4096
"""Smallest number of values for which sorting takes longer than placing each in a cell of its own size."""


def numbered(
    keys: npt.NDArray[np.int64], reach: int | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the distinct keys in ascending order, and for each key its index among the distinct keys.

    Args:
        keys: Whole numbers, none below 0, shape (n,).
        reach: A number above all keys, if known.

    Example:
        >>> distinct, place = numbered(np.array([7, 2, 7]))
        >>> distinct.tolist(), place.tolist()
        ([2, 7], [1, 0, 1])
    """
    end = int(keys.max(initial=-1)) + 1 if reach is None else reach
    if end > max(MOST_MARKED, 4 * len(keys)):
        distinct, place = np.unique(keys, return_inverse=True)
        return distinct, place.reshape(-1)
    occurs = np.zeros(end, dtype=bool)
    occurs[keys] = True
    if occurs.all():
        return np.arange(end), keys
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[keys]


def first_of(place: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.int64]:
    """Return, for each number from 0 to n - 1, the index of its first occurrence in an array.

    Args:
        place: The array, which contains each of these numbers at least once, and no other number.
        n: Number of different numbers.

    Example:
        >>> first_of(np.array([1, 0, 1]), 2).tolist()
        [1, 0]
    """
    first = np.zeros(n, dtype=np.int64)
    first[place[::-1]] = np.arange(len(place) - 1, -1, -1)
    return first


def numbered_values(values: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the distinct values in ascending order, nan last, and each value's index among them.

    Ratings mostly repeat a few values. So if there are many values, their range is divided into small cells; if no cell
    has two different values, sorting isn't needed.

    Example:
        >>> distinct, place = numbered_values(np.tile([2.5, np.nan, 1.0], 2000))
        >>> distinct.tolist(), place[:3].tolist()
        ([1.0, 2.5, nan], [1, 2, 0])
    """
    low = float(np.fmin.reduce(values, initial=np.inf))
    span = float(np.fmax.reduce(values, initial=-np.inf)) - low
    if len(values) >= MANY_VALUES and 0 <= span < np.inf:
        is_missing = np.isnan(values)
        cell = np.where(is_missing, MANY_VALUES, (values - low) * ((MANY_VALUES - 1) / (span or 1.0))).astype(np.int64)
        value_in = np.full(MANY_VALUES + 1, np.inf)
        value_in[cell] = values
        if ((value_in[cell] == values) | is_missing).all():
            occurs = value_in != np.inf
            return value_in[occurs], (np.cumsum(occurs) - 1)[cell]
    distinct, place = np.unique(values, return_inverse=True)
    return distinct, place.reshape(-1)
