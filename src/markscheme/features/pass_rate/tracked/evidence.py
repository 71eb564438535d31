"""Sequential evidence, updated weekly, that a mean has fallen below a floor.

An unchanged stream reaches evidence of 1/alpha within the horizon with probability alpha at most, however often one
looks at it.
"""

import numpy as np
import numpy.typing as npt

from markscheme.stats.intervals import Floats

HORIZON = 104
"""Number of weeks over which the chance of a false alarm is bounded; then a new period begins."""
BETS = np.array([0.05, 0.15, 0.40, 0.80])
"""Bets, as shares of the largest safe bet, whose wealth is averaged: small bets find small drops, large bets find large
drops sooner."""
MOST_LOG = 700.0
"""Logarithm of evidence at which it stops growing, just below that of the largest float."""


def growth(
    values: npt.ArrayLike, counts: npt.ArrayLike, *, floor: npt.ArrayLike, top: npt.ArrayLike, weight: float = 1.0
) -> Floats:
    """Compute how much a week raises the log wealth of a gambler who bets that the mean of values is below a floor.

    The gambler stakes a fixed part of the wealth on each value. The growth is computed for each of the four sizes of
    stake in `BETS`.

    Args:
        values: The different values of the week, shape (..., k).
        counts: Number of times that each value occurs, shape (..., k).
        floor: The smallest mean of an unchanged stream, below `top`.
        top: The largest possible value.
        weight: Part of the growth that counts, 0 to 1.

    Returns:
        The growth of log wealth at each size of stake, shape (..., 4).

    Raises:
        ValueError: A value is above `top`, or `floor` isn't below `top`, which is the caller's mistake.

    Source:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1), 1-27.
        doi:10.1093/jrsssb/qkad009

    Example:
        >>> growth([1, 0], [83, 1], floor=0.95, top=1).round(3).tolist()
        [-3.59, -12.141, -40.247, -130.798]
    """
    seen = np.asarray(values, dtype=np.float64)
    lowest = np.asarray(floor, dtype=np.float64)[..., None]
    highest = np.asarray(top, dtype=np.float64)[..., None]
    if (seen > highest + 1e-12).any() or not (lowest < highest).all():
        raise ValueError(f"values lie below {highest}, and so does the floor: {seen}, {lowest}")
    stake = (lowest - seen) / (highest - lowest)
    gained = np.log1p(BETS * stake[..., None]) * np.asarray(counts, dtype=np.float64)[..., None]
    return np.asarray(weight * gained.sum(axis=-2))


def evidence(growths: npt.ArrayLike) -> Floats:
    """Compute the evidence of a change after each week.

    It is the average wealth of gamblers who bet on a change. In each week several gamblers begin, one with each size of
    stake in `BETS`.

    Args:
        growths: By how much each week raises the log wealth at each size of stake, from `growth`; shape (..., weeks,
            4).

    Returns:
        The evidence after each week, shape (..., weeks); 1 means no evidence.

    Raises:
        ValueError: There are more than `HORIZON` weeks, which is the caller's mistake.

    Source:
        Ville (1939), Étude critique de la notion de collectif, for the bound on ever reaching 1/alpha.

    Example:
        >>> week = growth([1, 0], [67, 17], floor=0.95, top=1)
        >>> evidence([week, week]).round(1).tolist()
        [410.1, 67425875.1]
    """
    steps = np.asarray(growths, dtype=np.float64)
    weeks = steps.shape[-2]
    if weeks > HORIZON:
        raise ValueError(f"a period has {HORIZON} weeks at most, not {weeks}")
    log_wealth = np.full((*steps.shape[:-2], len(BETS)), -np.inf)
    after = np.ones(steps.shape[:-1])
    for week in range(weeks):
        log_wealth = np.minimum(np.logaddexp(log_wealth, 0.0) + steps[..., week, :], MOST_LOG)
        after[..., week] = (np.exp(log_wealth).mean(axis=-1) + HORIZON - week - 1) / HORIZON
    return after


def rings_in(after: npt.ArrayLike, ring: float) -> int | None:
    """Return the first week, counted from 1, whose evidence reaches the alarm threshold; None if no week's does.

    Args:
        after: The evidence after each week, shape (weeks,).
        ring: The threshold.
    """
    reached = np.flatnonzero(np.asarray(after) >= ring)
    return int(reached[0]) + 1 if len(reached) else None


def onset(growths: npt.ArrayLike) -> int:
    """Return the week, counted from 1, since which the evidence of a change has grown most.

    Args:
        growths: Growth of the logarithm of the evidence in each week, shape (weeks, 4), at least one week. The evidence
            is the wealth of four bets, with different stakes (`BETS`), that a figure has changed.
    """
    since = np.cumsum(np.asarray(growths, dtype=np.float64)[::-1], axis=0)[::-1]
    return int(np.logaddexp.reduce(since, axis=1).argmax()) + 1
