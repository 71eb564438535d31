"""Statistics of modes in outputs: shares of listed modes, bounds on unseen modes, and how much to read.

An *output* is read or not, and shows any number of *modes* (kinds of fault). A mode is listed once somebody notes it.
"""

import itertools
import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, gammaln

from markscheme.stats.estimate import Caveat, Estimate
from markscheme.stats.intervals import Floats
from markscheme.stats.roots import zero_between
from markscheme.stats.shares import GroupedShare, grouped_share

SHARE_LEVEL = 0.95
"""Coverage of the interval of a mode's share."""
FEWEST_READ = 30
"""Fewest outputs in which a mode was looked for, for its share to have an interval."""
NEW_MODE_CONFIDENCE = 0.9
"""Confidence of the bound on modes not yet noted, however often one looks at it."""
NEW_MODE_PERIOD = 10
"""Number of outputs after which the bound's test adds another start, so that early finds weigh less."""
NEW_MODE_SHARES = (0.0, 0.25, 0.5)
"""Chances of a new mode, as shares of the tested bound, that the bound's test mixes as alternatives."""
LARGE_SHARE = 0.05
"""Default share of outputs above which a mode shouldn't go unseen."""
SURE = 0.9
"""Default probability with which a mode is to be seen if its share is above `LARGE_SHARE`."""
_LARGEST_BOUND = 1 - 1e-12
"""Largest bound that is tested; a larger one says nothing, and the test's logarithms would overflow."""
MISSED_FOR_SURE = 20.0
"""Expected number of missed modes above which the probability of missing any counts as 1."""
NEGLIGIBLE_TERM = 1e-18
"""Smallest term of a sum of probabilities that is computed; smaller terms don't change any digit."""
_SMALLEST_SHARE = 1e-15
"""Share at which the search for a lower limit starts, nearly 0."""


# --- shares of modes on the list ------------------------------------------------------------------------------------


def listed_lower(hits: float, n: float, *, confidence: float = (1 + SHARE_LEVEL) / 2) -> float:
    """Compute the lower limit of the share of outputs with a failure mode, given that one output showed it.

    The limit is that of the zero-truncated binomial, the share at which P(X >= hits | X >= 1) = 1 - confidence.

    Args:
        hits: Number of outputs that show the mode; not whole if outputs in groups count as fewer.
        n: Number of outputs in which the mode was looked for, or the effective number if outputs are in groups.
        confidence: One-sided confidence of the limit.

    Returns:
        The limit, 0 to 1. It is 0 for a mode seen once, and also if `hits` is so close to 1 that the limit would be
        below `_SMALLEST_SHARE`.

    Raises:
        ValueError: The hits are outside 0 to n, which is the caller's mistake.

    Source:
        Clopper and Pearson (1934), Biometrika 26(4), 404-413, with the truncated distribution of David and Johnson
        (1952), Biometrics 8(4), 275-285. doi:10.2307/3001863

    Example:
        >>> round(listed_lower(5, 100), 6), listed_lower(1, 100)
        (0.015431, 0.0)
    """
    if not 0 <= hits <= n:
        raise ValueError(f"{hits} of {n} is no share")
    if hits <= 1:
        return 0.0

    def excess(share: float) -> float:
        at_least_one = -math.expm1(n * math.log1p(-share))
        return float(betainc(hits, n - hits + 1, share)) / at_least_one - (1 - confidence)

    if excess(_SMALLEST_SHARE) >= 0:
        return 0.0  # so few effective hits that every share above nothing explains them
    return zero_between(excess, _SMALLEST_SHARE, 1 - _SMALLEST_SHARE)


def listed_limits(shares: GroupedShare, *, level: float = SHARE_LEVEL) -> tuple[float, float] | None:
    """Return the lower and upper limit of the share of outputs that show a failure mode of the codebook.

    The lower limit is corrected, since a mode comes into the codebook only after an output has shown it. The upper
    limit needs no correction.

    Args:
        shares: The mode's share of the outputs read. None is returned with fewer than 5 groups, or without outputs.
        level: Coverage of the interval, 0 to 1.
    """
    confidence = (1 + level) / 2
    high = shares.upper(confidence)
    if high is None:
        return None
    is_seen_once = round(shares.value * shares.n) <= 1
    effective_hits = min(shares.effective, shares.value * shares.effective)
    low = 0.0 if is_seen_once else listed_lower(effective_hits, shares.effective, confidence=confidence)
    return min(low, shares.value), high


def listed_share(
    hits: npt.ArrayLike, groups: npt.ArrayLike | None = None, *, level: float = SHARE_LEVEL, of: str = "outputs"
) -> Estimate:
    """Estimate the share of outputs that show a failure mode, among the outputs in which readers looked for it.

    Args:
        hits: 1 for an output that shows the mode, 0 for one that doesn't, shape (n,).
        groups: A name for each output's group, such as a task that several share, shape (n,).
        level: Coverage of the interval.
        of: Noun for the units that the share is of.

    Returns:
        The share, 0 to 1. Below 30 outputs, its note has the counts in place of an interval; with fewer than 5 groups
        it has no interval either.

    Source:
        The sources of `listed_lower` and `grouped_share`.

    Example:
        >>> share = listed_share([1] * 12 + [0] * 48)
        >>> round(share.low, 6), round(share.high, 4)
        (0.107825, 0.3233)
        >>> listed_share([1, 0, 0]).note
        'few: 1 of 3'
    """
    shares = grouped_share(hits, groups)
    estimate = shares.estimate(level=level, method=f"share of {of}")
    if estimate.value is None:
        return replace(estimate, undefined=f"no {of}")
    if shares.n < FEWEST_READ:
        counts = f"{round(shares.value * shares.n):g} of {shares.n}"
        return replace(estimate, low=None, high=None, caveat=Caveat("few", counts))
    limits = listed_limits(shares, level=level)
    if limits is None:
        return estimate
    low, high = limits
    return replace(estimate, low=low, high=high, method=f"{estimate.method}; lower limit of a listed mode")


# --- modes not yet noted --------------------------------------------------------------------------------------------


def new_mode_bound(is_new: npt.ArrayLike, *, confidence: float = NEW_MODE_CONFIDENCE) -> float:
    """Compute an upper bound, valid at every look, on the share of outputs with a failure mode nobody has noted.

    The chance that the next output shows a new mode can only fall while reading. Each value m of this chance is tested
    against smaller values by likelihood ratios, over the outputs read since each of several starts. If m is the true
    chance, the weighted mean of these ratios is a martingale, so it reaches 1/(1-confidence) with probability
    1-confidence at most. The bound is the m for which the weighted mean is 1/(1-confidence). An output shows a new mode
    if this reader *would note* one.

    Args:
        is_new: 1 for an output in which a new mode was noted, else 0, in reading order, shape (n,).
        confidence: Confidence with which the bound holds, however often one looks at it.

    Returns:
        The bound, 0 to 1; 1 if there are too few outputs to say anything.

    Source:
        Ville (1939), Étude critique de la notion de collectif, for the inequality; Robbins (1970), Annals of
        Mathematical Statistics 41(5), 1397-1409, for the mixture. doi:10.1214/aoms/1177696786

    Example:
        >>> round(new_mode_bound([0] * 50), 6), new_mode_bound([])
        (0.06521, 1.0)
    """
    marks = np.asarray(is_new, dtype=np.float64)
    n = len(marks)
    starts = np.arange(0, n, NEW_MODE_PERIOD)
    if not n:
        return 1.0
    lengths = n - starts
    new_after = marks.sum() - np.concatenate([[0.0], np.cumsum(marks)])[starts]
    indices = np.arange(len(starts))
    log_weights = -np.log((indices + 1.0) * (indices + 2.0) * len(NEW_MODE_SHARES))
    wanted = -math.log(1 - confidence)

    def excess(bound: float) -> float:
        terms = [
            log_weights
            + (_log_power(ratio, new_after) + (lengths - new_after) * math.log((1 - ratio * bound) / (1 - bound)))
            for ratio in NEW_MODE_SHARES
        ]
        return float(np.logaddexp.reduce(np.concatenate(terms))) - wanted

    if excess(_LARGEST_BOUND) < 0:
        return 1.0
    return zero_between(excess, 0.0, _LARGEST_BOUND)


def _log_power(base: float, exponents: Floats) -> Floats:
    """Compute log(base ** exponent) for each exponent, where 0 to the power of 0 is 1."""
    if base:
        return exponents * math.log(base)
    return np.where(exponents > 0, -np.inf, 0.0)


# --- counts of modes ------------------------------------------------------------------------------------------------


def good_turing(shows: npt.ArrayLike) -> float:
    """Compute the Good-Turing estimate of the share of outputs with an unseen failure mode.

    Args:
        shows: 1 if an output shows a mode, else 0, shape (n_outputs, n_modes).

    Returns:
        The share of outputs with a mode that no other output shows, 0 to 1; nan without outputs.

    Source:
        Good (1953), Biometrika 40(3-4), 237-264. doi:10.1093/biomet/40.3-4.237
    """
    incidence = _incidence(shows)
    if not len(incidence):
        return math.nan
    alone = incidence[:, incidence.sum(axis=0) == 1]
    return float(alone.any(axis=1).mean())


def chao2(shows: npt.ArrayLike) -> float:
    """Compute the Chao2 estimate of the number of failure modes, seen or not.

    Args:
        shows: 1 if an output shows a mode, else 0, shape (n_outputs, n_modes).

    Source:
        Chao (1987), Biometrics 43(4), 783-791, bias-corrected form. doi:10.2307/2531532

    Example:
        >>> chao2(np.eye(10))
        50.5
    """
    incidence = _incidence(shows)
    outputs = len(incidence)
    counts = incidence.sum(axis=0)
    seen = int((counts > 0).sum())
    if not outputs:
        return 0.0
    once = int((counts == 1).sum())
    twice = int((counts == 2).sum())
    return seen + (outputs - 1) / outputs * once * (once - 1) / (2 * (twice + 1))


def rarefaction(shows: npt.ArrayLike) -> Floats:
    """Count the failure modes seen after reading 1 … n outputs, averaged over all orders of reading them.

    Args:
        shows: 1 if an output shows a mode, else 0, shape (n_outputs, n_modes).

    Returns:
        The mean numbers of modes, non-decreasing, shape (n_outputs,); the last is the number of modes seen.

    Source:
        Hurlbert (1971), Ecology 52(4), 577-586. doi:10.2307/1934145

    Example:
        >>> rarefaction([[1, 0], [1, 1]]).round(2).tolist()
        [1.5, 2.0]
    """
    incidence = _incidence(shows)
    n = len(incidence)
    counts = incidence.sum(axis=0)
    counts = counts[counts > 0]
    size = np.arange(1, n + 1)[:, None]
    room = n - counts[None, :]
    is_possible = size <= room
    remaining = np.where(is_possible, room - size, 0)
    log_missed = gammaln(room + 1) - gammaln(remaining + 1) - gammaln(n + 1) + gammaln(n - np.minimum(size, n) + 1)
    return np.asarray((1 - np.where(is_possible, np.exp(log_missed), 0.0)).sum(axis=1))


def _incidence(shows: npt.ArrayLike) -> Floats:
    table = np.asarray(shows, dtype=np.float64)
    if table.ndim != 2 or not np.isin(table, (0.0, 1.0)).all():
        raise ValueError("modes by output are a table of zeros and ones")
    return table


# --- how much to read -----------------------------------------------------------------------------------------------


def chance_missed(read: int, share: float, *, pool: int | None = None) -> float:
    """Compute the probability that no output read shows a failure mode that over `share` of all outputs show.

    Args:
        read: Number of outputs read.
        share: Share of outputs that show the mode, 0 to 1.
        pool: Number of outputs that there are; None for an endless stream.

    Returns:
        The probability, 0 to 1. In a pool, it is computed for the smallest number of outputs that is over `share` of
        the pool.

    Example:
        >>> round(chance_missed(45, 0.05), 5), round(chance_missed(37, 0.05, pool=200), 6)
        (0.09944, 0.098746)
    """
    if pool is None:
        return float((1 - share) ** read)
    showing = math.floor(share * pool + _SMALLEST_SHARE * pool) + 1
    if read > pool - showing:
        return 0.0
    log_chance = gammaln(pool - showing + 1) - gammaln(pool - showing - read + 1)
    return float(math.exp(log_chance - gammaln(pool + 1) + gammaln(pool - read + 1)))


def read_enough(share: float = LARGE_SHARE, sure: float = SURE, *, pool: int | None = None) -> int:
    """Return how many outputs to read at random to see, with probability `sure`, any one common failure mode.

    A failure mode is common if over `share` of all outputs show it. Looking at notes in between doesn't change the
    probability, since the number is fixed before reading. `pool` is the number of all outputs; None for an endless
    stream.

    Example:
        >>> read_enough(), read_enough(pool=200)
        (45, 37)
    """
    most = itertools.count() if pool is None else range(pool + 1)
    return next(read for read in most if chance_missed(read, share, pool=pool) <= 1 - sure)


def chance_any_missed(read: int, share: float) -> float:
    """Compute the probability that random reading misses any of 1/share failure modes, each in that share of outputs.

    >>> round(chance_any_missed(103, 0.05), 6)
    0.097904
    """
    modes = _most_modes(share)
    if not read or modes * (1 - share) ** read > MISSED_FOR_SURE:
        return 1.0
    terms: list[float] = []
    log_ways = 0.0
    for missed in range(1, modes + 1):
        log_ways += math.log((modes - missed + 1) / missed)
        remaining = 1 - missed * share
        term = math.exp(log_ways + read * math.log(remaining)) if remaining > 0 else 0.0
        terms.append(term if missed % 2 else -term)
        if missed > MISSED_FOR_SURE and term < NEGLIGIBLE_TERM:
            break
    return min(1.0, max(0.0, math.fsum(terms)))


def read_enough_for_all(share: float = LARGE_SHARE, sure: float = SURE) -> int:
    """Return how many outputs to read at random to see every failure mode that at least a given share of outputs shows.

    >>> read_enough_for_all()
    103
    """
    at_most = math.log((1 - sure) / _most_modes(share)) / math.log1p(-share)  # if no two were missed together
    read = max(0, math.ceil(at_most))
    while read and chance_any_missed(read - 1, share) <= 1 - sure:
        read -= 1
    return read


def _most_modes(share: float) -> int:
    """Return the largest number of failure modes if each occurs in a given share of outputs and no output shows two."""
    return math.floor(1 / share + 1e-9)


# --- agreement on sets of modes -------------------------------------------------------------------------------------


def masi(first: Collection[str], second: Collection[str]) -> float:
    """Compute the MASI similarity of two sets: 1 for the same, 0 for sets without a common member.

    Source:
        Passonneau (2006), Measuring Agreement on Set-valued Items (MASI), LREC 2006, 831-836.

    Example:
        >>> round(masi("ab", "a"), 4), masi("", "")
        (0.3333, 1.0)
    """
    together = set(first)
    right = set(second)
    if together == right:
        return 1.0
    common = len(together & right)
    if not common:
        return 0.0
    monotone = 2 / 3 if together <= right or right <= together else 1 / 3
    return common / len(together | right) * monotone


def masi_credit(sets: Sequence[Collection[str]]) -> Floats:
    """Compute the MASI similarity of each pair of sets, shape (n, n), as custom weights for `agreement`."""
    return np.array([[masi(first, second) for second in sets] for first in sets])
