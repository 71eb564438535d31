"""The pass mark from labels."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from markscheme.features.improve.pass_mark import TunedMark, fit_pass_mark, propose_pass_mark
from markscheme.stats.estimate import Estimate

approx = pytest.approx


def judged(n: int, mark: float, seed: int, noise: float = 0.12) -> tuple[Any, Any]:
    """Scores in twentieths, and what people who draw the line at `mark` pass."""
    draw = np.random.default_rng(seed)
    scores = draw.integers(0, 21, n) / 20
    return scores, (scores + draw.normal(0, noise, n) >= mark).astype(float)


def by_hand(scores: Any, passed: Any, author: float) -> tuple[float, float, float]:
    """Intercept, slope and penalised log-likelihood of the ridged logistic fit, by a general optimiser."""

    def loss(b: Any) -> float:
        eta = b[0] + b[1] * (scores - author)
        return float(np.logaddexp(0, eta).sum() - passed @ eta + 0.005 * b[1] ** 2)

    best = minimize(loss, [0.0, 5.0], tol=1e-12)
    return best.x[0], best.x[1], -best.fun


def test_the_mark_is_where_people_pass_half() -> None:
    scores, passed = judged(200, 0.6, 1)
    tuned = fit_pass_mark(scores, passed, 0.4)
    intercept, slope, loglik = by_hand(scores, passed, 0.4)
    assert tuned.crossing.value == approx(0.4 - intercept / slope, abs=1e-5)

    def penalized(b: Any) -> float:
        eta = b[0] * (scores - 0.4)
        return float(np.logaddexp(0, eta).sum() - passed @ eta + 0.005 * b[0] ** 2)

    ratio = 2 * (loglik + minimize(penalized, [5.0], tol=1e-12).fun)
    assert tuned.p == approx(math.erfc(math.sqrt(ratio / 2)), rel=1e-3)
    assert tuned.supported
    assert 0.55 < tuned.after <= 0.65
    low, high = tuned.crossing.low, tuned.crossing.high
    assert low is not None
    assert high is not None
    assert low < 0.6 < high


def test_the_interval_of_the_crossing_is_that_of_leaving_each_example_out() -> None:
    scores, passed = judged(60, 0.5, 2, noise=0.2)
    crossing = fit_pass_mark(scores, passed, 0.3).crossing
    left_out = []
    for i in range(60):
        keep = np.arange(60) != i
        intercept, slope, _ = by_hand(scores[keep], passed[keep], 0.3)
        left_out.append(0.3 - intercept / slope)
    se = math.sqrt(59 / 60 * ((np.array(left_out) - np.mean(left_out)) ** 2).sum())
    assert crossing.high is not None
    assert (crossing.high - (crossing.value or 0)) / se == approx(2.04, abs=0.08)


def test_a_right_mark_is_kept_and_a_wrong_one_moved() -> None:
    kept = [fit_pass_mark(*judged(100, 0.6, seed), 0.6).supported for seed in range(60)]
    moved = [fit_pass_mark(*judged(100, 0.6, seed), 0.4).supported for seed in range(60)]
    assert sum(kept) <= 4
    assert sum(moved) >= 55


def test_dearer_false_passes_raise_the_mark_and_dearer_false_fails_lower_it() -> None:
    scores, passed = judged(300, 0.5, 3)
    marks = [fit_pass_mark(scores, passed, 0.1, cost=cost).after for cost in (0.2, 1.0, 5.0)]
    assert marks == sorted(marks)
    assert marks[0] < marks[2]
    at_cost = fit_pass_mark(scores, passed, 0.5, cost=5.0).crossing.value
    intercept, slope, _ = by_hand(scores, passed, 0.5)
    assert at_cost is not None
    assert expit(intercept + slope * (at_cost - 0.5)) == approx(5 / 6, abs=1e-5)


def test_turning_scores_and_verdicts_round_turns_the_mark_round() -> None:
    scores, passed = judged(150, 0.6, 4)
    mark, turned = fit_pass_mark(scores, passed, 0.5), fit_pass_mark(1 - scores, 1 - passed, 0.5)
    assert turned.crossing.value == approx(1 - (mark.crossing.value or 0), abs=1e-7)
    assert turned.p == approx(mark.p)


def test_a_mark_is_proposed_between_attainable_scores_and_only_if_it_decides_otherwise() -> None:
    scores, passed = judged(300, 0.6, 5, noise=0.05)
    coarse = np.rint(scores * 4) / 4
    tuned = fit_pass_mark(coarse, passed, 0.3, attainable=[0, 0.25, 0.5, 0.75, 1])
    assert tuned.supported
    assert tuned.after in (0.38, 0.62)
    same = fit_pass_mark(scores, passed, 0.5, attainable=[0, 0.4, 0.7, 1])
    assert not same.supported
    assert same.reason == "no attainable score lies between your mark and the better one"


def test_scores_that_part_passes_from_fails_completely_still_give_a_mark() -> None:
    scores = np.r_[np.linspace(0, 0.4, 40), np.linspace(0.6, 1, 40)]
    tuned = fit_pass_mark(scores, scores > 0.5, 0.2)
    assert tuned.supported
    assert tuned.crossing.value == approx(0.5, abs=0.02)


def test_a_score_that_does_not_order_what_people_pass_moves_no_mark() -> None:
    scores, passed = judged(100, 0.5, 6)
    fitted = fit_pass_mark(scores, 1 - passed, 0.3)
    assert (fitted.after, fitted.supported) == (0.3, False)
    assert fitted.reason == fitted.crossing.undefined
    assert fitted.reason.startswith(
        "the score doesn't order what passes: the 48 passes score no higher than the 52 fails"
    )


def test_one_score_for_all_examples_moves_no_mark_and_has_no_crossing() -> None:
    fitted = fit_pass_mark(np.full(60, 0.5), np.arange(60) % 2, 0.3)
    assert (fitted.p, fitted.crossing.value, fitted.needed) == (None, None, 110)
    assert fitted.reason == "all 60 labelled examples score 0.5: label others too, 110 examples in all"


@pytest.mark.parametrize(
    ("passes", "fails", "reason", "needed"),
    [
        (20, 20, "40 labelled examples with 20 passes and 20 fails; a mark needs 50 with 10 of each", 50),
        (95, 5, "100 labelled examples with 95 passes and 5 fails; a mark needs 50 with 10 of each", 200),
        (60, 0, "all of 60 labelled examples pass: label some of the other kind", 70),
        (0, 60, "all of 60 labelled examples fail: label some of the other kind", 70),
    ],
)
def test_too_few_passes_or_fails_keep_the_mark_and_say_what_is_needed(
    passes: int, fails: int, reason: str, needed: int | None
) -> None:
    fitted = fit_pass_mark(np.linspace(0, 1, passes + fails), np.r_[np.zeros(fails), np.ones(passes)], 0.5)
    assert not fitted.supported
    assert fitted.reason.startswith(reason)
    assert (fitted.needed, fitted.after) == (needed, 0.5)


def test_the_crossing_stands_alone_where_a_group_holds_all_of_one_kind() -> None:
    scores, passed = judged(100, 0.5, 7)
    tuned = fit_pass_mark(scores, passed, 0.3, groups=passed)
    assert tuned.crossing.low is None
    assert tuned.crossing.note == "withheld: hangs on one group of examples"
    by_fives = fit_pass_mark(scores, passed, 0.3, groups=np.arange(100) // 5)
    assert by_fives.crossing.n == 20


WRONG: list[tuple[Any, str]] = [
    (lambda: fit_pass_mark([0.1, 0.2], [1.0], 0.5), r"\(2,\) and \(1,\)"),
    (lambda: fit_pass_mark([0.1, 0.2], [1.0, 0.5], 0.5), "passed 0 or 1"),
    (lambda: fit_pass_mark([0.1, 0.2], [1.0, 0.0], 1.5), "mark within 0 to 1"),
    (lambda: fit_pass_mark([0.1, 0.2], [1.0, 0.0], 0.5, cost=0), "cost above 0"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_arguments_that_do_not_fit_are_refused_by_name(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_mark_that_is_not_supported_can_not_be_proposed() -> None:
    nothing = Estimate.without_value("not measured", n=0, method="")
    with pytest.raises(ValueError, match="not proposed"):
        TunedMark(0.5, 0.6, False, "", None, None, nothing)


def decided(n: int, mark: float, seed: int) -> tuple[Any, Any]:
    """People's own scores, and what they pass at a mark of their own."""
    return judged(n, mark, seed, noise=0.08)


def test_gold_scores_without_a_decision_give_no_test_and_no_mark() -> None:
    scores, _ = decided(200, 0.5, 1)
    proposal = propose_pass_mark(np.full(200, math.nan), scores - 0.15, 0.5, people=scores)
    assert proposal.through is None
    assert proposal.mark.p is None
    assert not proposal.mark.supported
    assert proposal.mark.after == 0.5


def test_a_judge_that_scores_low_moves_no_mark_that_people_s_own_scores_fit() -> None:
    scores, passed = decided(60, 0.5, 2)
    judge = np.clip(scores - 0.3, 0, 1)
    proposal = propose_pass_mark(passed, judge, 0.5, people=scores)
    assert proposal.through == "people"
    assert not proposal.mark.supported
    assert proposal.mark.p is not None
    assert proposal.mark.p > 0.01
    assert proposal.bias == approx(float((judge - scores).mean()))


def test_without_people_s_scores_the_mark_is_one_for_this_judge() -> None:
    scores, passed = decided(60, 0.5, 2)
    judge = np.clip(scores - 0.15, 0, 1)
    proposal = propose_pass_mark(passed, judge, 0.5)
    assert proposal.through == "judge"
    assert proposal.mark.supported
    assert proposal.mark.after == approx(0.35, abs=0.06)
    assert proposal.mark == fit_pass_mark(judge, passed, 0.5)


def test_people_s_own_scores_move_the_mark_for_the_rubric() -> None:
    scores, passed = decided(60, 0.62, 3)
    proposal = propose_pass_mark(passed, scores - 0.2, 0.4, people=scores)
    assert proposal.through == "people"
    assert proposal.mark.supported
    assert proposal.bias is None
    assert proposal.mark.after == approx(0.62, abs=0.06)


def test_where_both_fit_the_author_s_mark_it_stays_without_a_bias() -> None:
    scores, passed = decided(60, 0.5, 4)
    proposal = propose_pass_mark(passed, scores, 0.5, people=scores)
    assert proposal.through == "people"
    assert not proposal.mark.supported
    assert proposal.bias is None


@pytest.mark.parametrize("n", [49, 50])
def test_people_s_own_scores_count_from_fifty(n: int) -> None:
    scores, passed = decided(60, 0.5, 2)
    people = np.where(np.arange(60) < n, scores, math.nan)
    assert propose_pass_mark(passed, scores, 0.5, people=people).through == ("people" if n == 50 else "judge")


def test_forty_nine_decisions_or_nine_fails_are_too_few() -> None:
    scores, passed = decided(60, 0.5, 2)
    few = np.where(np.arange(60) < 49, passed, math.nan)
    assert propose_pass_mark(few, scores, 0.2).mark.p is None
    passes = np.flatnonzero(passed == 1)[:51]
    fails = np.flatnonzero(passed == 0)[:9]
    kept = np.concatenate([passes, fails, passes])
    assert propose_pass_mark(passed[kept], scores[kept], 0.2).mark.p is None


def test_decisions_and_scores_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="equally long"):
        propose_pass_mark([1.0], [0.5, 0.5], 0.5)
