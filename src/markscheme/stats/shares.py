"""Intervals of a share of examples and of a mean difference, if examples of the same task may err together.

`share` gives the interval of every share that is printed. Both figures have one-sided bounds at any confidence, which
equal the usual ones if each example is its own group.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.polynomial.legendre import leggauss
from scipy.special import betaincinv, gammaln, logit

from markscheme.stats.distinct import numbered, numbered_values
from markscheme.stats.estimate import Caveat, Estimate, Reason
from markscheme.stats.intervals import (
    Floats,
    Grouping,
    Groups,
    clopper_pearson_lower,
    clopper_pearson_upper,
    known_in_groups,
    mark_rough,
    spread,
    t_quantile,
    withhold,
)

Support: TypeAlias = Literal["plain", "approximate", "withheld"]
_Rising: TypeAlias = Callable[[Floats], Floats]
"""Function that sums log Γ(shape + count) − log Γ(shape) over some counts, for each shape parameter in an array."""

FEWEST_SHOWN = 5
"""Smallest number of examples for an interval of a share; with fewer, it would span two thirds of the scale or more, so
the share is printed as a count, "3 of 4"."""
FEWEST_GROUPS = 5
"""Smallest number of groups for bounds of a share; with fewer, nothing shows how much the examples of a group have in
common."""
GROUPS_TO_TRUST = 10
"""Smallest number of groups with which bounds cover .946 or more in simulation; with 5 to 9 groups they are marked
approximate."""
PRIOR_RHO = (0.5, 2.0)
"""Parameters of the Beta prior of the correlation within a group: mostly near 0, as for tasks whose examples hardly
resemble each other."""
RHO_Q = 0.80
"""Quantile of the posterior correlation that the bounds use; with it they cover .946 or more in simulation."""
LIKELY_Q = 0.50
"""Quantile of the posterior correlation that is used if two ways of grouping are combined, since both are unlikely
to err."""
HEAVIEST = 3.0
"""Largest weight of an example, as a multiple of its draw's mean weight; a heavier example would decide by itself."""
MEAN_ICC = 0.3
"""Correlation of differences assumed before any example differs; chosen by simulation, together with its weight."""
MEAN_WEIGHT = 8
"""Weight of the assumption of `MEAN_ICC`, as a number of differing examples."""
LOGS_PER_GAMMA = 3
"""Number of logarithms that take as long to compute as one value of the log-gamma function with the sums around it
(measured)."""
_FEW_COUNTS = 40
"""Largest number of different counts for which the log-gamma function of each is computed."""
_SAME_SUM = 1e-16
"""Largest relative error of a sum of log-gammas in which a few counts represent many."""
MOST_RATES_REMEMBERED = 512
"""Number of correlations within groups that are cached: a report on thousands of examples needs a few hundred."""
_HITS_ALIKE = 9
"""Number of decimals to which the hits of groups are compared, so that thirds that add up to a whole equal it."""
HIT_DIGITS = 2
"""Number of decimals of a count of hits, which is a fraction if raters partly agree on an example."""
_RATE_NODES = 48
"""Number of points of the integral over rates; with 400 points, no limit of 324 simulated tables moves by more than
.0000002."""
_CORRELATION_NODES = 48
"""Number of points of the integral over correlations; with 400 the 324 tables' limits move by .0004 at most, with 24 by
.0014."""
_COARSE_NODES = 32
"""Number of points with which the range of likely correlations is found; with 400 the 324 tables' limits move by .0002
at most."""
_NEGLIGIBLE = 25.0
"""Distance below the highest log density beyond which a correlation is left out: with 60 limits move by .0002 at
most."""
_FURTHEST_LOGIT = 16.0
"""Largest logit of a rate that is considered, which leaves out rates nearer to 0 or 1 than .0000001; with 30 limits
move by .0000003 at most."""


@dataclass(frozen=True, slots=True)
class GroupedFigure:
    """Base class of a share or mean over examples in groups, such as tasks, within which errors may be related.

    Attributes:
        value: The share or mean; nan without examples.
        n: Number of examples.
        n_groups: Number of groups of the examples; `n` if every example is its own group.
        mean_size: Size of an example's group, averaged over examples; 1 without groups.
        correlation: Correlation of the examples within a group, 0 to 1; 0 without groups.
    """

    value: float
    n: int
    n_groups: int
    mean_size: float
    correlation: float

    @property
    def support(self) -> Support:
        """How bounds are shown: "plain" from 10 groups, "approximate" from 5, "withheld" below 5.

        Always "plain" if each group has one example.
        """
        if self.mean_size == 1 or self.n_groups >= GROUPS_TO_TRUST:
            return "plain"
        return "approximate" if self.n_groups >= FEWEST_GROUPS else "withheld"

    def lower(self, confidence: float) -> float | None:
        """Return the figure's one-sided lower bound at `confidence`; None with under 5 groups or without examples."""
        return self._bounds(confidence)[0] if self.n and self.support != "withheld" else None

    def upper(self, confidence: float) -> float | None:
        """Return the figure's one-sided upper bound at `confidence`; None with under 5 groups or without examples."""
        return self._bounds(confidence)[1] if self.n and self.support != "withheld" else None

    def estimate(self, *, level: float = 0.95, method: str = "over examples") -> Estimate:
        """Return the figure as an Estimate; with few groups its interval is withheld or marked as approximate.

        Args:
            level: Coverage of the interval, 0 to 1.
            method: Text of `Estimate.method` before the kind of interval.
        """
        if not self.n:
            return Estimate.without_value(Reason("no-examples"), n=0, method=method, level=level)
        low = self.lower((1 + level) / 2)
        high = self.upper((1 + level) / 2)
        whole = Estimate(self.value, low, high, level, self.n, f"{method}; {self._made}")
        if self.support == "plain":
            return whole
        why = Reason("few-groups", {"groups": self.n_groups})
        return withhold(whole, why) if self.support == "withheld" else mark_rough(whole, why)

    @property
    def _made(self) -> str:
        raise NotImplementedError

    def _bounds(self, confidence: float) -> tuple[float, float]:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class GroupedShare(GroupedFigure):
    """A share of examples with exact bounds that allow for correlated examples within a group.

    Attributes:
        correlation: Plausible upper value of the correlation within a group.
        effective: Effective number of independent examples.
        effective_of_missed: For a share of exactly 0 or 1, which shows no correlation, the effective number of
            independent examples if there were one more group, of the size of the largest, with a single example of the
            other outcome. The bounds use it. None for other shares, and without groups.
        likely_correlation: Median of the correlation within a group; 0 without groups.
    """

    effective: float
    effective_of_missed: float | None = None
    likely_correlation: float = 0.0

    @property
    def design_effect(self) -> float:
        """Number of examples of these groups that carry as much information as an independent one; 1 without groups."""
        return self.n / self.effective if self.n else 1.0

    def estimate(self, *, level: float = 0.95, method: str = "share of examples") -> Estimate:
        """Estimate the share with its two-sided interval; below 5 examples, give the number of hits but no interval."""
        whole = GroupedFigure.estimate(self, level=level, method=method)
        if whole.value is None or self.n >= FEWEST_SHOWN:
            return whole
        hits = round(self.value * self.n, HIT_DIGITS)
        return replace(whole, low=None, high=None, caveat=Caveat("few", Reason("hits", {"hits": hits, "of": self.n})))

    @property
    def _made(self) -> str:
        return "Clopper-Pearson" if self.mean_size == 1 else f"Clopper-Pearson at n_eff {round(self.effective, 1)}"

    def _bounds(self, confidence: float) -> tuple[float, float]:
        hits = self.effective if self.value == 1.0 else self.value * self.effective
        low = clopper_pearson_lower(hits, self.effective, confidence=confidence)
        high = clopper_pearson_upper(hits, self.effective, confidence=confidence)
        if self.effective_of_missed is not None:
            missed_hits = self.effective_of_missed / self.n
            if self.value == 0.0:
                high = min(high, clopper_pearson_upper(missed_hits, self.effective_of_missed, confidence=confidence))
            else:
                all_but_one = (1 - 1 / self.n) * self.effective_of_missed
                low = max(low, clopper_pearson_lower(all_but_one, self.effective_of_missed, confidence=confidence))
        return low, high


class MeanSide(NamedTuple):
    """Centre and standard error from which the lower or the upper bound of a mean is computed.

    For the bound, a group of the worst possible values is added to the examples, since such values may still occur.

    Attributes:
        centre: Mean with the added group, whose values are -1 for the lower bound and 1 for the upper one; nan without
            examples, as are the other attributes.
        se: Standard error of that mean.
        df: Degrees of freedom of the t bound.
    """

    centre: float
    se: float
    df: float

    def reach(self, confidence: float) -> float:
        """Compute how far the one-sided bound is from `centre`, at a given confidence."""
        return t_quantile(self.df, 2 * confidence - 1) * self.se


@dataclass(frozen=True, slots=True)
class GroupedMean(GroupedFigure):
    """A mean of differences, each from -1 to 1, with bounds that keep some width when few or no examples differ.

    Attributes:
        correlation: Correlation within a group, shrunk towards 0.3 if few differences aren't 0.
        below: Centre and standard error from which the lower bound is computed; the centre lies at or below the mean.
        above: Centre and standard error from which the upper bound is computed; the centre lies at or above the mean.
    """

    below: MeanSide
    above: MeanSide

    def spread_towards(self, bound: float) -> float:
        """Return √n times the standard error of the mean's limit that faces a given bound; nan without examples.

        Args:
            bound: A value with which the mean is compared. If it is below the mean, the lower limit's standard error
                is used, else the upper limit's.
        """
        return math.sqrt(self.n) * (self.below if self.value > bound else self.above).se

    @property
    def _made(self) -> str:
        return "t with one group at the far end"

    def _bounds(self, confidence: float) -> tuple[float, float]:
        low = self.below.centre - self.below.reach(confidence)
        high = self.above.centre + self.above.reach(confidence)
        return max(-1.0, low), min(1.0, high)


def share(
    hits: npt.ArrayLike,
    groups: Grouping = None,
    *,
    level: float = 0.95,
    of: str = "examples",
    method: str | None = None,
) -> Estimate:
    """Estimate a share of examples with its interval, which respects groups of examples.

    Args:
        hits: Hit of each example, shape (n,): 1 for an example that counts, 0 for one that doesn't, or a share in
            between, nan if the example is left out.
        groups: Name of each example's group, such as its task, shape (n,); None without groups.
        level: Coverage of the interval, 0 to 1.
        of: Words for what the share is of.
        method: Text of `Estimate.method` before the kind of interval; None for "share of …".

    Returns:
        The share, 0 to 1, with the number of examples as `n`. Fewer than 5 examples, or 5 groups of them, have no
        interval; with 5 to 9 groups it is approximate.

    Raises:
        ValueError: A value is outside 0 to 1, or groups differ in length.

    Source:
        See `grouped_share`.

    Example:
        >>> exact = share([1] * 45 + [0] * 5)
        >>> exact.value, round(exact.low, 4), round(exact.high, 4), exact.method
        (0.9, 0.7819, 0.9667, 'share of examples; Clopper-Pearson')
        >>> share([1, 1, 1, 0]).note, share([], of="passes").undefined
        ('few: 3 of 4', 'no passes')
    """
    estimate = grouped_share(hits, groups).estimate(level=level, method=method or f"share of {of}")
    return estimate if estimate.value is not None else replace(estimate, undefined=f"no {of}")


def drawn_weights(inverse_chances: npt.ArrayLike, draws: npt.ArrayLike | None = None) -> Floats:
    """Compute weights of examples drawn with unequal chances, for figures of the population that they were drawn from.

    Args:
        inverse_chances: One divided by the probability with which each example was drawn, shape (n,); 1 if examples
            were drawn at random.
        draws: Name of the draw of each example, shape (n,); None if there was only one draw.

    Returns:
        The weights, shape (n,), scaled to a mean of 1 within each draw; larger ones than HEAVIEST (3) are then set
        to it.

    Raises:
        ValueError: An inverse chance isn't above 0.

    Source:
        Hájek (1971), in Godambe and Sprott (eds.), Foundations of Statistical Inference, 236, for the ratio of sums.

    Example:
        >>> drawn_weights([2.5, 10]).tolist()
        [0.4, 1.6]
    """
    weights = np.asarray(inverse_chances, dtype=np.float64)
    if not (weights > 0).all():
        raise ValueError("one divided by a chance is above 0")
    draw = np.zeros(len(weights), dtype=np.int64) if draws is None else np.unique(draws, return_inverse=True)[1]
    means = np.bincount(draw, weights) / np.bincount(draw)
    return np.asarray(np.minimum(weights / means[draw], HEAVIEST))


def grouped_share(hits: npt.ArrayLike, groups: Grouping = None, weights: npt.ArrayLike | None = None) -> GroupedShare:
    """Compute a share of examples with exact bounds that respect groups of examples.

    In the model, group shares follow a beta distribution. The correlation within groups is the 0.8 quantile of its
    posterior, and the bounds are those of the number of independent examples that carries the same information.

    Args:
        hits: Hit of each example, shape (n,): 1 for an example that counts, 0 for one that doesn't, or a share in
            between, nan if missing.
        groups: Name of each example's group, such as its task, shape (n,); None without groups.
        weights: Weight of each example, shape (n,), as `drawn_weights` returns them; None for equal weights. The share
            is then that of the population that the examples were drawn from, and the bounds are those of fewer
            examples; the correlation within groups is that of the unweighted examples.

    Raises:
        ValueError: A value is outside 0 to 1, or groups or weights differ in length.

    Source:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413. doi:10.1093/biomet/26.4.404
        Kish (1965), Survey Sampling, section 8.2, for the design effect; Ridout, Demétrio and Firth (1999),
        Biometrics 55(1), 137-148, for the beta-binomial correlation. doi:10.1111/j.0006-341X.1999.00137.x

    Example:
        >>> alone = grouped_share([1] * 45 + [0] * 5)
        >>> round(alone.lower(0.9), 4), round(alone.upper(0.9), 4)
        (0.8224, 0.9506)
        >>> together = grouped_share([1] * 90 + [0] * 10, np.repeat(np.arange(10), 10))
        >>> round(together.effective), round(together.lower(0.9), 2)
        (11, 0.68)
    """
    x, in_groups = _in_groups(hits, groups, 0.0, 1.0)
    n = in_groups.n_units
    n_groups = in_groups.n
    if not n:
        return GroupedShare(math.nan, 0, 0, 1.0, 0.0, 0.0)
    sums, sizes = in_groups.sums(np.array([x, np.ones(len(x))]))
    copies = np.ones(in_groups.n_sets) if in_groups.copies is None else in_groups.copies
    w = _known_weights(hits, weights) * in_groups.units
    value = min(1.0, float((w * x).sum()) / float(w.sum()))
    mean_size = float((copies * sizes**2).sum()) / n
    n_kish = float(n) if weights is None else kish_size(w)
    if n_groups == n:
        return GroupedShare(value, n, n, 1.0, 0.0, n_kish)
    correlation, likely = _correlations(sums, sizes, copies, RHO_Q, LIKELY_Q)
    effective_of_missed = None
    if value in (0.0, 1.0):
        largest = int(sizes.argmax())
        copies = np.append(copies, 1.0)
        copies[largest] -= 1
        sums = np.append(sums, sums[largest] + (1 if value == 0.0 else -1))
        of_missed = beta_binomial_correlation(sums, np.append(sizes, sizes[largest]), copies=copies)
        effective_of_missed = _effective(n_kish, mean_size, of_missed)
    effective = _effective(n_kish, mean_size, correlation)
    return GroupedShare(value, n, n_groups, mean_size, correlation, effective, effective_of_missed, likely)


def grouped_mean(
    differences: npt.ArrayLike, groups: Grouping = None, weights: npt.ArrayLike | None = None
) -> GroupedMean:
    """Compute the mean of paired differences, with bounds that allow for groups of related examples.

    For each bound one group of the worst possible differences is added before the interval is computed: a difference
    that the examples don't show may still happen.

    Args:
        differences: Difference of each example, from -1 to 1, shape (n,), nan if missing.
        groups: Name of each example's group, such as its task, shape (n,); None without groups.
        weights: Weight of each example, shape (n,), as for `grouped_share`; None for equal weights.

    Raises:
        ValueError: A value is outside -1 to 1, or groups or weights differ in length.

    Source:
        Liang and Zeger (1986), Biometrika 73(1), 13-22, for the variance between groups. doi:10.1093/biomet/73.1.13
        Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37(4), 479-488, for added pairs.
        doi:10.3102/1076998611411915

    Example:
        >>> never = grouped_mean([0.0] * 40)
        >>> never.value, round(never.lower(0.9), 4), round(never.upper(0.9), 4)
        (0.0, -0.0604, 0.0604)
    """
    v, in_groups = _in_groups(differences, groups, -1.0, 1.0)
    n = in_groups.n_units
    n_groups = in_groups.n
    if not n:
        nothing = MeanSide(math.nan, math.nan, math.nan)
        return GroupedMean(math.nan, 0, 0, 1.0, 0.0, nothing, nothing)
    sizes = in_groups.sums(np.ones(len(v)))
    copies = np.ones(in_groups.n_sets) if in_groups.copies is None else in_groups.copies
    mean_size = float((copies * sizes**2).sum()) / n
    correlation = _mean_correlation(v, in_groups, mean_size) if in_groups.several else 0.0
    design = 1 + (mean_size - 1) * correlation
    if weights is None:
        below, above = (_side(v, in_groups, design, worst) for worst in (-1.0, 1.0))
        return GroupedMean(in_groups.mean(v), n, n_groups, mean_size, correlation, below, above)
    w = _known_weights(differences, weights)
    w = w / w.mean()
    design *= n / kish_size(w)
    below, above = (_weighted_side(v, w, in_groups, design, worst) for worst in (-1.0, 1.0))
    return GroupedMean(float((w * v).mean()), n, n_groups, mean_size, correlation, below, above)


def beta_binomial_correlation(
    hits: npt.ArrayLike, sizes: npt.ArrayLike, *, copies: npt.ArrayLike | None = None, quantile: float = RHO_Q
) -> float:
    """Compute a quantile of the posterior of the correlation within groups, from the hits in each group.

    The prior is Beta(0.5, 2) for the correlation and uniform for the share.

    Args:
        hits: Number of hits in each group, shape (n_groups,), which needn't be whole.
        sizes: Number of examples in each group, shape (n_groups,).
        copies: Number of groups with these hits and this size, shape (n_groups,); None for one each.
        quantile: Level of the quantile, 0 to 1.

    Returns:
        The correlation, from 0 (examples of a group are independent) to 1 (they always agree).

    Source:
        Ridout, Demétrio and Firth (1999), Biometrics 55(1), 137-148. doi:10.1111/j.0006-341X.1999.00137.x

    Example:
        >>> round(beta_binomial_correlation([10, 9, 10, 9, 10, 10, 2, 10, 9, 10], [10] * 10), 2)
        0.51
    """
    return _correlations(hits, sizes, copies, quantile)[0]


def _correlations(
    hits: npt.ArrayLike, sizes: npt.ArrayLike, copies: npt.ArrayLike | None, *quantiles: float
) -> list[float]:
    """Compute quantiles of the posterior of the correlation within groups, from the hits in each group.

    Args:
        hits: Number of examples in each group whose value is 1.
        sizes: Number of examples in each group.
        copies: Number of groups that each entry represents; None for one each.
        quantiles: The probabilities of the wanted quantiles, 0 to 1.
    """
    y = np.asarray(hits, dtype=np.float64).round(_HITS_ALIKE)
    m = np.asarray(sizes, dtype=np.float64)
    times = np.ones_like(y) if copies is None else np.asarray(copies, dtype=np.float64)
    hits_seen, hit = numbered_values(y)
    sizes_seen, size = numbered_values(m)
    kinds, kind = numbered(size * len(hits_seen) + hit)
    of_kind = np.bincount(kind, weights=times)
    kinds = kinds[of_kind > 0]
    of_kinds = (hits_seen[kinds % len(hits_seen)], sizes_seen[kinds // len(hits_seen)], of_kind[of_kind > 0])
    reached, roots = _posterior_of(*(column.tobytes() for column in of_kinds))
    return [float(np.interp(quantile, reached, roots)) ** 2 for quantile in quantiles]


@lru_cache(maxsize=MOST_RATES_REMEMBERED)
def _posterior_of(hits: bytes, sizes: bytes, copies: bytes) -> tuple[Floats, Floats]:
    """Compute the posterior distribution of the correlation within groups.

    Groups with equally many hits and equally many examples are of one kind. A report needs the posterior of each set
    of groups often, and an integral takes half a millisecond. So results are cached, and arrays are passed as bytes,
    which a cache can compare.

    Args:
        hits: For each kind, the number of hits in a group.
        sizes: For each kind, the number of examples in a group.
        copies: For each kind, the number of groups.

    Returns:
        Cumulative probabilities, and the square roots of the correlations at which they are reached.
    """
    y = np.frombuffer(hits)
    m = np.frombuffer(sizes)
    times = np.frombuffer(copies)
    risings = [_log_rising(counts, times) for counts in (y, m - y, m)]
    coarse = (np.arange(_COARSE_NODES) + 0.5) / _COARSE_NODES
    log = _log_posterior(coarse, y, m, times, risings)
    likely = coarse[log > log.max() - _NEGLIGIBLE]
    step = 1 / _COARSE_NODES
    low = max(0.0, float(likely[0]) - step)
    high = min(1.0, float(likely[-1]) + step)
    nodes, weights = _gauss(_CORRELATION_NODES)
    roots = low + (high - low) * (nodes + 1) / 2
    log = _log_posterior(roots, y, m, times, risings)
    mass = weights * np.exp(log - log.max())
    return (np.cumsum(mass) - mass / 2) / mass.sum(), roots


def _log_posterior(roots: Floats, hits: Floats, sizes: Floats, copies: Floats, risings: Sequence[_Rising]) -> Floats:
    """Compute the log posterior density of the square root of the correlation within groups, up to a constant.

    Args:
        roots: Square roots of correlations at which the density is computed, shape (n_roots,).
        hits: Number of hits in each kind of group: groups with equal numbers of hits and examples are one kind.
        sizes: Number of examples in each kind of group.
        copies: Number of groups of each kind.
        risings: Three functions, made by `_log_rising` from the numbers of hits, of misses and of examples.
    """
    of_hits, of_misses, of_sizes = risings
    correlation = (roots**2)[:, None]
    scale = (1 - correlation) / correlation
    nodes, weights = _rate_nodes(correlation, hits, sizes, copies)
    rate = 1 / (1 + np.exp(-nodes))
    log: Floats = np.log(rate) + np.log1p(-rate) + weights
    log += of_hits(rate * scale) + of_misses((1 - rate) * scale)
    log -= of_sizes(scale)
    a, b = PRIOR_RHO
    prior = (2 * a - 1) * np.log(roots) + (b - 1) * np.log1p(-correlation[:, 0])
    top = log.max(axis=1)
    return np.asarray(prior + top + np.log(np.exp(log - top[:, None]).sum(axis=1)))


def _log_rising(counts: Floats, copies: Floats) -> _Rising:
    """Return a function that, given a shape parameter, sums log Γ(shape + count) − log Γ(shape) over all counts.

    Args:
        counts: The counts, which needn't be whole numbers.
        copies: How many times each count is added.
    """
    different, kind = np.unique(np.round(counts, _HITS_ALIKE), return_inverse=True)
    times: Floats = np.bincount(kind.reshape(-1), weights=copies).astype(np.float64)
    counted, weights = _stand_ins(different[different > 0], times[different > 0])
    if different[-1] <= LOGS_PER_GAMMA * (len(counted) + 1) and (different == np.floor(different)).all():
        of_counts: Floats = np.bincount(different.astype(np.int64), weights=times).astype(np.float64)
        return partial(_sum_of_logs, np.cumsum(of_counts[:0:-1])[::-1])
    return partial(_sum_of_gammas, counted, weights)


def _sum_of_logs(weights: Floats, shape: Floats) -> Floats:
    """Compute, for each element of `shape`, the sum over k of log(shape + k) times the k-th weight."""
    total = np.zeros_like(shape)
    for k, weight in enumerate(weights.tolist()):
        total += weight * np.log(shape + k)
    return total


def _sum_of_gammas(counts: Floats, weights: Floats, shape: Floats) -> Floats:
    """Compute, for each element of `shape`, the weighted sum of log Γ(shape + count) − log Γ(shape) over the counts."""
    total = np.zeros_like(shape)
    start = gammaln(shape)
    for count, weight in zip(counts, weights, strict=True):
        total += weight * (gammaln(shape + count) - start)
    return total


def _stand_ins(counts: Floats, times: Floats) -> tuple[Floats, Floats]:
    """Return a few weighted points that can replace many counts in a sum of log Γ, to compute it faster.

    The sum of log Γ(shape + count), which `_sum_of_gammas` computes, then has a relative error below `_SAME_SUM`. Over
    counts above 0, log Γ is so smooth that its values at few points (Chebyshev's nodes) determine it. If there are few
    counts, they are returned themselves.

    Args:
        counts: Different counts above 0, ascending.
        times: Number of times that each count occurs.

    Returns:
        The points, and the weight of each.

    Source:
        Berrut and Trefethen (2004), SIAM Review 46(3), 501-517, for the barycentric formula.
        doi:10.1137/S0036144502417715

        Trefethen (2013), Approximation Theory and Approximation Practice, theorem 8.2, for the number of nodes.
    """
    if len(counts) < _FEW_COUNTS:
        return counts, times
    half = (counts[-1] - counts[0]) / 2
    centre = counts[0] + half
    reach = centre / half
    n_nodes = math.ceil(math.log(1 / _SAME_SUM) / math.log(reach + math.sqrt(reach**2 - 1)))
    if 2 * n_nodes > len(counts):
        return counts, times
    angles = (np.arange(n_nodes) + 0.5) * math.pi / n_nodes
    nodes = centre + half * np.cos(angles)
    with np.errstate(divide="ignore", invalid="ignore"):
        pulls = np.sin(angles) * (-1.0) ** np.arange(n_nodes) / (counts[:, None] - nodes)
        shares = pulls / pulls.sum(axis=1, keepdims=True)
    shares = np.where(np.isnan(shares).any(axis=1, keepdims=True), counts[:, None] == nodes, shares)
    return nodes, times @ shares


def _rate_nodes(correlation: Floats, hits: Floats, sizes: Floats, copies: Floats) -> tuple[Floats, Floats]:
    """Compute quadrature nodes for the share, on the logit scale, and their log weights, shape (n_roots, n_nodes).

    The nodes cover all probable values of the share, both as estimated with equal weight for each example and as
    estimated with equal weight for each group.

    Args:
        correlation: Correlations within groups, shape (n_roots, 1).
        hits: Number of hits in each kind of group.
        sizes: Number of examples in each kind of group.
        copies: Number of groups of each kind.
    """
    n = float((copies * sizes).sum())
    groups = float(copies.sum())
    mean_size = float((copies * sizes**2).sum()) / n
    quarter = n / (1 + (mean_size - 1) * correlation) / 4
    of_groups = float(((copies * hits / sizes).sum() + 0.5) / (groups + 1))
    least, most = sorted((float(((copies * hits).sum() + 0.5) / (n + 1)), of_groups))
    low = logit(betaincinv(least * quarter + 0.5, (1 - least) * quarter + 0.5, 1e-6))
    high = -logit(betaincinv((1 - most) * quarter + 0.5, most * quarter + 0.5, 1e-6))
    low = np.maximum(low, -_FURTHEST_LOGIT)
    high = np.minimum(high, _FURTHEST_LOGIT)
    nodes, weights = _gauss(_RATE_NODES)
    half = (high - low) / 2
    return low + half * (nodes + 1), np.log(half) + np.log(weights)


@cache
def _gauss(n: int) -> tuple[Floats, Floats]:
    """Compute nodes and weights of Gauss-Legendre integration over -1 to 1."""
    nodes, weights = leggauss(n)  # scipy's roots_legendre loads scipy.linalg, five megabytes
    return np.asarray(nodes, dtype=np.float64), np.asarray(weights, dtype=np.float64)


def _in_groups(values: npt.ArrayLike, groups: Grouping, least: float, most: float) -> tuple[Floats, Groups]:
    """Return the values that aren't nan, with their Groups; raise ValueError for a value out of range.

    Args:
        values: The values, nan if missing.
        groups: Name of each value's group; None without groups.
        least: Smallest allowed value.
        most: Largest allowed value.
    """
    x, in_groups = known_in_groups(values, groups)
    if len(x) and (x.min() < least - 1e-9 or x.max() > most + 1e-9):
        raise ValueError(f"values must be between {least:g} and {most:g}, not {x.min():g} to {x.max():g}")
    return x, in_groups


def kish_size(weights: npt.ArrayLike) -> float:
    """Compute Kish's effective size: the number of equally weighted examples with as much information as weighted ones.

    Source:
        Kish (1965), Survey Sampling, section 11.7.

    Example:
        >>> kish_size([1, 1, 1, 1]), kish_size([0.5, 1.5])
        (4.0, 1.6)
    """
    w = np.asarray(weights, dtype=np.float64)
    return float(w.sum()) ** 2 / float((w**2).sum())


def _known_weights(values: npt.ArrayLike, weights: npt.ArrayLike | None) -> Floats:
    """Return the weights of the values that aren't nan; 1 for each if `weights` is None."""
    is_known = ~np.isnan(np.asarray(values, dtype=np.float64))
    if weights is None:
        return np.ones(int(is_known.sum()))
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != is_known.shape or not (w[is_known] > 0).all():
        raise ValueError(f"weights must be {len(is_known)} numbers above 0")
    return np.asarray(w[is_known])


def _effective(n: float, mean_size: float, correlation: float) -> float:
    return n / (1 + (mean_size - 1) * correlation)


def _mean_correlation(v: Floats, in_groups: Groups, mean_size: float) -> float:
    """Estimate the correlation of differences within a group, shrunk towards a usual value.

    The usual value has the weight of 8 examples with a difference other than 0.

    Args:
        v: The difference of each example, such as judge minus gold, shape (n,).
        in_groups: The groups of the examples.
        mean_size: Size of an example's group, averaged over examples.
    """
    n = in_groups.n_units
    groups = in_groups.n
    mean = in_groups.mean(v)
    sizes = in_groups.sums(np.ones(len(v)))
    alone = float((in_groups.units * (v - mean) ** 2).sum()) / (n - 1) / n
    if alone <= 0 or groups < 2:
        return MEAN_ICC
    together = groups / (groups - 1) * _over_groups((in_groups.sums(v) - mean * sizes) ** 2, in_groups) / n**2
    seen = min(1.0, max(0.0, (together / alone - 1) / (mean_size - 1)))
    differing = in_groups.count(v != 0)
    weight = MEAN_WEIGHT
    return (differing * seen + weight * MEAN_ICC) / (differing + weight)


def _over_groups(of_sets: npt.NDArray[Any], in_groups: Groups) -> float:
    """Sum a value over all groups; groups with equal data are stored once, with their number.

    Args:
        of_sets: The value of each stored group.
        in_groups: The stored groups, with the number of groups that each represents in `copies`.
    """
    return float((of_sets if in_groups.copies is None else of_sets * in_groups.copies).sum())


def _side(v: Floats, in_groups: Groups, design: float, worst: float) -> MeanSide:
    n = in_groups.n_units + design
    centre = (float((in_groups.units * v).sum()) + worst * design) / n
    moves = np.append(in_groups.sums(v) - centre * in_groups.sums(np.ones(len(v))), (worst - centre) * design) / n
    copies = None if in_groups.copies is None else np.append(in_groups.copies, 1.0)
    groups = in_groups.n + 1
    variance = groups / (groups - 1) * float((moves**2 if copies is None else copies * moves**2).sum())
    if in_groups.several:
        squares = float((in_groups.units * (v - centre) ** 2).sum()) + design * (worst - centre) ** 2
        variance = max(variance, design * squares / (n * (n - 1)))
    return MeanSide(centre, math.sqrt(variance), spread(moves, copies).df)


def _weighted_side(v: Floats, w: Floats, in_groups: Groups, design: float, worst: float) -> MeanSide:
    """Compute the centre and the standard error from which one bound of a weighted mean is computed.

    A group of the worst possible values is added to the examples, since such values may still occur.

    Args:
        v: Values of the examples, from -1 to 1, shape (n,).
        w: Weights of the examples, with a mean of 1, shape (n,).
        in_groups: Groups of the examples.
        design: Number of examples that the added group counts as.
        worst: Value of the added group: -1 for the lower bound, 1 for the upper one.
    """
    n = len(v) + design
    centre = (float((w * v).sum()) + worst * design) / n
    moves = np.append(in_groups.sums(w * (v - centre)), (worst - centre) * design) / n
    groups = len(moves)
    variance = groups / (groups - 1) * float((moves**2).sum())
    if in_groups.n < len(v):
        squares = float(((w * (v - centre)) ** 2).sum()) + (design * (worst - centre)) ** 2
        variance = max(variance, design * squares / (n * (n - 1)))
    return MeanSide(centre, math.sqrt(variance), spread(moves).df)
