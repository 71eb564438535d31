"""Statistics of a judge's probabilities: how they compare with how often the event, such as a pass, happens."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, stdtr, xlog1py, xlogy

from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import IDENTITY, LOG, Flags, Floats, Groups, Integers, noted, spread
from markscheme.stats.pairs import equal_vectors
from markscheme.stats.roots import zero_between
from markscheme.stats.shares import GroupedShare, grouped_share, share

CLIP = 0.001
"""Smallest distance of probabilities from 0 and 1 when log-odds are computed, so that log-odds stay finite: more
extreme probabilities count as .001 or .999."""
CONFIDENT = (0.95, 0.90)
"""Probabilities from which on an answer is called confident: one in twenty, or one in ten, may be wrong."""
FEWEST_FOR_SHAPE = 30
"""Fewest examples for slope, test and parts of the Brier score."""
FEWEST_OF_EACH = 5
"""Fewest examples with the event, and fewest without it, for slope, test and parts of the Brier score."""
MAP_AT = 0.01
"""Largest p of the calibration test at which a correcting curve is shown."""
LEAST_SIGNIFICANCE = 1e-9
"""The smallest significance level that is given; smaller ones can be treated as 0."""
PENALTY = 2.0
"""Weight of the penalty on a curve's distance from the identity; of the weights tried, it had the lowest loss with 50
labels."""
MOST_BINS = 10
"""Largest number of bins of a reliability diagram, each with at least ten examples."""
LEAST_IN_BIN = 10
"""Fewest examples in a bin of a reliability diagram."""
ROUNDS = 100
"""Largest number of Newton steps of a logistic fit; it usually takes five to ten."""
SETTLED = 1e-10
"""Change of intercept and slope below which a logistic fit has converged."""
STEEPEST = 50.0
"""Largest slope of a logistic fit; a steeper one means that the probabilities separate the outcomes."""
MOST_LEFT_OUT = 1_000
"""Largest number of parts that the jackknife for a slope's interval leaves out in turn."""
FLAT = np.zeros(2)
"""Intercept and slope from which a logistic fit starts."""
SEPARATED = "the probabilities separate the outcomes"


@dataclass(frozen=True, slots=True)
class ConfidentErrors:
    """The number of answers that a judge gives with a high probability, and how many of them are wrong.

    Attributes:
        at: Smallest probability with which an answer counts as confident.
        n: Number of confident answers.
        wrong: Number of confident answers that are wrong.
        promised: Number of confident answers that would be wrong by the judge's own probabilities.
        upper: Upper limit of the share of confident answers that are wrong, one-sided at 95 %; None without answers, or
            with too few groups.
        p: Probability of so many or more wrong answers if the judge's probabilities were right; None with groups, or
            without answers.
        significance: The smallest significance level at which more answers are wrong than promised. Without groups,
            that is `p`. With groups, it is one minus the confidence at which the lower limit of the share of wrong
            answers equals the promised share. None without answers, or with too few groups.
    """

    at: float
    n: int
    wrong: int
    promised: float
    upper: float | None
    p: float | None
    significance: float | None

    @property
    def exceeds(self) -> bool:
        """True if more of the confident answers are wrong than their probabilities imply.

        The test isn't adjusted for tests of other criteria.
        """
        return self.significance is not None and self.significance <= MAP_AT


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """A bin of the reliability diagram: examples for which the judge gives an event similar probabilities.

    The event is, for example, that a criterion passes.

    Attributes:
        n: Number of examples in the bin.
        probability: Mean of the judge's probabilities of the event in the bin.
        share: Share of the bin's examples on which the event happened.
    """

    n: int
    probability: float
    share: Estimate


@dataclass(frozen=True, slots=True)
class LogisticMap:
    """A logistic curve, which gives an event's log-odds for the log-odds of the judge's probability."""

    intercept: float
    slope: float


@dataclass(frozen=True, slots=True)
class BrierParts:
    """The Brier score taken apart: score = miscalibration - discrimination + uncertainty, exactly.

    Attributes:
        score: Mean squared distance of probability and outcome, 0 to 1.
        miscalibration: Decrease of the Brier score by a monotone correction of the probabilities.
        discrimination: How much lower the Brier score of the corrected probabilities is than that of always giving the
            mean outcome.
        uncertainty: The Brier score of always giving the mean outcome ȳ, which is ȳ(1 - ȳ).
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def skill(self) -> float:
        """Skill score, 1 - score / uncertainty: 0 if always giving the mean is as good; nan if outcomes don't vary."""
        return 1 - self.score / self.uncertainty if self.uncertainty else math.nan


@dataclass(frozen=True)
class ProbabilityAudit:
    """A judge's probabilities of one event, such as that a criterion passes, compared with its outcomes.

    Attributes:
        n: Number of examples with both a probability and an outcome.
        left_out: Number of examples that lack one or both.
        probability: Mean probability; None without examples.
        share: Share of examples on which the event happened; None without examples.
        bias: Mean probability minus share.
        brier: Mean squared distance of probability and outcome, 0 to 1.
        parts: Parts of the Brier score; None with too few examples.
        slope: Slope of the logistic regression of outcomes on the probabilities' log-odds; below 1 the judge is
            overconfident.
        slope_p: Probability of a slope so far below 1 if it were 1, by the t distribution of its interval; None without
            an interval.
        intercept: Intercept of that regression; above 0 the event happens more often than the judge says.
        p: P-value of the test that slope is 1 and intercept 0; None with groups, or with too few examples.
        confident: Errors among the answers with a probability of at least 0.95, and among those of at least 0.90.
        bins: Bins of the reliability diagram; empty for fewer than ten examples.
        line: Points of the isotonic curve in the diagram: probabilities and shares, both rising.
        ece: Root mean squared calibration error over bins, corrected for chance; nan without bins.
        map: The map that corrects the probabilities; None unless the test shows that they need a correction.
    """

    n: int
    left_out: int
    probability: float | None
    share: float | None
    bias: Estimate
    brier: Estimate
    parts: BrierParts | None
    slope: Estimate
    slope_p: float | None
    intercept: Estimate
    p: float | None
    confident: tuple[ConfidentErrors, ...]
    bins: tuple[ReliabilityBin, ...]
    line: tuple[tuple[float, float], ...]
    ece: float
    map: LogisticMap | None

    @property
    def is_overconfident(self) -> bool:
        """True if the whole interval of the logistic curve's slope lies below 1.

        The interval isn't adjusted for the number of criteria.
        """
        return self.slope.below(1.0)

    @property
    def confident_errors(self) -> ConfidentErrors:
        """Errors among the answers to which the judge gives a probability of at least 95 %."""
        return self.confident[0]


def probability_audit(
    probabilities: npt.ArrayLike, outcomes: npt.ArrayLike, groups: npt.ArrayLike | None = None
) -> ProbabilityAudit:
    """Compare a judge's probabilities of an event, such as that a criterion passes, with what happened.

    Args:
        probabilities: Probability of each example, shape (n,), 0 to 1; nan where there is none.
        outcomes: 1 if the event happened and 0 if not, shape (n,); nan where that isn't known.
        groups: Name of each example's group, whose examples share errors, shape (n,); None if each is a group of its
            own. With groups, slope and intercept have intervals, but there is no p-value of both together.

    Raises:
        ValueError: The shapes differ, which is the caller's mistake.

    Source:
        Cox (1958), Biometrika 45, 562-565, for slope and intercept; Dimitriadis, Gneiting and Jordan (2021), PNAS
        118(8), e2016191118, for the parts of the Brier score; Platt (1999) for the curve that corrects probabilities.
    """
    p, y = equal_vectors(probabilities=probabilities, outcomes=outcomes)
    counts = ~(np.isnan(p) | np.isnan(y))
    in_groups = Groups.of(groups, len(p)).of_units(counts)
    p = p[counts]
    y = y[counts]
    n = len(y)
    numbers = in_groups.number if in_groups.several else None
    why = _too_few(y)
    bias = _mean_difference(p - y, in_groups, "mean probability minus share")
    brier = _brier(p, y, in_groups)
    bins = tuple(_bins(p, y, numbers))
    confident = tuple(confident_errors(p, y, at, numbers) for at in CONFIDENT)
    if why is None:
        intercept, slope, slope_p = _curve(p, y, in_groups)
        parts = brier_parts(p, y)
        test = None if in_groups.several or slope.value is None else calibration_test(p, y)
    else:
        intercept = Estimate.without_value(why, n=n, method="intercept of the log-odds")
        slope = Estimate.without_value(why, n=n, method="slope of the log-odds")
        slope_p = None
        parts = None
        test = None
    moved = test is not None and test <= MAP_AT
    moved |= in_groups.several and (slope.below(1) or slope.above(1) or intercept.below(0) or intercept.above(0))
    return ProbabilityAudit(
        n=n,
        left_out=len(counts) - n,
        probability=float(p.mean()) if n else None,
        share=float(y.mean()) if n else None,
        bias=bias,
        brier=brier,
        parts=parts,
        slope=slope,
        slope_p=slope_p,
        intercept=intercept,
        p=test,
        confident=confident,
        bins=bins,
        line=_isotonic_line(p, y),
        ece=calibration_error(p, y),
        map=logistic_map(p, y) if moved else None,
    )


def _too_few(y: Floats) -> str | None:
    """Return the reason why there are too few examples for a calibration curve and the Brier score's parts, or None.

    Args:
        y: Outcome of each example, 1 or 0.
    """
    if len(y) < FEWEST_FOR_SHAPE:
        return f"fewer than {FEWEST_FOR_SHAPE} examples"
    if min(y.sum(), len(y) - y.sum()) < FEWEST_OF_EACH:
        return f"fewer than {FEWEST_OF_EACH} examples of one outcome"
    return None


def _mean_difference(differences: Floats, in_groups: Groups, method: str) -> Estimate:
    if not len(differences):
        return Estimate.without_value("no examples", n=0, method=method)
    return in_groups.jackknife(_means(differences, in_groups), transform=IDENTITY, level=0.95, method=method)


def _brier(p: Floats, y: Floats, in_groups: Groups) -> Estimate:
    method = "Brier score"
    if not len(y):
        return Estimate.without_value("no examples", n=0, method=method)
    return in_groups.jackknife(_means((p - y) ** 2, in_groups), transform=LOG, level=0.95, method=method)


def _means(values: Floats, in_groups: Groups) -> Floats:
    """Return the mean over all examples, then the means with each group left out, shape (1 + n_groups,)."""
    sums = in_groups.left_out(values)
    sizes = in_groups.left_out(np.ones_like(values))
    return np.divide(sums, sizes, out=np.full_like(sums, np.nan), where=sizes > 0)


# --- the Brier score ------------------------------------------------------------------------------------------------


def brier_parts(p: Floats, y: Floats) -> BrierParts:
    """Return the Brier score of probabilities, split into miscalibration, discrimination and uncertainty.

    Args:
        p: Probabilities, shape (n,), n at least 1.
        y: Outcomes, 0 or 1, shape (n,).

    Source:
        Dimitriadis, Gneiting and Jordan (2021), PNAS 118(8), e2016191118. doi:10.1073/pnas.2016191118

    Example:
        >>> parts = brier_parts(np.array([0.0, 0.5, 0.5, 1.0]), np.array([0.0, 0.0, 1.0, 1.0]))
        >>> parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty
        (0.125, 0.0, 0.125, 0.25)
    """
    fitted = isotonic(p, y)
    score = float(np.mean((p - y) ** 2))
    corrected = float(np.mean((fitted - y) ** 2))
    base = float(y.mean())
    uncertainty = base * (1 - base)
    return BrierParts(score, score - corrected, uncertainty - corrected, uncertainty)


def isotonic(p: Floats, y: Floats) -> Floats:
    """Fit the isotonic curve, and return its value for each example: shares that never fall as probabilities rise.

    Args:
        p: The judge's probabilities of an event, shape (n,).
        y: 1 where the event happened, else 0, shape (n,).

    Source:
        Ayer, Brunk, Ewing, Reid and Silverman (1955), Annals of Mathematical Statistics 26(4), 641-647.

    Example:
        >>> isotonic(np.array([0.1, 0.2, 0.3]), np.array([1.0, 0.0, 1.0])).tolist()
        [0.5, 0.5, 1.0]
    """
    distinct, code = np.unique(p, return_inverse=True)
    code = code.reshape(-1)
    sums = np.bincount(code, weights=y, minlength=len(distinct))
    sizes = np.bincount(code, minlength=len(distinct)).astype(np.float64)
    blocks: list[list[float]] = []
    for total, size in zip(sums.tolist(), sizes.tolist(), strict=True):
        blocks.append([total, size, 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] >= blocks[-1][0] * blocks[-2][1]:
            later = blocks.pop()
            blocks[-1] = [before + after for before, after in zip(blocks[-1], later, strict=True)]
    fitted = np.concatenate([np.full(int(width), total / size) for total, size, width in blocks] or [np.zeros(0)])
    return np.asarray(fitted[code])


def _isotonic_line(p: Floats, y: Floats) -> tuple[tuple[float, float], ...]:
    """Return the points at which the isotonic curve bends, for a plot.

    Args:
        p: The judge's probabilities of an event, shape (n,).
        y: 1 where the event happened, else 0, shape (n,).
    """
    if not len(p):
        return ()
    fitted = isotonic(p, y)
    order = np.argsort(p, kind="stable")
    corners: dict[float, tuple[float, float]] = {}
    for value, level in zip(p[order].tolist(), fitted[order].tolist(), strict=True):
        first, _ = corners.get(level, (value, value))
        corners[level] = (first, value)
    return tuple((x, level) for level, ends in corners.items() for x in dict.fromkeys(ends))


# --- the logistic curve ---------------------------------------------------------------------------------------------


def _log_odds(p: Floats) -> Floats:
    return np.asarray(logit(np.clip(p, CLIP, 1 - CLIP)))


def _fitted(x: Floats, y: Floats, weights: Floats, start: Floats, penalty: float = 0.0) -> Floats:
    """Fit the logistic curve once for each row of weights; return intercepts and slopes, shape (m, 2).

    They are nan if no curve fits best, since log-odds separate the outcomes.

    Args:
        x: Log-odds, shape (n,).
        y: Outcomes, shape (n,).
        weights: Weight of each example in each fit, shape (m, n).
        start: Intercept and slope from which Newton's method starts, shape (2,).
        penalty: Penalty on the squared distance from intercept 0 and slope 1.
    """
    fits = np.tile(start, (len(weights), 1))
    design = np.stack([np.ones_like(x), x])
    for _ in range(ROUNDS):
        mean = expit(fits @ design)
        residual = weights * (y - mean)
        curvature = weights * mean * (1 - mean)
        gradient = residual @ design.T - 2 * penalty * (fits - np.array([0.0, 1.0]))
        a = curvature.sum(axis=1) + 2 * penalty
        b = curvature @ x
        c = curvature @ x**2 + 2 * penalty
        determinant = a * c - b * b
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.stack(
                [(c * gradient[:, 0] - b * gradient[:, 1]) / determinant,
                 (a * gradient[:, 1] - b * gradient[:, 0]) / determinant], axis=1
            )  # fmt: skip
        step = np.clip(np.nan_to_num(step, nan=0.0, posinf=0.0, neginf=0.0), -2.0, 2.0)
        fits = fits + step
        if np.abs(step).max(initial=0.0) < SETTLED:
            break
    lost = (np.abs(fits[:, 1]) > STEEPEST) | (determinant <= 0) | (np.abs(step).max(axis=1) > 1e-6)
    fits[lost] = np.nan
    return fits


def logistic_curve(p: Floats, y: Floats) -> LogisticMap | None:
    """Fit the logistic curve of outcomes by probabilities; None if the probabilities separate the outcomes.

    Source:
        Cox (1958), Biometrika 45(3/4), 562-565. doi:10.1093/biomet/45.3-4.562
    """
    ((intercept, slope),) = _fitted(_log_odds(p), y, np.ones((1, len(y))), FLAT).tolist()
    return None if math.isnan(slope) else LogisticMap(intercept, slope)


def logistic_map(p: Floats, y: Floats) -> LogisticMap:
    """Fit the logistic curve that corrects probabilities, with a penalty that keeps the correction small.

    Source:
        Platt (1999), in Smola et al. (eds.), Advances in Large Margin Classifiers, 61-74; with a penalty on the
        distance from intercept 0 and slope 1.
    """
    x = _log_odds(p)
    ((intercept, slope),) = _fitted(x, y, np.ones((1, len(y))), FLAT, PENALTY).tolist()
    return LogisticMap(intercept, slope)


def calibration_test(p: Floats, y: Floats) -> float | None:
    """Test whether a judge's probabilities are right, by likelihood ratio; return the p-value.

    Right probabilities have slope 1 and intercept 0 in a logistic regression of the outcomes on their log-odds.

    Args:
        p: Probabilities of the event, shape (n,).
        y: Outcomes, 0 or 1, shape (n,).

    Returns:
        The p-value, 0 to 1; None if no curve fits best, since the probabilities separate the outcomes.
    """
    curve = logistic_curve(p, y)
    return None if curve is None else math.exp(-likelihood_ratio(p, y, curve) / 2)


def likelihood_ratio(p: Floats, y: Floats, curve: LogisticMap) -> float:
    """Return the likelihood ratio statistic, chi-square with 2 df, of a logistic correction of probabilities.

    Args:
        p: The judge's probabilities of an event, shape (n,).
        y: 1 where the event happened, else 0, shape (n,).
        curve: The fitted logistic correction.
    """
    x = _log_odds(p)

    def fit(q: Floats) -> float:
        return float((xlogy(y, q) + xlog1py(1 - y, -q)).sum())

    return max(0.0, 2 * (fit(expit(curve.intercept + curve.slope * x)) - fit(expit(x))))


def _curve(p: Floats, y: Floats, in_groups: Groups) -> tuple[Estimate, Estimate, float | None]:
    """Estimate the logistic curve's intercept and slope by a jackknife, with the p-value of the slope.

    Args:
        p: Probabilities of the event, shape (n,).
        y: Outcomes, 0 or 1, shape (n,).
        in_groups: Groups of the examples.

    Returns:
        Intercept, slope, and the p-value of the test that the slope is 1 or more, None if it can't be computed. If the
        probabilities separate the outcomes, no curve fits best, and all three have no value.
    """
    methods = ("intercept of the log-odds", "slope of the log-odds")
    whole = logistic_curve(p, y)
    if whole is None:
        intercept, slope = (Estimate.without_value(SEPARATED, n=in_groups.n, method=method) for method in methods)
        return intercept, slope, None
    parts = in_groups
    if in_groups.n > MOST_LEFT_OUT:
        parts = Groups(in_groups.number % MOST_LEFT_OUT, MOST_LEFT_OUT)
    start = np.array([whole.intercept, whole.slope])
    left_out = np.concatenate(list(_without_each(p, y, parts, start)))
    fits = np.concatenate([start[None, :], left_out])
    intercept, slope = (
        parts.jackknife(fits[:, index], transform=IDENTITY, level=0.95, method=method)
        for index, method in enumerate(methods)
    )
    slope_p = _p_below_one(slope, left_out[:, 1])
    if parts is not in_groups:
        note = f"{MOST_LEFT_OUT} parts of the examples left out in turn"
        return noted(intercept, note), noted(slope, note), slope_p
    return intercept, slope, slope_p


def _p_below_one(slope: Estimate, left_out: Floats) -> float | None:
    """Return the one-sided p-value for a slope below 1; None if the slope has no interval.

    Args:
        slope: The slope, with its interval.
        left_out: Slopes for the jackknife, each fitted without one set of the examples.
    """
    if slope.value is None or slope.low is None:
        return None
    of_slope = spread(left_out)
    return float(stdtr(of_slope.df, (slope.value - 1) / of_slope.se))


def _without_each(p: Floats, y: Floats, parts: Groups, start: Floats) -> Iterator[Floats]:
    """Yield logistic fits, each with one group left out, in arrays of up to a hundred: intercepts and slopes.

    Args:
        p: Probabilities, shape (n,).
        y: Outcomes, 0 or 1, shape (n,).
        parts: The groups to leave out, one after the other.
        start: Intercept and slope from which each fit starts, shape (2,).
    """
    x = _log_odds(p)
    for first in range(0, parts.n, 100):
        rows = np.arange(first, min(first + 100, parts.n))
        weights = (parts.number[None, :] != rows[:, None]).astype(np.float64)
        yield _fitted(x, y, weights, start)


# --- confident errors -----------------------------------------------------------------------------------------------


def confident_errors(p: Floats, y: Floats, at: float, groups: Integers | None = None) -> ConfidentErrors:
    """Count the errors among a judge's confident answers, yes or no, and how many errors its probabilities promise.

    Args:
        p: Probabilities of the event, shape (n,).
        y: Outcomes, 0 or 1, shape (n,).
        at: The smallest probability of the given answer (p for yes, 1 - p for no) that is confident; above one half.
        groups: Group of each example, shape (n,); None if each is a group of its own.
    """
    sure: Floats = np.maximum(p, 1 - p)
    chosen = sure >= at - 1e-9
    wrong: Flags = np.not_equal(p[chosen] > 1 / 2, y[chosen] == 1)
    n = int(chosen.sum())
    numbers = None if groups is None else groups[chosen]
    errors = int(wrong.sum())
    promised = float((1 - sure[chosen]).sum())
    of_all = grouped_share(wrong, numbers)
    tail = at_least_wrong(np.asarray(1.0 - sure[chosen]), errors) if n and groups is None else None
    significance = tail if groups is None else _significance(of_all, promised)
    return ConfidentErrors(at, n, errors, promised, of_all.upper(0.95), tail, significance)


def _significance(wrong: GroupedShare, promised: float) -> float | None:
    """Return the lowest significance level at which more answers are wrong than their probabilities imply.

    None if the share of errors has no interval.

    Args:
        wrong: Share of wrong answers among those that the judge is confident of.
        promised: Number of these answers that would be wrong if their probabilities were right.
    """

    def excess(significance: float) -> float:
        return (wrong.lower(1 - significance) or 0.0) * wrong.n - promised

    if wrong.lower(0.5) is None:
        return None
    if excess(0.5) <= 0:
        return 1.0
    return LEAST_SIGNIFICANCE if excess(LEAST_SIGNIFICANCE) >= 0 else zero_between(excess, LEAST_SIGNIFICANCE, 0.5)


def at_least_wrong(chances: Floats, errors: int) -> float:
    """Return the probability of `errors` wrong answers or more, given each answer's own probability of being wrong.

    Args:
        chances: Each answer's probability of being wrong, shape (n,).
        errors: Number of wrong answers.

    Example:
        >>> round(at_least_wrong(np.array([0.05, 0.02, 0.01, 0.04]), 1), 7)
        0.1151776
    """
    below = np.zeros(errors + 1)
    below[0] = 1.0
    for chance in chances.tolist():
        below[1:] = below[1:] * (1 - chance) + below[:-1] * chance
        below[0] *= 1 - chance
    return float(min(1.0, max(0.0, 1 - below[:errors].sum()))) if errors else 1.0


# --- the reliability diagram ----------------------------------------------------------------------------------------


def _edges(ranked: Floats) -> list[int]:
    """Return, for each bin, the index after its last probability; bins have about equal counts.

    Equal probabilities are in one bin.

    Args:
        ranked: The probabilities in ascending order.
    """
    n = len(ranked)
    k = min(MOST_BINS, n // LEAST_IN_BIN)
    edges: list[int] = []
    for index in range(1, k):
        edge = round(index * n / k)  # half to even
        while edge < n and ranked[edge] == ranked[edge - 1]:
            edge += 1
        edges.append(edge)
    return sorted({*edges, n} if k else set())


def _bins(p: Floats, y: Floats, groups: Integers | None) -> Iterator[ReliabilityBin]:
    order = np.argsort(p, kind="stable")
    start = 0
    for end in _edges(p[order]):
        rows = order[start:end]
        numbers = None if groups is None else groups[rows]
        yield ReliabilityBin(len(rows), float(p[rows].mean()), share(y[rows], numbers, of="a bin"))
        start = end


def calibration_error(p: Floats, y: Floats) -> float:
    """Return the root mean squared calibration error over bins, corrected for chance; nan if there is no bin.

    Args:
        p: The judge's probabilities of an event, shape (n,).
        y: 1 where the event happened, else 0, shape (n,).

    Source:
        Kumar, Liang and Ma (2019), Verified Uncertainty Calibration. arXiv:1909.10155
    """
    order = np.argsort(p, kind="stable")
    edges = _edges(p[order])
    total = 0.0
    for start, end in zip([0, *edges], edges, strict=False):
        rows = order[start:end]
        n = len(rows)
        base = float(y[rows].mean())
        by_chance = base * (1 - base) / (n - 1) if n > 1 else 0.0
        total += n / len(p) * ((float(p[rows].mean()) - base) ** 2 - by_chance)
    return math.sqrt(max(0.0, total)) if edges else math.nan
