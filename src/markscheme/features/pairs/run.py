"""Ranking of the systems whose responses are compared in pairs: by all labels together, and by each judge."""

from collections.abc import Sequence
from dataclasses import dataclass

from markscheme.calibration.results import Reported
from markscheme.features.pairs.preferences import OrderFigures, SystemsCompared, order_figures, systems_compared
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import column_of
from markscheme.rubrics.rubric import Rubric

ALL_LABELS = "labels"
"""The rater name for all labels combined."""


@dataclass(frozen=True)
class PairsCompared(Reported):
    """Comparisons of the systems that wrote some pairs of responses: one by the labels, and one by each judge.

    Attributes:
        rubric: The rubric by which the pairs were judged.
        systems: The comparison by all labels together, if there are any, then that by each judge.
        orders: The effects of order and length on each judge whose ratings record the order shown.
        pairs: Number of pairs with at least one rating.
    """

    rubric: Rubric
    systems: tuple[SystemsCompared, ...]
    orders: tuple[OrderFigures, ...]
    pairs: int


def rank_systems_of_pairs(rubric: Rubric, pairs: ExampleSet, judged: Sequence[Rating]) -> PairsCompared | None:
    """Rank the systems that wrote pairs of responses; None if no rated pair names its systems.

    Args:
        rubric: The rubric of pairs.
        pairs: The pairs, with their labels.
        judged: The judges' ratings.
    """
    preferences = [*_by_labels(rubric, pairs), *_by_judges(rubric, pairs.examples, judged)]
    if not preferences:
        return None
    orders = [
        figures
        for name, ratings in _by_rater(judged).items()
        if (figures := order_figures(rubric, pairs.examples, ratings, name)) is not None
    ]
    return PairsCompared(rubric, tuple(preferences), tuple(orders), max(table.n for table in preferences))


def _by_labels(rubric: Rubric, examples: ExampleSet) -> list[SystemsCompared]:
    if not any(label for example in examples.examples for label in example.labels):
        return []
    gold = gold_of(examples, rubric)
    compared = systems_compared(rubric, gold.examples, gold.scores, ALL_LABELS)
    return [] if compared is None else [compared]


def _by_judges(rubric: Rubric, examples: Sequence[Example], ratings: Sequence[Rating]) -> list[SystemsCompared]:
    ids = [example.id for example in examples]
    columns = {name: column_of(name, theirs, rubric, ids).scores for name, theirs in _by_rater(ratings).items()}
    every = (systems_compared(rubric, examples, scores, name) for name, scores in columns.items())
    return [compared for compared in every if compared is not None]


def _by_rater(ratings: Sequence[Rating]) -> dict[str, list[Rating]]:
    by_rater: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_rater.setdefault(rating.rater, []).append(rating)
    return by_rater
