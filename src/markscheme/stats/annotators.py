"""Inter-annotator agreement, comparison of a judge with a second annotator, and gold labels from annotators.

Annotators' ratings come as a table of shape (n_units, n_people), nan where one gave none; the judge's as a vector.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from markscheme.stats.change import benjamini_yekutieli
from markscheme.stats.coefficients import Metric, agreement, pair_left_out
from markscheme.stats.estimate import Estimate, Reason
from markscheme.stats.intervals import ATANH, IDENTITY, Floats, Grouping, Groups, guard
from markscheme.stats.rating_patterns import commonest, over, people_and_judge, people_table

GoldRule: TypeAlias = Literal["median", "majority", "mean"]
Closeness: TypeAlias = Literal["accuracy", "neg_rmse"]

LEAST_SHARED_EXAMPLES = 30
"""Smallest number of examples that two raters must share, as the alternative annotator test requires."""
_LEAST_PEOPLE = 3
"""Smallest number of annotators for the alternative annotator test, which compares each with the others."""
AS_GOOD = -0.10
"""Largest distance of the judge's alpha below that of annotators with which it still counts as equally good."""
GAP_LEVEL = 0.90
"""Coverage of the gap's interval, which makes its lower limit a one-sided 95 % limit."""
EPSILON = {"expert": 0.20, "skilled": 0.15, "crowd": 0.10}
"""Distance by which the alternative annotator test lets a judge be worse than an annotator, by kind of annotator."""
_TIE = 1e-12
"""Difference below which two agreements are equal except for rounding, so that both win."""


class Ceiling(NamedTuple):
    """Krippendorff's alpha between annotators and between judge and annotators, with their difference.

    Attributes:
        people: Krippendorff's alpha between two annotators, mean over pairs of them, each weighted by its examples, on
            every example that two rated; it doesn't depend on the judge.
        judge: Alpha between the judge and an annotator, mean over annotators, each weighted by the examples, on those
            examples of `people` that the judge rated too.
        gap: `judge` minus `people` on the examples of `judge`, with a 90 % interval, so that `gap.low` is the
            one-sided 95 % limit.
        floor: Limit that `gap.low` must exceed for the judge to count as good as a second annotator.
    """

    people: Estimate
    judge: Estimate
    gap: Estimate
    floor: float = AS_GOOD

    @property
    def as_good(self) -> bool | None:
        """True if the judge is shown to be as good as a second annotator, else False; None if that can't be tested.

        The test is on the gap: the alpha of the judge with an annotator, minus the alpha of two annotators. Without a
        lower limit of the gap there is no test.
        """
        return None if self.gap.low is None else self.gap.low > self.floor


class AltPerson(NamedTuple):
    """Result of the alternative annotator test for one annotator.

    Attributes:
        judge_wins: Share of examples on which the judge is at least as close to the other annotators as this annotator
            is.
        person_wins: Share of examples on which this annotator is at least as close as the judge.
        p: One-sided p-value of "the judge is worse by epsilon or more".
        adjusted_p: `p` adjusted by Benjamini and Yekutieli over the annotators tested.
        n: Number of examples rated by this annotator, the judge and another annotator.
    """

    judge_wins: float
    person_wins: float
    p: float
    adjusted_p: float
    n: int


class AltTest(NamedTuple):
    """Result of the alternative annotator test, which asks if the judge can replace any one of the annotators.

    Attributes:
        winning_rate: Share of annotators for whom the judge is shown to be less than epsilon worse; its `n` is the
            number of annotators tested.
        advantage: Share of examples on which the judge is at least as close to the other annotators as the annotator
            whose place it takes; mean over the annotators in whose place it was tested.
        people: Result for each annotator, in the table's order; None for one with too few examples.
        epsilon: The judge wins against an annotator if it is shown to be worse by less than this share of examples.
    """

    winning_rate: Estimate
    advantage: Estimate
    people: tuple[AltPerson | None, ...]
    epsilon: float

    @property
    def passed(self) -> bool | None:
        """True if the judge wins against half of the annotators or more; None if no annotator could be tested."""
        return None if self.winning_rate.value is None else self.winning_rate.value >= 0.5


def gold(people: npt.ArrayLike, *, by: GoldRule = "median") -> Floats:
    """Compute the gold level of each example from all its annotators.

    Args:
        people: Ratings, shape (n_units, n_people), nan if missing.
        by: Rule: "median" for the middle level, or the half level in between after an even split; for yes/no this is
            the majority. "majority" for the most common level, if levels have no order; a tie has no gold. "mean" for
            the mean.

    Returns:
        Gold levels, shape (n_units,), nan where no annotator rated, or where a majority is tied.

    Raises:
        ValueError: The ratings aren't a table, one is infinite, or the rule is unknown.

    Example:
        >>> gold([[1, 2, 2], [0, 1, np.nan], [3, np.nan, np.nan]]).tolist()
        [2.0, 0.5, 3.0]
        >>> gold([[1, 2, 2], [0, 1, np.nan]], by="majority").tolist()
        [2.0, nan]
    """
    table = people_table(people)
    n_rated = (~np.isnan(table)).sum(axis=1)
    if by == "median":
        ranked = np.sort(table, axis=1)  # nan last; np.nanmedian takes 20 times as long for a row
        middle = np.stack([np.maximum(n_rated - 1, 0) // 2, n_rated // 2], axis=1)
        return np.asarray(np.take_along_axis(ranked, middle, axis=1).mean(axis=1))
    if by == "mean":
        return over(np.nansum(table, axis=1), n_rated.astype(np.float64))
    if by == "majority":
        return _commonest(table)
    raise ValueError(f"gold is by median, majority or mean, not {by!r}")


def ceiling(
    people: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    levels: npt.ArrayLike,
    metric: Metric = "ordinal",
    groups: Grouping = None,
    level: float = 0.95,
) -> Ceiling:
    """Measure how well annotators agree with each other, and how well the judge agrees with them.

    Args:
        people: Annotators' ratings, shape (n_units, n_people), nan if missing. If many annotators rated few examples
            each, make the columns the first, second, third rating of an example.
        judge: The judge's ratings, shape (n_units,), nan if missing. Examples count if two annotators rated them and,
            for the judge and the gap, the judge did too. A pair of raters counts if both rated 30 of these.
        levels: Levels of the scale, worst first.
        metric: Alpha's measure of distance: "nominal" for two levels or unordered ones, "ordinal" or "interval". If a
            rating lies between levels, as the median of two samples may, it is "interval".
        groups: Name of each example's group, shape (n_units,), whose examples are left out together; None without
            groups.
        level: Coverage of the two alphas' intervals; the interval of the gap always covers 90 %.

    Returns:
        The alphas, which are 1 for full agreement and 0 for chance. They are undefined if no two annotators share 30
        examples or a pair used only one level; they have no interval with fewer than 5 examples outside a rater's most
        common level.

    Raises:
        ValueError: The shapes don't fit, or a rating is off the scale.

    Source:
        Hayes and Krippendorff (2007), Communication Methods and Measures 1(1), 77-89. doi:10.1080/19312450709336664

    Example:
        >>> first = np.tile([0.0, 1.0, 2.0], 20)
        >>> second, judge = first.copy(), first.copy()
        >>> second[:6], judge[3:9] = 1.0, 1.0
        >>> c = ceiling(np.column_stack([first, second]), judge, levels=[0, 1, 2])
        >>> round(c.people.value, 3), round(c.judge.value, 3), c.as_good
        (0.948, 0.946, True)
    """
    table, rated = people_and_judge(people, judge)
    twice = (~np.isnan(table)).sum(axis=1) >= 2
    units = Groups.of(groups, len(table))
    columns = np.column_stack([rated, table])
    if not np.isin(columns[~np.isnan(columns)], levels).all():
        metric = "interval"
    of_people = _AlphaComparison(columns[twice], units.of_units(twice), levels, metric)
    is_compared = twice & ~np.isnan(rated)
    with_judge = of_people
    if not np.array_equal(twice, is_compared):
        with_judge = _AlphaComparison(columns[is_compared], units.of_units(is_compared), levels, metric)
    return Ceiling(of_people.people(level), *with_judge.judge_and_gap(level))


def alternative_annotator_test(
    people: npt.ArrayLike,
    judge: npt.ArrayLike,
    *,
    epsilon: float = EPSILON["expert"],
    closeness: Closeness = "accuracy",
    q: float = 0.05,
) -> AltTest:
    """Test whether the judge can replace an annotator, by leaving out each annotator in turn.

    It is strict with few examples: with 50 it rejects a judge exactly as good as an annotator in four of ten runs.
    `ceiling` answers this question with fewer false alarms.

    Args:
        people: Annotators' ratings, shape (n_units, n_people), nan if missing; three annotators or more, with 30
            examples each.
        judge: The judge's ratings, shape (n_units,), nan if missing.
        epsilon: Share of examples by which the judge may win less often than an annotator and still replace the
            annotator; see `EPSILON`.
        closeness: Measure of a rating's similarity to the other annotators' ratings: "accuracy" for the share of equal
            ones, "neg_rmse" for minus the root mean squared distance.
        q: Allowed false discovery rate. Of the annotators for whom the test says that the judge can replace them, this
            share may be wrong.

    Returns:
        The winning rate (0.5 passes) and advantage, which are undefined with fewer than three annotators or none with
        30 examples.

    Raises:
        ValueError: The shapes don't fit, a rating is infinite, or the closeness is unknown.

    Source:
        Calderon, Reichart and Dror (2025), The Alternative Annotator Test. arXiv:2501.10970

    Example:
        >>> person = np.tile([0.0, 1.0], 20)
        >>> test = alternative_annotator_test(np.column_stack([person] * 3), person)
        >>> test.winning_rate.value, test.advantage.value, test.passed
        (1.0, 1.0, True)
    """
    table, rated = people_and_judge(people, judge)
    if closeness not in ("accuracy", "neg_rmse"):
        raise ValueError(f"closeness is accuracy or neg_rmse, not {closeness!r}")
    made = f"alternative annotator test, {closeness}, epsilon {epsilon:g}"
    tested: list[AltPerson | None] = [None] * table.shape[1]
    if table.shape[1] >= _LEAST_PEOPLE:
        tested = [_against_person(table, rated, h, epsilon, closeness) for h in range(table.shape[1])]
    enough = [person for person in tested if person is not None]
    if not enough:
        why = Reason("few-people-to-test", {"people": _LEAST_PEOPLE, "shared": LEAST_SHARED_EXAMPLES})
        nothing = Estimate.without_value(why, n=0, method=made)
        return AltTest(nothing, nothing, tuple(tested), epsilon)
    adjusted = iter(benjamini_yekutieli([person.p for person in enough]).tolist())
    people_tested = tuple(None if person is None else person._replace(adjusted_p=next(adjusted)) for person in tested)
    won = [person for person in people_tested if person is not None and person.adjusted_p <= q]
    winning_rate = Estimate(len(won) / len(enough), n=len(enough), method=made)
    advantage = Estimate(sum(person.judge_wins for person in enough) / len(enough), n=len(enough), method=made)
    return AltTest(winning_rate, advantage, people_tested, epsilon)


def _commonest(table: Floats) -> Floats:
    """Return the most frequent rating of each row; nan for a tie or a row without ratings."""
    values, code = np.unique(table, return_inverse=True)
    counts = np.zeros((len(table), len(values)), dtype=np.int64)
    np.add.at(counts, (np.arange(len(table))[:, None], code.reshape(table.shape)), 1)
    counts = counts[:, ~np.isnan(values)]
    if not counts.size:
        return np.full(len(table), np.nan)
    most = counts.max(axis=1)
    alone = (counts == most[:, None]).sum(axis=1) == 1
    return np.where(alone & (most > 0), values[counts.argmax(axis=1)], np.nan)


@dataclass(frozen=True)
class _AlphaComparison:
    """Alphas of the judge with annotators, and of annotators with each other, on examples that two annotators rated.

    Attributes:
        columns: Ratings, shape (n_units, 1 + n_people), the judge's first, nan if missing.
        groups: The units' groups, of which the jackknife leaves out one at a time.
        levels: Levels of the scale.
        metric: Alpha's measure of distance.
    """

    columns: Floats
    groups: Groups
    levels: npt.ArrayLike
    metric: Metric

    @property
    def method(self) -> str:
        """Description of how alpha is computed, for the `method` of an Estimate."""
        return f"Krippendorff's alpha, {self.metric}, mean over pairs"

    @cached_property
    def people_pairs(self) -> list[tuple[int, int]]:
        """Pairs of columns of annotators who share enough examples."""
        among = combinations(range(1, self.columns.shape[1]), 2)
        return [pair for pair in among if self._shared(*pair) >= LEAST_SHARED_EXAMPLES]

    @property
    def people_in_pairs(self) -> list[int]:
        """Indices of the columns of annotators who share enough examples with another annotator."""
        return sorted({person for pair in self.people_pairs for person in pair})

    @cached_property
    def among_people(self) -> Floats:
        """Mean of alpha over pairs of annotators: first over all examples, then without each group of examples."""
        return self._mean_alpha(self.people_pairs)

    def people(self, level: float) -> Estimate:
        """Estimate the mean alpha over all pairs of annotators, with an interval of coverage `level`."""
        if not self.people_pairs:
            return self._undefined(_few_shared(with_judge=False), level)
        if math.isnan(self.among_people[0]):
            return self._undefined(Reason("one-level-of-two", {"with_judge": False}), level)
        return self._coefficient(self.among_people, self.people_in_pairs, level)

    def judge_and_gap(self, level: float) -> tuple[Estimate, Estimate]:
        """Estimate the mean alpha of judge and annotator, and how much it exceeds the mean alpha of two annotators.

        Args:
            level: Coverage of the first interval; that of the second is `GAP_LEVEL`.
        """
        if not self.people_pairs:
            why = _few_shared(with_judge=True)
            return self._undefined(why, level), self._undefined(why, GAP_LEVEL)
        among_people = self.among_people
        with_judge = self._mean_alpha([(0, person) for person in self.people_in_pairs])
        if math.isnan(among_people[0]) or math.isnan(with_judge[0]):
            why = Reason("one-level-of-two", {"with_judge": True})
            return self._undefined(why, level), self._undefined(why, GAP_LEVEL)
        apart = with_judge - among_people
        gap = self.groups.jackknife(apart, transform=IDENTITY, level=GAP_LEVEL, method=self.method)
        if among_people[0] == with_judge[0] == 1:
            gap = self._gap_of_full_agreement(gap)
        rating = [0, *self.people_in_pairs]
        return self._coefficient(with_judge, rating, level), guard(gap, self._fewest_off(rating))

    def _gap_of_full_agreement(self, gap: Estimate) -> Estimate:
        """Add limits to the gap between the alphas of judge and annotators for ratings that all agree.

        The gap is then 0, and the jackknife gives no limits. Those set here allow for disagreement on examples that
        weren't seen: they are as far from 0 as alpha's lower limit is from 1.

        Args:
            gap: The gap; it is returned unchanged if alpha has no lower limit.
        """
        name = "krippendorff_alpha"
        groups = self.groups
        alike = agreement(self.columns, name, levels=self.levels, weights=self.metric, groups=groups, level=GAP_LEVEL)
        if alike.low is None:
            return gap
        room = 1 - float(alike.low)
        return replace(gap, low=-room, high=room, caveat=alike.caveat, method=f"{gap.method}; {alike.method}")

    def _coefficient(self, alphas: Floats, rating: Sequence[int], level: float) -> Estimate:
        made = self.groups.jackknife(alphas, transform=ATANH, level=level, method=self.method)
        return guard(made, self._fewest_off(rating))

    def _mean_alpha(self, pairs: Sequence[tuple[int, int]]) -> Floats:
        """Return the mean of alpha over pairs of columns, each weighted by the examples that both rated."""
        alphas = [
            pair_left_out(
                self.columns[:, pair], "krippendorff_alpha", levels=self.levels, weights=self.metric, groups=self.groups
            )
            for pair in pairs
        ]
        return np.asarray(np.average(alphas, axis=0, weights=[self._shared(*pair) for pair in pairs]))

    def _shared(self, first: int, second: int) -> int:
        """Count the examples that two columns both rated.

        Args:
            first: Index of the first column.
            second: Index of the second column.
        """
        return self.groups.count(~np.isnan(self.columns[:, first] + self.columns[:, second]))

    def _fewest_off(self, rating: Sequence[int]) -> int:
        """Return the fewest examples that any of these raters put off that rater's most common level.

        Args:
            rating: Indices of the raters' columns.
        """
        return min(self._examples_off_common[column] for column in rating)

    @cached_property
    def _examples_off_common(self) -> list[int]:
        """For each rater, the number of examples put on a level other than that rater's most common one."""
        units = self.groups.units
        return [
            self.groups.count(~np.isnan(column) & (column != commonest(column, units))) for column in self.columns.T
        ]

    def _undefined(self, why: Reason, level: float) -> Estimate:
        return Estimate.without_value(why, n=self.groups.n, method="Krippendorff's alpha", level=level)


def _few_shared(*, with_judge: bool) -> Reason:
    return Reason("few-rated-by-two", {"needed": LEAST_SHARED_EXAMPLES, "with_judge": with_judge})


def _against_person(table: Floats, rated: Floats, h: int, epsilon: float, closeness: Closeness) -> AltPerson | None:
    others = np.delete(table, h, axis=1)
    compared = ~np.isnan(table[:, h]) & ~np.isnan(rated) & ~np.isnan(others).all(axis=1)
    n = int(compared.sum())
    if n < LEAST_SHARED_EXAMPLES:
        return None
    of_judge = _closeness_to_others(rated[compared], others[compared], closeness)
    of_person = _closeness_to_others(table[compared, h], others[compared], closeness)
    judge_wins = (of_judge >= of_person - _TIE).astype(np.float64)
    person_wins = (of_person >= of_judge - _TIE).astype(np.float64)
    behind = person_wins - judge_wins
    sd = float(behind.std(ddof=1))
    ahead = float(behind.mean()) - epsilon
    certain = 0.0 if ahead < 0 else 1.0
    p = float(stdtr(n - 1, ahead / (sd / math.sqrt(n)))) if sd > 0 else certain
    return AltPerson(float(judge_wins.mean()), float(person_wins.mean()), p, p, n)


def _closeness_to_others(ratings: Floats, others: Floats, closeness: Closeness) -> Floats:
    is_rated = ~np.isnan(others)
    apart = np.where(is_rated, ratings[:, None] - others, 0.0)
    if closeness == "accuracy":
        return np.asarray(((apart == 0) & is_rated).sum(axis=1) / is_rated.sum(axis=1), dtype=np.float64)
    return np.asarray(-np.sqrt((apart**2).sum(axis=1) / is_rated.sum(axis=1)), dtype=np.float64)
