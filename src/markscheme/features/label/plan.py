"""Numbers of labels needed for a given interval width, or to promise a maximum error rate."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.decision import PILOT
from markscheme.calibration.label_needs import PROMISED_ERROR, Need
from markscheme.features.label.statistics import (
    corrected_of_shares,
    labels_for_half_width,
    labels_for_promise,
    labels_to_vary,
    mixture_table,
    spread_at,
)
from markscheme.phrases import number, percent
from markscheme.ratings.gold import Gold
from markscheme.rubrics.rubric import Criterion
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import ATANH, Floats, t_quantile
from markscheme.stats.planning import labels_for_share

ASSUMED_AGREEMENT = 0.90
"""Share of examples with agreement that is assumed in planning an interval's width, before human labels show it."""
ASSUMED_COEFFICIENT = 0.75
"""Coefficient that is assumed in planning: the middle one of .60, .75 and .90, for which half-widths were simulated."""
ASSUMED_AUTOMATIC = 0.60
"""Share of automatic decisions that is assumed in planning; a conservative judgement, since with enough labels
simulated good judges reached 64 to 79 %."""


def needs_of(
    truth: Gold,
    pilot: Comparison | None,
    criteria: Sequence[Criterion],
    *,
    half_width: float = 0.1,
    error: float = PROMISED_ERROR,
    promise: Need | None = None,
) -> list[Need]:
    """Compute how many labels each of a plan's goals needs.

    Args:
        truth: The labels so far.
        pilot: The judge compared with these labels; None if its ratings aren't known.
        criteria: The rubric's criteria.
        half_width: Half the wanted width of intervals, in the unit of the figure.
        error: Promised largest share of wrong decisions among automatic ones.
        promise: The labels needed for this promise, as computed from the judges' decisions; None to estimate them from
            `pilot`.
    """
    have = len(truth.ids)
    unknown = "the judge's ratings would say" if truth.has_people else "no person labelled yet"
    share, basis = ASSUMED_AGREEMENT, f"assumed: agreement {percent(ASSUMED_AGREEMENT)}; {unknown}"
    seen = pilot.agreement if pilot is not None and truth.has_people else None
    if seen is not None and seen.value is not None and seen.n >= PILOT:
        share = seen.value
        basis = f"agreement so far, {percent(share)}"
    needs = [Need("width", f"agreement to within {half_width:g}", labels_for_share(share, half_width), have, basis)]
    needs += [_width_of(criterion, truth, pilot, half_width) for criterion in criteria]
    needs.append(promise or _promise(pilot, have, error))
    needs += [_variety(criterion, truth) for criterion in criteria]
    return needs


def _width_of(criterion: Criterion, truth: Gold, pilot: Comparison | None, half_width: float) -> Need:
    """Estimate how many labels give a criterion's kappa an interval of a given half-width.

    Args:
        criterion: The criterion.
        truth: The gold labels so far.
        pilot: A judge compared with these labels, whose kappa on them is the one that is expected; None if there is no
            such judge, so that a kappa is assumed.
        half_width: The half-width.
    """
    have = int((~np.isnan(truth.levels[criterion.name])).sum())
    name = "cohen_kappa" if criterion.scale.is_yes_no or not criterion.scale.ordered else "weighted_kappa"
    what = f"{criterion.name}: {name.replace('_', ' ')} to within {half_width:g}"
    value = ASSUMED_COEFFICIENT
    basis = "an assumed"
    coefficient = None if pilot is None else pilot.criteria[criterion.name].statistics[name]
    if coefficient is not None and coefficient.value is not None and coefficient.n >= PILOT:
        spread = _spread(coefficient)
        if spread is not None:
            labels = labels_for_half_width(coefficient.value, spread, half_width)
            return Need("width", what, labels, have, f"{coefficient.n} examples so far ({number(coefficient.value)})")
        if 0 < coefficient.value < 1:
            value = coefficient.value
            basis = "a"
    margins = _margins(criterion, truth)
    weights: Literal["identity", "quadratic"] = "quadratic" if name == "weighted_kappa" else "identity"
    if np.count_nonzero(margins) < 2:
        return Need("width", what, None, have, "people give one level only: label examples that vary")
    spread = spread_at(mixture_table(margins, value), lambda shares: corrected_of_shares(shares, name, weights=weights))
    labels = labels_for_half_width(value, spread, half_width)
    return Need("width", what, labels, have, f"{basis} kappa of {number(value)}, and errors of every kind")


def _spread(estimate: Estimate) -> float | None:
    """Compute a coefficient's standard error times √n from its interval; None if the interval doesn't determine it."""
    value = estimate.value
    low = estimate.low
    high = estimate.high
    if value is None or low is None or high is None or not all(ATANH.reaches(x) for x in (value, low, high)):
        return None
    reach = (ATANH.forward(high) - ATANH.forward(low)) / 2
    spread = reach / t_quantile(estimate.n - 1, estimate.level) / ATANH.slope(value) * float(np.sqrt(estimate.n))
    return spread if spread > 0 else None


def _margins(criterion: Criterion, truth: Gold) -> Floats:
    """Compute the share of gold labels on each level of a criterion; without labels, all shares are equal.

    Args:
        criterion: The criterion.
        truth: Gold.
    """
    values = np.array(sorted(set(criterion.scale.values)))
    levels = truth.levels[criterion.name]
    levels = levels[~np.isnan(levels)]
    if not len(levels):
        return np.full(len(values), 1 / len(values))
    nearest = np.abs(levels[:, None] - values[None, :]).argmin(axis=1)
    return np.asarray(np.bincount(nearest, minlength=len(values)) / len(levels))


def _promise(pilot: Comparison | None, have: int, error: float) -> Need:
    what = f"at most {percent(error)} of automatic decisions wrong (90% confidence), even if one is found wrong"
    share, basis = ASSUMED_AUTOMATIC, f"assumed: {percent(ASSUMED_AUTOMATIC)} of decisions automatic"
    if pilot is not None:
        margins = np.abs(pilot.scores - pilot.rubric.pass_mark)
        margins = margins[~np.isnan(margins)]
        if len(margins) >= PILOT:
            width = pilot.rubric.gray_zone.width or pilot.tolerance
            share = max(0.05, float((margins > width).mean()))
            basis = f"{percent(share)} of scores lie further than {width:g} from the mark"
    return Need("promise", what, labels_for_promise(share, errors=1, alpha=error), have, basis)


def _variety(criterion: Criterion, truth: Gold) -> Need:
    margins = _margins(criterion, truth)
    have = int((~np.isnan(truth.levels[criterion.name])).sum())
    commonest = float(margins.max())
    what = f"{criterion.name}: ten examples outside the most common level"
    return Need("variety", what, labels_to_vary(commonest), have, f"most common level so far {percent(commonest)}")
