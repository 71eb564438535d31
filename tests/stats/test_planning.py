"""How many labels."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.stats.coefficients import agreement as agreement_of
from markscheme.stats.intervals import ATANH, LOGIT, Spread, t_limits, wilson
from markscheme.stats.planning import (
    binormal_table,
    labels_for_difference,
    labels_for_floor,
    labels_for_half_width,
    labels_for_promise,
    labels_for_share,
    labels_to_clear,
    labels_to_vary,
    mixture_table,
    spread_at,
    with_endless_labels,
)
from tests.reference.worked_cases import LABELS_FOR_DIFFERENCE, LABELS_TO_CLEAR
from tests.stats.shared_numbers import block

approx = pytest.approx

EVEN2, SKEW2, SKEWED2 = (0.5, 0.5), (0.3, 0.7), (0.1, 0.9)
EVEN3, TOP3 = (1 / 3, 1 / 3, 1 / 3), (0.07, 0.13, 0.8)
BELL5, SKEW5, TOP5 = (0.1, 0.2, 0.4, 0.2, 0.1), (0.03, 0.05, 0.12, 0.3, 0.5), (0.02, 0.02, 0.03, 0.03, 0.9)
KAPPA = ("cohen_kappa", "identity")
QUADRATIC = ("weighted_kappa", "quadratic")
ORDINAL = ("krippendorff_alpha", "ordinal")
AC1 = ("gwet_ac1", "identity")

HALF_WIDTH_TENTH: list[tuple[tuple[float, ...], tuple[str, str], str, list[int | None]]] = [
    (EVEN2, KAPPA, "binormal", [249, 175, 92]),
    (EVEN2, AC1, "binormal", [249, 175, 92]),
    (SKEW2, KAPPA, "binormal", [298, 210, 110]),
    (SKEW2, AC1, "binormal", [258, 169, 84]),
    (SKEWED2, KAPPA, "mixture", [708, 502, 258]),
    (SKEWED2, AC1, "binormal", [None, None, 64]),
    (EVEN3, KAPPA, "binormal", [172, 126, 69]),
    (EVEN3, QUADRATIC, "binormal", [184, 95, 38]),
    (EVEN3, QUADRATIC, "mixture", [281, 198, 104]),
    (EVEN3, ORDINAL, "binormal", [184, 95, 38]),
    (EVEN3, AC1, "binormal", [172, 126, 69]),
    (TOP3, KAPPA, "binormal", [315, 238, 132]),
    (TOP3, QUADRATIC, "binormal", [410, 224, 77]),
    (TOP3, QUADRATIC, "mixture", [564, 399, 206]),
    (TOP3, ORDINAL, "binormal", [395, 262, 127]),
    (TOP3, AC1, "binormal", [None, 115, 59]),
    (BELL5, KAPPA, "binormal", [151, 112, 62]),
    (BELL5, QUADRATIC, "binormal", [159, 79, 25]),
    (BELL5, QUADRATIC, "mixture", [346, 244, 127]),
    (BELL5, ORDINAL, "binormal", [170, 88, 32]),
    (BELL5, AC1, "binormal", [131, 99, 56]),
    (SKEW5, KAPPA, "binormal", [160, 123, 70]),
    (SKEW5, QUADRATIC, "binormal", [237, 120, 34]),
    (SKEW5, QUADRATIC, "mixture", [458, 324, 168]),
    (SKEW5, ORDINAL, "binormal", [206, 118, 52]),
    (SKEW5, AC1, "binormal", [131, 98, 55]),
    (TOP5, KAPPA, "binormal", [441, 366, 223]),
    (TOP5, QUADRATIC, "binormal", [877, 496, 135]),
    (TOP5, QUADRATIC, "mixture", [1182, 840, 429]),
    (TOP5, ORDINAL, "binormal", [720, 494, 236]),
    (TOP5, AC1, "binormal", [None, None, 50]),
]
CLEARS_SIXTY: list[tuple[tuple[float, ...], tuple[str, str], str, int]] = [
    (EVEN2, KAPPA, "mixture", 231),
    (SKEW2, KAPPA, "mixture", 278),
    (SKEWED2, KAPPA, "mixture", 667),
    (EVEN3, KAPPA, "mixture", 166),
    (BELL5, KAPPA, "binormal", 148),
    (SKEW5, KAPPA, "binormal", 162),
    (EVEN3, QUADRATIC, "binormal", 124),
    (BELL5, QUADRATIC, "binormal", 103),
    (SKEW5, QUADRATIC, "binormal", 158),
    (TOP5, QUADRATIC, "binormal", 660),
    (EVEN3, ORDINAL, "binormal", 124),
    (BELL5, ORDINAL, "binormal", 115),
    (SKEW5, ORDINAL, "binormal", 156),
    (TOP5, ORDINAL, "binormal", 657),
]
CLEARS_EIGHTY: list[tuple[tuple[float, ...], tuple[str, str], str, int]] = [
    (EVEN2, KAPPA, "mixture", 298),
    (SKEW2, KAPPA, "mixture", 357),
    (SKEWED2, KAPPA, "mixture", 845),
    (EVEN3, KAPPA, "binormal", 220),
    (BELL5, KAPPA, "binormal", 198),
    (SKEW5, KAPPA, "binormal", 224),
    (EVEN3, QUADRATIC, "binormal", 118),
    (BELL5, QUADRATIC, "binormal", 74),
    (SKEW5, QUADRATIC, "binormal", 104),
]


def spread(margins: tuple[float, ...], named: tuple[str, str], table: str, value: float) -> float:
    coefficient = with_endless_labels(named[0], len(margins), weights=named[1])  # type: ignore[arg-type]
    mixed = table == "mixture"
    shares = mixture_table(margins, value) if mixed else binormal_table(margins, value, coefficient)
    return spread_at(shares, coefficient)


@pytest.mark.parametrize(("margins", "named", "table", "wanted"), HALF_WIDTH_TENTH)
def test_labels_for_a_half_width_of_a_tenth(
    margins: tuple[float, ...], named: tuple[str, str], table: str, wanted: list[int | None]
) -> None:
    for value, n in zip((0.60, 0.75, 0.90), wanted, strict=True):
        if n is not None:
            found = labels_for_half_width(value, spread(margins, named, table, value), 0.10)
            assert found == approx(n, abs=max(1, 0.003 * n))


@pytest.mark.parametrize(("margins", "named", "table", "wanted"), CLEARS_SIXTY)
def test_labels_for_a_lower_limit_above_sixty(
    margins: tuple[float, ...], named: tuple[str, str], table: str, wanted: int
) -> None:
    assert labels_for_floor(0.75, spread(margins, named, table, 0.75), 0.60) == approx(wanted, rel=0.003)


@pytest.mark.parametrize(("margins", "named", "table", "wanted"), CLEARS_EIGHTY)
def test_labels_for_a_lower_limit_above_eighty(
    margins: tuple[float, ...], named: tuple[str, str], table: str, wanted: int
) -> None:
    assert labels_for_floor(0.90, spread(margins, named, table, 0.90), 0.80) == approx(wanted, rel=0.003)


def test_plans_agree_with_the_simulation_code() -> None:
    for case in block("recipes.yaml", "planner")["cases"]:
        margins, value = tuple(case["margin"]), case["truth"]
        named = KAPPA if case["stat"] == "kappa" else QUADRATIC
        binormal, mixture = (spread(margins, named, table, value) for table in ("binormal", "mixture"))
        # A 2x2 table is fixed by its margins and kappa, so both of its spreads are one number: 1.1267 and 0.7359 in
        # two cases where the correlation was solved for less closely.
        assert (binormal, mixture) == approx((case["sigma_binormal"], case["sigma_mixture"]), abs=1.6e-4)
        assert labels_for_half_width(value, binormal, 0.1) == case["n_halfwidth_01_binormal"]
        assert labels_for_half_width(value, mixture, 0.1) == case["n_halfwidth_01_mixture"]
        assert labels_for_floor(value, mixture, 0.6) == case["n_lower_above_06_power_80_mixture"]


def test_an_agreement_that_unrelated_ratings_exceed_can_not_be_planned_for() -> None:
    ac1 = with_endless_labels("gwet_ac1", 2)
    with pytest.raises(ValueError, match=r"no correlation gives an agreement of 0\.6"):
        binormal_table(SKEWED2, 0.6, ac1)


# ---------------------------------------------------------------------------------------------------------- tables

margins_of = st.lists(st.floats(0.02, 1), min_size=2, max_size=5).map(lambda m: np.array(m) / sum(m))


@given(margins_of, st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_on_a_mixture_kappa_and_alpha_are_the_agreement_it_was_made_for(margins: Any, agreement: float) -> None:
    table = mixture_table(margins, agreement)
    assert table.sum() == approx(1)
    for name, weights in (KAPPA, QUADRATIC, ("weighted_kappa", "linear"), ORDINAL, ("krippendorff_alpha", "quadratic")):
        coefficient = with_endless_labels(name, len(margins), weights=weights)  # type: ignore[arg-type]
        assert coefficient(table) == approx(agreement, abs=1e-9)


@given(margins_of, st.floats(0.05, 0.95))
@settings(max_examples=40, deadline=None)
def test_a_binormal_table_has_its_margins_and_its_agreement(margins: Any, agreement: float) -> None:
    coefficient = with_endless_labels("weighted_kappa", len(margins), weights="quadratic")
    table = binormal_table(margins, agreement, coefficient)
    assert table.sum(axis=0) == approx(margins, abs=1e-9)
    assert table.sum(axis=1) == approx(margins, abs=1e-9)
    assert coefficient(table) == approx(agreement, abs=1e-6)
    assert (table >= 0).all()


def test_binormal_cells_are_the_bivariate_normals() -> None:
    def trace(table: Any) -> float:
        return float(np.trace(table))

    for correlation in (0.2, 0.7, 0.95):
        centre = 0.25 + np.arcsin(correlation) / (2 * np.pi)
        assert binormal_table(EVEN2, 2 * centre, trace)[0, 0] == approx(centre, abs=1e-9)
    # Drezner and Wesolowsky's integral of exp(-(h² - 2hkr + k²)/2(1 - r²))/(2π√(1 - r²)) over r, from 0 to 0.6
    h, k = -0.8416212335729143, 0.2533471031357997
    r = 0.6 * (np.arange(20_000) + 0.5) / 20_000
    slope = np.exp(-(h * h - 2 * h * k * r + k * k) / (2 * (1 - r * r))) / (2 * np.pi * np.sqrt(1 - r * r))
    both_below = 0.2 * 0.6 + 0.6 * slope.mean()
    three = np.array([0.2, 0.4, 0.4])
    table = binormal_table(three, 0.6, lambda t: 0.0 if corner(t) < both_below else 1.0)
    assert corner(table) == approx(both_below, abs=1e-9)


def corner(table: Any) -> float:
    """Chance that gold is at the worst level and the judge at one of the two worst."""
    return float(table[0, :2].sum())


def test_a_level_that_nobody_is_expected_to_use_changes_no_plan() -> None:
    coefficient, wider = with_endless_labels("cohen_kappa", 2), with_endless_labels("cohen_kappa", 3)
    with_gap = binormal_table([0.0, 0.4, 0.6], 0.7, wider)
    without = binormal_table([0.4, 0.6], 0.7, coefficient)
    assert with_gap[1:, 1:] == approx(without, abs=1e-9)
    assert spread_at(with_gap, wider) == approx(spread_at(without, coefficient), rel=1e-6)


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
def test_endless_labels_are_the_limit_of_many(named: tuple[str, str], weights: Any) -> None:
    counts = 400 * np.array([[5, 3, 0], [2, 8, 4], [0, 3, 12]])
    rows, columns = np.nonzero(counts)
    ratings = np.repeat(np.column_stack([rows, columns]), counts[rows, columns], axis=0)
    many = agreement_of(ratings, named[0], levels=[0, 1, 2], weights=weights)
    table = counts / counts.sum()
    coefficient = with_endless_labels(named[0], 3, weights=weights)
    assert coefficient(table) == approx(many.value, abs=1e-4)
    assert many.low is not None
    reach = 1.96 * spread_at(table, coefficient) / np.sqrt(counts.sum())
    assert (many.value or 0) - many.low == approx(reach, rel=0.03)


# ---------------------------------------------------------------------------------------------------------- numbers


@given(st.floats(-0.9, 0.9), st.floats(0.2, 2), st.floats(0.02, 0.3))
@settings(max_examples=60, deadline=None)
def test_one_label_fewer_would_be_too_wide(value: float, spread: float, half_width: float) -> None:
    def width(n: int) -> float:
        low, high = t_limits(value, Spread(spread / np.sqrt(n), n - 1, n), ATANH)
        return high - low

    n = labels_for_half_width(value, spread, half_width)
    assert width(n) <= 2 * half_width
    assert n == 2 or width(n - 1) > 2 * half_width


@given(st.floats(0, 1), st.floats(0.01, 0.2))
@settings(max_examples=60, deadline=None)
def test_labels_for_a_share_are_the_fewest_that_the_score_interval_allows(share: float, half_width: float) -> None:
    n = labels_for_share(share, half_width)
    widths = [np.diff(wilson(share * m, m))[0] for m in (n, max(1, n - 1))]
    assert widths[0] <= 2 * half_width
    assert n == 1 or widths[1] > 2 * half_width


def test_a_share_may_be_planned_on_the_logit_scale_from_a_pilot() -> None:
    n, se = 100, 0.04
    assert labels_for_half_width(0.8, np.sqrt(n) * se, 0.08, transform=LOGIT) == approx(96, abs=6)


def test_a_floor_that_is_not_exceeded_or_never_in_reach_has_no_number() -> None:
    assert labels_for_floor(0.6, 0.8, 0.6) is None
    assert labels_for_floor(0.5, 0.8, 0.6) is None
    assert labels_for_floor(0.6001, 0.8, 0.6) is None
    assert (labels_for_floor(0.75, 0.66, 0.6, power=0.95) or 0) > (labels_for_floor(0.75, 0.66, 0.6) or 0)


def test_labels_for_a_promise_spread_the_least_over_the_share_automated() -> None:
    assert labels_for_promise(1.0) == 45
    assert labels_for_promise(0.5) == 90
    assert labels_for_promise(0.5, errors=1, confidence=0.95) == 186


def test_ten_off_the_commonest_level_are_asked_for() -> None:
    assert [labels_to_vary(share) for share in (0.0, 0.5, 0.8, 0.9, 0.95)] == [10, 20, 50, 100, 200]
    assert labels_to_vary(1.0) is None


WRONG: list[tuple[Any, str]] = [
    (lambda: mixture_table([0.5, 0.6], 0.5), "sum to 1"),
    (lambda: mixture_table([1.0], 0.5), "two or more shares"),
    (lambda: mixture_table(EVEN2, 1.5), "agreement 1.5"),
    (lambda: with_endless_labels("pearson", 2), "no plan for pearson"),
    (lambda: with_endless_labels("cohen_kappa", 2, weights="ordinal"), "ordinal weights"),
    (lambda: with_endless_labels("cohen_kappa", 1), "two levels"),
    (lambda: spread_at(np.diag([0.5, 0.6]), with_endless_labels("cohen_kappa", 2)), "sum to 1"),
    (lambda: spread_at(np.diag([0.0, 1.0]), with_endless_labels("cohen_kappa", 2)), "undefined"),
    (lambda: labels_for_half_width(1.0, 0.5, 0.1), "value 1.0"),
    (lambda: labels_for_half_width(0.5, 0.5, 0.0), "half-width 0.0"),
    (lambda: labels_for_floor(0.5, 0.5, 1.0), "floor 1.0"),
    (lambda: labels_for_share(1.2, 0.1), "1.2"),
    (lambda: labels_for_promise(0.0), "not at 0.0"),
    (lambda: labels_to_vary(1.2), "1.2"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_arguments_that_do_not_fit_are_refused_by_name(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(("share", "target", "design_effect", "labels"), LABELS_TO_CLEAR)
def test_labels_to_clear_a_target_are_the_worked_ones(
    share: float, target: float, design_effect: float, labels: int | None
) -> None:
    assert labels_to_clear(share, target, design_effect=design_effect) == labels


@pytest.mark.parametrize(("mean", "bound", "spread", "labels"), LABELS_FOR_DIFFERENCE)
def test_labels_for_a_difference_are_the_worked_ones(mean: float, bound: float, spread: float, labels: int) -> None:
    assert labels_for_difference(mean, bound, spread) == labels


def test_labels_of_the_reference_come_out() -> None:
    for case in block("verdict.yaml", "labels"):
        if "mean" in case:
            found = labels_for_difference(case["mean"], case["bound"], case["sd"])
        else:
            found = labels_to_clear(case["agreement"], case["target"], design_effect=case["deff"])
        assert found == case["labels"], case


@given(share=st.floats(0.5, 1.0), target=st.floats(0.5, 0.95))
@settings(deadline=None, max_examples=30)
def test_being_below_a_target_is_being_above_the_mirrored_one(share: float, target: float) -> None:
    assert labels_to_clear(share, target) == labels_to_clear(1 - share, 1 - target)


def test_no_labels_show_a_share_to_differ_from_itself() -> None:
    assert labels_to_clear(0.8, 0.8) is None
    assert labels_for_difference(0.0, 0.0, 0.4) is None


@pytest.mark.parametrize(("share", "target", "effect"), [(1.1, 0.8, 1), (0.9, -0.1, 1), (0.9, 0.8, 0.5)])
def test_labels_to_clear_refuses_what_is_no_share(share: float, target: float, effect: float) -> None:
    with pytest.raises(ValueError, match="no plan"):
        labels_to_clear(share, target, design_effect=effect)
