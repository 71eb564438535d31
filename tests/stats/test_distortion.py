"""Distortions of a judge: against formulas, against the truth in large samples, by laws, and in edge cases."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from markscheme.stats.distortion import (
    halo,
    leaning,
    noise_beside_people,
    shared_and_own,
    slope_on_people,
    true_correlations,
)
from markscheme.stats.estimate import Estimate

Floats = npt.NDArray[np.float64]


def seen(
    n: int, *, slope: float = 1.0, person: float = 0.5, judge: float = 0.5, seed: int = 1
) -> tuple[Floats, Floats]:
    """Draw ratings of two annotators and a judge of the same true levels."""
    generator = np.random.default_rng(seed)
    truth = generator.normal(size=n)
    people = truth[:, None] + person * generator.normal(size=(n, 2))
    return people, 2 + slope * truth + judge * generator.normal(size=n)


def correlation_without_noise(first: Floats, second: Floats, groups: Floats | None = None) -> Estimate:
    """Estimate the true correlation of two criteria, from levels that different annotators gave on them."""
    return true_correlations({"first": first, "second": second}, groups)("first", "second", 0.95)


# --- by the formula ------------------------------------------------------------------------------------------------


def test_slope_and_noise_of_a_judge_equal_those_computed_by_hand_from_the_covariances_with_two_annotators() -> None:
    people, judge = seen(40)
    a, b = people.T
    shared = np.cov(a, b)[0, 1]
    with_judge = (np.cov(judge, a)[0, 1] + np.cov(judge, b)[0, 1]) / 2
    slope = with_judge / shared
    own = (a.var(ddof=1) + b.var(ddof=1)) / 2 - shared
    assert slope_on_people(people, judge).value == pytest.approx(slope)
    assert noise_beside_people(people, judge).value == pytest.approx((judge.var(ddof=1) - slope**2 * shared) / own)
    assert shared_and_own(people) == pytest.approx((shared, own))


def test_the_interval_of_a_judge_s_slope_is_a_jackknife_interval_on_the_log_scale() -> None:
    people, judge = seen(30)
    estimate = slope_on_people(people, judge)
    masks = [np.arange(30) != i for i in range(30)]
    left_out = np.array([slope_on_people(people[k], judge[k]).value for k in masks], dtype=np.float64)
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    se = math.sqrt(29 * left_out.var())
    assert math.log(estimate.high / estimate.low) / 2 == pytest.approx(2.1 * se / estimate.value, rel=0.25)
    assert math.log(estimate.high / estimate.value) == pytest.approx(math.log(estimate.value / estimate.low))


def test_the_jackknife_of_a_judge_s_slope_leaves_out_whole_groups() -> None:
    people, judge = seen(60)
    doubled = np.repeat(people, 2, axis=0), np.repeat(judge, 2)
    plain, grouped = slope_on_people(people, judge), slope_on_people(*doubled, groups=np.repeat(np.arange(60), 2))
    assert grouped.n == plain.n == 60
    assert grouped.low == pytest.approx(plain.low, rel=0.02)


def test_slope_and_noise_from_a_single_group_have_no_interval_and_give_the_single_group_as_the_reason() -> None:
    people, judge = seen(60)
    groups = np.zeros(60)
    estimates = [
        leaning(people, judge, np.arange(60) % 2, groups=groups),
        correlation_without_noise(people, people, groups=groups),
        halo(np.stack([people, people[::-1]], axis=2), np.column_stack([judge, judge[::-1]]), groups=groups),
    ]
    assert {estimate.note for estimate in estimates} == {"withheld: one group of examples only"}


def test_the_correlation_of_criteria_corrected_for_annotators_noise_is_spearman_s_disattenuated_correlation() -> None:
    generator = np.random.default_rng(2)
    truth = generator.normal(size=(50, 2))
    first, second = (truth[:, [c]] + 0.5 * generator.normal(size=(50, 2)) for c in (0, 1))
    cross = (np.cov(first[:, 0], second[:, 1])[0, 1] + np.cov(first[:, 1], second[:, 0])[0, 1]) / 2
    expected = cross / math.sqrt(np.cov(*first.T)[0, 1] * np.cov(*second.T)[0, 1])
    assert correlation_without_noise(first, second).value == pytest.approx(expected)


def test_the_effect_of_length_on_a_judge_is_the_coefficient_of_length_in_a_regression_on_gold_and_length() -> None:
    generator = np.random.default_rng(3)
    gold, length = generator.normal(size=(2, 50))
    judge = gold + 0.3 * length + 0.2 * generator.normal(size=50)
    design = np.column_stack([np.ones(50), gold, length])
    assert leaning(gold, judge, length).value == pytest.approx(np.linalg.lstsq(design, judge, rcond=None)[0][2])


# --- against the truth ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slope", [0.5, 1.0, 1.4])
@pytest.mark.parametrize("person", [0.3, 0.9])
def test_noise_of_annotators_does_not_bias_the_judge_s_slope(slope: float, person: float) -> None:
    people, judge = seen(20_000, slope=slope, person=person)
    assert slope_on_people(people, judge).value == pytest.approx(slope, abs=0.04)


@pytest.mark.parametrize("noise", [0.4, 0.8])
def test_the_noise_of_a_judge_relative_to_annotators_is_the_ratio_of_their_error_variances(noise: float) -> None:
    people, judge = seen(20_000, slope=0.7, person=0.5, judge=noise)
    assert noise_beside_people(people, judge).value == pytest.approx(noise**2 / 0.25, rel=0.08)


@pytest.mark.parametrize("pull", [0.0, 0.3, 0.5])
def test_the_halo_of_a_judge_is_its_pull_on_one_criterion_toward_the_mean_of_the_other_criteria(pull: float) -> None:
    generator = np.random.default_rng(4)
    truth = generator.normal(size=(20_000, 5))
    people = truth[:, None, :] + 0.2 * generator.normal(size=(20_000, 2, 5))
    others = (truth.sum(axis=1, keepdims=True) - truth) / 4
    judge = (1 - pull) * truth + pull * others + 0.4 * generator.normal(size=truth.shape)
    assert halo(people, judge).value == pytest.approx(pull, abs=0.04)


def test_a_preference_for_longer_responses_that_annotators_share_is_not_attributed_to_the_judge() -> None:
    generator = np.random.default_rng(5)
    truth, length = generator.normal(size=(2, 20_000))
    quality = truth + 0.8 * length
    people = quality[:, None] + 0.6 * generator.normal(size=(20_000, 2))
    honest = quality + 0.6 * generator.normal(size=20_000)
    assert leaning(people, honest, length).value == pytest.approx(0, abs=0.03)
    assert leaning(people, honest + 0.5 * length, length).value == pytest.approx(0.5, abs=0.03)
    assert abs(leaning(people[:, 0], honest, length).value or 0) > 0.1


@pytest.mark.parametrize("n", [50, 150])
def test_intervals_of_slope_and_noise_contain_the_true_value_in_over_90_percent_of_draws(n: int) -> None:
    runs = 150
    covered = np.zeros(2)
    for seed in range(runs):
        people, judge = seen(n, slope=0.7, person=0.5, judge=0.5, seed=seed)
        for place, (estimate, truth) in enumerate(
            [(slope_on_people(people, judge), 0.7), (noise_beside_people(people, judge), 1.0)]
        ):
            covered[place] += estimate.low is not None and estimate.low <= truth <= (estimate.high or math.inf)
    assert (covered / runs > 0.90).all()


# --- laws -----------------------------------------------------------------------------------------------------------

OF_JUDGE: list[Callable[..., Estimate]] = [slope_on_people, noise_beside_people]


@pytest.mark.parametrize("statistic", OF_JUDGE)
def test_a_judge_s_slope_and_noise_stay_the_same_if_annotators_are_swapped_or_levels_are_rescaled(
    statistic: Callable[..., Estimate],
) -> None:
    people, judge = seen(40)
    value = statistic(people, judge).value
    assert statistic(people[:, ::-1], judge).value == pytest.approx(value)
    assert statistic(people + 7, judge - 3).value == pytest.approx(value)
    assert statistic(10 * people, 10 * judge).value == pytest.approx(value)
    more = np.vstack([people, [[1.0, math.nan]]]), np.append(judge, 5.0)
    assert statistic(*more).value == pytest.approx(value)
    assert statistic(np.vstack([people, [[1.0, 2.0]]]), np.append(judge, math.nan)).value == pytest.approx(value)


@pytest.mark.parametrize("statistic", OF_JUDGE)
def test_the_interval_of_a_judge_s_slope_or_noise_contains_the_estimate_and_widens_with_the_confidence_level(
    statistic: Callable[..., Estimate],
) -> None:
    people, judge = seen(40)
    narrow, wide = statistic(people, judge, level=0.8), statistic(people, judge, level=0.99)
    assert narrow.low is not None
    assert wide.low is not None
    assert wide.high is not None
    assert narrow.value is not None
    assert wide.low < narrow.low < narrow.value < (narrow.high or 0) < wide.high


def test_the_noise_corrected_correlation_of_two_criteria_is_symmetric_and_changes_sign_if_one_is_reversed() -> None:
    generator = np.random.default_rng(6)
    truth = generator.normal(size=(40, 1))
    first, second = (truth + 0.4 * generator.normal(size=(40, 2)) for _ in range(2))
    value = correlation_without_noise(first, second).value
    assert value is not None
    assert correlation_without_noise(second, first).value == pytest.approx(value)
    assert correlation_without_noise(first, -second).value == pytest.approx(-value)


def test_slope_and_noise_of_a_simulated_judge_are_estimated_correctly_despite_missing_ratings() -> None:
    generator = np.random.default_rng(7)
    truth = generator.normal(size=4_000)
    people = truth[:, None] + 0.5 * generator.normal(size=(4_000, 3))
    people[generator.random(people.shape) < 0.3] = math.nan
    judge = 0.6 * truth + 0.5 * generator.normal(size=4_000)
    assert slope_on_people(people, judge).value == pytest.approx(0.6, abs=0.05)
    assert noise_beside_people(people, judge).value == pytest.approx(1.0, abs=0.12)


# --- edges ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", OF_JUDGE)
def test_slope_and_noise_of_a_judge_are_undefined_for_few_examples_or_annotators_who_share_no_variance(
    statistic: Callable[..., Estimate],
) -> None:
    assert "only 4 units" in (statistic(np.ones((4, 2)), np.ones(4)).undefined or "")
    assert "only 0 units" in (statistic(np.ones((9, 1)), np.ones(9)).undefined or "")
    opposed = np.column_stack([[1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]]).astype(float)
    assert statistic(opposed, np.arange(6.0)).undefined == "people share no variance"


def test_the_slope_of_a_judge_on_people_s_ratings_is_undefined_if_the_judge_rates_the_opposite_way() -> None:
    people = np.column_stack([np.arange(8.0), np.arange(8.0)])
    assert slope_on_people(people, -np.arange(8.0)).undefined == "the judge doesn't rise with people"
    assert noise_beside_people(people, 2 * np.arange(8.0)).undefined == "the judge shows no error"


def test_the_noise_of_annotators_who_never_disagree_is_computed_as_if_they_had_disagreed_once() -> None:
    truth = np.arange(20.0)
    judge = truth + np.resize([1, -1, 0], 20)
    ratio = noise_beside_people(np.column_stack([truth, truth]), judge)
    assert ratio.value is not None
    assert 10 < ratio.value < 60


def test_the_halo_effect_counts_only_examples_that_two_annotators_and_the_judge_rated() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(400, 3))
    people = truth[:, None, :] + 0.3 * rng.normal(size=(400, 2, 3))
    people[150:, 1] = np.nan
    assert halo(people, truth).n == 150


def test_the_halo_effect_is_undefined_for_one_criterion_or_without_two_annotators_whose_ratings_vary() -> None:
    assert halo(np.ones((9, 2, 1)), np.ones((9, 1))).undefined == "only one criterion"
    assert "only 0 units" in (halo(np.ones((9, 1, 3)), np.ones((9, 3))).undefined or "")
    assert halo(np.ones((9, 2, 3)), np.ones((9, 3))).undefined == "people don't vary"


def test_the_effect_of_a_property_of_responses_on_a_judge_is_undefined_if_the_property_does_not_vary() -> None:
    assert "doesn't vary" in (leaning(np.arange(9.0), np.arange(9.0), np.ones(9)).undefined or "")
    assert "only 3 units" in (leaning(np.arange(3.0), np.arange(3.0), np.arange(3.0)).undefined or "")


@pytest.mark.parametrize(
    "call",
    [
        lambda: slope_on_people(np.ones(5), np.ones(5)),
        lambda: slope_on_people(np.ones((5, 2)), np.ones(4)),
        lambda: noise_beside_people(np.full((5, 2), np.inf), np.ones(5)),
        lambda: slope_on_people(np.ones((5, 2)), np.full(5, np.inf)),
        lambda: true_correlations({"first": np.ones((5, 2)), "second": np.full((5, 2), np.inf)}),
        lambda: true_correlations({"first": np.ones(5)}),
        lambda: halo(np.ones((5, 2, 3)), np.ones((5, 2))),
        lambda: halo(np.full((5, 2, 3), np.inf), np.ones((5, 3))),
        lambda: leaning(np.ones(5), np.ones(4), np.ones(5)),
    ],
)
def test_statistics_of_a_judge_s_slope_and_noise_and_halo_refuse_wrong_shapes_and_infinite_ratings(
    call: Callable[[], Any],
) -> None:
    with pytest.raises(ValueError, match=r"shape|fit|finite|same units"):
        call()


def test_the_slope_of_a_judge_that_gives_exactly_twice_the_annotators_levels_has_no_interval() -> None:
    people = np.tile(np.column_stack([[1.0, 2, 3], [1.0, 2, 3]]), (4, 1))
    estimate = slope_on_people(people, 2 * people[:, 0])
    assert estimate.value == pytest.approx(2)
    assert estimate.low is None


def test_if_one_group_has_all_units_but_one_a_jackknife_that_leaves_this_group_out_causes_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(20):
            people, judge = seen(35, seed=seed)
            noise_beside_people(people, judge, groups=["large"] * 34 + ["small"])
