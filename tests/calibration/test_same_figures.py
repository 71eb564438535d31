"""The same two columns give the same figures, whichever command asks for them."""

from dataclasses import replace

import numpy as np
import pytest

from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating
from markscheme.rubrics.rubric import Rubric
from tests.calibration.made import compared, examples, judged, yes_no_rubric
from tests.calibration.made import rubric as made_rubric

RUBRIC = Rubric.from_dict(
    {
        "name": "reply",
        "passingThreshold": 0.6,
        "criteria": [
            {"name": "tone", "description": "How it speaks.", "weight": 2},
            {"name": "answers", "requirement": "It answers.", "weight": 1, "required": True},
            {"name": "rude", "requirement": "It is rude.", "weight": -1},
        ],
    }
)

each_seed = pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(k, marks=pytest.mark.proof) for k in range(4, 12))]
)
"""Worlds with one, two and three samples of each judge, and one to four annotators; eight more are proof."""


class World:
    """Forty random examples with missing ratings, several annotators, and several samples of two judges."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        truth = {"tone": self.draw.integers(1, 6, 40), "answers": self.draw.integers(0, 2, 40)}
        truth["rude"] = self.draw.integers(0, 2, 40)
        self.truth = truth
        people = 1 + seed % 4
        self.examples = ExampleSet(
            tuple(
                Example(
                    Submission(f"response {i}", {}, f"e{i}"),
                    tuple(
                        self.rating(i, f"p{k}", "human", 0.2)
                        for k in range(people)
                        if k == 0 or self.draw.random() > 0.2
                    ),
                    group=f"task {i // 4}" if seed % 2 else "",
                )
                for i in range(40)
            )
        )
        self.judges = {
            name: [self.rating(i, name, "model", noise, sample) for i in range(40) for sample in range(1 + seed % 3)]
            for name, noise in (("good", 0.2), ("poor", 0.6))
        }

    def rating(self, place: int, rater: str, kind: str, noise: float, sample: int = 0) -> Rating:
        """Make a random rating: mostly the truth, sometimes without a level, and sometimes with a decision."""
        levels: dict[str, Rated] = {}
        for name, values in self.truth.items():
            level = float(values[place])
            if self.draw.random() < noise:
                level = float(self.draw.integers(1, 6) if name == "tone" else 1 - level)
            if kind == "human" or self.draw.random() > 0.05:
                levels[name] = Rated(level)
        passed = bool(self.draw.random() > 0.5) if sample % 2 else None
        return Rating(f"e{place}", rater, kind, levels, passed=passed, sample=sample)  # type: ignore[arg-type]


@pytest.mark.parametrize("groups", [None, [f"task {i // 4}" for i in range(60)]])
def test_on_a_single_yes_no_criterion_exact_agreement_and_accuracy_and_agreement_are_the_same_figure(
    groups: list[str] | None,
) -> None:
    of, draw = yes_no_rubric(), np.random.default_rng(5)
    gold = draw.integers(0, 2, (60, 1))
    judge = np.where(draw.random((60, 1)) < 0.8, gold, 1 - gold)
    comparison = compared(of, examples(of, {"person": gold}, groups=groups), judged(of, judge))
    statistics = comparison.criteria["right"].statistics
    assert (
        statistics["exact_agreement"]
        == statistics["accuracy"]
        == comparison.overall["accuracy"]
        == comparison.agreement
    )


def test_agreement_of_scores_within_the_tolerance_is_reported_apart_from_exact_agreement_of_levels() -> None:
    of, draw = made_rubric("right"), np.random.default_rng(5)
    gold = draw.integers(1, 6, (60, 1))
    comparison = compared(
        replace(of, tolerance=0.3), examples(of, {"person": gold}), judged(of, draw.integers(1, 6, (60, 1)))
    )
    exact = comparison.criteria["right"].statistics["exact_agreement"]
    assert exact.value is not None
    assert comparison.agreement.value is not None
    assert exact.value < comparison.agreement.value
