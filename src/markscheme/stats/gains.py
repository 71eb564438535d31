"""Estimates of how much more often one of two raters is right than the other, on the same units."""

import numpy.typing as npt

from markscheme.stats.change import mean_estimate, shift_interval
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import kept_within
from markscheme.stats.pairs import equal_vectors


def gain_in_hits(
    first: npt.ArrayLike, second: npt.ArrayLike, *, groups: npt.ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Estimate the share of units that a second rater gets right minus that of a first rater, with its interval.

    Args:
        first: Hits of the first rater, shape (n_units,): 1 if it is right, 0 if it isn't, nan if that isn't known.
        second: Hits of the second rater, shape (n_units,); a unit counts if both are known.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        level: Coverage of the interval, 0 to 1; each limit alone is a one-sided limit of confidence (1 + level)/2.

    Returns:
        The difference, second minus first, -1 to 1. Before the interval is computed, two units are added: one that only
        the first rater gets right, and one that only the second gets right. Thus the interval has some width even if
        the raters agree on all of a few units. With groups, no units are added, and the interval is the jackknife's
        over groups.

    Raises:
        ValueError: The vectors differ in length.

    Source:
        Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37(4), 479-488.
        doi:10.3102/1076998611411915

    Example:
        >>> e = gain_in_hits([1, 1, 0, 0] * 10, [1, 1, 1, 0] * 10)
        >>> e.value, round(e.low, 3), round(e.high, 3)
        (0.25, 0.087, 0.389)
    """
    first_hits, second_hits = equal_vectors(first=first, second=second)
    difference = second_hits - first_hits
    method = "share right, second minus first"
    if groups is None:
        gain = shift_interval(difference, span=1.0, level=level, method=method)
    else:
        gain = mean_estimate(difference, groups=groups, level=level, method=method)
    return kept_within(gain, -1.0, 1.0)
