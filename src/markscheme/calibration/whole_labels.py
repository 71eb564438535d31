"""Annotators' labels for figures on whole responses, and which of a response's levels weights can be fitted to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from markscheme.grading.score import ROUNDING, must_pass
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet, anchors_in
from markscheme.ratings.gold import Gold, gold_of
from markscheme.ratings.kinds import Kind
from markscheme.ratings.rating import Rated, Rating
from markscheme.ratings.table import rating_table, stacked
from markscheme.rubrics.rubric import Rubric
from markscheme.stats.annotators import gold
from markscheme.stats.intervals import Flags, Floats

QUOTED = 30
"""Fewest characters of a response that appear in the prompt, or of the prompt that appear in a response, that count as
a quotation."""
NoLevels: TypeAlias = Literal["quoted", "not-applicable", "levels-missing", "required-failed"]
"""Reasons why no weights can be fitted to an annotator's levels on a response."""


@dataclass(frozen=True)
class WholeLabels:
    """Gold labels of whole responses, without examples that the rubric quotes, since a judge sees what it quotes.

    Attributes:
        truth: The gold labels.
        ratings: The labels of the kinds that count.
        clear: Flags of the examples that no rater both passed and failed, shape (n,).
    """

    truth: Gold
    ratings: list[Rating]
    clear: Flags

    @classmethod
    def of(cls, examples: ExampleSet, rubric: Rubric, kind: Kind | None) -> "WholeLabels":
        """Collect the labels of a set of examples, without responses that the judge's prompt quotes as examples.

        Args:
            examples: The examples with their labels.
            rubric: The rubric.
            kind: The kind of labels to collect; None for the strongest kind that the examples have.
        """
        quoted = {example.id for example in examples.labelled.examples if is_quoted(example, rubric)}
        unquoted = tuple(example for example in examples.examples if example.id not in quoted)
        truth = gold_of(replace(examples, examples=unquoted), rubric, kind=kind)
        ratings = [label for example in truth.examples for label in example.labels if label.kind in truth.kinds]
        return cls(truth, ratings, ~np.isin(truth.ids, _contradictory(ratings, rubric)))

    def means(self, ratings: Sequence[Rating], rubric: Rubric, *, decisions: bool) -> Floats:
        """Return the mean of each example's decisions, or of its overall scores; nan without any.

        The mean is over raters of one kind: the most trusted kind that decided (or scored) the example.

        Args:
            ratings: The labels to use.
            rubric: The rubric.
            decisions: True for decisions, False for overall scores.
        """
        means = np.full(len(self.truth.ids), np.nan)
        for kind in self.truth.kinds:
            of_kind = [label for label in ratings if label.kind == kind]
            if of_kind:
                columns = rating_table(rubric, self.truth.ids, of_kind).columns
                table = np.column_stack([column.decisions for column in columns]) if decisions else stacked(columns)
                means = np.where(np.isnan(means), gold(table, by="mean"), means)
        return means


def _contradictory(labels: Sequence[Rating], rubric: Rubric) -> list[str]:
    """Return the ids of the examples that the same rater both passed and failed."""
    decisions_of: dict[tuple[str, str], set[bool]] = {}
    for label in labels:
        decision = label.passed
        if decision is None and label.overall is not None:
            decision = label.overall >= rubric.pass_mark - ROUNDING
        if decision is not None:
            decisions_of.setdefault((label.id, label.rater), set()).add(decision)
    return [unit for (unit, _), decisions in decisions_of.items() if len(decisions) == 2]


def is_quoted(example: Example, rubric: Rubric) -> bool:
    """Return True if the rubric quotes the example's response, in the example for a level or anywhere else."""
    response = " ".join(example.submission.response.split())
    shown = anchors_in(rubric)
    requirements = [
        text for c in rubric.criteria for text in (c.requirement, *(level.description for level in c.scale.levels))
    ]
    for text in (" ".join(text.split()) for text in shown):
        if response == text or (len(text) >= QUOTED and text in response):
            return True
    words = " ".join(" ".join(text.split()) for text in (rubric.guidelines, *requirements, *shown) if text)
    return len(response) >= QUOTED and response in words


def counting_levels(rubric: Rubric, example: Example, answers: Mapping[str, Rated]) -> tuple[float, ...] | NoLevels:
    """Return a response's positions on the criteria with weights, or a code for why they can't be used to fit weights.

    `improve` counts by it the decisions that it can fit weights to, and `label` says by it when there are enough.

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
