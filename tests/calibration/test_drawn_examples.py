"""Labels of examples drawn with unequal chances: the figures are those of all outputs that they were drawn from."""

from typing import Any

import pytest

from markscheme import Rubric, calibrate
from markscheme.calibration.calibration import Calibration
from markscheme.report.views.calibration import view
from tests.report.reading import text_of

RUBRIC = Rubric.from_dict({"name": "kind", "criteria": [{"name": "it", "requirement": "Is it kind?"}]})
HITS = [1] * 14 + [0] * 6 + [1] * 18 + [0] * 2
"""Of 20 doubtful outputs the judge is right on 14, of 20 clear ones on 18."""


def calibrated(weights: list[float]) -> Calibration:
    """The judge compared with one annotator, who passes two of three."""
    passed = ["MET" if place % 3 else "UNMET" for place in range(len(HITS))]
    other = {"MET": "UNMET", "UNMET": "MET"}
    examples: list[dict[str, Any]] = [
        {
            "id": f"e{place}",
            "response": f"Output {place}",
            "drawn": "chosen",
            "weight": weight,
            "labels": [{"rater": "ana", "kind": "human", "criteria": {"it": level}}],
        }
        for place, (weight, level) in enumerate(zip(weights, passed, strict=True))
    ]
    ratings: list[dict[str, Any]] = [
        {"id": f"e{place}", "criteria": {"it": level if hit else other[level]}}
        for place, (hit, level) in enumerate(zip(HITS, passed, strict=True))
    ]
    return calibrate(RUBRIC, examples, ratings=ratings)


def test_agreement_is_that_of_all_outputs() -> None:
    """The worked case: 50 doubtful outputs drawn with a chance of .4, 200 clear ones with .1."""
    calibration = calibrated([2.5] * 20 + [10.0] * 20)
    agreement = calibration.comparison.agreement
    assert (agreement.value, agreement.low, agreement.high) == pytest.approx((0.86, 0.6824, 0.9595), abs=5e-5)
    assert calibration.comparison.weighted_to == 250
    assert "shares are weighted to all 250 outputs" in text_of(view(calibration))


def test_examples_with_equal_chances_are_counted_as_they_are() -> None:
    calibration = calibrated([1.0] * 40)
    assert calibration.comparison.agreement.value == 0.8
    assert calibration.comparison.weighted_to is None
    assert "weighted to" not in text_of(view(calibration))
