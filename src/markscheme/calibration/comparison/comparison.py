"""Comparison of a judge's ratings with gold, or of any two columns of a rating table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Final

import numpy as np

from markscheme.calibration.comparison.audits import AUDITS
from markscheme.calibration.comparison.between_levels import gold_between_levels
from markscheme.calibration.comparison.limits import (
    WrongName,
    decisions_compared,
    sample_weights,
    side_rate,
    wrong_decisions,
)
from markscheme.calibration.comparison.measure import (
    EQUAL,
    OF_DECISION,
    OF_SCORE,
    CriterionComparison,
    Measure,
    Measured,
    criterion_meant,
    merged_rows,
)
from markscheme.calibration.comparison.policy import interval_level
from markscheme.calibration.comparison.repairs import Repairs, repairs_of
from markscheme.calibration.comparison.subjects import SUBJECTS, SubjectRow
from markscheme.calibration.comparison.trend import TrendEvidence
from markscheme.calibration.results import Reported
from markscheme.errors import ComparisonError, UsageError
from markscheme.phrases import commonest, counted, few_of
from markscheme.ratings.codes import RatingCodes
from markscheme.ratings.examples import ExampleSet, draws_of
from markscheme.ratings.gold import GOLD, JUDGE, Gold
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import Column, RatingTable, stacked
from markscheme.rubrics.rubric import Criterion, Rubric
from markscheme.stats import Estimate
from markscheme.stats.agreement_figures import (
    DECIMALS,
    AgreementFigures,
    ToleranceTies,
    agreement_figures,
    close,
    tolerance_ties,
)
from markscheme.stats.change import mean_estimate, shift_interval
from markscheme.stats.coefficients import agreement
from markscheme.stats.decision_figures import DecisionFigures, SideShare
from markscheme.stats.group_sets import set_names
from markscheme.stats.intervals import Flags, Floats, Grouping, Integers
from markscheme.stats.severity import error_family, yes_no_family
from markscheme.stats.shares import grouped_share


def measure_of(rubric: Rubric, of: Measured | None = None, tolerance: float | None = None) -> Measure:
    """Return the Measure that compares scores ("score"), decisions ("decision") or, by its name, a criterion's levels.

    Args:
        rubric: The rubric of the ratings that are compared.
        of: "score", "decision", or a criterion or its name; None means the score, or the decision if a table has
            nothing else. If the rubric has categories, "score" also requires every category to be equal.
        tolerance: Distance from gold below which a score agrees; None means the rubric's. Levels and decisions agree
            only if they are equal.

    Raises:
        UsageError: No criterion has that name; or `of` is the decision, and the rubric's categories neither pass nor
            fail; or no measure is available for what the rubric compares.
    """
    if of is None:
        of = OF_DECISION if rubric.table_of == "pass-fail" else OF_SCORE
    for subject in chain(OWN_SUBJECTS, SUBJECTS):
        measure = subject.measure(rubric, of, tolerance) if subject.compares == rubric.compares else None
        if measure is not None:
            return measure
    raise UsageError(f"{rubric.name} judges {rubric.compares}, and nothing here compares ratings of them")


def _score(rubric: Rubric, of: Measured, tolerance: float | None) -> Measure | None:
    if of != OF_SCORE and not isinstance(of, Rubric):
        return None
    measured = rubric if rubric.categories else OF_SCORE
    return Measure(measured, rubric.tolerance if tolerance is None else tolerance, only=_only_criterion(rubric))


def _decision(rubric: Rubric, of: Measured, _: float | None) -> Measure | None:
    if of != OF_DECISION:
        return None
    if not rubric.decides:
        raise UsageError(f"{rubric.name} has categories alone, of which none is said to pass: passes: [label, …]")
    return Measure(OF_DECISION, EQUAL, constants=(0.0, 1.0), only=_only_criterion(rubric))


def _level(rubric: Rubric, of: Measured, _: float | None) -> Measure | None:
    return None if isinstance(of, Rubric) else Measure(criterion_meant(rubric, of), EQUAL)


OWN_SUBJECTS: Final = (
    SubjectRow("responses", _score),
    SubjectRow("responses", _decision),
    SubjectRow("responses", _level),
)
"""The subjects of the core: the score, the decision, and the levels of a criterion."""


def _only_criterion(rubric: Rubric) -> Criterion | None:
    return rubric.criteria[0] if len(rubric.criteria) == 1 else None


def rank_systems(rubric: Rubric, examples: ExampleSet, ratings: Sequence[Rating]) -> Reported | None:
    """Rank the systems that wrote the compared responses, by all labels and by each judge; None if no system is named.

    Args:
        rubric: The rubric by which the examples were rated.
        examples: The examples with their labels.
        ratings: The judges' ratings.

    Returns:
        A report; None if no rated example names the system that wrote it.

    Raises:
        UsageError: Systems can't be ranked by such a rubric.
    """
    for subject in SUBJECTS:
        if subject.compares == rubric.compares and subject.rank_systems is not None:
            return subject.rank_systems(rubric, examples, ratings)
    raise UsageError(f"{rubric.name} judges {rubric.compares}, and nothing here ranks the systems that wrote them")


def compare(
    table: RatingTable,
    *,
    judge: str = JUDGE,
    gold: str = GOLD,
    of: Measured | None = None,
    tolerance: float | None = None,
) -> "Comparison":
    """Compare a judge's column with gold, or the columns of any two raters with each other.

    Every command's figures about two columns come from here, so the same two columns give the same figures.

    Args:
        table: A table with both columns, and those of annotators if there are any.
        judge: Name of the judge's column.
        gold: Name of the other column.
        of: What is compared: "score", "decision", or a criterion or its name; None means the score, or the decision if
            a table has nothing else. Agreement, the best constant, annotators' figures and slices are computed from the
            compared values; but whether the judge may pass or fail responses without review always depends on
            decisions.
        tolerance: Distance from gold below which a score agrees; None means the rubric's.

    Raises:
        ComparisonError: The judge rated none of the examples.
        KeyError: No criterion has the name `of`.
    """
    if table[judge].is_empty:
        raise ComparisonError(f"the judge rated none of the examples that have labels: {_no_rating(table, judge)}")
    return Comparison(table, judge, gold, measure_of(table.rubric, of, tolerance))


def _no_rating(table: RatingTable, judge: str) -> str:
    """Say why a judge's column is empty: no rating is of these examples, or else the reason that most ratings state."""
    ratings = table[judge].used
    if not ratings:
        examples = counted(len(table.ids), "example")
        return f"no rating has the id of one of these {examples} ({few_of(table.ids)})"
    return commonest(rating.why_empty for rating in ratings)


def shift_between(
    table: RatingTable, first: str, second: str, criterion: str | None = None, *, level: float = 0.95
) -> Estimate:
    """Estimate the mean of the second column's scores (or levels) minus the first's, over examples that have both.

    Args:
        table: A table with both columns.
        first: Name of the first column.
        second: Name of the second column.
        criterion: Name of the criterion; None for the score.
        level: Coverage of the interval, 0 to 1.
    """
    changes = differences(table, first, second, criterion)
    groups = table.groups
    method = f"mean {'score' if criterion is None else 'level'}, second minus first"
    mean = mean_estimate(changes, groups=groups, level=level, method=method)
    if groups is not None or (criterion is None and (mean.low is not None or mean.value is None)):
        return mean
    span = 1.0 if criterion is None else next(c.scale.span for c in table.rubric.criteria if c.name == criterion)
    return shift_interval(changes, span=span, level=level, method=method)


def differences(table: RatingTable, first: str, second: str, criterion: str | None = None) -> Floats:
    """Return the second column minus the first, in scores or in levels of a criterion, shape (n_examples,).

    A difference is nan where either column has no value.
    """
    if criterion is None:
        return table[second].scores - table[first].scores
    return table[second].levels[criterion] - table[first].levels[criterion]


@dataclass(frozen=True)
class Comparison:
    """Two columns of a rating table compared, per criterion and overall; a figure is computed when first asked for.

    Attributes:
        table: A table with both columns.
        judge_name: Name of the column that is compared, mostly the judge's.
        gold_name: Name of the column it is compared with, mostly gold.
        measure: What is compared on each example, such as the score. Agreement, the best constant, annotators' figures
            and the judge's errors are of it.
        settings: Number of settings tried on these labels, this one included; more settings widen the intervals.
        trend: Evidence on whether averages of the judge's ratings may be shown over time, if these are of another
            figure than `measure`, such as verdicts on criteria; None if they are of `measure`.
    """

    table: RatingTable
    judge_name: str
    gold_name: str
    measure: Measure
    settings: int = 1
    trend: TrendEvidence | None = None

    @cached_property
    def audits(self) -> Mapping[str, Any]:
        """Figures about the judge that features add, by JSON key; None if the ratings don't allow a figure."""
        audited = [audit(self.table, self.judge_name, self.gold_name) for audit in AUDITS]
        return {key: figures for by_key in audited for key, figures in by_key.items()}

    @cached_property
    def repairs(self) -> Repairs | None:
        """Decisions that fixing each criterion would correct; None if no decision follows from the levels."""
        tolerance = self.tolerance if self.measure.of == OF_SCORE else self.rubric.tolerance
        return repairs_of(self.table, judge=self.judge_name, gold=self.gold_name, tolerance=tolerance)

    @property
    def level(self) -> float:
        """Confidence level of the intervals that the verdict rests on; above 95 % if several settings were tried."""
        return interval_level(self.settings)

    @property
    def rubric(self) -> Rubric:
        """Rubric by which both compared columns were rated."""
        return self.table.rubric

    @property
    def tolerance(self) -> float:
        """Distance below which the judge's value agrees with the value that it is compared with, mostly gold's."""
        return self.measure.tolerance

    @property
    def shows_trends_at_most(self) -> bool:
        """True if the compared values have an order but no pass mark, so that the judge can't be a gate."""
        if isinstance(self.measure.of, Criterion):
            return self.measure.of.scale.ordered and not self.rubric.is_of_pairs
        return self.rubric.table_of == "values" and not self.rubric.categories

    def by(self, of: Measured) -> "Comparison":
        """Return a comparison of the same columns by another measure: "score", "decision", or a criterion."""
        return replace(self, measure=measure_of(self.rubric, of))

    def on(self, inside: Flags) -> "Comparison":
        """Return the comparison restricted to the examples whose flag is set."""
        table = self.table.rows(inside)
        return replace(self, table=table, trend=None if self.trend is None else self.trend.on(frozenset(table.ids)))

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the compared examples, in the order of the table's rows."""
        return self.table.ids

    @property
    def judge(self) -> Column:
        """The column of the rater that is compared, mostly the judge."""
        return self.table[self.judge_name]

    @property
    def reference(self) -> Column:
        """The column with which the judge's is compared, mostly gold."""
        return self.table[self.gold_name]

    @property
    def gold(self) -> Gold:
        """The gold that the judge is compared with: levels, scores, decisions and the labels behind them.

        Raises:
            TypeError: The comparison is with another judge.
        """
        if not isinstance(self.reference, Gold):
            raise TypeError(f"{self.judge_name} is compared with {self.gold_name}, which isn't gold")
        return self.reference

    @property
    def judged(self) -> RatingCodes:
        """The judge's ratings, with reasons and quotes, in the order of the examples; some examples may have none."""
        return self.judge.used

    @property
    def scores(self) -> Floats:
        """The judge's scores, shape (n_examples,), nan where not graded."""
        return self.judge.scores

    @property
    def graded_by(self) -> Floats:
        """The judge's scores, or its answers if the rubric has only categories; nan for an ungraded example."""
        return self.scores if self.rubric.has_score else self.judge_values

    @property
    def passes(self) -> Floats:
        """The judge's decisions, 1 for pass and 0 for fail, shape (n_examples,); nan where not graded."""
        return self.judge.decisions

    @cached_property
    def decisions_counted(self) -> tuple[Floats, Floats, Floats]:
        """Gold's decisions, the judge's decisions, and how many examples each row represents, here always 1."""
        return self.reference.decisions, self.passes, np.ones(len(self.ids))

    @property
    def values_counted(self) -> tuple[Floats, Floats, Floats]:
        """Gold's values, the judge's values, and the number of examples that each row represents: 1 for every row."""
        return self.gold_values, self.judge_values, np.ones(len(self.ids))

    @cached_property
    def judge_values(self) -> Floats:
        """The judge's values by the measure that is compared, 0 to 1, shape (n_examples,), nan where missing."""
        return self.measure.values(self.judge)

    @cached_property
    def gold_values(self) -> Floats:
        """Gold's values by the compared measure, such as score or decision, shape (n_examples,); nan where missing."""
        return self.measure.values(self.reference)

    @property
    def scored(self) -> int:
        """Number of examples for which both the judge and gold have a value by the compared measure."""
        return int(np.isfinite(self.misses).sum())

    @cached_property
    def misses(self) -> Floats:
        """Judge minus gold by the compared measure, shape (n_examples,), to 9 decimals; nan where one is missing.

        If a rubric's categories are compared, it is the judge's score minus gold's, since categories can't be
        subtracted.
        """
        if isinstance(self.measure.of, Rubric):
            return self.score_errors
        return np.round(self.judge_values - self.gold_values, DECIMALS)

    @cached_property
    def score_errors(self) -> Floats:
        """Judge's score minus gold's, whatever the compared measure is; nan where either is missing."""
        return np.round(self.scores - self.reference.scores, DECIMALS)

    @cached_property
    def hits(self) -> Floats:
        """Flags: 1 where the judge agrees with gold, 0 where not, nan where either is missing."""
        return close(self.gold_values, self.judge_values, self.tolerance)

    @cached_property
    def between_levels(self) -> int:
        """Number of examples whose gold lies between two levels, so that the judge can't agree by giving a level.

        0 if the compared values aren't scores that follow from a single criterion's levels.
        """
        only = self.measure.only
        if only is None or self.measure.of != OF_SCORE:
            return 0
        return int(gold_between_levels(only, self.gold_values, self.judge_values, self.tolerance).sum())

    def is_capped(self, target: float) -> bool:
        """Return True if so much gold lies between two levels that no judge's agreement could exceed the target."""
        return self.between_levels > 0 and 1 - self.between_levels / self.scored <= target

    @cached_property
    def distances(self) -> Floats:
        """Absolute difference of judge and gold, 1 between different categories; nan if either is missing."""
        if isinstance(self.measure.of, Rubric):
            return np.asarray(np.fmax(np.abs(self.misses), 1 - self.hits))
        return np.asarray(np.abs(self.misses))

    @cached_property
    def figures(self) -> AgreementFigures:
        """Shares of agreement with gold by one tolerance: of the judge, the best constant answer and annotators."""
        rows: tuple[Floats, ...] = (
            self.gold_values,
            self.judge_values,
            *map(self.measure.values, self.table.annotators),
        )
        groups: Grouping = self.sets
        if self.weights is None:
            rows, groups = merged_rows(*rows, groups=groups)
        gold, judge, *people = rows
        figures = agreement_figures(
            gold,
            judge,
            np.column_stack(people) if people else None,
            tolerance=self.tolerance,
            groups=groups,
            constants=self.measure.constants,
            weights=self.weights,
            mirrored=self.measure.mirrored,
        )
        if self.sets is self.table.groups:
            return figures
        return replace(figures, agreement=grouped_share(self.hits, self.table.groups, self.weights))

    @cached_property
    def sets(self) -> Sequence[str] | Integers | None:
        """Jackknife set of each example: its group, or several groups merged if there are over 1,000 of them.

        Intervals of agreement, and of the shares of right decisions on gold's passes and fails, use the groups
        unmerged.
        """
        return set_names(self.table.groups)

    @property
    def trend_figures(self) -> AgreementFigures:
        """Agreement figures that decide if averages may be shown: of scores, or of what `trend_on` names instead."""
        return self.figures if self.trend is None else self.trend.figures

    @cached_property
    def decision_figures(self) -> DecisionFigures:
        """Shares of decisions equal to gold's, of gold's fails that the judge fails, and of gold's passes it passes."""
        table = self.table
        return decisions_compared(
            self.passes,
            self.reference.decisions,
            groups=table.groups,
            sets=self.sets,
            examples=table.examples,
            weights=self.weights,
        )

    @cached_property
    def weights(self) -> Floats | None:
        """Weight of each example as a sample of all outputs, shape (n_examples,); None if all weights are equal."""
        return sample_weights(self.table.examples)

    @property
    def weighted_to(self) -> int | None:
        """Number of outputs that weighted figures describe: those that examples were drawn from; None without weights.

        Several draws come from one pool. Its size is the largest number that any of these draws states.
        """
        if self.weights is None:
            return None
        examples = self.table.examples or ()
        outputs: dict[str, float] = {}
        for draw, example in zip(draws_of(examples), examples, strict=True):
            outputs[draw] = outputs.get(draw, 0.0) + example.weight
        return round(max(outputs.values()))

    @cached_property
    def agreement(self) -> Estimate:
        """Share of examples on which the judge is closer to gold than the tolerance."""
        return self.figures.agreement.estimate(level=self.level)

    @cached_property
    def agreement_constant(self) -> Estimate:
        """Agreement of the best constant answer: the one answer for all examples that agrees most with gold."""
        return self.figures.constant.estimate(level=self.level, method="agreement of the best constant answer")

    @cached_property
    def gain(self) -> Estimate:
        """The judge's agreement minus that of the best constant answer, paired by example."""
        method = "agreement minus that of the best constant answer"
        return self.figures.gain.estimate(level=self.level, method=method)

    @cached_property
    def agreement_person(self) -> Estimate | None:
        """How often two annotators of an example agree, averaged over the examples that the judge rated.

        None if no such example has two annotators.
        """
        people = self.figures.people
        method = "agreement of two annotators" + (", averaged over examples" if self.has_uneven_annotators else "")
        return people.estimate(level=self.level, method=method) if people.n else None

    @cached_property
    def has_uneven_annotators(self) -> bool:
        """True if some examples have more annotators, and so more pairs of annotators, than others.

        Examples with fewer than two annotators, or that the judge didn't rate, are ignored.
        """
        people = [self.measure.values(column) for column in self.table.annotators]
        if not people:
            return False
        annotators = np.isfinite(np.column_stack(people)).sum(axis=1)
        return len(np.unique(annotators[np.isfinite(self.judge_values) & (annotators >= 2)])) > 1

    @cached_property
    def agreement_with_person(self) -> Estimate | None:
        """Share of annotators with whom the judge agrees, mean over the examples that two or more of them rated.

        None without such examples.
        """
        judge = self.figures.judge_people
        method = "agreement of the judge with an annotator"
        return judge.estimate(level=self.level, method=method) if judge.n else None

    @cached_property
    def ties(self) -> ToleranceTies:
        """Number of examples with an error of exactly the tolerance, and the agreement if these counted as agreeing."""
        return tolerance_ties(self.gold_values, self.judge_values, tolerance=self.tolerance, groups=self.sets)

    @cached_property
    def overall(self) -> Mapping[str, Estimate]:
        """Estimates for the whole rubric, by statistic: errors in score (0 to 1), agreement in pass/fail decisions."""
        scores, of_scores = merged_rows(self.reference.scores, self.judge.scores, groups=self.sets)
        decisions, of_decisions = merged_rows(self.reference.decisions, self.judge.decisions, groups=self.sets)
        decided = np.column_stack(decisions)
        decided[np.isnan(decided).any(axis=1)] = np.nan  # else an ungraded example would count in gold's margin alone
        return {
            **error_family(*scores, groups=of_scores, levels=[0.0, 1.0]),
            "pass_kappa": agreement(decided, "cohen_kappa", levels=[0.0, 1.0], groups=of_decisions),
            **yes_no_family(*decisions, groups=of_decisions),
        }

    @cached_property
    def criteria(self) -> Mapping[str, CriterionComparison]:
        """Mapping from each criterion's name to the comparison of judge and gold on it."""
        return {criterion.name: self.compared_on(criterion) for criterion in self.rubric.criteria}

    def compared_on(self, criterion: Criterion) -> CriterionComparison:
        """Return the comparison of judge and gold on one criterion."""
        return CriterionComparison(
            criterion=criterion,
            gold=self.reference.levels[criterion.name],
            judge=self.judge.levels[criterion.name],
            read_people=partial(self._annotators, criterion.name),
            groups=self.sets,
            compute=self.measure.level_figures,
        )

    @cached_property
    def false_passes(self) -> list[str]:
        """Ids of the examples that the judge passes and gold fails, the largest error first."""
        return self._differing(judge=1.0, gold=0.0)

    @cached_property
    def false_fails(self) -> list[str]:
        """Ids of the examples that gold passes and the judge fails, the largest error first."""
        return self._differing(judge=0.0, gold=1.0)

    @cached_property
    def wrong_passes(self) -> SideShare:
        """Share of gold's fails that the judge passes, from which bounds at any confidence can be computed."""
        return self._wrong("false_pass")

    @cached_property
    def wrong_fails(self) -> SideShare:
        """Share of gold's passes that the judge fails, from which bounds at any confidence can be computed."""
        return self._wrong("false_fail")

    @cached_property
    def false_pass_rate(self) -> Estimate:
        """Share of gold's fails that the judge passes, as an Estimate with its interval."""
        return side_rate("false_pass", self.wrong_passes, self.level)

    @cached_property
    def false_fail_rate(self) -> Estimate:
        """Share of gold's passes that the judge fails, as an Estimate with its interval."""
        return side_rate("false_fail", self.wrong_fails, self.level)

    def _wrong(self, name: WrongName) -> SideShare:
        table = self.table
        return wrong_decisions(
            name, self.passes, self.reference.decisions, groups=table.groups, examples=table.examples
        )

    def _annotators(self, criterion: str) -> Floats:
        """Return each annotator's levels on a criterion, shape (n_examples, n_people)."""
        people = self.table.annotators
        return stacked(people, criterion) if people else np.full((len(self.ids), 0), np.nan)

    def _differing(self, *, judge: float, gold: float) -> list[str]:
        places = np.flatnonzero((self.passes == judge) & (self.reference.decisions == gold))
        far = np.nan_to_num(np.abs(self.score_errors[places]), nan=-1.0)
        return list(map(self.ids.__getitem__, places[np.argsort(-far, kind="stable")].tolist()))
