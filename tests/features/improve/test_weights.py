"""Weights from labels."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from markscheme.features.improve.weights import (
    FTest,
    Sums,
    TunedWeights,
    fit_weights,
    ridge,
)
from markscheme.stats.estimate import Estimate
from tests.stats.shared_numbers import block
from tests.stats.weighted_scores import weighted_scores

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
    """Simulate levels in quarters, and overall scores in tenths that follow `weights` with noise."""
    draw = np.random.default_rng(seed)
    x = draw.integers(0, 5, (n, len(weights))) / 4
    y = weighted_scores(x, weights) + draw.normal(0, noise, n)
    return x, np.clip(np.rint(10 * y), 0, 10) / 10


def fitted(x: Any, y: Any, author: Any) -> Any:
    """Fit weights to levels; the author's weights may have either sign."""
    fit = ridge(Sums.of(np.asarray(x) * np.sign(author), np.asarray(y)), np.abs(author))
    assert fit is not None
    return fit


def slope_of(weights: Any, size: Any) -> float:
    """Compute the slope of fitted weights on the author's weights."""
    return float(weights @ size / (size @ size))


def penalized(x: Any, y: Any, author: Any) -> Any:
    """Return the objective that the fit minimises, as a function of the weights and of their slope on the author's."""
    turned, size = (x - x.mean(axis=0)) * np.sign(author), np.abs(author)
    centred = y - y.mean()
    score = turned @ size
    u = 40 * score @ score / (len(x) * len(size))

    def objective(v: Any) -> float:
        misfit = centred - turned @ v[:-1]
        return float(misfit @ misfit + u * ((v[:-1] - v[-1] * size) ** 2).sum() / (size**2).mean())

    return objective


def gate(x: Any, y: Any, author: Any) -> FTest:
    return FTest.of(Sums.of(np.asarray(x), np.asarray(y)), np.asarray(author))


def generator() -> np.random.Generator:
    return np.random.default_rng(11)


def test_fitted_weights_equal_their_reference_values() -> None:
    weights = fitted(X, Y, AUTHOR)
    assert weights / weights.sum() == approx([0.335772, 0.379415, 0.284813], abs=6e-7)
    assert slope_of(weights, np.array(AUTHOR)) == approx(0.602670, abs=6e-7)
    assert gate(X, Y, AUTHOR).p == approx(3.8e-5, abs=6e-7)


def test_fitted_weights_equal_the_weights_that_an_independent_program_fits() -> None:
    case = block("recipes.yaml", "weights_40")
    fit = fitted(case["X"], case["y"], case["author"])
    assert fit == approx(case["w"], abs=6e-7)
    slope = slope_of(fit, np.array(case["author"]))
    assert slope == approx(case["b"], abs=6e-7)
    least = penalized(*(np.array(case[name]) for name in ("X", "y", "author")))
    assert least([*fit, slope]) == approx(case["objective"], abs=6e-10)
    assert gate(case["X"], case["y"], case["author"]).p == approx(case["f_test_p"], abs=6e-7)


@pytest.mark.parametrize("seed", range(6))
def test_the_fitted_weights_equal_the_best_weights_that_a_general_optimizer_finds_within_the_bounds(seed: int) -> None:
    author = [0.5, 0.3, -0.4, 0.2]
    x, y = labelled(40, [0.8, 0.01, -0.2, 0.1] if seed % 2 else [0.2, 0.6, -0.5, 0.4], seed)
    fit = fitted(x, y, author)
    least = penalized(x, y, author)
    best = minimize(least, np.ones(5), bounds=[(0, None)] * 5, tol=1e-14)
    assert least([*fit, slope_of(fit, np.abs(author))]) == approx(best.fun, rel=1e-6)
    assert fit == approx(best.x[:4], abs=2e-4)


def test_weights_fitted_to_more_examples_lie_closer_to_the_unrestricted_least_squares_weights() -> None:
    levels, marks = np.array(X), np.array(Y)
    free = np.linalg.lstsq(np.column_stack([np.ones(12), levels]), marks, rcond=None)[0][1:]
    apart = []
    for times in (1, 10, 1000):
        weights = fitted(np.tile(levels, (times, 1)), np.tile(marks, times), AUTHOR)
        apart.append(np.abs(weights - free).max())
    assert apart == sorted(apart, reverse=True)
    assert apart[0] > 0.02
    assert apart[-1] < 0.002


def test_no_weights_are_fitted_if_all_examples_have_the_same_score_under_the_author_s_weights() -> None:
    assert ridge(Sums.of(np.ones((4, 2)), np.ones(4)), np.ones(2)) is None


def test_no_new_weights_are_found_if_the_scores_follow_the_author_s_weights_exactly() -> None:
    for scale, shift in ((1.0, 0.0), (0.5, 0.2)):
        y = shift + scale * (np.array(X) @ AUTHOR)
        assert gate(X, y, AUTHOR).p == 1
    x, _ = labelled(60, [0.2, 0.4, 0.4], 1)
    tuned = fit_weights(x, x @ AUTHOR, AUTHOR, generator=generator())
    assert not tuned.supported
    assert tuned.after == (0.2, 0.4, 0.4)
    assert tuned.reason == "your weights fit as well as any (p = 1)"


def test_the_test_for_new_weights_is_the_f_test_of_the_author_s_weights_against_the_best_fitting_weights() -> None:
    x, y = labelled(50, [0.4, 0.4, 0.2], 3)
    free = np.column_stack([np.ones(50), x])
    line = np.column_stack([np.ones(50), x @ AUTHOR])
    rss = [float(((y - a @ np.linalg.lstsq(a, y, rcond=None)[0]) ** 2).sum()) for a in (line, free)]
    f = (rss[0] - rss[1]) / 2 / (rss[1] / 46)
    # With 2 and m degrees of freedom the upper tail of F is (1 + 2F/m)^(-m/2).
    assert gate(x, y, AUTHOR).p == approx((1 + 2 * f / 46) ** -23)


def test_improve_moves_weights_at_least_half_way_to_the_fitted_ones_exactly_if_the_f_test_is_significant() -> None:
    draw = np.random.default_rng(4)
    x = draw.integers(0, 5, (60, 3)) / 4
    noise = draw.normal(0, 0.2, 60)
    gates = []
    for share in np.linspace(0, 1, 101):
        y = x @ (np.array(AUTHOR) + share * np.array([0.6, -0.2, -0.4])) + noise
        gates.append((gate(x, y, AUTHOR).p, gate(x, y, AUTHOR).step()))
    steps = [step for _, step in sorted(gates, reverse=True)]
    assert steps == sorted(steps)
    assert 0 <= steps[0] < 0.5
    assert steps[-1] > 0.9
    assert all((step >= 0.5) == (p <= 0.05) for p, step in gates)


def test_proposed_weights_move_no_further_than_the_labels_support() -> None:
    x, y = labelled(60, [0.55, 0.2, 0.25], 2, noise=0.15)
    before = np.array([100.0, 200.0, 200.0])
    tuned = fit_weights(x, y, before, generator=generator())
    whole = fitted(x, y, before)
    whole *= before.sum() / whole.sum()
    step = gate(x, y, before).step()
    assert tuned.supported
    assert 0.5 <= step < 1
    assert tuned.after == approx(before + step * (whole - before), abs=1.01)


def test_a_second_copy_of_a_criterion_does_not_change_the_p_value_of_the_test_for_new_weights() -> None:
    x, y = labelled(50, [0.4, 0.4, 0.2], 3)
    twice = np.column_stack([x, x[:, 0]])
    assert gate(twice, y, [0.1, 0.4, 0.4, 0.1]).p == approx(gate(x, y, AUTHOR).p)


def test_weights_fitted_to_labels_that_follow_known_weights_come_near_these_weights() -> None:
    x, y = labelled(150, [0.6, 0.2, 0.1, 0.1], 5)
    tuned = fit_weights(x, y, [0.25, 0.25, 0.25, 0.25], generator=generator())
    assert tuned.supported
    assert tuned.after == approx((0.55, 0.2, 0.15, 0.1), abs=0.051)
    assert sum(tuned.after) == approx(1)
    assert all(round(w / 0.05) == approx(w / 0.05) for w in tuned.after)
    assert tuned.gain.value is not None
    assert tuned.gain.value > 0.1
    ratio = tuned.ratios[0]
    assert ratio.low is not None
    assert ratio.low > 1.5


def test_new_weights_add_up_to_the_sum_of_the_author_s_weights() -> None:
    x, y = labelled(150, [0.6, 0.2, 0.2], 6)
    ones = fit_weights(x, y, [1, 1, 1], generator=generator()).after
    assert sum(ones) == approx(3)
    assert ones[0] > 1.4
    tens = fit_weights(x, y, [10, 10, 10], generator=generator()).after
    assert sum(tens) == 30
    assert all(w == int(w) for w in tens)
    assert tens[0] > 14


def test_a_fitted_weight_keeps_its_sign_and_is_never_rounded_to_zero() -> None:
    x, y = labelled(200, [0.9, 0.001, -0.4], 7)
    tuned = fit_weights(x, y, [0.5, 0.5, -0.2], generator=generator())
    assert tuned.supported
    assert tuned.after[1] == 0.05
    assert tuned.after[2] < -0.2
    assert tuned.after[0] + tuned.after[1] == approx(1)


def test_weights_of_0_and_weights_of_required_criteria_or_criteria_with_constant_levels_are_not_tuned() -> None:
    x, y = labelled(120, [0.6, 0.2, 0.2], 8)
    wide = np.column_stack([x, np.full(120, 0.5), x[:, ::-1][:, :2]])
    author = [0.3, 0.4, 0.3, 0.7, 2.0, 0.0]
    tuned = fit_weights(wide, y, author, generator=generator(), fixed=[False] * 4 + [True, False])
    assert tuned.supported
    assert tuned.after[3:] == (0.7, 2.0, 0.0)
    assert sum(tuned.after[:3]) == approx(1)
    assert [r.undefined for r in tuned.ratios[3:]] == ["not tuned"] * 3


def test_weights_are_fitted_without_the_examples_that_lack_levels_or_an_overall_score() -> None:
    x, y = labelled(80, [0.6, 0.2, 0.2], 9)
    more_x = np.vstack([x, np.full((5, 3), np.nan), np.ones((5, 3))])
    more_y = np.r_[y, np.full(5, 0.5), np.full(5, np.nan)]
    assert fit_weights(more_x, more_y, AUTHOR, generator=generator()) == fit_weights(
        x, y, AUTHOR, generator=generator()
    )


def test_the_gain_of_new_weights_is_measured_on_examples_left_out_of_the_fit() -> None:
    # Noise alone: whatever a fold learns is worthless on what it holds out, so where it moves weights, it loses.
    gains = []
    for seed in range(12):
        draw = np.random.default_rng(seed)
        x = draw.integers(0, 5, (100, 4)) / 4
        y = np.clip(0.5 + draw.normal(0, 0.2, 100), 0, 1)
        gains.append(fit_weights(x, y, [0.25] * 4, generator=draw).gain)
    assert max(gain.value or 0.0 for gain in gains) < 0.001
    assert min(gain.low or 0.0 for gain in gains) < -0.02


def test_groups_of_examples_widen_the_interval_of_the_gain_of_new_weights() -> None:
    x, y = labelled(40, [0.6, 0.2, 0.2], 10)
    fivefold_x, fivefold_y = np.repeat(x, 5, axis=0), np.repeat(y, 5)
    grouped = fit_weights(fivefold_x, fivefold_y, AUTHOR, generator=generator(), groups=np.repeat(np.arange(40), 5))
    alone = fit_weights(fivefold_x, fivefold_y, AUTHOR, generator=generator())
    assert (grouped.gain.n, alone.gain.n) == (40, 200)
    assert grouped.gain.low is not None
    assert alone.gain.low is not None
    assert grouped.gain.low < alone.gain.low - 0.05
    assert grouped.ratios[0].n == 40


def test_the_gain_of_new_weights_is_not_quantified_with_few_examples() -> None:
    x, y = labelled(60, [0.6, 0.2, 0.2], 12)
    tuned = fit_weights(x, y, AUTHOR, generator=generator())
    assert tuned.gain.undefined == "likely better; fewer than 80 examples don't say by how much"


def test_two_highly_correlated_criteria_are_named_together_with_their_correlation() -> None:
    x, y = labelled(100, [0.6, 0.2, 0.2], 13)
    x[:, 2] = np.clip(x[:, 0] + np.where(np.arange(100) % 25 == 0, 0.25, 0), 0, 1)
    ((first, second, correlation),) = fit_weights(x, y, AUTHOR, generator=generator()).alike
    assert (first, second) == (0, 2)
    assert correlation == approx(np.corrcoef(x[:, 0], x[:, 2])[0, 1])


def test_the_interval_of_a_ratio_of_weights_comes_from_fits_that_leave_out_each_example_in_turn() -> None:
    x, y = labelled(40, [0.5, 0.3, 0.2], 14)
    ratio = fit_weights(x, y, AUTHOR, generator=generator()).ratios[1]

    def refitted(keep: Any) -> float:
        weights = fitted(x[keep], y[keep], AUTHOR)
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
        (29, 3, {}, "29 examples have an overall mark and all levels; 3 weights need 30 such", 30),
        (39, 8, {}, "39 examples have an overall mark and all levels; 8 weights need 40 such", 40),
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
def test_if_there_are_too_few_labels_for_a_fit_the_weights_stay_and_the_labels_needed_are_stated(
    n: int, k: int, change: dict[str, Any], reason: str, needed: int | None
) -> None:
    x, y = labelled(n, [1 / k] * k, 15)
    x, y = change.get("x", lambda x: x)(x), change.get("y", lambda y: y)(y)
    tuned = fit_weights(x, y, [1.0] * k, generator=generator(), groups=change.get("groups"), fixed=change.get("fixed"))
    assert not tuned.supported
    assert tuned.after == tuned.before == (1.0,) * k
    assert reason in tuned.reason
    assert tuned.needed == needed
    assert tuned.gain.undefined == tuned.reason


@pytest.mark.parametrize(
    "runs", [pytest.param(80, marks=pytest.mark.proof), pytest.param(150, marks=pytest.mark.release)]
)
def test_the_author_s_weights_are_changed_in_at_most_7_of_100_simulations_in_which_scores_follow_them(
    runs: int,
) -> None:
    changed = 0
    for seed in range(runs):
        x, y = labelled(60, [0.2, 0.3, 0.1, 0.4], seed)
        changed += fit_weights(x, y, [0.2, 0.3, 0.1, 0.4], generator=generator()).supported
    assert changed / runs < 0.07 + 2 * math.sqrt(0.07 * 0.93 / runs)


def test_weighted_scores_equal_those_calculated_by_hand() -> None:
    assert weighted_scores([[1.0, 1.0], [0.0, 1.0]], [10, -5]).tolist() == [0.5, 0.0]
    assert weighted_scores([[1.0, 0.5]], [-1, -3]).tolist() == [0.375]
    assert weighted_scores([[np.nan, 0.25], [np.nan, np.nan]], [1, 3]).tolist() == approx([0.25, np.nan], nan_ok=True)


WRONG: list[tuple[Any, str]] = [
    (lambda: fit_weights(X, Y[:-1], AUTHOR, generator=generator()), r"\(12, 3\), \(11,\) and \(3,\)"),
    (lambda: fit_weights(X, Y, [0.5, 0.5], generator=generator()), r"\(12, 3\), \(12,\) and \(2,\)"),
    (lambda: fit_weights([[np.inf, 1.0]], [1.0], [1, 1], generator=generator()), "finite"),
    (lambda: fit_weights(X, Y, AUTHOR, generator=generator(), fixed=[True]), r"\(3,\).*\(1,\)"),
    (lambda: fit_weights(X, Y, AUTHOR, generator=generator(), groups=["a"]), r"\(12,\).*\(1,\)"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_invalid_arguments_of_functions_that_fit_weights_raise_an_error_that_says_what_is_wrong(
    call: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_tuned_weights_cannot_differ_from_the_author_s_if_the_labels_do_not_support_a_change() -> None:
    nothing = Estimate.without_value("not measured", n=0, method="")
    with pytest.raises(ValueError, match="not proposed"):
        TunedWeights((1.0,), (2.0,), False, "", None, None, nothing, (nothing,), ())
