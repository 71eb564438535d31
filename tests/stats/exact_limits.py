"""Exact two-sided limits of a share, with which intervals of shares are compared."""

from markscheme.stats.intervals import clopper_pearson_lower, clopper_pearson_upper
from markscheme.stats.verdict_rates import mid_p_upper


def clopper_pearson(successes: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Compute exact two-sided limits of a share: each side errs with probability at most half of 1 - `level`.

    Source:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413. doi:10.1093/biomet/26.4.404

    Example:
        >>> [round(x, 6) for x in clopper_pearson(45, 50)]
        [0.781865, 0.966725]
    """
    one_sided = 0.5 + level / 2
    return (
        clopper_pearson_lower(successes, n, confidence=one_sided),
        clopper_pearson_upper(successes, n, confidence=one_sided),
    )


def mid_p_limits(hits: float, n: float, *, level: float = 0.95) -> tuple[float, float]:
    """Return the lower and upper mid-p limits of a share, from the package's upper limits of hits and of misses."""
    tail = round((1 - level) / 2, 12)
    return 1 - float(mid_p_upper(n - hits, n, tail)), float(mid_p_upper(hits, n, tail))
