"""Statistics of how much one perturbation moves the ratings on one criterion."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

from markscheme.stats.change import NO_SHIFT_MARGIN, any_change, chance_of_first, holm, sign_flip, whole_multiples
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import Floats, known_in_groups, t_quantile

State = Literal["finding", "holds", "unknown", "not-preserving"]

ALARM = 0.03
"""Chance that a run reports a judge as moved although it isn't, over shifts, flips and the control together."""
LEAST_SHIFT, LEAST_SHARE = 0.125, 0.05
"""Smallest shifts that count as a finding: in levels, and for yes/no criteria as a share of responses."""
NOT_ALIKE = 0.05
"""Significance level of the test that a change moves ratings further than a neutral one; it affects a diagnosis, not
an alarm."""
STRESS_POWER = 0.95
"""Power with which the recommended number of examples finds the smallest shift that counts."""
MOST_DEALS = 1_000
"""Largest number of ways to deal an example's ratings that are enumerated: 3 originals with up to 14 repeats have
fewer."""
_METHOD = "mean of perturbed minus originals; t"


@dataclass(frozen=True)
class Noise:
    """How often single ratings change after a change of the text, and after asking about the original again.

    Attributes:
        changed: Share of pairs that differ, each of one rating of the changed text and one of the original.
        retest: Share of pairs that differ, each of two ratings of the original.
        p: Probability that ratings of the changed text would scatter so much more than those of the original if the
            change had no effect.
        effect_sd: Standard deviation of the effect over examples, in levels, without the noise of asking again.
    """

    changed: float
    retest: float
    p: float
    effect_sd: float


@dataclass(frozen=True)
class StressCell:
    """Result of one perturbation on one criterion: the shift in ratings, its p-value, and what they show.

    Attributes:
        shift: Mean rating of the perturbed texts minus that of the originals, in levels, with a 90 % interval.
        p: Exact two-sided mid-p, adjusted for all cells; None if no test was made.
        state: What the ratings show: an effect, which is a finding; no effect above the margin; neither of the two; or
            nothing, since the change may alter the right level and wasn't tested.
        smallest: The smallest shift, in levels, that the test detects in 19 of 20 runs; None if it can't be computed.
        noise: How often single ratings change; None if the judge was asked about each original only once.
    """

    shift: Estimate
    p: float | None
    state: State
    smallest: float | None
    noise: Noise | None = None


NOT_PRESERVING = StressCell(
    Estimate.without_value("the change may alter the level", n=0, method=_METHOD), None, "not-preserving", None
)


def differences(originals: npt.ArrayLike, perturbed: npt.ArrayLike, groups: npt.ArrayLike | None = None) -> Floats:
    """Compute how far a perturbation moved the mean rating: one value for each example, or for each group of examples.

    Args:
        originals: Ratings of the original texts, shape (n, r0), in levels; nan where there is none.
        perturbed: Ratings of the changed texts, shape (n, r1), in levels; nan where there is none.
        groups: The task of each example, shape (n,); None if each is a task of its own.

    Returns:
        Mean of the changed texts' ratings minus mean of the originals', shape (n_units,). Examples whose original text
        or whose changed text has no rating are left out.
    """
    moved, units = known_in_groups(_mean(perturbed) - _mean(originals), groups)
    return np.asarray(units.sums(moved) / units.sums(np.ones(len(moved))))


def stress_cells(
    moved: Mapping[tuple[str, str], Floats],
    spans: Mapping[str, float],
    reshuffled: Mapping[tuple[str, str], float] = MappingProxyType({}),
    *,
    level: float = ALARM,
) -> dict[tuple[str, str], StressCell]:
    """Compute the result for each perturbation and criterion, with all p-values adjusted together (Holm).

    Args:
        moved: Differences from the originals in levels, shape (n_units,), by perturbation and criterion.
        spans: Range of the scale in levels, 1 for yes/no, by criterion.
        reshuffled: The p-value of a second test, the function `reshuffled`, by perturbation and criterion; without an
            entry, only the sign-flip test of the differences counts. Of both tests' p, the larger counts: signs of
            differences mislead near an end of the scale, and reshuffled ratings mislead if ratings move both ways.
        level: Chance of a false alarm in the table, 0 to 1.

    Example:
        >>> cells = stress_cells({("praise", "tone"): np.array([0.0, 1.0] * 15)}, {"tone": 4.0})
        >>> cells["praise", "tone"].state, cells["praise", "tone"].shift.value
        ('finding', 0.5)
    """
    tested = {key: d for key, d in moved.items() if len(d) > 1}
    p = [max(sign_flip(d).mid_p, reshuffled.get(key, 0.0)) for key, d in tested.items()]
    adjusted = dict(zip(tested, holm(p).tolist(), strict=True))
    share_of_level = level / max(1, len(tested))
    return {
        key: _cell(d, adjusted[key], level, share_of_level, spans[key[1]]) if key in tested else _too_few(len(d))
        for key, d in moved.items()
    }


def moved_alike(neutral: npt.ArrayLike, others: Sequence[npt.ArrayLike]) -> bool:
    """Return True if all changes move ratings the way a neutral change does, and none significantly further.

    Args:
        neutral: Difference of each example's ratings under the neutral change, shape (n,), in levels; nan where
            missing.
        others: For each other change, the difference of each example's ratings, shape (n,), in levels; nan where
            missing.

    Returns:
        True if two things hold. The one-sided 95 % limit of each change's mean difference, the neutral one's included,
        lies on that side of 0 on which the neutral change's mean is. And no other change moves ratings further than the
        neutral one in that direction, in a paired test at 0.05 (sign-flip mid-p, Holm over the changes).

    Example:
        >>> longer = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
        >>> moved_alike(longer, [longer[::-1], longer]), moved_alike(longer, [longer, longer + 1])
        (True, False)
    """
    reference = np.asarray(neutral, dtype=np.float64)
    side = float(np.sign(np.nanmean(reference)))
    shifts = [side * np.asarray(effect, dtype=np.float64) for effect in others]
    if not all(_lower(shift) > 0 for shift in (side * reference, *shifts)):
        return False
    beyond = [shift - side * reference for shift in shifts]
    p = holm([sign_flip(d).mid_p for d in beyond])
    return not any(chance <= NOT_ALIKE and np.nanmean(d) > 0 for chance, d in zip(p, beyond, strict=True))


def _lower(shift: Floats) -> float:
    """Return the lower limit of the 90 % t interval of a mean; minus infinity for fewer than two values.

    As a one-sided limit, it has a confidence of 95 %.

    Args:
        shift: The values, shape (n,), nan if missing.
    """
    d = shift[~np.isnan(shift)]
    if len(d) < 2:
        return -math.inf
    return float(d.mean()) - t_quantile(len(d) - 1, 0.90) * float(d.std(ddof=1)) / math.sqrt(len(d))


def _cell(d: Floats, p: float, level: float, share_of_level: float, span: float) -> StressCell:
    n = len(d)
    shift = float(d.mean())
    error = float(d.std(ddof=1)) / math.sqrt(n)
    reach = t_quantile(n - 1, 0.90) * error
    estimate = Estimate(shift, shift - reach, shift + reach, 0.90, n, _METHOD)
    alarm = t_quantile(n - 1, 1 - share_of_level)
    smallest = (alarm + t_quantile(n - 1, 2 * STRESS_POWER - 1)) * error
    if p <= level and abs(shift) >= (LEAST_SHARE if span == 1 else LEAST_SHIFT):
        return StressCell(estimate, p, "finding", smallest)
    margin = NO_SHIFT_MARGIN * span
    holds = -margin < shift - reach and shift + reach < margin
    return StressCell(estimate, p, "holds" if holds else "unknown", smallest)


def _too_few(n: int) -> StressCell:
    return StressCell(Estimate.without_value("fewer than 2 examples rated", n=n, method=_METHOD), None, "unknown", None)


def with_noise(cell: StressCell, originals: npt.ArrayLike, perturbed: npt.ArrayLike) -> StressCell:
    """Add to a result how much single ratings vary; return it unchanged if the originals were rated only once.

    Args:
        cell: The result.
        originals: Ratings of the original texts, shape (n, r0), in levels; nan where there is none.
        perturbed: Ratings of the changed texts, shape (n, r1), in levels; nan where there is none.

    Example:
        >>> originals = [[3, 3], [4, 4], [2, 3], [5, 5], [3, 4], [4, 4], [1, 1], [2, 2]]
        >>> noise = with_noise(NOT_PRESERVING, originals, [[4], [4], [3], [5], [5], [2], [1], [3]]).noise
        >>> noise.changed, noise.retest, round(noise.effect_sd, 4)
        (0.5625, 0.25, 0.9774)
    """
    first = np.asarray(originals, dtype=np.float64)
    second = np.asarray(perturbed, dtype=np.float64)
    is_complete = ~(np.isnan(first).any(axis=1) | np.isnan(second).any(axis=1))
    first = first[is_complete]
    second = second[is_complete]
    if first.shape[1] < 2 or len(first) < 2:
        return cell
    change = any_change(second[:, 0], first)
    within = float(first.var(axis=1, ddof=1).mean())
    d = second.mean(axis=1) - first.mean(axis=1)
    rest = float(d.var(ddof=1)) - within * (1 / first.shape[1] + 1 / second.shape[1])
    if change.exact_p is None or change.flips_now.value is None or change.flips_stored.value is None:
        return cell
    noise = Noise(change.flips_now.value, change.flips_stored.value, change.exact_p, math.sqrt(max(0.0, rest)))
    return replace(cell, noise=noise)


def _mean(ratings: npt.ArrayLike) -> Floats:
    """Return the mean rating of each row; nan where any rating in the row is missing."""
    return np.asarray(np.asarray(ratings, dtype=np.float64).mean(axis=1))


def reshuffled(current: npt.ArrayLike, stored: npt.ArrayLike) -> float:
    """Compute the mid-p of a mean shift by a permutation test, which exchanges each example's ratings between the runs.

    The test is exact for any distribution of the ratings. A test of the differences' signs isn't exact for skewed
    differences near an end of the scale. With one current rating of each example, the result is the mid-p of
    `stats.change.moved`.

    Args:
        current: Ratings now, in m runs, shape (n, m), nan if missing.
        stored: Ratings of r stored runs, shape (n, r), nan if missing. An example counts if all its ratings exist.

    Returns:
        The two-sided mid-p. If there are more than MOST_DEALS ways to exchange an example's ratings, the test isn't
        computed and the result is 0, so that a caller that takes the larger of two p-values uses its other test.

    Example:
        >>> reshuffled([[1], [1], [1], [1], [1]], [[0], [0], [0], [0], [0]])
        0.03125
    """
    first = np.asarray(current, dtype=np.float64)
    runs = np.hstack([first, np.asarray(stored, dtype=np.float64)])
    whole, _ = whole_multiples(runs[~np.isnan(runs).any(axis=1)])
    n_runs = runs.shape[1]
    n_now = first.shape[1]
    if math.comb(n_runs, n_now) > MOST_DEALS:
        return 0.0
    deals = np.zeros((math.comb(n_runs, n_now), n_runs), dtype=np.int64)
    for index, deal in enumerate(combinations(range(n_runs), n_now)):  # the first deal is the real one
        deals[index, deal] = 1
    outcomes = n_runs * (whole @ deals.T) - n_now * whole.sum(axis=1, keepdims=True)
    once = np.ones(len(outcomes), dtype=np.int64)
    return chance_of_first(outcomes, once, two_sided=True)[1] if outcomes.any() else 1.0
