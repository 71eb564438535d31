"""What a score or a decision of an old rater means under a new one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from markscheme.features.compare.statistics import link_scores, passes_after

SCORES = st.floats(0, 1, allow_nan=False, width=32)
SCORED = st.lists(st.tuples(SCORES, SCORES), min_size=10, max_size=40)


def test_a_new_rater_s_scores_are_predicted_from_an_old_rater_s_scores_by_the_least_squares_line() -> None:
    rng = np.random.default_rng(1)
    old = rng.random(40)
    new = np.clip(0.2 + 0.6 * old + rng.normal(0, 0.1, 40), 0, 1)
    link = link_scores(old, new, [0.5])
    expected = reference.linregress(old, new)
    assert link.slope == pytest.approx(expected.slope)
    assert link.intercept == pytest.approx(expected.intercept)
    assert link.points[0].mean.value == pytest.approx(expected.intercept + 0.5 * expected.slope)


def test_confidence_limits_of_predicted_scores_equal_the_published_regression_formulas() -> None:
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
def test_a_new_rater_s_scores_predicted_from_an_old_rater_s_stay_between_0_and_1(
    pairs: list[tuple[float, float]],
) -> None:
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
        ([0.1], [0.1], "only 1 example rated by both; a line needs 10"),
        ([0.0, 1.0] * 10, [0.1, 0.2, 0.3, 0.4] * 5, "the old rater gives fewer than 3 different scores"),
        ([0.1, 0.2, 0.3, 0.4] * 5, [1.0] * 20, "the new rater gives fewer than 3 different scores"),
    ],
)
def test_a_new_rater_s_scores_are_not_predicted_from_fewer_than_ten_examples_or_three_different_scores(
    old: list[float], new: list[float], why: str
) -> None:
    link = link_scores(old, new, [0.5])
    assert (link.undefined, link.points) == (why, ())
    assert math.isnan(link.slope)


def test_no_score_of_a_new_rater_is_predicted_for_scores_below_or_above_all_that_the_old_rater_gave() -> None:
    link = link_scores(np.linspace(0.4, 0.6, 20), np.linspace(0.3, 0.8, 20), [0.0, 0.5, 1.0])
    assert [point.old for point in link.points] == [0.5]


@pytest.mark.parametrize("n", [15, 30, 100])
def test_the_95_percent_range_predicted_for_a_new_judge_s_score_contains_it_in_95_percent_of_simulations(
    n: int,
) -> None:
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


def test_exact_confidence_limits_are_given_for_how_often_a_new_rater_passes_what_an_old_rater_passed() -> None:
    passes = passes_after([1] * 20 + [0] * 20 + [math.nan], [1] * 18 + [0] * 2 + [0] * 20 + [1])
    expected = reference.binomtest(18, 20).proportion_ci(0.95, method="exact")
    passed, failed = passes["passed"], passes["failed"]
    assert passed.value == 0.9
    assert passed.low == pytest.approx(expected.low)
    assert passed.high == pytest.approx(expected.high)
    assert (failed.value, failed.n) == (0.0, 20)


def test_the_share_of_the_old_judge_s_fails_that_the_new_judge_passes_is_undefined_if_there_were_no_fails() -> None:
    assert passes_after([1, 1], [1, 0])["failed"].undefined == "no examples that failed then"
