"""Annotators' decisions that can support a guarantee."""

from dataclasses import replace

import pytest

from markscheme import Rubric
from markscheme.features.certify.decided_labels import decided_labels
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
