"""Estimates of how much better one rater is than another on the same units."""

import numpy as np
import numpy.typing as npt

from markscheme.stats.change import mean_estimate, shift_interval
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import IDENTITY, Floats, kept_within
from markscheme.stats.pairs import equal_vectors


def gain_in_hits(
    first: npt.ArrayLike, second: npt.ArrayLike, *, groups: npt.ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Estimate the share of units that the second rater gets right, minus that of the first rater.

    Args:
        first: 1 where the first is right, 0 where not, shape (n_units,), nan where unknown.
        second: The second rater's, shape (n_units,); a unit counts where both are known.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        level: Coverage of the interval, 0 to 1; each limit alone is a one-sided limit of confidence (1 + level)/2.

    Returns:
        Second minus first, -1 to 1. One unit that each rater wins alone is added before the interval is computed, so
        that raters who agree on a few units aren't called equal; with groups, whole groups are left out instead.

    Raises:
        ValueError: The caller's fault: vectors of different length.

    Source:
        Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37(4), 479-488.
        doi:10.3102/1076998611411915

    Example:
        >>> e = gain_in_hits([1, 1, 0, 0] * 10, [1, 1, 1, 0] * 10)
        >>> e.value, round(e.low, 3), round(e.high, 3)
        (0.25, 0.087, 0.389)
    """
    difference = _difference(first, second)
    method = "share right, second minus first"
    if groups is None:
        gain = shift_interval(difference, span=1.0, level=level, method=method)
    else:
        gain = mean_estimate(difference, transform=IDENTITY, groups=groups, level=level, method=method)
    return kept_within(gain, -1.0, 1.0)


def gain_in_error(first: npt.ArrayLike, second: npt.ArrayLike, *, groups: npt.ArrayLike | None = None) -> Estimate:
    """Estimate how much larger the second rater's error is than the first's, on the same units.

    Args:
        first: An error for each unit, absolute or signed, shape (n_units,), nan where there is none.
        second: The second rater's, shape (n_units,); a unit counts where both have one.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.

    Returns:
        Mean of second minus first, in the unit of the errors; with a 95 % interval unless they never differ.

    Raises:
        ValueError: The caller's fault: vectors of different length.

    Example:
        >>> gain_in_error([0.1, 0.2, 0.3], [0.2, 0.2, 0.1]).value
        -0.033333333333333326
    """
    method = "mean error, second minus first"
    return mean_estimate(_difference(first, second), transform=IDENTITY, groups=groups, method=method)


def _difference(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    first_scores, second_scores = equal_vectors(first=first, second=second)
    return np.asarray(second_scores - first_scores)
