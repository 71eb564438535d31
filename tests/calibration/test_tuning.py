"""Weights and pass mark from labels."""

import math
import time
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from markscheme.calibration.tuning import (
    TunedMark,
    TunedWeights,
    fit_pass_mark,
    fit_weights,
    ridge_weights,
    weighted_scores,
    weights_fit_p,
    weights_step,
)
from markscheme.stats.estimate import Estimate
from tests.stats.shared_numbers import block

approx = pytest.approx

X = [
    [0.64, 0.27, 0.04],
    [0.02, 0.81, 0.91],
    [0.61, 0.73, 0.54],
    [0.94, 0.82, 0.0],
    [0.86, 0.03, 0.73],
    [0.18, 0.86, 0.54],
    [0.3, 0.42, 0.03],
    [0.12, 0.67, 0.65],
    [0.62, 0.38, 1.0],
    [0.98, 0.69, 0.65],
    [0.69, 0.39, 0.14],
    [0.72, 0.53, 0.31],
]
Y = [0.38, 0.43, 0.67, 0.79, 0.52, 0.53, 0.35, 0.43, 0.64, 0.81, 0.56, 0.68]
AUTHOR = [0.2, 0.4, 0.4]


def labelled(n: int, weights: list[float], seed: int, noise: float = 0.08) -> tuple[Any, Any]:
    """Levels in quarters, and marks in tenths that follow `weights` with noise."""
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 5, (n, len(weights))) / 4
    y = weighted_scores(x, weights) + draw.normal(0, noise, n)
    return x, np.clip(np.rint(10 * y), 0, 10) / 10


def generator() -> np.random.Generator:
    return np.random.default_rng(11)


# ---------------------------------------------------------------------------------------------------------- weights


def test_weights_of_the_worked_example() -> None:
    fit = ridge_weights(X, Y, AUTHOR)
    weights = np.array(fit.weights)
    assert weights / weights.sum() == approx([0.335772, 0.379415, 0.284813], abs=6e-7)
    assert (fit.slope, fit.penalty) == approx((0.602670, 0.333609), abs=6e-7)
    assert weights_fit_p(X, Y, AUTHOR) == approx(3.8e-5, abs=6e-7)


def test_weights_agree_with_the_simulation_code() -> None:
    case = block("recipes.yaml", "weights_40")
    fit = ridge_weights(case["X"], case["y"], case["author"])
    assert fit.weights == approx(case["w"], abs=6e-7)
    assert (fit.penalty, fit.slope) == approx((case["u"], case["b"]), abs=6e-7)
    assert fit.objective == approx(case["objective"], abs=6e-10)
    assert weights_fit_p(case["X"], case["y"], case["author"]) == approx(case["f_test_p"], abs=6e-7)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_fits_better_within_the_bounds(seed: int) -> None:
    author = [0.5, 0.3, -0.4, 0.2]
    x, y = labelled(40, [0.8, 0.01, -0.2, 0.1] if seed % 2 else [0.2, 0.6, -0.5, 0.4], seed)
    fit = ridge_weights(x, y, author)
    turned, size = (x - x.mean(axis=0)) * np.sign(author), np.abs(author)
    centred = y - y.mean()
    score = turned @ size
    u = 40 * score @ score / (40 * 4)

    def objective(v: Any) -> float:
        misfit = centred - turned @ v[:4]
        return float(misfit @ misfit + u * ((v[:4] - v[4] * size) ** 2).sum() / (size**2).mean())

    best = minimize(objective, np.ones(5), bounds=[(0, None)] * 5, tol=1e-14)
    assert fit.penalty == approx(u)
    assert fit.objective == approx(best.fun, rel=1e-6)
    assert np.array(fit.weights) * np.sign(author) == approx(best.x[:4], abs=2e-4)


def test_an_author_worth_endlessly_many_examples_keeps_the_weights() -> None:
    weights = np.array(ridge_weights(X, Y, AUTHOR, worth=1e9).weights)
    assert weights / weights.sum() == approx(AUTHOR, abs=1e-6)


def test_marks_that_follow_the_authors_weights_exactly_never_speak_against_them() -> None:
    for scale, shift in ((1.0, 0.0), (0.5, 0.2)):
        y = shift + scale * (np.array(X) @ AUTHOR)
        assert weights_fit_p(X, y, AUTHOR) == 1
    x, _ = labelled(60, [0.2, 0.4, 0.4], 1)
    kept = fit_weights(x, x @ AUTHOR, AUTHOR, generator=generator())
    assert not kept.supported
    assert kept.after == (0.2, 0.4, 0.4)
    assert kept.reason == "your weights fit as well as any (p = 1)"


def test_the_gate_is_the_f_test_of_the_authors_line_against_free_weights() -> None:
    x, y = labelled(50, [0.4, 0.4, 0.2], 3)
    free = np.column_stack([np.ones(50), x])
    line = np.column_stack([np.ones(50), x @ AUTHOR])
    rss = [float(((y - a @ np.linalg.lstsq(a, y, rcond=None)[0]) ** 2).sum()) for a in (line, free)]
    f = (rss[0] - rss[1]) / 2 / (rss[1] / 46)
    # With 2 and m degrees of freedom the upper tail of F is (1 + 2F/m)^(-m/2).
    assert weights_fit_p(x, y, AUTHOR) == approx((1 + 2 * f / 46) ** -23)


def test_labels_that_only_just_pass_the_gate_carry_half_of_the_way_and_clear_ones_all_of_it() -> None:
    draw = np.random.default_rng(4)
    x = draw.integers(0, 5, (60, 3)) / 4
    noise = draw.normal(0, 0.2, 60)
    found = []
    for share in np.linspace(0, 1, 101):
        y = x @ (np.array(AUTHOR) + share * np.array([0.6, -0.2, -0.4])) + noise
        found.append((weights_fit_p(x, y, AUTHOR), weights_step(x, y, AUTHOR)))
    steps = [step for _, step in sorted(found, reverse=True)]
    assert steps == sorted(steps)
    assert 0 <= steps[0] < 0.5
    assert steps[-1] > 0.9
    assert all((step >= 0.5) == (p <= 0.05) for p, step in found)


def test_a_proposal_goes_no_further_than_its_labels_carry() -> None:
    x, y = labelled(60, [0.55, 0.2, 0.25], 2, noise=0.15)
    before = np.array([100.0, 200.0, 200.0])
    tuned = fit_weights(x, y, before, generator=generator())
    fitted = np.array(ridge_weights(x, y, before).weights)
    fitted *= before.sum() / fitted.sum()
    step = weights_step(x, y, before)
    assert tuned.supported
    assert 0.5 <= step < 1
    assert tuned.after == approx(before + step * (fitted - before), abs=1.01)


def test_levels_that_say_the_same_thing_twice_count_once_in_the_gate() -> None:
    x, y = labelled(50, [0.4, 0.4, 0.2], 3)
    twice = np.column_stack([x, x[:, 0]])
    assert weights_fit_p(twice, y, [0.1, 0.4, 0.4, 0.1]) == approx(weights_fit_p(x, y, AUTHOR))


def test_clearly_other_weights_are_found_and_proposed_in_the_authors_grain() -> None:
    x, y = labelled(150, [0.6, 0.2, 0.1, 0.1], 5)
    tuned = fit_weights(x, y, [0.25, 0.25, 0.25, 0.25], generator=generator())
    assert tuned.supported
    assert tuned.after == approx((0.55, 0.2, 0.15, 0.1), abs=0.051)
    assert sum(tuned.after) == approx(1)
    assert all(round(w / 0.05) == approx(w / 0.05) for w in tuned.after)
    assert tuned.gain.value is not None
    assert tuned.gain.value > 0.1
    mae = tuned.held_out["mae"]
    assert mae.difference.high is not None
    assert mae.difference.high < 0
    ratio = tuned.ratios[0]
    assert ratio.low is not None
    assert ratio.low > 1.5


def test_weights_of_one_each_may_move_by_twentieths_and_large_ones_by_whole_numbers() -> None:
    x, y = labelled(150, [0.6, 0.2, 0.2], 6)
    ones = fit_weights(x, y, [1, 1, 1], generator=generator()).after
    assert sum(ones) == approx(3)
    assert ones[0] > 1.4
    tens = fit_weights(x, y, [10, 10, 10], generator=generator()).after
    assert sum(tens) == 30
    assert all(w == int(w) for w in tens)
    assert tens[0] > 14


def test_a_fault_keeps_its_minus_and_no_weight_becomes_nothing() -> None:
    x, y = labelled(200, [0.9, 0.001, -0.4], 7)
    tuned = fit_weights(x, y, [0.5, 0.5, -0.2], generator=generator())
    assert tuned.supported
    assert tuned.after[1] == 0.05
    assert tuned.after[2] < -0.2
    assert tuned.after[0] + tuned.after[1] == approx(1)


def test_required_unused_and_unvaried_criteria_keep_their_weight() -> None:
    x, y = labelled(120, [0.6, 0.2, 0.2], 8)
    wide = np.column_stack([x, np.full(120, 0.5), x[:, ::-1][:, :2]])
    author = [0.3, 0.4, 0.3, 0.7, 2.0, 0.0]
    tuned = fit_weights(wide, y, author, generator=generator(), fixed=[False] * 4 + [True, False])
    assert tuned.supported
    assert tuned.after[3:] == (0.7, 2.0, 0.0)
    assert sum(tuned.after[:3]) == approx(1)
    assert [r.undefined for r in tuned.ratios[3:]] == ["not tuned"] * 3


def test_an_example_without_a_level_or_a_mark_is_left_out() -> None:
    x, y = labelled(80, [0.6, 0.2, 0.2], 9)
    more_x = np.vstack([x, np.full((5, 3), np.nan), np.ones((5, 3))])
    more_y = np.r_[y, np.full(5, 0.5), np.full(5, np.nan)]
    assert fit_weights(more_x, more_y, AUTHOR, generator=generator()) == fit_weights(
        x, y, AUTHOR, generator=generator()
    )


def test_the_held_out_scores_are_those_of_folds_that_never_saw_them() -> None:
    # Noise alone: whatever the folds learn is worthless on what they hold out, so tuning must look no better.
    worse = []
    for seed in range(12):
        draw = np.random.default_rng(seed)
        x = draw.integers(0, 5, (40, 4)) / 4
        y = np.clip(0.5 + draw.normal(0, 0.2, 40), 0, 1)
        tuned = fit_weights(x, y, [0.25] * 4, generator=draw)
        worse.append((tuned.held_out["mae"].difference.value or 0) > -0.005)
    assert sum(worse) >= 8


def test_a_group_is_never_split_between_fitting_and_holding_out() -> None:
    x, y = labelled(40, [0.6, 0.2, 0.2], 10)
    fivefold_x, fivefold_y = np.repeat(x, 5, axis=0), np.repeat(y, 5)
    grouped = fit_weights(fivefold_x, fivefold_y, AUTHOR, generator=generator(), groups=np.repeat(np.arange(40), 5))
    alone = fit_weights(x, y, AUTHOR, generator=generator())
    assert grouped.held_out["mae"].after.n == 40
    assert grouped.held_out["mae"].before.low == approx(alone.held_out["mae"].before.low)
    assert grouped.ratios[0].n == 40


def test_the_gain_is_not_quoted_from_few_examples() -> None:
    x, y = labelled(60, [0.6, 0.2, 0.2], 12)
    tuned = fit_weights(x, y, AUTHOR, generator=generator())
    assert tuned.gain.undefined == "likely better; fewer than 80 examples don't say by how much"


def test_criteria_that_rise_together_are_named_as_a_pair() -> None:
    x, y = labelled(100, [0.6, 0.2, 0.2], 13)
    x[:, 2] = np.clip(x[:, 0] + np.where(np.arange(100) % 25 == 0, 0.25, 0), 0, 1)
    ((first, second, correlation),) = fit_weights(x, y, AUTHOR, generator=generator()).alike
    assert (first, second) == (0, 2)
    assert correlation == approx(np.corrcoef(x[:, 0], x[:, 2])[0, 1])


def test_ratios_are_refitted_with_each_example_left_out() -> None:
    x, y = labelled(40, [0.5, 0.3, 0.2], 14)
    ratio = fit_weights(x, y, AUTHOR, generator=generator()).ratios[1]

    def refitted(keep: Any) -> float:
        weights = np.array(ridge_weights(x[keep], y[keep], AUTHOR).weights)
        return float(weights[1] / weights.sum() / AUTHOR[1])

    left_out = np.array([refitted(np.arange(40) != i) for i in range(40)])
    assert ratio.value == approx(refitted(np.full(40, True)))
    se = math.sqrt(39 / 40 * ((left_out - left_out.mean()) ** 2).sum())
    assert ratio.low is not None
    assert ratio.high is not None
    reach = math.log(ratio.high / ratio.low) / 2 * (ratio.value or 0)
    assert reach / se == approx(2.05, abs=0.1)


@pytest.mark.parametrize(
    ("n", "k", "change", "reason", "needed"),
    [
        (29, 3, {}, "29 examples have an overall mark and all levels; 3 weights need 30", 30),
        (39, 8, {}, "39 examples have an overall mark and all levels; 8 weights need 40", 40),
        (60, 3, {"y": lambda y: (y > 0.5).astype(float)}, "take only 2 values, weights need 5 different ones", None),
        (60, 1, {}, "the rubric has one criterion", None),
        (60, 3, {"groups": np.arange(60) % 4}, "only 4 groups; holding out whole groups needs 5", 75),
        (60, 3, {"groups": np.zeros(60)}, "only 1 group; holding out whole groups needs 5", 300),
        (60, 2, {"x": lambda x: np.column_stack([x[:, 0], 1 - x[:, 0]])}, "every example the same score", 90),
        (
            60,
            2,
            {"fixed": [True, False]},
            "1 of 2 weights can be tuned, and one counts only against another: 1 req",
            None,
        ),
        (
            60,
            3,
            {"x": lambda x: np.full_like(x, 0.5)},
            "3 criteria with one level in all 60 examples; label some at other levels, 70 examples in all",
            70,
        ),
        (60, 3, {"x": lambda x: np.full_like(x, np.nan)}, "0 examples have an overall mark and all levels", 30),
    ],
)
def test_too_little_to_tune_on_keeps_the_weights_and_says_what_is_needed(
    n: int, k: int, change: dict[str, Any], reason: str, needed: int | None
) -> None:
    x, y = labelled(n, [1 / k] * k, 15)
    x, y = change.get("x", lambda x: x)(x), change.get("y", lambda y: y)(y)
    kept = fit_weights(x, y, [1.0] * k, generator=generator(), groups=change.get("groups"), fixed=change.get("fixed"))
    assert not kept.supported
    assert kept.after == kept.before == (1.0,) * k
    assert reason in kept.reason
    assert kept.needed == needed
    assert kept.gain.undefined == kept.reason


def test_right_weights_and_exact_levels_are_changed_in_at_most_seven_runs_of_a_hundred() -> None:
    changed = 0
    for seed in range(150):
        x, y = labelled(60, [0.2, 0.3, 0.1, 0.4], seed)
        changed += fit_weights(x, y, [0.2, 0.3, 0.1, 0.4], generator=generator()).supported
    assert changed / 150 < 0.07 + 2 * math.sqrt(0.07 * 0.93 / 150)


def test_tuning_a_thousand_examples_takes_under_a_second() -> None:
    x, y = labelled(1000, [0.3, 0.2, 0.2, 0.1, 0.1, 0.1], 16)
    start = time.process_time()
    fit_weights(x, y, [1, 1, 1, 1, 1, 1], generator=generator())
    assert time.process_time() - start < 1


def test_scores_follow_the_contract() -> None:
    assert weighted_scores([[1.0, 1.0], [0.0, 1.0]], [10, -5]).tolist() == [0.5, 0.0]
    assert weighted_scores([[1.0, 0.5]], [-1, -3]).tolist() == [0.375]
    assert weighted_scores([[np.nan, 0.25], [np.nan, np.nan]], [1, 3]).tolist() == approx([0.25, np.nan], nan_ok=True)


# -------------------------------------------------------------------------------------------------------- pass mark


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

    def held(b: Any) -> float:
        eta = b[0] * (scores - 0.4)
        return float(np.logaddexp(0, eta).sum() - passed @ eta + 0.005 * b[0] ** 2)

    ratio = 2 * (loglik + minimize(held, [5.0], tol=1e-12).fun)
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
    kept = fit_pass_mark(scores, 1 - passed, 0.3)
    assert (kept.after, kept.supported) == (0.3, False)
    assert kept.reason == kept.crossing.undefined
    assert kept.reason.startswith(
        "the score doesn't order what passes: the 48 passes score no higher than the 52 fails"
    )


def test_one_score_for_all_examples_moves_no_mark_and_has_no_crossing() -> None:
    kept = fit_pass_mark(np.full(60, 0.5), np.arange(60) % 2, 0.3)
    assert (kept.p, kept.crossing.value, kept.needed) == (None, None, 110)
    assert kept.reason == "all 60 labelled examples score 0.5: label others too, 110 examples in all"


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
    kept = fit_pass_mark(np.linspace(0, 1, passes + fails), np.r_[np.zeros(fails), np.ones(passes)], 0.5)
    assert not kept.supported
    assert kept.reason.startswith(reason)
    assert (kept.needed, kept.after) == (needed, 0.5)


def test_the_crossing_stands_alone_where_a_group_holds_all_of_one_kind() -> None:
    scores, passed = judged(100, 0.5, 7)
    tuned = fit_pass_mark(scores, passed, 0.3, groups=passed)
    assert tuned.crossing.low is None
    assert tuned.crossing.note == "withheld: hangs on one example"
    by_fives = fit_pass_mark(scores, passed, 0.3, groups=np.arange(100) // 5)
    assert by_fives.crossing.n == 20


# --------------------------------------------------------------------------------------------------------- refusals

WRONG: list[tuple[Any, str]] = [
    (lambda: ridge_weights(X, Y[:-1], AUTHOR), r"\(12, 3\), \(11,\) and \(3,\)"),
    (lambda: ridge_weights(X, Y, [0.5, 0.5]), r"\(12, 3\), \(12,\) and \(2,\)"),
    (lambda: ridge_weights(X, Y, [0.5, 0.5, 0.0]), "no weight 0"),
    (lambda: ridge_weights(X, Y, AUTHOR, worth=0), "worth"),
    (lambda: ridge_weights(np.ones((4, 2)), np.ones(4), [1, 1]), "same for every example"),
    (lambda: weights_fit_p([[np.inf, 1.0]], [1.0], [1, 1]), "finite"),
    (lambda: fit_weights(X, Y, AUTHOR, generator=generator(), fixed=[True]), r"\(3,\).*\(1,\)"),
    (lambda: fit_weights(X, Y, AUTHOR, generator=generator(), groups=["a"]), r"\(12,\).*\(1,\)"),
    (lambda: fit_pass_mark([0.1, 0.2], [1.0], 0.5), r"\(2,\) and \(1,\)"),
    (lambda: fit_pass_mark([0.1, 0.2], [1.0, 0.5], 0.5), "passed 0 or 1"),
    (lambda: fit_pass_mark([0.1, 0.2], [1.0, 0.0], 1.5), "mark within 0 to 1"),
    (lambda: fit_pass_mark([0.1, 0.2], [1.0, 0.0], 0.5, cost=0), "cost above 0"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_arguments_that_do_not_fit_are_refused_by_name(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_what_is_not_supported_can_not_be_proposed() -> None:
    nothing = Estimate.without_value("not measured", n=0, method="")
    with pytest.raises(ValueError, match="not proposed"):
        TunedMark(0.5, 0.6, False, "", None, None, nothing)
    with pytest.raises(ValueError, match="not proposed"):
        TunedWeights((1.0,), (2.0,), False, "", None, None, nothing, (nothing,), (), {})
