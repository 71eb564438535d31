"""Intervals: the jackknife with its fallbacks and its guard, exact shares, exact sums."""

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from markscheme.stats.estimate import Estimate
from markscheme.stats.intervals import (
    ATANH,
    IDENTITY,
    LOG,
    LOGIT,
    Transform,
    clopper_pearson_lower,
    clopper_pearson_upper,
    group_numbers,
    guard,
    jackknife,
    mark_rough,
    no_disagreement,
    spread,
    sum_of_choices,
    t_limits,
    t_quantile,
    unseen,
    wilson,
    withhold,
)
from tests.stats.exact_limits import clopper_pearson
from tests.stats.shared_numbers import block

REFERENCE = "reference.yaml"


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


# -------------------------------------------------------------------------------------------------- spread and t


def test_the_jackknife_of_a_mean_gives_its_usual_standard_error() -> None:
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
    left_out = (values.sum() - values) / 7
    assert spread(left_out).se == pytest.approx(values.std(ddof=1) / math.sqrt(8), rel=1e-12)


def test_the_jackknife_standard_error_is_the_same_for_repeated_values_and_for_distinct_values_with_counts() -> None:
    shares = spread([0.5, 0.5, 0.5, 0.7, 0.7, 0.1])
    counted = spread([0.5, 0.7, 0.1], [3, 2, 1])
    assert counted.se == pytest.approx(shares.se, rel=1e-12)
    assert counted.df == pytest.approx(shares.df, rel=1e-12)
    assert counted.n == shares.n == 6


def test_the_jackknife_ignores_a_value_with_a_count_of_0_units() -> None:
    assert spread([0.5, math.nan, 0.1], [3, 0, 1]) == spread([0.5, 0.1], [3, 1])


def test_degrees_of_freedom_of_the_jackknife_lie_between_five_and_one_less_than_the_units() -> None:
    one_carries_all = np.array([1.0] + [0.0] * 99)
    assert spread(one_carries_all).df == 5
    assert spread([1.0, 2.0, 3.0]).df == 2
    all_carry_alike = np.array([1.0, -1.0] * 10)
    assert spread(all_carry_alike).df == 19


def test_if_leaving_out_any_unit_never_changes_a_statistic_the_standard_error_is_0() -> None:
    assert spread([0.3, 0.3, 0.3]).se == 0
    assert spread([0.1 + 0.2, 0.3, 0.3]).se == 0


def test_the_jackknife_standard_error_is_refused_for_a_single_unit() -> None:
    with pytest.raises(ValueError, match=r"\(2,\) and \(3,\)"):
        spread([1.0, 2.0], [1, 1, 1])
    with pytest.raises(ValueError, match="two units or more, not 1"):
        spread([1.0])


@pytest.mark.parametrize("df", [1, 5, 28.1876, 99])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_t_quantiles_equal_those_of_scipy_s_student_distribution(df: float, level: float) -> None:
    assert t_quantile(df, level) == pytest.approx(scipy_stats.t.ppf(0.5 + level / 2, df), rel=1e-10)


@pytest.mark.parametrize("transform", [ATANH, LOGIT, LOG, IDENTITY], ids=lambda t: t.name)
@given(value=st.floats(0.01, 0.99))
def test_each_transform_of_an_interval_s_scale_can_be_inverted_and_gives_its_derivative(
    transform: Transform, value: float
) -> None:
    assert transform.back(transform.forward(value)) == pytest.approx(value, rel=1e-9)
    step = 1e-6
    measured = (transform.forward(value + step) - transform.forward(value - step)) / (2 * step)
    assert transform.slope(value) == pytest.approx(measured, rel=1e-3)


def test_limits_of_a_t_interval_far_outside_the_scale_do_not_overflow() -> None:
    wide = spread([0.0, 1.0] * 2)
    assert t_limits(0.999999999, wide, LOGIT) == (0.0, 1.0)
    assert t_limits(1e-300, wide, LOG)[0] == 0.0
    assert math.isfinite(t_limits(1e-9, wide, LOG)[1])


# ------------------------------------------------------------------------------------------------------ jackknife


def test_a_jackknife_interval_is_the_t_interval_on_the_transformed_scale_converted_back() -> None:
    left_out, counts = [79 / 99, 80 / 99], [80, 20]
    around = jackknife(0.8, left_out, counts=counts, transform=LOGIT)
    assert limits(around) == pytest.approx(t_limits(0.8, spread(left_out, counts), LOGIT))
    assert around.n == 100
    assert around.method == "jackknife t, logit"


def test_a_statistic_that_is_undefined_without_one_of_the_units_has_no_interval() -> None:
    estimate = jackknife(0.5, [0.4, math.nan, 0.6], transform=ATANH)
    assert (estimate.value, estimate.low, estimate.note) == (0.5, None, "withheld: hangs on one example")


def test_the_jackknife_of_one_example_gives_a_value_and_no_interval() -> None:
    assert jackknife(0.5, [math.nan], transform=ATANH).note == "withheld: one example only"
    assert jackknife(0.5, [], transform=ATANH).n == 0


def test_a_correlation_of_exactly_minus_1_has_no_interval_on_the_atanh_scale() -> None:
    estimate = jackknife(-1.0, [-0.9, -0.8, -0.9], transform=ATANH)
    assert estimate.note == "withheld: value at the end of the atanh scale"


def test_the_jackknife_gives_no_interval_if_leaving_out_any_one_unit_does_not_change_the_value() -> None:
    note = jackknife(1.0, [1.0] * 9, transform=IDENTITY).note
    assert note is not None
    assert note.startswith("withheld: leaving any one example out gives the same value")


def test_the_jackknife_refuses_values_and_counts_of_different_shapes() -> None:
    with pytest.raises(ValueError, match=r"\(2,\) and \(1,\)"):
        jackknife(0.5, [0.4, 0.6], counts=[3], transform=ATANH)


@given(
    values=st.lists(st.floats(0, 1), min_size=2, max_size=30),
    transform=st.sampled_from([ATANH, LOGIT, LOG, IDENTITY]),
    level=st.sampled_from([0.8, 0.9, 0.95, 0.99]),
)
def test_a_jackknife_interval_contains_the_estimate_and_widens_with_the_confidence_level(
    values: list[float], transform: Transform, level: float
) -> None:
    sample = np.array(values)
    left_out = (sample.sum() - sample) / (len(sample) - 1)
    mean = float(sample.mean())
    estimate = jackknife(mean, left_out, transform=transform, level=level)
    assert estimate.value == mean
    if estimate.low is not None:
        low, high = limits(estimate)
        assert low <= mean <= high
        wider_low, wider_high = limits(jackknife(mean, left_out, transform=transform, level=0.995))
        assert wider_low <= low
        assert high <= wider_high


# --------------------------------------------------------------------------------------------- fallbacks and guard


def test_an_interval_is_withheld_or_marked_approximate_if_few_units_are_outside_the_most_common_level() -> None:
    plain = Estimate(0.4, -0.3, 0.8, n=40)
    assert guard(plain, 4).low is None
    assert guard(plain, 4).note == "withheld: only 4 examples outside the most common level"
    assert guard(plain, 1).note == "withheld: only 1 example outside the most common level"
    assert guard(plain, 5).note == "approximate: only 5 examples outside the most common level"
    assert guard(plain, 9).low == -0.3
    assert guard(plain, 10) == plain


def test_an_estimate_whose_interval_is_withheld_is_not_changed_by_further_checks_of_the_interval() -> None:
    undefined = Estimate.without_value("one level only", n=9, method="")
    assert guard(undefined, 0) == undefined
    hanging = withhold(Estimate(0.4, -0.3, 0.8), "hangs on one example")
    assert guard(hanging, 2) == hanging
    assert mark_rough(hanging, "few") == hanging


@pytest.mark.parametrize(
    ("n", "expected"), [(20, 0.168433471), (25, 1 - 0.862815), (50, 1 - 0.025 ** (1 / 50)), (10**6, 3.688873e-06)]
)
def test_the_bound_on_unseen_disagreement_is_the_exact_upper_limit_for_no_disagreement_among_n_units(
    n: int, expected: float
) -> None:
    assert unseen(n) == pytest.approx(expected, rel=1e-5)
    assert unseen(n) == pytest.approx(clopper_pearson(0, n)[1], rel=1e-9)


def test_the_interval_of_ratings_that_all_agree_allows_for_unseen_disagreement() -> None:
    u = unseen(20)
    kappa = no_disagreement(1.0, n=20, below=1 / 0.62, floor=-1.0)
    assert limits(kappa) == pytest.approx((0.728333, 1.0), abs=1e-6)
    assert limits(no_disagreement(1.0, n=2, below=9.0, floor=-1.0))[0] == -1.0
    assert limits(no_disagreement(0.0, n=20, above=2.0)) == pytest.approx((0.0, 2 * u))
    assert limits(no_disagreement(0.0, n=20, below=1.0, above=1.0)) == pytest.approx((-u, u))


# ---------------------------------------------------------------------------------------------------------- shares


def proportion_cases() -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = block(REFERENCE, "proportion_intervals_95")
    return cases


def test_clopper_pearson_and_wilson_limits_of_shares_equal_those_of_other_libraries() -> None:
    for case in proportion_cases():
        assert clopper_pearson(case["x"], case["n"]) == pytest.approx(case["clopper_pearson"], abs=1e-9)
        assert wilson(case["x"], case["n"]) == pytest.approx(case["wilson"], abs=1e-9)


def test_one_sided_exact_limits_of_shares_equal_those_of_other_libraries() -> None:
    for case in block(REFERENCE, "one_sided_cp_upper")["cases"]:
        upper = clopper_pearson_upper(case["errors"], case["n"], confidence=case["conf"])
        assert upper == pytest.approx(case["upper"], abs=1e-9)
        lower = clopper_pearson_lower(case["n"] - case["errors"], case["n"], confidence=case["conf"])
        assert lower == pytest.approx(1 - case["upper"], abs=1e-9)


def test_the_fewest_examples_that_show_an_error_rate_below_a_limit_equal_those_of_other_libraries() -> None:
    for case in block(REFERENCE, "least_n_for_bound")["cases"]:
        size = next(
            n
            for n in itertools.count(case["errors"] + 1)
            if clopper_pearson_upper(case["errors"], n, confidence=case["conf"]) <= case["alpha"]
        )
        assert size == case["n"]


@pytest.mark.parametrize("n", [1, 7, 40])
def test_confidence_limits_of_a_share_of_misses_are_one_minus_those_of_the_share_of_hits(
    n: int,
) -> None:
    for x in range(n + 1):
        for method in (clopper_pearson, wilson):
            low, high = method(x, n)
            mirrored_low, mirrored_high = method(n - x, n)
            assert (low, high) == pytest.approx((1 - mirrored_high, 1 - mirrored_low), abs=1e-12)
            assert 0 <= low <= x / n <= high <= 1
    assert clopper_pearson(0, n)[0] == wilson(0, n)[0] == 0
    assert clopper_pearson(n, n)[1] == wilson(n, n)[1] == 1


def test_computing_limits_of_a_share_is_refused_for_more_successes_than_examples_or_for_no_examples() -> None:
    for wrong in [(3, 2), (-1, 4), (0, 0)]:
        with pytest.raises(ValueError, match="0 <= successes <= n"):
            wilson(*wrong)
        with pytest.raises(ValueError, match="0 <= successes <= n"):
            clopper_pearson(*wrong)


# ---------------------------------------------------------------------------------------------------------- groups


def test_group_names_of_any_type_are_converted_to_numbers() -> None:
    numbers, n_groups = group_numbers(["b", "a", "b"], 3)
    assert (numbers.tolist(), n_groups) == ([1, 0, 1], 2)
    mixed = np.array(["b", None, 3, None], dtype=object)
    assert group_numbers(mixed, 4)[0].tolist() == [0, 1, 2, 1]
    assert group_numbers(None, 3)[1] == 3


def test_a_list_of_groups_that_is_shorter_than_the_number_of_units_is_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(3,\), one for each unit, not \(2,\)"):
        group_numbers([1, 2], 3)


# ------------------------------------------------------------------------------------------------- exact sums


def listed(rows: list[list[int]]) -> dict[int, float]:
    """Count the ways to choose one outcome per row, by their sum."""
    sums = Counter(sum(choice) for choice in itertools.product(*rows))
    ways = math.prod(len(row) for row in rows)
    return {total: count / ways for total, count in sums.items()}


@given(
    rows=st.integers(1, 4).flatmap(
        lambda width: st.lists(st.lists(st.integers(-6, 6), min_size=width, max_size=width), min_size=1, max_size=6)
    )
)
def test_the_distribution_of_a_sum_of_one_random_value_per_row_equals_that_from_listing_all_sums(
    rows: list[list[int]],
) -> None:
    lowest, probability = sum_of_choices(rows)
    expected = listed(rows)
    assert probability.sum() == pytest.approx(1)
    for step, chance in enumerate(probability.tolist()):
        assert chance == pytest.approx(expected.get(lowest + step, 0.0), abs=1e-14)


def test_sign_flip_p_values_from_the_distribution_of_random_sums_equal_those_in_the_file_of_reference_values() -> None:
    for case in block(REFERENCE, "sign_flip")["cases"]:
        differences = np.array(case["differences"])
        lowest, probability = sum_of_choices(np.stack([differences, -differences], axis=1))
        distance = np.abs(lowest + np.arange(len(probability)))
        seen = abs(int(differences.sum()))
        assert probability[distance >= seen].sum() == pytest.approx(case["exact_p"], abs=1e-9)


def test_the_distribution_of_a_sum_without_terms_is_0_with_probability_1() -> None:
    lowest, probability = sum_of_choices(np.zeros((0, 2)))
    assert (lowest, probability.tolist()) == (0, [1.0])


@pytest.mark.parametrize("wrong", [[1, 2, 3], [[0.5, 1.0]], [[math.nan, 1.0]]])
def test_the_function_sum_of_choices_refuses_outcomes_that_are_not_a_table_of_whole_numbers(
    wrong: Any,
) -> None:
    with pytest.raises(ValueError, match="a table of whole numbers"):
        sum_of_choices(wrong)


def test_the_note_of_an_approximate_interval_begins_with_approximate_and_is_read_back_from_json() -> None:
    marked = mark_rough(Estimate(0.4, -0.3, 0.8, n=20), "few fails")
    assert marked.to_json()["note"] == "approximate: few fails"
    assert Estimate.from_json(marked.to_json()).is_approximate
