"""Rating tables: distinct rows once, and sums without each unit or group."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme.stats.coefficients import agreement_family
from markscheme.stats.rating_patterns import encode, rating_patterns

nan = math.nan


@given(
    rows=st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0, nan]), min_size=3, max_size=3), min_size=1, max_size=20),
    names=st.lists(st.integers(0, 3), min_size=20, max_size=20),
)
def test_jackknife_sums_that_leave_out_one_group_equal_sums_over_the_units_of_all_other_groups(
    rows: list[list[float]], names: list[int]
) -> None:
    ratings, groups = np.array(rows), np.array(names[: len(rows)])
    table = rating_patterns(ratings, [0, 1, 2], groups=groups)
    rated = (~np.isnan(ratings)).sum(axis=1)
    remaining = table.remaining(table.rated)
    assert remaining[0] == rated.sum()
    present = [group for group in np.unique(groups) if rated[groups == group].any()]
    assert remaining[1:].tolist() == [rated[groups != group].sum() for group in present]


def test_every_distinct_row_of_ratings_is_kept_once_with_its_count() -> None:
    table = rating_patterns(np.array([[2, 1], [1, nan], [2, 1], [nan, nan], [1, 2]]), [1, 2])
    assert sorted(zip(table.codes.tolist(), table.times.tolist(), strict=True)) == [
        ([0, -1], 1.0),
        ([0, 1], 1.0),
        ([1, 0], 2.0),
    ]
    assert table.rated.sum() == 5
    assert table.left_out.copies.sum() == 4


def test_units_of_one_group_are_left_out_together_by_the_jackknife() -> None:
    table = rating_patterns([[0, 0], [0, 0], [1, 1], [0, 0]], [0, 1], groups=["a", "b", "a", "a"])
    assert table.remaining(table.unanimous).tolist() == [4, 1, 3]
    assert table.left_out.copies.tolist() == [1, 1]


def test_rating_patterns_counted_without_a_jackknife_include_all_units() -> None:
    table = rating_patterns([[0, 0], [0, 1]], [0, 1], leave_out=False)
    assert table.remaining(table.rated).tolist() == [4]


def test_a_rating_between_two_levels_is_encoded_by_a_number_between_those_of_the_two_levels() -> None:
    values, codes, between = encode(np.array([[1.0, 2.5], [nan, 3.0]]), np.array([3.0, 2.0, 1.0]))
    assert values.tolist() == [1.0, 2.0, 2.5, 3.0]
    assert codes.tolist() == [[0, 2], [-1, 3]]
    assert between == 2.5


def test_a_rating_between_unordered_levels_is_refused() -> None:
    with pytest.raises(ValueError, match=r"rating 1\.5 is not on the scale 1, 3, 2"):
        encode(np.array([[1.5]]), np.array([1.0, 3.0, 2.0]))


def test_different_rows_of_ratings_by_eighty_raters_are_never_merged() -> None:
    rng = np.random.default_rng(6)
    ratings = rng.integers(0, 9, (300, 80)).astype(float)
    ratings[rng.random((300, 80)) < 0.3] = nan
    twice = np.vstack([ratings, ratings[::-1]])
    table = rating_patterns(twice, range(9))
    assert table.times.tolist() == [2.0] * 300
    assert np.unique(np.where(np.isnan(ratings), -1, ratings), axis=0).shape[0] == 300
    statistics = agreement_family(twice, levels=range(9), scale="ordinal")
    assert statistics["conger_kappa"].n == 600
