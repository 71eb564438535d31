"""Pass rates of groups from their own labels, and differences of groups."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from markscheme.stats.group_rates import (
    group_difference,
    group_rate,
)
from markscheme.stats.verdict_rates import LEAST_OWN, WIDEST_PLANNED, planned_half_width
from tests.reference.worked_cases import (
    COMMON_TESTS,
    DIFFERENCE,
    DIFFERENCE_LABELS,
    DIFFERENCE_RATES,
    DIFFERENCE_VARIANCE,
    GROUP_RATES,
    MID_P_LIMITS,
    GroupRateCase,
)
from tests.stats.exact_limits import clopper_pearson, mid_p_limits
from tests.stats.shared_numbers import block

approx = pytest.approx
counts = st.integers(0, 30)
tables = st.tuples(st.tuples(counts, counts), st.tuples(counts, counts))


def as_table(labels: dict[str, list[int]]) -> list[list[int]]:
    """Return a table (rows annotators' fail and pass, columns the judge's) from counts under each verdict."""
    fails, passes = labels["judge_fail"], labels["judge_pass"]
    return [[fails[0], passes[0]], [fails[1], passes[1]]]


@pytest.mark.parametrize(("hits", "n", "low", "high"), MID_P_LIMITS)
def test_mid_p_limits_of_a_share_equal_those_of_an_independent_program(
    hits: int, n: int, low: float, high: float
) -> None:
    assert mid_p_limits(hits, n) == approx((low, high), abs=6e-7)


@pytest.mark.parametrize("case", GROUP_RATES, ids=lambda case: case.name)
def test_pass_rates_of_groups_equal_their_reference_values(case: GroupRateCase) -> None:
    estimate = group_rate(case.labelled, case.pool)
    assert planned_half_width(np.sum(case.labelled, axis=0), case.pool) == approx(case.half_width, abs=6e-7)
    assert estimate.needed == case.needed
    rate = estimate.rate
    if case.rate is None:
        assert rate.value is None
        assert rate.low is None
    else:
        assert (rate.value, rate.low, rate.high) == approx(case.rate, abs=6e-7)


def test_the_difference_of_two_groups_pass_rates_equals_that_of_an_independent_program() -> None:
    units = np.array(COMMON_TESTS)
    first, other = DIFFERENCE_LABELS
    compared = group_difference(first, units.sum(axis=1), other, units.sum(axis=0), common=units)
    rates = [group_rate(first, units.sum(axis=1)).rate.value, group_rate(other, units.sum(axis=0)).rate.value]
    assert rates == approx(list(DIFFERENCE_RATES), abs=6e-7)
    difference = compared.difference
    assert (difference.value, difference.low, difference.high) == approx(DIFFERENCE, abs=6e-7)
    assert compared.units_variance == approx(DIFFERENCE_VARIANCE, abs=6e-10)


def test_every_pass_rate_of_a_group_in_the_file_of_reference_values_is_reproduced() -> None:
    for case in block("groups_drift_slices.yaml", "groups"):
        if "rows" in case:
            for row in case["rows"]:
                assert mid_p_limits(row["x"], row["m"]) == approx((row["low"], row["high"]), abs=6e-7), row
        elif "group" in case:
            graded, passes = case["group"]["graded"], case["group"]["judge_passes"]
            table, pool = as_table(case["labels"]), [graded - passes, passes]
            rate = group_rate(table, pool)
            assert (rate.rate.value is None) == case["withheld"], case["case"]
            assert rate.needed == case["more_labels_needed"], case["case"]
            half_width = planned_half_width(np.sum(table, axis=0), pool)
            assert half_width == approx(case["planned_half_width"], abs=6e-7), case["case"]
            if not case["withheld"]:
                expected = case["value"], case["low"], case["high"]
                assert (rate.rate.value, rate.rate.low, rate.rate.high) == approx(expected, abs=6e-7), case["case"]
        elif "units" in case:
            units = np.array(case["units"])
            tables = as_table(case["labels_first"]), as_table(case["labels_second"])
            pools = units.sum(axis=1), units.sum(axis=0)
            rates = [group_rate(table, pool).rate.value for table, pool in zip(tables, pools, strict=True)]
            assert rates == approx([case["first"], case["second"]], abs=6e-7)
            apart = group_difference(tables[0], pools[0], tables[1], pools[1], common=units)
            difference = apart.difference
            found_limits = difference.value, difference.low, difference.high
            assert found_limits == approx((case["difference"], case["low"], case["high"]), abs=6e-7)
            assert apart.units_variance == approx(case["unit_variance"], abs=6e-10)


@pytest.mark.proof
@given(hits=st.integers(0, 60), misses=st.integers(0, 60))
def test_mid_p_limits_contain_the_share_and_lie_within_the_exact_limits(hits: int, misses: int) -> None:
    assume(hits + misses)
    low, high = mid_p_limits(hits, hits + misses)
    exact_low, exact_high = clopper_pearson(hits, hits + misses)
    assert exact_low - 1e-9 <= low <= hits / (hits + misses) <= high <= exact_high + 1e-9
    mirrored = mid_p_limits(misses, hits + misses)
    assert (low, high) == approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(table=tables, more=st.tuples(counts, counts))
def test_exchanging_pass_and_fail_in_a_group_gives_one_minus_the_pass_rate(table: Any, more: tuple[int, int]) -> None:
    pool = np.array(table).sum(axis=0) + more
    assume(pool.sum())
    forward, back = group_rate(table, pool), group_rate(table[::-1], pool)
    assert forward.needed == back.needed
    if forward.rate.value is None or forward.rate.low is None:
        assert back.rate.value is None
        return
    assert 0 <= forward.rate.low <= forward.rate.value
    assert back.rate.value == approx(1 - forward.rate.value)
    assert back.rate.high == approx(1 - forward.rate.low)


@settings(deadline=None, max_examples=60)
@given(table=tables, more=st.tuples(st.integers(20, 60), st.integers(20, 60)))
@pytest.mark.proof
def test_the_number_of_labels_needed_by_a_group_suffices_to_show_its_pass_rate(
    table: Any, more: tuple[int, int]
) -> None:
    small = np.array(table) // 6
    pool = small.sum(axis=0) + more
    rate = group_rate(small, pool)
    shown = rate.own_labels >= LEAST_OWN and planned_half_width(small.sum(axis=0), pool) <= WIDEST_PLANNED
    assert (rate.rate.value is not None) == shown == (rate.needed is None)
    if rate.needed is not None:
        splits = [np.array([added, rate.needed - added]) for added in range(rate.needed + 1)]
        narrowest = min(
            planned_half_width(small.sum(axis=0) + split, pool)
            for split in splits
            if (small.sum(axis=0) + split <= pool).all()
        )
        assert narrowest <= WIDEST_PLANNED
        assert rate.own_labels + rate.needed >= LEAST_OWN


def test_the_number_of_labels_and_not_their_levels_decides_if_a_group_s_pass_rate_is_shown() -> None:
    shown = {group_rate([[5 - a, 6 - b], [a, b]], [40, 60]).needed for a in range(6) for b in range(7)}
    assert shown == {None}
    withheld = {group_rate([[2 - a, 3 - b], [a, b]], [40, 60]).needed for a in range(3) for b in range(4)}
    assert withheld == {5}


def test_a_compared_group_of_only_8_responses_gets_no_pass_rate_and_no_number_of_labels_needed() -> None:
    rate = group_rate([[2, 2], [2, 2]], [4, 4])
    assert rate.rate.value is None
    assert rate.needed is None


def test_swapping_two_groups_of_responses_reverses_the_sign_of_the_difference_of_their_pass_rates() -> None:
    units = np.array([[20, 30], [20, 130]])
    first, second = [[3, 3], [1, 15]], [[7, 7], [1, 7]]
    forward = group_difference(first, [50, 150], second, [40, 160], common=units).difference
    back = group_difference(second, [40, 160], first, [50, 150], common=units.T).difference
    assert forward.value is not None
    assert forward.low is not None
    assert back.value == approx(-forward.value)
    assert back.high == approx(-forward.low)


def test_the_difference_of_two_groups_pass_rates_equals_the_difference_of_their_printed_rates() -> None:
    first, second = ([[3, 3], [1, 15]], [50, 150]), ([[7, 7], [1, 7]], [30, 60])
    difference = group_difference(*first, *second)
    rates = [group_rate(*first).rate.value, group_rate(*second).rate.value]
    assert rates[0] is not None
    assert rates[1] is not None
    assert difference.difference.value == approx(rates[0] - rates[1])
    assert difference.common == 0
    assert difference.on_common is None
    assert difference.units_variance == approx(group_rate(*first).units_variance + group_rate(*second).units_variance)


def test_the_comparison_of_two_groups_includes_pass_rates_on_the_test_cases_that_occur_in_both_groups() -> None:
    difference = group_difference(
        [[3, 3], [1, 15]], [50, 150], [[7, 7], [1, 7]], [40, 160], common=[[10, 15], [10, 65]]
    )
    assert difference.common == 100
    assert difference.on_common is not None
    assert difference.on_common[0].judge_alone == 0.75
    assert difference.on_common[1].judge_alone == 0.8


def test_the_difference_of_pass_rates_is_undefined_if_one_of_two_groups_of_responses_has_no_pass_rate() -> None:
    difference = group_difference([[1, 1], [0, 2]], [100, 100], [[7, 7], [1, 7]], [40, 160])
    assert difference.difference.value is None
    assert difference.difference.undefined


@pytest.mark.parametrize(
    ("table", "pool"),
    [([[1, 2]], [5, 5]), ([[1, 2], [3, -1]], [5, 5]), ([[1, 2], [3, 4]], [3, 9]), ([[0, 0], [0, 0]], [0, 0])],
)
def test_impossible_counts_of_labels_or_graded_responses_in_a_group_are_refused(table: Any, pool: Any) -> None:
    with pytest.raises(ValueError, match=r"must have shape|whole numbers|a pool holds"):
        group_rate(table, pool)


def test_comparing_two_groups_is_refused_if_the_shared_test_cases_outnumber_those_of_one_group() -> None:
    with pytest.raises(ValueError, match="common tests"):
        group_difference([[3, 3], [1, 15]], [50, 150], [[7, 7], [1, 7]], [40, 160], common=[[60, 0], [0, 0]])
