"""Correlation of judge and gold: numbers of other libraries, leaving out by hand, and where there is none."""

import math
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import scipy.stats

from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import ATANH, Floats, Spread, jackknife, spread, t_limits
from markscheme.stats.reliability import icc as agreement_of_table
from markscheme.stats.severity import pair_statistic
from tests.stats.shared_numbers import block

Statistic = Callable[..., Estimate]

pearson, spearman, kendall, ccc, icc = (
    partial(pair_statistic, name=name) for name in ("pearson", "spearman", "kendall", "ccc", "icc")
)

REFERENCE_NAMES = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall_tau_b": kendall,
    "lin_ccc_population_variance": ccc,
}
TABLES = (
    "even_2x2",
    "skewed_2x2",
    "paradox_2x2",
    "lenient_3x3",
    "five_levels",
    "gap_in_scale",
    "perfect_3x3",
    "opposite_2x2",
)
CORRELATIONS = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
ALL = CORRELATIONS | {"ccc": ccc, "icc": icc}


def units(counts: list[list[int]]) -> tuple[Floats, Floats]:
    """Return gold and judge of every unit that a confusion matrix with gold in its rows counts."""
    table = np.array(counts)
    gold, judge = (np.repeat(place.ravel(), table.ravel()).astype(float) for place in np.indices(table.shape))
    return gold, judge


def value(estimate: Estimate) -> float:
    assert estimate.value is not None
    return estimate.value


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def some_ratings(seed: int, *, n: int = 40, kind: str) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    if kind == "levels":
        gold = rng.integers(1, 6, n).astype(float)
        return gold, np.clip(gold + rng.integers(-1, 2, n), 1, 5)
    gold = rng.normal(size=n)
    judge = gold + rng.normal(size=n)
    return gold, judge if kind == "measured" else np.asarray(np.round(judge), dtype=np.float64)


# -- other people's numbers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", REFERENCE_NAMES)
@pytest.mark.parametrize("table", TABLES)
def test_correlations_equal_those_that_other_libraries_computed(table: str, key: str) -> None:
    numbers = block("reference.yaml", "two_rater_tables")[table]
    gold, judge = units(numbers["table"])
    assert value(REFERENCE_NAMES[key](gold, judge)) == pytest.approx(numbers[key], abs=6e-11)


@pytest.mark.parametrize("table", [t for t in TABLES if t != "opposite_2x2"] + ["one_label_only"])
def test_intervals_of_correlations_equal_their_reference_values(table: str) -> None:
    numbers = block("recipes.yaml", "interval_95")[table]
    gold, judge = units(numbers["table"])
    expected = numbers["estimates"]["spearman"]
    estimate = spearman(gold, judge, levels=range(len(numbers["table"])))
    if expected == "undefined":
        assert estimate.undefined == "one level only"
        return
    assert value(estimate) == pytest.approx(expected["value"], abs=6e-7)
    if table == "paradox_2x2":
        assert estimate.note == "withheld: only 2 examples outside the most common level"
        estimate = by_leaving_one_out(spearman, gold, judge)
    assert limits(estimate) == pytest.approx((expected["low"], expected["high"]), abs=6e-7)


@pytest.mark.parametrize("table", ["skewed_2x2", "lenient_3x3", "five_levels"])
def test_jackknife_intervals_of_correlations_equal_those_computed_with_other_libraries(table: str) -> None:
    expected = block("reference.yaml", "jackknife_t_intervals")[table]["spearman"]
    gold, judge = units(block("reference.yaml", "two_rater_tables")[table]["table"])
    n = len(gold)
    error = spread([value(spearman(np.delete(gold, i), np.delete(judge, i))) for i in range(n)])
    assert error.se == pytest.approx(expected["se"], abs=6e-11)
    limits_with_all_df = t_limits(value(spearman(gold, judge)), Spread(error.se, n - 1, n), ATANH)
    assert limits_with_all_df == pytest.approx((expected["low"], expected["high"]), abs=1e-10)


def by_leaving_one_out(statistic: Statistic, gold: Floats, judge: Floats) -> Estimate:
    left_out = [statistic(np.delete(gold, i), np.delete(judge, i)).value for i in range(len(gold))]
    every = value(statistic(gold, judge))
    return jackknife(every, [math.nan if v is None else v for v in left_out], transform=ATANH)


@pytest.mark.parametrize("kind", ["levels", "measured", "half measured"])
@pytest.mark.parametrize("seed", range(20))
def test_correlations_equal_those_of_scipy(seed: int, kind: str) -> None:
    gold, judge = some_ratings(seed, n=5 + 3 * seed, kind=kind)
    assert value(pearson(gold, judge)) == pytest.approx(scipy.stats.pearsonr(gold, judge)[0], abs=1e-12)
    assert value(spearman(gold, judge)) == pytest.approx(scipy.stats.spearmanr(gold, judge)[0], abs=1e-12)
    assert value(kendall(gold, judge)) == pytest.approx(scipy.stats.kendalltau(gold, judge)[0], abs=1e-12)


# -- intervals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["levels", "measured", "half measured"])
@pytest.mark.parametrize("statistic", ALL.values(), ids=ALL)
def test_jackknife_intervals_of_correlations_equal_those_from_computing_the_correlation_without_each_unit(
    statistic: Statistic, kind: str
) -> None:
    gold, judge = some_ratings(7, n=60, kind=kind)
    by_hand = by_leaving_one_out(statistic, gold, judge)
    assert limits(statistic(gold, judge)) == pytest.approx(limits(by_hand), abs=1e-9)


@pytest.mark.parametrize("kind", ["levels", "measured", "half measured"])
@pytest.mark.parametrize("statistic", ALL.values(), ids=ALL)
def test_jackknife_intervals_of_correlations_equal_those_from_computing_the_correlation_without_each_group(
    statistic: Statistic, kind: str
) -> None:
    gold, judge = some_ratings(11, n=90, kind=kind)
    groups = np.random.default_rng(1).integers(0, 25, 90)
    left_out = [value(statistic(gold[groups != g], judge[groups != g])) for g in np.unique(groups)]
    by_hand = jackknife(value(statistic(gold, judge)), left_out, transform=ATANH)
    estimate = statistic(gold, judge, groups=groups)
    assert limits(estimate) == pytest.approx(limits(by_hand), abs=1e-9)
    assert estimate.n == len(np.unique(groups))


def test_intervals_of_correlations_over_many_groups_are_computed_by_influence_functions() -> None:
    gold, judge = some_ratings(5, n=9_000, kind="measured")
    groups = np.arange(9_000) // 2
    by_influence = spearman(gold, judge, groups=groups)
    assert "influence function" in by_influence.method
    unit_by_unit = spearman(gold, judge)
    assert "influence function" not in unit_by_unit.method
    assert limits(by_influence) == pytest.approx(limits(unit_by_unit), abs=2e-3)
    small = spearman(gold[:4000], judge[:4000], groups=groups[:4000])
    assert "influence function" not in small.method


@pytest.mark.parametrize("statistic", CORRELATIONS.values(), ids=CORRELATIONS)
def test_the_interval_of_a_perfect_correlation_allows_for_exceptions_that_were_not_seen(statistic: Statistic) -> None:
    gold = np.repeat([1.0, 2.0, 3.0], [10, 12, 13])
    same, alike, opposite = statistic(gold, gold), statistic(gold, 2 * gold + 1), statistic(gold, -gold)
    assert same.value == alike.value == 1
    assert limits(same) == pytest.approx(limits(alike))
    assert opposite.value == -1
    assert limits(opposite) == pytest.approx(tuple(-x for x in reversed(limits(same))))
    assert "no disagreement seen" in same.method


@pytest.mark.parametrize("statistic", ALL.values(), ids=ALL)
def test_the_interval_of_a_correlation_is_withheld_or_approximate_if_few_units_are_outside_the_most_common_level(
    statistic: Statistic,
) -> None:
    def with_off(off: int) -> Estimate:
        gold = np.array([1.0] * 40 + [0.0] * off)
        judge = gold.copy()
        judge[[0, -1]] = [0.0, 1.0]
        return statistic(gold, judge)

    assert with_off(4).low is None
    assert with_off(4).note == "withheld: only 4 examples outside the most common level"
    assert with_off(7).note == "approximate: only 7 examples outside the most common level"
    assert with_off(12).note is None


@pytest.mark.parametrize("statistic", ALL.values(), ids=ALL)
def test_if_few_groups_have_examples_outside_the_most_common_level_a_correlation_has_no_interval(
    statistic: Statistic,
) -> None:
    gold = np.array([1.0] * 40 + [0.0] * 12)
    judge = np.array([0.0] * 2 + [1.0] * 38 + [0.0] * 11 + [1.0])
    groups = np.concatenate([np.arange(40), np.arange(40, 52) // 4 * 100])
    assert statistic(gold, judge).note is None
    assert (
        statistic(gold, judge, groups=groups).note
        == "withheld: only 3 groups with an example outside the most common level"
    )


# -- no value ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", CORRELATIONS.values(), ids=CORRELATIONS)
def test_a_rater_who_never_varies_has_no_correlation(statistic: Statistic) -> None:
    assert statistic([1, 2, 3], [2, 2, 2]).undefined == "judge never leaves level 2"
    assert statistic([1.5, 1.5, 1.5], [1, 2, 3]).undefined == "gold never leaves level 1.5"
    assert statistic([1, 1], [2, 2]).undefined == "gold never leaves level 1; judge never leaves level 2"
    assert statistic([2, 2, 2], [2, 2, 2]).undefined == "one level only"


@pytest.mark.parametrize("size", [1.0, 0.1, 3000.0])
def test_two_examples_with_the_same_two_ratings_in_reverse_have_no_icc_since_their_means_do_not_differ(
    size: float,
) -> None:
    mirrored = size * np.array([[1.0, 2.0], [2.0, 1.0]])
    of_pairs, of_table = icc(*mirrored), agreement_of_table(mirrored, "icc_2_1")
    assert of_pairs.undefined == of_table.undefined == "the examples' means don't differ"


@pytest.mark.parametrize("statistic", [ccc, icc], ids=["ccc", "icc"])
def test_concordance_with_a_rater_who_never_varies_is_0_without_interval(statistic: Statistic) -> None:
    estimate = statistic([1, 2, 3], [2, 2, 2])
    assert estimate.value == 0
    assert estimate.low is None
    assert estimate.note == "withheld: judge never leaves level 2"
    assert statistic([2, 2, 2], [2, 2, 2]).undefined == "one level only"


@pytest.mark.parametrize("statistic", ALL.values(), ids=ALL)
def test_a_correlation_of_fewer_than_two_examples_is_undefined_and_gives_no_warning(statistic: Statistic) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert statistic([], []).undefined == "no examples"
        assert statistic([math.nan, 1], [1, math.nan]).undefined == "no examples"
        assert statistic([1], [1]).undefined == "one example only"
        assert statistic([1], [2]).undefined == "one example only"


@pytest.mark.parametrize("statistic", ALL.values(), ids=ALL)
def test_a_correlation_of_two_examples_has_a_value_and_no_interval(statistic: Statistic) -> None:
    estimate = statistic([1, 2], [1, 3])
    assert estimate.value is not None
    assert estimate.low is None
    assert estimate.note is not None


def test_an_interval_that_depends_on_a_single_example_is_withheld() -> None:
    estimate = pearson([1, 1, 1, 1, 1, 2], [1, 2, 1, 2, 1, 2])
    assert estimate.note == "withheld: hangs on one example"


def test_ratings_that_differ_only_by_rounding_count_as_one_level_in_correlations() -> None:
    assert pearson([0.1 + 0.2, 0.3, 0.3], [1, 2, 3]).undefined == "gold never leaves level 0.3"
    tied = kendall([0.1 + 0.2, 0.3, 0.5], [1, 1, 2])
    assert tied.value == 1
    assert kendall([1e-9 * (0.1 + 0.2), 3e-10, 5e-10], [1, 1, 2]) == tied
