"""Distortions of a judge compared with annotators: slope, noise, halo effect, and bias by features such as length.

An annotator's own noise biases a plain regression slope or a ratio of standard deviations. Two annotators who rated the
same examples share only the true level, so their covariance removes that noise.

Annotators' ratings come as a table of shape (n_units, n_people), nan where one gave none; the judge's as a vector.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.intervals import IDENTITY, LOG, Flags, Floats, Grouping, Groups
from markscheme.stats.rating_patterns import over, people_and_judge, people_table

LEAST_UNITS = 5
"""Smallest number of units for which second moments are reported."""


def slope_on_people(
    people: npt.ArrayLike, judge: npt.ArrayLike, *, groups: Grouping = None, level: float = 0.95
) -> Estimate:
    """Estimate how far the judge's level rises if the true level rises by one, from covariances with annotators.

    Args:
        people: Annotators' ratings, shape (n_units, n_people), nan if missing. Units rated by judge and two annotators
            count.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        level: Coverage of the interval, 0 to 1.

    Returns:
        The slope: 1 if the judge spreads its levels as the truth does, below 1 if it keeps to the middle (central
        tendency), above 1 if it exaggerates the ends; undefined if annotators share no variance or the judge doesn't
        rise with them.

    Raises:
        ValueError: The shapes don't fit, or a rating is infinite.

    Source:
        Fuller (1987), Measurement Error Models, section 1.2, with the second annotator as replicate.

    Example:
        >>> people = np.column_stack([[1, 2, 3, 4, 5, 3], [1, 2, 3, 4, 5, 3]])
        >>> slope_on_people(people, [2, 2.5, 3, 3.5, 4, 3]).value
        0.5
    """
    seen = _SharedMoments.of(people, judge, groups)
    why = seen.refusal() or (None if seen.with_judge[0] > 0 else Reason("judge-never-rises"))
    return seen.ratio(why, seen.with_judge, seen.shared, level, "cov(judge, people)/cov(person, person)")


def noise_beside_people(
    people: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    step: float = 1.0,
    groups: Grouping = None,
    level: float = 0.95,
) -> Estimate:
    """Estimate the judge's error variance around its regression on true levels, relative to an annotator's.

    Args:
        people: Annotators' ratings, shape (n_units, n_people), nan if missing. Units rated by judge and two annotators
            count.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        step: Distance from one level to the next. Annotators who never disagreed are treated as if two of them had
            differed once by this much.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        level: Coverage of the interval, 0 to 1.

    Returns:
        The ratio: 1 if the judge is as noisy as an annotator, 2 if its error variance is twice an annotator's;
        undefined if annotators share no variance or the judge shows no error of its own.

    Raises:
        ValueError: The shapes don't fit, or a rating is infinite.

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
    why = seen.refusal() or (None if of_judge[0] > 0 else Reason("judge-without-error"))
    return seen.ratio(why, of_judge, of_person, level, "error variance, judge/person")


def shared_and_own(people: npt.ArrayLike, units: npt.ArrayLike | None = None) -> tuple[float, float]:
    """Estimate two variances from annotators' covariances: of the true levels, and of an annotator's errors.

    Args:
        people: Annotators' ratings, shape (n_rows, n_people), nan if missing. A unit counts if two annotators rated it.
        units: Number of units that each row represents, shape (n_rows,); None for one each.

    Returns:
        Both variances in squared units of the ratings; nan if fewer than five units count. That of the errors is never
        below 0; that of the true levels can fall below 0 by chance if annotators' ratings aren't related.

    Raises:
        ValueError: The ratings aren't a table, or one is infinite.

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


def true_correlations(
    criteria: Mapping[str, npt.ArrayLike], groups: Grouping = None
) -> Callable[[str, str, float], Estimate]:
    """Return a function that estimates the true correlation of any two of several criteria.

    Args:
        criteria: Annotators' ratings by criterion, all of one shape (n_units, n_people), nan if missing.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.

    Returns:
        A function of two criteria's names and a coverage. Its estimate is 1 if the two criteria measure the same thing;
        it can exceed 1 by chance, since noise is divided out. It is undefined if annotators share no variance on one of
        them.

    Raises:
        ValueError: The ratings aren't tables, or one is infinite.

    Source:
        Spearman (1904), American Journal of Psychology 15(1), 72-101. doi:10.2307/1412159

    Example:
        >>> first = np.column_stack([[1, 2, 3, 4, 5, 3], [1, 2, 3, 4, 5, 4]])
        >>> round(true_correlations({"tone": first, "errors": 6 - first})("tone", "errors", 0.95).value, 3)
        -1.0
    """
    columns = {name: list(np.ascontiguousarray(people_table(ratings).T)) for name, ratings in criteria.items()}
    units = Groups.of(groups, max((len(of[0]) for of in columns.values()), default=0))
    covariances = _Covariances(units)

    def estimate(first: str, second: str, level: float) -> Estimate:
        in_both = [np.isfinite(a + b) for a, b in zip(columns[first], columns[second], strict=True)]
        ratings, others = (list(map(_kept, columns[name], in_both)) for name in (first, second))
        method = "correlation across people, their noise divided out"
        rated = units.count(np.sum(in_both, axis=0) >= 2)
        if rated < LEAST_UNITS:
            why = Reason("few-units", {"units": rated, "rated_by": "two-people"})
            return Estimate.without_value(why, n=rated, method=method, level=level)
        left, right = zip(*permutations(range(len(in_both)), 2), strict=True)
        cross, *variances = (
            covariances.of([x[a] for a in left], [y[b] for b in right])
            for x, y in ((ratings, others), (ratings, ratings), (others, others))
        )
        if not min(variance[0] for variance in variances) > 0:
            return Estimate.without_value(Reason("people-share-nothing"), n=rated, method=method, level=level)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = cross / np.sqrt(variances[0] * variances[1])
        return units.jackknife(values, transform=IDENTITY, level=level, method=method)

    return estimate


def halo(people: npt.ArrayLike, judge: npt.ArrayLike, *, groups: Grouping = None, level: float = 0.95) -> Estimate:
    """Estimate how much other criteria influence the judge's level on a criterion, beyond their influence on people.

    Regress the judge's positions on an annotator's own and on that annotator's mean over the other criteria. The result
    is the second coefficient minus that with another annotator in the judge's place, averaged over criteria.

    Args:
        people: Annotators' positions, shape (n_units, n_people, n_criteria), nan if missing, with good always at the
            upper end.
        judge: The judge's positions, shape (n_units, n_criteria). A unit counts for a pair of annotators if both and
            the judge rated all criteria.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.
        level: Coverage of the interval, 0 to 1.

    Returns:
        The effect: 0 if the judge separates the criteria as annotators do, 0.3 if its position on a criterion rises by
        0.3 more than theirs when the mean over the other criteria rises by 1; undefined with fewer than two criteria
        or two annotators.

    Raises:
        ValueError: The shapes don't fit, or a rating is infinite.

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
    complete = np.all(~np.isnan(tables), axis=2).T & np.all(~np.isnan(its), axis=1)
    counts = {(a, b): complete[a] & complete[b] for a, b in permutations(range(n_people), 2)}
    n_counted = units.count(np.any(list(counts.values()), axis=0)) if counts else 0
    if n_criteria < 2 or n_counted < LEAST_UNITS:
        few = Reason("few-units", {"units": n_counted, "rated_by": "two-people-whole"})
        why = Reason("one-criterion") if n_criteria < 2 else few
        return Estimate.without_value(why, n=n_counted, method=method, level=level)
    gammas = []
    by_criterion = np.ascontiguousarray(tables.T)
    of_all = by_criterion.sum(axis=0)
    for of_people, of_judge in zip(by_criterion, its.T, strict=True):
        others = list((of_all - of_people) / (n_criteria - 1))
        gammas.append(_slope_beyond_people(counts, list(of_people), np.ascontiguousarray(of_judge), others, units))
    estimates = [gamma for gamma in gammas if np.isfinite(gamma[0])] or [np.full(units.n_sets + 1, np.nan)]
    values = np.mean(estimates, axis=0)
    if not np.isfinite(values[0]):
        return Estimate.without_value(Reason("people-never-vary"), n=n_counted, method=method, level=level)
    return replace(units.jackknife(values, transform=IDENTITY, level=level, method=method), n=n_counted)


def leaning(gold: npt.ArrayLike, judge: npt.ArrayLike, on: npt.ArrayLike, *, groups: Grouping = None) -> Estimate:
    """Estimate how much a judge's ratings rise with a feature other than quality, such as length, for equal gold.

    The estimate is the coefficient of `on` in a regression of the judge on gold and `on`. With two annotators or more,
    the coefficient with another annotator in the judge's place is subtracted, which allows for the noise of gold and
    for the annotators' own bias.

    Args:
        gold: Gold ratings, shape (n_units,), or annotators' ratings, shape (n_units, n_people), nan if missing.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        on: Feature that the judge may favor, such as the length of the response, shape (n_units,), nan if missing.
        groups: Name of each unit's group, such as its task, shape (n_units,), whose units are left out together; None
            without groups.

    Returns:
        The rise of the judge's rating if `on` rises by one, with its 95 % interval; undefined if gold or `on` doesn't
        vary.

    Raises:
        ValueError: The shapes don't fit, or a rating is infinite.

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
    of_person = list(np.ascontiguousarray(table.T))
    pairs = permutations(range(table.shape[1]), 2) if several else [(0, 0)]
    counts = {(a, b): np.isfinite(of_person[a] + of_person[b] + its + feature) for a, b in pairs}
    n_counted = units.count(np.any(list(counts.values()), axis=0))
    if n_counted < LEAST_UNITS:
        why = Reason("few-units", {"units": n_counted, "rated_by": None})
        return Estimate.without_value(why, n=n_counted, method=method)
    values = _slope_beyond_people(counts, of_person, its, [feature] * len(of_person), units)
    if not np.isfinite(values[0]):
        return Estimate.without_value(Reason("nothing-to-lean-on"), n=n_counted, method=method)
    return units.jackknife(values, transform=IDENTITY, level=0.95, method=method)


def _slope_beyond_people(
    rows_of: Mapping[tuple[int, int], Flags],
    people: Sequence[Floats],
    judge: Floats,
    features: Sequence[Floats],
    units: Groups,
) -> Floats:
    """Compute a feature's regression coefficient for the judge minus that for an annotator, with each group left out.

    Both are coefficients of a regression on two variables: another annotator's ratings, and the feature. The first
    value is over all units, each further value without one group.

    Args:
        rows_of: Flags of the units that count, by a pair of annotators: the one whose ratings are a variable, and the
            one who is compared with the judge. If both are the same annotator, whose ratings explain themselves, the
            annotator's coefficient is 0, and the difference is the judge's coefficient.
        people: Ratings of each annotator.
        judge: The judge's ratings.
        features: The feature that goes with each annotator's ratings.
        units: Groups of units to leave out in turn.
    """
    control, feature = ([_kept(of[a], rows) for (a, _), rows in rows_of.items()] for of in (people, features))
    second = [_kept(people[b], rows) for (_, b), rows in rows_of.items()]
    its_own = [_kept(judge, rows) for rows in rows_of.values()]
    covariances = _Covariances(units)
    of_judge, of_second = (_second_slope(y, control, feature, covariances) for y in (its_own, second))
    return of_judge - of_second


class _SharedMoments(NamedTuple):
    """Variances and covariances of judge and annotators, from units that the judge and two or more annotators rated.

    Attributes:
        groups: Groups to leave out in turn. All other attributes are arrays: the figure over all units, then the
            figures without each group.
        shared: Covariance of two annotators.
        annotator: Variance of an annotator.
        with_judge: Covariance of the judge and an annotator.
        judge: Variance of the judge.
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
        columns = list(np.ascontiguousarray((table if counted.all() else table[counted]).T))
        of_judge = its[counted]
        rows_of = {(a, b): np.isfinite(columns[a] + columns[b]) for a, b in permutations(range(len(columns)), 2)}
        first = [_kept(columns[a], rows) for (a, _), rows in rows_of.items()]
        second = [_kept(columns[b], rows) for (_, b), rows in rows_of.items()]
        judged = [_kept(of_judge, rows) for rows in rows_of.values()]
        of = _Covariances(groups_counted).of
        return cls(groups_counted, of(first, second), of(first, first), of(judged, first), of(judged, judged))

    @property
    def n_units(self) -> int:
        """Number of units that the judge and at least two annotators rated."""
        return self.groups.n_units

    def refusal(self) -> Reason | None:
        """Return the reason why the judge can't be compared with annotators; None if it can."""
        if self.groups.n < LEAST_UNITS:
            return Reason("few-units", {"units": self.n_units, "rated_by": "judge-and-two-people"})
        return None if self.shared[0] > 0 else Reason("people-share-nothing")

    def ratio(self, why: Reason | None, above: Floats, below: Floats, level: float, method: str) -> Estimate:
        """Estimate the ratio of two moments, such as variances, with a jackknife interval.

        Args:
            why: The reason why the ratio is undefined; None if there is none.
            above: The numerator over all units, then without each group; undefined if it isn't above 0.
            below: The denominator over all units, then without each group; undefined if it is 0.
            level: Coverage of the interval, 0 to 1.
            method: Description of the method, for the Estimate's `method`.
        """
        if why:
            return Estimate.without_value(why, n=self.groups.n, method=method, level=level)
        values = over(np.where(above > 0, above, np.nan), below)
        return self.groups.jackknife(values, transform=LOG, level=level, method=method)


def _kept(values: Floats, rows: Flags) -> Floats:
    """Return the ratings with nan in rows that aren't flagged; the array itself if all rows are flagged."""
    return values if rows.all() else np.where(rows, values, np.nan)


class _Covariances:
    """Cache that computes covariances of columns of ratings, each of shape (n_units,), nan if missing.

    Sums of a column are computed once for all its covariances with other columns in which the same ratings are missing.
    """

    def __init__(self, groups: Groups) -> None:
        """Prepare to compute covariances over all units, and without each of these groups in turn."""
        self._groups = groups
        self._rated: dict[int, tuple[Floats, Flags]] = {}
        self._sums: dict[tuple[int, bytes], tuple[Floats, Floats]] = {}
        self._pooled: dict[tuple[tuple[int, int], ...], Floats] = {}

    def of(self, x: Sequence[Floats], y: Sequence[Floats]) -> Floats:
        """Compute one covariance pooled over the pairs of columns x[i] and y[i], shape (1 + n_groups,).

        The first value is over all units, each further value over all units but those of one group. The result for the
        same pairs of columns is cached.
        """
        ids = [self._number(column) for column in (*x, *y)]
        pairs = tuple(sorted((min(pair), max(pair)) for pair in zip(ids[: len(x)], ids[len(x) :], strict=True)))
        if pairs not in self._pooled:
            self._pooled[pairs] = self._new(Counter(pairs))
        return self._pooled[pairs]

    def _number(self, column: Floats) -> int:
        """Return a number that identifies a column of ratings: its Python `id`.

        A reference to the column is kept, so that Python doesn't give the id to another column.
        """
        if id(column) not in self._rated:
            self._rated[id(column)] = column, np.isfinite(column)
        return id(column)

    def _new(self, pairs: Mapping[tuple[int, int], int]) -> Floats:
        products = np.zeros(len(self._groups.number))
        of_means, degrees = np.zeros((2, 1 + self._groups.n_sets))
        for (first, second), times in pairs.items():
            in_both = self._rated[first][1] & self._rated[second][1]
            key = b"" if in_both.all() else np.packbits(in_both).tobytes()
            of_x, sum_x = self._centred(first, in_both, key)
            of_y, sum_y = self._centred(second, in_both, key)
            n = self._count(in_both, key)
            products += times * (of_x * of_y)
            of_means += times * over(sum_x * sum_y, n, empty=0.0)
            degrees += times * np.maximum(n - 1, 0.0)
        return over(self._groups.left_out(products) - of_means, degrees)

    def _centred(self, number: int, counted: Flags, key: bytes) -> tuple[Floats, Floats]:
        """Return a column's ratings minus their mean, and sums of these deviations; ratings that don't count are 0.

        The first sum is over all units, each further sum over all units except those of one group.

        Args:
            number: Index of the column.
            counted: Flags of the units whose ratings count.
            key: The flags as bytes, for the cache.
        """
        if (number, key) not in self._sums:
            filled = np.where(counted, self._rated[number][0], 0.0)
            centred = np.where(counted, filled - filled.sum() / max(1, np.count_nonzero(counted)), 0.0)
            self._sums[number, key] = centred, self._groups.left_out(centred)
        return self._sums[number, key]

    def _count(self, counted: Flags, key: bytes) -> Floats:
        """Count the flagged units, over all groups and then without each group.

        Args:
            counted: Flags of the units to count.
            key: Key of these flags in the cache of counts.
        """
        if (0, key) not in self._sums:
            ones = counted.astype(np.float64)
            self._sums[0, key] = ones, self._groups.left_out(ones)
        return self._sums[0, key][1]


def _second_slope(
    y: Sequence[Floats], control: Sequence[Floats], feature: Sequence[Floats], covariances: _Covariances
) -> Floats:
    """Compute a feature's coefficient in a regression on a control and the feature, then without each group.

    Outcome, control and feature are lists of arrays with an array for each pair of raters. One coefficient is computed
    from the arrays of all pairs together.

    Args:
        y: The outcome.
        control: The ratings that are held equal.
        feature: The feature.
        covariances: Computes covariances, over all units and then without each group.

    Returns:
        The coefficient, shape (1 + n_groups,); nan where control and feature determine each other.
    """
    covariance = covariances.of
    own_own = covariance(control, control)
    own_other = covariance(control, feature)
    other_other = covariance(feature, feature)
    with np.errstate(divide="ignore", invalid="ignore"):
        free = own_own * other_other - own_other**2
        slope = (covariance(y, feature) * own_own - covariance(y, control) * own_other) / free
    return np.where(free > 1e-12 * own_own * other_other, slope, np.nan)
