"""Agreement with gold, with single annotators and of the best constant answer."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from markscheme.stats.agreement_figures import (
    agreement_figures,
    agreement_with_people,
    best_constant,
    close,
    pair_agreement,
    tolerance_ties,
)
from tests.reference.worked_cases import (
    PAIRS_BY_CONSTANT,
    PAIRS_BY_JUDGE,
    PAIRS_BY_PEOPLE,
    PAIRS_CONSTANT,
    PAIRS_JUDGE,
    PAIRS_OF_PEOPLE,
)
from tests.stats.shared_numbers import block

approx = pytest.approx


def test_agreement_averaged_over_examples_equals_that_of_an_independent_program() -> None:
    assert pair_agreement(PAIRS_OF_PEOPLE, 0.1) == approx(PAIRS_BY_PEOPLE, abs=5.1e-5)
    assert agreement_with_people(PAIRS_JUDGE, PAIRS_OF_PEOPLE, 0.1) == approx(PAIRS_BY_JUDGE, abs=5.1e-5)
    assert agreement_with_people(PAIRS_CONSTANT, PAIRS_OF_PEOPLE, 0.1) == approx(PAIRS_BY_CONSTANT, abs=5.1e-5)


def test_agreement_averaged_over_examples_equals_that_of_the_file_of_reference_values() -> None:
    case = block("verdict.yaml", "pairwise")
    people = np.array([[math.nan if score is None else score for score in row] for row in case["people"]])
    tolerance = case["tolerance"]
    assert pair_agreement(people, tolerance) == approx(case["people_by_example"], abs=5.1e-5)
    assert agreement_with_people(case["judge"], people, tolerance) == approx(case["judge_by_example"], abs=5.1e-5)
    constant = agreement_with_people(case["constant"], people, tolerance)
    assert constant == approx(case["constant_by_example"], abs=5.1e-5)


def test_the_baseline_is_a_score_that_gold_or_an_annotator_gave() -> None:
    gold, judge = [0.05, 0.15, 0.5, 0.7], [1.0, 1.0, 1.0, 0.5]
    people = [[0.0, 0.0], [0.1, 0.2], [0.5, 0.5], [0.7, 0.7]]
    assert agreement_figures(gold, judge, people, tolerance=0.1).constant_value == 0.1
    assert agreement_figures(gold, judge, tolerance=0.1).constant_value == 0.05
    midway = agreement_figures([0.1, 0.25], [0.0, 0.0], tolerance=0.1)
    assert midway.constant.value == 0.5


def test_the_baseline_compared_with_annotators_is_the_constant_that_agrees_best_with_their_labels() -> None:
    gold, judge = [0.2] * 3 + [0.8] * 2, [0.2] * 5
    people = [[0.8, 0.8], [0.8, 0.8], [0.8, 0.8], [0.8, 0.8], [0.2, 0.2]]
    figures = agreement_figures(gold, judge, people, tolerance=0.1)
    assert figures.constant_value == 0.2
    assert figures.constant_people.value == 0.8


def test_annotators_are_compared_with_a_judge_only_on_examples_that_two_annotators_and_the_judge_rated() -> None:
    people = [[0.5, 0.5], [0.5, math.nan], [0.5, 0.9], [0.5, 0.5]]
    figures = agreement_figures([0.5] * 4, [0.5, 0.5, 0.5, math.nan], people, tolerance=0.1)
    assert figures.people.n == figures.judge_people.n == figures.constant_people.n == 2
    assert figures.people.value == 0.5
    assert figures.agreement.n == 3
    assert figures.judge_minus_person.value == approx(0.25)


@settings(deadline=None, max_examples=60)
@given(data=st.data(), n=st.integers(2, 12))
def test_the_gain_of_a_judge_is_its_agreement_with_gold_minus_that_of_the_baseline(data: st.DataObject, n: int) -> None:
    scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=n, max_size=n)
    gold, judge = data.draw(scores), data.draw(scores)
    people = np.array([data.draw(scores), data.draw(scores), data.draw(scores)]).T
    figures = agreement_figures(gold, judge, people, tolerance=0.1)
    assert figures.gain.value == approx(figures.agreement.value - figures.constant.value)
    assert figures.judge_minus_person.value == approx(figures.judge_people.value - figures.people.value)
    assert figures.person_minus_constant.value == approx(figures.people.value - figures.constant_people.value)
    candidates = np.unique([*judge, *people.reshape(-1)])
    assert figures.constant.value == approx(max(np.mean(close(gold, c, 0.1)) for c in candidates))


def test_a_difference_of_exactly_the_tolerance_is_not_agreement_whatever_the_rounding() -> None:
    assert close([0.6, 0.7], [0.7, 0.7 - 0.1], 0.1).tolist() == [0.0, 0.0]
    assert close([0.6, 0.3, 0.2], [0.7, 0.2, 0.29], 0.1).tolist() == [0.0, 0.0, 1.0]
    assert close(0.1 + 0.2, 0.4, 0.1) == 0.0


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    gold=st.lists(st.integers(0, 20).map(lambda k: k / 20), min_size=1, max_size=25),
    candidates=st.lists(st.integers(0, 20).map(lambda k: k / 20), min_size=1, max_size=10),
    tolerance=st.sampled_from([0.05, 0.1, 0.15, 0.3]),
)
def test_the_best_constant_answer_agrees_with_most_gold_scores_and_is_the_lowest_of_equally_good_answers(
    gold: list[float], candidates: list[float], tolerance: float
) -> None:
    hits = {answer: float(close(gold, answer, tolerance).sum()) for answer in candidates}
    best = best_constant(gold, candidates, tolerance)
    assert hits[best] == max(hits.values())
    assert best == min(answer for answer, count in hits.items() if count == hits[best])


def test_without_gold_scores_or_possible_answers_there_is_no_best_constant_answer() -> None:
    assert math.isnan(best_constant([math.nan], [0.5], 0.1))
    assert math.isnan(best_constant([0.5], [], 0.1))


def test_the_baseline_is_chosen_among_the_constant_scores_that_the_caller_lists() -> None:
    figures = agreement_figures([1.0, 1.0, 0.0], [1.0, 1.0, 1.0], tolerance=0.5, constants=[0.0, 1.0])
    assert (figures.constant_value, figures.constant.value) == (1.0, 2 / 3)
    only_fails = agreement_figures([1.0, 1.0, 0.0], [1.0, 1.0, 1.0], tolerance=0.5, constants=[0.0])
    assert only_fails.constant_value == 0.0
    assert only_fails.gain.value == approx(1 / 3)


@pytest.mark.parametrize("tolerance", [0.0, -0.1])
def test_a_tolerance_of_zero_or_below_is_refused(tolerance: float) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        close(0.5, 0.5, tolerance)


@pytest.mark.parametrize(("judge", "people"), [([0.5], None), ([0.5, 0.5], [0.5, 0.5]), ([0.5, 0.5], [[0.5]])])
def test_agreement_figures_of_arrays_with_different_shapes_are_refused(judge: Any, people: Any) -> None:
    with pytest.raises(ValueError, match=r"gold and judge|people must"):
        agreement_figures([0.5, 0.6], judge, people, tolerance=0.1)


def test_ties_at_the_tolerance_are_counted_and_agreement_is_given_with_and_without_ties() -> None:
    gold = np.array([0.5, 0.5, 0.5, 0.5, math.nan])
    ties = tolerance_ties(gold, gold + np.array([0.1, -0.1, 0.05, 0.3, 0.1]), tolerance=0.1)
    assert (ties.n, ties.count) == (4, 2)
    assert ties.agreement.value == 0.25
    assert ties.agreement_with_ties.value == 0.75


@pytest.mark.parametrize(("n", "flagged"), [(20, True), (21, False)])
def test_differences_of_exactly_the_tolerance_are_flagged_if_at_least_5_percent_of_the_examples_have_one(
    n: int, flagged: bool
) -> None:
    judge = np.full(n, 0.5)
    judge[0] = 0.6
    assert tolerance_ties(np.full(n, 0.5), judge, tolerance=0.1).flagged is flagged
