"""Risk that a mean over test cases falls below a threshold by chance, estimated from repeated runs."""

import math
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, ndtr, ndtri

from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.intervals import Floats, Groups
from markscheme.stats.roots import zero_between

RunFigure = Literal["score", "pass"]
REPEATS = (1, 2, 3, 5, 7, 9)
"""Numbers of runs to average that are considered, the smallest first."""
_SHOWN, _ADVISED = 0.95, 0.90
"""Confidence required of a safe threshold, and of the number of runs to average.

Advised numbers of runs should keep their promise with a probability of 80 %. If 0.80 is required, they keep it in 70 %
of cases whose runs shift much (by simulation), since the prior expects smaller shifts; if 0.90 is required, in 80 %.
"""
_SCALES: Floats = (np.arange(25) + 0.5) / 25
"""Quantiles of the error in the cases' variance over which is averaged to find the number of runs."""
RATIOS: Floats = 2.0 ** (np.arange(9) / 2)
"""Possible variances of run means, as multiples of the variance that cases explain."""
_PRIOR: Floats = np.array([1 / 2] + [1 / 16] * 8)
_CENTERS: Floats = ndtri((np.arange(41) + 0.5) / 41)
_Z_FALSE_FAIL = float(ndtri(0.95))
_Z_FOUND = float(ndtri(0.80))
_SMALLEST_VARIANCE = 1e-24
"""Variance below which it is 0 except for rounding."""
_BINARY_VARIANCE = 0.125
"""Variance that is added to a pass or fail, so that cases which never flipped don't count as certain."""
_METHOD = "repeated runs, run-level variance averaged over its ratio to the cases'"


@dataclass(frozen=True)
class ThresholdRisk:
    """Risk that a mean over test cases falls below a threshold by chance, and a threshold that is safe.

    Attributes:
        threshold: Lowest mean that passes.
        of: Averaged figure: scores, or passes.
        averaged: Number of runs that CI averages.
        runs: Number of runs observed.
        cases: Number of cases in each run.
        groups: Number of groups of cases; None if cases aren't grouped.
        center: Mean over all runs and cases, 0 to 1.
        p_fail: Probability that a run falls below the threshold although nothing changed, with its 90 % interval;
            undefined with a single run, or if the runs don't differ.
        p_fail_wide: The probability of `p_fail`, allowing for the error of `center`; None if `p_fail` is undefined.
            Small values of `p_fail`, which treats `center` as the true mean, are too small by a factor of 1.5 to 3.
        run_shift: Variance of run means as a multiple of the variance that their cases explain; None if `p_fail` is
            undefined.
        run_level: Probability that runs vary by more than their cases explain, with a prior probability of 0.5; None
            if `p_fail` is undefined.
        safe_threshold: Highest threshold that fails at most 1 run in 20, with 95 % confidence; None if `p_fail` is
            undefined.
        repeats: Smallest number of runs to average with which the threshold keeps false alarms to 1 run in 20 with 80 %
            probability; None if 9 aren't enough.
        smallest_drop: Drop below `center` that the threshold detects with 80 % probability; None if `p_fail` is
            undefined.
        dropped: Number of cases left out beforehand because a run did not grade them.
    """

    threshold: float
    of: RunFigure
    averaged: int
    runs: int
    cases: int
    groups: int | None
    center: float
    p_fail: Estimate
    p_fail_wide: float | None = None
    run_shift: float | None = None
    run_level: float | None = None
    safe_threshold: float | None = None
    repeats: int | None = None
    smallest_drop: float | None = None
    dropped: int = 0


def threshold_risk(
    values: npt.ArrayLike,
    threshold: float,
    *,
    of: RunFigure = "score",
    runs_in_ci: int = 1,
    groups: npt.ArrayLike | None = None,
) -> ThresholdRisk:
    """Estimate how often a run would fall below a threshold although nothing changed.

    Besides the variation of single cases, runs may shift as a whole. A few runs don't show by how much, so the result
    is averaged over possible ratios of the shifts' variance to the cases'.

    Args:
        values: Scores 0 to 1, or passes as 0 and 1, shape (n_runs, n_cases), at least 2 cases. One run isn't enough.
        threshold: Lowest mean that passes, 0 to 1.
        of: Figure that is compared with the threshold: the mean score, or the share of cases that pass.
        runs_in_ci: Number of runs that CI averages.
        groups: Name of each case's group, shape (n_cases,), whose cases may vary together within a run; None without
            groups.

    Raises:
        ValueError: There are fewer than 2 cases, a value or the threshold is outside 0 to 1, or the number of groups
            isn't the number of cases.

    Example:
        >>> runs = [[0.82, 0.61, 0.9, 0.74], [0.8, 0.66, 0.9, 0.71], [0.85, 0.59, 0.92, 0.75]]
        >>> risk = threshold_risk(runs, threshold=0.74)
        >>> round(risk.p_fail.value, 3), round(risk.safe_threshold, 3)
        (0.034, 0.717)
    """
    scores = np.asarray(values, dtype=np.float64)
    _check(scores, threshold, runs_in_ci)
    runs, cases = scores.shape
    center = float(scores.mean())
    means = scores.mean(axis=1)
    in_groups = Groups.of(groups, cases)
    n_groups = in_groups.n if in_groups.several else None
    without_spread = partial(ThresholdRisk, threshold, of, runs_in_ci, runs, cases, n_groups, center)
    if runs == 1:
        return without_spread(_unknown(Reason("one-run"), runs))
    case_variance, freedom = _noise(scores - scores.mean(axis=0) - means[:, None] + center, in_groups)
    added = _BINARY_VARIANCE / cases if of == "pass" else 0.0
    variance = (case_variance + added) / cases
    if variance < _SMALLEST_VARIANCE:
        why = Reason("runs-without-spread", {"runs": runs, "identical": float(np.ptp(means)) == 0})
        return without_spread(_unknown(why, runs))
    between = float(means.var(ddof=1))
    spread = _spread(center, np.array([variance]), between, runs)
    uncertain = _spread(center, variance * freedom / chdtri(freedom, _SCALES), between, runs)
    cut = threshold if of == "score" else (math.ceil(round(threshold * cases, 9)) - 0.5) / cases
    return ThresholdRisk(
        threshold=threshold,
        of=of,
        averaged=runs_in_ci,
        runs=runs,
        cases=cases,
        groups=n_groups,
        center=center,
        p_fail=spread.p_fail(cut, runs_in_ci),
        p_fail_wide=float(
            spread.weights @ ndtr((cut - center) / np.sqrt(spread.variances * (1 / runs_in_ci + 1 / runs)))
        ),
        run_shift=float(spread.weights @ spread.variances) / variance,
        run_level=1 - float(spread.weights[0]),
        safe_threshold=spread.safe_threshold(runs_in_ci, _SHOWN),
        repeats=next((n for n in REPEATS if uncertain.safe_threshold(n, _ADVISED) >= threshold), None),
        smallest_drop=spread.smallest_drop(threshold, runs_in_ci),
    )


def _noise(residuals: Floats, groups: Groups) -> tuple[float, int]:
    """Estimate the variance of a test case's residuals in two ways, by case and by group, and return the larger.

    The estimate by group allows for cases of a group that vary together. If cases are independent, the sum of residuals
    over a group of m of the n cases has the expected square sigma^2 m (1 - m/n) in each run. The estimate by group
    divides by m (1 - m/n), so it equals the estimate by case if each case is its own group.

    Args:
        residuals: Residuals that neither case nor run explains, shape (n_runs, n_cases).
        groups: Groups of the cases.

    Returns:
        The variance of a single case's residual, and its degrees of freedom. The variance of a run's mean is this
        variance divided by `n_cases`.
    """
    alone = _of_sums(residuals, np.ones(residuals.shape[1]))
    if not groups.several or groups.n == 1:
        return alone
    together = _of_sums(groups.sums(residuals), np.bincount(groups.number).astype(np.float64))
    return max(alone, together, key=itemgetter(0))


def _of_sums(sums: Floats, sizes: Floats) -> tuple[float, int]:
    """Estimate the variance of a single case's residual from sums of residuals over groups of cases.

    Args:
        sums: Sum of the residuals in each run and group, shape (n_runs, n_groups).
        sizes: Number of cases in each group, shape (n_groups,).
    """
    runs = len(sums)
    cases = float(sizes.sum())
    variance = float((sums**2).sum()) / ((runs - 1) * (cases - float((sizes**2).sum()) / cases))
    return variance, (runs - 1) * (len(sizes) - 1)


@dataclass(frozen=True)
class _Spread:
    """Posterior distribution of the variance of run means.

    Attributes:
        center: Mean of the runs so far.
        variances: Possible variances of run means.
        weights: Probability of each of these variances.
        runs: Number of runs so far.
    """

    center: float
    variances: Floats
    weights: Floats
    runs: int

    def p_fail(self, cut: float, averaged: int) -> Estimate:
        sd = np.sqrt(self.variances / averaged)
        value = float(self.weights @ ndtr((cut - self.center) / sd))
        off = _CENTERS[:, None] * np.sqrt(self.variances / self.runs)
        chances = ndtr((cut - self.center - off) / sd).ravel()
        order = np.argsort(chances)
        mass = np.cumsum(np.tile(self.weights / len(_CENTERS), len(_CENTERS))[order])
        low, high = (float(chances[order][np.searchsorted(mass, q)]) for q in (0.05, 0.95))
        return Estimate(value, min(low, value), max(high, value), 0.9, self.runs, _METHOD)

    def safe_threshold(self, averaged: int, sure: float) -> float:
        """Find the highest threshold that a mean of `averaged` runs falls below by chance at most 1 time in 20.

        The true mean and variance aren't known, so the threshold has this property with probability `sure`.
        """
        below = self.center - _Z_FALSE_FAIL * np.sqrt(self.variances / averaged)
        error = np.sqrt(self.variances / self.runs)

        def short(mark: float) -> float:
            return float(self.weights @ ndtr((below - mark) / error)) - sure

        reach = 20 * math.sqrt(float(self.variances.max()))
        return zero_between(short, self.center - reach, self.center + reach)

    def smallest_drop(self, threshold: float, averaged: int) -> float:
        return self.center - threshold + _Z_FOUND * math.sqrt(float(self.weights @ self.variances) / averaged)


def _unknown(why: Reason, runs: int) -> Estimate:
    return Estimate.without_value(why, n=runs, method=_METHOD, level=0.9)


def _spread(center: float, by_cases: Floats, between: float, runs: int) -> _Spread:
    """Compute the posterior of the variance of run means.

    Args:
        center: Mean over all runs.
        by_cases: Equally likely values of the variance of run means that single cases alone would cause, shape (n,).
        between: The observed variance of run means.
        runs: Number of runs.
    """
    variances = (by_cases[:, None] * RATIOS).ravel()
    prior = np.tile(_PRIOR, len(by_cases))
    freedom = runs - 1
    log = np.log(prior) - freedom / 2 * np.log(variances) - freedom * between / (2 * variances)
    weights = np.exp(log - log.max())
    return _Spread(center, variances, weights / weights.sum(), runs)


def _check(scores: Floats, threshold: float, runs_in_ci: int) -> None:
    if scores.ndim != 2 or not len(scores) or scores.shape[1] < 2:
        raise ValueError(f"values need a run of 2 cases or more, got shape {scores.shape}")
    if not ((scores >= 0) & (scores <= 1)).all():
        raise ValueError("values must be between 0 and 1")
    if not 0 <= threshold <= 1 or runs_in_ci < 1:
        raise ValueError(f"a threshold between 0 and 1 and a run at least, got {threshold} and {runs_in_ci}")
