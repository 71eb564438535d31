"""Annotators' decisions about whole responses that are suitable to fit a rubric's weights and pass mark."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from markscheme.calibration.whole_labels import NoLevels, counting_levels
from markscheme.features.improve.drawn_parts import task_of
from markscheme.features.improve.fitting.decided import AuthorNumbers, DecidedRows
from markscheme.features.improve.fitting.judged import answers_by_id
from markscheme.features.improve.least_labels import LEAST_OF_EACH
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.kinds import PEOPLE
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import Column
from markscheme.rubrics.rubric import Criterion, Rubric

LEAST = 40
"""Fewest tasks with a decision for which weights or a pass mark are fitted, chosen by simulation."""
PER_WEIGHT = 8
"""Fewest tasks with a decision for each criterion whose weight is fitted."""
OTHER_LEVELS = 10
"""Fewest tasks with a level other than a criterion's most common one for which the criterion's weight is fitted."""

LeftOut: TypeAlias = NoLevels | Literal["split-evenly"]
Lack = Literal["pairs", "categories", "no-decisions", "not-blind", "too-few", "one-sided", "one-column"]


@dataclass(frozen=True)
class WholeDecision:
    """Pass/fail decision on a response, an annotator's or the majority's, with the levels from which to predict it.

    Attributes:
        example: The response.
        raters: Names of those who decided so.
        passed: True for a pass; for a pair, True if the first response is preferred, None for a tie.
        levels: Position on the scale of each criterion that has a weight, 0 to 1; for a pair, the first response's
            minus the second's.
    """

    example: Example
    raters: tuple[str, ...]
    passed: bool | None
    levels: tuple[float, ...]

    @property
    def outcomes(self) -> tuple[tuple[float, float], ...]:
        """Pairs of outcome and weight: the decision with weight 1, or for a tie both outcomes with weight ½."""
        return ((1.0, 0.5), (0.0, 0.5)) if self.passed is None else ((float(self.passed), 1.0),)


@dataclass(frozen=True)
class DecisionEvidence:
    """Annotators' decisions on examples, with levels: what weights and pass mark are fitted to.

    Attributes:
        rubric: The rubric.
        decisions: The blind decisions (given without seeing the judge's verdict) on examples that have levels on all
            criteria.
        without_levels: Number of blind decisions that can't be used, by the reason.
        not_blind: Number of decisions that were given with the judge's verdict in view.
        judge: Name of the judge whose levels these are; None for annotators' own levels.
        pairs: The rubric of pairs by which the decisions were made, if they are preferences; None if they are about
            single responses.
    """

    rubric: Rubric
    decisions: tuple[WholeDecision, ...]
    without_levels: Mapping[LeftOut, int]
    not_blind: int
    judge: str | None = None
    pairs: Rubric | None = None

    @classmethod
    def of(cls, rubric: Rubric, examples: ExampleSet) -> "DecisionEvidence":
        """Collect annotators' decisions on a set of examples, with the annotators' own levels."""
        decisions: list[WholeDecision] = []
        left_out: Counter[LeftOut] = Counter()
        not_blind = 0
        for example in examples.labelled.examples:
            for rating in example_decisions(example):
                if not rating.blind:
                    not_blind += 1
                    continue
                made = _decision(rubric, example, rating)
                if isinstance(made, WholeDecision):
                    decisions.append(made)
                else:
                    left_out[made] += 1
        return cls(rubric, tuple(decisions), dict(left_out), not_blind)

    @classmethod
    def with_levels_of(cls, judged: Column, rubric: Rubric, examples: ExampleSet) -> "DecisionEvidence":
        """Collect the annotators' majority decision on each response, with a judge's levels."""
        decisions: list[WholeDecision] = []
        left_out: Counter[LeftOut] = Counter()
        not_blind = 0
        answers = answers_by_id(judged, rubric)
        for example in examples.labelled.examples:
            ratings = list(example_decisions(example))
            blind = [rating for rating in ratings if rating.blind]
            not_blind += len(ratings) - len(blind)
            if not blind:
                continue
            raters_of = {passed: tuple(r.rater for r in blind if r.passed is passed) for passed in (True, False)}
            if len(raters_of[True]) == len(raters_of[False]):
                left_out["split-evenly"] += 1
                continue
            passed = len(raters_of[True]) > len(raters_of[False])
            rating = Rating(example.id, judged.name, "model", answers.get(example.id, {}), passed=passed)
            made = _decision(rubric, example, rating)
            if isinstance(made, WholeDecision):
                decisions.append(replace(made, raters=raters_of[passed]))
            else:
                left_out[made] += 1
        return cls(rubric, tuple(decisions), dict(left_out), not_blind, judged.name)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the responses that annotators decided on, each once."""
        return tuple(dict.fromkeys(id for decision in self.decisions for id in response_ids(decision.example)))

    @property
    def raters(self) -> tuple[str, ...]:
        """Names of the annotators whose decisions are the evidence, each once."""
        return tuple(sorted({rater for decision in self.decisions for rater in decision.raters}))

    @cached_property
    def tasks(self) -> Mapping[str, float]:
        """The share of passes among each task's decisions, by task."""
        passed: dict[str, list[float]] = {}
        for decision in self.decisions:
            share = sum(outcome * weight for outcome, weight in decision.outcomes)
            passed.setdefault(task_of(decision.example), []).append(share)
        return {task: sum(sides) / len(sides) for task, sides in passed.items()}

    @property
    def passes(self) -> int:
        """Number of tasks in which most decisions are passes."""
        return sum(share > 1 / 2 for share in self.tasks.values())

    @property
    def fails(self) -> int:
        """Number of tasks in which most decisions are fails."""
        return sum(share < 1 / 2 for share in self.tasks.values())

    @cached_property
    def tuned(self) -> tuple[Criterion, ...]:
        """Criteria whose levels vary enough among the decided responses to fit a weight."""
        weighted = weighted_criteria(self.rubric)
        return tuple(
            criterion
            for column, criterion in enumerate(weighted)
            if not criterion.required and self._off_commonest(column) >= OTHER_LEVELS
        )

    def _off_commonest(self, column: int) -> int:
        """Count the tasks in which some response has another level on a criterion than the most common one.

        Args:
            column: Index of the criterion among those that have a weight.
        """
        levels = [(task_of(decision.example), decision.levels[column]) for decision in self.decisions]
        if not levels:
            return 0
        ((commonest, _),) = Counter(level for _, level in levels).most_common(1)
        return len({task for task, level in levels if level != commonest})

    @property
    def lack(self) -> Lack | None:
        """Reason why neither weights nor a pass mark can be fitted; None if at least one can."""
        if self.rubric.is_of_pairs:
            return "pairs"
        if not weighted_criteria(self.rubric):
            return "categories"
        if not self.decisions:
            return "not-blind" if self.not_blind else "no-decisions"
        if len(self.tasks) < LEAST:
            return "too-few"
        # which side of a pair comes first is arbitrary
        least = self.passes + self.fails if self.is_paired else min(self.passes, self.fails)
        if least < LEAST_OF_EACH:
            return "one-sided"
        return "one-column" if self.is_paired and not self.has_columns else None

    @property
    def has_columns(self) -> bool:
        """True if weights can be fitted: two or more criteria vary enough, with enough decided tasks for all."""
        k = len(self.tuned)
        return k > 1 and len(self.tasks) >= PER_WEIGHT * k

    @property
    def may_move_weights(self) -> bool:
        """True if nothing is lacking to fit weights: enough decisions, passes and fails, and criteria that vary."""
        return self.lack is None and self.has_columns

    @property
    def is_paired(self) -> bool:
        """True if the decisions are preferences between two responses, to which no pass mark applies."""
        return self.pairs is not None

    @cached_property
    def numbers(self) -> AuthorNumbers:
        """The author's pass mark, None for preferences, and weights of the criteria whose weights a fit may change."""
        weights = np.array([criterion.weight for criterion in weighted_criteria(self.rubric)])
        has_positive = bool((weights > 0).any())
        scale = float(weights[weights > 0].sum() if has_positive else np.abs(weights).sum())
        tuned = np.array([criterion.weight for criterion in self.tuned], dtype=np.float64)
        if self.is_paired:
            return AuthorNumbers(tuned, scale, None)
        return AuthorNumbers(tuned, scale, self.rubric.pass_mark, 0.0 if has_positive else 1.0)

    @cached_property
    def rows(self) -> DecidedRows:
        """The decisions as arrays, with a row for each decision, but two rows for a tie: one for each outcome.

        The weights of an example's rows add up to 1.
        """
        weighted = weighted_criteria(self.rubric)
        is_tuned = np.array([criterion in self.tuned for criterion in weighted])
        weights = np.array([criterion.weight for criterion in weighted])
        names = tuple(self.tasks)
        number = {name: index for index, name in enumerate(names)}
        rows_of = Counter(decision.example.id for decision in self.decisions)
        rows = [(decision, *outcome) for decision in self.decisions for outcome in decision.outcomes]
        levels = np.array([decision.levels for decision, _, _ in rows]).reshape(-1, len(weighted))
        return DecidedRows(
            levels=levels[:, is_tuned] * np.sign(weights[is_tuned]),
            passed=np.array([outcome for _, outcome, _ in rows], dtype=np.float64),
            remainder=np.asarray(levels[:, ~is_tuned] @ weights[~is_tuned]),
            units=np.array([number[task_of(decision.example)] for decision, _, _ in rows], dtype=np.int64),
            names=names,
            weights=np.array([weight / rows_of[decision.example.id] for decision, _, weight in rows]),
            paired=self.is_paired,
        )


def weighted_criteria(rubric: Rubric) -> tuple[Criterion, ...]:
    """Return the criteria whose weights count in the rubric's overall score."""
    return tuple(criterion for criterion in rubric.criteria if criterion.weight and criterion.has_worth)


def response_ids(example: Example) -> tuple[str, ...]:
    """Return the id of an example's response; for an example of a pair, the ids of both responses."""
    return (example.id,) if example.sides is None else tuple(side.id or "" for side in example.sides)


def people_by_name(example: Example) -> Mapping[str, list[Rating]]:
    """Group an example's human labels by annotator."""
    by_rater: dict[str, list[Rating]] = {}
    for label in example.labels:
        if label.kind in PEOPLE:
            by_rater.setdefault(label.rater, []).append(label)
    return by_rater


def example_decisions(example: Example) -> Iterable[Rating]:
    """Yield each annotator's own decision on a response, with the annotator's levels.

    An annotator who decided on it more than once, and not always in the same way, is left out.
    """
    for labels in people_by_name(example).values():
        decided = [label for label in labels if label.passed is not None]
        if len({label.passed for label in decided}) == 1:
            yield _merged(decided[-1], labels)


def _merged(decision: Rating, labels: Sequence[Rating]) -> Rating:
    criteria = {name: rated for label in labels for name, rated in label.criteria.items()}
    return replace(decision, criteria=criteria)


def _decision(rubric: Rubric, example: Example, rating: Rating) -> WholeDecision | LeftOut:
    """Return an annotator's decision with the annotator's levels, or the reason why the levels can't be used."""
    levels = counting_levels(rubric, example, rating.criteria)
    if isinstance(levels, str):
        return levels
    return WholeDecision(example, (rating.rater,), bool(rating.passed), levels)
