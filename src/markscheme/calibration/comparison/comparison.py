"""The one comparison: a judge's column of a rating table with another column, as Estimates."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from markscheme.calibration.comparison.audits import AUDITS
from markscheme.calibration.comparison.categories import Answers
from markscheme.calibration.comparison.limits import WrongDecisions, WrongName, decisions_compared, wrong_decisions
from markscheme.calibration.comparison.policy import interval_level
from markscheme.errors import ComparisonError, UsageError
from markscheme.grading.score import ROUNDING
from markscheme.phrases import commonest, counted, few_of, rounded
from markscheme.ratings.examples import draws_of
from markscheme.ratings.gold import GOLD, JUDGE, Gold
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import Column, RatingTable, merits, stacked
from markscheme.rubrics.preference import LEVEL_OF, TIE_ROUNDING, preferred
from markscheme.rubrics.rubric import Criterion, Rubric, Scale
from markscheme.stats import Estimate
from markscheme.stats.agreement_figures import (
    DECIMALS,
    AgreementFigures,
    ToleranceTies,
    agreement_figures,
    close,
    tolerance_ties,
)
from markscheme.stats.annotators import Ceiling, ceiling
from markscheme.stats.change import mean_estimate, shift_interval
from markscheme.stats.coefficients import Metric, agreement, two_raters
from markscheme.stats.decision_figures import DecisionFigures
from markscheme.stats.estimate import EstimatesOnDemand
from markscheme.stats.intervals import IDENTITY, Floats
from markscheme.stats.severity import ERROR_NAMES, YES_NO_NAMES, confusion, error_family, yes_no_family
from markscheme.stats.shares import drawn_weights

if TYPE_CHECKING:
    from markscheme.calibration.comparison.repairs import Repairs

NO_ORDER = "the levels have no order"
OF_SCORE: Literal["score"] = "score"
OF_DECISION: Literal["decision"] = "decision"
OF_PREFERENCE: Literal["preference"] = "preference"
PASSES = 0.5
"""Decisions are 1 and 0; from halfway up they pass."""
EQUAL = 1e-6
"""A tolerance with which only equal levels or decisions agree: below any step of a scale, above any rounding."""

Measured: TypeAlias = Literal["score", "decision", "preference"] | Criterion | Answers
"""What two columns are compared by: scores, decisions, levels of one criterion, all categories, or which of two
responses is better."""


@dataclass(frozen=True)
class Measure:
    """What two columns are compared by, as one number for each example, 0 to 1.

    Levels of a criterion count as the score that a rubric of this criterion alone would give.

    Attributes:
        of: The score, the decision or a criterion; where the rubric has categories, the answers instead of the score.
        tolerance: Two numbers that are closer than this agree.
        constants: What a constant may answer; None means any score that was given.
        only: The rubric's one criterion, by whose named levels a score is called; None where there are more.
        tie_within: Of pairs: how close to the middle a score is a tie.
    """

    of: Measured
    tolerance: float
    constants: tuple[float, ...] | None = None
    only: Criterion | None = None
    tie_within: float = 0.0

    @property
    def mirrored(self) -> bool:
        """Whether it is about pairs, of which it is arbitrary which response is stored first."""
        return self.of == OF_PREFERENCE or (isinstance(self.of, Criterion) and self.of.scale.mirrored)

    def values(self, column: Column) -> Floats:
        """A rater's numbers, shape (n_examples,), nan where there is none."""
        if isinstance(self.of, Criterion):
            return merits(self.of, column.levels[self.of.name])
        if isinstance(self.of, Answers):
            return self.of.values(column)
        if self.of == OF_PREFERENCE:
            return preferences_of_scores(column.scores, self.tie_within)
        return column.scores if self.of == OF_SCORE else column.decisions

    @property
    def name(self) -> str:
        """The measure by its name: "score", "decision" or a criterion's."""
        if isinstance(self.of, Answers):
            return OF_SCORE
        return self.of.name if isinstance(self.of, Criterion) else self.of

    @property
    def noun(self) -> str:
        """What is compared, in a word."""
        if isinstance(self.of, Answers):
            return self.of.noun
        return "level" if isinstance(self.of, Criterion) else self.of

    @property
    def miss(self) -> str:
        """What separates judge and gold where they don't agree, in words."""
        return f"score off by {self.tolerance:g} or more" if self.of == OF_SCORE else f"another {self.noun}"

    def in_words(self, value: float) -> str:
        """A value as raters answer it: a level's name, pass or fail, or a score with at most two decimals."""
        if isinstance(self.of, Criterion):
            return _level_name(self.of, value)
        if isinstance(self.of, Answers):
            return self.of.in_words(value)
        if self.of == OF_PREFERENCE:
            return preferred(value, self.tie_within)
        if self.of == OF_DECISION:
            if self.only is not None and self.only.scale.own_yes_no:
                return self.only.scale.level_name(float(value >= PASSES))
            return "pass" if value >= PASSES else "fail"
        if self.only is None or self.only.scale.place_of(self.only.scale.at(self.only.merit(value))) is None:
            return rounded(value)
        return _level_name(self.only, value)

    def always(self, value: float) -> str:
        """One constant answer: "always answering 0.75", "always MET"."""
        answer = self.in_words(value)
        is_said = isinstance(self.of, Answers) or answer[-1].isdigit()
        return f"always {'answering ' if is_said else ''}{answer}"


def _level_name(criterion: Criterion, merit: float) -> str:
    """The level with a merit, as raters choose it."""
    return criterion.scale.level_name(criterion.scale.at(criterion.merit(merit)))


def measure_of(rubric: Rubric, of: str | Measured | None = None, tolerance: float | None = None) -> Measure:
    """The measure by its name: "score", "decision", or a criterion's.

    Args:
        rubric: The rubric of what is compared.
        of: Its name, or a criterion itself; None means the score, or the decision where a table has nothing else.
            Where the rubric has categories, "score" also asks every category to be equal.
        tolerance: How far a score may be from gold and still agree; None means the rubric's. Levels and decisions
            agree where they are equal.

    Raises:
        UsageError: No criterion has that name; or it is the decision, and the rubric's categories neither pass nor
            fail.
    """
    if of is None:
        of = OF_DECISION if rubric.table_of == "pass-fail" else OF_SCORE
    if rubric.is_of_pairs and of in (OF_SCORE, OF_DECISION, OF_PREFERENCE):
        ties = any(LEVEL_OF["tie"] in criterion.scale.values for criterion in rubric.criteria)
        constants = (0.0, 0.5, 1.0) if ties else (0.0, 1.0)
        return Measure(OF_PREFERENCE, EQUAL, constants=constants, tie_within=rubric.tie_within)
    only = rubric.criteria[0] if len(rubric.criteria) == 1 else None
    if of == OF_SCORE or isinstance(of, Answers):
        measured = Answers(rubric) if rubric.categories else OF_SCORE
        return Measure(measured, rubric.tolerance if tolerance is None else tolerance, only=only)
    if of == OF_DECISION and not rubric.decides:
        raise UsageError(f"{rubric.name} has categories alone, of which none is said to pass: passes: [label, …]")
    if of == OF_DECISION:
        return Measure(OF_DECISION, EQUAL, constants=(0.0, 1.0), only=only)
    return Measure(of if isinstance(of, Criterion) else _criterion(rubric, of), EQUAL)


def _criterion(rubric: Rubric, name: str) -> Criterion:
    criteria = {criterion.name: criterion for criterion in rubric.criteria}
    if name not in criteria:
        raise UsageError(f"`of` must be one of {', '.join((OF_SCORE, OF_DECISION, *criteria))}, got {name!r}")
    return criteria[name]


def preferences_of_scores(scores: Floats, tie_within: float) -> Floats:
    """0 where the first response is preferred, ½ for a tie, 1 where the second is; nan where there is no score."""
    lean = 2 * scores - 1
    decided = np.where(np.abs(lean) <= tie_within + TIE_ROUNDING, 0.5, (lean > 0).astype(np.float64))
    return np.where(np.isnan(scores), np.nan, decided)


def compare(
    table: RatingTable,
    *,
    judge: str = JUDGE,
    gold: str = GOLD,
    of: str | Measured | None = None,
    tolerance: float | None = None,
) -> "Comparison":
    """A judge's column compared with gold, or any column with any other.

    Every command's figures about two columns come from here, so the same two columns give the same figures.

    Args:
        table: Has both columns, and those of annotators where there are any.
        judge: Name of the judge's column.
        gold: Name of the other column.
        of: What is compared: "score", "decision", or a criterion or its name; None means the score, or the decision
            where a table has nothing else. Agreement, the best constant, annotators' figures, trends and slices follow
            it; whether the judge can gate is always a question of decisions.
        tolerance: How far a score may be from gold and still agree; None means the rubric's.

    Raises:
        ComparisonError: The judge rated none of the examples.
        KeyError: No criterion has the name `of`.
    """
    if table[judge].is_empty:
        raise ComparisonError(f"the judge rated none of the examples that have labels: {_no_rating(table, judge)}")
    return Comparison(table, judge, gold, measure_of(table.rubric, of, tolerance))


def _no_rating(table: RatingTable, judge: str) -> str:
    """Why a judge's column is empty: its ratings are of other examples, or the reasons that they give."""
    ratings = [rating for rating in table[judge].ratings if rating is not None]
    if not ratings:
        examples = counted(len(table.ids), "example")
        return f"no rating has the id of one of these {examples} ({few_of(table.ids)})"
    return commonest(rating.why_empty for rating in ratings)


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
    changes = differences(table, first, second, criterion)
    groups = table.groups
    method = f"mean {'score' if criterion is None else 'level'}, second minus first"
    mean = mean_estimate(changes, transform=IDENTITY, groups=groups, level=level, method=method)
    if groups is not None or (criterion is None and (mean.low is not None or mean.value is None)):
        return mean
    span = 1.0 if criterion is None else next(c.scale.span for c in table.rubric.criteria if c.name == criterion)
    return shift_interval(changes, span=span, level=level, method=method)


def differences(table: RatingTable, first: str, second: str, criterion: str | None = None) -> Floats:
    """Second minus first for each example, shape (n_examples,): levels of a criterion, or scores; nan where missing."""
    if criterion is None:
        return table[second].scores - table[first].scores
    return table[second].levels[criterion] - table[first].levels[criterion]


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
    """

    criterion: Criterion
    gold: Floats
    judge: Floats
    people: Floats
    groups: tuple[str, ...] | None = None

    @cached_property
    def statistics(self) -> Mapping[str, Estimate]:
        """Estimates by the names of the JSON format; errors in levels."""
        criterion = self.criterion
        levels = sorted(set(criterion.scale.values))
        ordered = criterion.scale.ordered
        if criterion.scale.mirrored:
            from markscheme.stats.mirrored import pair_agreement_family

            return pair_agreement_family(self.gold, self.judge, levels=levels, groups=self.groups)
        agreed = two_raters(self.gold, self.judge, levels=levels, ordered=ordered, groups=self.groups)
        families = ((agreed, lambda: agreed), (ERROR_NAMES, self._errors), (YES_NO_NAMES, self._decisions))
        return EstimatesOnDemand(families)

    def _errors(self) -> Mapping[str, Estimate]:
        scale = self.criterion.scale
        if scale.ordered:
            return error_family(self.gold, self.judge, groups=self.groups, levels=sorted(set(scale.values)))
        n = int(np.isfinite(self.gold + self.judge).sum())
        return {name: Estimate.without_value(NO_ORDER, n=n, method=name) for name in ERROR_NAMES}

    def _decisions(self) -> Mapping[str, Estimate]:
        gold = passes(self.criterion, self.gold)
        judge = passes(self.criterion, self.judge)
        return yes_no_family(gold, judge, groups=self.groups)

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
        scale = self.criterion.scale
        levels = list(dict.fromkeys(scale.values))
        names = [scale.level_name(level) for level in levels] if scale.coded else levels
        both = ~np.isnan(self.gold) & ~np.isnan(self.judge)
        ratings = np.concatenate([self.gold[both], self.judge[both]])
        if not np.isin(ratings, levels).all():
            return {"levels": names, "matrix": None, "undefined": "a rating lies between two levels"}
        return {"levels": names, "matrix": confusion(self.gold, self.judge, levels).tolist(), "undefined": None}


def equal(first: Floats, second: Floats) -> Floats:
    """1 where two columns are equal, 0 where not, nan where either is missing."""
    return np.where(np.isnan(first) | np.isnan(second), np.nan, first == second).astype(np.float64)


def passes(criterion: Criterion, levels: Floats) -> Floats:
    """Whether each level passes the criterion by itself: 1, 0 or nan, shape of `levels`."""
    if not criterion.is_decisive:
        return np.full_like(levels, np.nan)
    if criterion.passing:
        return np.array([_passes(criterion, level) for level in levels.tolist()])
    passed = merits(criterion, levels) >= criterion.threshold - ROUNDING
    return np.where(np.isnan(levels), np.nan, passed).astype(np.float64)


def _passes(criterion: Criterion, level: float) -> float:
    return level if level != level else float(criterion.passes(criterion.scale.position(level)))


@dataclass(frozen=True)
class Comparison:
    """Two columns of a table, per criterion and overall; every figure is computed when it is first asked for.

    Attributes:
        table: Has both.
        judge_name: The column compared.
        gold_name: The column it is compared with.
        measure: What of them is compared: agreement, the best constant, annotators' figures and misses follow it.
        settings: How many settings were tried on these labels, this one included; more widen the intervals.
    """

    table: RatingTable
    judge_name: str
    gold_name: str
    measure: Measure
    settings: int = 1

    @cached_property
    def audits(self) -> Mapping[str, Any]:
        """What audits found, by the keys of a calibration's JSON; None for one that the judge gave nothing for."""
        audited = [audit(self.table, self.judge_name, self.gold_name) for audit in AUDITS]
        return {key: figures for by_key in audited for key, figures in by_key.items()}

    @cached_property
    def repairs(self) -> "Repairs | None":
        """What fixing each criterion would change; None where the judge's decisions don't follow from its levels."""
        from markscheme.calibration.comparison.repairs import repairs_of

        tolerance = self.tolerance if self.measure.of == OF_SCORE else self.rubric.tolerance
        return repairs_of(self.table, judge=self.judge_name, gold=self.gold_name, tolerance=tolerance)

    @property
    def level(self) -> float:
        """Level of the intervals of agreement and of wrong decisions, which decide; criteria have 95 %."""
        return interval_level(self.settings)

    @property
    def rubric(self) -> Rubric:
        """The rubric of both."""
        return self.table.rubric

    @property
    def tolerance(self) -> float:
        """Two values that are closer than this agree."""
        return self.measure.tolerance

    def by(self, of: str | Measured) -> "Comparison":
        """The same columns compared by something else: "score", "decision", or a criterion or its name."""
        return replace(self, measure=measure_of(self.rubric, of))

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
            raise TypeError(f"{self.judge_name} is compared with {self.gold_name}, which isn't gold")
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
    def graded_by(self) -> Floats:
        """What shows that the judge graded an example: its score, or its answer where there are categories alone."""
        return self.scores if self.rubric.has_score else self.judge_values

    @property
    def passes(self) -> Floats:
        """The judge's decisions, shape (n_examples,), 1 for pass, nan where not graded."""
        return self.judge.decisions

    @cached_property
    def judge_values(self) -> Floats:
        """The judge's side of what is compared, 0 to 1, shape (n_examples,), nan where there is none."""
        return self.measure.values(self.judge)

    @cached_property
    def gold_values(self) -> Floats:
        """Gold's side of it, likewise."""
        return self.measure.values(self.reference)

    @cached_property
    def misses(self) -> Floats:
        """Judge minus gold in what is compared, shape (n_examples,), to 9 decimals; nan where either is missing.

        Categories have no difference: where they are compared, it is that of the scores, if there are any.
        """
        if isinstance(self.measure.of, Answers):
            return self.score_errors
        return np.round(self.judge_values - self.gold_values, DECIMALS)

    @cached_property
    def score_errors(self) -> Floats:
        """Judge minus gold in score, whatever is compared, likewise."""
        return np.round(self.scores - self.reference.scores, DECIMALS)

    @cached_property
    def hits(self) -> Floats:
        """1 where the judge agrees with gold, 0 where not, nan where either is missing."""
        return close(self.gold_values, self.judge_values, self.tolerance)

    @cached_property
    def distances(self) -> Floats:
        """How far judge and gold are apart in what is compared, likewise; another category is 1 apart."""
        if isinstance(self.measure.of, Answers):
            return np.asarray(np.fmax(np.abs(self.misses), 1 - self.hits))
        return np.asarray(np.abs(self.misses))

    @cached_property
    def figures(self) -> AgreementFigures:
        """The shares behind a verdict: judge, best constant and annotators, all with one tolerance."""
        people = [self.measure.values(column) for column in self.table.annotators]
        return agreement_figures(
            self.gold_values,
            self.judge_values,
            np.column_stack(people) if people else None,
            tolerance=self.tolerance,
            groups=self.table.groups,
            constants=self.measure.constants,
            weights=self.weights,
            mirrored=self.measure.mirrored,
        )

    @cached_property
    def decision_figures(self) -> DecisionFigures:
        """The judge's decisions compared with gold's: over all, and what it stops of fails and keeps of passes."""
        table = self.table
        return decisions_compared(
            self.passes, self.reference.decisions, groups=table.groups, examples=table.examples, weights=self.weights
        )

    @cached_property
    def weights(self) -> Floats | None:
        """How much of all outputs each example speaks for, shape (n_examples,); None unless chances differed."""
        examples = self.table.examples
        if examples is None or all(example.weight == 1 for example in examples):
            return None
        return drawn_weights([example.weight for example in examples], draws_of(examples))

    @property
    def weighted_to(self) -> int | None:
        """How many outputs the figures are weighted to: those that the examples were drawn from; None likewise.

        Several draws come from one pool, so it is as large as the largest of them says.
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
        """The same share for the best constant answer among those that were given."""
        return self.figures.constant.estimate(level=self.level, method="agreement of the best constant answer")

    @cached_property
    def gain(self) -> Estimate:
        """Agreement minus that of the best constant answer, paired by example."""
        method = "agreement minus that of the best constant answer"
        return self.figures.gain.estimate(level=self.level, method=method)

    @cached_property
    def agreement_person(self) -> Estimate | None:
        """Share of pairs of annotators who agree; None unless two rated an example that the judge rated."""
        people = self.figures.people
        method = "agreement of two annotators" + (", averaged over examples" if self.has_uneven_annotators else "")
        return people.estimate(level=self.level, method=method) if people.n else None

    @cached_property
    def has_uneven_annotators(self) -> bool:
        """Whether examples that two annotators rated have different numbers of them, so that pairs count unequally."""
        people = [self.measure.values(column) for column in self.table.annotators]
        if not people:
            return False
        annotators = np.isfinite(np.column_stack(people)).sum(axis=1)
        return len(np.unique(annotators[np.isfinite(self.judge_values) & (annotators >= 2)])) > 1

    @cached_property
    def agreement_with_person(self) -> Estimate | None:
        """Share of annotators the judge agrees with, on the same examples as `agreement_person`."""
        judge = self.figures.judge_people
        method = "agreement of the judge with an annotator"
        return judge.estimate(level=self.level, method=method) if judge.n else None

    @cached_property
    def ties(self) -> ToleranceTies:
        """Examples exactly at the tolerance, which don't count as agreement, and the share if they did."""
        return tolerance_ties(self.gold_values, self.judge_values, tolerance=self.tolerance, groups=self.table.groups)

    @cached_property
    def overall(self) -> Mapping[str, Estimate]:
        """Estimates for the whole rubric by name; errors in score, 0 to 1."""
        gold = self.reference
        judge = self.judge
        groups = self.table.groups
        decided = np.column_stack([gold.decisions, judge.decisions])
        decided[np.isnan(decided).any(axis=1)] = np.nan  # else an ungraded example would count in gold's margin alone
        return {
            **error_family(gold.scores, judge.scores, groups=groups, levels=[0.0, 1.0]),
            "pass_kappa": agreement(decided, "cohen_kappa", levels=[0.0, 1.0], groups=groups),
            **yes_no_family(gold.decisions, judge.decisions, groups=groups),
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
    def wrong_passes(self) -> WrongDecisions:
        """How often the judge passes what gold fails."""
        return self._wrong("false_pass")

    @cached_property
    def wrong_fails(self) -> WrongDecisions:
        """How often the judge fails what gold passes."""
        return self._wrong("false_fail")

    @cached_property
    def false_pass_rate(self) -> Estimate:
        """Share of the examples gold fails that the judge passes."""
        return self.wrong_passes.estimate(self.level)

    @cached_property
    def false_fail_rate(self) -> Estimate:
        """Share of the examples gold passes that the judge fails."""
        return self.wrong_fails.estimate(self.level)

    def _wrong(self, what: WrongName) -> WrongDecisions:
        table = self.table
        return wrong_decisions(
            what, self.passes, self.reference.decisions, groups=table.groups, examples=table.examples
        )

    def _annotators(self, criterion: str) -> Floats:
        """Each annotator's levels of a criterion, shape (n_examples, n_people)."""
        people = self.table.annotators
        return stacked(people, criterion) if people else np.full((len(self.ids), 0), np.nan)

    def _differing(self, *, judge: float, gold: float) -> list[str]:
        places = np.flatnonzero((self.passes == judge) & (self.reference.decisions == gold))
        far = np.nan_to_num(np.abs(self.score_errors[places]), nan=-1.0)
        return [self.ids[place] for place in places[np.argsort(-far, kind="stable")]]
