"""Numbers of labels needed for an interval width, a target or a promised error, from the ratings that are expected.

Everything is in closed form: the influence of one more example on a coefficient at the expected table gives its
standard error at any number of labels.
"""

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr

from markscheme.stats.change import least_n
from markscheme.stats.coefficients import CHANCE_CORRECTED, Metric, Weights, corrected_coefficient, weights_of
from markscheme.stats.intervals import ATANH, OFF_TO_TRUST, Floats, Integers, Spread, Transform, t_limits
from markscheme.stats.prevalence import whole_counts
from markscheme.stats.rating_patterns import LeftOutSets, RatingPatterns

Coefficient: TypeAlias = Callable[[Floats], float]

_ENDLESS = 1e15
"""Number of examples that is used as infinite, so that corrections for small samples vanish."""
STEP = 1e-4
"""Step of the numeric derivative of a coefficient: small next to a share, large next to rounding error."""


def corrected_of_shares(shares: Floats, name: str, *, weights: Weights | Metric | None = None) -> float:
    """Compute a chance-corrected coefficient of two raters, in the limit of infinitely many examples.

    Args:
        shares: Joint shares of the levels, shape (k, k), with a sum of 1: rows are gold's, columns the judge's.
        name: One of `CHANCE_CORRECTED`.
        weights: How much disagreements count, as for `agreement`; the levels count as evenly spaced.

    Returns:
        The coefficient; nan if chance alone gives full agreement.

    Raises:
        ValueError: The name is another one, or the coefficient can't have these weights.

    Example:
        >>> round(corrected_of_shares(np.array([[0.4, 0.1], [0.1, 0.4]]), "cohen_kappa"), 6)
        0.6
    """
    if name not in CHANCE_CORRECTED:
        raise ValueError(f"a coefficient is one of {', '.join(CHANCE_CORRECTED)}, not {name!r}")
    levels = np.linspace(0.0, 1.0, len(shares))
    nothing = np.zeros(0, dtype=np.int64)
    table = RatingPatterns(
        levels=levels,
        values=levels,
        codes=np.indices(shares.shape).reshape(2, -1).T,
        times=shares.reshape(-1) * _ENDLESS,
        left_out=LeftOutSets(nothing, np.zeros(0), nothing, np.zeros(0)),
        set_of=nothing,
        grouped=False,
        between=None,
        raters=("gold", "judge"),
    )
    return corrected_coefficient(name, weights_of(name, weights), table).value


def mixture_table(margins: npt.ArrayLike, agreement: float) -> Floats:
    """Compute joint shares of levels in which gold and judge agree on some examples, and are independent elsewhere.

    On such a table kappa, weighted kappa and alpha all equal `agreement`. The table is the conservative choice for
    weighted coefficients, since its errors are as large as the margins allow.

    Args:
        margins: Share of each level, equal for both raters, shape (k,), worst first, summing to 1.
        agreement: The coefficient expected, 0 to 1.

    Returns:
        Joint shares, shape (k, k), rows gold and columns the judge.

    Raises:
        ValueError: The margins aren't shares, or the agreement is outside 0 to 1, which is the caller's mistake.

    Example:
        >>> mixture_table([0.5, 0.5], 0.6).round(2).tolist()
        [[0.4, 0.1], [0.1, 0.4]]
    """
    m = np.asarray(margins, dtype=np.float64)
    if m.ndim != 1 or len(m) < 2 or not (m >= 0).all() or abs(float(m.sum()) - 1) > 1e-9:
        raise ValueError(f"margins are two or more shares that sum to 1, not {m.tolist()}")
    if not 0 <= agreement <= 1:
        raise ValueError(f"agreement {agreement} lies outside 0 to 1")
    return np.asarray(agreement * np.diag(m) + (1 - agreement) * np.outer(m, m))


def spread_at(table: npt.ArrayLike, coefficient: Coefficient) -> float:
    """Compute a coefficient's standard error times √n if joint shares of gold's and judge's levels are as in a table.

    Args:
        table: Joint shares of gold's and the judge's levels, shape (k, k), summing to 1.
        coefficient: Function from joint shares to the coefficient.

    Returns:
        √(Σ P·IF²) with the influence IF of each cell, in the coefficient's unit.

    Raises:
        ValueError: The table doesn't hold shares, or the coefficient is undefined there, which is the caller's mistake.

    Source:
        Hampel (1974), Journal of the American Statistical Association 69(346), 383-393.
        doi:10.1080/01621459.1974.10482962

    Example:
        >>> def kappa(t):
        ...     chance = t.sum(axis=0) @ t.sum(axis=1)
        ...     return (np.trace(t) - chance) / (1 - chance)
        >>> round(spread_at(mixture_table([0.5, 0.5], 0.6), kappa), 4)
        0.8
    """
    shares = np.asarray(table, dtype=np.float64)
    if shares.ndim != 2 or not (shares >= 0).all() or abs(float(shares.sum()) - 1) > 1e-9:
        raise ValueError(f"a planning table holds joint shares that sum to 1, not {shares.tolist()}")
    value = coefficient(shares)
    total = 0.0
    for cell in zip(*np.nonzero(shares), strict=True):
        nudged = (1 - STEP) * shares
        nudged[cell] += STEP
        total += float(shares[cell]) * ((coefficient(nudged) - value) / STEP) ** 2
    if not math.isfinite(total):
        raise ValueError("the coefficient is undefined at or near the planning table")
    return math.sqrt(total)


def labels_for_half_width(value: float, spread: float, half_width: float, *, transform: Transform = ATANH) -> int:
    """Compute how many labels make a 95 % interval, symmetric or not, no wider than twice the given half-width.

    Args:
        value: The expected coefficient.
        spread: The coefficient's standard error times √n, the number of labels: from `spread_at` for expected shares of
            levels, or measured in a pilot study.
        half_width: Half the wanted width, in the coefficient's unit.
        transform: Scale on which the coefficient's interval is computed.

    Raises:
        ValueError: The value is off the transform's scale, or the width or spread isn't positive, which is the caller's
            mistake.

    Example:
        >>> labels_for_half_width(0.6, 0.8, 0.1)
        249
    """
    if not transform.reaches(value) or spread < 0 or not half_width > 0:
        raise ValueError(f"no plan for value {value}, spread {spread} and half-width {half_width}")

    def narrow(n: int) -> bool:
        low, high = t_limits(value, Spread(spread / math.sqrt(n), n - 1, n), transform)
        return high - low <= 2 * half_width

    return least_n(narrow, start=2)


def labels_for_promise(automatic: float, *, errors: int = 0, alpha: float = 0.05, confidence: float = 0.90) -> int:
    """Compute the labels needed to promise an error rate for automatic decisions.

    Args:
        automatic: Share of examples that you hope to decide automatically, above 0.
        errors: Number of wrong decisions among the labelled examples with which the promise should still hold.
        alpha: The largest share of errors that is promised, 0 to 1.
        confidence: Confidence of the promise, 0 to 1.

    Raises:
        ValueError: A share is outside 0 to 1, which is the caller's mistake.

    Example:
        >>> labels_for_promise(0.6, errors=1)
        129
    """
    if not 0 < automatic <= 1:
        raise ValueError(f"the share decided automatically lies above 0 and at most at 1, not at {automatic}")
    return math.ceil(least_labels(errors, alpha=alpha, confidence=confidence) / automatic - 1e-9)


def labels_to_vary(commonest: float) -> int | None:
    """Compute how many labels to give, so that ten of them can be expected not to be at the most common level.

    A chance-corrected coefficient needs these ten.

    Args:
        commonest: Share of the most common level, 0 to 1.

    Returns:
        10 / (1 - commonest), rounded up; None if every example is at that level.

    Raises:
        ValueError: A share is outside 0 to 1, which is the caller's mistake.

    Example:
        >>> labels_to_vary(0.9)
        100
    """
    if not 0 <= commonest <= 1:
        raise ValueError(f"a share lies within 0 to 1, not at {commonest}")
    return None if commonest == 1 else math.ceil(OFF_TO_TRUST / (1 - commonest) - 1e-9)


def labels_next(
    labelled: npt.ArrayLike, pool: npt.ArrayLike, count: int, *, expected: npt.ArrayLike | None = None
) -> Integers:
    """Plan how many of the next labels to take from each stratum, to narrow the pass rate's interval soonest.

    Args:
        labelled: Counts of annotators' fails and passes in each stratum so far, shape (n_strata, 2).
        pool: Size of each stratum of the pool, shape (n_strata,).
        count: Number of labels to take.
        expected: Pseudo-counts of fails and passes that express the expectation of each stratum, shape (n_strata, 2),
            above 0; None for half an example of each.

    Returns:
        Number of labels to take from each stratum, shape (n_strata,), which sum to `count`. With them, the labels of a
        stratum v are as close to a share proportional to w_v √(p_v (1 - p_v)) as the existing labels allow (Neyman's
        allocation): w_v is the stratum's share of the pool, p_v its share of passes after `expected` is added.

    Raises:
        ValueError: The shapes don't fit, the count is negative, or the pool is empty.

    Source:
        Neyman (1934), Journal of the Royal Statistical Society 97(4), 558-625. doi:10.2307/2342192

    Example:
        >>> labels_next([[16, 3], [4, 27]], [300, 700], 40).tolist()
        [10, 30]
    """
    table = np.asarray(labelled)
    strata = whole_counts(table, (len(table), 2), "labelled")
    sizes = whole_counts(pool, (len(strata),), "pool")
    if count < 0 or not sizes.sum():
        raise ValueError(f"labels to take must be 0 or more, from a pool that isn't empty: {count} of {sizes.sum()}")
    beforehand = np.full(strata.shape, 0.5) if expected is None else np.asarray(expected, dtype=np.float64)
    if beforehand.shape != strata.shape or not (beforehand > 0).all():
        raise ValueError(f"expected must have shape {strata.shape} and be above 0, not {beforehand.tolist()}")
    p = (strata[:, 1] + beforehand[:, 1]) / (strata.sum(axis=1) + beforehand.sum(axis=1))
    wanted = sizes / sizes.sum() * np.sqrt(p * (1 - p))
    have = strata.sum(axis=1)
    short = np.maximum(wanted / wanted.sum() * (have.sum() + count) - have, 0.0)
    exact = short / short.sum() * count if short.sum() else short
    whole: Integers = np.floor(exact).astype(np.int64)
    remainder = np.argsort(whole - exact, kind="stable")[: count - int(whole.sum())]
    whole[remainder] += 1
    return whole


def least_labels(errors: int, *, alpha: float = 0.05, confidence: float = 0.90) -> int:
    """Compute how many labelled examples a promise of few errors needs if `errors` of them were judged wrongly.

    Args:
        errors: Number of wrong decisions among the labelled examples.
        alpha: Promised largest share of errors.
        confidence: Confidence of the promise.

    Raises:
        ValueError: `errors` is below 0, or a share isn't between 0 and 1.

    Source:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413. doi:10.1093/biomet/26.4.404

    Example:
        >>> [least_labels(x) for x in range(4)]
        [45, 77, 105, 132]
    """
    if errors < 0 or not (0 < alpha < 1 and 0 < confidence < 1):
        raise ValueError(f"errors {errors} must be 0 or more, alpha {alpha} and confidence {confidence} within 0 to 1")
    return least_n(lambda n: bool(bdtr(errors, n, alpha) <= 1 - confidence), start=errors + 1)
