"""Strengths of systems from preferences between two of them at a time: Davidson's model of wins and ties.

P(i beats j) : P(tie) : P(j beats i) = √(πi/πj) : ν : √(πj/πi). Strengths are given as logarithms that sum to 0.
Preferences are arrays with one row per pair: the numbers of the two systems, and -1 if the first is better, 0 for a
tie, 1 if the second is better.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from markscheme.phrases import counted
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import (
    IDENTITY,
    Floats,
    Groups,
    Integers,
    mark_rough,
    t_quantile,
    withhold,
)
from markscheme.stats.shares import FEWEST_GROUPS, GROUPS_TO_TRUST

MOST_NEWTON_STEPS = 60
"""Largest number of Newton steps: the likelihood is concave, and five to ten usually suffice."""
NEGLIGIBLE_STEP = 1e-10
"""Size of a step of log strengths below which no printed digit changes."""
LONGEST_STEP = 2.0
"""Largest step of log strengths: far from the maximum, a longer step may overshoot."""
FURTHEST = 12.0
"""Log strength beyond which a strength counts as not finite: it would mean odds of over 100,000 to 1, and grow with
each step."""
RIDGE = 1e-9
"""Amount added to the curvature, so that a step is defined even if strengths are not finite; it changes no printed
digit."""
_WON, _TIED, _LOST = range(3)
"""Indices of the results of a pair: won, tied or lost by the first response."""


@dataclass(frozen=True, slots=True)
class PairFit:
    """Fit of Davidson's model to the results of two systems: the observed and the expected mean preference.

    Attributes:
        systems: Indices of the two systems, the lower one first.
        n: Number of pairs of their responses.
        observed: Mean preference for the first system, from -1 to 1: its wins minus its losses, divided by `n`.
        expected: Mean preference for the first system by the model; None if the model gives none.
    """

    systems: tuple[int, int]
    n: int
    observed: float
    expected: float | None

    @property
    def miss(self) -> float:
        """Observed mean preference minus the expected one; 0 if `expected` is None."""
        return 0.0 if self.expected is None else self.observed - self.expected


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths of systems, as Davidson's model estimates them from preferences, with jackknife intervals by groups.

    Attributes:
        log_strengths: Log strength of each system; without a value if it has no finite strength.
        differences: For two systems i < j, the log strength of i minus that of j.
        log_tie: Logarithm of ν, which says how readily a pair ties; without a value if no pair ties.
        fits: The fit to each pair of systems, the largest difference of observed and expected first.
        n: Number of pairs of responses.
        n_groups: Number of groups that these pairs come from.
    """

    log_strengths: tuple[Estimate, ...]
    differences: Mapping[tuple[int, int], Estimate]
    log_tie: Estimate
    fits: tuple[PairFit, ...]
    n: int
    n_groups: int

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """Rank of each system: 1 plus the number of significantly stronger systems; None if it has no strength."""
        return tuple(
            None if estimate.value is None else 1 + sum(self._is_stronger(rival, system) for rival in self._ranked)
            for system, estimate in enumerate(self.log_strengths)
        )

    @property
    def _ranked(self) -> tuple[int, ...]:
        return tuple(index for index, estimate in enumerate(self.log_strengths) if estimate.value is not None)

    def _is_stronger(self, first: int, second: int) -> bool:
        if first == second:
            return False
        if first < second:
            return self.differences[first, second].above(0.0)
        return self.differences[second, first].below(0.0)


def davidson(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    preference: npt.ArrayLike,
    *,
    n_systems: int,
    groups: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Strengths:
    """Estimate the strength of each system, from preferences between pairs of responses.

    Args:
        first: The index, from 0, of the system that wrote each first response, shape (n,).
        second: The index of the system that wrote each second response, shape (n,).
        preference: Below 0 if the first response is better, 0 for a tie, above 0 if the second is, nan where there is
            no preference, shape (n,).
        n_systems: Number of systems.
        groups: A name for each pair's group, such as a prompt that several share, shape (n,); the jackknife leaves out
            whole groups.
        level: Coverage of the intervals, 0 to 1.

    Returns:
        Log strengths, which sum to 0 over the systems that have one. A system that always wins, always loses, or isn't
        linked to other systems by any result has no log strength. Intervals are t intervals with one degree of freedom
        less than there are groups; with fewer than 5 groups there are none, and with fewer than 10 they are
        approximate.

    Raises:
        ValueError: Arrays have different lengths, or an index isn't that of a system; the caller made a mistake.

    Source:
        Davidson (1970), Journal of the American Statistical Association 65(329), 317-328.
        doi:10.1080/01621459.1970.10481082; Ford (1957), American Mathematical Monthly 64(8), 28-33, for when strengths
        are finite. doi:10.1080/00029890.1957.11989117

    Example:
        >>> strengths = davidson([0, 0, 0, 0, 0], [1, 1, 1, 1, 1], [-1, -1, -1, 0, 1], n_systems=2)
        >>> [round(estimate.value, 4) for estimate in strengths.log_strengths]
        [0.5493, -0.5493]
    """
    i = np.asarray(first, dtype=np.int64)
    j = np.asarray(second, dtype=np.int64)
    x = np.asarray(preference, dtype=np.float64)
    if i.shape != x.shape or j.shape != x.shape or x.ndim != 1:
        raise ValueError(f"one system on each side of each pair: shapes {i.shape}, {j.shape} and {x.shape}")
    if len(i) and not (min(i.min(), j.min()) >= 0 and max(i.max(), j.max()) < n_systems):
        raise ValueError(f"systems are numbered from 0 to {n_systems - 1}")
    counted_pairs = ~np.isnan(x) & (i != j)
    in_groups = Groups.of(groups, len(x)).of_units(counted_pairs)
    results = _results(i[counted_pairs], j[counted_pairs], x[counted_pairs], n_systems, in_groups)
    linked = _largest_linked(results[0])
    theta, eta = _fit(results, linked)
    if np.isnan(theta[0]).any():  # a system wins and ties without a loss, at one remove or more
        linked = _largest_linked(results[0], by_ties=False)
        theta, eta = _fit(results, linked)
    return _strengths(results[0], theta, eta, linked, in_groups, level)


# --- counts ---------------------------------------------------------------------------------------------------------


def _results(first: Integers, second: Integers, preference: Floats, n_systems: int, groups: Groups) -> Floats:
    """Count wins, ties and losses of each system against every other: in all pairs, then without each group in turn.

    Args:
        first: Index of the system of each pair's first response, shape (n_pairs,).
        second: Index of the system of each pair's second response, shape (n_pairs,).
        preference: Preference of each pair: below 0 for the first response, 0 for a tie, above 0 for the second.
        n_systems: Number of systems.
        groups: Groups of the pairs.

    Returns:
        The counts, shape (1 + n_groups, n_systems, n_systems, 3); each pair counts for both of its systems.
    """
    by_group = np.zeros((groups.n, n_systems, n_systems, 3))
    outcome = np.sign(preference).astype(np.int64) + 1
    np.add.at(by_group, (groups.number, first, second, outcome), 1)
    np.add.at(by_group, (groups.number, second, first, 2 - outcome), 1)
    total = by_group.sum(axis=0, keepdims=True)
    return np.concatenate([total, total - by_group])


def _largest_linked(results: Floats, *, by_ties: bool = True) -> Integers:
    """Find the largest set of systems in which a chain of wins or ties leads from every system to every other.

    Args:
        results: Counts of wins, ties and losses of each system (first axis) against each other one (second axis), shape
            (n_systems, n_systems, 3).
        by_ties: False if ties don't count, so that a chain of wins is needed.
    """
    reaches = (results[:, :, _WON] + by_ties * results[:, :, _TIED]) > 0
    reaches |= np.eye(len(reaches), dtype=bool)
    for _ in range(len(reaches).bit_length()):  # each round doubles how far they reach
        reaches |= reaches @ reaches
    mutual = reaches & reaches.T
    sizes = mutual.sum(axis=1)
    return np.flatnonzero(mutual[int(sizes.argmax())])


# --- maximum likelihood ---------------------------------------------------------------------------------------------


def _fit(results: Floats, linked: Integers) -> tuple[Floats, Floats]:
    """Fit Davidson's model by maximum likelihood to each set of results: of all pairs, then without each group in turn.

    Args:
        results: Counts of wins, ties and losses of each system against every other in each of the m sets, shape
            (m, n_systems, n_systems, 3).
        linked: Indices of the k systems to fit; in the first set, a chain of wins or ties leads from each of them to
            every other.

    Returns:
        Log strengths of the linked systems, shape (m, k), each row summing to 0, and the log of the model's parameter
        for ties (ν), shape (m,); nan where they are not finite.
    """
    among = results[:, linked[:, None], linked]
    if len(linked) < 2:
        nothing = np.full(len(results), np.nan)
        return np.full((len(results), len(linked)), np.nan), nothing
    is_linked = np.array([len(_largest_linked(one_set)) == len(linked) for one_set in among])
    theta = np.full((len(results), len(linked)), np.nan)
    eta = np.full(len(results), np.nan)
    ties = among[..., _TIED].sum(axis=(1, 2)) > 0
    for has_ties in (True, False):
        chosen = is_linked & (ties == has_ties)
        if chosen.any():
            theta[chosen], eta[chosen] = _maximum(among[chosen], has_ties)
    return theta, eta


def _maximum(results: Floats, has_ties: bool) -> tuple[Floats, Floats]:
    """Fit the systems' log strengths and log ν to each set of results by maximum likelihood.

    Args:
        results: Counts of wins, ties and losses between each two systems, shape (m, k, k, 3).
        has_ties: True if any pair ties. Without ties, log ν is nan.

    Returns:
        Log strengths, shape (m, k), and log ν, which says how readily a pair ties, shape (m,).
    """
    m, k = results.shape[:2]
    won = results[..., _WON]
    lost = results[..., _LOST]
    n = results.sum(axis=-1)
    credit = (won - lost).sum(axis=2) / 2
    ties = results[..., _TIED].sum(axis=(1, 2)) / 2
    theta = np.zeros((m, k))
    eta = np.full(m, 0.0 if has_ties else -np.inf)
    for _ in range(MOST_NEWTON_STEPS):
        win, tie, loss = _chances(theta, eta)
        pull = (win - loss) / 2
        slope_theta = credit - (n * pull).sum(axis=2)
        slope_eta = ties - (n * tie).sum(axis=(1, 2)) / 2
        curvature = _curvature(n, win, tie, loss, has_ties)
        slope = np.concatenate([slope_theta, slope_eta[:, None]], axis=1) if has_ties else slope_theta
        step = np.linalg.solve(curvature + RIDGE * np.eye(slope.shape[1]), slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        step *= np.minimum(1.0, LONGEST_STEP / np.maximum(longest, LONGEST_STEP / 2))
        theta += step[:, :k]
        if has_ties:
            eta += step[:, k]
        if longest.max() < NEGLIGIBLE_STEP:
            break
    centred = theta - theta.mean(axis=1, keepdims=True)
    is_finite = np.abs(centred).max(axis=1) <= FURTHEST
    centred[~is_finite] = np.nan
    return centred, np.where(is_finite, eta, np.nan) if has_ties else np.full(m, np.nan)


def _chances(theta: Floats, eta: Floats) -> tuple[Floats, Floats, Floats]:
    """Compute the probabilities that each system wins, ties and loses against every other, shape (m, k, k).

    Args:
        theta: Log strengths of the systems, shape (m, k).
        eta: Log of the model's parameter for ties (ν), shape (m,).
    """
    half = (theta[:, :, None] - theta[:, None, :]) / 2
    win = np.exp(half)
    loss = np.exp(-half)
    tie = np.broadcast_to(np.exp(eta)[:, None, None], win.shape)
    whole = win + loss + tie
    return win / whole, tie / whole, loss / whole


def _curvature(n: Floats, win: Floats, tie: Floats, loss: Floats, has_ties: bool) -> Floats:
    """Compute the negative Hessian of the log likelihood, made invertible by a penalty on the sum of strengths.

    Args:
        n: Number of pairs of responses by each two systems, in each of m sets of results, shape (m, k, k).
        win: Probability that the first of the two systems wins, shape (m, k, k).
        tie: Probability of a tie, shape (m, k, k).
        loss: Probability that the first of the two systems loses, shape (m, k, k).
        has_ties: True if the model's parameter for ties is fitted too.
    """
    m, k = n.shape[:2]
    spread = n * ((win + loss) / 4 - ((win - loss) / 2) ** 2)
    theta = -spread
    diagonal = np.arange(k)
    theta[:, diagonal, diagonal] = spread.sum(axis=2) - np.diagonal(spread, axis1=1, axis2=2)
    theta = theta + 1.0
    if not has_ties:
        return theta
    cross = -(n * tie * (win - loss) / 2).sum(axis=2)
    eta = (n * tie * (1 - tie)).sum(axis=(1, 2)) / 2
    whole = np.zeros((m, k + 1, k + 1))
    whole[:, :k, :k] = theta
    whole[:, :k, k] = cross
    whole[:, k, :k] = cross
    whole[:, k, k] = eta
    return whole


# --- estimates ------------------------------------------------------------------------------------------------------


def _strengths(
    results: Floats, theta: Floats, eta: Floats, linked: Integers, groups: Groups, level: float
) -> Strengths:
    places = {int(system): index for index, system in enumerate(linked)}
    alone = len(linked) < 2
    log_strengths = tuple(
        _without_strength(results[system], int(groups.n), level)
        if alone or system not in places
        else _estimate(theta[:, places[system]], groups, level, "Davidson's log strength")
        for system in range(len(results))
    )
    differences = {
        (i, j): _estimate(theta[:, places[i]] - theta[:, places[j]], groups, level, "difference of log strengths")
        if not alone and i in places and j in places
        else Estimate.without_value("a system without a finite strength", n=groups.n, method="difference", level=level)
        for i, j in combinations(range(len(results)), 2)
    }
    why_no_tie = "nothing ties" if not results[:, :, _TIED].any() else "no two systems have finite strengths"
    log_tie = (
        Estimate.without_value(why_no_tie, n=groups.n, method="Davidson's log ν", level=level)
        if alone or np.isnan(eta[0])
        else _estimate(eta, groups, level, "Davidson's log ν")
    )
    return Strengths(
        log_strengths,
        differences,
        log_tie,
        tuple(sorted(_fits(results, theta, eta, places), key=lambda fit: -abs(fit.miss))),
        n=round(float(results.sum()) / 2),
        n_groups=groups.n,
    )


def _estimate(values: Floats, groups: Groups, level: float, method: str) -> Estimate:
    estimate = groups.jackknife(values, transform=IDENTITY, level=level, method=method)
    if estimate.value is None or estimate.low is None:
        return estimate
    left_out = values[1:]
    se = float(np.sqrt((groups.n - 1) / groups.n * ((left_out - left_out.mean()) ** 2).sum()))
    reach = t_quantile(groups.n - 1, level) * se
    low = estimate.value - reach
    estimate = replace(estimate, low=low, high=estimate.value + reach, method=f"{method}; jackknife t")
    few = f"only {counted(groups.n, 'group')}"
    if groups.n < FEWEST_GROUPS:
        return withhold(estimate, few)
    return mark_rough(estimate, few) if groups.n < GROUPS_TO_TRUST else estimate


def _without_strength(results: Floats, n_groups: int, level: float) -> Estimate:
    """Return an Estimate that has no value but the reason why a system has no finite strength.

    Args:
        results: Numbers of wins, ties and losses of the system against each other system, shape (n_systems, 3).
        n_groups: Number of groups of pairs.
        level: Coverage that an interval would have.
    """
    won, tied, lost = results.sum(axis=0).tolist()
    if not won + tied + lost:
        why = "it is in no pair"
    elif not lost and not tied:
        why = f"it wins all {won:g} of its pairs"
    elif not won and not tied:
        why = f"it loses all {lost:g} of its pairs"
    elif not lost or not won:
        why = f"it {'wins' if won else 'loses'} or ties all {won + tied + lost:g} of its pairs"
    else:
        why = "no results link it to the others"
    return Estimate.without_value(why, n=n_groups, method="Davidson's log strength", level=level)


def _fits(results: Floats, theta: Floats, eta: Floats, places: Mapping[int, int]) -> list[PairFit]:
    fits = []
    has_model = len(places) >= 2 and not np.isnan(theta[0]).any()
    if has_model:
        finite = np.where(np.isnan(eta[:1]), -np.inf, eta[:1])
        win, _, loss = _chances(theta[:1], finite)
    for i, j in combinations(range(len(results)), 2):
        won, tied, lost = results[i, j].tolist()
        n = won + tied + lost
        if not n:
            continue
        expected = None
        if has_model and i in places and j in places:
            expected = float((win - loss)[0, places[i], places[j]])
        fits.append(PairFit((i, j), int(n), (won - lost) / n, expected))
    return fits


def cycles(results: Mapping[tuple[int, int], Estimate], n_systems: int) -> tuple[int, int]:
    """Count the triples of systems that significantly beat each other in a circle, and all triples compared.

    Args:
        results: For two systems i < j, the mean preference for i over j, with its interval.
        n_systems: Number of systems.

    Example:
        >>> better, worse = Estimate(0.5, 0.2, 0.8, n=40), Estimate(-0.5, -0.8, -0.2, n=40)
        >>> cycles({(0, 1): better, (1, 2): better, (0, 2): worse}, 3)
        (1, 1)
    """

    def beats(i: int, j: int) -> bool:
        return results[i, j].above(0.0) if i < j else results[j, i].below(0.0)

    triples = [
        triple
        for triple in combinations(range(n_systems), 3)
        if all(pair in results for pair in combinations(triple, 2))
    ]
    turning = [
        (i, j, k)
        for i, j, k in triples
        if (beats(i, j) and beats(j, k) and beats(k, i)) or (beats(j, i) and beats(k, j) and beats(i, k))
    ]
    return len(turning), len(triples)
