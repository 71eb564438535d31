"""Annotators' overall scores and pass/fail decisions on whole responses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from markscheme.grading.score import ROUNDING, must_pass
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.kinds import PEOPLE, Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import earned_score, rating_table, stacked
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.annotators import gold
from markscheme.stats.intervals import Floats

COMPUTED = 0.005
"""Largest difference of an overall score from that of the same rater's levels with which it counts as computed."""
MOSTLY = 0.9
"""Share of the scores that must be computed from levels before all are assumed to be; a judgement."""
QUOTED = 30
"""Fewest characters of a response that appear in the prompt, or of the prompt that appear in a response, that count as
a quotation."""
NoLevels: TypeAlias = Literal["quoted", "not-applicable", "levels-missing", "required-failed"]
"""Reasons why no weights can be fitted to an annotator's levels on a response."""


@dataclass(frozen=True)
class WholeLabels:
    """Annotators' overall scores and pass/fail decisions on the examples that the judge's prompt doesn't quote.

    Attributes:
        truth: The gold labels.
        quoted: Ids of labelled examples that the prompt quotes.
        marks: Mean of the overall scores that weren't computed from levels, shape (n,); nan where there is none.
        passed: Explicit decisions of annotators, shape (n,), 1 for pass; nan where there is none or an even split.
        decided: Annotators' decisions, shape (n,): the explicit ones, else those that follow from gold's score, the
            pass mark and required criteria; nan where there is none or an even split.
        contradictory: Ids of examples that one rater both passed and failed.
        torn: Ids of examples that as many annotators passed as failed.
        computed: Number of overall scores that equal the score of the same rater's levels.
        mostly_computed: True if `computed` is over nine in ten of the overall scores given with levels.
    """

    truth: Gold
    quoted: tuple[str, ...]
    marks: Floats
    passed: Floats
    decided: Floats
    contradictory: tuple[str, ...]
    torn: tuple[str, ...]
    computed: int
    mostly_computed: bool

    @classmethod
    def of(cls, examples: ExampleSet, rubric: Rubric, kind: Kind | None) -> "WholeLabels":
        """Collect the labels on whole responses, without responses that the judge's prompt quotes as examples.

        Args:
            examples: The examples with their labels.
            rubric: The rubric.
            kind: The kind of labels to collect; None for the strongest kind that the examples have.
        """
        quoted = tuple(example.id for example in examples.labelled.examples if is_quoted(example, rubric))
        unquoted = tuple(example for example in examples.examples if example.id not in quoted)
        truth = gold_of(replace(examples, examples=unquoted), rubric, kind=kind)
        labels = [label for example in truth.examples for label in example.labels if label.kind in truth.kinds]
        contradictory = _contradictory(labels, truth.ids, rubric)
        clear = ~np.isin(truth.ids, list(contradictory))
        by_rater: dict[tuple[str, str, str], dict[str, Rated]] = {}
        for label in labels:
            by_rater.setdefault((label.id, label.rater, label.kind), {}).update(label.criteria)
        marked = [label for label in labels if label.overall is not None]
        earned = [_earned(by_rater[label.id, label.rater, label.kind], rubric) for label in marked]
        judged_marks = [
            label
            for label, score in zip(marked, earned, strict=True)
            if score is None or abs(score - (label.overall or 0.0)) > COMPUTED + 1e-9
        ]
        with_levels = sum(score is not None for score in earned)
        passed = _by_kind(
            truth, [label for label in labels if label.kind in PEOPLE and label.passed is not None], rubric
        )
        torn = tuple(np.array(truth.ids, dtype=object)[clear & (passed == 0.5)].tolist())
        return cls(
            truth=truth,
            quoted=quoted,
            marks=np.where(clear, _by_kind(truth, judged_marks, rubric, decisions=False), np.nan),
            passed=np.where(clear & (passed != 0.5), np.round(passed), np.nan),
            decided=np.where(clear & truth.has_people, truth.decisions, np.nan),
            contradictory=contradictory,
            torn=torn,
            computed=len(marked) - len(judged_marks),
            mostly_computed=len(marked) - len(judged_marks) > MOSTLY * with_levels > 0,
        )


def _earned(rated: Mapping[str, Rated], rubric: Rubric) -> float | None:
    """Compute the score from a rater's levels on all criteria; None if a level is missing."""
    levels = {
        name: rated_criterion.level for name, rated_criterion in rated.items() if rated_criterion.level is not None
    }
    return earned_score(
        levels, [n for n, rated_criterion in rated.items() if rated_criterion.declined == "not applicable"], rubric
    )


def _by_kind(truth: Gold, labels: Sequence[Rating], rubric: Rubric, *, decisions: bool = True) -> Floats:
    """Return each example's mean decision or overall score by its most trusted kind of labels; nan without labels.

    Args:
        truth: The gold, with its examples and the kinds of labels that count.
        labels: The labels.
        rubric: The rubric.
        decisions: True for decisions, False for overall scores.
    """
    means = np.full(len(truth.ids), np.nan)
    for kind in truth.kinds:
        of_kind = [label for label in labels if label.kind == kind]
        if of_kind:
            columns = rating_table(rubric, truth.ids, of_kind).columns
            table = np.column_stack([column.decisions for column in columns]) if decisions else stacked(columns)
            means = np.where(np.isnan(means), gold(table, by="mean"), means)
    return means


def _contradictory(labels: Sequence[Rating], ids: Sequence[str], rubric: Rubric) -> tuple[str, ...]:
    """Return the ids of the examples that the same rater both passed and failed."""
    decisions_of: dict[tuple[str, str], set[bool]] = {}
    for label in labels:
        decision = label.passed
        if decision is None and label.overall is not None:
            decision = label.overall >= rubric.pass_mark - ROUNDING
        if decision is not None:
            decisions_of.setdefault((label.id, label.rater), set()).add(decision)
    with_two_decisions = {unit for (unit, _), decisions in decisions_of.items() if len(decisions) == 2}
    return tuple(unit for unit in ids if unit in with_two_decisions)


def is_quoted(example: Example, rubric: Rubric) -> bool:
    """Return True if the rubric quotes the example's response, in the example for a level or anywhere else."""
    response = " ".join(example.submission.response.split())
    shown = [text for c in rubric.criteria for text in (c.good, c.bad, *(level.example for level in c.scale.levels))]
    requirements = [
        text for c in rubric.criteria for text in (c.requirement, *(level.description for level in c.scale.levels))
    ]
    for text in (" ".join(text.split()) for text in shown if text):
        if response == text or (len(text) >= QUOTED and text in response):
            return True
    words = " ".join(" ".join(text.split()) for text in (rubric.guidelines, *requirements, *shown) if text)
    return len(response) >= QUOTED and response in words


def counting_levels(rubric: Rubric, example: Example, answers: Mapping[str, Rated]) -> tuple[float, ...] | NoLevels:
    """Return a response's positions on the criteria with weights, or the reason why no fit of weights can use them.

    By this rule `improve` counts decisions, and `label` says when there are enough of them.

    Args:
        rubric: The rubric.
        example: The response.
        answers: An annotator's or a judge's levels on the response, by criterion.
    """
    if is_quoted(example, rubric):
        return "quoted"
    rated = [answers.get(criterion.name) for criterion in rubric.criteria]
    if any(answer is not None and answer.declined == "not applicable" for answer in rated):
        return "not-applicable"
    levels: list[float] = []
    for criterion, answer in zip(rubric.criteria, rated, strict=True):
        if answer is None or answer.level is None:
            if criterion.weight or must_pass(criterion):
                return "levels-missing"
            continue
        position = criterion.scale.position(answer.level)
        if must_pass(criterion) and not criterion.passes(position):
            return "required-failed"
        if criterion.weight and criterion.has_worth:
            levels.append(position)
    return tuple(levels)
