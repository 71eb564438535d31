"""The audit of probabilities: worked cases, laws, and where there is too little to say."""

import math
from typing import Any

import numpy as np
import pytest

from markscheme.features.decision_models.statistics import (
    at_least_wrong,
    brier_parts,
    calibration_error,
    calibration_test,
    confident_errors,
    isotonic,
    likelihood_ratio,
    logistic_curve,
    logistic_map,
    probability_audit,
)
from markscheme.stats.intervals import Floats
from tests.reference.decision_cases import AUDIT_CASES
from tests.stats.shared_numbers import block


def arrays(case: dict[str, Any]) -> tuple[Floats, Floats]:
    return np.array(case["p"], dtype=np.float64), np.array(case["y"], dtype=np.float64)


def figures(p: Floats, y: Floats) -> dict[str, float]:
    """All figures by the names of the worked cases."""
    parts = brier_parts(p, y)
    curve = logistic_curve(p, y)
    assert curve is not None
    shrunk = logistic_map(p, y)
    confident = {at: confident_errors(p, y, at) for at in (0.9, 0.95)}
    return {
        "mean_probability": float(p.mean()),
        "share": float(y.mean()),
        "brier": parts.score,
        "skill": parts.skill,
        "miscalibration": parts.miscalibration,
        "discrimination": parts.discrimination,
        "uncertainty": parts.uncertainty,
        "ece_rms_debiased": calibration_error(p, y),
        "intercept": curve.intercept,
        "slope": curve.slope,
        "lr": likelihood_ratio(p, y, curve),
        "p": calibration_test(p, y) or 0.0,
        "map.intercept": shrunk.intercept,
        "map.slope": shrunk.slope,
        **{f"tail.{at}.n": audit.n for at, audit in confident.items()},
        **{f"tail.{at}.wrong": audit.wrong for at, audit in confident.items()},
        **{f"tail.{at}.expected": audit.promised for at, audit in confident.items()},
        **{f"tail.{at}.upper": audit.upper or 0.0 for at, audit in confident.items()},
        **{f"tail.{at}.p": audit.p or 0.0 for at, audit in confident.items()},
    }


def flat(expected: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """Nested figures by dotted names; bins are compared apart."""
    flattened: dict[str, float] = {}
    for name, value in expected.items():
        if isinstance(value, dict):
            flattened |= flat(value, f"{prefix}{name}.")
        elif not isinstance(value, list):
            flattened[f"{prefix}{name}"] = value
    return flattened


def compare(case: dict[str, Any]) -> None:
    p, y = arrays(case)
    own = figures(p, y)
    compared = {name: value for name, value in flat(case["expect"]).items() if name in own}
    assert len(compared) >= len(own) - 1
    assert {name: own[name] for name in compared} == pytest.approx(compared, abs=1e-6)
    bins = probability_audit(p, y).bins
    assert [bar.n for bar in bins] == [bar["n"] for bar in case["expect"]["bins"]]
    for mine, theirs in zip(bins, case["expect"]["bins"], strict=True):
        assert mine.probability == pytest.approx(theirs["probability"], abs=1e-6)
        assert mine.share.value == pytest.approx(theirs["share"], abs=1e-6)


@pytest.mark.parametrize("case", AUDIT_CASES, ids=lambda case: case["case"])
def test_every_figure_of_the_check_of_probabilities_equals_its_reference_value(case: dict[str, Any]) -> None:
    compare(case)


def test_figures_on_a_judge_s_probabilities_equal_those_of_an_independent_program() -> None:
    audit = block("decisions.yaml", "audit")
    for case in audit["cases"]:
        if "p" in case:
            compare(case)
    p, y = arrays(audit["isotonic"])
    assert isotonic(p, y).tolist() == pytest.approx(audit["isotonic"]["expect"])
    for tail in audit["poisson binomial tail"]:
        assert at_least_wrong(np.array(tail["q"]), tail["at_least"]) == pytest.approx(tail["expect"])


# --- laws ------------------------------------------------------------------------------------------------------------


def drawn(n: int, seed: int, sharper: float = 1.0) -> tuple[Floats, Floats]:
    """Probabilities of a judge whose log-odds are `sharper` times too large, and outcomes by the true ones."""
    generator = np.random.default_rng(seed)
    odds = generator.normal(0, 1.5, n)
    outcomes = generator.random(n) < 1 / (1 + np.exp(-odds))
    return 1 / (1 + np.exp(-sharper * odds)), outcomes.astype(np.float64)


@pytest.mark.parametrize("seed", range(5))
def test_the_components_of_the_brier_score_add_up_to_the_score(seed: int) -> None:
    p, y = drawn(80, seed, 2.0)
    parts = brier_parts(p.round(1), y)
    assert parts.miscalibration >= 0
    assert parts.discrimination >= 0
    assert parts.score == pytest.approx(parts.miscalibration - parts.discrimination + parts.uncertainty)


def test_exchanging_the_two_outcomes_keeps_the_slope_of_probabilities_and_reverses_the_sign_of_their_bias() -> None:
    p, y = drawn(120, 1, 1.5)
    audit = probability_audit(p, y)
    mirrored = probability_audit(1 - p, 1 - y)
    assert audit.slope.value == pytest.approx(mirrored.slope.value)
    assert audit.intercept.value == pytest.approx(-(mirrored.intercept.value or 0.0))
    assert audit.bias.value == pytest.approx(-(mirrored.bias.value or 0.0))
    assert audit.p == pytest.approx(mirrored.p)
    assert audit.confident_errors.wrong == mirrored.confident_errors.wrong


def test_figures_on_a_judge_s_probabilities_do_not_depend_on_the_order_of_examples_or_on_missing_values() -> None:
    p, y = drawn(60, 2)
    forward = probability_audit(p, y)
    mixed = probability_audit([math.nan, *p[::-1], 0.5], [1.0, *y[::-1], math.nan])
    assert mixed.left_out == 2
    assert mixed.brier.value == pytest.approx(forward.brier.value)
    assert mixed.slope.low == pytest.approx(forward.slope.low)


def test_a_judge_with_exaggerated_probabilities_is_overconfident_and_a_judge_with_matching_probabilities_is_not() -> (
    None
):
    p, y = drawn(400, 3, 2.0)
    too_sure = probability_audit(p, y)
    assert too_sure.is_overconfident
    assert too_sure.slope.value == pytest.approx(0.5, abs=0.12)
    assert too_sure.p is not None
    assert too_sure.p < 0.01
    assert too_sure.map is not None
    assert too_sure.map.slope < 0.7
    calibrated = probability_audit(*drawn(400, 3))
    assert not calibrated.is_overconfident
    assert calibrated.map is None


def test_copies_of_examples_within_groups_do_not_narrow_the_interval_of_the_slope_of_a_judge_s_probabilities() -> None:
    p, y = drawn(60, 4, 2.0)
    alone = probability_audit(p, y)
    copies = probability_audit(np.repeat(p, 5), np.repeat(y, 5), groups=np.repeat(np.arange(60), 5))
    assert copies.p is None
    assert all(confident.p is None for confident in copies.confident)
    assert copies.slope.value == pytest.approx(alone.slope.value)
    assert copies.slope.low == pytest.approx(alone.slope.low, abs=1e-4)
    assert copies.slope.n == 60


def test_the_slope_of_outcomes_on_a_judge_s_probabilities_needs_30_examples_and_5_of_each_outcome() -> None:
    p, y = drawn(29, 5)
    audit = probability_audit(p, y)
    assert audit.parts is None
    assert audit.slope.undefined == "fewer than 30 examples"
    assert audit.bias.value is not None
    one_kind = probability_audit(np.full(40, 0.9), np.ones(40))
    assert one_kind.slope.undefined == "fewer than 5 examples of one outcome"
    assert one_kind.confident[1].n == 40


def test_the_slope_of_outcomes_on_probabilities_is_undefined_if_these_separate_the_outcomes_completely() -> None:
    y = np.repeat([0.0, 1.0], 20)
    audit = probability_audit(np.where(y == 1, 0.9, 0.1), y)
    assert audit.slope.undefined == "the probabilities separate the outcomes"
    assert audit.p is None
    assert audit.map is None


def test_without_examples_the_bias_of_a_judge_s_probabilities_is_undefined_and_the_reason_says_so() -> None:
    audit = probability_audit([math.nan], [1.0])
    assert audit.n == 0
    assert audit.bias.undefined == "no examples"
    assert not audit.bins


def test_figures_on_the_probabilities_of_over_a_thousand_examples_use_a_jackknife_of_1000_parts() -> None:
    p, y = drawn(1_500, 6)
    assert "1000 parts" in (probability_audit(p, y).slope.note or "")
