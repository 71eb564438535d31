"""A part beside the rest: against scipy's exact and t tests, by laws, and at the edges."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from markscheme.stats import mean_contrast, share_contrast


def table_of(a: int, b: int, c: int, d: int) -> tuple[list[int], list[bool]]:
    """Hits and misses inside, then outside."""
    return [1] * a + [0] * b + [1] * c + [0] * d, [True] * (a + b) + [False] * (c + d)


@pytest.mark.parametrize(
    "cells", [(3, 9, 30, 8), (0, 5, 20, 5), (8, 2, 1, 5), (6, 6, 6, 6), (1, 0, 0, 1), (12, 0, 20, 0)]
)
def test_fisher_s_exact_p_less_half_of_what_is_as_rare(cells: tuple[int, int, int, int]) -> None:
    a, b, c, d = cells
    found = share_contrast(*table_of(*cells))
    exact = scipy_stats.fisher_exact(np.array([[a, b], [c, d]])).pvalue
    reach = np.arange(min(a + b, a + c) + 1)
    chance = scipy_stats.hypergeom(a + b + c + d, a + c, a + b).pmf(reach)
    as_rare = chance[np.isclose(chance, chance[a], rtol=1e-7)].sum()
    assert found.p == pytest.approx(exact - as_rare / 2, abs=1e-12)
    assert (found.n_inside, found.n_outside) == (a + b, c + d)


@given(st.lists(st.tuples(st.integers(0, 1), st.booleans()), min_size=2, max_size=40))
@settings(max_examples=60)
def test_turning_hits_or_sides_round_changes_no_p(units: list[tuple[int, bool]]) -> None:
    hits, inside = (np.array(column) for column in zip(*units, strict=True))
    p = share_contrast(hits, inside).p
    assert 0 <= p <= 1
    assert share_contrast(1 - hits, inside).p == pytest.approx(p)
    assert share_contrast(hits, ~inside).p == pytest.approx(p)


def test_the_larger_of_student_s_and_welch_s_p_counts() -> None:
    generator = np.random.default_rng(1)
    for size, spread in ((6, 0.2), (6, 2.0), (20, 1.0)):
        x, inside = (
            np.concatenate([generator.normal(1, spread, size), generator.normal(0, 1, 40)]),
            np.arange(size + 40) < size,
        )
        both = [scipy_stats.ttest_ind(x[inside], x[~inside], equal_var=equal).pvalue for equal in (True, False)]
        assert mean_contrast(x, inside).p == pytest.approx(max(both), rel=1e-9)


def test_a_few_equal_values_do_not_prove_a_difference() -> None:
    x = np.concatenate([[1.0, 1.01, 0.99, 1.0, 1.02], np.random.default_rng(2).normal(0.3, 1, 60)])
    inside = np.arange(65) < 5
    assert scipy_stats.ttest_ind(x[inside], x[~inside], equal_var=False).pvalue < 0.001
    assert mean_contrast(x, inside).p > 0.05


def test_examples_of_a_task_are_no_independent_evidence() -> None:
    generator = np.random.default_rng(3)
    groups = np.repeat(np.arange(12), 10)
    x = np.repeat(generator.normal(size=12), 10) + 0.1 * generator.normal(size=120)
    inside = groups < 6
    assert mean_contrast(x, inside).p < mean_contrast(x, inside, groups=groups).p
    assert mean_contrast(x, groups == 0, groups=groups).p == 1


def test_false_alarms_stay_at_the_level() -> None:
    generator = np.random.default_rng(4)
    shares, means = [], []
    for _ in range(400):
        inside = np.arange(50) < 12
        shares.append(share_contrast(generator.random(50) < 0.8, inside).p <= 0.05)
        means.append(mean_contrast(generator.exponential(size=50), inside).p <= 0.05)
    assert np.mean(shares) <= 0.07
    assert np.mean(means) <= 0.07


def test_missing_figures_are_left_out_and_nothing_gives_no_evidence() -> None:
    found = mean_contrast([1, math.nan, 3, 2, 2, 4], [True, True, True, False, False, False])
    assert (found.n_inside, found.n_outside, found.inside) == (2, 3, 2.0)
    alone = share_contrast([1, 0, 1], [True, True, True])
    assert alone.p == 1
    assert math.isnan(alone.outside)
    assert mean_contrast([1, 1, 1, 1], [True, True, False, False]).p == 1
    assert mean_contrast([1, 1, 0, 0], [True, True, False, False]).p == 0


def test_shapes_must_fit() -> None:
    with pytest.raises(ValueError, match="equally long"):
        share_contrast([1, 0], [True])
