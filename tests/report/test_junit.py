"""JUnit XML of calibrations, read back as a CI system reads it."""

from dataclasses import replace
from xml.etree import ElementTree as Xml

import pytest

from benchmarks.noisy_judge import NAMES, NoisyJudge, calibrated, rubric
from markscheme.calibration.calibration import Calibration
from markscheme.calibration.comparison.policy import BecauseCode, Ruling
from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import LENIENT, UNUSED_LEVEL
from markscheme.report.junit import WHOLE_CASE, calibrations_junit
from markscheme.rubrics.rubric import Criterion


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    """A judge with some noise, and nothing found."""
    return replace(calibrated(NoisyJudge.made(seed=2), rubric()), findings=())


def _decided(calibration: Calibration, verdict: str) -> Calibration:
    """Return the calibration with its verdict replaced."""
    codes: dict[str, BecauseCode] = {"ok": "target", "adjust": "side", "not-enough-labels": "side-open"}
    decision = calibration.decision
    assert decision.gate_answer is not None
    answer = decision.gate_answer._replace(ruling=Ruling("gate", (codes[verdict],)))
    return replace(calibration, decision=replace(decision, gate_answer=answer))


def _cases(*calibrations: Calibration) -> dict[str, Xml.Element]:
    root = Xml.fromstring(calibrations_junit(calibrations))
    return {case.get("name") or "": case for case in root.iter("testcase")}


def test_a_junit_file_has_a_test_case_for_the_judge_as_a_whole_and_one_for_each_criterion(
    calibration: Calibration,
) -> None:
    cases = _cases(_decided(calibration, "ok"))
    assert list(cases) == [WHOLE_CASE, *NAMES]
    assert not any(case.find(kind) is not None for case in cases.values() for kind in ("failure", "error", "skipped"))
    assert "Decisions: decisions" in (cases[WHOLE_CASE].findtext("system-out") or "")
    assert "Scores agree" in (cases[WHOLE_CASE].findtext("system-out") or "")
    assert "kappa" in (cases["tone"].findtext("system-out") or "")


@pytest.mark.parametrize(("verdict", "outcome"), [("adjust", "failure"), ("not-enough-labels", "skipped")])
def test_in_junit_the_test_case_for_the_judge_as_a_whole_passes_or_fails_by_the_verdict_on_the_judge(
    calibration: Calibration, verdict: str, outcome: str
) -> None:
    case = _cases(_decided(calibration, verdict))[WHOLE_CASE]
    outcome_of = case.find(outcome)
    assert outcome_of is not None
    assert verdict in (outcome_of.get("message") or "")


def test_in_junit_too_few_graded_examples_are_an_error_of_the_test_case_for_the_judge_as_a_whole(
    calibration: Calibration,
) -> None:
    unfinished = replace(_decided(calibration, "ok"), counts=replace(calibration.counts, not_graded=30))
    error = _cases(unfinished)[WHOLE_CASE].find("error")
    assert error is not None
    assert error.get("message") == "30 of 60 examples not graded"


def test_in_a_junit_report_a_criterion_fails_only_if_it_has_a_finding_of_high_severity(
    calibration: Calibration,
) -> None:
    findings = (
        Finding(LENIENT, "tone", "high", "too kind", {}, ("e001", "e002"), "Anchor level 5."),
        Finding(UNUSED_LEVEL, "facts", "low", "nobody gives a 2"),
    )
    cases = _cases(replace(_decided(calibration, "ok"), findings=findings))
    failure = cases["tone"].find("failure")
    assert failure is not None
    assert failure.get("message") == "tone: too kind"
    assert failure.text == "tone: too kind\nTry: Anchor level 5.\nExamples: e001, e002"
    assert cases["facts"].find("failure") is None
    assert "nobody gives a 2" in (cases["facts"].findtext("system-out") or "")


def test_in_junit_each_judge_is_a_test_suite_with_counts_of_passes_and_failures_and_errors(
    calibration: Calibration,
) -> None:
    root = Xml.fromstring(calibrations_junit([_decided(calibration, "adjust"), _decided(calibration, "ok")]))
    counts = [(suite.get("tests"), suite.get("failures"), suite.get("skipped")) for suite in root.iter("testsuite")]
    assert counts == [("5", "1", "0"), ("5", "0", "0")]
    properties = {p.get("name"): p.get("value") for p in root.iter("property")}
    assert properties["verdict"] == "ok"


def test_hostile_text_cannot_break_the_xml_of_a_junit_file(calibration: Calibration) -> None:
    hostile = '<failure/> & \x00\x1b]0; \ud800 ]]> "quoted"'
    odd = Criterion(1.0, "x", "tone")
    findings = (Finding(LENIENT, odd.name, "high", hostile, {}, (hostile,), hostile),)
    cases = _cases(replace(calibration, findings=findings, rater=replace(calibration.rater, name=hostile)))
    failure = cases["tone"].find("failure")
    assert failure is not None
    assert "<failure/> & \N{REPLACEMENT CHARACTER}" in (failure.get("message") or "")
