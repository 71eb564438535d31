"""Shares of listed modes, the bound on modes not yet noted, and how much to read: the worked cases, and laws."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme.features.discover.unseen import (
    chance_any_missed,
    chance_missed,
    chao2,
    good_turing,
    listed_limits,
    listed_lower,
    listed_share,
    masi,
    masi_credit,
    new_mode_bound,
    rarefaction,
    read_enough,
    read_enough_for_all,
)
from markscheme.stats import agreement
from markscheme.stats.shares import GroupedShare, grouped_share
from tests.features.discover import unseen_cases as published
from tests.stats.shared_numbers import block

TOLERANCE = 1e-6


@pytest.mark.parametrize(("hits", "n", "low", "high"), published.LISTED_SHARES)
def test_confidence_limits_of_a_failure_mode_s_share_equal_those_of_an_independent_program(
    hits: int, n: int, low: float, high: float
) -> None:
    grouped = GroupedShare(hits / n, n, n, 1.0, 0.0, float(n))
    assert listed_limits(grouped) == pytest.approx((low, high), abs=TOLERANCE)


@pytest.mark.parametrize("hits", [1.0001, 1.01, 1.05, 1.1, 1.11, 1.115, 1.12, 1.2, 1.5, 1.99])
@pytest.mark.parametrize("n", [2.0, 7.3, 50.0, 1000.0])
def test_the_lower_limit_of_a_failure_mode_s_share_never_falls_as_more_outputs_show_the_mode(
    hits: float, n: float
) -> None:
    low = listed_lower(hits, n)
    assert 0 <= low <= listed_lower(min(hits + 0.01, n), n) < hits / n
    if hits < 1.1:
        assert low == 0


def test_the_share_of_a_failure_mode_in_grouped_outputs_has_limits_between_0_and_1_in_every_simulation() -> None:
    generator = np.random.default_rng(20261127)
    limits = []
    for tasks in (8, 12, 25) * 40:
        groups = np.repeat(np.arange(tasks), 4)
        shows = generator.random(tasks * 4) < np.repeat(generator.beta(0.1, 3.0, tasks), 4)
        if shows.sum() >= 2:
            limits.append(listed_limits(grouped_share(shows.astype(float), groups)))
    assert len(limits) > 50
    assert all(limit is not None and 0 <= limit[0] <= limit[1] <= 1 for limit in limits)


@pytest.mark.parametrize(("value", "n", "effective", "low", "high"), published.LISTED_SHARES_IN_GROUPS)
def test_confidence_limits_for_grouped_outputs_use_the_effective_number_of_outputs(
    value: float, n: int, effective: float, low: float, high: float
) -> None:
    grouped = GroupedShare(value, n, 40, 2.5, 0.2, effective)
    assert listed_limits(grouped) == pytest.approx((low, high), abs=TOLERANCE)


@pytest.mark.parametrize(("read", "new_at", "bound"), published.NEW_MODE_BOUNDS)
def test_the_bound_on_new_failure_modes_equals_that_of_an_independent_program(
    read: int, new_at: tuple[int, ...], bound: float
) -> None:
    marks = [place in new_at for place in range(1, read + 1)]
    assert new_mode_bound(marks) == pytest.approx(bound, abs=TOLERANCE)


def test_the_bound_on_new_failure_modes_in_new_tasks_is_computed_from_the_first_output_of_each_task() -> None:
    assert new_mode_bound([1, 0, 1, 0]) == pytest.approx(0.958377, abs=TOLERANCE)


@pytest.mark.parametrize(("share", "sure", "pool", "read", "miss"), published.READ_ENOUGH)
def test_the_number_of_outputs_to_read_to_see_one_failure_mode_equals_its_reference_value(
    share: float, sure: float, pool: int | None, read: int, miss: float
) -> None:
    assert read_enough(share, sure, pool=pool) == read
    assert chance_missed(read, share, pool=pool) == pytest.approx(miss, abs=TOLERANCE)


@pytest.mark.parametrize(("share", "sure", "read", "miss"), published.READ_ENOUGH_FOR_ALL)
def test_the_number_of_outputs_to_read_to_see_all_failure_modes_equals_its_reference_value(
    share: float, sure: float, read: int, miss: float
) -> None:
    assert read_enough_for_all(share, sure) == read
    assert chance_any_missed(read, share) == pytest.approx(miss, abs=TOLERANCE)


@pytest.mark.parametrize("case", published.COUNTS, ids=lambda case: case.name)
def test_the_estimates_good_turing_and_chao2_equal_published_values(case: published.Counts) -> None:
    shows = case.table()
    assert good_turing(shows) == pytest.approx(case.good_turing, abs=TOLERANCE)
    assert chao2(shows) == pytest.approx(case.chao2, abs=TOLERANCE)


@pytest.mark.parametrize("case", published.COUNTS, ids=lambda case: case.name)
def test_the_mean_number_of_failure_modes_among_n_outputs_equals_that_computed_with_exact_fractions(
    case: published.Counts,
) -> None:
    exact = rarefied_by_fractions(case)
    assert rarefaction(case.table()).tolist() == pytest.approx([float(modes) for modes in exact], abs=1e-12)
    assert {size: round(float(exact[size - 1]), 4) for size in case.rarefied} == case.rarefied


def rarefied_by_fractions(case: published.Counts) -> list[Fraction]:
    """Modes in 1, 2, … n of the outputs on average: all modes less those that are only in the outputs left out."""
    outputs_of_mode = [int(total) for total in case.table().sum(axis=0)]
    return [
        sum(
            (1 - Fraction(math.comb(case.n - outputs, size), math.comb(case.n, size)) for outputs in outputs_of_mode),
            start=Fraction(0),
        )
        for size in range(1, case.n + 1)
    ]


@pytest.mark.parametrize(("first", "second", "similarity"), published.MASI)
def test_masi_similarity_of_two_sets_is_symmetric_and_as_published(first: str, second: str, similarity: float) -> None:
    assert masi(first, second) == pytest.approx(similarity, abs=TOLERANCE)
    assert masi(second, first) == masi(first, second)


@pytest.mark.parametrize("case", published.AGREEMENT, ids=lambda case: case.name)
def test_agreement_of_readers_on_sets_of_failure_modes_is_krippendorff_s_alpha_with_masi_distance(
    case: published.SetAgreement,
) -> None:
    sets = sorted({frozenset(names) for pair in case.pairs for names in pair}, key=sorted)
    numbers = [[sets.index(frozenset(names)) for names in pair] for pair in case.pairs]
    if case.alpha is None:
        assert len(sets) == 1
        return
    alpha = agreement(numbers, "krippendorff_alpha", levels=list(range(len(sets))), weights=masi_credit(sets))
    assert alpha.value == pytest.approx(case.alpha, abs=TOLERANCE)
    for mode, kappa in case.kappa.items():
        notes = [[float(mode in names) for names in pair] for pair in case.pairs]
        measured = agreement(notes, "cohen_kappa", levels=[0, 1]).value
        assert measured == (None if kappa is None else pytest.approx(kappa, abs=TOLERANCE))


def test_the_figures_on_failure_modes_that_these_tests_expect_equal_those_in_the_file_of_reference_values() -> None:
    plain, grouped = (case["rows"] for case in block("discover.yaml", "prevalence"))
    assert [(row["x"], row["n"], row["low"], row["high"]) for row in plain] == published.LISTED_SHARES
    limits = [(row["value"], row["n"], row["n_eff"], row["low"], row["high"]) for row in grouped]
    assert limits == published.LISTED_SHARES_IN_GROUPS
    bounds = block("discover.yaml", "new_mode_bound")["rows"]
    assert [(row["read"], tuple(row["new_at"]), row["bound"]) for row in bounds] == published.NEW_MODE_BOUNDS
    more = block("discover.yaml", "read_more")
    of_one = [
        (row["share"], row["sure"], row.get("pool"), row["read"], row["miss"]) for row in more["stream"] + more["pool"]
    ]
    assert of_one == published.READ_ENOUGH
    of_all = [(row["share"], row["sure"], row["read"], row["miss"]) for row in more["all_modes"]]
    assert of_all == published.READ_ENOUGH_FOR_ALL


def test_the_expected_figures_on_failure_modes_in_the_tests_equal_those_in_the_file_of_reference_values() -> None:
    for case, typed in zip(block("discover.yaml", "counts_of_modes"), published.COUNTS, strict=True):
        assert {modes.replace("-", ""): times for modes, times in case["outputs"].items()} == typed.outputs
        assert (case["good_turing"], case["chao2"], case["rarefied"]) == (
            typed.good_turing,
            typed.chao2,
            typed.rarefied,
        )
    for case, agreed in zip(block("discover.yaml", "agreement"), published.AGREEMENT, strict=True):
        pairs = [tuple(pair.replace("-", "").split("/")) for pair in case["pairs"]]
        assert (pairs, case["alpha_masi"], case["kappa"]) == (agreed.pairs, agreed.alpha, agreed.kappa)
    similar = [(row["a"], row["b"], row["similarity"]) for row in block("discover.yaml", "masi")]
    assert similar == [(first, second, round(likeness, 6)) for first, second, likeness in published.MASI]


def test_a_failure_mode_s_share_is_shown_as_a_count_if_few_outputs_were_read() -> None:
    assert listed_share([1, 0] * 10).as_share() == "10 of 20"
    few_groups = listed_share([1, 0, 0, 0] * 10, ["a", "b", "c", "d"] * 10)
    assert few_groups.low is None
    assert few_groups.is_count
    assert listed_share([]).undefined == "no outputs"


@given(st.integers(1, 200), st.integers(0, 200))
def test_the_lower_limit_of_a_failure_mode_s_share_is_never_above_the_share_itself(n: int, hits: int) -> None:
    if not 2 <= hits < n:
        return
    low = listed_lower(hits, n)
    assert 0 <= low <= hits / n
    assert low <= listed_lower(hits + 1, n) + 1e-12


@given(st.lists(st.booleans(), max_size=120))
def test_a_new_failure_mode_in_a_further_output_never_lowers_the_bound_on_unseen_modes(marks: list[bool]) -> None:
    bound = new_mode_bound(marks)
    assert 0 < bound <= 1
    assert new_mode_bound([*marks, True]) >= bound - 1e-9


def test_further_outputs_without_a_new_failure_mode_lower_the_bound_on_unseen_modes() -> None:
    bounds = [new_mode_bound([1, 1, 0, 1] + [0] * more) for more in range(0, 200, 10)]
    assert bounds == sorted(bounds, reverse=True)


@pytest.mark.parametrize(("share", "sure", "read"), [(0.01, 0.5, 497), (0.002, 0.9, 4229), (0.0005, 0.9, 19_699)])
def test_the_chance_of_missing_at_least_one_of_many_rare_failure_modes_is_nearly_that_of_a_poisson_count(
    share: float, sure: float, read: int
) -> None:
    """How many of rare modes are missed is nearly Poisson, with the mean that each adds its own chance to."""
    assert read_enough_for_all(share, sure) == read
    expected = 1 / share * (1 - share) ** read
    assert chance_any_missed(read, share) == pytest.approx(-math.expm1(-expected), rel=0.02)
    assert chance_any_missed(0, share) == chance_any_missed(1, share) == 1.0


def test_the_good_turing_estimate_without_outputs_has_no_value() -> None:
    assert math.isnan(good_turing(np.zeros((0, 3))))


def test_statistics_of_failure_modes_refuse_tables_of_other_values_than_0_and_1() -> None:
    with pytest.raises(ValueError, match="zeros and ones"):
        rarefaction([[2.0]])
    with pytest.raises(ValueError, match="no share"):
        listed_lower(3, 2)
