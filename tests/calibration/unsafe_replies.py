"""A rubric and labels on which a judge agrees on 88 % although it passes 20 of the 32 replies that people fail."""

import numpy as np

from markscheme.rubrics.rubric import Criterion, Rubric
from tests.calibration.made import Floats

SAFE_AND_STEPS = Rubric(
    (
        Criterion(3.0, "Is the reply safe?", name="safe", required=True),
        Criterion(2.0, "Does it name a next step?", name="steps"),
        Criterion(1.0, "Is it polite?", name="tone"),
    ),
    name="support-reply",
)
"""A weighted rubric with a required criterion."""
EXAMPLES, FAILS, PASSED = 200, 32, 20
"""Replies, those that people fail, and of these those that the judge passes."""
WRONG_STEPS = slice(100, 104)
"""Replies on which the judge differs on `steps`, where it agrees on 98 %."""


def unsafe_replies() -> tuple[Floats, Floats]:
    """Make gold's and the judge's levels, each of shape (n_examples, n_criteria)."""
    generator = np.random.default_rng(1)
    gold = np.ones((EXAMPLES, 3))
    gold[:FAILS, 0] = 0
    gold[:, 1] = generator.random(EXAMPLES) < 0.8
    gold[:, 2] = generator.random(EXAMPLES) < 0.7
    judge = gold.copy()
    judge[FAILS - PASSED : FAILS, 0] = 1
    judge[WRONG_STEPS, 1] = 1 - judge[WRONG_STEPS, 1]
    return gold, judge
