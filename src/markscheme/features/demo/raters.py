"""Five raters of one labelled set: two that read the answers, and three that don't."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.comparison import Comparison, compare
from markscheme.grading import Grade, Grading, grade_many
from markscheme.judges.recorded import RecordedJudge
from markscheme.ratings.codes import load_ratings
from markscheme.ratings.examples import ExampleSet, load_examples
from markscheme.ratings.from_grades import rating_of
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.file import load_rubric
from markscheme.rubrics.rubric import Rubric
from markscheme.shipped import shipped

_LABELLED_RUBRIC = "code-quality"
OTHER_MARK = 0.5
"""Another pass mark, with which the raters are compared as well: most answers of the set pass it."""
PROVENANCE = (
    "A Claude model wrote them with planted faults of known cost; the labels follow from these, and no person labelled "
    "anything."
)
_SHUFFLE_SEED = 1
"""Random seed, which is fixed so that the demo prints the same figures in every run."""


@dataclass(frozen=True)
class ComparedRater:
    """One of the demonstration's five raters, with its agreement with the labels.

    Attributes:
        name: The rater's name in the demonstration.
        does: Description of how it rates.
        calibration: Its calibration, as by `calibrate`.
        at_other_mark: Its comparison with the labels under the pass mark `OTHER_MARK`.
    """

    name: str
    does: str
    calibration: Calibration
    at_other_mark: Comparison


def labelled_set() -> tuple[Rubric, ExampleSet]:
    """Load the demonstration's rubric and its examples with synthetic labels, which its five raters rate."""
    rubric = load_rubric(shipped(f"rubrics/{_LABELLED_RUBRIC}.yaml"))
    return rubric, load_examples(_data("examples.jsonl"), rubric)


def five_raters() -> tuple[ComparedRater, ...]:
    """Compare five raters with the labels as `calibrate` does: two that read the answers, then three that don't."""
    rubric, examples = labelled_set()
    recorded = _recorded(rubric, examples)
    second = load_ratings(_data("ratings/claude-reader.jsonl"), rubric)
    planted: Iterable[tuple[str, str, Sequence[Rating]]] = (
        ("recorded judge", "a Claude model", recorded),
        ("second rater", "a second Claude", second),
        ("always-pass", "best level, unread", _always_pass(rubric, examples)),
        ("coin", "labels, shuffled", _coin(rubric, examples)),
        ("longer-is-better", "counts words", _longer_is_better(rubric, examples)),
    )
    return tuple(_compared(name, does, ratings, rubric, examples) for name, does, ratings in planted)


def _data(name: str) -> Path:
    return shipped(f"calibration/{_LABELLED_RUBRIC}/{name}")


def _compared(name: str, does: str, ratings: Sequence[Rating], rubric: Rubric, examples: ExampleSet) -> ComparedRater:
    """Compare a rater with the labels: by the rubric's pass mark, and again by the pass mark `OTHER_MARK`.

    Args:
        name: Name of the rater.
        does: Description of how it rates.
        ratings: Its ratings.
        rubric: The rubric.
        examples: The labelled examples.
    """
    undecided = [replace(rating, passed=None) for rating in ratings]
    calibration = calibration_of(rubric, examples, undecided, Rater(name, "", "ratings"))
    at_other_mark = replace(rubric, pass_mark=OTHER_MARK)
    comparison = compare(gold_of(examples, at_other_mark).judged(at_other_mark, undecided))
    return ComparedRater(name, does, calibration, comparison)


def _recorded(rubric: Rubric, examples: ExampleSet) -> list[Rating]:
    judge = RecordedJudge.load(_data("replies/claude.jsonl"))
    return [rating_of(grade, rubric, judge.judge) for grade in asyncio.run(_graded(Grading(rubric, judge), examples))]


async def _graded(grading: Grading, examples: ExampleSet) -> list[Grade]:
    submissions = [example.submission for example in examples.examples]
    grades = {index: grade async for index, grade in grade_many(grading, submissions)}
    return [grades[index] for index in sorted(grades)]


# --- raters that read nothing ---------------------------------------------------------------------------------------


def _always_pass(rubric: Rubric, examples: ExampleSet) -> list[Rating]:
    best = {c.name: max(c.scale.values) if c.weight > 0 else min(c.scale.values) for c in rubric.criteria}
    return [_by_code(id, best) for id in examples.ids]


def _coin(rubric: Rubric, examples: ExampleSet) -> list[Rating]:
    """Return ratings by chance: each example gets the labels of an example chosen at random."""
    lots = np.random.default_rng(_SHUFFLE_SEED).permutation(len(examples.ids)).tolist()
    return [_by_code(id, _levels(rubric, examples, lots[index])) for index, id in enumerate(examples.ids)]


def _longer_is_better(rubric: Rubric, examples: ExampleSet) -> list[Rating]:
    """Return ratings with the labels' own levels, assigned by length: the best to the longest response."""
    n = len(examples.ids)
    everyone = [_levels(rubric, examples, index) for index in range(n)]
    rising = {c.name: sorted((levels[c.name] for levels in everyone), reverse=c.weight < 0) for c in rubric.criteria}
    shortest_first = sorted(range(n), key=lambda example: len(examples.examples[example].submission.response))
    return [
        _by_code(examples.ids[example], {name: levels[rank] for name, levels in rising.items()})
        for rank, example in enumerate(shortest_first)
    ]


def _levels(rubric: Rubric, examples: ExampleSet, index: int) -> dict[str, float]:
    (label,) = examples.examples[index].labels
    levels = {criterion.name: label.criteria[criterion.name].level for criterion in rubric.criteria}
    return {name: level for name, level in levels.items() if level is not None}


def _by_code(id: str, levels: Mapping[str, float]) -> Rating:
    return Rating(id, "code", "code", {name: Rated(level) for name, level in levels.items()})
