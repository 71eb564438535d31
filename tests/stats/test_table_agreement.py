"""Statistics of a table of ratings: over pairs of raters, and with a judge among the raters."""

import math

import numpy as np
import pytest

from markscheme.stats.coefficients import agreement
from markscheme.stats.intervals import Floats
from markscheme.stats.severity import pair_statistic
from markscheme.stats.table_agreement import table_agreement

FOUR = [[1, 1, 2], [2, 2, 2], [3, 3, 1], [1, 2, 1]]
NAMES = ("ann", "bob", "judge")


def some_ratings(n: int = 60, *, missing: float = 0.1) -> Floats:
    rng = np.random.default_rng(3)
    ratings = np.clip(rng.integers(0, 4, (n, 1)) + rng.choice([-1, 0, 0, 1], (n, 3)), 0, 3).astype(float)
    ratings[rng.random((n, 3)) < missing] = math.nan
    return np.asarray(ratings)


def test_the_kappa_of_more_than_two_raters_is_the_mean_of_kappa_over_pairs_of_raters() -> None:
    # By hand: (.75 - .3125)/.6875, (.5 - .375)/.625 and (.25 - .375)/.625.
    statistics, pairs = table_agreement(FOUR, levels=[1, 2, 3], scale="nominal", raters=NAMES, pairs="mean")
    assert statistics["cohen_kappa"].value == pytest.approx((7 / 11 + 0.2 - 0.2) / 3)
    assert [pair.raters for pair in pairs] == [("ann", "bob"), ("ann", "judge"), ("bob", "judge")]


def test_the_jackknife_of_a_mean_over_pairs_of_raters_leaves_each_unit_out_of_every_pair() -> None:
    ratings = some_ratings(missing=0.0)
    statistics, _ = table_agreement(
        ratings, levels=range(4), scale="ordinal", raters=NAMES, pairs="mean", weights="linear"
    )
    kappa = statistics["weighted_kappa"]

    def mean(table: Floats) -> float:
        pairs = ([0, 1], [0, 2], [1, 2])
        return float(
            np.mean([agreement(table[:, p], "weighted_kappa", levels=range(4), weights="linear").value for p in pairs])
        )

    left_out = np.array([mean(np.delete(ratings, i, axis=0)) for i in range(len(ratings))])
    se = math.sqrt(59 / 60 * ((left_out - left_out.mean()) ** 2).sum())
    assert kappa.value == pytest.approx(mean(ratings))
    assert kappa.low is not None
    assert kappa.high is not None
    assert (kappa.high - kappa.low) / 4 == pytest.approx(se, rel=0.1)


def test_statistics_pooled_over_annotators_count_all_pairs_of_ratings_of_one_unit_as_one_group() -> None:
    ratings = some_ratings()
    statistics, _ = table_agreement(
        ratings, levels=range(4), scale="ordinal", raters=NAMES, pairs="pooled", judge="judge"
    )
    rows = np.vstack([ratings[:, [0, 2]], ratings[:, [1, 2]]])
    unit = np.tile(np.arange(60), 2)
    both = ~np.isnan(rows).any(axis=1)
    gold, judge = rows[both].T
    stacked = pair_statistic(gold, judge, "pearson", groups=unit[both], levels=range(4))
    pearson = statistics["pearson"]
    assert (pearson.value, pearson.low, pearson.high) == (stacked.value, stacked.low, stacked.high)
    assert statistics["cohen_kappa"].n == len(np.unique(unit[both]))


def test_a_table_of_two_raters_has_the_usual_coefficients_and_no_figures_for_pairs_of_raters() -> None:
    ratings = some_ratings()[:, :2]
    statistics, pairs = table_agreement(ratings, levels=range(4), scale="ordinal", raters=NAMES[:2])
    assert statistics["cohen_kappa"] == agreement(ratings, "cohen_kappa", levels=range(4))
    assert statistics["mae"].value is not None
    assert pairs == ()


def test_a_mean_over_pairs_of_raters_is_undefined_if_one_pair_has_no_value_and_the_reason_names_the_pair() -> None:
    ratings = [[0, 0, 0], [0, 0, 1], [0, 0, 1]]
    statistics, _ = table_agreement(ratings, levels=[0, 1], scale="nominal", raters=NAMES, pairs="mean")
    assert statistics["cohen_kappa"].undefined == "ann and bob: one level only"


def test_statistics_of_a_table_with_unordered_levels_leave_out_mean_errors_and_pearson_and_icc_and_ccc() -> None:
    statistics, _ = table_agreement(
        FOUR, levels=[1, 2, 3], scale="nominal", raters=NAMES, pairs="pooled", judge="judge"
    )
    assert not statistics.keys() & {"mae", "rmse", "signed_error", "pearson", "icc_2_1", "ccc"}
    assert {"macro_precision", "macro_recall", "macro_f1", "alt_winning_rate"} <= statistics.keys()


def test_naming_a_judge_that_is_not_one_of_the_raters_is_refused() -> None:
    with pytest.raises(ValueError, match="one of the raters ann, bob, judge, not 'cy'"):
        table_agreement(FOUR, levels=[1, 2, 3], scale="nominal", raters=NAMES, judge="cy")


def test_a_mean_over_pairs_of_raters_leaves_out_pairs_that_rated_no_common_unit() -> None:
    """Ann and the judge share no unit; the mean is that of the two other pairs."""
    ratings = some_ratings(missing=0.0)
    ratings[:30, 0] = math.nan
    ratings[30:, 2] = math.nan
    statistics, pairs = table_agreement(ratings, levels=range(4), scale="ordinal", raters=NAMES, pairs="mean")
    kappas = [pair.statistics["weighted_kappa"].value for pair in pairs]
    assert [pair.units for pair in pairs] == [30, 0, 30]
    assert kappas[1] is None
    shared = [kappa for kappa in kappas if kappa is not None]
    kappa = statistics["weighted_kappa"]
    assert kappa.value == pytest.approx(sum(shared) / 2)
    assert kappa.low is not None
    assert kappa.method == "mean over 2 of 3 pairs; the others share no unit"
    assert statistics["mae"].value is not None


def test_the_mean_over_pairs_of_raters_is_undefined_with_a_reason_if_no_pair_shares_a_unit() -> None:
    alone = np.full((3, 3), math.nan)
    np.fill_diagonal(alone, 1.0)
    statistics, _ = table_agreement(alone, levels=[1, 2], scale="nominal", raters=NAMES, pairs="mean")
    assert statistics["cohen_kappa"].value is None
    assert statistics["cohen_kappa"].undefined
