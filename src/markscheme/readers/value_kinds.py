"""Checks of whether two raters' numbers are on the same scale, and the options that state their scales."""

from collections.abc import Collection, Iterable, Mapping
from itertools import permutations

from markscheme.readers.tabular.scales import CLASH, FEWEST_LEVELS, likely_ends


def scales_that_differ(first: Iterable[float], second: Iterable[float]) -> bool:
    """Return True if the numbers of two raters can't belong to the same scale, such as 0 to 1 and 1 to 5.

    >>> scales_that_differ([0.3, 0.9, 0.6], [1, 4, 5]), scales_that_differ([2, 3, 5], [1, 4, 4])
    (True, False)
    >>> scales_that_differ([0, 2, 4], [1, 3, 5])
    True
    """
    for values, other_values in permutations((set(first), set(second))):
        if not values or not other_values:
            return False
        if (
            min(values) >= 0
            and max(values) <= 1 < max(other_values)
            and any(not value.is_integer() for value in values)
        ):
            return True
        if min(len(values), len(other_values)) >= FEWEST_LEVELS and max(other_values) >= CLASH * max(values) > 0:
            return True
        if counts_from_0(values, other_values):
            return True
    return False


def counts_from_0(values: Collection[float], other_values: Collection[float]) -> bool:
    """Return True if one rater seems to number n levels from 0 to n-1, and the other from 1 to n.

    >>> counts_from_0([0, 2, 4], [1, 3, 5]), counts_from_0([0, 2, 5], [1, 3, 5]), counts_from_0([0, 4], [1, 5])
    (True, False, False)
    """
    if min(len(set(values)), len(set(other_values))) < FEWEST_LEVELS:
        return False
    return (min(values), max(values)) == (0, max(other_values) - 1) and min(other_values) == 1


def scale_options(numbers: Mapping[str, Iterable[float]]) -> str:
    """Return a `--scale` option for judges and one for people, with the ends that their numbers suggest.

    >>> scale_options({"judge": [0.3, 0.9], "human": [1, 4, 5]})
    '--scale judge=0..1 --scale human=1..5'
    """
    return " ".join(f"--scale {side}={likely_ends(list(values), mark='..')}" for side, values in numbers.items())
