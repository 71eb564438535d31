"""Tests of whether a judge moved since its accepted runs, which allow for differences between runs.

All answers of one run share something - a provider's build, an hour, a seed - that pairing by example doesn't show.
The spread of accepted runs does; with few of them a prior of 0.02 of the range is added.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import fdtrc, ndtri, stdtr, stdtrit

from markscheme.stats.change import (
    NO_SHIFT_MARGIN,
    counted_runs,
    least_n,
    mean_and_variance,
    run_columns,
    shift_interval,
)
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats, Grouping, Groups, spread, t_quantile
from markscheme.stats.pairs import Moments, paired

PRIOR_DF = 4
"""Degrees of freedom of the prior spread of runs; with RUN_SD it kept false alarms of three accepted runs of six real
judges at .028 instead of .128."""
RUN_SD = 0.02
"""Spread of run means that is assumed before any is seen, as a share of the range: between the 0 and 0.034 of ten runs
each of six real judges."""
RUNS_DIFFER = 0.10
"""Largest p of the F-test with which the accepted runs differ by more than single answers explain."""
UNSTEADY = 0.05
"""Significance level at which a judge is called unsteady, which raises no alarm."""
SHIFT_COVERAGE = 0.90
"""Coverage of the printed interval; its ends are the bounds of the two one-sided tests for no shift at .05."""
AFFIRMED = 0.90
"""Confidence with which "no shift" is stated: two one-sided tests at .05."""


@dataclass(frozen=True, slots=True)
class RunShift:
    """Shift of a new run from earlier, accepted runs, tested against how far these differ from each other.

    Attributes:
        shift: New run minus the mean of the accepted runs, with the 90 % interval that belongs to `p`; undefined with
            fewer than two examples.
        n: Number of examples, or of groups of them, rated in every run.
        runs: Number of accepted runs.
        p: Probability of a shift at least as large, in either direction, if the judge hadn't changed; 1 if `shift` is
            undefined. It is computed from the accepted runs' spread pooled with a prior spread. If the accepted runs
            are shown to differ, and their spread alone gives a larger p, that p counts.
        between: Variance of the accepted runs' figures; 0 with one run.
        within: Variance of one run's figure due to noise in single answers.
        p_alike: Probability of accepted runs at least as far apart if they differed only by noise in single answers, by
            the F test of `between` over `within`; None with one run.
        detectable: The smallest shift that is significant at 5 % with this number of runs.
        now: The new run's figure; None if `shift` is undefined.
        then: The figure that it is compared with, the mean of the accepted runs' figures; None if `shift` is undefined.
    """

    shift: Estimate
    n: int
    runs: int
    p: float = 1.0
    between: float = 0.0
    within: float = 0.0
    p_alike: float | None = None
    detectable: float = math.inf
    now: float | None = None
    then: float | None = None

    @property
    def run_sd(self) -> float:
        """Standard deviation of accepted runs from each other, as far as noise in single answers doesn't explain it."""
        return math.sqrt(max(0.0, self.between - self.within))

    @property
    def alike(self) -> bool:
        """True if there are several accepted runs that aren't shown to differ by more than noise of single answers."""
        return self.p_alike is not None and self.p_alike > RUNS_DIFFER


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Comparison of a judge's new run with its earlier, accepted runs, on one criterion or on the score.

    Attributes:
        moved: The shift of the mean and its test.
        by_example: The shift of the mean, with an interval from the differences between examples. One pair of opposite
            shifts across the whole scale is added for the interval, so that it isn't too narrow.
        means: Means of the accepted runs.
        margin: Largest shift of the mean that counts as unmoved, in the unit of the ratings.
        span: The scale's range.
        needed: Number of examples with which an unmoved judge would be shown, with 90 % probability, not to have moved.
            None with one accepted run, if accepted runs differ by more than the noise of single answers, or if no
            number of examples would be enough for this margin.
    """

    moved: RunShift
    by_example: Estimate
    means: tuple[float, ...]
    margin: float
    span: float
    needed: int | None

    @property
    def within_margin(self) -> bool:
        """True if both intervals of the shift are within the margin, the largest shift that counts as none.

        One interval allows for differences between runs, the other for those between examples.
        """
        limits = [limit for interval in (self.moved.shift, self.by_example) for limit in (interval.low, interval.high)]
        return all(limit is not None and abs(limit) < self.margin for limit in limits)

    @property
    def steady(self) -> bool:
        """True if the judge is shown not to have moved: the shift is within margin, and accepted runs don't differ."""
        return self.moved.alike and self.within_margin

    @property
    def unsteady(self) -> bool:
        """True if the accepted runs differ by more than noise explains, and by 2 % of the scale's range or more."""
        alike = self.moved.p_alike
        return alike is not None and alike <= UNSTEADY and self.moved.run_sd >= RUN_SD * self.span


def compare_runs(
    current: npt.ArrayLike,
    stored: npt.ArrayLike,
    times: npt.ArrayLike | None = None,
    *,
    span: float,
    step: float = 1.0,
    margin: float | None = None,
    base: npt.ArrayLike | None = None,
) -> RunComparison:
    """Test whether a judge's mean moved since its accepted runs, by more than these differ from each other.

    Args:
        current: Ratings of the new run, shape (n,), nan where missing.
        stored: Ratings of r accepted runs, shape (n,) or (n, r), nan where missing. An example counts if it was rated
            in every run.
        times: Number of examples that each row represents, shape (n,); 1 each by default.
        span: The scale's range in the unit of the ratings; 1 for the score.
        step: The smallest step between two ratings, in their unit: 1 for levels; for the score the smallest
            difference two scores of the rubric can have, at most 0.05.
        margin: Largest shift of the mean that counts as unmoved, in the unit of the ratings; a sixteenth of the range
            by default.
        base: Ratings of another run, shape (n,), to compare the new run with instead of the mean of the accepted runs;
            the spread of the accepted runs still measures how much runs differ.

    Raises:
        ValueError: Shapes don't fit, ratings span more than `span`, the step isn't positive, or the margin is outside 0
            to the range, which is the caller's mistake.

    Source:
        Searle, Casella and McCulloch (1992), Variance Components, chapter 4, for the spread of runs.

    Example:
        >>> found = compare_runs([1, 0, 3, 3, 0, 0], [[2, 2], [1, 1], [4, 4], [4, 4], [0, 1], [0, 0]], span=4)
        >>> round(found.moved.shift.value, 4), round(found.moved.p, 4)
        (-0.75, 0.0068)
    """
    margin = NO_SHIFT_MARGIN * span if margin is None else margin
    if not 0 < margin <= span or not step > 0:
        raise ValueError(f"a margin is above 0 and within {span}, and a step above 0, not {margin} and {step}")
    runs, examples = counted_runs(run_columns(current, stored if base is None else run_columns(base, stored)), times)
    new = runs[:, 0]
    accepted = runs[:, 1 if base is None else 2 :]
    accepted_mean = accepted.mean(axis=1) if base is None else runs[:, 1]
    difference = new - accepted_mean
    by_example = shift_interval(difference, examples, span=span)
    n = int(examples.sum())
    r = accepted.shape[1]
    if n < 2:
        why = "no example rated in every run" if n == 0 else "one example only"
        return RunComparison(_unknown(why, n, r), by_example, tuple(accepted.ravel().tolist()), margin, span, None)
    weight = examples[:, None]
    means = (weight * accepted).sum(axis=0) / n
    variance = mean_and_variance(difference, examples)[1]
    if r == 1:
        noise = variance / 2
    else:
        residual = accepted - accepted.mean(axis=1, keepdims=True) - means + means.mean()
        noise = float((weight * residual**2).sum()) / ((n - 1) * (r - 1))
    noise = max(noise, step**2 / (2 * n))
    moved = _among_runs(
        float((examples * new).sum()) / n,
        means,
        noise / n,
        n=n,
        prior_sd=RUN_SD * span,
        method="mean shift among runs",
        base=None if base is None else float((examples * accepted_mean).sum()) / n,
    )
    needed = None
    if moved.alike:
        needed = _examples_to_affirm(noise, r, margin=margin, span=span)
    if needed is not None:
        needed = max(needed, examples_to_affirm(variance, margin=margin, span=span), n + 1)
    return RunComparison(moved, by_example, tuple(means.tolist()), margin, span, needed)


def _examples_to_affirm(noise: float, r: int, *, margin: float, span: float) -> int | None:
    """Compute how many examples are needed to show that an unmoved judge didn't move; None if no number is enough.

    It assumes that runs differ only by noise in single answers.

    Args:
        noise: Variance of the noise in a single answer.
        r: Number of accepted runs.
        margin: Largest shift of the mean that counts as unmoved.
        span: The scale's range.
    """
    df = r - 1 + PRIOR_DF
    prior = (RUN_SD * span) ** 2
    z = float(ndtri((1 + AFFIRMED) / 2))
    t = float(stdtrit(df, (1 + SHIFT_COVERAGE) / 2))

    def inside(n: float) -> bool:
        pooled = (df * noise / n + PRIOR_DF * prior) / df
        return t * math.sqrt((1 + 1 / r) * pooled) + z * math.sqrt((1 + 1 / r) * noise / n) < margin

    return least_n(inside) if inside(math.inf) else None


def run_agreement_change(
    gold: npt.ArrayLike,
    current: npt.ArrayLike,
    stored: npt.ArrayLike,
    formula: Callable[[Moments], Floats],
    *,
    groups: Grouping = None,
    prior_sd: float = RUN_SD,
    method: str = "change in agreement with gold",
) -> RunShift:
    """Estimate how much a judge's agreement with gold changed since its accepted runs, given how far those runs differ.

    Args:
        gold: Gold levels, shape (n,), nan where missing.
        current: Ratings of the new run, shape (n,).
        stored: Ratings of r accepted runs, shape (n,) or (n, r). An example counts if gold and all runs have a value.
        formula: Function that computes the statistic of agreement, a coefficient or an error, from the moments of gold
            and one run; nan where it is undefined.
        groups: Group of each example, shape (n,); the jackknife leaves out whole groups. If rows represent several
            examples, `Groups` with their numbers.
        prior_sd: Standard deviation that unchanged runs are assumed to have, in the unit of the statistic: 0.02 for
            coefficients, 0.02 of the range for errors.
        method: Description of what was compared, for the Estimate's `method`.

    Returns:
        New run minus the mean of the accepted runs, in the unit of the statistic. Undefined with fewer than two
        examples, or if the statistic is undefined in a run or with an example left out.

    Raises:
        ValueError: The shapes don't fit, which is the caller's mistake.

    Source:
        Miller (1974), Biometrika 61(1), 1-15, for the jackknife. doi:10.1093/biomet/61.1.1

    Example:
        >>> levels = [0, 1, 2, 0, 1, 2]
        >>> found = run_agreement_change(levels, [0, 1, 2, 0, 0, 1], levels, lambda m: m.absolute)
        >>> round(found.shift.value, 4)
        0.3333
    """
    runs = np.column_stack([np.asarray(gold, dtype=np.float64), run_columns(current, stored)])
    is_complete = np.all(~np.isnan(runs), axis=1)
    in_groups = Groups.of(groups, len(runs)).of_units(is_complete)
    n = in_groups.n_units
    r = runs.shape[1] - 2
    if n < 2:
        return _unknown("no example rated in every run" if n == 0 else "one example only", n, r, method)
    pairs = [paired(runs[is_complete, 0], runs[is_complete, run], in_groups) for run in range(1, r + 2)]
    n = in_groups.n
    copies = in_groups.copies
    with np.errstate(divide="ignore", invalid="ignore"):
        with_left_out = np.array([formula(pair.moments) for pair in pairs])
    values = with_left_out[:, 0]
    left_out = with_left_out[:, 1:]
    if n < 2 or not np.isfinite(with_left_out).all():
        return _unknown("agreement undefined in one of the runs", n, r, method)
    twos = list(combinations(range(1, r + 1), 2)) or [(0, 1)]
    within = float(np.mean([_squared_se(left_out[a] - left_out[b], copies) for a, b in twos])) / 2
    by_example = _squared_se(left_out[0] - left_out[1:].mean(axis=0), copies) + (1 + 1 / r) * prior_sd**2
    return _among_runs(
        float(values[0]), values[1:], within, n=n, prior_sd=prior_sd, least_variance=by_example, method=method
    )


def _among_runs(
    current: float,
    figures: Floats,
    within: float,
    *,
    n: int,
    prior_sd: float,
    method: str,
    least_variance: float = 0.0,
    base: float | None = None,
) -> RunShift:
    """Test how far a new run's figure lies from the accepted runs' mean or, if `base` is given, from `base`.

    Args:
        current: The new run's figure.
        figures: The accepted runs' figures.
        within: Variance of one run's figure due to noise in single ratings.
        n: Number of examples.
        prior_sd: Standard deviation between runs that is assumed before runs are seen, apart from `within`.
        method: Name of the tested quantity, for the Estimate's `method`.
        least_variance: Smallest variance of the shift.
        base: The figure of another run to compare the new run with; None for the mean of the accepted runs.
    """
    r = len(figures)
    then, runs_in_shift = (float(figures.mean()), 1 + 1 / r) if base is None else (base, 2.0)
    shift = current - then
    between = float(figures.var(ddof=1)) if r > 1 else 0.0
    df = r - 1 + PRIOR_DF
    p_alike = _chance_alike(between, within, r, n) if r > 1 else None
    pooled = ((r - 1) * between + PRIOR_DF * (within + prior_sd**2)) / df
    se = math.sqrt(max(runs_in_shift * pooled, least_variance))
    p = _two_sided(shift / se, df)
    reach = float(stdtrit(df, (1 + SHIFT_COVERAGE) / 2)) * se
    detectable = float(stdtrit(df, 0.975)) * se
    if p_alike is not None and p_alike <= RUNS_DIFFER:
        alone = math.sqrt(runs_in_shift * max(between, within))
        p_alone = _two_sided(shift / alone, r - 1)
        detectable = max(detectable, float(stdtrit(r - 1, 0.975)) * alone)
        reach_alone = float(stdtrit(r - 1, (1 + SHIFT_COVERAGE) / 2)) * alone
        equal = math.isclose(p_alone, p, abs_tol=1e-12)
        if reach_alone > reach if equal else p_alone > p:
            p, reach = p_alone, reach_alone
    made = f"{method}; t, {r} accepted {'run' if r == 1 else 'runs'}"
    estimate = Estimate(shift, shift - reach, shift + reach, SHIFT_COVERAGE, n, made)
    return RunShift(
        shift=estimate,
        n=n,
        runs=r,
        p=p,
        between=between,
        within=within,
        p_alike=p_alike,
        detectable=detectable,
        now=current,
        then=then,
    )


def _chance_alike(between: float, within: float, r: int, n: int) -> float:
    """Compute the p-value of the F test that the accepted runs differ only by the noise of single answers.

    Args:
        between: Variance of the accepted runs' figures.
        within: Variance of one run's figure due to noise in single answers.
        r: Number of accepted runs.
        n: Number of examples.
    """
    if within == 0:
        return 1.0 if between == 0 else 0.0
    return float(fdtrc(r - 1, (n - 1) * (r - 1), between / within))


def _two_sided(t: float, df: int) -> float:
    return float(2 * stdtr(df, -abs(t)))


def _squared_se(left_out: Floats, copies: Floats | None) -> float:
    return spread(left_out, copies).se ** 2


def _unknown(why: str, n: int, runs: int, method: str = "mean shift among runs") -> RunShift:
    return RunShift(Estimate.without_value(why, n=n, method=method, level=SHIFT_COVERAGE), n, runs)


def examples_to_affirm(variance: float, *, margin: float, span: float) -> int:
    """Compute how many examples show, with 90 % probability, that an unchanged judge hasn't shifted.

    Args:
        variance: Variance over examples of the rating now minus then, in squared units of the ratings.
        margin: Largest shift of the mean that counts as none, in the unit of the ratings.
        span: Range of the scale in the unit of the ratings.

    Returns:
        The larger of two numbers. One is (z.95 + z.90)² variance / margin². The other is the number with which the
        interval of `shift_interval` lies within the margin if no rating changed; even then it has some width, since a
        pair of opposite differences across the scale is added.

    Example:
        >>> examples_to_affirm(0.0, margin=0.25, span=4)
        37
        >>> examples_to_affirm(0.5, margin=0.25, span=4)
        69
    """
    if variance < 0 or not 0 < margin <= span:
        raise ValueError(f"variance {variance} must be 0 or more and margin {margin} above 0, within {span}")
    noise = (float(ndtri(0.95)) + float(ndtri(0.9))) ** 2 * variance / margin**2
    return max(math.ceil(noise), least_n(lambda n: _half_width_when_still(n, span) < margin))


def _half_width_when_still(n: int, span: float) -> float:
    """Compute half the width that `shift_interval` gives its 90 % interval if all n differences are 0.

    Args:
        n: Number of examples.
        span: Range of the scale, in the unit of the ratings.
    """
    return t_quantile(n + 1, 0.90) * span * math.sqrt(2 / (n + 1)) / math.sqrt(n + 2)
