"""Three simulated judges: their counts, and how agreement and the sides answer of each."""

import pytest

from markscheme.features.demo.rare_fails import THREE_JUDGES, SimulatedJudge
from tests.reference.two_questions import GATES, GateCase

CASES = {
    name: next(case for case in GATES if (case.fails, case.stopped, case.passes, case.kept) == counts)
    for name, counts in {
        "too-kind": (32, 12, 168, 166),
        "too-strict": (760, 745, 240, 84),
        "careful": (46, 44, 926, 890),
    }.items()
}
"""The worked case of each judge, by people's fails, those stopped, people's passes, and those kept."""


@pytest.fixture(scope="module")
def judges() -> dict[str, SimulatedJudge]:
    return {judge.name: judge for judge in THREE_JUDGES}


@pytest.mark.parametrize(("name", "case"), CASES.items(), ids=CASES)
def test_the_gate_answer_on_each_simulated_judge_of_the_demo_is_the_expected_one(
    name: str, case: GateCase, judges: dict[str, SimulatedJudge]
) -> None:
    answer = judges[name].calibration.decision.gate_answer
    assert answer is not None
    assert answer.ruling.state == case.gate
    assert (answer.stops.share.of, answer.keeps.share.of) == (case.fails, case.passes)
    for side, limits in ((answer.stops, case.stops), (answer.keeps, case.keeps)):
        assert (side.estimate.low, side.estimate.high) == pytest.approx(limits, abs=1e-6)


def test_of_three_simulated_judges_two_with_high_agreement_may_only_show_trends_and_the_third_can_gate(
    judges: dict[str, SimulatedJudge],
) -> None:
    states = {name: judge.calibration.decision.trend.state for name, judge in judges.items()}
    assert states == {"too-kind": "shown", "too-strict": "shown", "careful": "open"}
    uses = {name: judge.calibration.decision.use for name, judge in judges.items()}
    assert uses == {"too-kind": "trend", "too-strict": "trend", "careful": "gate"}


def test_of_the_demo_s_three_judges_only_the_careful_one_stops_enough_fails_and_keeps_enough_passes(
    judges: dict[str, SimulatedJudge],
) -> None:
    states = {}
    for name, judge in judges.items():
        answer = judge.calibration.decision.gate_answer
        assert answer is not None
        states[name] = (answer.stops.state, answer.keeps.state)
    assert states == {"too-kind": ("broken", "kept"), "too-strict": ("kept", "broken"), "careful": ("kept", "kept")}


def test_fixing_one_criterion_of_the_lenient_judge_in_the_demo_of_rare_fails_stops_all_its_false_passes(
    judges: dict[str, SimulatedJudge],
) -> None:
    finding = judges["too-kind"].calibration.findings[0]
    assert (finding.code, finding.criterion, finding.severity) == ("lenient", "safe", "high")
    assert finding.repair is not None
    assert len(finding.repair.false_passes) == finding.repair.totals.false_passes == 20


def test_the_three_simulated_judges_grade_different_examples() -> None:
    ids = [example.id for judge in THREE_JUDGES for example in judge.labelled()]
    assert len(set(ids)) == len(ids) == sum(case.fails + case.passes for case in CASES.values())
