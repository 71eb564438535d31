"""Weights from overall scores in memory: which scores count."""

from dataclasses import replace

import numpy as np
import pytest

from markscheme import Rubric
from markscheme.errors import ComparisonError
from markscheme.features.improve.fitting.own_scores import OwnScores
from markscheme.prompts.submission import Submission
from markscheme.ratings.example_rows import Example
from markscheme.ratings.examples import ExampleSet
from markscheme.ratings.rating import Rating
from tests.calibration.weighed_examples import NAMES, labelled, rubric, world
from tests.stats.weighted_scores import weighted_scores


def test_weights_fitted_to_overall_scores_are_no_longer_supported_after_enough_earlier_tests_on_the_labels() -> None:
    levels, _, marks = world(150, true=(3, 1, 1))
    scores = OwnScores.of(rubric(), labelled(levels, marks))
    first = scores.fitted()
    assert first == scores.fitted()
    assert first.supported
    assert scores.lack is None
    assert scores.changes(first).weights["a"] > 1
    assert first.p is not None
    opening = 2
    while 0.05 / 2 ** (opening - 1) >= first.p:
        opening += 1
    assert not scores.fitted(opening=opening).supported


def test_people_s_overall_scores_that_were_computed_from_the_rubric_s_weights_are_not_used_to_fit_weights() -> None:
    levels, _, _ = world(120)
    marks = weighted_scores((levels - 1) / 4, (1, 1, 1))
    marks[:6] = np.clip(marks[:6] + 0.2, 0, 1)
    scores = OwnScores.of(rubric(), labelled(levels, marks.round(3)))
    assert scores.computed >= 114
    assert len(scores.ids) <= 6
    assert scores.lack is not None
    assert scores.lack.startswith("these marks were computed with your weights")


def test_examples_quoted_in_the_judge_s_prompt_are_left_out_of_the_fit() -> None:
    levels, _, marks = world(80)
    of = Rubric.from_dict(
        {
            "guidelines": "Say: 'the parcel left Leeds on Monday and arrives today'.",
            "criteria": [{"name": name, "description": f"{name}?", "examples": {"good": "r7"}} for name in NAMES],
        }
    )
    examples = labelled(levels, marks).examples
    shown = replace(examples[3], submission=Submission("the parcel left Leeds on Monday and arrives today", {}, "e3"))
    scores = OwnScores.of(of, ExampleSet((*examples[:3], shown, *examples[4:])))
    assert [f"e{row}" for row in range(80) if f"e{row}" not in scores.ids] == ["e3", "e7"]


def test_a_required_criterion_keeps_its_weight_when_weights_are_fitted() -> None:
    levels, _, marks = world(150, true=(0.2, 2, 1))
    scores = OwnScores.of(rubric(first={"required": True}), labelled(levels, marks))
    fitted = scores.fitted()
    assert fitted.supported
    assert "a" not in scores.changes(fitted).weights


def test_improve_does_not_use_contradictory_decisions_by_one_annotator() -> None:
    levels, _, marks = world(100)
    examples = labelled(levels, marks)
    twice = [
        Example(e.submission, (*e.labels, Rating(e.id, "person", "human", passed=not e.labels[0].passed)))
        for e in examples.examples[:20]
    ]
    scores = OwnScores.of(rubric(), ExampleSet((*twice, *examples.examples[20:])))
    of_both = np.array(scores.labels.truth.ids)[~scores.labels.clear]
    assert of_both.tolist() == [e.id for e in twice]
    assert len(scores.ids) == 80


def test_overall_scores_by_a_model_change_no_weights() -> None:
    levels, _, marks = world(100, true=(3, 1, 1))
    by_model = ExampleSet(
        tuple(
            replace(e, labels=tuple(replace(label, kind="model") for label in e.labels))
            for e in labelled(levels, marks).examples
        )
    )
    assert OwnScores.of(rubric(), by_model).ids == ()


def test_fitting_weights_to_overall_scores_is_refused_if_no_example_is_labelled() -> None:
    with pytest.raises(ComparisonError):
        OwnScores.of(rubric(), ExampleSet((Example(Submission("", {}, "e"), ()),)))
