"""Which system is preferred in files of pairs: by the labels together, and by each judge."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from markscheme.calibration.comparison.preferences import OrderFigures, SystemsCompared, order_figures, systems_compared
from markscheme.calibration.labelled_examples import labelled_examples
from markscheme.calibration.options import LabelOptions
from markscheme.errors import ComparisonError, UsageError, naming
from markscheme.ratings.examples import Example, ExampleSet
from markscheme.ratings.examples_choice import ExamplesChoice
from markscheme.ratings.gold import gold_of
from markscheme.ratings.kinds import JUDGES
from markscheme.ratings.rating import Rating
from markscheme.ratings.table import column_of
from markscheme.readers.imported import Meanings
from markscheme.readers.pair_lists import refuse_singles
from markscheme.readers.rated import RatedFiles, open_rated
from markscheme.rubrics.rubric import Rubric

ALL_LABELS = "labels"
"""The rater name for all labels combined."""


@dataclass(frozen=True)
class PairsCompared:
    """The systems in some pairs, by each rater.

    Attributes:
        rubric: By which the pairs were judged.
        systems: By the labels together, where there are any, then by each judge.
        orders: How order and length move each judge whose ratings say what order was shown.
        pairs: Pairs with at least one rating.
    """

    rubric: Rubric
    systems: tuple[SystemsCompared, ...]
    orders: tuple[OrderFigures, ...]
    pairs: int


def compare_systems(
    files: Sequence[Path],
    rubric: Rubric | None = None,
    *,
    labels: LabelOptions,
    meanings: Meanings,
) -> PairsCompared:
    """Compare the systems in files of pairs, by each rater.

    Args:
        files: Pairs with preferences, grades of pairs, or ratings of a rubric's own pairs.
        rubric: Of all of them; None takes the one that the files imply.
        labels: Which pairs count, and their file, where `files` have ratings alone; None for the rubric's own.
        meanings: What is stated of the files: who preferred, as what kind.

    Raises:
        UsageError: There are no files, the rubric judges single responses, or no pairs are known.
        ComparisonError: No pair says what wrote its responses.
    """
    if not files:
        raise UsageError("name files of pairs: markscheme compare --pairs FILE…")
    rated = open_rated(files, rubric, expected="anything", meanings=meanings)
    with naming(*files):
        refuse_singles(rated.rubric)
        pairs = ExamplesChoice(split=labels.split, only=labels.only).of(_pairs(rated, labels.examples))
        return _compared(rated.rubric, pairs, [rating for rating in rated.ratings if rating.kind in JUDGES])


def _pairs(rated: RatedFiles, file: Path | None) -> ExampleSet:
    """Return the pairs in the files; where they have none, the rubric's own with their labels."""
    in_files = rated.labelled
    if any(example.sides for example in in_files.examples):
        return in_files
    own_pairs, _ = labelled_examples(rated.rubric, file)
    labels = {example.id: example.labels for example in in_files.examples}
    return replace(
        own_pairs,
        examples=tuple(
            replace(example, labels=(*example.labels, *labels.get(example.id, ()))) for example in own_pairs.examples
        ),
    )


def _compared(rubric: Rubric, pairs: ExampleSet, judged: list[Rating]) -> PairsCompared:
    preferences = [*_by_labels(rubric, pairs), *_by_judges(rubric, pairs.examples, judged)]
    if not preferences:
        raise ComparisonError("no rated pair says what wrote its two responses (`system` of `first` and `second`)")
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


def _by_judges(rubric: Rubric, examples: tuple[Example, ...], ratings: list[Rating]) -> list[SystemsCompared]:
    ids = [example.id for example in examples]
    columns = {name: column_of(name, theirs, rubric, ids).scores for name, theirs in _by_rater(ratings).items()}
    every = (systems_compared(rubric, examples, scores, name) for name, scores in columns.items())
    return [compared for compared in every if compared is not None]


def _by_rater(ratings: list[Rating]) -> dict[str, list[Rating]]:
    by_rater: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_rater.setdefault(rating.rater, []).append(rating)
    return by_rater
