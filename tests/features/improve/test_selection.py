"""Choosing the best of several candidates: bounds, tests, gains and sizes against worked figures, and their laws."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import stdtrit

from markscheme.features.improve.drawn_parts import dev_size
from markscheme.features.improve.selection import (
    FINALISTS,
    chance_to_find,
    confirmed_gain,
    confirmed_t,
    critical_t,
    first_size,
    held_out_needed,
    held_out_test,
    kept_share,
    labels_needed,
    opening_alpha,
    outside_test,
    survivors,
)
from tests.reference import selection_cases as cases

columns = arrays(np.float64, (24, 2), elements=st.floats(-1, 1, width=32)).filter(lambda d: d.std(axis=0).min() > 0.01)


@pytest.mark.parametrize(("rho", "df", "alpha", "bound"), cases.BOUNDS)
def test_the_critical_value_for_the_larger_of_two_t_statistics_equals_its_reference_value(
    rho: float, df: int, alpha: float, bound: float
) -> None:
    assert critical_t(df, alpha, rho) == pytest.approx(bound, abs=cases.BOUND_TOLERANCE)


@given(rho=st.floats(-0.95, 0.95), df=st.integers(9, 200), alpha=st.sampled_from([0.05, 0.0125, 0.0004]))
def test_the_critical_value_for_the_larger_of_two_t_statistics_lies_between_that_of_one_test_and_bonferroni_s(
    rho: float, df: int, alpha: float
) -> None:
    bound = critical_t(df, alpha, rho)
    assert stdtrit(df, 1 - alpha) - 2e-3 <= bound <= stdtrit(df, 1 - alpha / 2) + 2e-3 + 0.02 * (alpha < 0.001)


@pytest.mark.parametrize("case", cases.TESTS, ids=lambda case: case.name)
def test_the_test_of_finalists_on_held_out_labels_reproduces_every_case_of_the_file_of_reference_values(
    case: cases.SelectionCase,
) -> None:
    outcome = held_out_test(np.column_stack(case.columns), case.alpha)
    assert outcome.means == pytest.approx(case.means, abs=1e-6)
    assert outcome.errors == pytest.approx(case.errors, abs=1e-6)
    assert outcome.t == pytest.approx(case.t, abs=1e-6)
    assert outcome.correlation == (None if case.correlation is None else pytest.approx(case.correlation, abs=1e-6))
    assert outcome.critical == pytest.approx(case.critical, abs=cases.BOUND_TOLERANCE)
    assert outcome.best == case.best


def test_a_confirmed_t_value_is_corrected_for_being_observed_only_above_the_critical_value() -> None:
    for critical in (1.7, 1.96, 2.5):
        for t in (critical + 0.5, critical + 1.0, critical + 3.0):
            true = confirmed_t(t, critical)
            steps = np.arange(critical, critical + 12, 1e-4)
            density = np.exp(-((steps - true) ** 2) / 2)
            assert true == 0.0 or float((steps * density).sum() / density.sum()) == pytest.approx(t, abs=1e-3)
        assert confirmed_t(critical + 0.01, critical) == 0.0
        assert confirmed_t(critical + 6, critical) == pytest.approx(critical + 6, abs=1e-3)


@pytest.mark.parametrize("true_t", [1.0, 2.0, 3.0, 5.0])
def test_the_reported_gain_of_a_confirmed_wording_is_nearly_unbiased(true_t: float) -> None:
    rng = np.random.default_rng(7)
    n, sd = 53, 0.157
    error = sd / n**0.5
    gains = []
    for differences in rng.normal(true_t * error, sd, (1500, n, 1)):
        test = held_out_test(differences, 0.05)
        if test.best is not None:
            gains.append(confirmed_gain(differences[:, 0], test.t[0], test.critical, method="gain"))
    assert len(gains) > 150
    assert abs(np.mean([gain.value or 0.0 for gain in gains]) / error - true_t) < 0.5
    covered = [gain.low <= true_t * error <= gain.high for gain in gains if gain.low is not None]
    assert np.mean(covered) > 0.93


def test_a_confirmed_gain_that_is_equal_in_all_tasks_is_reported_without_an_interval() -> None:
    gain = confirmed_gain([0.1] * 8, None, 1.9, method="gain")
    assert gain.value == pytest.approx(0.1)
    assert gain.low is None
    assert kept_share(None, 1.9) == 1.0


def test_numbers_that_plan_a_run_of_improve_equal_those_of_an_independent_program() -> None:
    assert {j: opening_alpha(j) for j in cases.OPENINGS} == cases.OPENINGS
    assert {n: (dev_size(n), n - dev_size(n)) for n in cases.PARTS} == cases.PARTS
    for k, n, calls, share in cases.QUESTIONS:
        dev = dev_size(n)
        first = first_size(dev)
        assert k * first + survivors(k) * (dev - first) + min(k, FINALISTS) * (n - dev) == calls
        assert calls / (k * n) == pytest.approx(share)
    for sd, gain, n in cases.NEEDED:
        assert abs(held_out_needed(sd=sd, gain=gain) - n) <= 1
    assert labels_needed(132) == 198


def test_the_significance_levels_of_all_tests_on_the_same_held_out_labels_add_up_to_10_percent() -> None:
    assert sum(opening_alpha(j) for j in range(1, 60)) == pytest.approx(0.1)


@given(columns)
@pytest.mark.proof
def test_swapping_the_two_finalist_wordings_only_swaps_their_results(d: Any) -> None:
    assume(abs(np.diff(d.mean(axis=0))) > 1e-9)
    first, second = held_out_test(d, 0.05), held_out_test(d[:, ::-1], 0.05)
    assert first.critical == pytest.approx(second.critical)
    assert second.best == (None if first.best is None else 1 - first.best)


@given(columns)
@pytest.mark.proof
def test_a_wording_that_passes_a_stricter_test_also_passes_the_first_test_on_the_same_labels(d: Any) -> None:
    first, third = held_out_test(d, 0.05), held_out_test(d, 0.0125)
    assert third.critical > first.critical
    assert third.best is None or first.best is not None


def test_a_wording_with_the_same_gain_on_every_held_out_task_is_tested_by_a_sign_test() -> None:
    same = held_out_test(np.full((24, 1), 0.1), 0.05)
    assert (same.best, same.t) == (0, (None,))
    assert held_out_test(np.zeros((24, 2)), 0.05).best is None
    assert held_out_test(np.full((24, 1), -0.1), 0.05).best is None
    assert held_out_test(np.full((4, 1), 0.1), 0.05).best is None  # 1 in 16 by chance


def test_candidate_wordings_written_without_seeing_the_labels_are_all_tested_on_all_labels() -> None:
    rng = np.random.default_rng(7)
    noise = rng.normal(0, 0.15, (60, 5))
    assert outside_test(noise - 0.05).best is None
    assert outside_test(noise + np.array([0, 0, 0.15, 0, 0])).best == 2
    assert outside_test(noise) == outside_test(noise)


def test_candidates_that_are_no_better_are_adopted_in_at_most_one_of_twenty_runs() -> None:
    rng = np.random.default_rng(3)
    adopted = [outside_test(rng.normal(0, 0.15, (30, 4))).best is not None for _ in range(200)]
    assert np.mean(adopted) <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5


def test_the_chance_that_improve_confirms_a_planned_gain_rises_with_the_number_of_held_out_tasks() -> None:
    chances = [chance_to_find(n, 0.05) for n in (1, 20, 53, 132, 400)]
    assert chances == sorted(chances)
    assert chances[0] == 0.0


def test_a_gain_that_varies_less_between_tasks_is_more_likely_to_be_confirmed() -> None:
    assert chance_to_find(53, 0.05, sd=0.05) > chance_to_find(53, 0.05) > chance_to_find(53, 0.05, sd=0.5)
