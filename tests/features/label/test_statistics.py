"""How many labels an interval width, a promise or a coefficient needs."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.features.label.statistics import (
    Coefficient,
    corrected_of_shares,
    labels_for_half_width,
    labels_for_promise,
    labels_next,
    labels_to_vary,
    least_labels,
    mixture_table,
    spread_at,
)
from markscheme.stats.coefficients import agreement as agreement_of
from markscheme.stats.intervals import ATANH, LOGIT, Spread, t_limits
from tests.stats.shared_numbers import block

approx = pytest.approx
COUNTS = st.integers(0, 60)

EVEN2, SKEW2, SKEWED2 = (0.5, 0.5), (0.3, 0.7), (0.1, 0.9)
EVEN3, TOP3 = (1 / 3, 1 / 3, 1 / 3), (0.07, 0.13, 0.8)
BELL5, SKEW5, TOP5 = (0.1, 0.2, 0.4, 0.2, 0.1), (0.03, 0.05, 0.12, 0.3, 0.5), (0.02, 0.02, 0.03, 0.03, 0.9)
KAPPA = ("cohen_kappa", "identity")
QUADRATIC = ("weighted_kappa", "quadratic")
ORDINAL = ("krippendorff_alpha", "ordinal")
AC1 = ("gwet_ac1", "identity")

HALF_WIDTH_TENTH: list[tuple[tuple[float, ...], tuple[str, str], list[int]]] = [
    (EVEN2, KAPPA, [249, 175, 92]),
    (SKEW2, KAPPA, [298, 210, 110]),
    (SKEWED2, KAPPA, [708, 502, 258]),
    (EVEN3, QUADRATIC, [281, 198, 104]),
    (TOP3, QUADRATIC, [564, 399, 206]),
    (BELL5, QUADRATIC, [346, 244, 127]),
    (SKEW5, QUADRATIC, [458, 324, 168]),
    (TOP5, QUADRATIC, [1182, 840, 429]),
]


def of_shares(name: str, weights: Any = "identity") -> Coefficient:
    """Return a coefficient as a function of the joint shares of levels."""
    return lambda shares: corrected_of_shares(shares, name, weights=weights)


def spread(margins: tuple[float, ...], named: tuple[str, str], value: float) -> float:
    return spread_at(mixture_table(margins, value), of_shares(*named))


@pytest.mark.parametrize(("margins", "named", "wanted"), HALF_WIDTH_TENTH)
def test_labels_needed_for_an_interval_of_plus_or_minus_ten_points_equal_their_reference_values(
    margins: tuple[float, ...], named: tuple[str, str], wanted: list[int]
) -> None:
    for value, n in zip((0.60, 0.75, 0.90), wanted, strict=True):
        labels = labels_for_half_width(value, spread(margins, named, value), 0.10)
        assert labels == approx(n, abs=max(1, 0.003 * n))


def test_the_number_of_labels_to_plan_equals_that_of_an_independent_program() -> None:
    for case in block("recipes.yaml", "planner")["cases"]:
        value, named = case["truth"], KAPPA if case["stat"] == "kappa" else QUADRATIC
        mixture = spread(tuple(case["margin"]), named, value)
        assert mixture == approx(case["sigma_mixture"], abs=1.6e-4)
        assert labels_for_half_width(value, mixture, 0.1) == case["n_halfwidth_01_mixture"]


# ---------------------------------------------------------------------------------------------------------- tables

margins_of = st.lists(st.floats(0.02, 1), min_size=2, max_size=5).map(lambda m: np.array(m) / sum(m))


@given(margins_of, st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_a_table_built_for_a_given_chance_corrected_agreement_has_that_value_as_kappa_and_as_alpha(
    margins: Any, agreement: float
) -> None:
    table = mixture_table(margins, agreement)
    assert table.sum() == approx(1)
    for name, weights in (KAPPA, QUADRATIC, ("weighted_kappa", "linear"), ORDINAL, ("krippendorff_alpha", "quadratic")):
        assert of_shares(name, weights)(table) == approx(agreement, abs=1e-9)


def test_a_level_that_no_rater_is_expected_to_give_does_not_change_the_labels_needed() -> None:
    kappa = of_shares("cohen_kappa")
    with_gap, without = mixture_table([0.0, 0.4, 0.6], 0.7), mixture_table([0.4, 0.6], 0.7)
    assert with_gap[1:, 1:] == approx(without, abs=1e-9)
    assert spread_at(with_gap, kappa) == approx(spread_at(without, kappa), rel=1e-6)


@pytest.mark.parametrize(
    ("named", "weights"),
    [
        (KAPPA, "identity"),
        (QUADRATIC, "quadratic"),
        (ORDINAL, "ordinal"),
        (AC1, "identity"),
        (("gwet_ac2",) * 2, "linear"),
    ],
)
def test_an_agreement_coefficient_computed_from_shares_of_ratings_equals_that_of_the_ratings_themselves(
    named: tuple[str, str], weights: Any
) -> None:
    counts = 400 * np.array([[5, 3, 0], [2, 8, 4], [0, 3, 12]])
    rows, columns = np.nonzero(counts)
    ratings = np.repeat(np.column_stack([rows, columns]), counts[rows, columns], axis=0)
    many = agreement_of(ratings, named[0], levels=[0, 1, 2], weights=weights)
    table = counts / counts.sum()
    coefficient = of_shares(named[0], weights)
    assert coefficient(table) == approx(many.value, abs=1e-4)
    assert many.low is not None
    reach = 1.96 * spread_at(table, coefficient) / np.sqrt(counts.sum())
    assert (many.value or 0) - many.low == approx(reach, rel=0.03)


# ---------------------------------------------------------------------------------------------------------- numbers


@given(st.floats(-0.9, 0.9), st.floats(0.2, 2), st.floats(0.02, 0.3))
@settings(max_examples=60, deadline=None)
def test_one_label_fewer_than_planned_for_an_interval_s_width_makes_the_interval_too_wide(
    value: float, spread: float, half_width: float
) -> None:
    def width(n: int) -> float:
        low, high = t_limits(value, Spread(spread / np.sqrt(n), n - 1, n), ATANH)
        return high - low

    n = labels_for_half_width(value, spread, half_width)
    assert width(n) <= 2 * half_width
    assert n == 2 or width(n - 1) > 2 * half_width


def test_the_labels_needed_for_an_interval_on_the_logit_scale_follow_from_a_pilot_s_standard_error() -> None:
    n, se = 100, 0.04
    assert labels_for_half_width(0.8, np.sqrt(n) * se, 0.08, transform=LOGIT) == approx(96, abs=6)


def test_labels_needed_for_a_promised_error_rate_double_if_only_half_is_decided_automatically() -> None:
    assert labels_for_promise(1.0) == 45
    assert labels_for_promise(0.5) == 90
    assert labels_for_promise(0.5, errors=1, confidence=0.95) == 186


def test_a_labelling_plan_asks_for_enough_labels_to_expect_ten_examples_outside_the_most_common_level() -> None:
    assert [labels_to_vary(share) for share in (0.0, 0.5, 0.8, 0.9, 0.95)] == [10, 20, 50, 100, 200]
    assert labels_to_vary(1.0) is None


@given(st.lists(st.tuples(COUNTS, COUNTS, st.integers(1, 500)), min_size=1, max_size=5), st.integers(0, 200))
@settings(max_examples=80, deadline=None)
def test_labels_planned_for_each_stratum_add_up_to_the_total_and_are_never_negative(
    strata: list[tuple[int, int, int]], count: int
) -> None:
    table = np.array(strata)
    taken = labels_next(table[:, :2], table[:, 2], count)
    assert taken.sum() == count
    assert (taken >= 0).all()


def test_labels_are_planned_for_the_stratum_whose_pass_rate_is_most_uncertain() -> None:
    even = labels_next([[0, 0], [0, 0]], [300, 700], 100)
    assert even.tolist() == [30, 70]
    wavering = labels_next([[10, 10], [0, 20]], [500, 500], 100)
    shares = np.sqrt([0.25, 20.5 * 0.5 / 21**2])
    assert wavering.tolist() == approx(140 * shares / shares.sum() - 20, abs=1)


WRONG: list[tuple[Any, str]] = [
    (lambda: mixture_table([0.5, 0.6], 0.5), "sum to 1"),
    (lambda: mixture_table([1.0], 0.5), "two or more shares"),
    (lambda: mixture_table(EVEN2, 1.5), "agreement 1.5"),
    (lambda: corrected_of_shares(np.eye(2) / 2, "pearson"), "not 'pearson'"),
    (lambda: corrected_of_shares(np.eye(2) / 2, "cohen_kappa", weights="ordinal"), "the ordinal metric"),
    (lambda: spread_at([[1.0]], of_shares("cohen_kappa")), "undefined"),
    (lambda: spread_at(np.diag([0.5, 0.6]), of_shares("cohen_kappa")), "sum to 1"),
    (lambda: spread_at(np.diag([0.0, 1.0]), of_shares("cohen_kappa")), "undefined"),
    (lambda: labels_for_half_width(1.0, 0.5, 0.1), "value 1.0"),
    (lambda: labels_for_half_width(0.5, 0.5, 0.0), "half-width 0.0"),
    (lambda: labels_for_promise(0.0), "not at 0.0"),
    (lambda: labels_to_vary(1.2), "1.2"),
    (lambda: labels_next([[1, 2]], [10], -1), "-1 of 10"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_invalid_arguments_of_functions_that_plan_labels_raise_an_error_that_says_what_is_wrong(
    call: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("alpha", "confidence", "needed"),
    [
        (0.05, 0.90, [45, 77, 105, 132]),
        (0.05, 0.95, [59, 93, 124, 153]),
        (0.10, 0.90, [22, 38, 52, 65]),
        (0.02, 0.90, [114, 194, 265, 333]),
    ],
)
def test_the_fewest_labels_that_bound_an_error_rate_despite_some_errors_equal_their_reference_values(
    alpha: float, confidence: float, needed: list[int]
) -> None:
    assert [least_labels(x, alpha=alpha, confidence=confidence) for x in range(4)] == needed


def test_the_fewest_labels_that_bound_an_error_rate_equal_those_computed_with_scipy() -> None:
    for case in block("reference.yaml", "least_n_for_bound")["cases"]:
        assert least_labels(case["errors"], alpha=case["alpha"], confidence=case["conf"]) == case["n"]


@pytest.mark.parametrize(
    ("errors", "alpha", "message"), [(-1, 0.05, "errors -1"), (0, 1.5, "alpha 1.5")], ids=["errors", "alpha"]
)
def test_planning_labels_for_an_error_rate_refuses_a_negative_number_of_errors_and_a_rate_above_1(
    errors: int, alpha: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        least_labels(errors, alpha=alpha)
