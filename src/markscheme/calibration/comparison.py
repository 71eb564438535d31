"""The one comparison: a judge's column of a rating table with another column, as Estimates."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from markscheme.errors import ComparisonError
from markscheme.ratings.gold import GOLD, JUDGE, Gold
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import Column, Floats, RatingTable, merits, stacked
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.score import ROUNDING
from markscheme.stats import Estimate
from markscheme.stats.change import mean_estimate, shift_interval
from markscheme.stats.coefficients import Metric, agreement, two_raters
from markscheme.stats.grouped import grouped_share
from markscheme.stats.intervals import IDENTITY
from markscheme.stats.people import Ceiling, ceiling
from markscheme.stats.severity import DECIMALS, PAIR_STATISTICS, close, confusion, error_family, yes_no_family
from markscheme.stats.verdict import ToleranceTies, VerdictFigures, tolerance_ties, verdict_figures

NO_ORDER = "the levels have no order"
OF_ORDERED = tuple(name for name in PAIR_STATISTICS if name != "sd_ratio")
"""Errors and correlations, which need ordered levels."""


def compare(
    table: RatingTable, *, judge: str = JUDGE, gold: str = GOLD, tolerance: float | None = None
) -> "Comparison":
    """A judge's column compared with gold, or any column with any other.

    Every command's figures about two columns come from here, so the same two columns give the same figures.

    Args:
        table: Has both columns, and those of annotators where there are any.
        judge: Name of the judge's column.
        gold: Name of the other column.
        tolerance: How far a score may be from gold and still agree; None means the rubric's.

    Raises:
        ComparisonError: The judge rated none of the examples.
    """
    if table[judge].is_empty:
        raise ComparisonError("the judge rated none of the examples that have labels")
    return Comparison(table, judge, gold, table.rubric.tolerance if tolerance is None else tolerance)


def shift_between(
    table: RatingTable, first: str, second: str, criterion: str | None = None, *, level: float = 0.95
) -> Estimate:
    """Mean of second minus first on the examples both have: of a criterion's levels, or of scores without a criterion.

    Args:
        table: Has both columns.
        first: Name of the first column.
        second: Name of the second column.
        criterion: Name of the criterion; None for the score.
        level: Coverage of the interval.
    """
    found, groups = differences(table, first, second, criterion), table.groups
    method = f"mean {'score' if criterion is None else 'level'}, second minus first"
    mean = mean_estimate(found, transform=IDENTITY, groups=groups, level=level, method=method)
    if groups is not None or (criterion is None and (mean.low is not None or mean.value is None)):
        return mean
    span = 1.0 if criterion is None else next(c.scale.span for c in table.rubric.criteria if c.name == criterion)
    return shift_interval(found, span=span, level=level, method=method)


def differences(table: RatingTable, first: str, second: str, criterion: str | None = None) -> Floats:
    """Second minus first for each example, shape (n_examples,): levels of a criterion, or scores; nan where missing."""
    one, other = table[first], table[second]
    if criterion is None:
        return other.scores - one.scores
    return other.levels[criterion] - one.levels[criterion]


def headline(scale: Scale) -> Literal["weighted_kappa", "cohen_kappa"]:
    """The leading chance-corrected coefficient: quadratic kappa for more than two ordered levels, else Cohen's."""
    return "weighted_kappa" if scale.ordered and len(set(scale.values)) > 2 else "cohen_kappa"


@dataclass(frozen=True)
class CriterionComparison:
    """A judge compared with gold on one criterion.

    Attributes:
        criterion: Which.
        gold: Gold levels, shape (n_examples,), nan where there is none.
        judge: The judge's levels, likewise.
        people: Levels of single annotators, shape (n_examples, n_people), nan where one gave none.
        groups: A group for each example; None where no example names one.
        whole: Agreement of the scores, where the criterion may be the whole rubric; None to use the criterion alone.
    """

    criterion: Criterion
    gold: Floats
    judge: Floats
    people: Floats
    groups: tuple[str, ...] | None = None
    whole: "WholeAgreement | None" = field(default=None, kw_only=True)

    @cached_property
    def statistics(self) -> Mapping[str, Estimate]:
        """Estimates by the names of the JSON format; errors in levels."""
        criterion = self.criterion
        levels, ordered = sorted(set(criterion.scale.values)), criterion.scale.ordered
        found = two_raters(self.gold, self.judge, levels=levels, ordered=ordered, groups=self.groups)
        if ordered:
            found |= error_family(self.gold, self.judge, groups=self.groups, levels=levels)
        else:
            n = int(np.isfinite(self.gold + self.judge).sum())
            found |= {name: Estimate.without_value(NO_ORDER, n=n, method=name) for name in OF_ORDERED}
        gold, judge = passes(criterion, self.gold), passes(criterion, self.judge)
        found |= yes_no_family(gold, judge, groups=self.groups)
        if self.whole is None:
            return found
        return (
            found
            | self.whole.of_equal("exact_agreement", self.gold, self.judge)
            | self.whole.of_equal("accuracy", gold, judge)
        )

    @property
    def headline(self) -> Estimate:
        """The leading chance-corrected coefficient of this scale.

        On two levels quadratic kappa is Cohen's, and it has a value where the median of several samples lies between.
        Levels without order have no quadratic kappa.
        """
        leading = self.statistics[headline(self.criterion.scale)]
        quadratic = self.statistics.get("weighted_kappa", leading)
        return quadratic if leading.value is None and quadratic.value is not None else leading

    @cached_property
    def ceiling(self) -> Ceiling | None:
        """Annotators compared with each other and with the judge; None unless two of them share an example."""
        if self.people.shape[1] < 2 or not np.any((~np.isnan(self.people)).sum(axis=1) >= 2):
            return None
        scale = self.criterion.scale
        metric: Metric = "nominal" if scale.is_yes_no or not scale.ordered else "ordinal"
        levels = sorted(set(scale.values))
        return ceiling(self.people, self.judge, levels=levels, metric=metric, groups=self.groups)

    @cached_property
    def levels_given(self) -> list[float]:
        """The levels of the scale, and those in between that medians of several ratings gave."""
        both = np.concatenate([self.gold, self.judge])
        return sorted({*self.criterion.scale.values, *both[~np.isnan(both)].tolist()})

    @cached_property
    def confusion(self) -> dict[str, Any]:
        """Levels and counts, rows gold and columns judge; undefined where a rating lies between two levels."""
        levels = list(dict.fromkeys(self.criterion.scale.values))
        both = ~np.isnan(self.gold) & ~np.isnan(self.judge)
        given = np.concatenate([self.gold[both], self.judge[both]])
        if not np.isin(given, levels).all():
            return {"levels": levels, "matrix": None, "undefined": "a rating lies between two levels"}
        return {"levels": levels, "matrix": confusion(self.gold, self.judge, levels).tolist(), "undefined": None}


@dataclass(frozen=True)
class WholeAgreement:
    """How often the judge's score agrees with gold's: one figure with one interval, wherever it appears.

    Attributes:
        hits: 1 where they agree, 0 where not, nan where either is missing, shape (n_examples,).
        estimate: The share that agrees.
    """

    hits: Floats
    estimate: Estimate

    def of_equal(self, name: str, gold: Floats, judge: Floats) -> dict[str, Estimate]:
        """The same estimate by another name, where the two are equal on exactly the examples whose scores agree."""
        found = equal(gold, judge)
        same = np.isfinite(found).any() and np.array_equal(found, self.hits, equal_nan=True)
        return {name: self.estimate} if same else {}


def equal(one: Floats, other: Floats) -> Floats:
    """1 where two columns are equal, 0 where not, nan where either is missing."""
    return np.where(np.isnan(one) | np.isnan(other), np.nan, one == other).astype(np.float64)


def passes(criterion: Criterion, levels: Floats) -> Floats:
    """Whether each level passes the criterion by itself: 1, 0 or nan, shape of `levels`."""
    passed = merits(criterion, levels) >= criterion.threshold - ROUNDING
    return np.where(np.isnan(levels), np.nan, passed).astype(np.float64)


@dataclass(frozen=True)
class Comparison:
    """Two columns of a table, per criterion and overall; every figure is computed when it is first asked for.

    Attributes:
        table: Has both.
        judge_name: The column compared.
        gold_name: The column it is compared with.
        tolerance: How far a score may be from gold and still agree.
    """

    table: RatingTable
    judge_name: str
    gold_name: str
    tolerance: float

    @property
    def rubric(self) -> Rubric:
        """The rubric of both."""
        return self.table.rubric

    @property
    def ids(self) -> tuple[str, ...]:
        """The examples' ids, in order."""
        return self.table.ids

    @property
    def judge(self) -> Column:
        """The judge's column."""
        return self.table[self.judge_name]

    @property
    def reference(self) -> Column:
        """The column the judge is compared with."""
        return self.table[self.gold_name]

    @property
    def gold(self) -> Gold:
        """The gold, where the comparison is with labels.

        Raises:
            TypeError: The comparison is with another judge.
        """
        if not isinstance(self.reference, Gold):
            raise TypeError(f"{self.judge_name} is compared with {self.gold_name}, which is no gold")
        return self.reference

    @property
    def judged(self) -> tuple[Rating | None, ...]:
        """The judge's rating of each example, for its reasons and quotes; None where it gave none."""
        return self.judge.ratings

    @property
    def scores(self) -> Floats:
        """The judge's scores, shape (n_examples,), nan where not graded."""
        return self.judge.scores

    @property
    def passes(self) -> Floats:
        """The judge's decisions, shape (n_examples,), 1 for pass, nan where not graded."""
        return self.judge.decisions

    @cached_property
    def misses(self) -> Floats:
        """Judge minus gold in score, shape (n_examples,), rounded to 9 decimals; nan where either is missing."""
        return np.round(self.scores - self.reference.scores, DECIMALS)

    @cached_property
    def hits(self) -> Floats:
        """1 where the judge's score agrees with gold's, 0 where not, nan where either is missing."""
        return close(self.reference.scores, self.scores, self.tolerance)

    @cached_property
    def figures(self) -> VerdictFigures:
        """The shares behind a verdict: judge, best constant and annotators, all with one tolerance."""
        return verdict_figures(
            self.reference.scores,
            self.scores,
            self._annotators(),
            tolerance=self.tolerance,
            groups=self.table.groups,
        )

    @cached_property
    def agreement(self) -> Estimate:
        """Share of examples on which the judge's score is closer to gold than the tolerance."""
        return self.figures.agreement.estimate(method="agreement within tolerance")

    @cached_property
    def _whole(self) -> WholeAgreement:
        return WholeAgreement(self.hits, self.agreement)

    @cached_property
    def agreement_constant(self) -> Estimate:
        """The same share for the best constant score among scores that were given."""
        return self.figures.constant.estimate(method="agreement of the best constant score")

    @cached_property
    def gain(self) -> Estimate:
        """Agreement minus that of the best constant score, paired by example."""
        return self.figures.gain.estimate(method="agreement minus that of the best constant score")

    @cached_property
    def agreement_person(self) -> Estimate | None:
        """Share of pairs of annotators who agree; None unless two scored an example that the judge scored."""
        people = self.figures.people
        return people.estimate(method="agreement of two annotators") if people.n else None

    @cached_property
    def agreement_with_person(self) -> Estimate | None:
        """Share of annotators the judge agrees with, on the same examples as `agreement_person`."""
        judge = self.figures.judge_people
        return judge.estimate(method="agreement of the judge with an annotator") if judge.n else None

    @cached_property
    def ties(self) -> ToleranceTies:
        """Examples exactly at the tolerance, which don't count as agreement, and the share if they did."""
        return tolerance_ties(self.reference.scores, self.scores, tolerance=self.tolerance, groups=self.table.groups)

    @cached_property
    def overall(self) -> Mapping[str, Estimate]:
        """Estimates for the whole rubric by name; errors in score, 0 to 1."""
        gold, judge, groups = self.reference, self.judge, self.table.groups
        decided = np.column_stack([gold.decisions, judge.decisions])
        decided[np.isnan(decided).any(axis=1)] = np.nan  # else an ungraded example would count in gold's margin alone
        return {
            **error_family(gold.scores, judge.scores, groups=groups, levels=[0.0, 1.0]),
            "pass_kappa": agreement(decided, "cohen_kappa", levels=[0.0, 1.0], groups=groups),
            **yes_no_family(gold.decisions, judge.decisions, groups=groups),
            **self._whole.of_equal("accuracy", gold.decisions, judge.decisions),
        }

    @cached_property
    def criteria(self) -> Mapping[str, CriterionComparison]:
        """By name."""
        return {
            criterion.name: CriterionComparison(
                criterion=criterion,
                gold=self.reference.levels[criterion.name],
                judge=self.judge.levels[criterion.name],
                people=self._annotators(criterion.name),
                groups=self.table.groups,
                whole=self._whole,
            )
            for criterion in self.rubric.criteria
        }

    @cached_property
    def false_passes(self) -> list[str]:
        """Ids of examples the judge passes and gold does not, the largest error first."""
        return self._differing(judge=1.0, gold=0.0)

    @cached_property
    def false_fails(self) -> list[str]:
        """Ids of examples gold passes and the judge does not, the largest error first."""
        return self._differing(judge=0.0, gold=1.0)

    @cached_property
    def false_pass_rate(self) -> Estimate:
        """Share of the examples gold fails that the judge passes."""
        return self._share_of_wrong(0.0)

    @cached_property
    def false_fail_rate(self) -> Estimate:
        """Share of the examples gold passes that the judge fails."""
        return self._share_of_wrong(1.0)

    def _share_of_wrong(self, gold: float) -> Estimate:
        asked = ~np.isnan(self.passes) & (self.reference.decisions == gold)
        wrong = np.where(asked, self.passes != gold, np.nan)
        return grouped_share(wrong, self.table.groups).estimate(method="share of wrong decisions")

    def _annotators(self, *criterion: str) -> Floats:
        """Each annotator's scores, or levels of a criterion, shape (n_examples, n_people)."""
        people = self.table.annotators
        return stacked(people, *criterion) if people else np.full((len(self.ids), 0), np.nan)

    def _differing(self, *, judge: float, gold: float) -> list[str]:
        places = np.flatnonzero((self.passes == judge) & (self.reference.decisions == gold))
        far = np.nan_to_num(np.abs(self.misses[places]), nan=-1.0)
        return [self.ids[place] for place in places[np.argsort(-far, kind="stable")]]
