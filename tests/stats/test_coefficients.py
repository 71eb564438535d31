"""Agreement: numbers of other libraries, the interval recipe, and every edge where a coefficient has no value."""

import math
import tracemalloc
import warnings
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from markscheme import stats
from markscheme.stats.agreement_figures import pair_agreement
from markscheme.stats.coefficients import (
    CHANCE_CORRECTED,
    COEFFICIENTS,
    agreement,
    agreement_family,
    agreement_values,
    two_raters,
)
from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import ATANH, Spread, jackknife, spread
from markscheme.stats.shares import share
from tests.reference.published import from_contingency, from_counts
from tests.stats.shared_numbers import block

Table = npt.NDArray[np.float64]
nan = math.nan

exact_agreement, percent_agreement, within_one = (
    partial(agreement, name=name) for name in ("exact_agreement", "percent_agreement", "within_one")
)
cohen_kappa, weighted_kappa, fleiss_kappa = (
    partial(agreement, name=name) for name in ("cohen_kappa", "weighted_kappa", "fleiss_kappa")
)
gwet_ac1, gwet_ac2, krippendorff_alpha = (
    partial(agreement, name=name) for name in ("gwet_ac1", "gwet_ac2", "krippendorff_alpha")
)

FIVE_LEVELS = [[5, 3, 0, 0, 0], [2, 8, 4, 1, 0], [0, 3, 12, 6, 1], [0, 0, 4, 14, 7], [0, 0, 1, 4, 25]]
PARADOX = [[118, 5], [2, 0]]
PERFECT = [[4, 0, 0], [0, 6, 0], [0, 0, 10]]

REFERENCE_NAMES = {
    "cohen_kappa_unweighted": ("cohen_kappa", "identity"),
    "cohen_kappa_linear": ("weighted_kappa", "linear"),
    "cohen_kappa_quadratic": ("weighted_kappa", "quadratic"),
    "krippendorff_alpha_nominal": ("krippendorff_alpha", "nominal"),
    "krippendorff_alpha_ordinal": ("krippendorff_alpha", "ordinal"),
    "krippendorff_alpha_interval": ("krippendorff_alpha", "interval"),
    "gwet_ac1": ("gwet_ac1", "identity"),
    "gwet_ac2_linear": ("gwet_ac2", "linear"),
    "gwet_ac2_quadratic": ("gwet_ac2", "quadratic"),
    "brennan_prediger_identity": ("brennan_prediger", "identity"),
    "brennan_prediger_quadratic": ("brennan_prediger", "quadratic"),
    "fleiss_scott_pi_identity": ("scott_pi", "identity"),
    "fleiss_scott_pi_quadratic": ("fleiss_kappa", "quadratic"),
}
"""Coefficients of `two_rater_tables` that live here, as its keys call them; the rest are errors and correlations."""

RECIPE_NAMES = {
    "kappa": ("cohen_kappa", "identity"),
    "kappa_quad": ("weighted_kappa", "quadratic"),
    "alpha_nom": ("krippendorff_alpha", "nominal"),
    "alpha_ord": ("krippendorff_alpha", "ordinal"),
    "alpha_int": ("krippendorff_alpha", "interval"),
    "ac1": ("gwet_ac1", "identity"),
    "ac2_quad": ("gwet_ac2", "quadratic"),
}
"""Chance-corrected statistics of `interval_95`; `exact` and `within1` are shares."""


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def cells(counts: list[list[int]]) -> list[tuple[list[list[int]], int]]:
    """Return, for each cell of a table of counts that isn't 0, the table without one of its units, and its count."""
    cases = []
    for i, row in enumerate(counts):
        for j, count in enumerate(row):
            if count:
                fewer = [list(r) for r in counts]
                fewer[i][j] -= 1
                cases.append((fewer, count))
    return cases


def valued(estimate: Estimate) -> float:
    """Return the value of an estimate; nan if it has none."""
    return nan if estimate.value is None else estimate.value


def left_out_values(name: str, weights: Any, counts: list[list[int]]) -> tuple[list[float], list[int]]:
    """Return the coefficient without each unit, recomputed from scratch each time."""
    levels = range(len(counts))
    values = [
        valued(agreement(from_contingency(fewer), name, levels=levels, weights=weights)) for fewer, _ in cells(counts)
    ]
    return values, [count for _, count in cells(counts)]


def gwet_ordinal(k: int) -> Table:
    """Gwet's ordinal weights: how many pairs of levels lie from one level to the other."""
    steps = np.abs(np.arange(k)[:, None] - np.arange(k))
    return np.asarray(1 - steps * (steps + 1) / (k * (k - 1)))


# --------------------------------------------------------------------------------------- numbers of other libraries


@pytest.mark.parametrize("name", ["even_2x2", "skewed_2x2", "paradox_2x2", "lenient_3x3", "five_levels", "gap_in_scale",
                                  "perfect_3x3", "opposite_2x2"])  # fmt: skip
def test_coefficients_of_tables_of_two_raters_equal_those_that_other_libraries_computed(name: str) -> None:
    expected = block("reference.yaml", "two_rater_tables")[name]
    ratings, levels = from_contingency(expected["table"]), range(len(expected["table"]))
    for key, (coefficient, weights) in REFERENCE_NAMES.items():
        estimate = agreement(ratings, coefficient, levels=levels, weights=weights)
        assert estimate.value == pytest.approx(expected[key], abs=6e-11), key
    ordinal = agreement(ratings, "gwet_ac2", levels=levels, weights=gwet_ordinal(len(expected["table"])))
    assert ordinal.value == pytest.approx(expected["gwet_ac2_ordinal"], abs=6e-11)
    assert exact_agreement(ratings, levels=levels).value == pytest.approx(expected["exact"])
    assert within_one(ratings, levels=levels).value == pytest.approx(expected["within_one"])


def test_every_table_of_two_raters_in_the_file_of_reference_values_is_tested_in_this_file() -> None:
    tables = set(block("reference.yaml", "two_rater_tables")) - {"_about"}
    assert tables == {"even_2x2", "skewed_2x2", "paradox_2x2", "lenient_3x3", "five_levels", "gap_in_scale",
                      "perfect_3x3", "opposite_2x2"}  # fmt: skip


def test_krippendorff_s_published_example_with_missing_ratings_is_reproduced_under_every_metric() -> None:
    expected = block("reference.yaml", "krippendorff_2011")
    ratings = np.array(expected["ratings"], dtype=float).T
    levels = range(1, 6)
    for metric in ("nominal", "ordinal", "interval", "ratio"):
        alpha = krippendorff_alpha(ratings, levels=levels, weights=metric)
        assert alpha.value == pytest.approx(expected[f"alpha_{metric}"], abs=6e-11)
    assert gwet_ac1(ratings, levels=levels).value == pytest.approx(expected["gwet_ac1"], abs=6e-11)
    assert fleiss_kappa(ratings, levels=levels).value == pytest.approx(expected["fleiss_kappa_irrcac"], abs=6e-11)
    assert gwet_ac2(ratings, levels=levels).value == pytest.approx(expected["gwet_ac2_quadratic"], abs=6e-11)
    percent = percent_agreement(ratings, levels=levels)
    assert percent.value == pytest.approx(expected["percent_agreement_irrcac"], abs=6e-11)


def test_fleiss_kappa_and_randolph_s_kappa_from_counts_equal_those_in_the_file_of_reference_values() -> None:
    expected = block("reference.yaml", "fleiss_counts")
    ratings = from_counts(expected["counts"])
    assert fleiss_kappa(ratings, levels=range(5)).value == pytest.approx(expected["fleiss_kappa"], abs=6e-11)
    free = agreement(ratings, "brennan_prediger", levels=range(5))
    assert free.value == pytest.approx(expected["randolph"], abs=6e-11)


# ------------------------------------------------------------------------------------------------- the interval recipe


@pytest.mark.parametrize("name", ["skewed_2x2", "lenient_3x3", "five_levels"])
def test_jackknife_standard_errors_of_coefficients_equal_those_computed_with_other_libraries(name: str) -> None:
    expected = block("reference.yaml", "jackknife_t_intervals")[name]
    table = block("reference.yaml", "two_rater_tables")[name]["table"]
    keys = {
        "kappa": ("cohen_kappa", "identity"),
        "kappa_quadratic": ("weighted_kappa", "quadratic"),
        "alpha_nominal": ("krippendorff_alpha", "nominal"),
        "alpha_ordinal": ("krippendorff_alpha", "ordinal"),
        "alpha_interval": ("krippendorff_alpha", "interval"),
        "ac1": ("gwet_ac1", "identity"),
        "ac2_quadratic": ("gwet_ac2", "quadratic"),
    }
    for key, (coefficient, weights) in keys.items():
        values, counts = left_out_values(coefficient, weights, table)
        assert spread(values, counts).se == pytest.approx(expected[key]["se"], abs=6e-11), key


def recipe_cases() -> list[Any]:
    names = ["even_2x2", "skewed_2x2", "paradox_2x2", "lenient_3x3", "five_levels", "gap_in_scale", "perfect_3x3",
             "one_label_only"]  # fmt: skip
    return [
        pytest.param(name, key, id=f"{name} {key}") for name in names for key in [*RECIPE_NAMES, "exact", "within1"]
    ]


@pytest.mark.parametrize(("name", "key"), recipe_cases())
def test_intervals_of_coefficients_equal_those_in_the_file_of_reference_values(name: str, key: str) -> None:
    case = block("recipes.yaml", "interval_95")[name]
    table, expected = case["table"], case["estimates"][key]
    ratings, levels = from_contingency(table), range(len(table))
    if key in RECIPE_NAMES:
        coefficient, weights = RECIPE_NAMES[key]
        estimate = agreement(ratings, coefficient, levels=levels, weights=weights)
    else:
        estimate = {"exact": exact_agreement, "within1": within_one}[key](ratings, levels=levels)
    if expected == "undefined":
        assert estimate.undefined == "one level only"
        return
    assert estimate.value == pytest.approx(expected["value"], abs=6e-7)
    if key not in RECIPE_NAMES:
        return  # the recipe left examples out of a share; shares have exact limits now
    if expected["how"] == "jackknife":
        values, counts = left_out_values(*RECIPE_NAMES[key], table)
        around: Spread = spread(values, counts)
        assert (around.se, around.df) == pytest.approx((expected["se"], expected["df"]), abs=6e-5)
        estimate = jackknife(expected_value(estimate), values, counts=counts, transform=ATANH)
    assert limits(estimate) == pytest.approx((expected["low"], expected["high"]), abs=6e-7)


def expected_value(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


@pytest.mark.parametrize("key", RECIPE_NAMES)
@pytest.mark.parametrize("name", ["even_2x2", "lenient_3x3", "five_levels"])
def test_jackknife_intervals_of_coefficients_equal_those_from_leaving_out_each_unit_in_turn(
    name: str, key: str
) -> None:
    table = block("recipes.yaml", "interval_95")[name]["table"]
    coefficient, weights = RECIPE_NAMES[key]
    ratings, levels = from_contingency(table), range(len(table))
    estimate = agreement(ratings, coefficient, levels=levels, weights=weights)
    values, counts = left_out_values(coefficient, weights, table)
    afresh = jackknife(expected_value(estimate), values, counts=counts, transform=ATANH)
    assert limits(estimate) == pytest.approx(limits(afresh), rel=1e-9)


def sparse_table(n: int, raters: int, levels: int, missing: float, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, levels, (n, 1))
    ratings = np.where(rng.random((n, raters)) < 0.6, truth, rng.integers(0, levels, (n, raters))).astype(float)
    ratings[rng.random((n, raters)) < missing] = nan
    return ratings


@pytest.mark.parametrize("grouped", [False, True], ids=["units", "groups"])
@pytest.mark.parametrize("coefficient", CHANCE_CORRECTED)
def test_the_fast_jackknife_of_a_coefficient_equals_recomputing_it_without_each_unit_or_group(
    coefficient: str, grouped: bool
) -> None:
    raters = 2 if coefficient in ("cohen_kappa", "weighted_kappa", "scott_pi") else 4
    metrics = ("ordinal", "ratio") if coefficient == "krippendorff_alpha" else ()
    ratings = sparse_table(60, raters, 4, 0.15, seed=5)
    rated = ~np.isnan(ratings).all(axis=1)
    if coefficient in ("krippendorff_alpha", "brennan_prediger"):
        rated = (~np.isnan(ratings)).sum(axis=1) >= 2
    groups = np.arange(60) // 3 if grouped else np.arange(60)
    for weights in ("identity",) if coefficient == "gwet_ac1" else ("identity", "linear", "quadratic", *metrics):

        def value(kept: npt.NDArray[np.bool_], weights: Any = weights) -> float:
            return valued(agreement(ratings[kept], coefficient, levels=range(4), weights=weights))

        left_out = [value(groups != g) for g in np.unique(groups[rated])]
        afresh = jackknife(value(np.ones_like(rated)), left_out, transform=ATANH)
        estimate = agreement(
            ratings,
            coefficient,
            levels=range(4),
            weights=weights,
            groups=groups if grouped else None,
        )
        assert limits(estimate) == pytest.approx(limits(afresh), rel=1e-8), weights
        assert estimate.n == len(left_out)
        assert ("leaving out groups" in estimate.method) == grouped


@pytest.mark.parametrize("grouped", [False, True])
def test_the_interval_of_agreement_among_several_raters_is_that_of_a_share_of_units(grouped: bool) -> None:
    ratings = sparse_table(40, 3, 4, 0.1, seed=2)
    groups = np.arange(40) // 3 if grouped else None
    paired = (~np.isnan(ratings)).sum(axis=1) >= 2
    reach = np.nanmax(ratings[paired], axis=1) - np.nanmin(ratings[paired], axis=1)
    of_paired = None if groups is None else groups[paired]
    for statistic, hits in ((exact_agreement, reach == 0), (within_one, reach <= 1)):
        assert limits(statistic(ratings, levels=range(4), groups=groups)) == limits(share(hits, of_paired))
    percent = percent_agreement(ratings, levels=range(4), groups=groups)
    assert limits(percent) == pytest.approx(limits(share(pair_agreement(ratings[paired], 0.5), of_paired)))


# --------------------------------------------------------------------------------------------------- what it refuses


def test_the_error_on_ratings_of_the_wrong_shape_names_the_shape() -> None:
    with pytest.raises(ValueError, match=r"equally long vectors, not \(3,\) and \(2,\)"):
        two_raters([1, 2, 3], [1, 2], levels=[1, 2, 3], ordered=True)
    with pytest.raises(ValueError, match=r"shape \(n_units, n_raters\), not \(3,\)"):
        cohen_kappa([1, 2, 3], levels=[1, 2, 3])
    with pytest.raises(ValueError, match=r"shape \(2,\), one for each unit, not \(3,\)"):
        agreement_family([[1, 2], [2, 2]], levels=[1, 2], scale="nominal", groups=["a", "b", "c"])
    with pytest.raises(ValueError, match=r"shape \(2, 2\), not \(3, 3\)"):
        cohen_kappa([[1, 2], [2, 2]], levels=[1, 2], weights=np.eye(3))


@pytest.mark.parametrize("wrong", [[[1, 2], [3]], [["a", "b"]], [[1, object()]]])
def test_ratings_that_are_not_a_table_of_numbers_raise_an_error_of_the_package(wrong: Any) -> None:
    with pytest.raises(ValueError, match="ratings must be numbers in rows of one length"):
        cohen_kappa(wrong, levels=[1, 2])


@pytest.mark.parametrize("rating", [0, 6, 7.5, math.inf, -math.inf])
def test_the_error_on_a_rating_off_the_scale_names_the_rating(rating: float) -> None:
    with pytest.raises(ValueError, match=f"rating {rating:g} is not on the scale 1, 2, 3, 4, 5"):
        agreement_family(np.array([[1, 2], [rating, 2]]), levels=[1, 2, 3, 4, 5], scale="ordinal")


def test_a_rating_between_the_levels_of_a_nominal_scale_is_refused() -> None:
    with pytest.raises(ValueError, match=r"rating 1\.5 isn't one of the levels"):
        agreement_family(np.array([[1, 1.5], [2, 2]]), levels=[1, 2, 3], scale="nominal")


@pytest.mark.parametrize("levels", [[], [1, 1], [[1, 2]], [1, nan], ["low", "high"]])
def test_cohen_kappa_refuses_levels_that_do_not_form_a_scale(levels: Any) -> None:
    with pytest.raises(ValueError, match="levels must be"):
        cohen_kappa([[1, 2], [2, 2]], levels=levels)


def test_levels_of_an_ordinal_scale_that_are_not_in_order_are_refused() -> None:
    with pytest.raises(ValueError, match="must be in order, worst first"):
        agreement_family([[1, 2], [2, 2]], levels=[1, 3, 2], scale="ordinal")
    with pytest.raises(ValueError, match="nominal, ordinal or interval, not 'ratio'"):
        agreement_family([[1, 2], [2, 2]], levels=[1, 2], scale="ratio")  # type: ignore[arg-type]


def test_unknown_names_of_coefficients_and_weights_are_refused() -> None:
    with pytest.raises(ValueError, match=r"a coefficient is one of exact_agreement, .*not 'kappa'"):
        agreement([[1, 2]], "kappa", levels=[1, 2])
    with pytest.raises(ValueError, match="weights are identity, linear, quadratic or a credit matrix, not 'cubic'"):
        cohen_kappa([[1, 2]], levels=[1, 2], weights="cubic")
    with pytest.raises(ValueError, match="the ordinal metric belongs to krippendorff_alpha, not fleiss_kappa"):
        fleiss_kappa([[1, 2]], levels=[1, 2], weights="ordinal")


def test_shares_of_agreement_and_gwet_s_ac1_refuse_linear_weights() -> None:
    for name in ("exact_agreement", "within_one", "percent_agreement", "gwet_ac1"):
        assert agreement([[1, 2]], name, levels=[1, 2], weights="identity") == agreement([[1, 2]], name, levels=[1, 2])
        with pytest.raises(ValueError, match=f"{name} takes no weights"):
            agreement([[1, 2]], name, levels=[1, 2], weights="linear")


def test_if_linear_weights_are_requested_every_weighted_coefficient_of_a_table_uses_them() -> None:
    ratings = from_contingency(FIVE_LEVELS)
    linear = agreement_family(ratings, levels=range(5), scale="ordinal", weights="linear")
    for name in ("weighted_kappa", "fleiss_kappa", "gwet_ac2"):
        assert linear[name] == agreement(ratings, name, levels=range(5), weights="linear")
    assert linear["cohen_kappa"] == cohen_kappa(ratings, levels=range(5))
    assert linear["krippendorff_alpha"].method.startswith("ordinal metric")
    with pytest.raises(ValueError, match="linear weights need levels with an order"):
        agreement_family(ratings, levels=range(5), scale="nominal", weights="linear")
    with pytest.raises(ValueError, match="weights are identity, linear or quadratic, not 'cubic'"):
        agreement_family(ratings, levels=range(5), scale="ordinal", weights="cubic")  # type: ignore[arg-type]


@pytest.mark.parametrize("credit", [[[1, 0], [0, 0.5]], [[1, 1.5], [1.5, 1]], [[1, nan], [nan, 1]]])
def test_a_matrix_of_credit_for_partial_agreement_is_refused_unless_equal_levels_get_1_and_others_at_most_1(
    credit: list[list[float]],
) -> None:
    with pytest.raises(ValueError, match="1 on its diagonal and nowhere more than 1"):
        cohen_kappa([[1, 2]], levels=[1, 2], weights=credit)


def test_an_asymmetric_credit_matrix_is_refused_for_interchangeable_raters() -> None:
    lopsided = np.array([[1, 0.5], [0, 1]])
    ratings = from_contingency([[8, 4], [1, 7]])
    assert cohen_kappa(ratings, levels=[0, 1], weights=lopsided).value == pytest.approx(1 - (4 * 0.5 + 1) / 20 / 0.345)
    swapped = cohen_kappa(ratings[:, ::-1], levels=[0, 1], weights=lopsided)
    assert swapped.value == pytest.approx(1 - (1 * 0.5 + 4) / 20 / 0.42)
    with pytest.raises(ValueError, match="fleiss_kappa doesn't know one rater from another"):
        fleiss_kappa(ratings, levels=[0, 1], weights=lopsided)


# ----------------------------------------------------------------------------------------------- where nothing is known


def reasons(ratings: Any, levels: Any = (0, 1, 2), **more: Any) -> dict[str, str | None]:
    return {name: e.undefined for name, e in agreement_family(ratings, levels=levels, scale="ordinal", **more).items()}


def test_every_coefficient_is_undefined_without_ratings() -> None:
    for nothing in (np.full((4, 3), nan), np.zeros((0, 2)), np.zeros((5, 0)), np.full((1, 1), nan)):
        assert set(reasons(nothing).values()) == {"needs two raters who rated something"}


def test_every_coefficient_is_undefined_for_one_rater() -> None:
    assert set(reasons([[0], [1], [2]]).values()) == {"needs two raters who rated something"}
    assert set(reasons([[0, nan], [1, nan]]).values()) == {"needs two raters who rated something"}


def test_every_coefficient_is_undefined_if_each_unit_is_rated_only_once() -> None:
    assert set(reasons([[0, nan], [nan, 1], [2, nan]]).values()) == {"no example has two ratings"}


def test_a_rater_without_ratings_changes_no_coefficient() -> None:
    ratings = sparse_table(40, 3, 3, 0.1, seed=8)
    beside = np.column_stack([ratings, np.full(40, nan)])
    assert agreement_family(beside, levels=range(3), scale="ordinal") == agreement_family(
        ratings, levels=range(3), scale="ordinal"
    )
    alone = np.column_stack([ratings[:, :2], np.full(40, nan)])
    assert cohen_kappa(alone, levels=range(3)) == cohen_kappa(ratings[:, :2], levels=range(3))


def test_for_three_raters_the_reason_for_an_undefined_cohen_s_kappa_names_conger_s_kappa() -> None:
    why_undefined = reasons(sparse_table(20, 3, 3, 0.0, seed=1))
    assert (
        why_undefined["cohen_kappa"]
        == why_undefined["weighted_kappa"]
        == "needs two raters, not 3: conger_kappa is its form for more"
    )
    assert why_undefined["scott_pi"] == "needs two raters, not 3: fleiss_kappa is its form for more"
    assert {name for name, why in why_undefined.items() if why} == {"cohen_kappa", "weighted_kappa", "scott_pi"}


@pytest.mark.parametrize("raters", [2, 3])
def test_ratings_on_one_level_leave_chance_corrected_coefficients_undefined(raters: int) -> None:
    statistics = agreement_family(np.full((25, raters), 1.0), levels=range(3), scale="ordinal")
    for name in ("fleiss_kappa", "conger_kappa", "krippendorff_alpha"):
        assert statistics[name].undefined == "one level only"
    for name in ("gwet_ac1", "gwet_ac2", "exact_agreement", "percent_agreement"):
        assert statistics[name].value == 1.0
        assert limits(statistics[name]) == pytest.approx((0.862815, 1.0), abs=1e-6)


def test_on_a_scale_of_one_level_chance_corrected_coefficients_are_undefined() -> None:
    statistics = agreement_family(np.full((9, 2), 3.0), levels=[3], scale="nominal")
    assert {statistics[name].undefined for name in CHANCE_CORRECTED} == {"the scale has one level only"}
    assert statistics["exact_agreement"].value == 1.0


def test_the_interval_of_perfect_agreement_allows_for_unseen_disagreement() -> None:
    statistics = two_raters(*from_contingency(PERFECT).T, levels=range(3), ordered=True)
    assert all(e.value == 1.0 and e.high == 1.0 and e.note is None for e in statistics.values())
    assert {name: round(limits(e)[0], 6) for name, e in statistics.items()} == {
        "exact_agreement": 0.831567,
        "cohen_kappa": 0.728333,
        "weighted_kappa": 0.447759,
        "gwet_ac1": 0.755894,
        "gwet_ac2": 0.556754,
        "krippendorff_alpha": 0.447759,
    }
    assert "no disagreement seen" in statistics["cohen_kappa"].method


def test_two_raters_who_never_agree_have_a_kappa_of_minus_1_without_an_interval() -> None:
    ratings = from_contingency([[0, 10], [10, 0]])
    kappa = cohen_kappa(ratings, levels=[0, 1])
    assert (kappa.value, kappa.low, kappa.note) == (-1.0, None, "withheld: value at the end of the atanh scale")
    nothing_exact = exact_agreement(ratings, levels=[0, 1])
    assert nothing_exact.value == 0.0
    assert nothing_exact.method == "share of examples; Clopper-Pearson"


def test_the_reason_for_a_withheld_interval_names_a_rater_who_gives_every_unit_the_same_level() -> None:
    gold, judge = [0] * 12 + [1] * 18, [1] * 30
    statistics = two_raters(gold, judge, levels=[0, 1], ordered=True)
    assert statistics["cohen_kappa"].value == pytest.approx(0.0)
    assert (
        statistics["cohen_kappa"].note
        == statistics["krippendorff_alpha"].note
        == "withheld: judge never leaves level 1"
    )
    assert statistics["gwet_ac1"].note is None
    third = np.column_stack([gold, gold, judge])
    assert fleiss_kappa(third, levels=[0, 1]).note == "withheld: rater 3 never leaves level 1"


def test_a_coefficient_that_depends_on_a_single_example_has_no_interval() -> None:
    ratings = [[0, 0]] + [[1, 1]] * 30
    for name in ("cohen_kappa", "krippendorff_alpha"):
        estimate = agreement(ratings, name, levels=[0, 1])
        assert estimate.value == 1.0
        assert estimate.note == "withheld: only 1 example outside the most common level"
    disagreeing = [[0, 1]] * 12 + [[1, nan]] * 40 + [[nan, 0]] * 40
    hanging = agreement([[0, 1], *disagreeing[12:]], "cohen_kappa", levels=[0, 1])
    assert hanging.note == "withheld: hangs on one example"


def test_if_ratings_hardly_vary_intervals_of_chance_corrected_coefficients_alone_are_withheld() -> None:
    statistics = two_raters(*from_contingency(PARADOX).T, levels=[0, 1], ordered=True)
    withheld = {name for name, e in statistics.items() if e.note}
    assert withheld == {"cohen_kappa", "weighted_kappa", "krippendorff_alpha"}
    assert statistics["cohen_kappa"].note == "withheld: only 2 examples outside the most common level"
    rough = two_raters(*from_contingency([[2, 3], [5, 90]]).T, levels=[0, 1], ordered=True)
    assert rough["cohen_kappa"].note == "approximate: only 5 examples outside the most common level"
    assert limits(rough["cohen_kappa"]) == pytest.approx((-0.246165, 0.692585), abs=1e-6)


def test_an_interval_is_withheld_if_few_groups_of_units_have_ratings_outside_the_most_common_level() -> None:
    ratings = np.vstack([from_contingency([[11, 1], [1, 0]]), from_contingency([[0, 0], [0, 27]])])
    assert cohen_kappa(ratings, levels=[0, 1]).note is None
    together = np.concatenate([np.arange(13) // 5, np.arange(3, 30)])
    assert (
        cohen_kappa(ratings, levels=[0, 1], groups=together).note
        == "withheld: only 3 groups with an example outside the most common level"
    )


def test_a_third_rater_with_only_four_ratings_does_not_make_an_interval_approximate_or_withheld() -> None:
    ratings = sparse_table(100, 2, 3, 0.0, seed=3)
    occasional = np.full(100, nan)
    occasional[:4] = 1.0
    assert fleiss_kappa(np.column_stack([ratings, occasional]), levels=range(3)).note is None


def test_gwet_s_ac2_with_partial_credit_is_marked_approximate_on_fewer_than_50_examples() -> None:
    few = from_contingency([[6, 2, 0], [2, 6, 2], [0, 2, 8]])
    assert gwet_ac2(few, levels=range(3)).note == "approximate: partial credit on fewer than 50 examples"
    assert gwet_ac1(few, levels=range(3)).note is None
    assert gwet_ac2(few, levels=range(3), weights="identity").note is None
    assert gwet_ac2(from_contingency(FIVE_LEVELS), levels=range(5)).note is None
    skewed = from_contingency([[2, 1, 0], [1, 3, 1], [0, 2, 90]])
    assert gwet_ac2(skewed, levels=range(3)).note == "approximate: only 8 examples outside the most common level"


@pytest.mark.parametrize(
    "ratings",
    [
        np.full((3, 2), nan),
        np.zeros((0, 0)),
        [[0, 0]],
        [[0, 1]],
        [[0, 1], [1, 0]],
        [[0, nan], [nan, nan], [1, 1]],
        np.zeros((6, 3)),
        [[0, 0, nan], [nan, 1, 1], [2, nan, 2]],
        [[0.5, 1], [1, 1.5], [2, 2]],
        [[2, 1, 0, nan], [nan, nan, nan, nan], [0, nan, nan, nan]],
    ],
)
def test_no_coefficient_raises_an_error_or_a_warning_on_any_small_or_gappy_table_of_ratings(ratings: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for groups in (None, np.arange(len(ratings)) // 2):
            statistics = agreement_family(ratings, levels=[0, 1, 2, 3], scale="ordinal", groups=groups)
            assert list(statistics) == list(COEFFICIENTS)
        agreement_values(ratings, levels=[0, 1, 2, 3], scale="interval")


# --------------------------------------------------------------------------------------------- ratings between levels


HALF = np.array([[1, 1], [2.5, 2], [4, 4], [3, 3.5], [5, 4], [2, 2], [1, 1], [5, 5], [4, 5], [3, 3]] * 4)


def test_coefficients_that_measure_distance_use_ratings_between_levels_as_they_are() -> None:
    statistics = two_raters(*HALF.T, levels=range(1, 6), ordered=True)
    gold, judge = HALF.T
    concordance = 2 * np.cov(gold, judge, ddof=0)[0, 1] / (gold.var() + judge.var() + (gold.mean() - judge.mean()) ** 2)
    assert statistics["weighted_kappa"].value == pytest.approx(concordance)
    assert statistics["krippendorff_alpha"].method.startswith("interval metric")
    assert statistics["exact_agreement"].value == pytest.approx(0.6)
    assert statistics["within_one"].value == 1.0


def test_coefficients_that_count_categories_are_undefined_for_ratings_between_levels() -> None:
    statistics = two_raters(*HALF.T, levels=range(1, 6), ordered=True)
    for name in ("cohen_kappa", "gwet_ac1", "gwet_ac2"):
        assert statistics[name].undefined == "needs categories, and rating 2.5 lies between levels"
        assert statistics[name].value is None
    linear = weighted_kappa(HALF, levels=range(1, 6), weights="linear")
    assert linear.undefined == "needs categories, and rating 2.5 lies between levels"
    ordinal = krippendorff_alpha(HALF, levels=range(1, 6), weights="ordinal")
    assert ordinal.undefined == "needs categories, and rating 2.5 lies between levels"


def test_a_rating_halfway_between_no_and_yes_equals_neither_and_leaves_cohen_s_kappa_undefined() -> None:
    statistics = two_raters([0, 0.5, 1, 1] * 10, [0, 1, 1, 0] * 10, levels=[0, 1], ordered=True)
    assert statistics["exact_agreement"].value == 0.5
    assert statistics["cohen_kappa"].undefined is not None
    assert statistics["krippendorff_alpha"].method.startswith("interval metric")


def test_quadratic_kappa_from_a_matrix_of_credits_equals_quadratic_kappa_from_means_and_variances() -> None:
    ratings = from_contingency(FIVE_LEVELS)
    steps = (np.arange(5)[:, None] - np.arange(5)) / 4
    by_credit = weighted_kappa(ratings, levels=range(5), weights=1 - steps**2)
    by_moments = weighted_kappa(ratings, levels=range(5))
    assert by_moments.value == pytest.approx(by_credit.value, rel=1e-13)
    assert limits(by_moments) == pytest.approx(limits(by_credit), rel=1e-11)


def test_a_rating_that_differs_from_a_level_by_a_rounding_error_counts_as_that_level() -> None:
    levels = [0.1, 0.2, 0.3]
    statistics = two_raters([0.1 + 0.2, 0.1, 0.2], [0.3, 0.1, 0.1], levels=levels, ordered=True)
    assert statistics["exact_agreement"].value == pytest.approx(2 / 3)
    assert statistics["cohen_kappa"].undefined is None


def test_for_measurements_on_a_continuous_scale_only_coefficients_without_categories_are_defined() -> None:
    rng = np.random.default_rng(4)
    truth = rng.normal(size=(400, 1))
    measured = truth + rng.normal(scale=0.4, size=(400, 3))
    statistics = agreement_family(measured, levels=np.unique(measured), scale="interval")
    assert statistics["krippendorff_alpha"].value == pytest.approx(1 / 1.16, abs=0.04)
    assert statistics["gwet_ac1"].undefined == "needs categories, and 1200 levels are too many to be any"


# ------------------------------------------------------------------------------------------------------ what is given


def test_the_table_of_all_agreement_statistics_has_the_name_of_every_coefficient() -> None:
    three = sparse_table(30, 3, 5, 0.1, seed=7)
    assert list(agreement_family(three, levels=range(5), scale="interval")) == list(COEFFICIENTS)
    assert "within_one" not in agreement_family(three, levels=range(5), scale="nominal")
    assert "within_one" not in agreement_family([[0, 1]], levels=range(3), scale="ordinal")


@pytest.mark.parametrize(
    ("scale", "weights", "metric"),
    [
        ("nominal", "identity weights", "nominal metric"),
        ("ordinal", "quadratic weights", "ordinal metric"),
        ("interval", "quadratic weights", "interval metric"),
    ],
)
def test_the_kind_of_scale_decides_the_default_cost_of_a_disagreement(scale: Any, weights: str, metric: str) -> None:
    statistics = agreement_family(from_contingency(FIVE_LEVELS), levels=range(5), scale=scale)
    unweighted = {"cohen_kappa", "gwet_ac1"}
    for name in set(CHANCE_CORRECTED) - unweighted - {"krippendorff_alpha"}:
        assert statistics[name].method.startswith(weights), name
    assert all(statistics[name].method.startswith("identity weights") for name in unweighted)
    assert statistics["krippendorff_alpha"].method.startswith(metric)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("raters", [2, 3])
def test_statistics_computed_together_equal_those_that_are_computed_one_by_one(scale: Any, raters: int) -> None:
    ratings = sparse_table(50, raters, 4, 0.2, seed=11)
    weights: Any = "identity" if scale == "nominal" else "quadratic"
    family = agreement_family(ratings, levels=range(4), scale=scale)
    values = agreement_values(ratings, levels=range(4), scale=scale)
    for name in CHANCE_CORRECTED:
        costs = scale if name == "krippendorff_alpha" else weights
        costs = "identity" if name in ("cohen_kappa", "gwet_ac1") else costs
        alone = agreement(ratings, name, levels=range(4), weights=costs)
        assert family[name] == alone
        together = values[name]
        assert together.undefined == alone.undefined
        if alone.undefined is None:
            assert together.value == pytest.approx(alone.value, rel=1e-13)
            assert alone.value == pytest.approx((together.observed - together.expected) / (1 - together.expected))


def test_the_agreement_statistics_of_a_criterion_have_the_documented_names() -> None:
    gold, judge = from_contingency(FIVE_LEVELS).T
    ordered = two_raters(gold, judge, levels=range(5), ordered=True)
    assert list(ordered) == ["exact_agreement", "within_one", "cohen_kappa", "weighted_kappa", "gwet_ac1", "gwet_ac2",
                             "krippendorff_alpha"]  # fmt: skip
    unordered = two_raters(gold, judge, levels=range(5), ordered=False)
    assert list(unordered) == ["exact_agreement", "cohen_kappa", "gwet_ac1", "krippendorff_alpha"]
    assert ordered["krippendorff_alpha"].method.startswith("ordinal metric")
    assert unordered["krippendorff_alpha"].method.startswith("nominal metric")
    yes_no = two_raters([0, 1, 1], [0, 1, 0], levels=[0, 1], ordered=True)
    assert yes_no["krippendorff_alpha"].method.startswith("nominal metric")


def test_examples_without_gold_or_without_a_judge_s_rating_are_ignored_in_statistics_of_two_raters() -> None:
    gold, judge = [0, 1, nan, 1, 0, 1], [0, 1, 1, nan, 1, 1]
    statistics = two_raters(gold, judge, levels=[0, 1], ordered=True, groups=list("aabbcd"))
    assert statistics["exact_agreement"].value == 0.75
    assert statistics["exact_agreement"].n == 4
    assert statistics["cohen_kappa"].n == 3
    empty = two_raters([nan, 1], [1, nan], levels=[0, 1], ordered=True)
    assert empty["exact_agreement"].undefined is not None


def test_levels_may_be_given_in_descending_order() -> None:
    ratings = from_contingency(FIVE_LEVELS)
    upwards = agreement_family(ratings, levels=range(5), scale="ordinal")
    downwards = agreement_family(4 - ratings, levels=range(4, -1, -1), scale="ordinal")
    for name, estimate in upwards.items():
        assert downwards[name].value == pytest.approx(estimate.value, rel=1e-12)


def test_levels_that_nobody_used_count_as_part_of_the_scale() -> None:
    ratings = from_contingency([[6, 0, 1, 0], [0, 0, 0, 0], [2, 0, 9, 3], [0, 0, 2, 7]])
    assert gwet_ac1(ratings, levels=range(4)).value == pytest.approx(0.6596549279)
    assert gwet_ac1(ratings, levels=[0, 2, 3]).value == pytest.approx(0.6, abs=0.02)
    assert gwet_ac1(ratings, levels=range(4)).value != gwet_ac1(ratings, levels=[0, 2, 3]).value


def test_exact_agreement_needs_all_raters_to_agree_and_percent_agreement_counts_agreeing_pairs_of_raters() -> None:
    ratings = np.array([[1, 1, 1], [1, 1, 2], [1, 3, 2], [4, nan, 4], [2, nan, nan]])
    assert exact_agreement(ratings, levels=range(1, 5)).value == 0.5
    assert percent_agreement(ratings, levels=range(1, 5)).value == pytest.approx((1 + 1 / 3 + 0 + 1) / 4)
    assert within_one(ratings, levels=range(1, 5)).value == 0.75
    assert exact_agreement(ratings, levels=range(1, 5)).n == 4


def test_agreement_within_one_level_counts_neighbouring_levels_whatever_their_numbers() -> None:
    assert within_one([[0, 10], [10, 15], [0, 15]], levels=[0, 10, 15, 40]).value == pytest.approx(2 / 3)


def test_a_higher_confidence_level_widens_the_interval_of_a_coefficient() -> None:
    ratings = from_contingency(FIVE_LEVELS)
    widths = [
        np.diff(limits(cohen_kappa(ratings, levels=range(5), level=level)))[0] for level in (0.8, 0.9, 0.95, 0.99)
    ]
    assert widths == sorted(widths)
    assert cohen_kappa(ratings, levels=range(5), level=0.8).level == 0.8


def test_coefficients_of_a_million_units_take_little_memory() -> None:
    ratings = sparse_table(1_000_000, 3, 5, 0.2, seed=1)
    tracemalloc.start()
    agreement_values(ratings, levels=range(5), scale="ordinal")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 476e6


def test_every_name_that_the_statistics_package_exports_exists() -> None:
    assert all(getattr(stats, name) is not None for name in stats.__all__)
    assert len(set(stats.__all__)) == len(stats.__all__)
