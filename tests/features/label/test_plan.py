"""How many labels a goal takes, and what a run costs before it is run."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from markscheme import Rubric
from markscheme.calibration.comparison.comparison import compare
from markscheme.calibration.label_needs import Need
from markscheme.features.label.plan import needs_of
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.gold import gold_of
from markscheme.ratings.rating import Rated, Rating

RUBRIC = Rubric.from_dict(
    {"criteria": [{"name": "kind", "requirement": "Is it kind?"}, {"name": "good", "description": "Is it good?"}]}
)


def labelled(n: int, wrong: int = 0) -> tuple[Any, Any]:
    """Make gold labels of `n` examples, half of them kind, and a judge that is wrong on `wrong` of them."""
    examples, ratings = [], []
    for i in range(n):
        levels = {"kind": float(i % 2), "good": float(1 + i % 5)}
        label = Rating(f"e{i}", "a", "human", {name: Rated(level) for name, level in levels.items()})
        examples.append(Example(Submission(f"r{i}", {}, f"e{i}"), (label,)))
        if i < wrong:
            levels = {"kind": 1 - levels["kind"], "good": 6 - levels["good"]}
        ratings.append(Rating(f"e{i}", "j", "model", {name: Rated(level) for name, level in levels.items()}))
    truth = gold_of(ExampleSet(tuple(examples)), RUBRIC)
    return truth, compare(truth.judged(RUBRIC, ratings))


def by_what(needs: list[Need]) -> dict[str, Need]:
    return {need.what: need for need in needs}


def test_a_labelling_plan_without_a_judge_s_ratings_says_that_the_agreement_is_assumed() -> None:
    truth, _ = labelled(60)
    needs = by_what(needs_of(truth, None, RUBRIC.criteria))
    assert needs["kind: cohen kappa to within 0.1"].labels == 175
    assert "assumed" in needs["agreement to within 0.1"].basis
    promise = next(need for need in needs.values() if need.goal == "promise")
    assert promise.labels == 129
    assert needs["good: ten examples outside the most common level"].labels == 13


def test_a_labelling_plan_with_a_judge_s_ratings_uses_the_measured_agreement_instead_of_an_assumption() -> None:
    truth, pilot = labelled(60, wrong=9)
    needs = by_what(needs_of(truth, pilot, RUBRIC.criteria))
    assert "so far" in needs["agreement to within 0.1"].basis
    kappa = needs["kind: cohen kappa to within 0.1"]
    pilot_kappa = pilot.criteria["kind"].statistics["cohen_kappa"]
    assert kappa.basis == f"60 examples so far ({pilot_kappa.value:.2f})"
    assert kappa.labels == pytest.approx(60 * ((pilot_kappa.high - pilot_kappa.low) / 0.2) ** 2, rel=0.15)


def test_a_labelling_plan_can_be_made_before_the_first_label() -> None:
    truth, _ = labelled(1)
    needs = needs_of(truth, None, RUBRIC.criteria)
    one_level = next(need for need in needs if need.what.startswith("good: weighted kappa"))
    assert one_level.labels is None
    assert "one level only" in one_level.basis


def test_in_a_labelling_plan_gold_between_two_levels_counts_as_the_nearest_level() -> None:
    truth, _ = labelled(20)
    truth = replace(truth, levels={**truth.levels, "good": np.array([1.5, 4.5] * 10)})
    needs = by_what(needs_of(truth, None, RUBRIC.criteria))
    assert needs["good: ten examples outside the most common level"].labels == 20
