"""Errors, their causes and decisions: known numbers, other libraries, and the edges."""

import math
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
import scipy.special

from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import (
    IDENTITY,
    LOG,
    LOGIT,
    Floats,
    Integers,
    Spread,
    Transform,
    jackknife,
    spread,
    t_limits,
)
from markscheme.stats.severity import (
    PAIR_STATISTICS,
    YES_NO_NAMES,
    confusion,
    error_family,
    error_names,
    macro_family,
    pair_statistic,
    yes_no_family,
)
from markscheme.stats.shares import share
from tests.stats.shared_numbers import block
from tests.stats.test_association import limits, units, value

Statistic = Callable[..., Estimate]
nan = math.nan
metrics = import_module("sklearn.metrics")

mae, rmse, signed_error, sd_ratio = (
    partial(pair_statistic, name=name) for name in ("mae", "rmse", "signed_error", "sd_ratio")
)
ERRORS: dict[str, tuple[Statistic, Transform]] = {
    "mae": (mae, LOG),
    "rmse": (rmse, LOG),
    "signed": (signed_error, IDENTITY),
}
TABLES = ("even_2x2", "skewed_2x2", "paradox_2x2", "lenient_3x3", "five_levels", "gap_in_scale", "perfect_3x3")


def some_levels(seed: int, n: int, k: int = 5) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n).astype(float)
    return gold, np.clip(gold + rng.integers(-1, 2, n), 0, k - 1)


# -- numbers of others -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [*TABLES, "opposite_2x2"])
def test_errors_and_accuracy_equal_those_that_other_libraries_computed(table: str) -> None:
    numbers = block("reference.yaml", "two_rater_tables")[table]
    gold, judge = units(numbers["table"])
    assert value(mae(gold, judge)) == pytest.approx(numbers["mae"], abs=6e-11)
    assert value(rmse(gold, judge)) == pytest.approx(numbers["rmse"], abs=6e-11)
    assert value(signed_error(gold, judge)) == pytest.approx(numbers["signed_judge_minus_gold"], abs=6e-11)
    assert value(macro_family(gold, judge)["accuracy"]) == pytest.approx(numbers["exact"], abs=6e-11)
    assert confusion(gold, judge, range(len(numbers["table"]))).tolist() == numbers["table"]


@pytest.mark.parametrize("table", [*TABLES, "one_label_only"])
def test_a_judge_s_mean_errors_and_their_intervals_equal_those_in_the_file_of_reference_values(table: str) -> None:
    numbers = block("recipes.yaml", "interval_95")[table]
    gold, judge = units(numbers["table"])
    levels = range(len(numbers["table"]))
    shares = macro_family(gold, judge, levels=levels)
    exact = numbers["estimates"]["exact"]["value"]
    assert value(shares["accuracy"]) == pytest.approx(exact, abs=6e-7)
    statistics = {"mae": mae(gold, judge, levels=levels), "signed": signed_error(gold, judge, levels=levels)}
    for name, estimate in statistics.items():
        expected = numbers["estimates"][name]
        assert value(estimate) == pytest.approx(expected["value"], abs=6e-7)
        assert limits(estimate) == pytest.approx((expected["low"], expected["high"]), abs=6e-7)


@pytest.mark.parametrize("name", ["mae", "signed"])
@pytest.mark.parametrize("table", ["skewed_2x2", "lenient_3x3", "five_levels"])
def test_jackknife_intervals_of_errors_equal_those_computed_with_other_libraries(table: str, name: str) -> None:
    expected = block("reference.yaml", "jackknife_t_intervals")[table][name]
    statistic, transform = ERRORS[name]
    gold, judge = units(block("reference.yaml", "two_rater_tables")[table]["table"])
    n = len(gold)
    error = spread([value(statistic(np.delete(gold, i), np.delete(judge, i))) for i in range(n)])
    assert error.se == pytest.approx(expected["se"], abs=6e-11)
    with_all_df = t_limits(value(statistic(gold, judge)), Spread(error.se, n - 1, n), transform)
    assert with_all_df == pytest.approx((expected["low"], expected["high"]), abs=6e-11)


def test_errors_of_scores_equal_those_in_the_file_of_reference_values() -> None:
    numbers = block("reference.yaml", "error_split")
    gold, judge = numbers["gold"], numbers["judge"]
    values = {name: value(estimate) for name, estimate in error_family(gold, judge).items()}
    assert values["rmse"] ** 2 == pytest.approx(numbers["mse"], abs=6e-10)
    assert values["signed_error"] ** 2 == pytest.approx(numbers["theil_bias"], abs=6e-10)
    assert values["signed_error"] == pytest.approx(numbers["bland_altman"][0], abs=6e-10)
    assert values["ccc"] == pytest.approx(numbers["lin_ccc"], abs=6e-10)


@pytest.mark.parametrize("seed", range(25))
def test_statistics_of_decisions_equal_those_of_scikit_learn(seed: int) -> None:
    gold, judge = some_levels(seed, 30 + seed, k=2)
    values = {name: value(estimate) for name, estimate in yes_no_family(gold, judge).items()}
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(gold, judge, average="binary")
    assert values["accuracy"] == pytest.approx(metrics.accuracy_score(gold, judge), abs=1e-12)
    assert (values["precision"], values["recall"], values["f1"]) == pytest.approx((precision, recall, f1), abs=1e-12)
    assert values["specificity"] == pytest.approx(metrics.recall_score(1 - gold, 1 - judge), abs=1e-12)
    assert (values["prevalence_gold"], values["prevalence_judge"]) == pytest.approx((gold.mean(), judge.mean()))


@pytest.mark.parametrize("seed", range(25))
def test_macro_averages_and_the_confusion_matrix_equal_those_of_scikit_learn(seed: int) -> None:
    gold, judge = some_levels(seed, 12 + seed, k=2 + seed % 5)
    values = {name: value(estimate) for name, estimate in macro_family(gold, judge).items()}
    theirs = metrics.precision_recall_fscore_support(gold, judge, average="macro", zero_division=0)[:3]
    assert [values[f"macro_{n}"] for n in ("precision", "recall", "f1")] == pytest.approx(theirs, abs=1e-12)
    assert values["accuracy"] == pytest.approx(metrics.accuracy_score(gold, judge), abs=1e-12)
    assert confusion(gold, judge).tolist() == metrics.confusion_matrix(gold, judge).tolist()
    assert value(mae(gold, judge)) == pytest.approx(metrics.mean_absolute_error(gold, judge), abs=1e-12)
    assert value(rmse(gold, judge)) == pytest.approx(metrics.root_mean_squared_error(gold, judge), abs=1e-12)


# -- intervals ---------------------------------------------------------------------------------------------------------


def by_hand(
    name: str,
    family: Callable[..., dict[str, Estimate]],
    gold: Floats,
    judge: Floats,
    groups: Integers,
    transform: Transform,
) -> Estimate:
    """Compute the jackknife interval of one statistic by calling its family again without each group."""
    left_out = [value(family(gold[groups != g], judge[groups != g])[name]) for g in np.unique(groups)]
    return jackknife(value(family(gold, judge)[name]), left_out, transform=transform)


@pytest.mark.parametrize("name", ["mae", "rmse", "signed_error", "icc", "spearman"])
def test_the_jackknife_of_errors_leaves_out_whole_groups(name: str) -> None:
    gold, judge = some_levels(4, 80)
    groups = np.random.default_rng(3).integers(0, 20, 80)
    transform = {"mae": LOG, "rmse": LOG, "signed_error": IDENTITY}.get(name)
    estimate = error_family(gold, judge, groups=groups)[name]
    if transform:
        assert limits(estimate) == pytest.approx(limits(by_hand(name, error_family, gold, judge, groups, transform)))
    assert estimate.n == 20


@pytest.mark.parametrize("name", ["macro_precision", "macro_recall", "macro_f1"])
def test_jackknife_limits_of_macro_averages_equal_those_from_leaving_out_each_group_in_turn(name: str) -> None:
    gold, judge = some_levels(9, 80, k=3)
    groups = np.random.default_rng(3).integers(0, 20, 80)
    estimate = macro_family(gold, judge, groups=groups)[name]
    assert limits(estimate) == pytest.approx(limits(by_hand(name, macro_family, gold, judge, groups, LOGIT)))


def test_macro_averages_of_many_groups_and_levels_take_little_memory() -> None:
    gold, judge = some_levels(6, 6_000, k=60)
    estimate = macro_family(gold, judge, groups=np.arange(6_000) // 2)["macro_recall"]
    ungrouped = macro_family(gold, judge)["macro_recall"]
    assert limits(estimate) == pytest.approx(limits(ungrouped), abs=0.01)


def test_limits_of_macro_recall_equal_those_of_a_stratified_share_with_half_an_example_added_to_each_stratum() -> None:
    gold, judge = units([[8, 2], [3, 27]])
    estimate = macro_family(gold, judge)["macro_recall"]
    shares, sizes = np.array([8.5 / 11, 27.5 / 31]), np.array([11, 31])
    variances = shares * (1 - shares) / sizes
    df = variances.sum() ** 2 / (variances**2 / sizes).sum()
    reach = float(scipy.special.stdtrit(df, 0.975)) * math.sqrt(variances.sum()) / 2
    assert limits(estimate) == pytest.approx((shares.mean() - reach, shares.mean() + reach))


@pytest.mark.proof
@pytest.mark.parametrize("name", ["macro_precision", "macro_recall", "macro_f1"])
def test_limits_of_macro_averages_are_as_wide_as_those_from_resampling_the_examples(name: str) -> None:
    gold, judge = some_levels(5, 400, k=3)
    rng = np.random.default_rng(8)
    drawn = [rng.integers(0, 400, 400) for _ in range(300)]
    spread_drawn = np.std([value(macro_family(gold[i], judge[i])[name]) for i in drawn])
    low, high = limits(macro_family(gold, judge)[name])
    assert (high - low) / 2 / 1.96 == pytest.approx(spread_drawn, rel=0.15)


def test_accuracy_and_recall_and_specificity_have_the_same_interval_as_a_share_of_examples() -> None:
    gold, judge = some_levels(9, 80, k=2)
    groups = np.random.default_rng(3).integers(0, 20, 80)
    shares = yes_no_family(gold, judge, groups=groups)
    assert limits(shares["accuracy"]) == limits(share(gold == judge, groups))
    assert limits(shares["prevalence_gold"]) == limits(share(gold == 1, groups))
    assert limits(shares["recall"]) == limits(share(judge[gold == 1] == 1, groups[gold == 1]))
    assert limits(shares["specificity"]) == limits(share(judge[gold == 0] == 0, groups[gold == 0]))
    of_levels = macro_family(gold, judge, groups=groups)
    assert limits(of_levels["accuracy"]) == limits(shares["accuracy"])


def test_recall_is_a_share_of_the_examples_on_which_gold_says_yes() -> None:
    gold = np.array([1] * 20 + [0] * 30)
    judge = np.array([1] * 16 + [0] * 34)
    estimate = yes_no_family(gold, judge)["recall"]
    alone = yes_no_family(gold[:20], judge[:20])["accuracy"]
    assert estimate.n == 20
    assert limits(estimate) == pytest.approx(limits(alone))


def test_a_recall_of_1_and_a_specificity_of_0_have_exact_limits() -> None:
    statistics = yes_no_family([1] * 20 + [0] * 10, [1] * 20 + [1] * 10)
    assert limits(statistics["recall"]) == pytest.approx((0.831566529, 1.0), abs=1e-9)
    assert limits(statistics["specificity"]) == pytest.approx((0.0, 0.3084971), abs=1e-7)


def test_recall_and_precision_on_fewer_than_five_examples_have_no_interval() -> None:
    statistics = yes_no_family([1] * 4 + [0] * 20, [1] * 3 + [0] * 21)
    assert statistics["recall"].note == "few: 3 of 4"
    assert statistics["precision"].note == "few: 3 of 3"
    assert all(statistics[name].low is statistics[name].high is None for name in ("recall", "precision"))
    assert statistics["specificity"].note is None
    assert statistics["specificity"].low is not None


def test_macro_averages_are_marked_approximate_if_a_level_of_the_scale_was_not_seen() -> None:
    gold, judge = np.array([1] * 30 + [2] * 30), np.array([1] * 25 + [2] * 35)
    estimate = macro_family(gold, judge, levels=[1, 2, 3])["macro_recall"]
    assert estimate.note == "approximate: level 3 hasn't been seen"
    assert estimate.value == macro_family(gold, judge)["macro_recall"].value
    assert macro_family(gold, judge)["macro_recall"].note is None
    one_group = macro_family(gold, judge, groups=np.zeros(60))["macro_recall"]
    assert one_group.note == "withheld: one group of examples only"


def test_the_interval_of_macro_recall_of_a_judge_who_never_errs_reaches_below_1() -> None:
    gold = np.repeat([1.0, 2.0, 3.0], [20, 20, 10])
    estimate = macro_family(gold, gold)["macro_recall"]
    assert estimate.value == 1
    low, high = limits(estimate)
    assert high == 1
    assert 0.85 < low < 0.95


# -- where there is no value or no interval ----------------------------------------------------------------------------


def test_without_examples_every_error_and_share_is_undefined_and_no_warning_is_given() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for gold, judge in (([], []), ([nan, 1.0], [1.0, nan])):
            everything = [
                *error_family(gold, judge).values(),
                *yes_no_family(gold, judge).values(),
                *macro_family(gold, judge).values(),
                sd_ratio(gold, judge),
            ]
            assert all(e.value is None and e.undefined and e.n == 0 for e in everything)
        assert confusion([], []).shape == (0, 0)
        assert confusion([], [], levels=[1, 2]).tolist() == [[0, 0], [0, 0]]


def test_errors_from_a_single_example_have_values_but_no_intervals_and_cause_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        errors = error_family([1.0], [2.0])
        assert [errors[name].value for name in ("mae", "rmse", "signed_error")] == [1.0, 1.0, 1.0]
        assert all(errors[name].undefined for name in ("icc", "ccc", "pearson", "spearman", "kendall"))
        assert all(e.low is None for e in errors.values())
        assert sd_ratio([1.0], [2.0]).undefined == "one example only"
        assert value(macro_family([1.0], [2.0])["macro_f1"]) == 0


def test_the_interval_of_an_error_ends_at_the_largest_error_that_a_known_scale_allows() -> None:
    gold, judge = [1, 1, 3], [1, 5, 3]
    assert (mae(gold, judge).high or 0) > 4
    for statistic in (mae, rmse):
        assert statistic(gold, judge, levels=[1, 2, 3, 4, 5]).high == 4
    signed = signed_error(gold, judge, levels=[1, 5])
    assert (signed.low, signed.high) == (-4, 4)
    off_the_scale = mae([0, 0, 0], [5, 6, 4], levels=[0, 1])
    assert (off_the_scale.value, off_the_scale.high) == (5, 5)


def test_errors_that_are_all_0_have_an_interval_only_if_the_scale_is_given() -> None:
    statistics = error_family([2.0] * 30, [2.0] * 30)
    assert statistics["mae"].note == "withheld: one level seen, no scale given"
    named = error_family([2.0] * 30, [2.0] * 30, levels=[1, 2, 3])
    assert limits(named["mae"]) == pytest.approx((0, 2 * (1 - 0.025 ** (1 / 30))))
    assert limits(named["rmse"]) == pytest.approx((0, 2 * math.sqrt(1 - 0.025 ** (1 / 30))))
    assert limits(named["signed_error"]) == pytest.approx((-(1 - 0.025 ** (1 / 30)), 1 - 0.025 ** (1 / 30)))
    assert named["kendall"].undefined == "one level only"


def test_a_bias_without_variation_between_examples_has_no_interval() -> None:
    estimate = signed_error([1, 2, 3], [2, 3, 4])
    assert estimate.value == 1
    assert estimate.note == "withheld: leaving any one example out gives the same value"


def test_recall_is_undefined_if_gold_never_says_yes() -> None:
    statistics = yes_no_family([0, 0, 0], [0, 1, 0])
    assert statistics["recall"].undefined == "no examples with gold yes"
    assert statistics["precision"].value == 0
    assert yes_no_family([0, 0], [0, 0])["f1"].undefined == "no examples with a yes"


def test_an_even_split_of_annotators_counts_as_neither_yes_nor_no_in_accuracy() -> None:
    statistics = yes_no_family([1, 0.5, 0, 1], [1, 1, 0, 0])
    assert statistics["accuracy"].n == 3
    assert value(statistics["accuracy"]) == pytest.approx(2 / 3)


def test_statistics_of_decisions_are_undefined_if_a_rating_is_neither_no_nor_yes() -> None:
    statistics = yes_no_family([1, 0, 2], [1, 0, 1])
    assert {e.undefined for e in statistics.values()} == {"2 is neither no (0) nor yes (1)"}
    assert set(statistics) == set(YES_NO_NAMES)


def test_any_two_levels_may_be_declared_as_no_and_yes_in_statistics_of_decisions() -> None:
    gold, judge = some_levels(3, 40, k=2)
    assert yes_no_family(gold, judge) == yes_no_family(4 * gold + 1, 4 * judge + 1, levels=(1, 5))
    thirds = yes_no_family(gold / 3, judge / 3, levels=(0, 1 / 3))
    assert thirds["f1"] == yes_no_family(gold, judge)["f1"]


def test_the_error_on_a_rating_off_the_scale_in_a_confusion_matrix_names_the_rating() -> None:
    with pytest.raises(ValueError, match=r"2.5 isn't one of the levels \[1.0, 2.0, 3.0\]"):
        confusion([1, 2.5], [1, 2], levels=[1, 2, 3])


def test_rows_of_the_confusion_matrix_are_in_the_order_of_the_levels() -> None:
    assert confusion([1, 1, 2], [1, 2, 2], levels=[3, 2, 1]).tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert confusion([0.1 + 0.2], [1 / 3], levels=[0.3, 1 / 3]).tolist() == [[0, 1], [0, 0]]


def test_a_confusion_matrix_of_more_than_a_thousand_levels_is_refused() -> None:
    many = np.arange(1200.0)
    with pytest.raises(ValueError, match="at most 1000 levels, not 1200"):
        confusion(many, many)
    assert macro_family(many, many)["macro_f1"].undefined == "more than 100 levels"


@pytest.mark.parametrize(
    "call",
    [
        lambda: error_family([1, 2], [1]),
        lambda: yes_no_family([1, 0], [1]),
    ],
)
def test_the_error_on_gold_and_judge_of_different_shapes_names_both_shapes(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\(2,\) and \(1,\)"):
        call()


# -- tolerance and constant -------------------------------------------------------------------------------------


def test_the_accuracy_of_always_giving_the_most_common_level_is_the_level_s_share_of_gold() -> None:
    gold = np.array([1] * 18 + [0] * 2)
    assert macro_family(gold, 1 - gold)["commonest"].value == 0.9


def test_unknown_names_of_errors_and_correlations_are_refused() -> None:
    with pytest.raises(ValueError, match=f"one of {', '.join(PAIR_STATISTICS)}, not 'tau'"):
        pair_statistic([1, 2], [1, 2], "tau")


def test_statistics_of_errors_and_of_decisions_have_the_names_that_reports_use() -> None:
    errors = {"mae", "rmse", "signed_error", "icc", "ccc", "pearson", "spearman", "kendall"}
    decisions = {"accuracy", "precision", "recall", "specificity", "f1", "prevalence_gold", "prevalence_judge"}
    assert errors <= set(error_family([1, 2], [1, 2])) == set(error_names())
    assert decisions <= set(yes_no_family([1, 0], [1, 0])) == set(YES_NO_NAMES)


def test_errors_requested_by_name_equal_those_computed_all_at_once_and_keep_the_requested_order() -> None:
    gold, judge = [1, 2, 3, 4], [1, 3, 3, 2]
    family = error_family(gold, judge)
    named = error_family(gold, judge, names=["signed_error", "mae"])
    assert list(named.items()) == [(name, family[name]) for name in ("signed_error", "mae")]


def test_a_higher_confidence_level_widens_the_interval_of_a_statistic_of_errors() -> None:
    gold, judge = some_levels(2, 50, k=2)
    for name in YES_NO_NAMES:
        bounds = [limits(yes_no_family(gold, judge, level=level)[name]) for level in (0.8, 0.95, 0.99)]
        assert all(a[0] >= b[0] and a[1] <= b[1] for a, b in pairwise(bounds))
