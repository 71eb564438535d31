"""How a judge distorts what annotators see: its slope, its noise, its halo, and its bias on other features.

An annotator's own noise biases a plain regression slope or a ratio of standard deviations. Two annotators who rated the
same examples share only the true level, so their covariance removes that noise.

Annotators' ratings come as a table of shape (n_units, n_people), nan where one gave none; the judge's as a vector.
"""

import math
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Self

import numpy as np
import numpy.typing as npt

from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import IDENTITY, LOG, Floats, Grouping, Groups
from markscheme.stats.rating_patterns import over, people_and_judge, people_table

LEAST_UNITS = 5
"""With fewer units than this, no second moments are reported."""


def slope_on_people(
    people: npt.ArrayLike, judge: npt.ArrayLike, *, groups: Grouping = None, level: float = 0.95
) -> Estimate:
    """Estimate the judge's rise per level of the true level: cov(judge, people) / cov(person, person).

    Args:
        people: Ratings, shape (n_units, n_people), nan = missing. Units rated by judge and two annotators count.
        judge: Ratings, shape (n_units,), nan = missing.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        level: Coverage of the interval, 0 to 1.

    Returns:
        1 where the judge spreads its levels as the truth does, below 1 where it keeps to the middle (central
        tendency), above 1 where it exaggerates the ends; undefined where annotators share no variance or the judge
        doesn't rise with them.

    Raises:
        ValueError: The caller's fault: shapes that don't fit, or infinite ratings.

    Source:
        Fuller (1987), Measurement Error Models, section 1.2, with the second annotator as replicate.

    Example:
        >>> people = np.column_stack([[1, 2, 3, 4, 5, 3], [1, 2, 3, 4, 5, 3]])
        >>> slope_on_people(people, [2, 2.5, 3, 3.5, 4, 3]).value
        0.5
    """
    seen = _SharedMoments.of(people, judge, groups)
    why = seen.refusal() or (None if seen.with_judge[0] > 0 else "the judge doesn't rise with people")
    return seen.ratio(why, seen.with_judge, seen.shared, level, "cov(judge, people)/cov(person, person)")


def noise_beside_people(
    people: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    step: float = 1.0,
    groups: Grouping = None,
    level: float = 0.95,
) -> Estimate:
    """Estimate the judge's error variance about its own straight line, divided by an annotator's error variance.

    Args:
        people: Ratings, shape (n_units, n_people), nan = missing. Units rated by judge and two annotators count.
        judge: Ratings, shape (n_units,), nan = missing.
        step: Distance from one level to the next. Annotators who never disagreed are treated as if two of them had
            differed once by this much.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        level: Coverage of the interval, 0 to 1.

    Returns:
        1 where the judge is as noisy as an annotator, 2 where its error variance is twice an annotator's; undefined
        where annotators share no variance or the judge shows no error of its own.

    Raises:
        ValueError: The caller's fault: shapes that don't fit, or infinite ratings.

    Source:
        Grubbs (1948), Journal of the American Statistical Association 43(242), 243-264.
        doi:10.1080/01621459.1948.10483261

    Example:
        >>> first, second = [1, 2, 3, 4, 5, 3, 2, 4], [1, 2, 4, 4, 5, 3, 2, 3]
        >>> round(noise_beside_people(np.column_stack([first, second]), [3, 2, 3, 2, 5, 5, 1, 4]).value, 2)
        11.03
    """
    seen = _SharedMoments.of(people, judge, groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_judge = seen.judge - seen.with_judge**2 / seen.shared
        differed_once = step**2 / (2 * max(1, seen.n_units))
        of_person = np.maximum(seen.annotator - seen.shared, differed_once)
    why = seen.refusal() or (None if of_judge[0] > 0 else "the judge shows no error")
    return seen.ratio(why, of_judge, of_person, level, "error variance, judge/person")


def shared_and_own(people: npt.ArrayLike, units: npt.ArrayLike | None = None) -> tuple[float, float]:
    """Return the variance that annotators share, which is the truth's, and the error variance of one of them.

    Args:
        people: Ratings, shape (n_rows, n_people), nan = missing. A unit counts where two annotators rated it.
        units: How many units each row stands for, shape (n_rows,); one each by default.

    Returns:
        Both in squared units of the ratings, the error not below 0; nan where fewer than five units count. Where
        annotators share nothing, the first can fall below 0 by chance.

    Raises:
        ValueError: The caller's fault: not a table, or infinite ratings.

    Example:
        >>> shared, own = shared_and_own([[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]])
        >>> shared, own
        (2.5, 0.0)
    """
    table = np.asarray(people, dtype=np.float64)
    times = np.ones(len(table)) if units is None else np.asarray(units, dtype=np.float64)
    together = Groups(np.zeros(len(table), dtype=np.int64), 1, times=times)
    seen = _SharedMoments.of(table, np.zeros(len(table)), together)
    if seen.n_units < LEAST_UNITS:
        return math.nan, math.nan
    return float(seen.shared[0]), max(0.0, float(seen.annotator[0] - seen.shared[0]))


def correlation_without_noise(
    first: npt.ArrayLike, second: npt.ArrayLike, *, groups: Grouping = None, level: float = 0.95
) -> Estimate:
    """Estimate the true correlation of two criteria, from levels that different annotators gave on them.

    Args:
        first: Annotators' ratings on one criterion, shape (n_units, n_people), nan = missing.
        second: Their ratings on the other criterion, of the same shape.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        level: Coverage of the interval, 0 to 1.

    Returns:
        1 where the two criteria measure the same thing; it can exceed 1 by chance, since noise is divided out.
        Undefined where annotators share no variance on one of them.

    Raises:
        ValueError: The caller's fault: shapes that don't fit, or infinite ratings.

    Source:
        Spearman (1904), American Journal of Psychology 15(1), 72-101. doi:10.2307/1412159

    Example:
        >>> first = np.column_stack([[1, 2, 3, 4, 5, 3], [1, 2, 3, 4, 5, 4]])
        >>> round(correlation_without_noise(first, 6 - first).value, 3)
        -1.0
    """
    ratings = people_table(first)
    others = people_table(second)
    if ratings.shape != others.shape:
        raise ValueError(f"both criteria need the same units and people, not {ratings.shape} and {others.shape}")
    units = Groups.of(groups, len(ratings))
    in_both = np.isfinite(ratings) & np.isfinite(others)
    ratings = np.where(in_both, ratings, np.nan)
    others = np.where(in_both, others, np.nan)
    method = "correlation across people, their noise divided out"
    left, right = _ordered_pairs(ratings.shape[1])
    rated = units.count(in_both.sum(axis=1) >= 2)
    if rated < LEAST_UNITS:
        return Estimate.without_value(f"only {rated} units that two people rated", n=rated, method=method, level=level)
    covariances = _Covariances(units)
    (own_left, own_right), (other_left, other_right) = ((table.T[left], table.T[right]) for table in (ratings, others))
    cross = covariances.of(own_left, other_right)
    variances = [covariances.of(own_left, own_right), covariances.of(other_left, other_right)]
    if not min(variance[0] for variance in variances) > 0:
        return Estimate.without_value("people share no variance", n=rated, method=method, level=level)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = cross / np.sqrt(variances[0] * variances[1])
    return units.jackknife(values, transform=IDENTITY, level=level, method=method)


def halo(people: npt.ArrayLike, judge: npt.ArrayLike, *, groups: Grouping = None, level: float = 0.95) -> Estimate:
    """Estimate how far the other criteria color the judge's level on one, beyond what they do for an annotator.

    Regress the judge's positions on an annotator's own and on that annotator's mean over the other criteria. The result
    is the second coefficient minus the same one with another annotator in the judge's place, averaged over criteria.

    Args:
        people: Positions, shape (n_units, n_people, n_criteria), nan = missing, with good always at the upper end.
        judge: Positions, shape (n_units, n_criteria). A unit counts for a pair of annotators where both and the judge
            rated all criteria.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.
        level: Coverage of the interval, 0 to 1.

    Returns:
        0 where the judge separates the criteria as annotators do; 0.3 where it moves a criterion by three tenths
        of how far the others differ. Undefined with fewer than two criteria or two annotators.

    Raises:
        ValueError: The caller's fault: shapes that don't fit, or infinite ratings.

    Source:
        Cooper (1981), Psychological Bulletin 90(2), 218-244, describes the effect. doi:10.1037/0033-2909.90.2.218

    Example:
        >>> rng = np.random.default_rng(1)
        >>> truth = rng.normal(size=(400, 4))
        >>> people = truth[:, None, :] + 0.3 * rng.normal(size=(400, 2, 4))
        >>> coloured = 0.6 * truth + 0.4 * truth.mean(axis=1, keepdims=True)
        >>> round(halo(people, coloured).value, 2), abs(round(halo(people, truth).value, 1))
        (0.28, 0.0)
    """
    tables = np.asarray(people, dtype=np.float64)
    its = np.asarray(judge, dtype=np.float64)
    if tables.ndim != 3 or its.shape != (tables.shape[0], tables.shape[2]):
        raise ValueError(f"people (n, people, criteria) and judge (n, criteria) don't fit: {tables.shape}, {its.shape}")
    if np.isinf(tables).any() or np.isinf(its).any():
        raise ValueError("ratings must be finite numbers or nan")
    n_units, n_people, n_criteria = tables.shape
    units = Groups.of(groups, n_units)
    method = "coefficient of the other criteria, judge minus person"
    left, right = _ordered_pairs(n_people)
    complete = ~np.isnan(tables).any(axis=2)
    counts = complete[:, left] & complete[:, right] & ~np.isnan(its).any(axis=1)[:, None]
    n_counted = units.count(counts.any(axis=1)) if counts.size else 0
    if n_criteria < 2 or n_counted < LEAST_UNITS:
        why = "only one criterion" if n_criteria < 2 else f"only {n_counted} units that two people rated whole"
        return Estimate.without_value(why, n=n_counted, method=method, level=level)
    gammas = []
    for c in range(n_criteria):
        of_criterion = tables[:, :, c].T
        first = np.where(counts.T, of_criterion[left], np.nan)
        others = np.where(counts.T, np.delete(tables, c, axis=2).mean(axis=2).T[left], np.nan)
        second = np.where(counts.T, of_criterion[right], np.nan)
        its_own = np.where(counts.T, its[:, c], np.nan)
        covariances = _Covariances(units)
        gamma = [_second_slope(y, first, others, covariances) for y in (its_own, second)]
        gammas.append(gamma[0] - gamma[1])
    estimates = [gamma for gamma in gammas if np.isfinite(gamma[0])] or [np.full(units.n_sets + 1, np.nan)]
    values = np.mean(estimates, axis=0)
    if not np.isfinite(values[0]):
        return Estimate.without_value("people don't vary", n=n_counted, method=method, level=level)
    return units.jackknife(values, transform=IDENTITY, level=level, method=method)


def leaning(gold: npt.ArrayLike, judge: npt.ArrayLike, on: npt.ArrayLike, *, groups: Grouping = None) -> Estimate:
    """Estimate the rise of the judge's ratings with something that isn't quality, at equal gold or annotator's rating.

    The coefficient of `on` in a regression of the judge on gold and `on`. With two annotators or more, the same
    coefficient with another annotator in the judge's place is subtracted, which allows for the noise of gold and for
    the annotators' own bias.

    Args:
        gold: Ratings, shape (n_units,) or (n_units, n_people), nan = missing.
        judge: Ratings, shape (n_units,), nan = missing.
        on: What the judge may favor, such as the length of the response, shape (n_units,), nan = missing.
        groups: A name for each unit, shape (n_units,), where several share a task and are left out together.

    Returns:
        Rise of the judge's rating when `on` rises by one, with its 95 % interval; undefined where gold or `on` doesn't
        vary.

    Raises:
        ValueError: The caller's fault: shapes that don't fit, or infinite ratings.

    Example:
        >>> gold, length = np.tile([1.0, 2, 3], 4), np.repeat([0.0, 1], 6)
        >>> round(leaning(gold, gold + 0.5 * length, length).value, 6)
        0.5
    """
    gold_ratings = np.asarray(gold, dtype=np.float64)
    table = people_table(gold_ratings if gold_ratings.ndim == 2 else gold_ratings[:, None])
    its = np.asarray(judge, dtype=np.float64)
    feature = np.asarray(on, dtype=np.float64)
    if its.shape != (len(table),) or feature.shape != its.shape:
        raise ValueError(f"judge and `on` must have shape ({len(table)},), not {its.shape} and {feature.shape}")
    units = Groups.of(groups, len(table))
    method = "coefficient with gold held fixed"
    several = bool((~np.isnan(table)).sum(axis=1).max(initial=0) >= 2)
    left, right = _ordered_pairs(table.shape[1]) if several else ([0], [0])
    counts = np.isfinite(table[:, left]) & np.isfinite(table[:, right]) & np.isfinite(its + feature)[:, None]
    n_counted = units.count(counts.any(axis=1))
    if n_counted < LEAST_UNITS:
        return Estimate.without_value(f"only {n_counted} units", n=n_counted, method=method)
    annotator, its_own, of = (np.where(counts.T, values, np.nan) for values in (table.T[left], its, feature))
    covariances = _Covariances(units)
    values = _second_slope(its_own, annotator, of, covariances)
    if several:
        values = values - _second_slope(np.where(counts.T, table.T[right], np.nan), annotator, of, covariances)
    if not np.isfinite(values[0]):
        return Estimate.without_value("gold or what it may lean on doesn't vary", n=n_counted, method=method)
    return units.jackknife(values, transform=IDENTITY, level=0.95, method=method)


@dataclass(frozen=True, slots=True)
class _SharedMoments:
    """Second moments on the units that the judge and two annotators rated: over all, then with each group left out.

    Attributes:
        groups: What is left out at a time.
        shared: Covariance of two annotators.
        annotator: An annotator's variance.
        with_judge: Covariance of the judge and an annotator.
        judge: The judge's variance.
    """

    groups: Groups
    shared: Floats
    annotator: Floats
    with_judge: Floats
    judge: Floats

    @classmethod
    def of(cls, people: npt.ArrayLike, judge: npt.ArrayLike, groups: Grouping) -> Self:
        table, its = people_and_judge(people, judge)
        counted = ~np.isnan(its) & ((~np.isnan(table)).sum(axis=1) >= 2)
        groups_counted = Groups.of(groups, len(table)).of_units(counted)
        ratings = table[counted]
        of_judge = its[counted]
        sums = np.zeros((5, 1 + groups_counted.n_sets))
        for pair in combinations(range(table.shape[1]), 2):
            sums += _pair_moments(ratings[:, pair], of_judge, groups_counted)
        *products, n_less_one = sums
        with np.errstate(divide="ignore", invalid="ignore"):
            return cls(groups_counted, *(of_pairs / n_less_one for of_pairs in products))

    @property
    def n_units(self) -> int:
        """Units that the judge and two annotators rated."""
        return self.groups.n_units

    def refusal(self) -> str | None:
        """Return the reason why the judge can't be compared with annotators, or None."""
        if self.groups.n < LEAST_UNITS:
            return f"only {self.n_units} units that judge and two people rated"
        return None if self.shared[0] > 0 else "people share no variance"

    def ratio(self, why: str | None, above: Floats, below: Floats, level: float, method: str) -> Estimate:
        """Return the ratio of two of these moments, undefined with a reason `why` or if either isn't above 0."""
        if why:
            return Estimate.without_value(why, n=self.groups.n, method=method, level=level)
        values = over(np.where(above > 0, above, np.nan), below)
        return self.groups.jackknife(values, transform=LOG, level=level, method=method)


def _pair_moments(pair: Floats, judge: Floats, groups: Groups) -> Floats:
    """Compute sums of products about their means for two annotators, each once as the first, and their judge.

    Args:
        pair: The annotators' ratings, shape (n_rows, 2), nan = missing.
        judge: Shape (n_rows,).
        groups: What is left out at a time.

    Returns:
        Products of the two annotators, of the first by itself, of the first and the judge, of the judge by itself, and
        the number of examples less one; each over all and then with each group left out, shape (5, 1 + n_sets).
    """
    is_rated = ~np.isnan(pair).any(axis=1)
    n_rated = max(1, int(is_rated.sum()))
    a, b, its = (np.where(is_rated, x - x[is_rated].sum() / n_rated, 0.0) for x in (*pair.T, judge))
    columns = [is_rated.astype(np.float64), a, b, its, a * b, a * a, b * b, a * its, b * its, its * its]
    n, sum_a, sum_b, sum_its, *products = groups.left_out(np.stack(columns))
    means = (sum_a * sum_b, sum_a**2, sum_b**2, sum_a * sum_its, sum_b * sum_its, sum_its**2)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_both, of_a, of_b, a_its, b_its, of_its = np.where(n > 0, np.array(products) - np.array(means) / n, 0.0)
    return np.array([2 * of_both, of_a + of_b, a_its + b_its, 2 * of_its, 2 * np.maximum(n - 1, 0.0)])


def _ordered_pairs(n: int) -> tuple[list[int], list[int]]:
    pairs = list(permutations(range(n), 2))
    return [a for a, _ in pairs], [b for _, b in pairs]


class _Covariances:
    """Covariances of tables of ratings of the same units, each of shape (n_columns, n_units), nan = missing.

    Sums of a table are computed once for all its covariances with tables that lack the same ratings.
    """

    def __init__(self, groups: Groups) -> None:
        """Set up covariances of units that are left out in these groups."""
        self._groups = groups
        self._known: dict[tuple[int, int], Floats] = {}
        self._sums: dict[tuple[int, bytes], tuple[Floats, Floats]] = {}
        self._rated: dict[int, tuple[Floats, npt.NDArray[np.bool_]]] = {}

    def of(self, x: Floats, y: Floats) -> Floats:
        """Compute the covariance of x and y, pooled over columns, over all units; then without each group."""
        if (id(x), id(y)) not in self._known:
            self._known[id(x), id(y)] = self._new(x, y)
        return self._known[id(x), id(y)]

    def _new(self, x: Floats, y: Floats) -> Floats:
        in_both = self._is_rated(x) & self._is_rated(y)
        counted = in_both[:1] if in_both.all() else in_both
        key = np.packbits(counted).tobytes()
        of_x, sum_x = self._centred(x, counted, key)
        of_y, sum_y = self._centred(y, counted, key)
        _, n = self._counts(counted, key)
        products = self._groups.left_out(of_x * of_y)
        with np.errstate(divide="ignore", invalid="ignore"):
            cross = np.where(n > 0, products - sum_x * sum_y / n, 0.0)
            degrees = np.broadcast_to(np.maximum(n - 1, 0.0), cross.shape)
            return np.asarray(cross.sum(axis=0) / degrees.sum(axis=0))

    def _is_rated(self, table: Floats) -> npt.NDArray[np.bool_]:
        """Return which ratings there are; the table is kept, so that its identity is its own."""
        if id(table) not in self._rated:
            self._rated[id(table)] = table, np.isfinite(table)
        return self._rated[id(table)][1]

    def _centred(self, table: Floats, counted: npt.NDArray[np.bool_], key: bytes) -> tuple[Floats, Floats]:
        """Return the ratings minus the mean of their column, and their sums."""
        if (id(table), key) not in self._sums:
            centred = _centred(table, counted)
            self._sums[id(table), key] = centred, self._groups.left_out(centred)
        return self._sums[id(table), key]

    def _counts(self, counted: npt.NDArray[np.bool_], key: bytes) -> tuple[Floats, Floats]:
        """Return which ratings count as numbers, and their sums."""
        if (0, key) not in self._sums:
            numbers = counted.astype(np.float64)
            self._sums[0, key] = numbers, self._groups.left_out(numbers)
        return self._sums[0, key]


def _centred(values: Floats, counted: npt.NDArray[np.bool_]) -> Floats:
    """Return the values minus the mean of their row, and 0 for those that don't count."""
    filled = values if counted.all() else np.where(counted, values, 0.0)
    n = np.maximum(counted.sum(axis=1, keepdims=True), 1)
    return np.asarray(np.where(counted, values - filled.sum(axis=1, keepdims=True) / n, 0.0))


def _second_slope(y: Floats, control: Floats, feature: Floats, covariances: _Covariances) -> Floats:
    """Compute the coefficient of `feature` when y is regressed on `control` and `feature`, then without each group."""
    covariance = covariances.of
    own_own = covariance(control, control)
    own_other = covariance(control, feature)
    other_other = covariance(feature, feature)
    with np.errstate(divide="ignore", invalid="ignore"):
        free = own_own * other_other - own_other**2
        slope = (covariance(y, feature) * own_own - covariance(y, control) * own_other) / free
    return np.where(free > 1e-12 * own_own * other_other, slope, np.nan)
