"""Every share that a comparison prints about the same hits has the interval that a calibration prints."""

from pathlib import Path

import numpy as np
import pytest

from markscheme.calibration.calibration import Calibration
from markscheme.features.compare import view_choice as of_choice
from markscheme.features.compare.choice import Choice, Contender, choose
from markscheme.ratings.gold import gold_of
from markscheme.report.markdown import render_markdown
from tests.calibration.made import examples, judged
from tests.report.test_one_interval import (
    GROUPINGS,
    RUBRIC,
    calibrated,
    refuse_other_intervals,
    refuse_other_shares,
)


def chosen(calibration: Calibration) -> Choice:
    """The judge next to one that passes everything, on the same gold."""
    gold = calibration.comparison.gold
    lenient = judged(RUBRIC, np.ones((120, 1)))
    return choose(RUBRIC, [Contender("judge", calibration.judge_ratings), Contender("lenient", tuple(lenient))], gold)


@pytest.fixture(params=GROUPINGS)
def calibration(request: pytest.FixtureRequest, tmp_path: Path) -> Calibration:
    return calibrated(tmp_path, GROUPINGS[request.param])


def test_in_the_json_of_a_comparison_a_share_that_occurs_twice_has_the_same_interval_both_times(
    calibration: Calibration,
) -> None:
    refuse_other_intervals(calibration, of_choice.json_of(chosen(calibration)), least=3)


def test_reports_of_a_comparison_print_the_same_interval_wherever_they_print_the_same_share(
    calibration: Calibration,
) -> None:
    refuse_other_shares(of_choice.view(chosen(calibration)))


@pytest.mark.parametrize("groups", [None, ["a", "b", "c", "d"]])
def test_agreement_on_fewer_than_five_examples_is_shown_as_a_count_and_not_in_per_cent(
    groups: list[str] | None,
) -> None:
    gold = gold_of(examples(RUBRIC, {"person": np.array([[1], [0], [1], [0]])}, groups=groups), RUBRIC)
    bars = of_choice.view(
        choose(RUBRIC, [Contender(name, tuple(judged(RUBRIC, [[1], [0], [1], [1]]))) for name in "ab"], gold)
    )
    page = render_markdown(bars)
    assert "3 of 4" in page
    assert "75% (" not in page
