"""Comparison of a slice with all other examples: whether the judge does worse there, also at equal gold."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from markscheme.stats.decisive_labels import log_choices
from markscheme.stats.distinct import numbered_values
from markscheme.stats.intervals import STILL, Flags, Floats, Groups, Integers, spread
from markscheme.stats.pairs import equal_vectors

DIFFERENCE_ROUNDING = 1e-7
"""Size of a difference below which it is only a rounding error."""
FEWEST_INSIDE = 5
"""Smallest number of examples in the slice with a gold level that also occurs outside it."""
FEWEST_OUTSIDE = 10
"""Smallest number of examples outside the slice with gold levels that occur in it."""
LEAST_PART = 0.5
"""Smallest share of the slice's examples that must have a gold level which also occurs outside it."""
LEAST_KEPT = 2 / 3
"""Smallest share of a difference that must remain at equal gold: for a slice that is merely harder, less remains."""
MOST_DISTINCT = 6
"""Largest number of distinct gold scores with which each score is a stratum of its own."""
FIFTHS = 5
"""Number of strata of gold scores if there are more distinct ones."""


class Contrast(NamedTuple):
    """A figure, such as the mean error, inside a slice of the examples and outside it, with the difference's p-value.

    Attributes:
        inside: Mean over the units of the slice; nan if there are none.
        outside: Mean over all other units; nan if there are none.
        p: Probability of means at least this far apart, in either direction, if the slice were like the other examples;
            1 if there is nothing to compare.
        n_inside: Number of units of the slice that have the figure.
    """

    inside: float
    outside: float
    p: float
    n_inside: int

    @property
    def difference(self) -> float:
        """Mean of the figure inside the slice minus its mean outside."""
        return self.inside - self.outside


class SliceLook(NamedTuple):
    """Comparison of a figure inside and outside a slice, over all examples and among those with equal gold.

    A slice whose gold differs from that of the other examples can look bad although the judge treats its examples like
    all others. The second comparison shows that.

    Attributes:
        as_it_is: Comparison over all examples.
        same_gold: Inside minus outside among examples of equal gold; 0 if there is nothing to compare.
        p_same_gold: Probability of a difference at least as large, in either direction, if the slice were like the
            other examples at equal gold.
        comparable_inside: Number of examples of the slice whose gold also occurs outside it.
        comparable_outside: Number of other examples whose gold also occurs in the slice.
        shift: True if the figure has a direction, as bias has. The judge then counts as worse on the slice only if the
            figure is further from 0 inside the slice than outside.
    """

    as_it_is: Contrast
    same_gold: float
    p_same_gold: float
    comparable_inside: int
    comparable_outside: int
    shift: bool

    @property
    def comparable(self) -> bool:
        """True if enough examples of the slice have gold that also occurs outside it, and the reverse.

        Inside the slice, at least half of the examples and at least 5 have to be such examples; outside it, at least
        10.
        """
        inside = self.comparable_inside
        enough = inside >= max(FEWEST_INSIDE, LEAST_PART * self.as_it_is.n_inside)
        return enough and self.comparable_outside >= FEWEST_OUTSIDE

    @property
    def p(self) -> float:
        """The larger p-value of two comparisons: over all examples, and at equal gold."""
        return max(self.as_it_is.p, self.p_same_gold) if self.comparable else 1.0

    @property
    def outside_at_same_gold(self) -> float:
        """Mean of the figure that examples outside the slice would have if their gold were distributed as inside.

        It is the slice's mean minus `same_gold`, the difference at equal gold.
        """
        return self.as_it_is.inside - self.same_gold

    def matters(self, least: float) -> bool:
        """Return True if the difference is at least `least`, and two thirds of it remain at equal gold.

        It is False if too few examples can be compared at equal gold. For a figure that has a direction, such as bias,
        it is also False if the figure isn't further from 0 inside the slice than outside.

        Args:
            least: Smallest difference over all examples that matters; below 0 if less is worse, as for agreement.
        """
        difference = self.as_it_is.difference
        if not self.comparable or abs(difference) < abs(least) - DIFFERENCE_ROUNDING:
            return False
        if not self.shift and difference * least < 0:
            return False
        if self.shift and abs(self.as_it_is.inside) <= abs(self.as_it_is.outside):
            return False
        return self.same_gold * math.copysign(1.0, difference) >= LEAST_KEPT * abs(difference) - DIFFERENCE_ROUNDING


@dataclass(frozen=True)
class SliceColumn:
    """A figure of each example, such as 1 if the judge agrees with gold, prepared for comparisons of slices.

    A slice is compared with the examples outside it.

    A slice is compared once over all examples and once at equal gold. The first comparison is Fisher's exact test with
    mid-p for figures of 0 and 1, else the larger p of Student's and Welch's t. The second is the slice's coefficient in
    a regression with an intercept for each gold level that occurs inside and outside the slice.

    Attributes:
        is_known: Flags of examples with both the figure and gold, shape (n_units,).
        values: Figure of each known example, shape (n_known,), like all that follow.
        strata: Index of each example's stratum: its gold level or, if gold is a score, the fifth of all gold scores
            that its score is in.
        covariate: Gold's scores, for which the regression adjusts within each fifth; None if strata are gold levels,
            within which gold doesn't vary.
        groups: Groups of the known examples by task; None if no two examples share a task.

    Source:
        Cochran (1968), Biometrics 24(2), 295-313, for comparison within strata. doi:10.2307/2528036

    Example:
        >>> gold = np.repeat([0, 1], 30)
        >>> says_yes = 1 - gold
        >>> look = SliceColumn.of(says_yes, gold).look(np.arange(60) % 30 < np.where(gold, 5, 20), shift=True)
        >>> round(look.as_it_is.difference, 2), round(look.same_gold, 2), look.matters(0.15)
        (0.51, 0.0, False)
    """

    is_known: Flags
    values: Floats
    strata: Integers
    covariate: Floats | None
    groups: Groups | None

    @classmethod
    def of(
        cls, values: npt.ArrayLike, gold: npt.ArrayLike, *, score: bool = False, groups: npt.ArrayLike | None = None
    ) -> "SliceColumn":
        """Prepare each example's figure and gold for comparisons of slices.

        Args:
            values: Figure of each example, shape (n_units,), nan if missing.
            gold: Gold level or score of each example, shape (n_units,), nan if missing.
            score: True if gold is a score. If it has more than six different values, "equal gold" means the same fifth
                of gold's scores, and the regression also adjusts for gold within each fifth.
            groups: Name of each example's group, such as its task, shape (n_units,); None without groups. With groups,
                the p-value of a comparison is computed both with and without them, and the larger one counts.

        Raises:
            ValueError: The shapes differ.
        """
        x, of_gold = equal_vectors(values=values, gold=gold)
        is_known = np.isfinite(x) & np.isfinite(of_gold)
        strata, covariate = _strata(of_gold[is_known], score=score)
        in_groups = None if groups is None else Groups.of(np.asarray(groups)[is_known], int(is_known.sum()))
        return cls(is_known, x[is_known], strata, covariate, in_groups)

    def look(self, inside: npt.ArrayLike, *, shift: bool = False) -> SliceLook:
        """Compare the figure inside a slice and outside it, over all examples and at equal gold.

        Args:
            inside: Flags of the examples that belong to the slice, shape (n_units,).
            shift: True if the figure has a direction, as a signed error has.
        """
        is_inside = np.asarray(inside)[self.is_known].astype(bool)
        as_it_is = self._as_it_is(is_inside)
        sizes = self._same_gold.sizes
        of_part = np.bincount(self.strata[np.flatnonzero(is_inside)], minlength=len(sizes))
        is_shared = (of_part > 0) & (of_part < sizes)
        m = int(of_part[is_shared].sum())
        k = int(sizes[is_shared].sum()) - m
        if not (m and k):
            return SliceLook(as_it_is, 0.0, 1.0, m, k, shift)
        if is_shared[sizes > 0].all():
            return SliceLook(as_it_is, *self._same_gold.difference(is_inside, self.groups), m, k, shift)
        rows = is_shared[self.strata]
        groups = None if self.groups is None else self.groups.of_units(rows)
        covariate = None if self.covariate is None else self.covariate[rows]
        same_gold = _SameGold(self.values[rows], self.strata[rows], covariate)
        return SliceLook(as_it_is, *same_gold.difference(is_inside[rows], groups), m, k, shift)

    @cached_property
    def _same_gold(self) -> "_SameGold":
        """Regression of this column's figure on gold, to compare a slice with other examples of the same gold."""
        return _SameGold(self.values, self.strata, self.covariate)

    @cached_property
    def _sign_of_shares(self) -> float | None:
        """Sign of the figure if it is a share: 1.0 if all values are 0 or 1, -1.0 if all are 0 or -1; else None."""
        x = self.values
        sign = -1.0 if x.min(initial=0.0) < 0 else 1.0
        return sign if bool(((x == 0) | (x == sign)).all()) else None

    @cached_property
    def _without_each_group(self) -> Floats:
        """Sum of the values, and number of examples, without each group in turn, shape (2, n_groups)."""
        n = len(self.values)
        return _without_each(Groups.of(self.groups, n), self.values, np.ones(n))

    def _as_it_is(self, is_inside: Flags) -> Contrast:
        """Compare a slice with all examples outside it.

        With groups, there are two tests, one of examples and one of groups, and the larger p counts.

        Args:
            is_inside: Flags of the examples of the slice.
        """
        x = self.values
        within = x[np.flatnonzero(is_inside)]
        without = x[np.flatnonzero(~is_inside)]
        m = len(within)
        k = len(without)
        contrast = Contrast(float(within.mean()) if m else math.nan, float(without.mean()) if k else math.nan, 1.0, m)
        sign = self._sign_of_shares
        if min(m, k) < (2 if sign is None else 1):
            return contrast
        difference = contrast.difference
        p = _p_of_means(within, without, difference) if sign is None else p_of_shares(sign * within, sign * without)
        if self.groups is None:
            return contrast._replace(p=p)
        of_part = _without_each(self.groups, np.where(is_inside, x, 0.0), is_inside.astype(np.float64))
        return contrast._replace(p=max(p, _p_by_groups(of_part, self._without_each_group - of_part, difference)))


def p_of_shares(within: Floats, without: Floats) -> float:
    """Compute the two-sided mid-p of Fisher's exact test of two shares: of hits inside a slice and outside it.

    Args:
        within: 1 for a hit and 0 for any other example inside the slice, shape (n_inside,).
        without: 1 for a hit and 0 for any other example outside the slice, shape (n_others,).

    Source:
        Fisher (1935), Journal of the Royal Statistical Society 98(1), 39-82; for mid-p Lancaster (1961), Journal of
        the American Statistical Association 56(294), 223-234. doi:10.1080/01621459.1961.10482105
    """
    drawn = len(within)
    n = drawn + len(without)
    seen = round(float(within.sum()))
    marked = seen + round(float(without.sum()))
    counts = np.arange(max(0, drawn + marked - n), min(drawn, marked) + 1)
    chance = np.exp(log_choices(counts, marked) + log_choices(drawn - counts, n - marked) - log_choices(drawn, n))
    of_seen = float(chance[counts == seen][0])
    rarer = float(chance[chance < of_seen * (1 - DIFFERENCE_ROUNDING)].sum())
    as_rare = float(chance[np.abs(chance - of_seen) <= of_seen * DIFFERENCE_ROUNDING].sum())
    return min(1.0, rarer + as_rare / 2)


def _p_of_means(within: Floats, without: Floats, difference: float) -> float:
    """Compute the two-sided p of Student's and Welch's t test of two means, and return the larger one.

    Student's test assumes equal variances, Welch's doesn't. Student's test is misled by a slice with more spread than
    the other examples, and Welch's by a small slice whose few values happen to be equal. So the larger p counts.

    Args:
        within: Values inside the slice, shape (n_inside,).
        without: Values outside the slice, shape (n_others,).
        difference: Mean inside the slice minus mean outside it.

    Source:
        Welch (1947), Biometrika 34(1/2), 28-35. doi:10.2307/2332510
    """
    m = len(within)
    k = len(without)
    variance_within = float(within.var(ddof=1))
    variance_without = float(without.var(ddof=1))
    pooled = ((m - 1) * variance_within + (k - 1) * variance_without) / (m + k - 2)
    a = variance_within / m
    b = variance_without / k
    p = _p_of_t(difference, math.sqrt(pooled * (1 / m + 1 / k)), m + k - 2)
    if a + b > 0:
        df = (a + b) ** 2 / (a**2 / (m - 1) + b**2 / (k - 1))
        p = max(p, _p_of_t(difference, math.sqrt(a + b), df))
    return p


def _strata(gold: Floats, *, score: bool) -> tuple[Integers, Floats | None]:
    """Number examples by strata of equal gold; scores with many different values are divided into fifths.

    Args:
        gold: Gold of each example.
        score: True if gold is a score.

    Returns:
        The number of each example's stratum; and the gold scores if the strata are fifths, in which they still differ,
        else None.
    """
    distinct, code = numbered_values(gold)
    if not score or len(distinct) <= MOST_DISTINCT:
        return code, None
    edges = np.quantile(gold, np.arange(1, FIFTHS) / FIFTHS)
    return np.searchsorted(edges, gold, side="right").astype(np.int64), gold


class _SameGold:
    """Regression of a figure on gold with an intercept per stratum, to compare a slice at equal gold."""

    def __init__(self, x: Floats, strata: Integers, covariate: Floats | None) -> None:
        """Fit the regression: subtract from each value what gold explains, and count the examples in each stratum.

        Args:
            x: Values of the figure, shape (n,).
            strata: Index of each example's stratum, from 0, shape (n,). The examples of a stratum have equal or similar
                gold; the mean of the stratum is subtracted.
            covariate: Gold's scores, shape (n,), if the scores in a stratum differ. Then a line fitted to these scores
                within strata is subtracted too. None if all gold in a stratum is equal.
        """
        self._strata = strata
        self.sizes = np.bincount(strata)
        self._df = len(x) - int(np.count_nonzero(self.sizes)) - 1
        self._y = self._centred(x)
        line = None if covariate is None else self._centred(covariate)
        self._line = None if line is None or float(line @ line) <= STILL else line / math.sqrt(float(line @ line))
        if self._line is not None:
            self._y -= float(self._line @ self._y) * self._line
            self._df -= 1

    def difference(self, is_inside: Flags, groups: Groups | None) -> tuple[float, float]:
        """Compute how much higher the figure, such as the score, is inside a slice than outside it at equal gold.

        Args:
            is_inside: Flags of the examples in the slice.
            groups: Groups of the examples; None without groups.

        Returns:
            The difference, which is the slice's coefficient in the regression, and its p; 0 and 1 if gold determines
            which examples are in the slice.
        """
        belongs = self._centred(is_inside.astype(np.float64))
        if self._line is not None:
            belongs -= float(self._line @ belongs) * self._line
        square = float(belongs @ belongs)
        if square <= STILL or self._df < 1:
            return 0.0, 1.0
        difference = float(belongs @ self._y) / square
        residual = self._y - difference * belongs
        p = _p_of_t(difference, math.sqrt(float(residual @ residual) / self._df / square), self._df)
        if groups is not None:
            belongs *= residual
            belongs /= square
            p = max(p, _p_by_cluster(belongs, groups, difference))
        return difference, p

    def _centred(self, values: Floats) -> Floats:
        """Return each value minus the mean of its stratum."""
        means = np.bincount(self._strata, weights=values) / np.maximum(self.sizes, 1)
        return np.asarray(values - means[self._strata])


def _p_by_cluster(moves: Floats, groups: Groups, difference: float) -> float:
    """Compute the p-value of a regression coefficient, allowing for related errors in a group; 1 for a single group.

    Args:
        moves: Effect of each example's error on the coefficient, which is summed by group.
        groups: Groups of the examples.
        difference: The coefficient.
    """
    n = groups.n
    total = groups.sums(moves)
    if n < 2:
        return 1.0
    return _p_of_t(difference, math.sqrt(n / (n - 1) * float(total @ total)), spread(total).df)


def _p_of_t(difference: float, se: float, df: float) -> float:
    if se <= STILL * max(1.0, abs(difference)):
        return 1.0 if abs(difference) <= STILL else 0.0
    return float(2 * stdtr(df, -abs(difference) / se))


def _without_each(groups: Groups, values: Floats, numbers: Floats) -> Floats:
    """Return the sums of `values` and of `numbers` without each group in turn, shape (2, n_groups).

    Args:
        groups: Groups of the rows.
        values: Value of each row.
        numbers: Number of examples that each row counts, 0 or 1.
    """
    return np.stack([groups.left_out(column)[1:] for column in (values, numbers)])


def _p_by_groups(of_part: Floats, of_rest: Floats, difference: float) -> float:
    """Compute the jackknife p-value of the difference between a figure's mean inside a slice and outside it.

    It is 1 if the slice, or everything outside it, is a single group.

    Args:
        of_part: Sum and number of the figure's values inside the slice, with each group left out in turn, shape (2,
            n_groups).
        of_rest: Sum and number of the figure's values outside the slice, with each group left out in turn, shape (2,
            n_groups).
        difference: Mean inside the slice minus mean outside it.
    """
    if min(of_part[1].min(), of_rest[1].min()) <= 0:
        return 1.0
    moves = spread(of_part[0] / of_part[1] - of_rest[0] / of_rest[1])
    return _p_of_t(difference, moves.se, moves.df)
