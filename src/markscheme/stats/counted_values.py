"""Quantiles of values that each occur in several units."""

from collections.abc import Sequence

import numpy as np

from markscheme.stats.intervals import Floats


def quantiles(values: Floats, units: Floats, shares: Sequence[float]) -> list[float]:
    """Compute quantiles of values that each occur in several units, as `numpy.quantile` would with every unit listed.

    Args:
        values: Finite values, shape (n_rows,), at least one.
        units: Number of units that each row represents, shape (n_rows,).
        shares: Shares of the quantiles, 0 to 1.

    Example:
        >>> [round(level, 2) for level in quantiles(np.array([1.0, 3.0]), np.array([3.0, 1.0]), [0.5, 0.9])]
        [1.0, 2.4]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    up_to = np.cumsum(units[order])
    last = up_to[-1] - 1
    limits = []
    for share in shares:
        position = share * last
        below, above = (
            int(np.searchsorted(up_to, whole, side="right")) for whole in np.floor([position, position + 1])
        )
        low = ordered[below]
        high = ordered[min(above, len(ordered) - 1)]
        limits.append(float(low + (high - low) * (position - np.floor(position))))
    return limits
