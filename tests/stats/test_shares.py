"""Shares and mean differences where examples share a task."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.stats.shares import (
    FEWEST_SHOWN,
    GroupedMean,
    GroupedShare,
    beta_binomial_correlation,
    grouped_mean,
    grouped_share,
    share,
)
from tests.reference.worked_cases import (
    CORRELATION_TOLERANCE,
    GRID_TOLERANCE,
    GROUPED_DIFFERENCES,
    GROUPED_MEAN,
    MEANS,
    SHARES,
    MeanCase,
    ShareCase,
)
from tests.stats.exact_limits import clopper_pearson
from tests.stats.shared_numbers import block

approx = pytest.approx
Vector = npt.NDArray[np.float64]


def share_of(hits: list[int], sizes: list[int]) -> GroupedShare:
    """Return the share of examples with so many hits in each group."""
    values = np.concatenate([np.arange(m) < y for y, m in zip(hits, sizes, strict=True)])
    return grouped_share(values, np.repeat(np.arange(len(sizes)), sizes))


def mean_of(counts: dict[float, int]) -> GroupedMean:
    """Return the mean of differences, from how often each value occurred."""
    return grouped_mean(np.repeat(list(counts), list(counts.values())))


@st.composite
def grouped_hits(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    sizes = draw(st.lists(st.integers(1, 8), min_size=5, max_size=15))
    return [draw(st.integers(0, size)) for size in sizes], sizes


@pytest.mark.parametrize("case", SHARES, ids=lambda case: case.name)
def test_confidence_bounds_of_a_share_equal_those_of_an_independent_program(case: ShareCase) -> None:
    estimate = share_of(list(case.hits), list(case.sizes))
    tolerance = 1e-4 if case.correlation == 0 else GRID_TOLERANCE
    assert estimate.correlation == approx(case.correlation, abs=CORRELATION_TOLERANCE)
    assert estimate.support == case.support
    interval = estimate.estimate()
    bounds = (estimate.lower(0.9), estimate.upper(0.9), interval.low, interval.high)
    assert bounds == approx((case.lower90, case.upper90, case.low95, case.high95), abs=tolerance)


@pytest.mark.parametrize("case", MEANS, ids=lambda case: case.name)
def test_confidence_bounds_of_a_mean_equal_their_reference_values(case: MeanCase) -> None:
    mean = mean_of(case.counts)
    bounds = (mean.value, mean.lower(0.9), mean.upper(0.9), mean.upper(0.95))
    assert bounds == approx((case.value, case.lower90, case.upper90, case.upper95), abs=5.1e-5)


def test_confidence_bounds_of_a_mean_of_grouped_differences_equal_those_of_an_independent_program() -> None:
    mean = grouped_mean(*GROUPED_DIFFERENCES)
    assert (mean.value, mean.lower(0.9), mean.upper(0.9), mean.upper(0.95)) == approx(GROUPED_MEAN, abs=5.1e-5)


def test_every_share_in_the_file_of_reference_values_is_reproduced() -> None:
    for case in block("verdict.yaml", "share"):
        if case["size_by_group"] is None:
            hits = 60 if "all" in case["name"] else 45
            estimate = grouped_share(np.arange(int(case["n_eff"])) < hits)
        else:
            estimate = share_of(case["hits_by_group"], case["size_by_group"])
        assert estimate.value == approx(case["value"], abs=5.1e-5), case["name"]
        assert estimate.mean_size == approx(case["m_w"], abs=5.1e-5), case["name"]
        assert estimate.correlation == approx(case["rho80"], abs=CORRELATION_TOLERANCE), case["name"]
        assert estimate.effective == approx(case["n_eff"], rel=0.006), case["name"]
        shown = {"plain": "plain", "approximate": "rough", "withheld": "withheld"}[estimate.support]
        assert shown == case["shown"], case["name"]
        bounds = (estimate.lower(0.9), estimate.upper(0.9), estimate.lower(0.975), estimate.upper(0.975))
        if estimate.support == "withheld":
            assert bounds == (None,) * 4
            continue
        expected = tuple(case[name] for name in ("low90", "high90", "low95", "high95"))
        assert bounds == approx(expected, abs=GRID_TOLERANCE), case["name"]


def test_means_and_their_bounds_equal_those_in_the_file_of_reference_values() -> None:
    for case in block("verdict.yaml", "mean_difference"):
        mean = mean_of(case["counts"]) if "counts" in case else grouped_mean(case["differences"], case["group"])
        expected = tuple(case[name] for name in ("value", "low90", "high90", "high95"))
        bounds = (mean.value, mean.lower(0.9), mean.upper(0.9), mean.upper(0.95))
        assert bounds == approx(expected, abs=5.1e-5), case["name"]


@given(hits=st.integers(0, 40), extra=st.integers(0, 40))
def test_with_one_example_per_group_the_limits_of_a_share_are_the_clopper_pearson_limits(hits: int, extra: int) -> None:
    n = max(FEWEST_SHOWN, hits + extra)
    estimate = grouped_share(np.arange(n) < hits, [f"task {i}" for i in range(n)]).estimate()
    assert (estimate.low, estimate.high) == approx(clopper_pearson(min(hits, n), n), abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(data=grouped_hits())
def test_the_order_and_names_of_groups_change_no_confidence_bound(data: tuple[list[int], list[int]]) -> None:
    hits, sizes = data
    forward, back = share_of(hits, sizes), share_of(hits[::-1], sizes[::-1])
    assert forward.correlation == approx(back.correlation, abs=1e-9)
    assert forward.lower(0.9) == approx(back.lower(0.9), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(data=grouped_hits())
def test_the_upper_bound_of_a_share_of_misses_is_one_minus_the_lower_bound_of_the_share_of_hits(
    data: tuple[list[int], list[int]],
) -> None:
    hits, sizes = data
    share, misses = share_of(hits, sizes), share_of([m - y for y, m in zip(hits, sizes, strict=True)], sizes)
    lower, upper = share.lower(0.9), misses.upper(0.9)
    assert lower is not None
    assert upper is not None
    assert lower == approx(1 - upper, abs=1e-3)


@settings(deadline=None, max_examples=40)
@given(data=grouped_hits())
def test_confidence_bounds_contain_the_observed_share_and_are_never_narrower_with_groups_than_without(
    data: tuple[list[int], list[int]],
) -> None:
    hits, sizes = data
    estimate = share_of(hits, sizes)
    assert 0 <= estimate.correlation <= 1
    assert estimate.effective <= estimate.n + 1e-9
    lower, upper = estimate.lower(0.9), estimate.upper(0.9)
    assert lower is not None
    assert upper is not None
    assert 0 <= lower <= estimate.value + 1e-12
    assert estimate.value - 1e-12 <= upper <= 1
    alone_low, alone_high = clopper_pearson(sum(hits), sum(sizes), level=0.8)
    if 0 < sum(hits) < sum(sizes):
        assert lower <= alone_low + 1e-9
        assert upper >= alone_high - 1e-9


@settings(deadline=None, max_examples=40)
@given(
    differences=st.lists(st.sampled_from([-1.0, -1 / 3, 0.0, 1 / 3, 1.0]), min_size=2, max_size=40),
    size=st.integers(1, 4),
)
def test_changing_the_sign_of_all_values_changes_the_sign_of_a_mean_s_bounds(
    differences: list[float], size: int
) -> None:
    groups = np.arange(len(differences)) // size
    forward, back = grouped_mean(differences, groups), grouped_mean(-np.array(differences), groups)
    if forward.support == "withheld":
        assert forward.lower(0.9) is None
        return
    lower, upper = forward.lower(0.9), back.upper(0.9)
    assert lower is not None
    assert upper is not None
    assert lower == approx(-upper, abs=1e-12)
    assert -1 <= lower <= forward.value + 1e-12


def test_a_confidence_bound_of_a_share_or_mean_moves_away_from_the_estimate_as_confidence_rises() -> None:
    share, mean = share_of([3, 5, 2, 4, 5], [5] * 5), grouped_mean([1.0, 0.0, -1.0, 0.0, 1.0, 1.0])
    points: list[Any] = [share.lower(0.99), share.lower(0.9), share.value, share.upper(0.9), share.upper(0.99)]
    assert points == sorted(points)
    points = [mean.lower(0.99), mean.lower(0.9), mean.value, mean.upper(0.9), mean.upper(0.99)]
    assert points == sorted(points)


def test_a_share_of_examples_has_no_bounds_in_four_groups_and_approximate_bounds_in_nine_groups() -> None:
    few, some, many = (grouped_share(([1.0, 0.0, 1.0]) * n, np.repeat(np.arange(n), 3)) for n in (4, 9, 10))
    assert (few.support, some.support, many.support) == ("withheld", "approximate", "plain")
    assert few.lower(0.9) is None
    assert few.estimate().low is None
    assert few.estimate().note is not None
    assert some.estimate().low is not None
    assert some.estimate().note is not None
    assert many.estimate().note is None


def test_no_confidence_bounds_are_given_for_a_mean_of_differences_in_only_two_groups() -> None:
    mean = grouped_mean([0.0, 1.0, 0.0, -1.0], [1, 1, 2, 2])
    assert mean.lower(0.9) is None
    assert mean.upper(0.9) is None
    assert mean.estimate().value == 0.0
    assert mean.estimate().low is None


def test_a_share_of_four_ungrouped_examples_still_has_a_one_sided_confidence_bound() -> None:
    assert grouped_share([1, 1, 1, 0]).support == "plain"
    assert grouped_share([1, 1, 1, 0]).lower(0.9) is not None


@pytest.mark.parametrize(("hits", "note"), [([1, 1, 1, 0], "few: 3 of 4"), ([0.5, 1 / 3], "few: 0.83 of 2")])
def test_a_share_of_fewer_than_five_examples_is_given_as_a_count_without_interval(hits: list[float], note: str) -> None:
    few = share(hits)
    assert few.value == approx(np.mean(hits))
    assert (few.low, few.high, few.note) == (None, None, note)
    assert share([*hits, *[1] * 3]).low is not None


def test_a_share_of_examples_in_fewer_than_five_groups_has_no_interval() -> None:
    together = share([1] * 30 + [0] * 10, np.repeat(np.arange(4), 10))
    assert (together.low, together.note) == (None, "withheld: only 4 groups")
    assert share([1, 0] * 10, np.zeros(20)).note == "withheld: only 1 group"


def test_the_reason_why_a_share_is_undefined_names_the_kind_of_examples_that_is_missing() -> None:
    assert share([], of="gold fails").undefined == "no gold fails"
    assert share([1] * 5, of="gold fails").method == "share of gold fails; Clopper-Pearson"


def test_a_share_of_no_examples_is_undefined_and_not_zero() -> None:
    share, mean = grouped_share([math.nan]), grouped_mean([])
    assert share.estimate().value is None
    assert mean.estimate().value is None
    assert share.lower(0.9) is share.upper(0.9) is mean.lower(0.9) is mean.upper(0.9) is None
    assert share.n == mean.n == 0
    assert share.design_effect == 1


def test_the_lower_bound_of_a_grouped_share_of_1_equals_that_of_a_share_with_one_miss() -> None:
    perfect, almost = share_of([10] * 10, [10] * 10), share_of([9] + [10] * 9, [10] * 10)
    assert perfect.upper(0.9) == 1.0
    assert perfect.lower(0.9) == approx(almost.lower(0.9), abs=1e-9)
    none = share_of([0] * 10, [10] * 10)
    assert none.lower(0.9) == 0.0
    assert none.upper(0.9) == approx(1 - (almost.lower(0.9) or 0.0), abs=1e-3)


def test_equal_differences_in_groups_are_still_assumed_to_be_correlated_within_groups() -> None:
    mean = grouped_mean([1.0] * 20, np.repeat(np.arange(10), 2))
    assert mean.correlation == 0.3
    lower = mean.lower(0.9)
    assert lower is not None
    assert lower < 1


def test_missing_values_and_their_groups_are_left_out_of_shares_and_means() -> None:
    groups = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f"]
    with_gap = grouped_share([1, 0, 1, 1, 0, 0, 1, 1, 1, 0, math.nan], groups)
    without = grouped_share([1, 0, 1, 1, 0, 0, 1, 1, 1, 0], groups[:-1])
    assert with_gap == without


@pytest.mark.parametrize(("values", "groups"), [([1.5], None), ([-0.5], None), ([[0.5]], None), ([0.5, 1], ["a"])])
def test_a_grouped_share_is_refused_for_invalid_values_or_a_list_of_groups_of_another_length(
    values: Any, groups: Any
) -> None:
    with pytest.raises(ValueError, match=r"values must be|groups must have"):
        grouped_share(values, groups)


def test_with_many_groups_the_estimated_correlation_within_groups_approaches_the_simulated_correlation() -> None:
    generator = np.random.default_rng(3)
    planted, size, n_groups = 0.3, 5, 4000
    rates = generator.beta(0.8 * (1 - planted) / planted, 0.2 * (1 - planted) / planted, n_groups)
    hits = generator.binomial(size, rates)
    assert beta_binomial_correlation(hits, np.full(n_groups, size), quantile=0.5) == approx(planted, abs=0.03)
