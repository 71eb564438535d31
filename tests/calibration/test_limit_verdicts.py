"""A limit on wrong decisions, which replaces the least share that each side of a gate must reach."""

import numpy as np
import pytest

from markscheme.calibration.calibration import Calibration, Rater, calibration_of
from markscheme.calibration.comparison.limits import ErrorLimits
from markscheme.calibration.comparison.policy import interval_level, side_confidence
from markscheme.calibration.comparison.verdict import GateAnswer
from markscheme.calibration.decision import decide
from markscheme.calibration.options import LabelOptions
from markscheme.report.views.calibration import json_of, view
from tests.calibration.made import examples, judged, yes_no_rubric
from tests.report.reading import text_of

RUBRIC = yes_no_rubric()
CONFIDENCE = [
    (1, 0.975, 0.95), (2, 0.9875, 0.975), (3, 0.991667, 0.983333), (5, 0.995, 0.99), (10, 0.9975, 0.995),
    (20, 0.99875, 0.9975),
]  # fmt: skip
"""Settings tried on the same labels, and the one-sided and two-sided confidence of the interval that decides."""


@pytest.mark.parametrize(("settings", "one_sided", "two_sided"), CONFIDENCE)
def test_the_confidence_level_of_intervals_that_decide_on_limits_rises_with_the_number_of_settings_tried(
    settings: int, one_sided: float, two_sided: float
) -> None:
    assert side_confidence(settings) == pytest.approx(one_sided, abs=1e-6)
    assert interval_level(settings) == pytest.approx(two_sided, abs=1e-6)


def calibrated(false_passes: int, fails: int, *, n: int = 100, hits: int = 94, **options: float) -> Calibration:
    """Calibrate a judge with a given number of false passes and of hits; two people labelled the examples."""
    gold = np.array([0.0] * fails + [1.0] * (n - fails))
    judge = gold.copy()
    judge[:false_passes] = 1.0
    false_fails = n - hits - false_passes
    judge[fails : fails + false_fails] = 0.0
    labelled = examples(RUBRIC, dict.fromkeys(("p1", "p2"), gold[:, None]))
    return calibration_of(
        RUBRIC,
        labelled,
        judged(RUBRIC, judge[:, None]),
        Rater("judge", "", "ratings"),
        options=LabelOptions(**options),  # type: ignore[arg-type]
    )


def gate_of(calibration: Calibration) -> GateAnswer:
    answer = calibration.decision.gate_answer
    assert answer is not None
    return answer


def test_without_stated_limits_a_judge_must_stop_fails_and_keep_passes_at_ten_points_below_the_target() -> None:
    calibration = calibrated(1, 40)
    assert (calibration.verdict, calibration.use) == ("ok", "gate")
    assert [side.least for side in gate_of(calibration).sides] == [0.7, 0.7]
    assert json_of(calibration)["decision"]["limits"] == {"false_pass": None, "false_fail": None}


def test_a_limit_on_false_passes_that_is_shown_to_be_kept_lets_the_judge_gate() -> None:
    calibration = calibrated(0, 40, max_false_pass=0.1)
    assert (calibration.verdict, calibration.use, calibration.exit_status) == ("ok", "gate", 0)
    limit = json_of(calibration)["decision"]["limits"]["false_pass"]
    assert (limit["limit"], limit["state"]) == (0.1, "kept")
    assert (round(limit["rate"].high, 4), limit["rate"].level) == (0.0881, pytest.approx(0.95))


def test_if_labels_leave_a_limit_on_false_passes_undecided_calibrate_asks_for_more_and_allows_trends() -> None:
    calibration = calibrated(1, 40, max_false_pass=0.1)
    decision = calibration.decision
    assert (decision.verdict, decision.use, decision.because_code) == ("not-enough-labels", "trend", "side-open")
    assert calibration.exit_status == 4
    assert "It stops 39 of the 40 responses that people fail" in decision.because
    assert decision.labels_needed is not None
    assert "Use for trends. Can't tell yet whether it can gate." in text_of(view(calibration))


def test_a_judge_that_breaks_a_limit_on_false_passes_must_be_adjusted_and_may_still_show_trends() -> None:
    calibration = calibrated(9, 30, hits=91, max_false_pass=0.1)
    decision = calibration.decision
    assert (decision.verdict, decision.use, decision.because_code) == ("adjust", "trend", "side")
    assert calibration.exit_status == 1
    assert "9 of the 30" in decision.because


def test_a_broken_limit_on_false_passes_decides_the_verdict_even_if_agreement_is_undecided() -> None:
    decision = calibrated(9, 30, hits=82, max_false_pass=0.1).decision
    assert (decision.verdict, decision.because_code, decision.labels_needed) == ("adjust", "side", None)


def test_the_shares_of_fails_stopped_and_of_passes_kept_are_both_named_if_limits_on_both_are_undecided() -> None:
    calibration = calibrated(1, 40, hits=96, max_false_pass=0.1, max_false_fail=0.1)
    assert [side.state for side in gate_of(calibration).sides] == ["open", "open"]
    assert "It stops 39 of the 40" in calibration.decision.because
    assert "It keeps 57 of the 60" in calibration.decision.because


def test_a_limit_on_false_passes_that_is_kept_with_one_tried_setting_is_undecided_with_five() -> None:
    calibration = calibrated(0, 40, max_false_pass=0.1)
    after = calibration.after(5)
    assert gate_of(calibration).stops.state == "kept"
    assert gate_of(after).stops.state == "open"
    assert json_of(after)["decision"]["limits"]["false_pass"]["rate"].level == pytest.approx(0.99)


def test_a_limit_on_false_passes_given_with_the_run_overrides_the_limit_in_the_rubric() -> None:
    answer = decide(calibrated(1, 40).comparison, most_wrong=ErrorLimits(false_pass=0.2)).gate_answer
    assert answer is not None
    assert (answer.stops.least, answer.stops.state) == (0.8, "kept")
