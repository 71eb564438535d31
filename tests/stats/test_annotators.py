"""Agreement of annotators with each other and with a judge, and gold labels."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import trapezoid

from markscheme.stats.annotators import (
    EPSILON,
    alternative_annotator_test,
    ceiling,
    gold,
)
from markscheme.stats.coefficients import agreement
from markscheme.stats.intervals import ATANH, IDENTITY, jackknife
from tests.stats.shared_numbers import block

approx = pytest.approx
nan = np.nan
FIVE = [0, 1, 2, 3, 4]

JUDGE = [
    3,
    4,
    0,
    4,
    2,
    1,
    4,
    2,
    3,
    1,
    1,
    0,
    2,
    2,
    1,
    0,
    0,
    0,
    0,
    3,
    0,
    4,
    3,
    0,
    0,
    2,
    1,
    4,
    0,
    4,
    4,
    3,
    1,
    2,
    2,
    2,
    3,
    3,
]
PEOPLE = [
    [2, 4, 0, 4, 2, 3, 2, 1, 3, 0, 0, 1, 2, 2, 0, 0, 0, 0, 0, 3, 1, 4, 1, 1, 0, 2, 1, 2, 0, 4, 4, 3, 1, 0, 3, 1, 4, 3],
    [4, 4, 0, 4, 3, 2, 3, 1, 4, 0, 1, 1, 2, 1, 1, 0, 0, 0, 1, 4, 0, 2, 3, 0, 0, 2, 0, 4, 0, 4, 3, 4, 0, 0, 2, 2, 3, 3],
    [2, 4, 0, 4, 2, 4, 3, 0, 4, 0, 0, 2, 2, 2, 0, 0, 0, 1, 0, 4, 2, 2, 3, 1, 0, 1, 1, 4, 0, 4, 4, 4, 1, 1, 3, 3, 3, 3],
]


def drawn(n: int, noise: float, seed: int, people: int = 3, judge_noise: float | None = None) -> tuple[Any, Any]:
    """Draw ratings on five levels by annotators with equal noise, and by a judge with a noise of its own."""
    draw = np.random.default_rng(seed)
    truth = draw.normal(2, 1.2, (n, 1))
    spreads = np.r_[np.full(people, noise), judge_noise or noise]
    ratings = np.clip(np.rint(truth + draw.normal(0, 1, (n, people + 1)) * spreads), 0, 4)
    return ratings[:, :people], ratings[:, people]


# ------------------------------------------------------------------------------------------------------------ gold


def test_gold_is_the_median_of_annotators_and_may_lie_halfway_between_two_levels() -> None:
    table: list[list[float]] = [[1, 1, 4], [1, 2, nan], [nan, nan, 3], [nan, nan, nan], [0, 1, nan]]
    assert gold(table).tolist() == approx([1, 1.5, 3, nan, 0.5], nan_ok=True)


def test_gold_by_majority_has_no_value_where_two_levels_are_equally_frequent() -> None:
    table: list[list[float]] = [[1, 1, 4], [1, 2, nan], [nan, nan, 3], [nan, nan, nan], [0, 0, 1]]
    assert gold(table, by="majority").tolist() == approx([1, nan, 3, nan, 0], nan_ok=True)


def test_the_mean_of_annotators_as_gold_leaves_out_annotators_who_did_not_rate() -> None:
    assert gold([[1, 2, nan], [nan, nan, nan]], by="mean").tolist() == approx([1.5, nan], nan_ok=True)


@given(arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.sampled_from([0.0, 1.0, 2.0, nan])))
@settings(max_examples=80, deadline=None)
def test_gold_by_the_median_of_annotators_equals_numpy_s_median(
    table: Any,
) -> None:
    medians = [np.median(row[~np.isnan(row)]) if (~np.isnan(row)).any() else nan for row in table]
    assert gold(table).tolist() == approx(medians, nan_ok=True)
    for by in ("median", "majority", "mean"):
        turned = gold(table[:, ::-1], by=by)
        assert gold(table, by=by).tolist() == approx(turned.tolist(), nan_ok=True)


def test_gold_of_a_yes_no_criterion_is_the_majority_of_an_odd_number_of_annotators() -> None:
    table = np.array([[0, 1, 1], [0, 0, 1], [1, 1, 1]])
    assert gold(table).tolist() == gold(table, by="majority").tolist() == [1, 0, 1]


# ---------------------------------------------------------------------------------------------------------- ceiling


def test_alpha_of_annotators_is_the_mean_of_alpha_over_pairs_of_annotators() -> None:
    people, judge = np.array(PEOPLE, dtype=float).T, np.array(JUDGE, dtype=float)
    everyone = np.column_stack([judge, people])

    def mean_alpha(rows: Any, pairs: list[tuple[int, int]]) -> float:
        alphas = [
            agreement(rows[:, pair], "krippendorff_alpha", levels=FIVE, weights="ordinal").value for pair in pairs
        ]
        return float(np.mean(np.array(alphas, dtype=float)))

    limit = ceiling(people, judge, levels=FIVE)
    both_pairs = ([(1, 2), (1, 3), (2, 3)], [(0, 1), (0, 2), (0, 3)])
    among, with_judge = (mean_alpha(everyone, pairs) for pairs in both_pairs)
    left_out = [
        np.array([mean_alpha(np.delete(everyone, i, axis=0), pairs) for i in range(len(everyone))])
        for pairs in both_pairs
    ]
    wanted = jackknife(among, left_out[0], transform=ATANH)
    assert (limit.people.value, limit.people.low) == approx((wanted.value, wanted.low))
    wanted = jackknife(with_judge, left_out[1], transform=ATANH)
    assert (limit.judge.value, limit.judge.high) == approx((wanted.value, wanted.high))
    wanted = jackknife(with_judge - among, left_out[1] - left_out[0], transform=IDENTITY, level=0.90)
    assert (limit.gap.value, limit.gap.low, limit.gap.high) == approx((wanted.value, wanted.low, wanted.high))
    assert limit.gap.level == 0.90


def test_krippendorff_s_alpha_averaged_over_pairs_of_annotators_weights_pairs_by_their_common_examples() -> None:
    """Two annotators agree on about nine in ten of 400 examples; a third rates 40 of these exactly as the first."""
    draw = np.random.default_rng(3)
    first = draw.integers(0, 2, 400).astype(float)
    second = np.where(draw.random(400) < 0.9, first, 1 - first)
    third = np.where(np.arange(400) < 40, first, nan)
    people = np.column_stack([first, second, third])
    pairs = [people[:, pair] for pair in ([0, 1], [0, 2], [1, 2])]
    alphas = [agreement(pair, "krippendorff_alpha", levels=[0, 1], weights="nominal").value for pair in pairs]
    mean = ceiling(people, first, levels=[0, 1], metric="nominal").people.value
    assert mean == approx(float(np.average(np.array(alphas, dtype=float), weights=[400, 40, 40])))


@pytest.mark.parametrize("between", ["judge", "annotators"])
def test_alphas_use_the_interval_metric_if_a_judge_or_an_annotator_gives_ratings_between_the_levels(
    between: str,
) -> None:
    people, judge = (ratings.copy() for ratings in drawn(60, 0.5, 1))
    changed = judge if between == "judge" else people[:, 0]
    changed[changed < 4] += 0.5
    everyone = np.column_stack([judge, people])

    def alpha(pair: tuple[int, int]) -> float:
        return agreement(everyone[:, pair], "krippendorff_alpha", levels=FIVE, weights="interval").value or nan

    limit = ceiling(people, judge, levels=FIVE)
    assert limit.people.value == approx(np.mean([alpha(pair) for pair in ((1, 2), (1, 3), (2, 3))]))
    assert limit.judge.value == approx(np.mean([alpha(pair) for pair in ((0, 1), (0, 2), (0, 3))]))


def test_a_judge_as_good_as_an_annotator_is_shown_to_be_as_good_and_a_poor_judge_is_not() -> None:
    good = [ceiling(*drawn(100, 0.5, seed), levels=FIVE).as_good for seed in range(20)]
    poor = [ceiling(*drawn(100, 0.5, seed, judge_noise=1.0), levels=FIVE).as_good for seed in range(20)]
    assert sum(map(bool, good)) >= 16
    assert sum(map(bool, poor)) <= 1


def test_the_interval_of_the_difference_in_alpha_reaches_below_0_even_if_judge_and_annotators_agree_fully() -> None:
    rating = np.tile([0.0, 1, 2, 3, 4], 8)
    limit = ceiling(np.column_stack([rating, rating]), rating, levels=FIVE)
    assert limit.gap.value == 0
    assert limit.gap.low is not None
    assert -0.5 < limit.gap.low < -0.05
    assert limit.as_good is False


def test_the_jackknife_of_alpha_leaves_out_whole_groups_and_ignores_missing_ratings() -> None:
    people, judge = drawn(120, 0.5, 7)
    by_task = ceiling(people, judge, levels=FIVE, groups=np.arange(120) // 3)
    assert by_task.gap.n == 40
    people[:40, 2] = nan
    judge[100:] = nan
    limit = ceiling(people, judge, levels=FIVE)
    assert limit.gap.n == 100
    alone = ceiling(people[:100], judge[:100], levels=FIVE)
    assert (limit.gap.value, limit.gap.low) == (alone.gap.value, alone.gap.low)


def test_comparing_a_judge_with_annotators_needs_two_annotators_who_share_thirty_examples() -> None:
    people, judge = drawn(29, 0.5, 1)
    few = ceiling(people, judge, levels=FIVE)
    why = "needs 30 examples that two annotators rated"
    assert few.people.undefined == why
    assert few.judge.undefined == few.gap.undefined == f"{why}, and the judge"
    assert few.as_good is None
    assert ceiling(people[:, :1], judge, levels=FIVE).gap.undefined == f"{why}, and the judge"


def test_agreement_among_annotators_does_not_depend_on_the_judge() -> None:
    people, judge = drawn(120, 0.5, 7)
    whole = ceiling(people, judge, levels=FIVE)
    judge[30:] = nan
    judge[:28] = 0
    mirrored = ceiling(people, judge, levels=FIVE)
    assert mirrored.people == whole.people
    assert mirrored.judge.note == "withheld: only 2 examples outside the most common level"
    assert (mirrored.gap.n, whole.gap.n) == (30, 120)


def test_if_ratings_hardly_vary_the_gap_in_alpha_between_judge_and_annotators_is_undefined_or_has_no_interval() -> None:
    same = np.ones((40, 2))
    assert ceiling(same, same[:, 0], levels=[0, 1], metric="nominal").gap.undefined == (
        "one level only, for two annotators or an annotator and the judge"
    )
    people = same.copy()
    people[:3] = 0
    judge = people[:, 0].copy()
    judge[4] = 0
    limit = ceiling(people, judge, levels=[0, 1], metric="nominal")
    assert (limit.gap.low, limit.as_good) == (None, None)
    assert limit.gap.note == "withheld: only 3 examples outside the most common level"


# ------------------------------------------------------------------------------------------- alternative annotators


def test_the_alternative_annotator_test_gives_the_values_of_its_authors_program() -> None:
    case = block("reference.yaml", "alt_test")
    people = np.column_stack([case["h0"], case["h1"], case["h2"]])
    for result in case["results"]:
        outcome = alternative_annotator_test(
            people, case["judge"], epsilon=result["epsilon"], closeness=result["scoring"]
        )
        assert outcome.winning_rate.value == result["winning_rate"]
        assert outcome.advantage.value == approx(result["advantage"], abs=6e-11)
        assert outcome.passed is (result["winning_rate"] >= 0.5)


def test_the_alternative_annotator_test_is_a_t_test_that_compares_judge_and_annotator_with_other_annotators() -> None:
    people, judge = drawn(60, 0.6, 3)
    outcome = alternative_annotator_test(people, judge, epsilon=0.1)
    others = people[:, 1:]
    near_judge, near_person = ((rating[:, None] == others).mean(axis=1) for rating in (judge, people[:, 0]))
    behind = (near_person >= near_judge).astype(float) - (near_judge >= near_person)
    t = (behind.mean() - 0.1) / (behind.std(ddof=1) / np.sqrt(60))
    first = outcome.people[0]
    assert first is not None
    assert first.p == approx(student_below(t, 59), abs=1e-6)
    assert first.judge_wins == approx((near_judge >= near_person).mean())
    assert [p.adjusted_p >= p.p for p in outcome.people if p is not None] == [True] * 3


def student_below(t: float, df: int) -> float:
    """Student's distribution function by adding up its density."""
    x = np.linspace(-60, t, 400_001)
    density = (1 + x * x / df) ** (-(df + 1) / 2)
    everything = np.linspace(-60, 60, 400_001)
    whole = (1 + everything**2 / df) ** (-(df + 1) / 2)
    return float(trapezoid(density, x) / trapezoid(whole, everything))


def test_the_alternative_annotator_test_has_a_p_value_of_0_or_1_if_all_examples_have_the_same_outcome() -> None:
    same = np.tile([0.0, 1.0, 2.0], 12)
    alike = alternative_annotator_test(np.column_stack([same] * 3), same, epsilon=EPSILON["crowd"])
    assert [p.p for p in alike.people if p is not None] == [0, 0, 0]
    apart = alternative_annotator_test(np.column_stack([same] * 3), same + 1, epsilon=EPSILON["crowd"])
    assert [p.p for p in apart.people if p is not None] == [1, 1, 1]
    assert (apart.winning_rate.value, apart.advantage.value, apart.passed) == (0, 0, False)


def test_the_alternative_annotator_test_is_undefined_without_three_annotators_and_thirty_examples() -> None:
    people, judge = drawn(29, 0.5, 1)
    why = "needs 3 people, one of them with 30 examples shared with the judge"
    assert alternative_annotator_test(people, judge).winning_rate.undefined == why
    people, judge = drawn(60, 0.5, 1)
    two = alternative_annotator_test(people[:, :2], judge)
    assert two.winning_rate.undefined == two.advantage.undefined == why
    assert two.passed is None


def test_an_annotator_with_too_few_examples_is_left_out_of_the_alternative_annotator_test() -> None:
    people, judge = drawn(60, 0.5, 4)
    people[20:, 2] = nan
    outcome = alternative_annotator_test(people, judge)
    assert outcome.people[2] is None
    assert outcome.winning_rate.n == 2


# --------------------------------------------------------------------------------------------------------- refusals

WRONG: list[tuple[Any, str]] = [
    (lambda: gold([1.0, 2.0]), r"\(n_units, n_people\), not \(2,\)"),
    (lambda: gold([[np.inf]]), "finite"),
    (lambda: gold([[1.0]], by="mode"), "not 'mode'"),  # type: ignore[arg-type]
    (lambda: ceiling([[1, 2], [1, 2]], [1], levels=FIVE), r"\(2,\).*\(1,\)"),
    (lambda: ceiling([[1, 2], [1, 2]], [np.inf, 1], levels=FIVE), "finite"),
    (lambda: alternative_annotator_test([[1, 2]], [1], closeness="cosine"), "not 'cosine'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_invalid_arguments_of_statistics_on_annotators_raise_an_error_that_names_the_arguments(
    call: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call()
