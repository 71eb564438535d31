"""Shares and means of examples that were drawn with unequal chances, weighted to all that they were drawn from."""

import numpy as np
import pytest

from markscheme.stats.agreement_figures import agreement_figures
from markscheme.stats.shares import drawn_weights, grouped_mean, grouped_share, kish_size
from tests.stats.shared_numbers import block

approx = pytest.approx
HITS = [1] * 14 + [0] * 6 + [1] * 18 + [0] * 2
"""Of 20 doubtful examples 14 are hits, of 20 clear ones 18."""
INVERSE = [1 / 0.4] * 20 + [1 / 0.1] * 20


def test_every_weighted_share_in_the_file_of_reference_values_is_reproduced() -> None:
    for case in block("verdict3.yaml", "weighted_share"):
        share = grouped_share(case["hits"], case["groups"], case["weights_used"])
        figures = (share.value, kish_size(case["weights_used"]), share.effective)
        assert figures == approx((case["value"], case["n_kish"], case["n_eff"]), rel=2e-3), case["name"]
        assert (share.lower(0.975), share.upper(0.975)) == approx((case["low"], case["high"]), abs=5e-4), case["name"]


def test_weighted_means_equal_those_in_the_file_of_reference_values() -> None:
    for case in block("verdict3.yaml", "weighted_mean"):
        mean = grouped_mean(case["differences"], None, case["weights"])
        assert mean.value == approx(case["value"], abs=6e-5)
        assert (mean.lower(0.975), mean.upper(0.975)) == approx((case["low"], case["high"]), abs=6e-5)


def test_a_share_weighted_by_inverse_sampling_chances_estimates_the_share_among_all_outputs() -> None:
    """50 doubtful outputs at .7 and 200 clear ones at .9 are .86 of 250, while the labels drawn are .80."""
    weights = drawn_weights(INVERSE)
    assert weights.tolist() == approx([0.4] * 20 + [1.6] * 20)
    weighted = grouped_share(HITS, None, weights)
    assert (weighted.value, weighted.effective) == approx((0.86, 29.412), abs=5e-4)
    assert (weighted.lower(0.975), weighted.upper(0.975)) == approx((0.6824, 0.9595), abs=5e-5)
    assert grouped_share(HITS).value == 0.8


def test_sampling_weights_are_scaled_to_a_mean_of_1_within_each_draw_and_limited_to_3() -> None:
    assert drawn_weights([2] * 19 + [20]).tolist() == approx([2 / 2.9] * 19 + [3.0])
    draws = ["first"] * 2 + ["second"] * 2
    assert drawn_weights([2.5, 10, 2, 2], draws).tolist() == approx([0.4, 1.6, 1.0, 1.0])


@pytest.mark.parametrize("inverse", [0.0, -1.0, float("nan")])
def test_a_sampling_weight_of_zero_or_below_is_refused(inverse: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        drawn_weights([inverse, 2])


def test_equal_sampling_weights_change_no_figure() -> None:
    plain = grouped_share(HITS)
    equal = grouped_share(HITS, None, [2.0] * 40)
    assert (equal.value, equal.effective, equal.lower(0.9)) == approx((plain.value, plain.effective, plain.lower(0.9)))
    d = np.array([1, 0, -1, 0] * 10, dtype=float)
    alone = grouped_mean(d)
    weighted = grouped_mean(d, None, np.ones(40))
    assert (weighted.value, weighted.lower(0.9)) == approx((alone.value, alone.lower(0.9)))


def test_the_sampling_weight_of_a_missing_value_is_ignored() -> None:
    share = grouped_share([1, np.nan, 0, 1, 1], None, [1, 9, 2, 1, 1])
    assert share.value == approx(3 / 5)
    assert share.n == 4


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.0]])
def test_sampling_weights_that_are_not_one_positive_number_per_example_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="weights must be 2 numbers above 0"):
        grouped_share([1, 0], None, weights)


def test_all_figures_of_a_judge_use_the_sampling_weights() -> None:
    """Gold passes 14 of 20 doubtful and 18 of 20 clear outputs, and so does one annotator; the judge passes all."""
    gold = np.array(HITS, dtype=float)
    ones = np.ones(40)
    people = np.column_stack([gold, ones])
    figures = agreement_figures(gold, ones, people, tolerance=0.5, weights=drawn_weights(INVERSE))
    assert figures.agreement.value == approx(0.86)
    assert (figures.constant.value, figures.gain.value) == approx((0.86, 0.0))
    assert figures.people.value == approx(0.86)
    assert figures.judge_people.value == approx(0.93)
    assert figures.judge_minus_person.value == approx(0.07)
