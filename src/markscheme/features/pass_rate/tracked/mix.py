"""Changes in the mix of traffic, and how much of a shift in the judge's share of passes they explain."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from markscheme.features.pass_rate.tracked.naming import part_by_mix, shift_at_old_mix
from markscheme.features.pass_rate.tracked.store import GradedLine

MOST_MIX_COLUMNS = 8
"""Largest number of columns that are tried as an explanation."""
VALUES_OF_COLUMN = (2, 12)
"""Smallest and largest number of different values of a column that is tried as an explanation."""
INPUT_LENGTH = "input_length"
"""Name of the column with the number of characters of a response's inputs, which is compared in fifths."""


@dataclass(frozen=True)
class MixShift:
    """Change in how often each value of a column occurs, and how far it explains a shift of the share of passes.

    Attributes:
        column: Name of the column.
        explained: The part of the shift that is explained because the column's values occur more or less often than
            before.
        at_old_mix: The part of the shift that would remain if the values occurred as often as before.
        value: The value whose share of responses moved most.
        share_before: Share of responses that had this value before.
        share_since: Share of responses that have this value since.
    """

    column: str
    explained: float
    at_old_mix: float
    value: str
    share_before: float
    share_since: float


ColumnCounts: TypeAlias = dict[str, dict[Any, list[int]]]
"""Numbers of passes and of responses with a verdict, by column and value."""


def largest_mix_shift(before: Iterable[GradedLine], since: Iterable[GradedLine]) -> MixShift | None:
    """Find the column whose change in mix best explains a shift in the share of passes; None if no column can.

    Args:
        before: The responses of the reference weeks.
        since: The responses since the shift began.
    """
    return max(_shifts(before, since), key=lambda shift: shift.explained, default=None)


def largest_change(before: Iterable[GradedLine], since: Iterable[GradedLine]) -> MixShift | None:
    """Find the value, of any column, whose share of the responses changed most; None if no column can be compared.

    Args:
        before: Responses before the change.
        since: Responses since the change.
    """
    return max(_shifts(before, since), key=lambda shift: abs(shift.share_since - shift.share_before), default=None)


def _shifts(before: Iterable[GradedLine], since: Iterable[GradedLine]) -> Iterator[MixShift]:
    counts_before = _counts(before)
    counts_since = _counts(since)
    least, most = VALUES_OF_COLUMN
    columns = sorted(name for name in counts_before if name in counts_since and name != INPUT_LENGTH)
    few = [name for name in columns if least <= len(counts_before[name].keys() | counts_since[name].keys()) <= most]
    for name in few[:MOST_MIX_COLUMNS]:
        yield from _of_column(name, counts_before[name], counts_since[name])
    if INPUT_LENGTH in counts_before and INPUT_LENGTH in counts_since:
        fifths = _in_fifths(counts_before[INPUT_LENGTH], counts_since[INPUT_LENGTH])
        yield from _of_column(INPUT_LENGTH, *fifths)


def _counts(rows: Iterable[GradedLine]) -> ColumnCounts:
    counts: ColumnCounts = {}
    for row in rows:
        if row.passes is None:
            continue
        for name, value in row.mix.items():
            cell = counts.setdefault(name, {}).setdefault(value, [0, 0])
            cell[0] += row.passes
            cell[1] += 1
    return counts


def _in_fifths(*sides: dict[Any, list[int]]) -> Iterator[dict[Any, list[int]]]:
    """Count, for each period, passes and responses in five ranges of a column's numbers, by the name of the range.

    Each range holds about a fifth of the first period's responses.

    Args:
        sides: For each period, the numbers of passes and of responses with each value of the column.

    Yields:
        The numbers of passes and of responses, by range.
    """
    values = sorted(sides[0])
    so_far = np.cumsum([sides[0][value][1] for value in values])
    bounds = [values[int(np.searchsorted(so_far, share * so_far[-1]))] for share in (0.2, 0.4, 0.6, 0.8)]
    for side in sides:
        fifths: dict[Any, list[int]] = {}
        for value, (passes, responses) in side.items():
            cell = fifths.setdefault(f"fifth {1 + bisect_left(bounds, value)}", [0, 0])
            cell[0] += passes
            cell[1] += responses
        yield fifths


def _of_column(name: str, before: dict[Any, list[int]], since: dict[Any, list[int]]) -> Iterator[MixShift]:
    """Yield how a column's mix of values changed, and how far that explains a shift of the judge's share of passes.

    Nothing is yielded if the column has fewer than two values, or if no later response has one of its earlier values.

    Args:
        name: Name of the column.
        before: Numbers of passes and of responses in the reference weeks, by value.
        since: Numbers of passes and of responses since the change, by value.
    """
    values = sorted(before, key=str)
    reference = np.array([before[value] for value in values], dtype=np.float64)
    current = np.array([since.get(value, (0, 0)) for value in values], dtype=np.float64)
    if len(values) < 2 or not current[:, 1].sum():
        return
    shift, at_old_mix = shift_at_old_mix(reference, current)
    shares = [counts[:, 1] / counts[:, 1].sum() for counts in (reference, current)]
    most = int(np.abs(shares[1] - shares[0]).argmax())
    moved = str(values[most]), float(shares[0][most]), float(shares[1][most])
    yield MixShift(name, part_by_mix(shift, at_old_mix), at_old_mix, *moved)
