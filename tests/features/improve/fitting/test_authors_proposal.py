"""Weights and pass mark from decisions about whole responses."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from markscheme.features.improve.fitting.decided import AuthorNumbers, DecidedRows
from markscheme.features.improve.fitting.logistic import SLOPE_RIDGE
from markscheme.features.improve.fitting.mark_fit import mark_test
from markscheme.features.improve.fitting.numbers_fit import (
    ALPHA_WEIGHTS,
    fitted_weights,
    proposed_weights,
    shrunk_fit,
    written_weights,
)
from markscheme.features.improve.fitting.proposal import ALPHA_MARK, NumbersProposal, propose_numbers
from markscheme.features.improve.fitting.score_test import score_test
from markscheme.features.improve.weights import AUTHOR_WORTH, FOLDS, REPEATS
from tests.reference import author_numbers as case
from tests.stats.shared_numbers import block

approx = pytest.approx
CASES = ("speaks_against_without_gain", "adopted", "kept", "negative", "two_annotators", "separated")


def decided(
    weights: Sequence[float], units: Sequence[str], levels: npt.ArrayLike, passed: npt.ArrayLike
) -> DecidedRows:
    """Make rows of decisions; the rows of an example share its weight."""
    names = tuple(dict.fromkeys(units))
    number = np.array([names.index(unit) for unit in units])
    return DecidedRows(
        np.asarray(levels, dtype=np.float64) * np.sign(weights),
        np.asarray(passed, dtype=np.float64),
        np.zeros(len(units)),
        number,
        names,
        1 / np.bincount(number)[number],
    )


def numbers_of(weights: Sequence[float], mark: float | None) -> AuthorNumbers:
    """Make an author's weights and pass mark, with all criteria tuned."""
    return AuthorNumbers(np.asarray(weights, dtype=np.float64), sum(w for w in weights if w > 0), mark)


def worked_rows() -> tuple[DecidedRows, AuthorNumbers]:
    """Return the rows of the worked case that is typed into this file."""
    cells = case.ROWS.split()
    levels = [[int(digit) / 4 for digit in cell[:-1]] for cell in cells]
    units = [f"e{index}" for index in range(1, len(cells) + 1)]
    rows = decided(case.WEIGHTS, units, levels, [float(cell.endswith("+")) for cell in cells])
    return rows, numbers_of(case.WEIGHTS, case.MARK)


def shared_rows(name: str) -> tuple[DecidedRows, AuthorNumbers, Any]:
    """Return the rows of a worked case in the file outside the repository."""
    about = block("authors.yaml", "numbers")[name]
    units, levels, passed = zip(*about["rows"], strict=True)
    return decided(about["author"], units, levels, passed), numbers_of(about["author"], about["mark"]), about


def test_fitted_weights_equal_their_reference_values_if_decisions_suggest_a_heavier_weight_for_a_fault() -> None:
    rows, numbers = worked_rows()
    test = score_test(rows, numbers)
    assert (test.more, test.more + test.spare) == (case.DIRECTIONS, case.UNITS)
    assert [test.ratio, test.p] == approx([case.F, case.P], rel=1e-6)
    fit = shrunk_fit(rows, numbers)
    assert fit.coefficients == approx(case.COEFFICIENTS, abs=1e-6)
    assert [fit.slope, fit.intercept, fit.penalty] == approx([case.SLOPE, case.INTERCEPT, case.PENALTY], abs=1e-6)
    assert test.step(ALPHA_WEIGHTS) == approx(case.STEP, abs=1e-8)
    assert fitted_weights(fit, numbers) == approx(case.FITTED, abs=1e-6)
    result = propose_numbers(rows, numbers)
    assert (result.adopted, result.answer, result.mark) == ("weights", "better", case.MARK)
    assert result.weights == approx(case.WRITTEN)
    assert result.mark_p == approx(case.MARK_P_BEFORE, rel=1e-6)
    assert [result.gain.gain, result.gain.se] == approx([case.GAIN, case.SE], abs=1e-8)
    assert result.gain.expected == approx(case.EXPECTED, abs=1e-8)
    assert result.changed == case.CHANGED


@pytest.mark.parametrize("name", CASES)
def test_fitted_weights_and_the_test_of_their_fit_equal_their_reference_values(name: str) -> None:
    rows, numbers, about = shared_rows(name)
    test = score_test(rows, numbers)
    expected = about["score_test"]
    assert (test.more, test.more + test.spare) == (expected["d"], expected["units"])
    assert [test.ratio, test.p] == approx([expected["F"], expected["p"]], rel=1e-6)
    fit = shrunk_fit(rows, numbers)
    assert fit.coefficients == approx(about["fit"]["v"], abs=1e-6)
    assert [fit.slope, fit.intercept, fit.penalty] == approx([about["fit"][key] for key in "bcu"], abs=1e-6)
    proposal = about["proposal"]
    assert test.step(ALPHA_WEIGHTS) == approx(proposal["step"], abs=1e-6)
    assert fitted_weights(fit, numbers) == approx(proposal["fitted"], abs=1e-6)
    written = proposed_weights(rows, numbers, test)
    assert written == approx(proposal["weights"])
    after = numbers_of(written.tolist(), numbers.mark)
    mark = proposal["mark"]
    assert mark_test(rows.graded(after), rows.passed, rows.weights, mark)[0] == approx(proposal["mark_p"], abs=1e-6)
    own = mark_test(rows.graded(numbers), rows.passed, rows.weights, about["mark"])[0]
    assert own == approx(about["own_mark_p"], abs=1e-6)
    result = propose_numbers(rows, numbers)
    assert (result.adopted == "weights") is about["adopted"]
    assert [result.gain.gain, result.gain.se] == approx([about["nested"]["gain"], about["nested"]["se"]], abs=1e-8)
    fitting_mark = replace(after, mark=mark)
    decided_before, decided_after = (
        rows.graded(which) >= (which.mark or 0.0) - 1e-9 for which in (numbers, fitting_mark)
    )
    assert int((decided_before != decided_after).sum()) == about["decisions_changed"]
    if about["adopted"]:
        assert result.gain.expected == approx([about["nested"][key] for key in ("shown", "low", "high")], abs=1e-8)
        assert result.changed == about["decisions_changed"]


def test_the_constants_that_improve_uses_to_fit_weights_equal_those_in_the_file_of_reference_values() -> None:
    ours = {
        "alpha_weights": ALPHA_WEIGHTS,
        "alpha_mark": ALPHA_MARK,
        "worth": AUTHOR_WORTH,
        "ridge": SLOPE_RIDGE,
        "folds": FOLDS,
        "repeats": REPEATS,
    }
    assert block("authors.yaml", "constants") == ours


def test_weights_fitted_to_preferences_equal_those_of_an_independent_program() -> None:
    about = block("authors.yaml", "preferences")
    halves = [
        (unit, levels, outcome, weight)
        for unit, levels, preferred in about["rows"]
        for outcome, weight in ([(preferred, 1.0)] if preferred in (0, 1) else [(1, 0.5), (0, 0.5)])
    ]
    units, levels, passed, weights = zip(*halves, strict=True)
    names = tuple(dict.fromkeys(units))
    rows = DecidedRows(
        np.array(levels, dtype=np.float64),
        np.array(passed, dtype=np.float64),
        np.zeros(len(units)),
        np.array([names.index(unit) for unit in units]),
        names,
        np.array(weights),
        paired=True,
    )
    fit = shrunk_fit(rows, numbers_of(about["author"], None))
    assert fit.coefficients == approx(about["fit"]["v"], abs=1e-6)
    assert [fit.slope, fit.intercept, fit.penalty] == approx([about["fit"]["b"], 0.0, about["fit"]["u"]], abs=1e-6)
    assert fit.coefficients / fit.coefficients.sum() == approx(about["fit"]["shares"], abs=1e-6)


def planted(seed: int, *, mark: float = 0.5, of_people: float | None = None, n: int = 120) -> DecidedRows:
    """Simulate decisions by the weights 4, 1 and 1, where the author wrote equal weights."""
    draws = np.random.default_rng(seed)
    levels = draws.integers(0, 5, size=(n, 3)) / 4
    score = levels @ np.array([4.0, 1.0, 1.0]) / 6
    passed = (score + 0.03 * draws.standard_normal(n) >= (mark if of_people is None else of_people)).astype(float)
    return decided((1, 1, 1), [f"u{index}" for index in range(n)], levels, passed)


def test_improve_proposes_no_weights_from_few_decisions_in_its_31st_use_of_held_out_labels() -> None:
    rows = planted(4)
    found = propose_numbers(rows, numbers_of((1, 1, 1), 0.5))
    assert found.adopted == "weights"
    assert found.weights[0] > 2 * found.weights[1:].max()
    faint = decided((1, 1, 1), list(rows.names[:48]), rows.levels[:48], rows.passed[:48])
    early = propose_numbers(faint, numbers_of((1, 1, 1), 0.5))
    assert early.test.p > 0.04 / 2**30
    assert propose_numbers(faint, numbers_of((1, 1, 1), 0.5), opening=31).adopted is None


def test_if_decisions_contradict_only_the_pass_mark_the_pass_mark_is_changed_and_the_weights_stay() -> None:
    draws = np.random.default_rng(3)
    levels = draws.integers(0, 5, size=(160, 3)) / 4
    passed = (levels.mean(axis=1) >= 0.3).astype(float)
    rows = decided((1, 1, 1), [f"u{index}" for index in range(160)], levels, passed)
    result = propose_numbers(rows, numbers_of((1, 1, 1), 0.6))
    assert result.adopted == "mark"
    assert result.mark is not None
    assert 0.2 < result.mark <= 0.3334
    assert result.weights.tolist() == [1, 1, 1]


def equal(one: NumbersProposal, other: NumbersProposal) -> bool:
    """Return whether two proposals are equal up to rounding."""
    return bool(
        one.adopted == other.adopted
        and one.mark == other.mark
        and np.allclose(one.weights, other.weights)
        and np.isclose(one.test.p, other.test.p)
        and np.isclose(one.gain.gain, other.gain.gain)
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_decisions_does_not_change_the_proposed_weights(seed: int) -> None:
    rows = planted(seed, n=60)
    order = np.random.default_rng(seed).permutation(60)
    units = [rows.names[unit] for unit in rows.units[order]]
    shuffled = decided((1, 1, 1), units, rows.levels[order], rows.passed[order])
    numbers = numbers_of((1, 1, 1), 0.5)
    assert equal(propose_numbers(rows, numbers), propose_numbers(shuffled, numbers))


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=8))
def test_rounding_fitted_weights_moves_at_most_5_percent_of_the_total_unless_the_finest_step_is_used(
    sizes: list[float],
) -> None:
    written = written_weights(np.array(sizes))
    assert (written > 0).all()
    apart = np.abs(written / written.sum() - np.array(sizes) / sum(sizes)).sum()
    finest = 0.05 * 10 ** np.floor(np.log10(np.mean(sizes)))
    assert apart <= 0.05 + 1e-9 or np.allclose(written / finest, np.round(written / finest))
