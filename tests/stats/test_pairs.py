"""Two raters side by side: sums and orderings, of all units and with some left out."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.stats.intervals import Floats, Integers
from markscheme.stats.pairs import concordance, paired

nan = float("nan")
law = settings(max_examples=60, deadline=None, derandomize=True)


@st.composite
def ranks(draw: st.DrawFn) -> tuple[Integers, Integers]:
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    different = st.sampled_from([1, 2, 5, 100])
    return places(rng.integers(0, draw(different), n)), places(rng.integers(0, draw(different), n))


def places(values: npt.NDArray[np.generic]) -> Integers:
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def by_counting(gold: Integers, judge: Integers) -> Floats:
    signs = np.sign(gold[:, None] - gold) * np.sign(judge[:, None] - judge)
    return np.asarray(signs.sum(axis=1), dtype=np.float64)


@law
@given(ranks())
def test_the_number_of_concordant_minus_discordant_pairs_equals_a_direct_count_on_small_random_data(
    found: tuple[Integers, Integers],
) -> None:
    gold, judge = found
    assert concordance(gold, judge).tolist() == by_counting(gold, judge).tolist()


@pytest.mark.parametrize("n_judge", [1, 3, 40, 600])
@pytest.mark.parametrize("n_gold", [1, 3, 40, 600])
def test_the_number_of_concordant_minus_discordant_pairs_equals_a_direct_count_with_up_to_600_levels(
    n_gold: int, n_judge: int
) -> None:
    rng = np.random.default_rng(n_gold * n_judge)
    gold, judge = (rng.permutation(np.arange(600) % k) for k in (n_gold, n_judge))
    assert concordance(gold, judge).tolist() == by_counting(gold, judge).tolist()


def test_counting_concordant_pairs_without_any_unit_gives_an_empty_array() -> None:
    nobody = np.zeros(0, dtype=np.int64)
    assert concordance(nobody, nobody).tolist() == []


def test_only_units_that_both_raters_rated_count_in_statistics_of_two_raters() -> None:
    pairs = paired([1, nan, 3, 4, float("inf")], [1, 2, nan, 2, 3], groups=list("aabbc"))
    assert pairs.gold.tolist() == [1, 4]
    assert pairs.judge.tolist() == [1, 2]
    assert pairs.groups.n == 2


def test_without_stated_levels_the_scale_of_paired_ratings_is_their_range() -> None:
    pairs = paired([1, 2, 2], [2, 3, 4])
    assert (pairs.span, pairs.step) == (3, 3)
    pairs = paired([1, 2, 2], [2, 3, 4], levels=[1, 2, 3, 4, 5])
    assert (pairs.span, pairs.step) == (4, 1)


@pytest.mark.parametrize("gold", [[1.0, 2.0], [[1.0], [2.0], [3.0]]])
def test_the_error_on_gold_and_judge_of_different_shapes_names_both_shapes(gold: list[float]) -> None:
    with pytest.raises(ValueError, match=r"gold and judge .* \((2,|3, 1)\) and \(3,\)"):
        paired(gold, [1, 2, 3])


@pytest.mark.parametrize("gold", [["good", "bad"], [[1, 2], [3]], [{}, 1]])
def test_gold_labels_that_are_not_numbers_are_refused(gold: Any) -> None:
    with pytest.raises(ValueError, match="gold must be numbers in rows of one length"):
        paired(gold, [1, 2])


def test_python_s_none_in_place_of_a_rating_counts_as_a_missing_rating() -> None:
    gold: Any = [1, None, 2]
    judge: Any = [1, 2, None]
    assert len(paired(gold, judge)) == 1


def test_the_error_on_a_list_of_groups_that_is_shorter_than_the_ratings_names_both_lengths() -> None:
    with pytest.raises(ValueError, match=r"\(3,\).*\(2,\)"):
        paired([1, 2, 3], [1, 2, 3], groups=["a", "b"])


def test_values_that_differ_only_by_rounding_have_a_variance_of_0() -> None:
    pairs = paired([0.1 + 0.2] * 7, np.full(7, 0.3) * [1, 1, 1, 1, 1, 1, 1])
    assert float(pairs.moments.gold_variance[0]) == 0


@law
@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(1, 8))
def test_means_and_variances_without_a_group_equal_those_computed_from_the_remaining_units(
    seed: int, n: int, n_groups: int
) -> None:
    rng = np.random.default_rng(seed)
    gold, judge, groups = rng.normal(size=n) + 5, rng.normal(size=n), rng.integers(0, n_groups, n)
    left = paired(gold, judge, groups).moments
    for number, name in enumerate(np.unique(groups)):
        rest = groups != name
        if rest.sum() < 2 or len(np.unique(groups)) == n:
            continue
        alone = paired(gold[rest], judge[rest]).moments
        for field in ("n", "signed", "absolute", "square", "gold_variance", "judge_variance", "covariance"):
            assert getattr(left, field)[1 + number] == pytest.approx(getattr(alone, field)[0], abs=1e-10)
