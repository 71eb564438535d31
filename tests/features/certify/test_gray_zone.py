"""The gray zone in which a person decides is as narrow as labels support."""

import pytest

from markscheme.calibration.promised import DecisionOrigins, Promised
from markscheme.features.certify.gray_zone import TunedBand
from markscheme.ratings.examples import ExampleSet
from markscheme.rubrics.gray_zone import gray_zone
from tests.calibration.weighed_examples import labelled, ratings, rubric, undecided, world
from tests.features.certify.gray_zones import gray_zone_by

TRUE = (8.0, 1.0, 1.0)
"""Weights by which annotators mark; the rubric's are equal."""


def test_a_band_promises_of_what_it_was_asked_to() -> None:
    levels, judge, marks = world(300, noise=0.25)
    for of, out_of in (("automatic", None), ("all", 300)):
        promised = Promised(of, 0.1, 0.9)  # type: ignore[arg-type]
        band = gray_zone_by(rubric(), labelled(levels, marks), ratings(judge), promised=promised)
        assert band.supported
        tested = band.bands["both"]
        assert (tested.promise, tested.alpha) == (of, 0.1)
        assert tested.automatic.n == (out_of or 300)
        assert gray_zone(band.after).width > 0


def test_labels_that_moved_numbers_before_promise_nothing() -> None:
    levels, judge, marks = world(300, noise=0.25)
    ids = [f"e{i}" for i in range(280)]
    band = gray_zone_by(rubric(), labelled(levels, marks), ratings(judge), used=ids)
    assert not band.supported
    assert "280 labels left out" in band.reason


def test_the_gray_zone_is_tested_on_what_labels_come_to_where_there_are_no_explicit_decisions() -> None:
    levels, judge, marks = world(240)
    every = undecided(labelled(levels, marks)).examples
    band = gray_zone_by(rubric(), ExampleSet(every[:160]), ratings(judge), test=ExampleSet(every[160:]))
    assert band.origins == DecisionOrigins(explicit=0, by_levels=80)


def test_where_the_numbers_change_only_explicit_decisions_test_the_gray_zone() -> None:
    levels, judge, marks = world(400, true=TRUE)
    every = labelled(levels, marks).examples
    dev, test = ExampleSet(every[:280]), ExampleSet(every[280:])
    band = gray_zone_by(rubric(), dev, ratings(judge), test=test, moved_weights=TRUE)
    assert band.origins == DecisionOrigins(explicit=120)
    assert gray_zone_by(rubric(), dev, ratings(judge), test=undecided(test), moved_weights=TRUE).lacks_decisions


def test_a_band_that_is_not_supported_can_not_be_proposed() -> None:
    with pytest.raises(ValueError, match="not proposed"):
        TunedBand(0.0, 0.1, supported=False, reason="", bands={}, split="dev")
