"""Agreement on pairs that doesn't depend on which response is stored first: each pair also counts mirrored.

The mirror image of a level is its negative. Swapping the responses of any pair doesn't change any figure.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from markscheme.stats.coefficients import two_raters
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats, Grouping, Groups
from markscheme.stats.pairs import equal_vectors
from markscheme.stats.severity import error_family, pair_statistic
from markscheme.stats.shares import GroupedMean, grouped_mean, share

SHARES = ("exact_agreement", "within_one")
"""Statistics that are equal for a pair and its mirror image, so that they are computed from each pair once."""


def pair_agreement_family(
    gold: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    levels: npt.ArrayLike,
    groups: Grouping = None,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """Compute agreement and errors of a judge with gold over each pair and its mirror image.

    Args:
        gold: Gold levels, shape (n_pairs,), below 0 if the first response is better, nan where there is none.
        judge: The judge's levels, shape (n_pairs,), below 0 if the first response is better, nan where there is none.
        levels: The scale's levels, of which each one's negative is a level too.
        groups: A name for each pair's group, such as a prompt that several share, shape (n_pairs,).
        level: Coverage of the intervals.

    Returns:
        The statistics of `two_raters` and `error_family` by name, whose `n` is the number of pairs, or of groups of
        them. Shares are computed from the pairs without their mirror images.

    Example:
        >>> found = pair_agreement_family([-1, -1, 0, 1], [-1, 1, 0, 1], levels=[-1, 0, 1])
        >>> turned = pair_agreement_family([1, -1, 0, -1], [1, 1, 0, -1], levels=[-1, 0, 1])
        >>> found["cohen_kappa"].value == turned["cohen_kappa"].value
        True
    """
    pair = equal_vectors(gold=gold, judge=judge)
    n = pair.shape[1]
    group_of = Groups.of(groups, n).number
    both_ways = np.concatenate([pair, -pair], axis=1)
    twice = np.concatenate([group_of, group_of])
    once = two_raters(*pair, levels=levels, ordered=True, groups=groups, level=level)
    mirrored = two_raters(*both_ways, levels=levels, ordered=True, groups=twice, level=level)
    mirrored |= error_family(*both_ways, groups=twice, levels=levels, level=level)
    statistics = {name: once[name] if name in SHARES else estimate for name, estimate in mirrored.items()}
    n_pairs = int(np.isfinite(pair).all(axis=0).sum())
    return {
        name: replace(estimate, n=n_pairs) if estimate.n > n_pairs else estimate
        for name, estimate in statistics.items()
    }


def order_flips(
    first_order: npt.ArrayLike, second_order: npt.ArrayLike, *, groups: Grouping = None, level: float = 0.95
) -> Estimate:
    """Estimate the share of pairs whose level from a rater changes when the two responses are shown in reverse order.

    Args:
        first_order: The rater's levels when shown each pair in its stored order, shape (n_pairs,), nan where there is
            none.
        second_order: The rater's levels when shown each pair in reverse order, converted to the stored order, shape
            (n_pairs,), nan where there is none.
        groups: A name for each pair's group, such as a prompt that several share, shape (n_pairs,).
        level: Coverage of the interval.

    Example:
        >>> order_flips([-1, 1, 0, 1, 1], [-1, -1, 0, 1, 1]).value
        0.2
    """
    first, second = equal_vectors(first_order=first_order, second_order=second_order)
    flips = np.where(np.isnan(first + second), np.nan, (first != second).astype(np.float64))
    return share(flips, groups, level=level, of="pairs asked in both orders")


def lean_to_first(first_order: npt.ArrayLike, second_order: npt.ArrayLike, *, groups: Grouping = None) -> GroupedMean:
    """Compute how much more often a rater prefers the response that is shown first than the one shown second.

    Args:
        first_order: The rater's preferences when the first response was shown first, shape (n_pairs,): below 0 if it is
            preferred, above 0 if the second response is; nan where there is none.
        second_order: The rater's preferences when the second response was shown first, shape (n_pairs,), with the same
            signs: below 0 if the first response is preferred; nan where there is none.
        groups: A name for each pair's group, such as a prompt that several share, shape (n_pairs,).

    Returns:
        The lean, from -1 (always prefers the response shown second) to 1; 0 for none. A pair that was shown in only one
        order counts by that order alone.

    Example:
        >>> lean_to_first([-1, -1, 0, 1], [1, 1, 0, 1]).value
        0.5
    """
    first, second = equal_vectors(first_order=first_order, second_order=second_order)
    return grouped_mean(_mean_of_orders(-first, second), groups)


def _mean_of_orders(first: Floats, second: Floats) -> Floats:
    orders = np.vstack([first, second])
    is_there = np.isfinite(orders)
    counts = is_there.sum(axis=0)
    total = np.where(is_there, orders, 0.0).sum(axis=0)
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)


def length_lean(
    preference: npt.ArrayLike,
    log_ratios: npt.ArrayLike,
    *,
    groups: Grouping = None,
    level: float = 0.95,
) -> Estimate:
    """Compute how a rater's preference correlates with how much longer the second response is.

    Each pair is counted twice: as it is, and with its responses swapped.

    Args:
        preference: Preferences from -1 (the first response is better) to 1, shape (n_pairs,), nan where there is none.
        log_ratios: Logarithm of the length of the second response over that of the first, shape (n_pairs,).
        groups: A name for each pair's group, such as a prompt that several share, shape (n_pairs,).
        level: Coverage of the interval.

    Returns:
        Pearson's r, -1 to 1; above 0, longer responses are preferred. Undefined if all pairs tie, or if the responses
        of every pair have equal length.

    Example:
        >>> length_lean([1, 1, -1, 0], [0.5, 0.2, -0.4, 0.1]).value > 0.9
        True
    """
    pair = equal_vectors(preference=preference, log_ratios=log_ratios)
    group_of = Groups.of(groups, pair.shape[1]).number
    prefers, ratio = np.concatenate([pair, -pair], axis=1)
    estimate = pair_statistic(prefers, ratio, "pearson", groups=np.concatenate([group_of, group_of]), level=level)
    n_pairs = int(np.isfinite(pair).all(axis=0).sum())
    return replace(estimate, n=min(estimate.n, n_pairs))
