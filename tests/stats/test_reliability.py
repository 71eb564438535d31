"""Intraclass correlations, the mean of several raters, and one judge asked again."""

import math
import warnings
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from markscheme.stats.intervals import LOG, Floats, jackknife
from markscheme.stats.reliability import ICC_NAMES, icc, icc_family, repeat_family
from markscheme.stats.severity import pair_statistic
from tests.reference.published import SHROUT_FLEISS_1979, SHROUT_FLEISS_TABLE_4
from tests.stats.shared_numbers import block
from tests.stats.test_association import limits, value

nan = math.nan

ICCS = {name: partial(icc, name=name) for name in ICC_NAMES}
icc_1_1, icc_2_1, icc_3_1 = ICCS["icc_1_1"], ICCS["icc_2_1"], ICCS["icc_3_1"]
REFERENCE_NAMES = {
    "ICC(1,1)": "icc_1_1",
    "ICC(A,1)": "icc_2_1",
    "ICC(C,1)": "icc_3_1",
    "ICC(1,k)": "icc_1_k",
    "ICC(A,k)": "icc_2_k",
    "ICC(C,k)": "icc_3_k",
}
REPEATS = ["test_retest", "flip_rate", "distance", "measurement_error", "shift_floor"]


def some_ratings(seed: int, n: int, k: int, *, levels: bool = False) -> Floats:
    rng = np.random.default_rng(seed)
    ratings = rng.normal(size=(n, 1)) + rng.uniform(0.3, 1.5) * rng.normal(size=(n, k)) + rng.normal(size=k) / 3
    return np.asarray(np.clip(np.round(2 * ratings), -3, 3) if levels else ratings, dtype=np.float64)


# -- numbers of others -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ICC_NAMES)
def test_the_table_of_intraclass_correlations_by_shrout_and_fleiss_is_reproduced(name: str) -> None:
    estimate = ICCS[name](SHROUT_FLEISS_1979)
    assert round(value(estimate), 2) == SHROUT_FLEISS_TABLE_4[name]
    assert estimate == icc_family(SHROUT_FLEISS_1979)[name]


@pytest.mark.parametrize("theirs", REFERENCE_NAMES)
def test_intraclass_correlations_and_limits_of_other_libraries_are_reproduced(theirs: str) -> None:
    numbers = block("reference.yaml", "shrout_fleiss_1979")
    estimate = ICCS[REFERENCE_NAMES[theirs]](numbers["ratings"], limits="F")
    assert value(estimate) == pytest.approx(numbers[theirs]["icc"], abs=6e-9)
    assert [round(limit, 2) for limit in limits(estimate)] == numbers[theirs]["ci95"]


def test_iccs_of_a_mean_over_several_raters_equal_those_in_the_file_of_reference_values() -> None:
    numbers = block("reference.yaml", "g_study_p_x_r")
    ratings = block("reference.yaml", "shrout_fleiss_1979")["ratings"]
    for name, key in (("icc_2_1", "phi"), ("icc_3_1", "e_rho2")):
        figure = value(icc(ratings, name))
        for m, expected in numbers[key].items():
            assert m * figure / (1 + (m - 1) * figure) == pytest.approx(expected, abs=6e-11)
    k = len(ratings[0])
    assert value(icc(ratings, "icc_2_k")) == pytest.approx(numbers["phi"][k], abs=6e-11)
    assert value(icc(ratings, "icc_3_k")) == pytest.approx(numbers["e_rho2"][k], abs=6e-11)


@pytest.mark.parametrize("seed", range(25))
def test_all_six_intraclass_correlations_equal_those_of_pingouin(seed: int) -> None:
    ratings = some_ratings(seed, 4 + seed, 2 + seed % 4, levels=seed % 3 == 0)
    theirs = pingouin(ratings)
    for (name, estimate), row in zip(icc_family(ratings, limits="F").items(), theirs, strict=True):
        assert value(estimate) == pytest.approx(row["ICC"], abs=1e-9), name
        if row["CI95"][0] > row["ICC"]:
            # The limit for one rater lies below -1/(k - 1), where the step to k raters has its pole; pingouin steps
            # across it and prints a lower limit above the value.
            assert estimate.note == "withheld: no lower limit"
            continue
        # pingouin rounds limits to two decimals.
        assert limits(estimate) == pytest.approx(list(row["CI95"]), abs=0.005 + 1e-9)


def pingouin(ratings: Floats) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pandas, library = import_module("pandas"), import_module("pingouin")
        units, raters = np.indices(ratings.shape)
        table = pandas.DataFrame({"unit": units.ravel(), "rater": raters.ravel(), "rating": ratings.ravel()})
        table_rows: list[dict[str, Any]] = library.intraclass_corr(table, "unit", "rater", "rating").to_dict("records")
        return table_rows


@pytest.mark.parametrize("seed", range(10))
def test_the_icc_of_judge_and_gold_equals_that_of_a_table_of_two_raters(seed: int) -> None:
    ratings = some_ratings(seed, 40, 2, levels=True)
    assert value(pair_statistic(ratings[:, 0], ratings[:, 1], "icc")) == pytest.approx(
        value(icc_2_1(ratings)), abs=1e-12
    )


# -- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_jackknife_limits_of_an_icc_equal_those_from_recomputing_the_icc_without_each_unit(
    k: int, grouped: bool
) -> None:
    ratings = some_ratings(k, 60, k, levels=True)
    groups = np.random.default_rng(1).integers(0, 22, 60) if grouped else np.arange(60)
    for name in ("icc_1_k", "icc_2_k", "icc_3_k"):
        noise = [1 - value(ICCS[name](ratings[groups != g])) for g in np.unique(groups)]
        whole = ICCS[name](ratings, groups=groups, limits="jackknife")
        by_hand = jackknife(1 - value(whole), noise, transform=LOG)
        assert limits(whole) == pytest.approx([1 - limit for limit in reversed(limits(by_hand))], abs=1e-9)
        single = ICCS[name.replace("k", "1")](ratings, groups=groups, limits="jackknife")
        stepped = [k * limit / (1 + (k - 1) * limit) for limit in limits(single)]
        assert stepped == pytest.approx(limits(whole), abs=1e-9)


def test_an_icc_has_an_f_interval_on_request_or_for_a_small_set_with_many_distinct_values() -> None:
    few_measured, many_measured = some_ratings(1, 12, 3), some_ratings(1, 30, 3)
    few_levels = some_ratings(1, 12, 3, levels=True)
    assert "F, if normal" in icc_2_1(few_measured).method
    assert "jackknife" in icc_2_1(many_measured).method
    assert "jackknife" in icc_2_1(few_levels).method
    assert "F, if normal" in icc_2_1(many_measured, limits="F").method
    assert "jackknife" in icc_2_1(few_measured, groups=[1, 1, *range(2, 12)]).method


def test_the_interval_of_an_icc_is_withheld_or_marked_approximate_if_a_rater_hardly_varies() -> None:
    ratings = np.array([[0.0, 0], [0, 1]] + [[1, 1]] * 30 + [[0, 0]] * 2)
    assert icc_2_1(ratings).note == "withheld: only 3 examples outside the most common level"
    ratings[:, 1] = 1
    assert icc_2_1(ratings).note == "withheld: rater 2 never leaves level 1"
    ratings = np.array([[0.0, 0]] * 6 + [[0, 1]] + [[1, 1]] * 30)
    assert icc_2_1(ratings).note == "approximate: only 6 examples outside the most common level"


def test_the_interval_of_a_perfect_icc_allows_for_unseen_disagreement() -> None:
    ratings = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    statistics = icc_family(ratings)
    unseen = 1 - 0.025 ** (1 / 20)
    assert limits(statistics["icc_2_1"]) == pytest.approx((1 - 2 * unseen, 1))
    low = 1 - 2 * unseen
    assert limits(statistics["icc_2_k"]) == pytest.approx((2 * low / (1 + low), 1))
    assert all(e.value == 1 for e in statistics.values())


def test_a_rater_who_is_always_lenient_by_the_same_amount_does_not_lower_the_icc_for_consistency() -> None:
    ratings = np.repeat([[0.0, 1.0], [1.0, 2.0]], 10, axis=0)
    statistics = icc_family(ratings)
    assert statistics["icc_3_1"].value == 1
    assert limits(statistics["icc_3_1"])[1] == 1
    assert value(statistics["icc_2_1"]) < 0.4
    assert statistics["icc_2_1"].low is None


# -- missing ratings and no value --------------------------------------------------------------------------------------


def test_an_icc_leaves_out_examples_that_not_all_raters_rated_and_states_how_many_it_uses() -> None:
    ratings = some_ratings(3, 30, 3)
    gappy = np.vstack([ratings, [[1.0, nan, 2.0]]])
    of_gappy, complete = icc_3_1(gappy), icc_3_1(ratings)
    assert of_gappy.value == complete.value
    assert of_gappy.n == 30
    assert "complete examples only" in of_gappy.method
    assert of_gappy.note == "from 30 of 31 units"


def test_the_remark_on_an_intraclass_correlation_says_from_how_many_of_the_units_it_was_computed() -> None:
    ratings = np.full((52, 3), nan)
    ratings[:, 0], ratings[:2] = 1.0, [[1, 2, 1], [3, 3, 2]]
    statistics = icc_family(ratings)
    assert {e.note.rpartition("; ")[2] for e in statistics.values() if e.note} == {"from 2 of 52 units"}
    assert all(e.note for e in statistics.values())
    assert all(e.note is None for e in icc_family(some_ratings(3, 30, 3)).values())


@pytest.mark.parametrize(
    ("ratings", "why"),
    [
        (np.zeros((0, 2)), "no example that every rater rated"),
        (np.full((4, 2), nan), "no example that every rater rated"),
        ([[1, 2], [nan, 2], [3, nan]], "one example only"),
        ([[1], [2], [3]], "needs two raters"),
        ([[3, 3], [3, 3], [3, 3]], "one level only"),
    ],
)
def test_every_icc_is_undefined_without_a_warning_if_no_example_was_rated_by_all_raters(ratings: Any, why: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert {e.undefined for e in icc_family(ratings).values()} == {why}


def test_the_icc_of_the_raters_mean_is_undefined_for_examples_whose_means_do_not_differ() -> None:
    statistics = icc_family([[1, 2], [2, 1], [1, 2], [2, 1]])
    assert statistics["icc_1_1"].value == -1
    assert statistics["icc_1_1"].low is None
    assert statistics["icc_1_k"].undefined == statistics["icc_3_k"].undefined == "the examples' means don't differ"
    assert statistics["icc_3_1"].value == -1


def test_ratings_for_an_icc_that_are_not_a_table_are_refused() -> None:
    with pytest.raises(ValueError, match=r"one of icc_1_1, .*not 'icc'"):
        icc([[1, 2]], "icc")
    with pytest.raises(ValueError, match=r"\(n_units, n_raters\), not \(3,\)"):
        icc_2_1([1, 2, 3])
    with pytest.raises(ValueError, match="one of auto, F, jackknife, not 'bootstrap'"):
        icc_2_1([[1, 2]], limits="bootstrap")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="jackknife limits where there are groups"):
        icc_2_1([[1, 2], [2, 3]], limits="F", groups=[1, 1])
    with pytest.raises(ValueError, match=r"\(2,\).*\(1,\)"):
        icc_2_1([[1, 2], [2, 3]], groups=[1])


# -- one judge asked again ---------------------------------------------------------------------------------------------


def test_repeatability_of_a_judge_without_missing_ratings_equals_the_analysis_of_variance() -> None:
    runs = some_ratings(5, 50, 3, levels=True)
    statistics = repeat_family(runs)
    assert list(statistics) == REPEATS
    assert value(statistics["test_retest"]) == pytest.approx(value(icc_1_1(runs)))
    assert limits(statistics["test_retest"]) == pytest.approx(limits(icc_1_1(runs, limits="jackknife")))
    assert value(statistics["measurement_error"]) == pytest.approx(math.sqrt(runs.var(axis=1, ddof=1).mean()))
    pairs = [(0, 1), (0, 2), (1, 2)]
    distance = np.mean([np.abs(runs[:, a] - runs[:, b]) for a, b in pairs])
    assert value(statistics["distance"]) == pytest.approx(distance)
    flips = np.mean([runs[:, a] != runs[:, b] for a, b in pairs])
    assert value(statistics["flip_rate"]) == pytest.approx(flips)
    floor = 1.959964 * value(statistics["measurement_error"]) * math.sqrt(2 / 50)
    assert value(statistics["shift_floor"]) == pytest.approx(floor, rel=1e-6)


def test_with_missing_ratings_the_repeatability_of_a_judge_counts_every_pair_of_runs() -> None:
    runs = np.array([[1, 2, nan], [3, nan, 3], [2, 2, 5], [4, nan, nan], [1, 1, 1]])
    statistics = repeat_family(runs)
    assert value(statistics["flip_rate"]) == pytest.approx((1 + 0 + 2 / 3 + 0) / 4)
    assert value(statistics["distance"]) == pytest.approx((1 + 0 + 2 + 0) / 4)
    # Squares within: 0.5, 0, 6, 0 on 1, 1, 2, 2 degrees of freedom.
    assert value(statistics["measurement_error"]) == pytest.approx(math.sqrt(6.5 / 6))
    means, counts = np.array([1.5, 3, 3, 1]), np.array([2, 2, 3, 3])
    grand = (means * counts).sum() / 10
    between, within = (counts * (means - grand) ** 2).sum() / 3, 6.5 / 6
    each = (10 - (counts**2).sum() / 10) / 3
    assert value(statistics["test_retest"]) == pytest.approx((between - within) / (between + (each - 1) * within))


@pytest.mark.parametrize("name", ["test_retest", "distance", "measurement_error"])
def test_the_jackknife_of_a_judge_s_repeatability_equals_recomputing_it_without_each_example(name: str) -> None:
    runs = some_ratings(6, 40, 3, levels=True)
    runs[::5, 2] = nan
    estimate = repeat_family(runs)[name]
    left_out = np.array([value(repeat_family(np.delete(runs, i, axis=0))[name]) for i in range(40)])
    if name != "test_retest":
        assert limits(estimate) == pytest.approx(limits(jackknife(value(estimate), left_out, transform=LOG)))
        return
    spread = (limits(estimate)[1] - limits(estimate)[0]) / 4
    assert spread == pytest.approx(math.sqrt(39 / 40 * ((left_out - left_out.mean()) ** 2).sum()), rel=0.1)


def test_limits_of_the_repeatability_of_a_judge_whose_ratings_never_changed_allow_for_unseen_changes() -> None:
    runs = np.repeat([[1.0] * 3, [4.0] * 3], 15, axis=0)
    figures, unseen = repeat_family(runs, levels=range(1, 6)), 1 - 0.025 ** (1 / 30)
    assert limits(figures["flip_rate"]) == pytest.approx((0, unseen))
    assert limits(figures["distance"]) == pytest.approx((0, 4 * unseen))
    assert limits(figures["measurement_error"]) == pytest.approx((0, 4 * math.sqrt(unseen / 2)))
    assert limits(figures["shift_floor"])[0] == 0
    assert figures["test_retest"].value == 1
    assert limits(figures["test_retest"])[1] == 1


def test_repeatability_of_a_judge_without_examples_is_undefined_and_gives_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for runs in (np.zeros((0, 3)), [[1.0], [2.0]], [[1.0, nan], [nan, 2.0]]):
            assert all(e.value is None and e.undefined for e in repeat_family(runs).values())
        one = repeat_family([[1.0, 2.0], [1.0, nan]])
        assert one["test_retest"].undefined == "one example only"
        assert one["distance"].value == 1
        one_group = repeat_family([[1.0, 2.0], [3.0, 3.0]], groups=["a", "a"])
        assert {one_group[name].note for name in ("test_retest", "distance")} == {
            "withheld: one group of examples only"
        }
        same = repeat_family([[2.0, 2.0], [2.0, 2.0]])
        assert same["test_retest"].undefined == "one level only"
        assert same["distance"].note == "withheld: one level seen, no scale given"
        assert repeat_family([[1.0, 2.0], [2.0, 1.0]])["test_retest"].note == (
            "withheld: the examples' means don't differ"
        )
