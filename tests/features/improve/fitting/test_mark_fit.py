"""The pass mark from decisions, where false passes cost more or less than false fails."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from markscheme.features.improve.fitting.decided import AuthorNumbers, DecidedRows
from markscheme.features.improve.fitting.mark_fit import fitted_mark, mark_test, snapped_mark
from markscheme.features.improve.fitting.proposal import nested_gain

approx = pytest.approx
EACH = 0.05


def judged(n: int, mark: float, seed: int, noise: float = 0.12) -> tuple[Any, Any]:
    """Simulate scores in twentieths, and decisions of people who pass responses from `mark` on."""
    draw = np.random.default_rng(seed)
    scores = draw.integers(0, 21, n) / 20
    return scores, (scores + draw.normal(0, noise, n) >= mark).astype(float)


@pytest.mark.parametrize("odds", [0.2, 1.0, 5.0])
def test_the_fitted_pass_mark_is_the_score_at_which_the_odds_of_a_pass_equal_the_cost_of_a_false_pass(
    odds: float,
) -> None:
    scores, passed = judged(200, 0.6, 1)
    p, crossing = mark_test(scores, passed, np.ones(200), 0.4, odds)

    def loss(b: Any) -> float:
        eta = b[0] + b[1] * (scores - 0.4)
        return float(np.logaddexp(0, eta).sum() - passed @ eta + 0.005 * b[1] ** 2)

    free = minimize(loss, [0.0, 5.0], tol=1e-12)

    def loss_of_slope(b: Any) -> float:
        return loss([math.log(odds), b[0]])

    fixed = minimize(loss_of_slope, [5.0], tol=1e-12)
    assert crossing is not None
    assert expit(free.x[0] + free.x[1] * (crossing - 0.4)) == approx(odds / (1 + odds), abs=1e-4)
    assert p == approx(math.erfc(math.sqrt(fixed.fun - free.fun)), rel=1e-2)


def test_costlier_false_passes_raise_the_pass_mark_and_costlier_false_fails_lower_it() -> None:
    scores, passed = judged(300, 0.5, 3)
    marks = [fitted_mark(scores, passed, np.ones(300), 0.1, significance=EACH, odds=odds) for odds in (0.2, 1.0, 5.0)]
    assert marks[0] < marks[1] < marks[2]


def test_the_gain_of_a_new_pass_mark_counts_wrong_decisions_by_their_cost() -> None:
    scores, passed = judged(200, 0.5, 5, noise=0.3)
    rows = DecidedRows(
        levels=scores[:, None],
        passed=passed,
        remainder=np.zeros(200),
        units=np.arange(200),
        names=tuple(map(str, range(200))),
        weights=np.ones(200),
    )
    gains = [nested_gain(rows, AuthorNumbers(np.ones(1), 1.0, 0.5, odds=odds), mark_alone=True) for odds in (1.0, 9.0)]
    assert gains[0].gain <= 0.01
    assert gains[1].gain > 0.03


def test_scores_that_separate_passes_from_fails_completely_still_give_a_pass_mark() -> None:
    scores = np.r_[np.linspace(0, 0.4, 40), np.linspace(0.6, 1, 40)]
    assert mark_test(scores, (scores > 0.5).astype(float), np.ones(80), 0.2)[1] == approx(0.5, abs=0.02)


def test_the_pass_mark_is_kept_if_people_pass_responses_with_higher_scores_less_often() -> None:
    scores, passed = judged(100, 0.5, 6)
    assert mark_test(scores, 1 - passed, np.ones(100), 0.3)[1] is None
    assert fitted_mark(scores, 1 - passed, np.ones(100), 0.3, significance=EACH) == 0.3


def test_a_fitted_pass_mark_lies_between_attainable_scores_and_has_few_decimals() -> None:
    attainable = np.array([0, 0.25, 0.5, 0.75, 1])
    assert snapped_mark(0.55, attainable) == 0.62
    assert snapped_mark(-0.3, attainable) == 0.0
    assert snapped_mark(1.4, attainable) == 1.0
