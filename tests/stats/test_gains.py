"""How much better one rater is than another on the same units."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from markscheme.stats.change import mean_estimate
from markscheme.stats.gains import gain_in_hits

HITS = st.lists(st.sampled_from([(0, 0), (0, 1), (1, 0), (1, 1)]), min_size=2, max_size=40)


@given(pairs=HITS)
def test_swapping_two_raters_negates_their_gain_in_agreement_and_its_limits(
    pairs: list[tuple[int, int]],
) -> None:
    first, second = np.array(pairs, dtype=float).T
    left, right = gain_in_hits(first, second), gain_in_hits(second, first)
    assert right.value == pytest.approx(-(left.value or 0))
    assert left.low is not None
    assert right.high == pytest.approx(-left.low)


@given(pairs=HITS)
def test_the_interval_of_a_gain_in_agreement_contains_the_observed_gain_and_lies_between_minus_one_and_one(
    pairs: list[tuple[int, int]],
) -> None:
    first, second = np.array(pairs, dtype=float).T
    e = gain_in_hits(first, second)
    assert e.value is not None
    assert e.low is not None
    assert e.high is not None
    assert -1 <= e.low <= e.value <= e.high <= 1


def test_two_raters_that_never_differ_are_not_shown_equal_on_few_units() -> None:
    e = gain_in_hits([1] * 20, [1] * 20)
    reach = reference.t.ppf(0.975, 21) * math.sqrt(2 / 21 / 22)
    assert e.value == 0.0
    assert e.low == pytest.approx(-reach)
    assert e.high == pytest.approx(reach)


def test_the_interval_of_a_gain_in_agreement_is_the_bonett_price_interval() -> None:
    # Bonett and Price (2012), eq. 4, on n11=20, n10=2, n01=9, n00=9: p12~ = (9+1)/(40+2), p21~ = (2+1)/(40+2).
    first, second = [1] * 20 + [1] * 2 + [0] * 9 + [0] * 9, [1] * 20 + [0] * 2 + [1] * 9 + [0] * 9
    p12, p21 = 10 / 42, 3 / 42
    centre, se = p12 - p21, math.sqrt((p12 + p21 - (p12 - p21) ** 2) / 42)
    e = gain_in_hits(first, second)
    assert e.low is not None
    assert e.high is not None
    assert (e.low + e.high) / 2 == pytest.approx(centre)
    assert (e.high - e.low) / 2 == pytest.approx(1.96 * se, rel=0.05)  # theirs is normal, ours a t of n + 1 df


def test_the_jackknife_of_a_gain_in_agreement_leaves_out_whole_groups() -> None:
    first, second = [0, 0, 1, 1, 0, 1] * 4, [1, 0, 1, 0, 1, 1] * 4
    groups = [n // 3 for n in range(24)]
    alone, grouped = gain_in_hits(first, second), gain_in_hits(first, second, groups=groups)
    assert (grouped.value, grouped.n) == (alone.value, 8)


def test_the_gain_of_one_rater_over_another_counts_only_units_that_both_rated() -> None:
    assert gain_in_hits([1, 0, math.nan], [1, 1, 1]).n == 2


def test_the_gain_is_undefined_if_no_unit_was_rated_by_both_raters() -> None:
    assert gain_in_hits([math.nan], [1]).undefined == "no example rated in both runs"


def test_the_interval_of_the_difference_in_error_of_two_raters_is_close_to_that_of_a_paired_t_test() -> None:
    first, second = [0.1, 0.2, 0.3, 0.1, 0.05, 0.4] * 5, [0.2, 0.1, 0.3, 0.3, 0.0, 0.2] * 5
    e = mean_estimate(np.subtract(second, first))
    expected = reference.ttest_rel(second, first).confidence_interval(0.95)
    assert e.low == pytest.approx(expected.low, rel=0.02)
    assert e.high == pytest.approx(expected.high, rel=0.02)


def test_computing_a_gain_from_lists_of_ratings_of_different_length_raises_a_valueerror() -> None:
    with pytest.raises(ValueError, match="equally long"):
        gain_in_hits([1, 0], [1])


def test_a_rater_that_is_worse_by_exactly_the_margin_is_called_no_worse_in_at_most_5_percent_of_draws() -> None:
    """The rule by which a cheaper judge is taken: a lower one-sided 95 % limit above -.05."""
    rng = np.random.default_rng(20261122)
    runs, n, wrongly = 2000, 100, 0
    for _ in range(runs):
        best = rng.random(n) < 0.80
        other = np.where(rng.random(n) < 0.75, best, rng.random(n) < 0.60)  # agrees with 75 %: true gain -.05
        e = gain_in_hits(best.astype(float), other.astype(float), level=0.90)
        wrongly += e.low is not None and e.low > -0.05
    assert wrongly / runs < 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)
