"""A limit on wrong decisions decides with the target: kept it changes nothing, broken or open it forbids the gate."""

import numpy as np
import pytest

from markscheme.calibration.calibration import Calibration, Options, Rater, calibration_of
from markscheme.calibration.comparison.limits import Limit, MostWrong, wrong_decisions
from markscheme.calibration.comparison.policy import (
    Ruling,
    VerdictStates,
    interval_level,
    labels_for_limits,
    ruling,
    side_confidence,
    trend_at_most,
)
from markscheme.calibration.decision import decide
from markscheme.receipt import Use
from markscheme.report.views.calibration import json_of, view
from tests.calibration.made import examples, judged, yes_no_rubric
from tests.report.reading import text_of

RUBRIC = yes_no_rubric()
CONFIDENCE = [
    (1, 0.975, 0.95), (2, 0.9875, 0.975), (3, 0.991667, 0.983333), (5, 0.995, 0.99), (10, 0.9975, 0.995),
    (20, 0.99875, 0.9975),
]  # fmt: skip
"""Settings tried on the same labels, and the one-sided and two-sided confidence of the interval that decides."""
LABELS_FOR_LIMITS = [
    (0, 12, 0.1, 0.2, 120, 0.5881),
    (0, 30, 0.1, 0.4, 20, 0.8893),
    (1, 40, 0.1, 0.4, 40, 0.602),
    (3, 12, 0.3, 0.2, 480, 0.4748),
    (0, 4, 0.1, 0.05, None, None),
]
"""Wrong decisions, fails, limit and share of fails; labels named and their chance; computed away from this package."""


@pytest.mark.parametrize(("settings", "one_sided", "two_sided"), CONFIDENCE)
def test_all_settings_tried_on_the_labels_hold_together(settings: int, one_sided: float, two_sided: float) -> None:
    assert side_confidence(settings) == pytest.approx(one_sided, abs=1e-6)
    assert interval_level(settings) == pytest.approx(two_sided, abs=1e-6)


@pytest.mark.parametrize(("wrong", "fails", "limit", "share_of_fails", "more", "chance"), LABELS_FOR_LIMITS)
def test_labels_needed_count_those_that_fail(
    wrong: int, fails: int, limit: float, share_of_fails: float, more: int | None, chance: float | None
) -> None:
    n = round(fails / share_of_fails)
    judge = np.array([1.0] * wrong + [0.0] * (fails - wrong) + [1.0] * (n - fails))
    gold = np.array([0.0] * fails + [1.0] * (n - fails))
    labels = labels_for_limits([Limit(wrong_decisions("false_pass", judge, gold), limit, 0.975)])
    assert (None if labels is None else labels.more) == more
    if labels is not None:
        assert labels.chance == pytest.approx(chance, abs=1e-4)


def shown(**states: bool) -> VerdictStates:
    """A judge above the target and better than a constant, and more."""
    return VerdictStates(**{"above": True, "below": False, "beats": True, "loses": False} | states)


@pytest.mark.parametrize("ok", ["gate", "trend", "explore"])
def test_a_broken_limit_comes_before_ok_and_an_open_one_allows_trends(ok: Use) -> None:
    assert ruling(shown(), ok=ok) == Ruling("ok", ok, "target")
    assert ruling(shown(breaks=True), ok=ok) == Ruling("adjust", "none", "limit")
    assert ruling(shown(breaks=True, limit_open=True), ok=ok).because == "limit"
    assert ruling(shown(limit_open=True), ok=ok) == Ruling("not-enough-labels", trend_at_most(ok), "limit-open")


def test_drift_and_no_skill_come_before_limits_and_the_constant_after_the_target() -> None:
    assert ruling(shown(breaks=True), ok="gate", drifted=True).because == "drift"
    assert ruling(shown(breaks=True), ok="gate", no_skill=True).because == "no-skill"
    assert ruling(shown(breaks=True, beats=False), ok="gate").because == "constant-open"
    assert ruling(shown(breaks=True, above=False), ok="gate").because == "target-open"


def calibrated(false_passes: int, fails: int, *, n: int = 100, hits: int = 94, **options: float) -> Calibration:
    """A judge with so many hits, that passes so many of so many fails; two people labelled."""
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
        options=Options(**options),  # type: ignore[arg-type]
    )


def test_without_a_limit_ok_names_how_many_fails_it_passes() -> None:
    calibration = calibrated(1, 40)
    assert (calibration.verdict, calibration.use) == ("ok", "gate")
    assert "It passes 2% of the fails (0–13)." in calibration.decision.because
    assert json_of(calibration)["decision"]["limits"] == {"false_pass": None, "false_fail": None}


def test_a_limit_that_is_kept_allows_the_gate() -> None:
    calibration = calibrated(0, 40, max_false_pass=0.1)
    assert (calibration.verdict, calibration.use, calibration.exit_status) == ("ok", "gate", 0)
    limit = json_of(calibration)["decision"]["limits"]["false_pass"]
    assert (limit["limit"], limit["state"]) == (0.1, "kept")
    assert (round(limit["rate"].high, 4), limit["rate"].level) == (0.0881, pytest.approx(0.95))


def test_an_open_limit_asks_for_labels_and_allows_trends() -> None:
    calibration = calibrated(1, 40, max_false_pass=0.1)
    decision = calibration.decision
    assert (decision.verdict, decision.use, decision.because_code) == ("not-enough-labels", "trend", "limit-open")
    assert calibration.exit_status == 4
    assert decision.because == (
        "Agreement 94% (87–98), target 80%, but it passes 1 of 40 fails (0–13%; at most 10% may be): whether that "
        "keeps the limit isn't shown."
    )
    assert (decision.labels_needed, decision.next_step) == (
        40,
        "Label about 40 more for an even chance to say whether the judge can gate.",
    )
    assert "Use for trends, not for single decisions." in text_of(view(calibration))


def test_a_broken_limit_is_a_fault_of_the_judge() -> None:
    calibration = calibrated(9, 30, hits=91, max_false_pass=0.1)
    decision = calibration.decision
    assert (decision.verdict, decision.use, decision.because_code) == ("adjust", "none", "limit")
    assert calibration.exit_status == 1
    assert "it passes 9 of 30 fails (15–49%; at most 10% may be): more than the limit." in decision.because


def test_where_agreement_is_open_too_a_broken_limit_makes_more_labels_pointless() -> None:
    decision = calibrated(9, 30, hits=82, max_false_pass=0.1).decision
    assert (decision.verdict, decision.because_code, decision.labels_needed) == (
        "not-enough-labels", "target-open", None,
    )  # fmt: skip
    assert decision.next_step == (
        "More labels won't make it a gate: it passes 9 of 30 fails (15–49%; at most 10% may be), more than the limit."
    )


def test_false_fails_have_a_limit_of_their_own_and_both_are_named() -> None:
    calibration = calibrated(1, 40, hits=96, max_false_pass=0.1, max_false_fail=0.1)
    states = {limit.decisions.what: limit.state for limit in calibration.decision.limits}
    assert states == {"false_pass": "open", "false_fail": "open"}
    assert "it passes 1 of 40 fails (0–13%; at most 10% may be) and it fails 3 of 60 passes (1–14%" in (
        calibration.decision.because
    )


def test_settings_widen_the_interval_of_a_limit_too() -> None:
    calibration = calibrated(0, 40, max_false_pass=0.1)
    after = calibration.after(5)
    assert [limit.state for limit in calibration.decision.limits] == ["kept"]
    assert [limit.state for limit in after.decision.limits] == ["open"]
    assert json_of(after)["decision"]["limits"]["false_pass"]["rate"].level == pytest.approx(0.99)


def test_the_run_s_limit_is_stronger_than_the_rubric_s() -> None:
    comparison = calibrated(1, 40).comparison
    (limit,) = decide(comparison, most_wrong=MostWrong(false_pass=0.2)).limits
    assert (limit.limit, limit.state) == (0.2, "kept")


def test_without_a_labelled_fail_no_number_of_labels_is_named() -> None:
    nothing = wrong_decisions("false_pass", np.ones(40), np.ones(40))
    assert labels_for_limits([Limit(nothing, 0.1, 0.975)]) is None
    assert labels_for_limits([]) is None
