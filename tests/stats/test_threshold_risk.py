"""The risk that a gate on a mean fails although nothing changed."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import Generator
from scipy.special import ndtr

from markscheme.stats.threshold_risk import RATIOS, threshold_risk
from tests.reference.gates import GATES, SMALLEST_DROP, STEADY, GateCase
from tests.stats.shared_numbers import block

Floats = npt.NDArray[np.float64]
approx = pytest.approx
scores = st.integers(0, 100).map(lambda hundredths: hundredths / 100)
runs = st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(scores, min_size=6, max_size=6), min_size=n, max_size=n))


@pytest.mark.parametrize("case", GATES, ids=lambda case: case.name)
def test_the_chance_that_a_run_fails_a_threshold_equals_that_of_an_independent_program(case: GateCase) -> None:
    risk = threshold_risk(case.runs, case.threshold, of=case.of)
    assert risk.center == approx(case.center)
    assert (risk.p_fail.value, risk.p_fail.low, risk.p_fail.high) == approx(case.p_fail, abs=1e-6)
    assert risk.p_fail_wide == approx(case.p_fail_wide, abs=1e-6)
    assert risk.run_level == approx(1 - case.unshifted, abs=1e-6)
    for averaged, safe in case.safe.items():
        assert threshold_risk(case.runs, case.threshold, of=case.of, runs_in_ci=averaged).safe_threshold == approx(safe)
    for averaged, p in case.p_averaged.items():
        risk = threshold_risk(case.runs, case.threshold, of=case.of, runs_in_ci=averaged)
        assert risk.p_fail.value == approx(p, abs=1e-6)


def test_chances_to_fail_a_threshold_equal_those_in_the_file_of_reference_values() -> None:
    cases = [case for case in block("improve_gate_stress.yaml", "gate") if "threshold" in case]
    given = {"as above": cases[0]["scores"]}
    for case in cases:
        told = case.get("scores", case.get("passes"))
        values = given[told] if isinstance(told, str) else told
        risk = threshold_risk(values, case["threshold"], of="score" if case["kind"] == "mean" else "pass")
        expected = case["expect"]
        if expected["p_fail"] is None:
            assert risk.p_fail.undefined is not None
            continue
        assert risk.p_fail.value == approx(expected["p_fail"], abs=1e-6), case["case"]
        assert risk.safe_threshold == approx(expected["safe_mark"]["repeats 1"], abs=1e-6), case["case"]


def test_the_smallest_drop_that_runs_can_detect_equals_that_of_an_independent_program() -> None:
    center, threshold, variance, ratio, drop = SMALLEST_DROP
    assert center - threshold + 0.8416212 * math.sqrt(ratio * variance) == approx(drop, abs=1e-6)
    risk = threshold_risk(STEADY, 0.74)
    assert risk.run_shift is not None
    reach = 0.8416212 * math.sqrt(risk.run_shift) * 0.0097628121
    assert risk.smallest_drop == approx(risk.center - 0.74 + reach, abs=1e-6)


def test_the_chance_that_a_run_fails_a_threshold_is_undefined_after_one_run_or_after_identical_runs() -> None:
    assert "repeat" in str(threshold_risk(STEADY[:1], 0.7).p_fail.undefined)
    alike = threshold_risk([STEADY[0]] * 3, 0.7)
    assert "identical" in str(alike.p_fail.undefined)
    assert alike.safe_threshold is None


def test_runs_that_differ_by_the_same_amount_on_every_example_are_not_called_identical() -> None:
    moved = threshold_risk([[0.5, 0.6, 0.7], [0.6, 0.7, 0.8]], 0.6)
    assert "identical" not in str(moved.p_fail.undefined)
    assert moved.p_fail.value is None


def test_the_fewest_runs_that_keep_false_alarms_of_a_threshold_at_5_percent_are_advised() -> None:
    advised = [threshold_risk(STEADY, threshold).repeats for threshold in (0.70, 0.73, 0.74, 0.745, 0.75, 0.755)]
    assert advised == [1, 1, 2, 3, 7, None]


@pytest.mark.proof
def test_repeating_runs_as_advised_keeps_chance_failures_to_1_in_20_in_at_least_80_percent_of_simulations() -> None:
    """Ten cases that pass or fail, whose runs shift with four times the variance of their noise; 2 runs are seen."""
    kept = []
    for seed in range(400):
        generator = np.random.default_rng([seed, 10, 2])
        truth = generator.beta(2, 0.8, 10)
        spread = math.sqrt(float((truth * (1 - truth)).mean()) * 4 / 10)

        def passes(runs: int, truth: Floats = truth, spread: float = spread, draw: Generator = generator) -> Floats:
            chances = np.clip(truth + draw.normal(0, spread, (runs, 1)), 0, 1)
            return (draw.random((runs, 10)) < chances).astype(float)

        means = passes(600).mean(axis=1)
        threshold = min(1.0, max(0.01, float(means.mean() - (0.5, 1, 1.645, 2.5, 3.5)[seed % 5] * means.std())))
        repeats = threshold_risk(passes(2), threshold, of="pass").repeats
        if repeats is not None:
            cut = (math.ceil(round(threshold * 10, 9)) - 0.5) / 10
            kept.append(ndtr((cut - means.mean()) / (means.std() / math.sqrt(repeats))) <= 0.05)
    assert len(kept) > 150
    assert np.mean(kept) >= 0.80


def test_examples_that_vary_together_in_groups_make_it_less_certain_whether_a_run_fails_a_threshold() -> None:
    """Two runs of 4 groups with 2 cases each: a run moves both cases of a group by the same 0.06, up or down.

    Alone, cases have a variance of 8 * 0.03**2 * 2 / 7 = 0.0020571; their groups sum to 0.06 in each of 8 places, which
    gives 8 * 0.06**2 / (8 - 16 / 8) = 0.0048, so a mean's variance is 7 / 3 as large.
    """
    first = np.array([0.7, 0.6, 0.8, 0.9, 0.5, 0.7, 0.6, 0.8])
    second = first + np.array([0.06, 0.06, -0.06, -0.06, 0.06, 0.06, -0.06, -0.06])
    groups = ["a", "a", "b", "b", "c", "c", "d", "d"]
    alone = threshold_risk([first, second], 0.66)
    together = threshold_risk([first, second], 0.66, groups=groups)
    assert together.run_shift == approx(alone.run_shift, abs=1e-9)
    assert alone.smallest_drop is not None
    assert together.smallest_drop is not None
    way = alone.center - 0.66
    assert together.smallest_drop - way == approx((alone.smallest_drop - way) * math.sqrt(7 / 3))
    assert (together.p_fail_wide or 0) > 1.5 * (alone.p_fail_wide or 1)
    apart = threshold_risk([first, second], 0.66, groups=list("abcdefgh"))
    assert apart == alone


def test_a_list_of_groups_is_refused_unless_it_names_the_group_of_each_example() -> None:
    with pytest.raises(ValueError, match="groups"):
        threshold_risk(STEADY, 0.7, groups=["a", "b"])


@settings(max_examples=40)
@given(values=runs, threshold=st.floats(0.05, 0.95))
def test_raising_the_threshold_on_a_mean_score_never_lowers_the_chance_that_a_run_fails(
    values: list[list[float]], threshold: float
) -> None:
    risk = threshold_risk(values, threshold)
    if risk.p_fail.value is None:
        return
    higher = threshold_risk(values, threshold + 0.05).p_fail.value
    assert higher is not None
    assert higher >= risk.p_fail.value - 1e-12
    turned = threshold_risk(np.asarray(values)[::-1, ::-1], threshold)
    assert turned.p_fail.value == approx(risk.p_fail.value, abs=1e-9)
    assert turned.safe_threshold == approx(risk.safe_threshold, abs=1e-9)
    assert RATIOS[0] <= (risk.run_shift or 0) <= RATIOS[-1]


@pytest.mark.parametrize(
    ("values", "threshold"),
    [([[0.5]], 0.5), ([0.5, 0.6], 0.5), ([[0.5, 1.2], [0.5, 0.6]], 0.5), ([[0.5, math.nan], [0.5, 0.6]], 0.5)],
)
def test_scores_that_are_not_a_table_of_runs_are_refused(values: object, threshold: float) -> None:
    with pytest.raises(ValueError, match="values"):
        threshold_risk(values, threshold)  # type: ignore[arg-type]


def test_a_threshold_outside_0_to_1_is_refused() -> None:
    with pytest.raises(ValueError, match="threshold"):
        threshold_risk(STEADY, 1.5)
