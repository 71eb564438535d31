"""Tests of whether a judge changed between stored runs and now."""

import math
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.stats import change
from markscheme.stats.change import (
    alarm_level,
    any_change,
    benjamini_yekutieli,
    holm,
    mean_estimate,
    moved,
    shift_interval,
    sign_flip,
    whole_multiples,
)
from markscheme.stats.shares import share
from tests.stats.shared_numbers import block

Rows = list[list[float]]
approx = pytest.approx

SIGN_FLIPS: list[tuple[list[int], float, float]] = [
    ([1] * 6, 0.03125, 0.015625),
    ([2, 1, -1, 3, 1, 0, 0, 1, -1, 2], 0.140625, 0.09375),
    ([-3, 1, 2, 4, 1, 1, -2, 5], 0.328125, 0.2734375),
    ([0, 0, 0], 1.0, 1.0),
]
P_VALUES = [0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205, 0.212, 0.216]

halves = st.integers(-8, 8).map(lambda k: k / 2)
differences = st.lists(halves, min_size=1, max_size=9)
levels = st.integers(0, 4)


def by_listing(rows: Rows, *, two_sided: bool) -> tuple[float, float]:
    """Compute exact p and mid-p of the first column's sum, by listing every choice of one column per row."""
    observed = sum(row[0] for row in rows)
    sums = [sum(choice) for choice in product(*rows)]
    if two_sided:
        observed, sums = abs(observed), [abs(s) for s in sums]
    at_least = sum(s >= observed - 1e-9 for s in sums) / len(sums)
    equal = sum(abs(s - observed) < 1e-9 for s in sums) / len(sums)
    return at_least, at_least - equal / 2


# ------------------------------------------------------------------------------------------------ the mean level


@pytest.mark.parametrize(("d", "exact_p", "mid_p"), SIGN_FLIPS)
def test_the_sign_flip_test_gives_the_expected_exact_p_values_of_four_short_lists(
    d: list[int], exact_p: float, mid_p: float
) -> None:
    test = sign_flip(d)
    assert (test.exact_p, test.mid_p, test.n) == (exact_p, mid_p, len(d))


def test_the_sign_flip_test_gives_the_p_values_of_the_file_of_reference_values() -> None:
    for case in block("reference.yaml", "sign_flip")["cases"]:
        test = sign_flip(case["differences"])
        assert (test.exact_p, test.mid_p) == (case["exact_p"], case["mid_p"])


def test_the_sign_flip_test_gives_the_p_values_of_an_independent_program() -> None:
    for case in block("recipes.yaml", "sign_flip_convolution"):
        test = sign_flip(case["differences"])
        assert (round(test.exact_p, 6), round(test.mid_p, 6)) == (case["exact_p"], case["mid_p"])


def test_the_sign_flip_test_of_yes_no_ratings_is_the_exact_mcnemar_test() -> None:
    test = sign_flip([1] * 10 + [-1] * 3 + [0] * 20)
    assert test.exact_p == approx(0.0922851562, abs=6e-11)
    assert test.mid_p == approx(0.0573730469, abs=6e-11)


def test_mcnemar_s_p_values_equal_those_in_the_file_of_reference_values() -> None:
    for case in block("reference.yaml", "mcnemar")["cases"]:
        b, c = case["b"], case["c"]
        test = sign_flip([1] * b + [-1] * c)
        assert test.exact_p == approx(case["exact_p"], abs=6e-11)
        # Doubling one tail's mid-p reaches 1 where both tails meet at b = c. P(|S*| > 0) + P(S* = 0)/2 is what the
        # sign_flip block asks for at [1, -1, 1, -1], and no shift is no shift by either.
        even = by_listing([[1.0, -1.0]] * b + [[-1.0, 1.0]] * c, two_sided=True)[1] if b == c else case["mid_p"]
        assert test.mid_p == approx(even, abs=6e-11)


@given(differences)
@settings(max_examples=60, deadline=None)
def test_the_sign_flip_p_value_equals_the_p_value_from_listing_all_patterns_of_signs(d: list[float]) -> None:
    exact_p, mid_p = by_listing([[x, -x] for x in d], two_sided=True)
    test = sign_flip(d)
    if any(d):
        assert (test.exact_p, test.mid_p) == approx((exact_p, mid_p), abs=1e-12)
    else:
        assert (test.exact_p, test.mid_p) == (1, 1)


@given(differences)
@settings(max_examples=60, deadline=None)
def test_reversing_the_sign_of_all_differences_does_not_change_the_sign_flip_p_value(d: list[float]) -> None:
    up, down = sign_flip(d), sign_flip([-x for x in d])
    assert (up.exact_p, up.mid_p, up.shift) == (down.exact_p, down.mid_p, -down.shift)


@given(differences, st.integers(0, 5), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_sign_flip_p_value_does_not_change_if_differences_are_reordered_or_rescaled_or_zeros_are_added(
    d: list[float], zeros: int, random: Any
) -> None:
    shuffled = [3 * x for x in d] + [0.0] * zeros
    random.shuffle(shuffled)
    assert sign_flip(shuffled).mid_p == approx(sign_flip(d).mid_p, abs=1e-12)


@given(st.lists(st.lists(levels, min_size=4, max_size=4), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_the_p_value_of_a_judge_s_shift_equals_an_exact_permutation_test_over_the_runs_of_each_example(
    rows: list[list[int]],
) -> None:
    runs = np.array(rows)
    test = moved(runs[:, 0], runs[:, 1:])
    choices = [[4.0 * x - sum(row) for x in row] for row in rows]
    if any(any(row) for row in choices):
        assert (test.exact_p, test.mid_p) == approx(by_listing(choices, two_sided=True), abs=1e-12)
    else:
        assert test.exact_p == test.mid_p == 1
    assert test.shift == approx(float((runs[:, 0] - runs[:, 1:].mean(axis=1)).mean()))


def test_with_one_stored_run_the_test_of_a_judge_s_shift_is_the_sign_flip_test() -> None:
    now, then = np.array([2, 3, 1, 4, 4, 2]), np.array([1, 3, 0, 3, 4, 3])
    assert moved(now, then) == moved(now, then[:, None]) == sign_flip(now - then)


def test_flipped_decisions_are_tested_by_the_sign_flip_test_of_their_directions() -> None:
    then = np.array([True] * 9 + [False])
    now = np.array([False] * 5 + [True] * 5)
    assert moved(now, then).mid_p == approx(sign_flip([-1] * 5 + [0] * 4 + [1]).mid_p)


def test_a_shift_of_scores_is_tested_after_the_scores_are_rounded_to_hundredths() -> None:
    d = np.array([0.31, -0.07, 0.12, 0.25, 0.1 + 0.2 - 0.3])
    assert sign_flip(d).mid_p == sign_flip(np.rint(100 * d)).mid_p
    assert sign_flip(d).shift == approx(d.mean())


def test_the_tests_of_a_judge_s_shift_leave_out_examples_that_lack_a_rating_in_any_run() -> None:
    test = moved([1.0, np.nan, 2.0, 3.0], [[0.0, 0.0], [1.0, 1.0], [np.nan, 1.0], [3.0, 2.0]])
    assert test == moved([1, 3], [[0, 0], [3, 2]])
    assert test.n == 2


def test_without_examples_the_p_value_of_a_shift_is_1() -> None:
    assert sign_flip([]).mid_p == 1
    assert moved(np.zeros(0), np.zeros((0, 3))).n == 0


@pytest.mark.parametrize("spread", [0.02, 0.3])
def test_p_values_of_a_shift_are_equal_whether_computed_by_fourier_transform_or_by_convolution(
    monkeypatch: pytest.MonkeyPatch, spread: float
) -> None:
    draw = np.random.default_rng(8)
    d = np.rint(draw.normal(0.3 * spread / 17, spread, 300) * 100) / 100
    runs = draw.integers(0, 5, (300, 4))
    by_convolution = sign_flip(d), moved(runs[:, 0], runs[:, 1:])
    monkeypatch.setattr(change, "MOST_STEPS", -1)
    by_transform = sign_flip(d), moved(runs[:, 0], runs[:, 1:])
    for one, other in zip(by_convolution, by_transform, strict=True):
        assert (one.exact_p, one.mid_p) == approx((other.exact_p, other.mid_p), abs=1e-12)


def test_for_a_hundred_thousand_examples_the_sign_flip_p_value_equals_that_of_the_normal_distribution() -> None:
    d = np.random.default_rng(3).integers(-2, 3, 100_000)
    normal = math.erfc(abs(d.sum()) / math.sqrt(2 * (d**2).sum()))
    assert sign_flip(d).mid_p == approx(normal, abs=1e-4)


# -------------------------------------------------------------------------------------------------- changed at all


def test_the_test_for_any_change_of_a_judge_gives_the_p_value_of_an_independent_program() -> None:
    runs = np.array([[2, 1, 1], [3, 3, 3], [0, 1, 1], [4, 4, 3], [1, 3, 3], [2, 2, 2], [0, 2, 2]])
    change_test = any_change(runs[:, 0], runs[:, 1:])
    assert change_test.exact_p == approx(0.0288065844, abs=6e-11)
    assert change_test.excess == approx(0.7857142857, abs=6e-11)


def test_the_test_for_any_change_of_a_judge_gives_the_p_values_of_an_independent_program() -> None:
    for case in block("recipes.yaml", "any_change")["cases"]:
        runs = np.array(case["now_then_runs"])
        change_test = any_change(runs[:, 0], runs[:, 1:])
        assert change_test.exact_p == approx(case["exact_p"], abs=6e-11)
        assert change_test.mid_p == approx(case["mid_p"], abs=6e-11)
        assert change_test.excess == approx(case["excess_distance_levels"], abs=6e-11)


@given(st.lists(st.lists(halves, min_size=3, max_size=3), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_the_p_value_of_any_change_of_a_judge_equals_that_of_a_complete_permutation_of_runs_within_examples(
    rows: Rows,
) -> None:
    runs = np.array(rows)
    to = np.abs(runs[:, :, None] - runs[:, None, :]).sum(axis=2)
    scores = 3 * to - to.sum(axis=1, keepdims=True)
    change_test = any_change(runs[:, 0], runs[:, 1:])
    assert (change_test.exact_p, change_test.mid_p) == approx(by_listing(scores.tolist(), two_sided=False), abs=1e-12)


def test_the_share_of_examples_whose_level_changed_has_an_interval_that_allows_for_groups() -> None:
    draw = np.random.default_rng(3)
    runs = draw.integers(0, 2, (60, 3)).astype(float)
    runs[5, 1] = np.nan
    groups = np.repeat(np.arange(12), 5)
    together = any_change(runs[:, 0], runs[:, 1:], groups)
    known = ~np.isnan(runs).any(axis=1)
    flips = (runs[known, :1] != runs[known, 1:]).mean(axis=1)
    expected = share(flips, groups[known])
    assert (together.flips_now.low, together.flips_now.high) == (expected.low, expected.high)
    alone = any_change(runs[:, 0], runs[:, 1:])
    assert (together.exact_p, together.excess) == (alone.exact_p, alone.excess)
    assert alone.flips_now.low != expected.low


def test_the_test_for_any_change_detects_noisier_ratings_around_an_unchanged_mean() -> None:
    stored = np.tile([2, 2, 2], (40, 1))
    now = np.where(np.arange(40) % 2, 1, 3)
    assert moved(now, stored).mid_p > 0.5
    change_test = any_change(now, stored)
    assert change_test.mid_p is not None
    assert change_test.mid_p < 1e-6
    assert (change_test.flips_now.value, change_test.flips_stored.value) == (1, 0)


def test_the_share_of_examples_whose_level_changed_is_a_mean_over_pairs_of_runs() -> None:
    change_test = any_change([1, 1, 2], [[1, 2], [1, 1], [0, 1]])
    assert change_test.flips_now.value == approx((0.5 + 0 + 1) / 3)
    assert change_test.flips_stored.value == approx(2 / 3)
    assert change_test.runs == 2


def test_the_test_for_any_change_of_a_judge_is_undefined_after_one_stored_run_and_says_to_store_three() -> None:
    change_test = any_change([1, 2, 2], [1, 1, 2])
    assert change_test.undefined == "one stored run doesn't show its own noise; store three"
    assert change_test.exact_p is change_test.mid_p is change_test.excess is None
    assert change_test.flips_now.value == approx(1 / 3)
    assert change_test.flips_stored.undefined == change_test.undefined


def test_the_judge_s_shift_in_the_file_of_reference_values_is_reproduced() -> None:
    case = block("recipes.yaml", "kappa_change")
    test = moved(case["now"], case["then"])
    assert test.shift == approx(case["shift"])
    assert test.mid_p == approx(case["shift_mid_p"], abs=6e-7)


# ------------------------------------------------------------------------------------------------------- no drift


@pytest.mark.parametrize(
    ("n", "up", "down", "low", "high"),
    [(50, 0, 0, -0.184025, 0.184025), (36, 0, 0, -0.254520, 0.254520), (100, 15, 3, 0.003639, 0.231655)],
)
def test_the_interval_of_a_judge_s_mean_shift_equals_that_of_an_independent_program(
    n: int, up: int, down: int, low: float, high: float
) -> None:
    interval = shift_interval([1] * up + [-1] * down + [0] * (n - up - down), span=4)
    assert (interval.low, interval.high) == approx((low, high), abs=6e-7)
    assert interval.value == approx((up - down) / n)


def test_the_interval_used_to_show_the_absence_of_drift_equals_that_of_an_independent_program() -> None:
    for case in block("recipes.yaml", "no_drift")["cases"]:
        d = np.zeros(case["n"])
        d[: case["ones"]] = 1
        d[case["ones"] : case["ones"] + case["minus_ones"]] = -1
        interval = shift_interval(d, span=case["levels"] - 1)
        low, high = interval.low or 0.0, interval.high or 0.0
        assert (low, high) == approx((case["low90"], case["high90"]), abs=6e-7)
        assert interval.value == approx(case["mean"])
        assert (-case["margin"] < low and high < case["margin"]) is case["affirmed"]


@given(st.lists(halves, min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_twice_as_many_examples_with_the_same_differences_narrow_the_interval_of_a_judge_s_shift(
    d: list[float],
) -> None:
    once, twice = shift_interval(d, span=8), shift_interval(d * 2, span=8)
    assert None not in (once.low, once.high, twice.low, twice.high)
    assert (twice.high or 0) - (twice.low or 0) < (once.high or 0) - (once.low or 0)


# ------------------------------------------------------------------------------------------------------- families


def test_p_values_adjusted_for_several_tests_equal_their_reference_values() -> None:
    assert holm(P_VALUES).tolist() == approx([0.010, 0.072] + [0.312] * 5 + [0.615] * 3)
    assert benjamini_yekutieli(P_VALUES)[:3].tolist() == approx([0.02928968, 0.11715873, 0.24603333], abs=5e-9)


def test_p_values_adjusted_for_several_tests_equal_those_of_statsmodels() -> None:
    case = block("reference.yaml", "multiple")
    for adjust, wanted in ((holm, "holm"), (benjamini_yekutieli, "by")):
        assert adjust(case["p"]).tolist() == approx(case[wanted], abs=5e-9)


@given(st.lists(st.floats(0, 1), max_size=8), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_p_values_adjusted_for_several_tests_keep_their_order_and_are_never_below_the_unadjusted_p_values(
    p: list[float], random: Any
) -> None:
    order = list(range(len(p)))
    random.shuffle(order)
    for adjust in (holm, benjamini_yekutieli):
        adjusted = adjust(p)
        assert adjust([p[i] for i in order]).tolist() == adjusted[order].tolist()
        assert ((adjusted >= np.array(p) - 1e-15) & (adjusted <= 1)).all()


def test_the_significance_levels_of_successive_runs_add_up_to_the_overall_significance_level() -> None:
    assert sum(alarm_level(t) for t in range(1, 20_000)) == approx(0.05, abs=2e-6)
    assert alarm_level(1) == approx(0.0303963551)
    assert [alarm_level(t, planned=10) for t in (1, 10)] == [0.005, 0.005]


# ------------------------------------------------------------------------------------------------------ the pieces


def test_ratings_are_converted_to_whole_multiples_of_a_common_unit_such_as_one_half_or_one_third() -> None:
    for values, unit in (([0, 3], 1), ([0.5, 2], 1 / 2), ([1 / 3, 2 / 3], 1 / 3), ([0.29, 0.58], 1 / 100)):
        whole, multiples = whole_multiples(values)
        assert multiples == unit
        assert whole * unit == approx(np.array(values))
    assert whole_multiples([0.1234567])[0].tolist() == [12]


def test_the_jackknife_standard_error_of_a_mean_equals_the_usual_standard_error_of_a_mean() -> None:
    x = np.array([1.0, 4.0, 2.0, 2.0, 7.0, 3.0, np.nan])
    estimate = mean_estimate(x)
    assert estimate.n == 6
    assert estimate.high is not None
    assert estimate.low == approx(2 * (estimate.value or 0) - estimate.high)
    assert mean_estimate([]).undefined == "no examples"
    assert mean_estimate([0.5]).note == "withheld: one example only"


WRONG: list[tuple[Any, str]] = [
    (lambda: sign_flip([[1.0]]), r"not of shape \(1, 1\)"),
    (lambda: sign_flip([np.inf]), "finite"),
    (lambda: moved([1, 2], [1, 2, 3]), r"\(2,\) and \(3, 1\)"),
    (lambda: moved([1, 2], np.zeros((2, 0))), r"\(2,\) and \(2, 0\)"),
    (lambda: shift_interval([[1.0]], span=4), r"\(1, 1\)"),
    (lambda: shift_interval([5.0], span=4), "span 4"),
    (lambda: holm([0.2, 1.2]), "from 0 to 1"),
    (lambda: benjamini_yekutieli([np.nan]), "from 0 to 1"),
    (lambda: alarm_level(0), "run 0"),
    (lambda: alarm_level(5, planned=4), "run 5"),
    (lambda: mean_estimate([[1.0]]), r"\(1, 1\)"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_invalid_arguments_of_tests_of_change_raise_an_error_that_names_the_arguments(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_results_of_tests_of_change_cannot_be_built_with_impossible_values() -> None:
    with pytest.raises(ValueError, match="mid-p"):
        change.MeanShiftTest(0.0, exact_p=0.2, mid_p=0.3, n=1, runs=1)
    flips = mean_estimate([0.5, 0.2])
    with pytest.raises(ValueError, match="reason"):
        change.ChangeTest(None, None, None, flips, flips, n=2, runs=1)


def unchanged_runs(noise: float, seed: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    draw = np.random.default_rng(seed)
    runs = np.clip(np.rint(draw.uniform(0, 4, (60, 1)) + draw.normal(0, noise, (60, 2))), 0, 4)
    return runs[:, 0], runs[:, 1]


def test_a_noisy_unchanged_judge_is_called_changed_at_most_as_often_as_the_significance_level_allows() -> None:
    alarms = [moved(*unchanged_runs(0.5, seed)).mid_p <= 0.05 for seed in range(400)]
    assert sum(alarms) / 400 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
