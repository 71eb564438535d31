"""A new run next to accepted runs that differ among themselves."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import stdtr

from markscheme.features.drift.statistics import RUN_SD, compare_runs, examples_to_affirm, run_agreement_change
from markscheme.stats.change import holm, shift_interval
from markscheme.stats.coefficients import agreement
from markscheme.stats.pairs import Moments
from tests.reference.worked_cases import RUNS, RunsCase
from tests.stats.shared_numbers import block

approx = pytest.approx
Table = npt.NDArray[np.float64]
tables = st.integers(2, 5).flatmap(
    lambda runs: st.lists(st.lists(st.integers(0, 4), min_size=runs, max_size=runs), min_size=3, max_size=15)
)


def absolute_error(moments: Moments) -> Table:
    """Mean absolute error as a function of sums over examples."""
    return moments.absolute


def made(n: int, runs: int, run_sd: float, seed: int, *, shift: float = 0.0) -> tuple[Table, Table, Table]:
    """Gold, a new run and accepted runs on five levels, each run with an effect of its own, in levels."""
    generator = np.random.default_rng(seed)
    truth = generator.normal(2, 1.2, n)[:, None]
    effects = run_sd * generator.normal(size=runs + 1)
    effects[0] += shift
    rated = np.clip(np.rint(truth + effects + 0.45 * generator.normal(size=(n, runs + 1))), 0, 4)
    return np.clip(np.rint(truth[:, 0]), 0, 4), rated[:, 0], rated[:, 1:]


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.name)
def test_shifts_between_runs_equal_their_reference_values(case: RunsCase) -> None:
    ratings = np.array(case.runs, dtype=np.float64)
    change = compare_runs(ratings[:, -1], ratings[:, :-1], span=4)
    moved = change.moved
    figures = (moved.shift.value, moved.within * moved.n, moved.between, moved.p)
    assert figures == approx((case.shift, case.answers, case.between, case.p), abs=6e-7)
    assert moved.p == approx(max(case.p_pooled, case.p_runs_only or 0.0), abs=6e-7)
    assert (moved.shift.low, moved.shift.high) == approx(case.interval90, abs=6e-7)
    if case.f is not None:
        assert moved.between / moved.within == approx(case.f, abs=6e-5)
    assert moved.p_alike == (None if case.p_alike is None else approx(case.p_alike, abs=6e-7))
    assert change.unsteady == case.unsteady


def test_drift_statistics_reproduce_every_case_of_the_file_of_reference_values() -> None:
    for case in block("groups_drift_slices.yaml", "drift"):
        ratings = np.array(case["runs_in_columns_now_last"], dtype=np.float64)
        change = compare_runs(ratings[:, -1], ratings[:, :-1], span=case["span"])
        moved = change.moved
        figures: dict[str, Any] = {
            "accepted_means": list(change.means),
            "shift": moved.shift.value,
            "s2_answers": moved.within * moved.n,
            "s2_runs": moved.between,
            "p_runs_alike": moved.p_alike,
            "tau": moved.run_sd,
            "p": moved.p,
            "interval_90": [moved.shift.low, moved.shift.high],
        }
        for name in figures.keys() & case.keys():
            assert figures[name] == approx(case[name], abs=6e-7), (case["case"], name)
        if "F" in case:
            assert moved.between / moved.within == approx(case["F"], abs=6e-5), case["case"]
            assert change.unsteady == case["unsteady"], case["case"]
        decides = "p_runs_only" if case["interval_from"] == "runs only" else "p_pooled"
        assert moved.p == approx(case[decides], abs=6e-7), case["case"]


@settings(deadline=None, max_examples=60)
@given(rows=tables)
def test_reversing_the_scale_reverses_the_sign_of_a_shift(rows: list[list[int]]) -> None:
    ratings = np.array(rows, dtype=np.float64)
    forward = compare_runs(ratings[:, 0], ratings[:, 1:], span=4).moved
    back = compare_runs(4 - ratings[:, 0], 4 - ratings[:, 1:], span=4).moved
    assert forward.shift.value is not None
    assert forward.shift.low is not None
    assert back.shift.value == approx(-forward.shift.value)
    assert back.shift.high == approx(-forward.shift.low)
    assert back.p == approx(forward.p)


@settings(deadline=None, max_examples=60)
@given(rows=tables)
def test_the_interval_of_a_shift_excludes_0_exactly_if_its_p_value_is_below_the_significance_level(
    rows: list[list[int]],
) -> None:
    ratings = np.array(rows, dtype=np.float64)
    moved = compare_runs(ratings[:, 0], ratings[:, 1:], span=4).moved
    low, value, high = moved.shift.low, moved.shift.value, moved.shift.high
    assert low is not None
    assert value is not None
    assert high is not None
    assert low <= value <= high
    assume(abs(moved.p - 0.1) > 1e-9)
    assert (moved.p < 0.1) == (low > 0 or high < 0)
    assume(abs(abs(value) - moved.detectable) > 1e-9)
    assert (moved.p < 0.05) == (abs(value) > moved.detectable)


@settings(deadline=None, max_examples=40)
@given(rows=tables)
def test_the_order_of_examples_and_of_accepted_runs_changes_no_figure_of_drift(rows: list[list[int]]) -> None:
    ratings = np.array(rows, dtype=np.float64)
    forward = compare_runs(ratings[:, 0], ratings[:, 1:], span=4).moved
    turned = compare_runs(ratings[::-1, 0], ratings[::-1, :0:-1], span=4).moved
    assert turned.p == approx(forward.p)
    assert turned.shift.value == approx(forward.shift.value)


def test_multiplying_the_scale_by_a_factor_changes_no_p_value_of_drift() -> None:
    _, now, stored = made(40, 3, 0.1, 5, shift=0.5)
    in_levels = compare_runs(now, stored, span=4)
    in_score = compare_runs(now / 4, stored / 4, span=1, step=0.25)
    assert in_score.moved.p == approx(in_levels.moved.p)
    assert in_score.within_margin == in_levels.within_margin


def test_with_one_accepted_run_a_judge_is_called_neither_steady_nor_unsteady() -> None:
    still = np.full(500, 2.0)
    change = compare_runs(still, still, span=4)
    assert change.moved.p == 1.0
    assert change.moved.p_alike is None
    assert not change.steady
    assert not change.unsteady


def test_five_equal_accepted_runs_show_a_judge_to_be_steady_with_200_examples_but_not_with_20() -> None:
    for n, steady in ((20, False), (200, True)):
        still = np.tile([0.0, 1.0, 2.0, 3.0, 4.0], n // 5)
        change = compare_runs(still, np.column_stack([still] * 5), span=4)
        assert change.steady == steady


def test_a_large_shift_lies_outside_the_margin_and_a_shift_of_zero_lies_within_it() -> None:
    still = np.tile([0.0, 1.0, 2.0, 3.0], 100)
    stored = np.column_stack([still] * 5)
    assert not compare_runs(still + 1, stored, span=4).within_margin
    assert compare_runs(still, stored, span=4).within_margin


def test_accepted_runs_that_differ_much_among_themselves_are_called_unsteady_and_can_hide_a_shift() -> None:
    still = np.tile([1.0, 2.0, 3.0], 40)
    stored = np.column_stack([still - 0.5, still, still + 0.5])
    change = compare_runs(still + 0.6, stored, span=4)
    assert change.unsteady
    assert change.moved.p == approx(float(2 * stdtr(2, -0.6 / (0.5 * math.sqrt(1 + 1 / 3)))))  # of the runs alone
    assert change.moved.p > 0.05
    assert change.moved.detectable > 1.0
    assert change.moved.run_sd == approx(0.5, abs=0.01)
    assert not change.steady


def test_an_example_with_a_missing_rating_in_any_run_is_left_out_of_all_runs() -> None:
    _, now, stored = made(30, 2, 0.0, 7)
    stored[3, 1] = math.nan
    now[5] = math.nan
    change = compare_runs(now, stored, span=4)
    rows = np.delete(np.arange(30), [3, 5])
    assert change.moved.n == 28
    assert change == compare_runs(now[rows], stored[rows], span=4)


@pytest.mark.parametrize("n", [0, 1])
def test_with_too_few_examples_a_shift_has_no_value_and_its_p_value_is_1(n: int) -> None:
    change = compare_runs(np.full(n, 2.0), np.full((n, 3), 2.0), span=4)
    assert change.moved.shift.value is None
    assert change.moved.p == 1.0
    assert not change.steady
    assert run_agreement_change(np.ones(n), np.ones(n), np.ones((n, 2)), absolute_error).shift.value is None


@pytest.mark.parametrize(
    ("now", "stored", "span", "step", "margin"),
    [
        ([1, 2], [[1], [2], [3]], 4, 1, None),
        ([1, 2], [1, math.inf], 4, 1, None),
        ([1, 2], [1, 2], 4, 0, None),
        ([1, 2], [1, 2], 4, 1, 5),
        ([[1, 2]], [1, 2], 4, 1, None),
        ([1, 9], [1, 2], 4, 1, None),
    ],
)
def test_arrays_of_runs_whose_shapes_differ_are_refused(
    now: Any, stored: Any, span: float, step: float, margin: Any
) -> None:
    with pytest.raises(ValueError, match=r"now must|finite|margin|span"):
        compare_runs(now, stored, span=span, step=step, margin=margin)


@pytest.mark.parametrize("runs", [1, 3])
def test_agreement_that_did_not_change_has_a_shift_of_0_and_a_p_of_1(runs: int) -> None:
    gold, now, _ = made(40, 1, 0.0, 3)
    change = run_agreement_change(gold, now, np.column_stack([now] * runs), absolute_error)
    assert change.shift.value == 0
    assert change.p == 1.0
    assert change.n == 40


def test_a_judge_that_inverts_its_levels_is_shown_to_have_a_larger_mean_absolute_error_than_before() -> None:
    gold, _, stored = made(200, 3, 0.0, 4)
    change = run_agreement_change(gold, 4 - gold, stored, absolute_error, prior_sd=RUN_SD * 4)
    assert change.shift.value is not None
    assert change.shift.value > 0.5
    assert change.p < 0.001


def test_the_change_of_kappa_since_the_accepted_runs_equals_the_difference_of_the_runs_kappas() -> None:
    gold, now, stored = made(60, 2, 0.0, 9)

    def quadratic(moments: Moments) -> Table:
        apart = moments.signed
        return np.asarray(2 * moments.covariance / (moments.gold_variance + moments.judge_variance + apart**2))

    change = run_agreement_change(gold, now, stored, quadratic)
    kappas = []
    for run in (now, *stored.T):
        pairs = np.column_stack([gold, run])
        kappas.append(agreement(pairs, "weighted_kappa", levels=range(5)).value or math.nan)
    assert change.shift.value == approx(kappas[0] - np.mean(kappas[1:]))


def test_examples_of_a_group_are_left_out_together_in_the_jackknife_of_drift() -> None:
    gold, now, stored = made(60, 3, 0.0, 11)
    by_example = run_agreement_change(gold, now, stored, absolute_error)
    by_group = run_agreement_change(gold, now, stored, absolute_error, groups=np.arange(60) // 3)
    assert by_group.n == 20
    assert by_group.shift.value == by_example.shift.value
    assert by_group.within != by_example.within


def test_the_change_of_an_error_measure_is_undefined_if_the_measure_is_undefined_in_a_run() -> None:
    def undefined(moments: Moments) -> Table:
        return np.full_like(moments.absolute, math.nan)

    change = run_agreement_change([0, 1, 2], [0, 1, 2], [0, 1, 2], undefined)
    assert change.shift.value is None
    assert change.p == 1.0


@pytest.mark.parametrize(("runs", "run_sd"), [(1, 0.0), (1, 0.08), (3, 0.08), (5, 0.12)])
def test_an_alarm_is_rare_for_judges_that_have_not_changed_although_their_runs_differ(runs: int, run_sd: float) -> None:
    alarms = []
    for seed in range(150):
        criteria = [made(60, runs, run_sd, 4 * seed + criterion)[1:] for criterion in range(4)]
        adjusted = holm([compare_runs(now, stored, span=4).moved.p for now, stored in criteria])
        alarms.append(adjusted.min() <= 0.05)
    assert np.mean(alarms) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 150)


def test_five_accepted_runs_are_enough_to_detect_a_shift_of_half_a_level() -> None:
    moved = [compare_runs(*made(60, 5, 0.0, seed, shift=-0.5)[1:], span=4).moved.p <= 0.05 for seed in range(60)]
    assert np.mean(moved) > 0.9


def test_a_shift_from_a_single_accepted_run_has_a_wider_interval_than_one_from_the_mean_of_all_accepted_runs() -> None:
    _, now, stored = made(60, 3, 0.0, 5, shift=0.6)
    usual = compare_runs(now, stored, span=4).moved
    moved = compare_runs(now, stored, span=4, base=stored[:, 0]).moved
    assert moved.shift.value == approx(float((now - stored[:, 0]).mean()))
    assert (moved.within, moved.between) == (usual.within, usual.between)
    assert moved.shift.low is not None
    assert usual.shift.low is not None
    wider = (moved.now or 0) - (moved.then or 0) - moved.shift.low
    narrower = (usual.now or 0) - (usual.then or 0) - usual.shift.low
    assert wider / narrower == approx(math.sqrt(2 / (1 + 1 / 3)))


def test_with_the_number_of_examples_needed_an_unchanged_judge_is_shown_unchanged_in_16_of_20_simulations() -> None:
    _, now, stored = made(120, 3, 0.0, 1)
    few = compare_runs(now, stored, span=4)
    assert few.needed is not None
    assert few.needed > 120
    steady = 0
    for seed in range(20):
        _, now, stored = made(few.needed, 3, 0.0, seed)
        steady += compare_runs(now, stored, span=4).within_margin
    assert steady >= 16


def test_drift_names_no_number_of_examples_needed_if_only_further_accepted_runs_would_help() -> None:
    _, now, stored = made(60, 3, 0.0, 1)
    assert compare_runs(now, stored[:, 0], span=4).needed is None
    assert compare_runs(now, stored, span=4, margin=0.05).needed is None
    stored[:, 1] = np.clip(stored[:, 1] + 1, 0, 4)
    assert compare_runs(now, stored, span=4).needed is None


def test_thirty_seven_unchanged_examples_are_the_fewest_that_show_that_a_judge_did_not_shift() -> None:
    assert examples_to_affirm(0.0, margin=0.25, span=4) == 37
    for n, affirmed in ((36, False), (37, True)):
        assert ((shift_interval(np.zeros(n), span=4).high or 0.0) < 0.25) is affirmed


def test_the_number_of_examples_needed_to_rule_out_a_shift_equals_the_hand_calculated_number() -> None:
    assert examples_to_affirm(1.0, margin=0.25, span=4) == approx(8.6 * 16, rel=0.01)


def test_planning_examples_with_a_negative_variance_raises_an_error_that_names_the_variance() -> None:
    with pytest.raises(ValueError, match="variance -1"):
        examples_to_affirm(-1, margin=0.25, span=4)
