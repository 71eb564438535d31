"""Jackknife sets: groups that are left out together if there are too many to leave out one by one."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from markscheme.stats.intervals import Integers, group_numbers

SETS: Final = 1000
"""Number of jackknife sets; with up to this many groups, each group is a set of its own."""
OFFSET: Final = 1_000_003
"""Number that is added to an index before cubing, since the cubes of small numbers would be below the prime."""
PRIME: Final = 2**31 - 1
"""Prime by which the cubes of indices are scattered; the product of two smaller numbers fits into any database's
integers."""


def set_numbers(places: npt.ArrayLike, n_groups: int) -> Integers:
    """Return the number of the jackknife set (groups that are left out together) to which each group belongs.

    With up to 1,000 groups, each is a set of its own. Of more groups, those with neighbouring names are put into
    different sets: such groups may be alike, and then sets of neighbours would make limits 2 to 9 times too wide.

    Args:
        places: Position of each group, from 1, among the groups' names sorted by code points.
        n_groups: Number of groups.

    Example:
        >>> set_numbers([1, 2, 3], 3).tolist(), set_numbers([1, 2, 1001], 1001).tolist()
        ([0, 1, 2], [939, 141, 315])
    """
    place = np.asarray(places, dtype=np.int64)
    if n_groups <= SETS:
        return place - 1
    scattered = place + OFFSET
    return (scattered * scattered % PRIME) * scattered % PRIME % SETS


def set_names(names: Sequence[str] | None) -> Sequence[str] | Integers | None:
    """Return the name of the jackknife set (groups left out together) of each example; None without groups.

    With up to 1,000 groups, each is a set of its own, known by the group's name. With more groups, a set holds several
    groups, and is known by a number.

    Args:
        names: Name of each example's group; None if examples have no groups.
    """
    if names is None or len(names) <= SETS:
        return names
    place, n_groups = group_numbers(names, len(names))
    return names if n_groups <= SETS else set_numbers(place + 1, n_groups)
