"""One rater beside another on the same units: gains, and what a score of one means under the other."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from markscheme.stats.score_linking import gain_in_error, gain_in_hits, link_scores, passes_after

HITS = st.lists(st.sampled_from([(0, 0), (0, 1), (1, 0), (1, 1)]), min_size=2, max_size=40)
SCORES = st.floats(0, 1, allow_nan=False, width=32)
SCORED = st.lists(st.tuples(SCORES, SCORES), min_size=10, max_size=40)


@given(pairs=HITS)
def test_swapping_the_raters_negates_the_gain_and_its_limits(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs, dtype=float).T
    left, right = gain_in_hits(first, second), gain_in_hits(second, first)
    assert right.value == pytest.approx(-(left.value or 0))
    assert left.low is not None
    assert right.high == pytest.approx(-left.low)


@given(pairs=HITS)
def test_a_gain_lies_in_its_interval_and_that_within_minus_one_and_one(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs, dtype=float).T
    e = gain_in_hits(first, second)
    assert e.value is not None
    assert e.low is not None
    assert e.high is not None
    assert -1 <= e.low <= e.value <= e.high <= 1


def test_raters_that_never_differ_are_not_shown_equal_on_few_units() -> None:
    e = gain_in_hits([1] * 20, [1] * 20)
    reach = reference.t.ppf(0.975, 21) * math.sqrt(2 / 21 / 22)
    assert e.value == 0.0
    assert e.low == pytest.approx(-reach)
    assert e.high == pytest.approx(reach)


def test_the_interval_of_a_gain_is_bonett_and_price_s() -> None:
    # Bonett and Price (2012), eq. 4, on n11=20, n10=2, n01=9, n00=9: p12~ = (9+1)/(40+2), p21~ = (2+1)/(40+2).
    first, second = [1] * 20 + [1] * 2 + [0] * 9 + [0] * 9, [1] * 20 + [0] * 2 + [1] * 9 + [0] * 9
    p12, p21 = 10 / 42, 3 / 42
    centre, se = p12 - p21, math.sqrt((p12 + p21 - (p12 - p21) ** 2) / 42)
    e = gain_in_hits(first, second)
    assert e.low is not None
    assert e.high is not None
    assert (e.low + e.high) / 2 == pytest.approx(centre)
    assert (e.high - e.low) / 2 == pytest.approx(1.96 * se, rel=0.05)  # theirs is normal, ours a t of n + 1 df


def test_groups_are_left_out_whole() -> None:
    first, second = [0, 0, 1, 1, 0, 1] * 4, [1, 0, 1, 0, 1, 1] * 4
    groups = [n // 3 for n in range(24)]
    alone, grouped = gain_in_hits(first, second), gain_in_hits(first, second, groups=groups)
    assert (grouped.value, grouped.n) == (alone.value, 8)


def test_a_unit_that_one_rater_lacks_does_not_count() -> None:
    assert gain_in_hits([1, 0, math.nan], [1, 1, 1]).n == 2
    assert gain_in_error([0.1, math.nan], [0.2, 0.3]).n == 1


def test_without_common_units_there_is_no_gain() -> None:
    assert gain_in_hits([math.nan], [1]).undefined == "no example rated in both runs"
    assert gain_in_error([], []).undefined == "no examples"


def test_the_gain_in_error_has_the_limits_of_a_paired_t_test() -> None:
    first, second = [0.1, 0.2, 0.3, 0.1, 0.05, 0.4] * 5, [0.2, 0.1, 0.3, 0.3, 0.0, 0.2] * 5
    e = gain_in_error(first, second)
    expected = reference.ttest_rel(second, first).confidence_interval(0.95)
    assert e.low == pytest.approx(expected.low, rel=0.02)
    assert e.high == pytest.approx(expected.high, rel=0.02)


@pytest.mark.parametrize("gain", [gain_in_hits, gain_in_error])
def test_vectors_of_different_length_are_the_caller_s_fault(gain: object) -> None:
    assert callable(gain)
    with pytest.raises(ValueError, match="equally long"):
        gain([1, 0], [1])


def test_a_gain_at_the_margin_is_called_no_worse_once_in_twenty_at_most() -> None:
    """The rule by which a cheaper judge is taken: a lower one-sided 95 % limit above -.05."""
    rng = np.random.default_rng(20261122)
    runs, n, wrongly = 2000, 100, 0
    for _ in range(runs):
        best = rng.random(n) < 0.80
        other = np.where(rng.random(n) < 0.75, best, rng.random(n) < 0.60)  # agrees with 75 %: true gain -.05
        e = gain_in_hits(best.astype(float), other.astype(float), level=0.90)
        wrongly += e.low is not None and e.low > -0.05
    assert wrongly / runs < 0.05 + 2 * math.sqrt(0.05 * 0.95 / runs)


# --- a line from old scores to new ----------------------------------------------------------------------------------


def test_the_line_that_links_two_raters_scores_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(1)
    old = rng.random(40)
    new = np.clip(0.2 + 0.6 * old + rng.normal(0, 0.1, 40), 0, 1)
    link = link_scores(old, new, [0.5])
    expected = reference.linregress(old, new)
    assert link.slope == pytest.approx(expected.slope)
    assert link.intercept == pytest.approx(expected.intercept)
    assert link.points[0].mean.value == pytest.approx(expected.intercept + 0.5 * expected.slope)


def test_the_limits_of_a_mean_and_of_a_single_score_are_those_of_the_textbook() -> None:
    # Draper and Smith, section 1.4: half widths t s sqrt(1/n + …) and t s sqrt(1 + 1/n + …).
    old = np.tile(np.linspace(0, 1, 6), 5)
    new = 0.3 + 0.4 * old + np.resize([0.05, -0.05, 0.02, -0.02], 30)
    link = link_scores(old, new, [0.4])
    t = reference.t.ppf(0.975, 28)
    leverage = 1 / 30 + (0.4 - old.mean()) ** 2 / ((old - old.mean()) ** 2).sum()
    point = link.points[0]
    assert point.mean.high is not None
    assert point.mean.high - (point.mean.value or 0) == pytest.approx(t * link.spread * math.sqrt(leverage))
    assert point.high - (point.mean.value or 0) == pytest.approx(t * link.spread * math.sqrt(1 + leverage))


@pytest.mark.proof
@given(pairs=SCORED)
def test_everything_a_line_says_stays_between_zero_and_one(pairs: list[tuple[float, float]]) -> None:
    old, new = np.array(pairs).T
    link = link_scores(old, new, np.linspace(0, 1, 5))
    for point in link.points:
        assert point.mean.low is not None
        assert point.mean.high is not None
        assert 0 <= point.low <= point.mean.low <= (point.mean.value or 0) <= point.mean.high <= point.high <= 1
        assert old.min() - 1e-9 <= point.old <= old.max() + 1e-9


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ([0.1, 0.5, 0.9], [0.1, 0.5, 0.9], "only 3 examples rated by both; a line needs 10"),
        ([0.0, 1.0] * 10, [0.1, 0.2, 0.3, 0.4] * 5, "the old rater gives fewer than 3 different scores"),
        ([0.1, 0.2, 0.3, 0.4] * 5, [1.0] * 20, "the new rater gives fewer than 3 different scores"),
    ],
)
def test_too_few_or_constant_scores_give_no_linking_line(old: list[float], new: list[float], why: str) -> None:
    link = link_scores(old, new, [0.5])
    assert (link.undefined, link.points) == (why, ())
    assert math.isnan(link.slope)


def test_scores_that_the_old_rater_never_gave_are_not_linked() -> None:
    link = link_scores(np.linspace(0.4, 0.6, 20), np.linspace(0.3, 0.8, 20), [0.0, 0.5, 1.0])
    assert [point.old for point in link.points] == [0.5]


@pytest.mark.parametrize("n", [15, 30, 100])
def test_nineteen_of_twenty_single_scores_lie_where_the_line_says(n: int) -> None:
    """Scores of five-level criteria, rounded and cut at the ends as real ones are."""
    rng = np.random.default_rng(n)
    held = tried = 0
    for _ in range(1500):
        old = rng.integers(0, 13, n + 1) / 12
        new = np.clip(np.round((0.15 + 0.7 * old + rng.normal(0, 0.12, n + 1)) * 12) / 12, 0, 1)
        link = link_scores(old[:n], new[:n], [old[n]])
        if link.points:
            tried += 1
            held += link.points[0].low <= new[n] <= link.points[0].high
    assert tried > 1300
    assert held / tried > 0.95 - 3 * math.sqrt(0.05 * 0.95 / tried)


# --- decisions ------------------------------------------------------------------------------------------------------


def test_the_share_of_earlier_passes_and_fails_that_a_new_rater_passes_has_exact_limits() -> None:
    passes = passes_after([1] * 20 + [0] * 20 + [math.nan], [1] * 18 + [0] * 2 + [0] * 20 + [1])
    expected = reference.binomtest(18, 20).proportion_ci(0.95, method="exact")
    passed, failed = passes["passed"], passes["failed"]
    assert passed.value == 0.9
    assert passed.low == pytest.approx(expected.low)
    assert passed.high == pytest.approx(expected.high)
    assert (failed.value, failed.n) == (0.0, 20)


def test_a_judge_that_never_failed_says_nothing_about_fails() -> None:
    assert passes_after([1, 1], [1, 0])["failed"].undefined == "no examples that failed then"
