"""Agreement on pairs, and what order and length do to a rater."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.features.pairs.mirrored import lean_to_first, length_lean, order_flips, pair_agreement_family
from markscheme.stats.agreement_figures import agreement_figures
from tests.reference.pandalm import AGREEMENT
from tests.stats.pairs_data import preferences_of, published_pairs

LEVELS = (-1.0, 0.0, 1.0)
PRINTED = 5.1e-5
"""The worked figures have four decimals."""
Levels = npt.NDArray[np.float64]


@st.composite
def rated_pairs(draw: st.DrawFn) -> tuple[Levels, Levels, npt.NDArray[np.bool_]]:
    """Generate levels by gold and judge for some pairs, and which pairs to reverse."""
    n = draw(st.integers(12, 40))
    level = st.sampled_from(LEVELS)
    gold = draw(st.lists(level, min_size=n, max_size=n))
    judge = draw(st.lists(level, min_size=n, max_size=n))
    turned = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    return np.array(gold), np.array(judge), np.array(turned)


@settings(max_examples=30, deadline=None)
@given(rated_pairs())
def test_exchanging_the_two_responses_of_any_pair_changes_no_agreement_figure(
    pairs: tuple[Levels, Levels, npt.NDArray[np.bool_]],
) -> None:
    gold, judge, turned = pairs
    way = np.where(turned, -1.0, 1.0)
    as_stored = pair_agreement_family(gold, judge, levels=LEVELS)
    as_turned = pair_agreement_family(gold * way, judge * way, levels=LEVELS)
    assert as_stored.keys() == as_turned.keys()
    for name, estimate in as_stored.items():
        again = as_turned[name]
        assert (estimate.value is None) == (again.value is None), name
        if estimate.value is not None:
            assert again.value == pytest.approx(estimate.value, abs=1e-9), name
            assert (again.low, again.high) == pytest.approx((estimate.low, estimate.high), abs=1e-9), name
            assert estimate.n <= len(gold), name


@settings(max_examples=30, deadline=None)
@given(rated_pairs())
def test_exchanging_the_two_responses_of_any_pair_changes_neither_the_baseline_nor_the_agreement(
    pairs: tuple[Levels, Levels, npt.NDArray[np.bool_]],
) -> None:
    gold, judge, turned = ((column + 1) / 2 if column.dtype == np.float64 else column for column in pairs)
    constants = (0.0, 0.5, 1.0)
    figures = agreement_figures(gold, judge, tolerance=1e-6, constants=constants, mirrored=True)
    again = agreement_figures(
        np.where(turned, 1 - gold, gold),
        np.where(turned, 1 - judge, judge),
        tolerance=1e-6,
        constants=constants,
        mirrored=True,
    )
    ties = float((gold == 0.5).mean())
    assert figures.constant.value == pytest.approx(max(ties, (1 - ties) / 2))
    assert again.constant.value == pytest.approx(figures.constant.value)
    assert again.agreement.value == figures.agreement.value


@pytest.mark.parametrize("judge", AGREEMENT)
def test_published_agreement_of_judges_with_people_on_pairs_is_reproduced(judge: str) -> None:
    pairs = published_pairs()
    agreement, n, kappa, quadratic = AGREEMENT[judge]
    figures = pair_agreement_family(
        preferences_of(pairs, "people"), preferences_of(pairs, judge), levels=LEVELS, groups=pairs.prompts
    )
    assert figures["exact_agreement"].value == pytest.approx(agreement, abs=PRINTED)
    assert figures["exact_agreement"].n == n
    assert figures["cohen_kappa"].value == pytest.approx(kappa, abs=PRINTED)
    assert figures["weighted_kappa"].value == pytest.approx(quadratic, abs=PRINTED)


def judged_both_ways(rng: np.random.Generator, n: int, flips: float, lean: float) -> tuple[Levels, Levels]:
    """Simulate a judge's levels in both orders: some flip at random, some always prefer the response shown first."""
    truth = rng.choice([-1.0, 1.0], n)
    first = truth.copy()
    second = np.where(rng.random(n) < flips, -truth, truth)
    swap = rng.random(n) < 0.5
    ordered = np.where(swap, second, first), np.where(swap, first, second)
    leans = rng.random(n) < lean
    return np.where(leans, -1.0, ordered[0]), np.where(leans, 1.0, ordered[1])


@pytest.mark.parametrize("injected", [0.1, 0.2, 0.4])
def test_the_interval_of_order_flips_contains_the_simulated_share_in_nine_of_ten_draws(injected: float) -> None:
    covered = 0
    for seed in range(60):
        estimate = order_flips(*judged_both_ways(np.random.default_rng(seed), 200, injected, 0.0))
        assert estimate.low is not None
        assert estimate.high is not None
        covered += estimate.low <= injected <= estimate.high
    assert covered >= 54  # 57 of 60 are expected, and 54 or more come in 96 % of runs


def test_the_preference_for_the_response_shown_first_is_half_the_difference_of_the_means_in_both_orders() -> None:
    assert lean_to_first([-1, -1, 0, 1], [1, 1, 0, 1]).value == 0.5
    assert lean_to_first([-1.0, 1.0], [-1.0, 1.0]).value == 0.0
    assert lean_to_first([1, 1], [-1, -1]).value == -1.0


def test_the_preference_for_the_response_shown_first_also_uses_pairs_that_were_judged_in_one_order_only() -> None:
    assert lean_to_first([-1, np.nan], [np.nan, -1]).value == 0.0


def test_a_rater_s_preference_for_longer_or_for_shorter_responses_is_measured_with_its_sign() -> None:
    ratios = np.array([0.4, -0.2, 0.9, -0.5, 0.1, 0.3] * 4)
    assert length_lean(np.sign(ratios), ratios).above(0.3)
    assert length_lean(-np.sign(ratios), ratios).below(-0.3)
    assert length_lean(np.sign(ratios), np.zeros(24)).value is None
