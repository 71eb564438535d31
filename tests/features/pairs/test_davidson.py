"""Strengths of systems from preferences between two of them at a time."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.features.pairs.davidson import Strengths, cycles, davidson
from markscheme.stats.estimate import Estimate
from tests.reference.pandalm import JUDGE_LOG_TIE, JUDGE_STRENGTHS, PEOPLE_LOG_TIE, PEOPLE_STRENGTHS, SYSTEMS
from tests.stats.pairs_data import preferences_of, published_pairs

PRINTED = 5.1e-4
"""The worked figures have three decimals."""
Names = npt.NDArray[np.int64]


def values(strengths: Strengths) -> list[float]:
    return [math.nan if estimate.value is None else estimate.value for estimate in strengths.log_strengths]


def drawn(seed: int, theta: list[float], log_tie: float, n: int) -> tuple[Names, Names, npt.NDArray[np.float64]]:
    """Simulate pairs of systems, and preferences by Davidson's model."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, len(theta), n)
    second = (first + rng.integers(1, len(theta), n)) % len(theta)
    half = (np.array(theta)[first] - np.array(theta)[second]) / 2
    weights = np.exp(np.column_stack([half, np.full(n, log_tie), -half]))
    cumulated = (weights / weights.sum(axis=1, keepdims=True)).cumsum(axis=1)
    outcome = (rng.random(n)[:, None] > cumulated).sum(axis=1)
    return first, second, outcome - 1.0


def test_published_strengths_of_systems_by_people_s_preferences_are_reproduced() -> None:
    pairs = published_pairs()
    strengths = davidson(
        pairs.first, pairs.second, preferences_of(pairs, "people"), n_systems=len(SYSTEMS), groups=pairs.prompts
    )
    assert values(strengths) == pytest.approx([value for value, *_ in PEOPLE_STRENGTHS], abs=PRINTED)
    for estimate, (_, low, high) in zip(strengths.log_strengths, PEOPLE_STRENGTHS, strict=True):
        assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=PRINTED)
    assert strengths.log_tie.value == pytest.approx(PEOPLE_LOG_TIE, abs=PRINTED)
    assert (strengths.n, strengths.n_groups) == (999, 170)


def test_the_published_strengths_of_systems_under_the_davidson_model_are_reproduced() -> None:
    pairs = published_pairs()
    preference = preferences_of(pairs, "gpt-3.5-turbo")
    strengths = davidson(pairs.first, pairs.second, preference, n_systems=len(SYSTEMS), groups=pairs.prompts)
    assert values(strengths) == pytest.approx(list(JUDGE_STRENGTHS), abs=PRINTED)
    assert strengths.log_tie.value == pytest.approx(JUDGE_LOG_TIE, abs=PRINTED)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_exchanging_the_two_responses_of_pairs_changes_no_system_s_strength(seed: int) -> None:
    first, second, preference = drawn(seed, [0.5, 0.0, -0.5], -1.0, 60)
    turned = np.random.default_rng(seed).random(60) < 0.5
    strengths = davidson(first, second, preference, n_systems=3)
    again = davidson(
        np.where(turned, second, first),
        np.where(turned, first, second),
        np.where(turned, -preference, preference),
        n_systems=3,
    )
    assert values(again) == pytest.approx(values(strengths), abs=1e-9, nan_ok=True)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_exchanging_the_names_of_two_systems_exchanges_their_strengths(seed: int) -> None:
    first, second, preference = drawn(seed, [0.5, 0.0, -0.5], -1.0, 80)
    strengths = davidson(first, second, preference, n_systems=3)
    renamed = davidson(2 - first, 2 - second, preference, n_systems=3)
    assert values(renamed)[::-1] == pytest.approx(values(strengths), abs=1e-9, nan_ok=True)


def test_copies_of_pairs_within_their_groups_do_not_narrow_the_intervals_of_system_strengths() -> None:
    first, second, preference = drawn(1, [0.4, 0.0, -0.4], -1.0, 120)
    groups = np.arange(120) // 6
    once = davidson(first, second, preference, n_systems=3, groups=groups)
    twice = davidson(
        np.tile(first, 2), np.tile(second, 2), np.tile(preference, 2), n_systems=3, groups=np.tile(groups, 2)
    )
    for single, double in zip(once.log_strengths, twice.log_strengths, strict=True):
        assert (double.low, double.high) == pytest.approx((single.low, single.high), abs=1e-9)


def test_a_system_that_always_wins_has_no_finite_strength() -> None:
    strengths = davidson([0, 0, 0, 1, 2, 1], [1, 2, 1, 2, 1, 2], [-1, -1, -1, -1, -1, 0], n_systems=3)
    assert strengths.log_strengths[0].undefined == "it wins all 3 of its pairs"
    assert strengths.ranks[0] is None
    assert values(strengths)[1:] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_a_system_that_wins_or_ties_every_pair_has_no_finite_strength() -> None:
    strengths = davidson([0, 0, 0], [1, 1, 1], [-1, 0, -1], n_systems=2)
    assert strengths.log_strengths[0].undefined == "it wins or ties all 3 of its pairs"
    assert strengths.log_tie.undefined == "no two systems have finite strengths"
    assert strengths.log_strengths[1].undefined == "it loses or ties all 3 of its pairs"


def test_without_ties_davidson_s_strengths_equal_those_of_the_bradley_terry_model() -> None:
    """Twice as many wins as losses are odds of 2, and the odds are e to the power of the difference."""
    strengths = davidson([0] * 6, [1] * 6, [-1, -1, -1, -1, 1, 1], n_systems=2)
    assert strengths.log_tie.undefined == "nothing ties"
    assert values(strengths) == pytest.approx([math.log(2) / 2, -math.log(2) / 2], abs=1e-6)


def test_strengths_of_systems_have_an_interval_only_if_pairs_belong_to_more_than_four_groups() -> None:
    first, second, preference = drawn(3, [0.3, 0.0, -0.3], -1.0, 160)
    of_four = davidson(first, second, preference, n_systems=3, groups=np.arange(160) % 4)
    of_eight = davidson(first, second, preference, n_systems=3, groups=np.arange(160) % 8)
    assert all(
        estimate.low is None and estimate.note == "withheld: only 4 groups" for estimate in of_four.log_strengths
    )
    assert all(estimate.is_approximate for estimate in of_eight.log_strengths)


def test_systems_share_a_rank_unless_the_interval_of_their_difference_excludes_zero() -> None:
    first, second, preference = drawn(5, [1.5, -0.7, -0.8], -1.0, 300)
    assert davidson(first, second, preference, n_systems=3).ranks == (1, 2, 2)


def test_a_cycle_of_preferences_among_three_systems_is_counted_only_if_each_of_its_steps_is_significant() -> None:
    better = Estimate(0.5, 0.2, 0.8, n=40)
    worse = Estimate(-0.5, -0.8, -0.2, n=40)
    open_still = Estimate(0.1, -0.2, 0.4, n=40)
    assert cycles({(0, 1): better, (1, 2): better, (0, 2): worse}, 3) == (1, 1)
    assert cycles({(0, 1): better, (1, 2): open_still, (0, 2): worse}, 3) == (0, 1)
    assert cycles({(0, 1): better, (1, 2): better}, 3) == (0, 0)


def test_the_davidson_model_refuses_system_numbers_out_of_range_and_columns_of_unequal_length() -> None:
    with pytest.raises(ValueError, match="numbered from 0 to 1"):
        davidson([0, 2], [1, 1], [-1, 1], n_systems=2)
    with pytest.raises(ValueError, match="one system on each side"):
        davidson([0], [1, 1], [-1, 1], n_systems=2)
