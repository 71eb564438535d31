"""Comparisons of a slice with the rest: against scipy's exact and t tests, by laws, and in edge cases."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from markscheme.stats.intervals import Floats
from markscheme.stats.slice_contrast import Contrast, SliceColumn, SliceLook
from tests.reference.worked_cases import SLICES, SliceCase
from tests.stats.shared_numbers import block


def slice_look(
    values: npt.ArrayLike,
    inside: npt.ArrayLike,
    gold: npt.ArrayLike,
    *,
    shift: bool = False,
    score: bool = False,
    groups: npt.ArrayLike | None = None,
) -> SliceLook:
    """Compare one figure inside a slice and outside it, once over all examples and once at equal gold."""
    return SliceColumn.of(values, gold, score=score, groups=groups).look(inside, shift=shift)


def contrast(values: npt.ArrayLike, inside: npt.ArrayLike, groups: npt.ArrayLike | None = None) -> Contrast:
    """Compare a figure inside a slice and outside it over all examples, with equal gold everywhere."""
    return slice_look(values, inside, np.zeros(np.shape(values)), groups=groups).as_it_is


def table_of(a: int, b: int, c: int, d: int) -> tuple[list[int], list[bool]]:
    """Return hits and slice flags, from numbers of hits and misses inside and then outside the slice."""
    return [1] * a + [0] * b + [1] * c + [0] * d, [True] * (a + b) + [False] * (c + d)


@pytest.mark.parametrize(
    "cells", [(3, 9, 30, 8), (0, 5, 20, 5), (8, 2, 1, 5), (6, 6, 6, 6), (1, 0, 0, 1), (12, 0, 20, 0)]
)
def test_the_p_value_of_the_difference_of_two_shares_is_fisher_s_mid_p_value(cells: tuple[int, int, int, int]) -> None:
    a, b, c, d = cells
    difference = contrast(*table_of(*cells))
    exact = scipy_stats.fisher_exact(np.array([[a, b], [c, d]])).pvalue
    reach = np.arange(min(a + b, a + c) + 1)
    chance = scipy_stats.hypergeom(a + b + c + d, a + c, a + b).pmf(reach)
    as_rare = chance[np.isclose(chance, chance[a], rtol=1e-7)].sum()
    assert difference.p == pytest.approx(exact - as_rare / 2, abs=1e-12)
    assert difference.n_inside == a + b


@given(st.lists(st.tuples(st.integers(0, 1), st.booleans()), min_size=2, max_size=40))
@settings(max_examples=60)
def test_the_p_value_of_the_difference_between_slice_and_rest_is_the_same_if_hits_and_misses_are_exchanged(
    units: list[tuple[int, bool]],
) -> None:
    hits, inside = (np.array(column) for column in zip(*units, strict=True))
    p = contrast(hits, inside).p
    assert 0 <= p <= 1
    assert contrast(1 - hits, inside).p == pytest.approx(p)
    assert contrast(hits, ~inside).p == pytest.approx(p)


def test_the_p_value_of_a_slice_s_difference_from_the_rest_is_the_larger_of_student_s_and_welch_s() -> None:
    generator = np.random.default_rng(1)
    for size, spread in ((6, 0.2), (6, 2.0), (20, 1.0)):
        x, inside = (
            np.concatenate([generator.normal(1, spread, size), generator.normal(0, 1, 40)]),
            np.arange(size + 40) < size,
        )
        both = [scipy_stats.ttest_ind(x[inside], x[~inside], equal_var=equal).pvalue for equal in (True, False)]
        assert contrast(x, inside).p == pytest.approx(max(both), rel=1e-9)


def test_a_few_nearly_equal_values_in_a_slice_do_not_prove_a_difference_from_other_examples() -> None:
    x = np.concatenate([[1.0, 1.01, 0.99, 1.0, 1.02], np.random.default_rng(2).normal(0.3, 1, 60)])
    inside = np.arange(65) < 5
    assert scipy_stats.ttest_ind(x[inside], x[~inside], equal_var=False).pvalue < 0.001
    assert contrast(x, inside).p > 0.05


def test_examples_of_the_same_task_do_not_count_as_independent_evidence() -> None:
    generator = np.random.default_rng(3)
    groups = np.repeat(np.arange(12), 10)
    x = np.repeat(generator.normal(size=12), 10) + 0.1 * generator.normal(size=120)
    inside = groups < 6
    assert contrast(x, inside).p < contrast(x, inside, groups=groups).p
    assert contrast(x, groups == 0, groups=groups).p == 1


def test_comparisons_of_slices_raise_false_alarms_no_more_often_than_their_significance_level_allows() -> None:
    generator = np.random.default_rng(4)
    shares, means = [], []
    for _ in range(400):
        inside = np.arange(50) < 12
        shares.append(contrast(generator.random(50) < 0.8, inside).p <= 0.05)
        means.append(contrast(generator.exponential(size=50), inside).p <= 0.05)
    assert np.mean(shares) <= 0.07
    assert np.mean(means) <= 0.07


def test_the_difference_of_a_slice_from_the_rest_ignores_missing_values() -> None:
    difference = contrast([1, math.nan, 3, 2, 2, 4], [True, True, True, False, False, False])
    assert (difference.n_inside, difference.inside) == (2, 2.0)
    assert difference.outside == pytest.approx(8 / 3)
    alone = contrast([1, 0, 1], [True, True, True])
    assert alone.p == 1
    assert math.isnan(alone.outside)
    assert contrast([2, 2, 2, 2], [True, True, False, False]).p == 1
    assert contrast([2, 2, 0, 0], [True, True, False, False]).p == 0


def test_values_and_slice_flags_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="equally long"):
        slice_look([1, 0], [True, False], [0])
    with pytest.raises(IndexError, match="did not match"):
        contrast([1, 0], [True])


def spelled_out(counts: list[list[int]]) -> tuple[Floats, Floats]:
    """Return gold and judge, with each pair of levels repeated as often as it is counted."""
    rows = [(gold, judge) for gold, judge, count in counts for _ in range(count)]
    return np.array([gold for gold, _ in rows], dtype=float), np.array([judge for _, judge in rows], dtype=float)


def looks_at(inside: list[list[int]], outside: list[list[int]], span: float) -> dict[str, SliceLook]:
    """Compare a slice with the rest by signed error and by size of error, from counts of gold and judge."""
    (gold_in, judge_in), (gold_out, judge_out) = spelled_out(inside), spelled_out(outside)
    gold = np.concatenate([gold_in, gold_out])
    error = (np.concatenate([judge_in, judge_out]) - gold) / span
    part = np.arange(len(gold)) < len(gold_in)
    return {
        "signed error": slice_look(error, part, gold, shift=True),
        "size": slice_look(np.abs(error), part, gold),
    }


@pytest.mark.parametrize("case", SLICES, ids=lambda case: case.name)
def test_comparisons_of_a_slice_with_all_other_examples_equal_their_reference_values(case: SliceCase) -> None:
    look = looks_at(case.inside, case.outside, case.span)[case.look]
    as_it_is = look.as_it_is
    figures = as_it_is.inside, as_it_is.outside, look.same_gold
    assert figures == pytest.approx((case.figure_inside, case.figure_outside, case.same_gold), abs=6e-7)
    p = look.as_it_is.p, look.p_same_gold
    assert p == pytest.approx((case.p_as_it_is, case.p_same_gold), rel=3e-6, abs=6e-7)
    assert look.matters(0.15) == case.matters


def test_every_comparison_of_a_slice_in_the_file_of_reference_values_is_reproduced() -> None:
    for case in block("groups_drift_slices.yaml", "slices"):
        looks = looks_at(case["inside_gold_judge_count"], case["outside_gold_judge_count"], case["span"])
        for name, found in looks.items():
            expected = case[name]
            figures = {
                "inside": found.as_it_is.inside,
                "outside": found.as_it_is.outside,
                "difference": found.as_it_is.difference,
                "same_gold_difference": found.same_gold,
                "p_as_it_is": found.as_it_is.p,
                "p_same_gold": found.p_same_gold,
                "p": found.p,
            }
            for figure, value in figures.items():
                assert value == pytest.approx(expected[figure], rel=3e-6, abs=6e-7), (case["case"], name, figure)
            assert [found.comparable_inside, found.comparable_outside] == expected["comparable"]
            assert found.matters(case["least"]) == expected["large_enough"], (case["case"], name)


def test_the_difference_of_a_slice_from_other_examples_of_equal_gold_is_a_least_squares_coefficient() -> None:
    generator = np.random.default_rng(3)
    gold, inside = generator.integers(0, 4, 80), generator.random(80) < 0.3
    values = 0.3 * gold + 0.2 * inside + generator.normal(size=80)
    look = slice_look(values, inside, gold)
    design = np.column_stack([inside, *(gold == level for level in range(4))]).astype(float)
    solved = np.linalg.lstsq(design, values, rcond=None)
    assert look.same_gold == pytest.approx(solved[0][0])
    variance = solved[1][0] / (80 - 5) * np.linalg.inv(design.T @ design)[0, 0]
    assert look.p_same_gold == pytest.approx(2 * scipy_stats.t.sf(abs(solved[0][0]) / np.sqrt(variance), 75))


def test_a_slice_is_compared_with_the_rest_within_fifths_of_the_gold_scores_if_these_have_many_values() -> None:
    generator = np.random.default_rng(5)
    gold = generator.random(300)
    inside = generator.random(300) < gold
    values = 0.5 * gold + 0.01 * generator.normal(size=300)
    look = slice_look(values, inside, gold, score=True)
    assert look.as_it_is.difference > 0.1
    assert abs(look.same_gold) < 0.01
    assert not look.matters(0.1)
    assert slice_look(values, inside, np.round(gold * 4), score=True) == slice_look(values, inside, np.round(gold * 4))


@given(st.lists(st.tuples(st.integers(-2, 2), st.integers(0, 2), st.booleans()), min_size=4, max_size=40))
@settings(max_examples=60, deadline=None)
def test_exchanging_a_slice_and_the_rest_reverses_their_difference_at_equal_gold_and_keeps_its_p_value(
    units: list[tuple[int, int, bool]],
) -> None:
    values, gold, inside = (np.array(column) for column in zip(*units, strict=True))
    forward, back = slice_look(values, inside, gold), slice_look(-values, inside, gold)
    mirrored = slice_look(values, ~inside, gold)
    assert back.same_gold == pytest.approx(-forward.same_gold)
    assert back.p_same_gold == pytest.approx(forward.p_same_gold, abs=1e-9)
    assert back.as_it_is.p == pytest.approx(forward.as_it_is.p, abs=1e-9)
    assert mirrored.same_gold == pytest.approx(-forward.same_gold)
    assert mirrored.p_same_gold == pytest.approx(forward.p_same_gold, abs=1e-9)
    assert forward.p >= forward.as_it_is.p


def test_a_slice_with_hardly_any_gold_levels_in_common_with_other_examples_has_a_p_value_of_1() -> None:
    gold = np.array([0] * 5 + [9] * 6 + [0] * 10 + [5] * 20)
    inside = np.arange(41) < 11
    values = inside.astype(float)
    look = slice_look(values, inside, gold)
    assert (look.comparable_inside, look.comparable_outside) == (5, 10)
    assert not look.comparable
    assert look.p == 1.0
    assert not look.matters(0.1)
    half = slice_look(values[1:], inside[1:], np.where(gold[1:] == 9, 0, gold[1:]))
    assert half.comparable


def test_a_slice_is_reported_only_if_the_judge_agrees_less_there_than_elsewhere() -> None:
    gold, inside = np.tile([0, 1], 30), np.arange(60) < 20
    lower = slice_look(np.where(inside, np.arange(60) % 4 < 1, True), inside, gold)
    assert lower.matters(-0.2)
    assert not lower.matters(0.2)
    assert lower.outside_at_same_gold == pytest.approx(lower.as_it_is.inside - lower.same_gold)


def test_a_slice_whose_bias_is_nearer_to_zero_than_that_of_other_examples_is_not_called_biased() -> None:
    gold, inside = np.tile([0, 1], 30), np.arange(60) < 20
    error = np.where(inside, 0.05, 0.4) + 0.01 * (np.arange(60) % 3)
    assert not slice_look(error, inside, gold, shift=True).matters(0.15)
    assert slice_look(error, ~inside, gold, shift=True).matters(0.15)


def test_grouping_examples_by_task_raises_the_p_value_of_a_slice() -> None:
    generator = np.random.default_rng(8)
    group = np.repeat(np.arange(20), 5)
    gold, inside = generator.integers(0, 2, 100), group < 6
    values = (generator.random(20) < np.where(np.arange(20) < 6, 0.3, 0.8)).astype(float)[group]
    alone, grouped = slice_look(values, inside, gold), slice_look(values, inside, gold, groups=group)
    assert grouped.same_gold == alone.same_gold
    assert grouped.p_same_gold > alone.p_same_gold
    assert grouped.as_it_is.p > alone.as_it_is.p


def test_comparing_an_empty_slice_with_all_other_examples_gives_no_difference() -> None:
    for inside in (np.zeros(6, dtype=bool), np.ones(6, dtype=bool)):
        look = slice_look([1.0, 0, 1, 0, math.nan, 1], inside, [0, 1, 0, 1, 0, math.nan])
        assert look.p == 1.0
        assert look.same_gold == 0.0
    with pytest.raises(IndexError, match="did not match"):
        slice_look([1.0], [True, False], [1.0])
