"""One part of the examples beside the rest: does the judge do worse there than elsewhere?"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, stdtr

from markscheme.stats.intervals import STILL, Floats, group_numbers, spread

ALIKE = 1e-7


@dataclass(frozen=True, slots=True)
class Contrast:
    """A figure inside a part of the units and outside it.

    Attributes:
        inside: Mean over the units of the part; nan without any.
        outside: Mean over all others; nan likewise.
        p: Chance of means at least this far apart, either way, if belonging to the part meant nothing; 1 where there
            is nothing to compare.
        n_inside: Units of the part that have the figure.
        n_outside: Other units that have it.
    """

    inside: float
    outside: float
    p: float
    n_inside: int
    n_outside: int

    @property
    def difference(self) -> float:
        """Inside less outside."""
        return self.inside - self.outside


def share_contrast(hits: npt.ArrayLike, inside: npt.ArrayLike) -> Contrast:
    """A share of units inside a part and outside it, with Fisher's exact test, two-sided, mid-p.

    Args:
        hits: 1 for a unit that counts, 0 for one that does not, nan = missing, shape (n_units,).
        inside: Whether each unit belongs to the part, shape (n_units,).

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Fisher (1935), Journal of the Royal Statistical Society 98(1), 39-82; for mid-p Lancaster (1961), Journal of
        the American Statistical Association 56(294), 223-234. doi:10.1080/01621459.1961.10482105

    Example:
        >>> found = share_contrast([0, 0, 0, 1, 1, 1, 1, 1], [True] * 3 + [False] * 5)
        >>> found.inside, found.outside, round(found.p, 6)
        (0.0, 1.0, 0.008929)
    """
    values, part = _given(hits, inside)
    found = _means(values, part)
    if not found.n_inside or not found.n_outside:
        return found
    n, drawn, marked, seen = len(values), found.n_inside, round(float(values.sum())), round(float(values[part].sum()))
    counts = np.arange(max(0, drawn + marked - n), min(drawn, marked) + 1)
    chance = np.exp(_log_choose(marked, counts) + _log_choose(n - marked, drawn - counts) - _log_choose(n, drawn))
    of_seen = float(chance[counts == seen][0])
    rarer = float(chance[chance < of_seen * (1 - ALIKE)].sum())
    as_rare = float(chance[np.abs(chance - of_seen) <= of_seen * ALIKE].sum())
    return _with_p(found, min(1.0, rarer + as_rare / 2))


def mean_contrast(values: npt.ArrayLike, inside: npt.ArrayLike, *, groups: npt.ArrayLike | None = None) -> Contrast:
    """A mean inside a part of the units and outside it, with the more careful of two t tests, two-sided.

    Student's test takes the two spreads for equal, Welch's does not; a small part whose few values happen to be alike
    would deceive the second, a part with wider spread than the rest the first, so the larger p counts.

    Args:
        values: One figure a unit, shape (n_units,), nan = missing.
        inside: Whether each unit belongs to the part, shape (n_units,).
        groups: A name for each unit, shape (n_units,), where several share a task. The groups are then left out one
            by one as well, and the largest of three p counts.

    Raises:
        ValueError: The caller's fault: shapes that differ.

    Source:
        Welch (1947), Biometrika 34(1/2), 28-35. doi:10.2307/2332510

    Example:
        >>> found = mean_contrast([2, 3, 2, 3, 0, 1, 0, 1], [True] * 4 + [False] * 4)
        >>> found.difference, round(found.p, 4)
        (2.0, 0.0027)
    """
    x, part = _given(values, inside)
    found = _means(x, part)
    m, k = found.n_inside, found.n_outside
    if min(m, k) < 2:
        return found
    within, without = float(x[part].var(ddof=1)), float(x[~part].var(ddof=1))
    pooled = ((m - 1) * within + (k - 1) * without) / (m + k - 2)
    a, b = within / m, without / k
    p = _p_of_t(found.difference, math.sqrt(pooled * (1 / m + 1 / k)), m + k - 2)
    if a + b > 0:
        df = (a + b) ** 2 / (a**2 / (m - 1) + b**2 / (k - 1))
        p = max(p, _p_of_t(found.difference, math.sqrt(a + b), df))
    if groups is not None:
        there = np.isfinite(np.asarray(values, dtype=np.float64))
        p = max(p, _p_by_groups(x, part, np.asarray(groups)[there], found.difference))
    return _with_p(found, p)


def _given(values: npt.ArrayLike, inside: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.bool_]]:
    x, part = np.asarray(values, dtype=np.float64), np.asarray(inside, dtype=bool)
    if x.ndim != 1 or x.shape != part.shape:
        raise ValueError(f"values and inside must be equally long vectors, not {x.shape} and {part.shape}")
    there = np.isfinite(x)
    return x[there], part[there]


def _means(x: Floats, part: npt.NDArray[np.bool_]) -> Contrast:
    m, k = int(part.sum()), int((~part).sum())
    mean = float(x[part].mean()) if m else math.nan
    rest = float(x[~part].mean()) if k else math.nan
    return Contrast(mean, rest, 1.0, m, k)


def _with_p(found: Contrast, p: float) -> Contrast:
    return Contrast(found.inside, found.outside, p, found.n_inside, found.n_outside)


def _log_choose(n: int, k: npt.ArrayLike) -> Floats:
    chosen = np.asarray(k, dtype=np.float64)
    return np.asarray(gammaln(n + 1) - gammaln(chosen + 1) - gammaln(n - chosen + 1))


def _p_of_t(difference: float, se: float, df: float) -> float:
    if se <= STILL * max(1.0, abs(difference)):
        return 1.0 if abs(difference) <= STILL else 0.0
    return float(2 * stdtr(df, -abs(difference) / se))


def _p_by_groups(x: Floats, part: npt.NDArray[np.bool_], groups: npt.NDArray[np.generic], difference: float) -> float:
    """From the difference with each group left out; 1 where a group holds the whole part, or all the rest."""
    group, n = group_numbers(groups, len(x))
    sums = [np.bincount(group, weights=np.where(side, x, 0.0), minlength=n) for side in (part, ~part)]
    sizes = [np.bincount(group, weights=side.astype(np.float64), minlength=n) for side in (part, ~part)]
    left = [size.sum() - size for size in sizes]
    if min(float(size.min()) for size in left) <= 0:
        return 1.0
    means = [(total.sum() - total) / size for total, size in zip(sums, left, strict=True)]
    moves = spread(means[0] - means[1])
    return _p_of_t(difference, moves.se, moves.df)
