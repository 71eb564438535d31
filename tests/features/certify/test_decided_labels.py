"""Annotators' decisions that can support a guarantee."""

from dataclasses import replace
from typing import Any

import pytest

from markscheme import Rubric
from markscheme.features.certify.decided_labels import decided_labels
from markscheme.features.certify.decision_origins import left_out_in_words
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rated, Rating


def labels_of(*labels: tuple[str, float | None, bool | None]) -> Example:
    """Make an example with labels: each a rater, a level on one criterion, and a decision on the whole response."""
    rated = [
        Rating("e", rater, "human", {} if of_a is None else {"a": Rated(of_a)}, passed=ok) for rater, of_a, ok in labels
    ]
    return Example(Submission("r", {}, "e"), tuple(rated))


YES_NO = Rubric.from_dict({"criteria": [{"name": "a", "requirement": "It is.", "required": True, "weight": 1}]})


@pytest.mark.parametrize(
    ("labels", "passed", "explicit"),
    [
        ([("ann", 1.0, None)], 1.0, 0),
        ([("ann", 0.0, None)], 0.0, 0),
        ([("ann", 1.0, False)], 0.0, 1),
        ([("ann", 1.0, None), ("ben", 0.0, True)], 1.0, 1),
        ([("ann", 1.0, None), ("ben", 0.0, None)], None, 0),
        ([("ann", 1.0, True), ("ben", 1.0, False)], None, 0),
        ([("ann", None, True)], 1.0, 1),
    ],
)
def test_a_certificate_uses_annotators_pass_or_fail_decisions_or_else_those_that_follow_from_their_levels(
    labels: list[tuple[str, float | None, bool | None]], passed: float | None, explicit: int
) -> None:
    decided_by = decided_labels(YES_NO, ExampleSet((labels_of(*labels),)))
    assert decided_by.passed.tolist() == ([] if passed is None else [passed])
    assert decided_by.explicit == explicit


def test_labels_by_a_model_never_lead_to_a_certificate() -> None:
    example = labels_of(("ann", 1.0, None))
    by_model = replace(example, labels=tuple(replace(label, kind="model") for label in example.labels))
    assert decided_labels(YES_NO, ExampleSet((by_model,))).ids == ()


def drawn(id: str, **how: Any) -> Example:
    """Make an example that an annotator passes, with how it was drawn."""
    return Example(Submission("r", {}, id), (Rating(id, "ann", "human", {"a": Rated(1.0)}),), **how)


def test_a_certificate_uses_labels_drawn_from_the_whole_pool_with_equal_chances_and_no_other_chosen_labels() -> None:
    picked = (
        *(drawn(f"even{i}", drawn="chosen", stratum="all", draw="d1", weight=1.875) for i in range(3)),
        *(drawn(f"raised{i}", drawn="chosen", stratum="all", draw="d2", weight=1.5 + i) for i in range(2)),
        drawn("part", drawn="chosen", stratum="doubtful passes", draw="d3", weight=2.0),
        drawn("hand", drawn="chosen"),
        drawn("random", drawn="random"),
    )
    assert decided_labels(YES_NO, ExampleSet(picked)).ids == ("even0", "even1", "even2", "random")


def test_a_certificate_says_how_many_decided_examples_do_not_count_and_why() -> None:
    picked = (drawn("fitted", drawn="random"), drawn("hand", drawn="chosen"), drawn("random", drawn="random"))
    labels = decided_labels(YES_NO, ExampleSet(picked), used=["fitted"])
    assert (labels.ids, labels.used, labels.not_random) == (("random",), 1, 1)
    said = "Other decided examples don't count: 1 chose weights or pass mark and 1 wasn't drawn at random."
    assert left_out_in_words(labels) == said
    assert left_out_in_words(decided_labels(YES_NO, ExampleSet(picked[2:]))) == ""
