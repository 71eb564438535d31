"""Pass rates corrected for the judge's errors, and the labels that promises about decisions need."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.stats.estimate import Estimate
from markscheme.stats.prevalence import (
    corrected_pass_rate,
    random_draw_p,
    rogan_gladen,
    weighted_pass_rate,
)
from markscheme.stats.verdict_rates import rate_by_verdict
from tests.stats.exact_limits import mid_p_limits
from tests.stats.shared_numbers import block

approx = pytest.approx
LABELLED, POOL = [[16, 4], [3, 27]], [300, 700]
counts = st.integers(0, 60)
ALL = ("all",)


def limits(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    return estimate.value, estimate.low, estimate.high


def as_table(case: list[int]) -> list[list[int]]:
    """Return a table (rows annotators' fail and pass, columns the judge's) from n11, n10, n01 and n00."""
    n11, n10, n01, n00 = case
    return [[n00, n01], [n10, n11]]


def by_strata(labelled: Any, pool: Any, weight: float = 1.0) -> Estimate:
    """Estimate the pass rate from fails and passes in each stratum, drawn with equal chances."""
    table = np.asarray(labelled)
    passed = np.concatenate([np.repeat([0, 1], row) for row in table])
    stratum = np.repeat(np.arange(len(table)), table.sum(axis=1))
    names = [f"stratum {place + 1}" for place in range(len(table))]
    return weighted_pass_rate(passed, stratum, np.full(len(passed), weight), pool, names=names)


# ------------------------------------------------------------------------------------------------------ pass rates


def test_a_pass_rate_from_labels_drawn_by_the_judge_s_verdict_equals_that_of_an_independent_program() -> None:
    estimate = corrected_pass_rate(LABELLED, POOL, drawn="by-verdict")
    assert limits(estimate) == approx((0.657046, 0.542427, 0.747537), abs=6e-7)
    assert (estimate.n, estimate.method) == (50, "by verdict strata")


def test_a_pass_rate_from_labels_drawn_by_the_judge_s_verdict_is_the_same_from_both_functions_for_it() -> None:
    for level in (0.95, 1 - 0.05 / 26):
        whole = corrected_pass_rate(LABELLED, POOL, drawn="by-verdict", level=level)
        by_verdict = rate_by_verdict(LABELLED[1], np.sum(LABELLED, axis=0), POOL, level=level)
        assert (limits(whole), whole.level) == (limits(by_verdict), level)
    for case in block("rates.yaml", "rate"):
        if "labels" in case and case["name"] != "too few":
            failed_passed = np.array([[labels - passed, passed] for passed, labels in case["labels"]])
            whole = corrected_pass_rate(failed_passed.T, case["pool"], drawn="by-verdict")
            assert limits(whole) == approx(tuple(case["one_look"]), abs=1e-6), case["name"]


def test_the_number_of_labels_and_not_their_levels_decides_whether_a_pass_rate_is_withheld() -> None:
    for passes in (0, 4, 7):
        few = corrected_pass_rate([[1, 7 - passes], [1, passes]], [100, 400], drawn="by-verdict")
        assert (few.value, few.undefined) == (None, "9 labels, 1 more would show it")
    assert corrected_pass_rate([[1, 1], [1, 7]], [100, 400], drawn="by-verdict").value is not None
    assert by_strata([[2, 2]], [4]).undefined == "4 labels, label more responses"


def test_a_pass_rate_from_random_labels_weights_each_verdict_by_its_share_of_all_responses() -> None:
    estimate = corrected_pass_rate(LABELLED, POOL, drawn="random")
    assert estimate.value == approx(0.6543293718, abs=6e-11)
    verdicts = np.array([300 + 19, 700 + 31])
    from_all = corrected_pass_rate(LABELLED, verdicts, drawn="by-verdict")
    assert limits(estimate) == approx(limits(from_all))


def test_a_pass_rate_corrected_with_labels_of_other_responses_equals_its_reference_value() -> None:
    estimate = corrected_pass_rate(LABELLED, POOL, drawn="elsewhere")
    assert estimate.value == approx(0.7142857143, abs=6e-11)
    assert limits(estimate)[1:] == approx((0.576488, 0.885781), abs=6e-7)


def test_pass_rates_equal_those_of_an_independent_program() -> None:
    for case in block("recipes.yaml", "pass_rate")["cases"]:
        table, pool = as_table(case["counts"]), [case["M"] - case["M1"], case["M1"]]
        by_verdict = corrected_pass_rate(table, pool, drawn="by-verdict")
        assert by_verdict.value == approx(case["stratified"][0], abs=6e-7)
        elsewhere = corrected_pass_rate(table, pool, drawn="elsewhere")
        assert limits(elsewhere) == approx(tuple(case["lang_reiczigel"]), abs=6e-7)
        assert elsewhere.value == approx(case["rogan_gladen"], abs=6e-7)


@pytest.mark.parametrize(
    ("judge_passes", "passes_kept", "fails_let_through", "labelled"),
    [(0.95, 0.8, 0.02, 100), (0.95, 0.8, 0.02, 200), (0.99, 0.95, 0.1, 100), (0.2, 0.99, 0.5, 40), (0.8, 0.9, 0.1, 50)],
)
def test_intervals_of_corrected_pass_rates_contain_the_true_rate_often_enough_even_for_nearly_useless_judges(
    judge_passes: float, passes_kept: float, fails_let_through: float, labelled: int
) -> None:
    """At most .07 of 95 % limits may miss, and 2.5 standard errors of 800 draws; Lang and Reiczigel's miss in .16."""
    generator = np.random.default_rng(5)
    rate = judge_passes * passes_kept + (1 - judge_passes) * fails_let_through
    among_passes, among_fails = judge_passes * passes_kept / rate, judge_passes * (1 - passes_kept) / (1 - rate)
    missed = 0
    for _ in range(800):
        gold = generator.random(labelled) < rate
        judged = generator.random(labelled) < np.where(gold, among_passes, among_fails)
        table = np.array([[np.sum((gold == g) & (judged == j)) for j in (0, 1)] for g in (0, 1)])
        passed = int(generator.binomial(2000, judge_passes))
        estimate = rogan_gladen(table, [2000 - passed, passed])
        if estimate.low is not None and estimate.high is not None:
            missed += not estimate.low <= rate <= estimate.high
    assert missed / 800 <= 0.07 + 2.5 * np.sqrt(0.07 * 0.93 / 800)


def test_pass_rates_equal_those_in_the_file_of_reference_values() -> None:
    case = block("reference.yaml", "corrected_pass_rate")
    table = as_table([case["counts"][cell] for cell in ("n11", "n10", "n01", "n00")])
    pool = [case["unlabelled"] - case["unlabelled_pass"], case["unlabelled_pass"]]
    assert corrected_pass_rate(table, pool, drawn="elsewhere").value == approx(case["rogan_gladen"], abs=6e-11)
    rate = corrected_pass_rate(table, pool, drawn="by-verdict").value
    assert rate == approx(case["stratified_pool_only"], abs=6e-11)
    assert corrected_pass_rate(table, pool, drawn="random").value == approx(
        case["stratified_pool_and_labelled"], abs=6e-11
    )


@given(st.integers(9, 40), st.integers(9, 40), counts, st.integers(1, 400))
@settings(max_examples=60, deadline=None)
def test_the_pass_rate_of_a_judge_that_never_errs_on_labels_is_not_corrected(
    fails: int, passes: int, pool_fails: int, pool_passes: int
) -> None:
    pool = [pool_fails, pool_passes]
    by_verdict = corrected_pass_rate([[fails, 0], [0, passes]], pool, drawn="by-verdict")
    assert by_verdict.value == approx(pool_passes / (pool_fails + pool_passes))
    elsewhere = corrected_pass_rate([[fails, 0], [0, passes]], pool, drawn="elsewhere")
    if elsewhere.value is not None:
        assert elsewhere.value == approx(pool_passes / (pool_fails + pool_passes))


@given(
    st.tuples(counts, counts, counts, counts), st.tuples(counts, counts), st.sampled_from(["by-verdict", "elsewhere"])
)
@settings(max_examples=150, deadline=None)
def test_the_interval_of_a_pass_rate_contains_the_rate_and_lies_within_0_and_1(
    cells: tuple[int, ...], pool: tuple[int, int], drawn: Any
) -> None:
    estimate = corrected_pass_rate(as_table(list(cells)), pool, drawn=drawn)
    if estimate.value is None:
        assert estimate.undefined
    else:
        assert estimate.low is not None
        assert estimate.high is not None
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@given(st.tuples(counts, counts, counts, counts), st.integers(1, 60), st.integers(1, 60))
@settings(max_examples=80, deadline=None)
def test_exchanging_pass_and_fail_gives_one_minus_the_pass_rate(
    cells: tuple[int, ...], fails: int, passes: int
) -> None:
    table = np.array(as_table(list(cells)))
    for drawn in ("by-verdict", "elsewhere"):
        rate = corrected_pass_rate(table, [fails, passes], drawn=drawn)
        turned = corrected_pass_rate(table[::-1, ::-1], [passes, fails], drawn=drawn)
        if rate.value is None or rate.low is None:
            assert turned.value is None
        else:
            assert (turned.value, turned.high) == approx((1 - rate.value, 1 - rate.low), abs=1e-9)


def test_more_labels_of_the_same_kind_narrow_the_interval_of_a_pass_rate() -> None:
    once = corrected_pass_rate(LABELLED, POOL, drawn="by-verdict")
    tenfold = corrected_pass_rate(10 * np.array(LABELLED), POOL, drawn="by-verdict")
    assert once.high is not None
    assert once.low is not None
    assert tenfold.high is not None
    assert tenfold.low is not None
    assert tenfold.high - tenfold.low < 0.5 * (once.high - once.low)


def test_strata_other_than_verdicts_are_weighted_by_their_share_of_the_unlabelled_responses() -> None:
    labelled, pool = np.array([[8, 2], [5, 5], [1, 9], [0, 6]]), np.array([100, 200, 300, 400])
    estimate = by_strata(labelled, pool)
    share, size = pool / 1000, labelled.sum(axis=1)
    p = (labelled[:, 1] + 0.5) / (size + 1)
    by_pool = 1.959963985**2 * (share * (p - share @ p) ** 2).sum() / 1000
    raw = labelled[:, 1] / size
    assert estimate.value == approx(share @ raw)
    low, high = np.transpose([mid_p_limits(passes, n) for passes, n in zip(labelled[:, 1], size, strict=True)])
    assert estimate.low == approx(share @ raw - np.sqrt((share**2 * (raw - low) ** 2).sum() + by_pool))
    assert estimate.high == approx(share @ raw + np.sqrt((share**2 * (high - raw) ** 2).sum() + by_pool))


def test_a_pass_rate_from_strata_equals_that_from_labels_drawn_by_verdict_if_each_verdict_is_a_stratum() -> None:
    by_verdict = corrected_pass_rate(LABELLED, POOL, drawn="by-verdict")
    assert limits(by_strata([[16, 3], [4, 27]], POOL)) == approx(limits(by_verdict))


def test_labels_stated_as_random_are_refused_if_the_judge_s_pass_rate_among_them_differs_from_the_pool_s() -> None:
    estimate = corrected_pass_rate([[22, 3], [3, 22]], POOL, drawn="random")
    assert estimate.undefined == (
        "the labels aren't a random part of the pool: the judge passed 50% of them and 70% of the rest; "
        "say by-verdict or elsewhere, or label a random part"
    )
    assert random_draw_p([25, 25], POOL) == approx(0.0028, abs=5e-5)
    assert corrected_pass_rate([[17, 3], [3, 27]], POOL, drawn="random").value is not None


def test_labels_are_tested_for_being_a_random_draw_by_comparing_two_proportions() -> None:
    assert random_draw_p([30, 70], [300, 700]) == 1
    assert random_draw_p([0, 20], [0, 300]) == 1
    assert random_draw_p([10, 40], [40, 60]) == approx(0.0143059, abs=1e-7)


@pytest.mark.parametrize(
    ("labelled", "pool", "drawn", "why"),
    [
        ([[0, 5], [0, 25]], POOL, "by-verdict", "none of the judge's fails labelled, 30% of the pool: label some"),
        ([[5, 0], [5, 0]], POOL, "by-verdict", "none of the judge's passes labelled, 70% of the pool: label some"),
        (LABELLED, [0, 0], "by-verdict", "the pool is empty"),
        (LABELLED, [0, 0], "elsewhere", "the pool is empty"),
        ([[0, 0], [0, 0]], POOL, "random", "none of the judge's fails labelled"),
        (
            [[0, 0], [5, 25]],
            POOL,
            "elsewhere",
            "people failed none of the labelled examples: label some that they fail",
        ),
        (
            [[5, 25], [0, 0]],
            POOL,
            "elsewhere",
            "people passed none of the labelled examples: label some that they pass",
        ),
        ([[10, 10], [9, 11]], POOL, "elsewhere", "hardly show that the judge distinguishes passes from fails"),
        ([[5, 25], [20, 10]], POOL, "elsewhere", "hardly show that the judge distinguishes passes from fails"),
        ([[2, 3], [1, 9]], POOL, "elsewhere", "(J = 0.26, 0.42 is the least to correct by)"),
    ],
)
def test_a_pass_rate_that_cannot_be_estimated_is_undefined_and_the_reason_says_what_to_do(
    labelled: list[list[int]], pool: list[int], drawn: Any, why: str
) -> None:
    estimate = corrected_pass_rate(labelled, pool, drawn=drawn)
    assert estimate.value is None
    assert estimate.undefined is not None
    assert why in estimate.undefined


def test_a_stratum_of_responses_that_is_too_small_to_matter_needs_no_labels() -> None:
    estimate = corrected_pass_rate([[0, 5], [0, 25]], [10, 990], drawn="by-verdict")
    assert estimate.value == approx(0.99 * 25 / 30 + 0.01 * 0.5)


def test_a_pass_rate_by_strata_other_than_verdicts_needs_5_labels_in_each_stratum_and_at_most_5_strata() -> None:
    few = by_strata([[3, 1], [5, 5], [4, 4]], [104, 110, 108])
    assert few.undefined == "only 4 of the stratum 1 labelled, 32% of the pool: label at least 5 of the stratum 1"
    six = by_strata([[5, 5]] * 6, [10] * 6)
    assert six.undefined == "6 strata are too many: merge them into 5 or fewer"


def test_pass_rates_that_are_cut_at_0_or_estimated_from_few_labels_are_marked_approximate() -> None:
    assert corrected_pass_rate([[1, 4], [1, 20]], POOL, drawn="by-verdict").note == (
        "approximate: only 2 labelled in a stratum"
    )
    assert rogan_gladen([[6, 0], [3, 27]], POOL).note == "approximate: only 6 labelled fails; ten of each are the least"
    clipped = rogan_gladen([[10, 10], [0, 30]], [900, 100])
    assert (clipped.value, clipped.low) == (0, 0)
    assert clipped.note == "approximate: clipped from −0.800: the judge errs otherwise here than on the labels"


def test_a_pass_rate_clipped_to_100_percent_is_reported_as_clipped_even_if_the_rate_is_also_approximate() -> None:
    assert rogan_gladen([[8, 0], [8, 32]], [2, 198]).note == (
        "approximate: only 8 labelled fails; ten of each are the least; "
        "clipped from 1.237: the judge errs otherwise here than on the labels"
    )


# -------------------------------------------------------------------------------------------------------- promises


# -------------------------------------------------------------------------------------------------------- refusals

WRONG: list[tuple[Any, str]] = [
    (lambda: corrected_pass_rate([[1, 2, 3], [1, 2, 3]], POOL, drawn="random"), r"\(2, 2\), not \(2, 3\)"),
    (lambda: corrected_pass_rate(LABELLED, [1, 2, 3], drawn="random"), r"\(2,\), not \(3,\)"),
    (lambda: corrected_pass_rate([[1, 2], [3, -4]], POOL, drawn="random"), "whole numbers of 0 or more"),
    (lambda: corrected_pass_rate([[1.0, 2.0], [3.0, 4.5]], POOL, drawn="random"), "whole numbers of 0 or more"),
    (lambda: random_draw_p([0, 0], POOL), "not 0 and 1000"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_invalid_arguments_of_functions_for_pass_rates_raise_an_error_that_names_the_arguments(
    call: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# --------------------------------------------------------------------------------------------- unequal chances


def test_only_the_ratios_of_sampling_weights_matter_to_a_pass_rate() -> None:
    counts, pool = [[8, 2], [5, 5], [1, 9]], [200, 300, 500]
    assert limits(by_strata(counts, pool, weight=7.5)) == approx(limits(by_strata(counts, pool)))


def test_sampling_weights_correct_a_pass_rate_for_unequal_chances_and_widen_its_interval() -> None:
    draw = np.random.default_rng(4)
    truth = draw.random(20_000) < np.where(np.arange(20_000) % 2, 0.9, 0.3)
    chance = np.where(np.arange(20_000) % 2, 0.005, 0.02)
    values = []
    for _ in range(200):
        taken = draw.random(20_000) < chance
        e = weighted_pass_rate(truth[taken], np.zeros(taken.sum(), dtype=int), 1 / chance[taken], [20_000], names=ALL)
        assert e.value is not None
        assert e.n == taken.sum()
        values.append(e.value)
    assert np.mean(values) == approx(0.6, abs=0.01)
    equal = weighted_pass_rate([0, 1] * 40, [0] * 80, [1.0] * 80, [500], names=ALL)
    uneven = weighted_pass_rate([0, 1] * 40, [0] * 80, [1.0, 1.0, 4.0, 4.0] * 20, [500], names=ALL)
    assert equal.low is not None
    assert uneven.low is not None
    assert uneven.low < equal.low


@pytest.mark.parametrize(
    ("passed", "stratum", "weights", "message"),
    [
        ([1, 2], [0, 0], [1, 1], "0 or 1"),
        ([1, 0], [0, 2], [1, 1], "number of a stratum"),
        ([1, 0], [0, 1], [1, 0], "above 0"),
        ([1, 0], [0, 1], [1], "equally long"),
    ],
)
def test_labels_with_invalid_sampling_weights_are_refused(
    passed: Any, stratum: Any, weights: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        weighted_pass_rate(passed, stratum, weights, [10, 10], names=("clear", "doubtful"))


def test_a_stratum_of_responses_without_labels_leaves_the_weighted_pass_rate_undefined() -> None:
    e = weighted_pass_rate([1, 0], [0, 0], [1, 1], [50, 50], names=["clear", "doubtful"])
    assert e.undefined == "none of the doubtful labelled, 50% of the pool: label some of the doubtful"
