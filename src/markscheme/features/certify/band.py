"""The band around a pass mark outside which decisions keep a promised error rate."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from markscheme.features.certify.statistics import (
    ErrorLimit,
    counted_errors,
    first_provable,
    n_independent,
    n_that_hold,
)
from markscheme.phrases import percent
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats, Groups, Integers
from markscheme.stats.pairs import equal_vectors
from markscheme.stats.prevalence import Promise, least_labels
from markscheme.stats.shares import grouped_share, share

MOST_BANDS = 15
"""Widths that may be tried: more would cost nothing in the promise, but no reader sees a difference."""
ROOM = 1.75
"""The fixed sequence starts at this multiple of the fewest labels that could keep the promise without an error: chosen
by simulation, so that one early error does not end it."""
MOST_ERRORS = 1_000
"""Errors up to which the labels needed are searched; more would take over 20,000 labels."""


@dataclass(frozen=True, slots=True)
class Band:
    """The range of scores around the pass mark that a person must decide, and what is promised of the rest.

    Attributes:
        promise: "automatic": of the automatic decisions at most `alpha` are wrong; "all": of all examples at most
            `alpha` are decided wrongly without a person.
        alpha: The promised share of errors.
        confidence: Confidence of the promise, 0 to 1.
        half_width: Scores further than this from the pass mark are decided automatically; None: everything goes to
            a person.
        automatic: Share of examples decided automatically; undefined where everything goes to a person.
        errors: Wrong automatic decisions among the labelled examples.
        n_automatic: Labelled examples decided automatically.
        upper: One-sided upper limit of the promised error at `confidence`; None where everything goes to a person.
        needed: Labelled examples that would probably suffice; None where they did, or where the judge errs too
            often for any number.
    """

    promise: Promise
    alpha: float
    confidence: float
    half_width: float | None
    automatic: Estimate
    errors: int
    n_automatic: int
    upper: float | None
    needed: int | None

    def __post_init__(self) -> None:
        if (self.half_width is None) == (self.automatic.undefined is None):
            raise ValueError("a band is either given, with the share it automates, or refused with a reason")
        if self.upper is not None and self.upper > self.alpha + 1e-9:
            raise ValueError(f"the limit {self.upper} breaks the promise {self.alpha}")


def automatic_band(
    margins: npt.ArrayLike,
    wrong: npt.ArrayLike,
    grid: Sequence[float],
    *,
    promise: Promise = "automatic",
    alpha: float = 0.05,
    confidence: float = 0.90,
    groups: npt.ArrayLike | None = None,
    considered: npt.ArrayLike | None = None,
) -> Band:
    """The narrowest band around the pass mark outside which decisions keep a promised error rate.

    Args:
        margins: Score minus pass mark of labelled examples, shape (n,); they must be a random part of what will be
            decided, and not those used to tune rubric, weights or pass mark.
        wrong: Whether the judge's decision on each is wrong, shape (n,).
        grid: Half-widths to choose from, at most 15, fixed before the labels were seen: steps of the score.
        promise: "automatic" bounds the errors among automatic decisions, by tests in a fixed order that starts where
            the scores (never the labels) leave enough of them; "all" bounds the errors among all examples.
        alpha: The promised share of errors.
        confidence: Confidence of the promise.
        groups: Names of groups that share errors, such as tasks, shape (n,); None where each example is its own.
        considered: Which examples may be decided automatically, shape (n,), such as those the judge passes; None for
            all.

    Returns:
        The band; or none, with the labels needed, where they don't suffice or the judge errs too often.

    Raises:
        ValueError: The caller's fault: shapes that differ, nan, a grid that is empty, negative or too fine.

    Source:
        Angelopoulos, Bates, Candès, Jordan and Lei (2021), Learn then Test. arXiv:2110.01052
        Bates, Angelopoulos, Lei, Malik and Jordan (2021), Journal of the ACM 68(6), 43. doi:10.1145/3478535

    Example:
        >>> margins = np.linspace(-0.5, 0.5, 101)
        >>> wrong = np.abs(margins) < 0.045
        >>> band = automatic_band(margins, wrong, [0.0, 0.05, 0.1, 0.15, 0.2])
        >>> band.half_width, band.errors, band.n_automatic, round(band.upper, 4)
        (0.05, 0, 90, 0.0253)
    """
    m, faulty, widths = _margins(margins, wrong, grid)
    n = len(m)
    may = np.ones(n, dtype=bool) if considered is None else np.asarray(considered, dtype=bool)
    outside = (np.abs(m) > widths[:, None] + 1e-9) & may
    in_groups = Groups.of(groups, n)
    numbers = in_groups.number if in_groups.several else None
    of_all = promise == "all"
    start = _start(outside.sum(axis=1), n=n, promise=promise, alpha=alpha, confidence=confidence)
    limit = ErrorLimit(alpha, 1 - confidence)
    skipped = None if start is None else first_provable(outside[start:], limit, numbers, of_all=of_all)
    first = len(widths) - 1 if start is None else start + (skipped or 0)
    n_holding = 0 if skipped is None else n_that_hold(outside[first:], faulty, limit, numbers, of_all=of_all)
    method = f"share automatic, promise on {promise} decisions"
    last = outside[first + max(n_holding - 1, 0)]
    n_automatic = int(last.sum())
    errors = int((last & faulty).sum())
    size = n_automatic if promise == "automatic" else n
    if not n_holding:
        needed = _needed(errors, size, n, alpha=alpha, confidence=confidence)
        if needed is not None and numbers is not None:
            needed = math.ceil(needed * grouped_share(last & faulty, numbers).design_effect)
            n_groups = n_independent(outside[first] | of_all, numbers)
            needed = max(needed, math.ceil(n * limit.fewest / max(n_groups, 1)))
        promised = f"at most {percent(alpha)} errors with {percent(confidence)} confidence"
        why = _band_refusal(errors, size, n_automatic, alpha, promised, needed)
        refused = Estimate.without_value(why, n=n, method=method)
        return Band(promise, alpha, confidence, None, refused, errors, n_automatic, None, needed)
    width = float(widths[first + n_holding - 1])
    upper = limit.upper(*counted_errors(last, faulty, numbers, of_all=of_all))
    automatic_share = share(last, numbers, method=method)
    return Band(promise, alpha, confidence, width, automatic_share, errors, n_automatic, upper, None)


def _start(automatic: Integers, *, n: int, promise: Promise, alpha: float, confidence: float) -> int | None:
    """The first band to test, chosen only by the number of scores outside it; None where there are too few."""
    least = least_labels(0, alpha=alpha, confidence=confidence)
    enough = (ROOM * least, least) if promise == "automatic" else ((1,) if n >= least else ())
    for count in enough:
        roomy = np.flatnonzero(automatic >= count)
        if len(roomy):
            return int(roomy[0])
    return None


def _needed(errors: int, out_of: int, n: int, *, alpha: float, confidence: float) -> int | None:
    """Labelled examples at which the same share of errors would keep the promise; None if none would."""
    if not n:
        return least_labels(0, alpha=alpha, confidence=confidence)
    if not out_of or errors >= alpha * out_of:
        return None
    for allowed in range(errors, MOST_ERRORS):
        enough = least_labels(allowed, alpha=alpha, confidence=confidence)
        if enough * errors <= allowed * out_of:
            return max(n + 1, math.ceil(enough * n / out_of))
    return None


def _band_refusal(errors: int, out_of: int, automatic: int, alpha: float, promised: str, needed: int | None) -> str:
    seen = f"{errors} of {out_of} wrong, {promised} asked"
    if needed is not None:
        return f"not enough labels: {seen}; about {needed} labelled examples would do"
    if not automatic:
        return f"no score lies outside any of the bands: {seen}"
    if errors >= alpha * out_of:
        return f"the judge isn't that good: {seen}"
    return f"the judge errs too nearly as often as allowed for labels to tell: {seen}"


def _margins(
    margins: npt.ArrayLike, wrong: npt.ArrayLike, grid: Sequence[float]
) -> tuple[Floats, npt.NDArray[np.bool_], Floats]:
    m, faulty = equal_vectors(margins=margins, wrong=wrong)
    if not np.isfinite(m).all():
        raise ValueError("margins must be finite: leave out examples without a score")
    widths = np.array(sorted(set(grid), reverse=True), dtype=np.float64)
    if not 1 <= len(widths) <= MOST_BANDS or not (widths >= 0).all() or not np.isfinite(widths).all():
        raise ValueError(f"a grid holds 1 to {MOST_BANDS} half-widths of 0 or more, not {list(grid)}")
    return m, faulty.astype(bool), widths
