"""Which findings are one cause, and in which order causes are resolved."""

from markscheme.calibration.findings.finding import Finding
from markscheme.calibration.findings.kinds import (
    AMBIGUOUS,
    DRIFT,
    DRIFT_GOLD,
    LENGTH,
    LENIENT,
    NOISY,
    NOISY_JUDGE_OR_LABELS,
    SOME_UNREADABLE,
    TOO_FEW_LABELS,
    UNREADABLE,
    FindingKind,
)
from markscheme.report.sections.fix_first import by_cause


def finding(kind: FindingKind, criterion: str | None = None) -> Finding:
    """A finding of that kind."""
    return Finding(kind, criterion, "medium", "")


def causes(*findings: Finding) -> list[list[tuple[str, str | None]]]:
    """The groups, by code and criterion."""
    return [[(member.code, member.criterion) for member in group] for group in by_cause(findings)]


def test_one_fault_on_several_criteria_is_one_cause_and_on_the_whole_another() -> None:
    on_criteria = [finding(NOISY, "tone"), finding(NOISY_JUDGE_OR_LABELS, "facts")]
    assert causes(*on_criteria, finding(NOISY)) == [[("noisy", "tone"), ("noisy", "facts")], [("noisy", None)]]


def test_a_judge_s_error_on_a_criterion_that_drifted_is_part_of_the_drift() -> None:
    findings = [finding(DRIFT, "tone"), finding(LENIENT, "tone"), finding(LENIENT, "facts"), finding(LENGTH)]
    assert causes(*findings) == [
        [("drift", "tone"), ("lenient", "tone")],
        [("lenient", "facts")],
        [("length", None)],
    ]


def test_agreement_that_fell_is_reported_by_the_drift_of_its_criterion_and_by_itself_without_one() -> None:
    findings = [finding(DRIFT, "tone"), finding(DRIFT_GOLD, "tone"), finding(DRIFT_GOLD, "facts")]
    assert causes(*findings) == [[("drift", "tone")], [("drift-gold", "facts")]]


def test_agreement_that_fell_without_drift_explains_no_other_fault() -> None:
    assert causes(finding(DRIFT_GOLD, "tone"), finding(LENIENT, "tone")) == [
        [("drift-gold", "tone")],
        [("lenient", "tone")],
    ]


def test_replies_come_first_then_labels_then_the_judge_then_more_labels() -> None:
    findings = [finding(TOO_FEW_LABELS), finding(LENIENT, "tone"), finding(AMBIGUOUS, "tone"), finding(UNREADABLE)]
    codes = ["unreadable", "ambiguous", "lenient", "too-few-labels"]
    assert [group[0].code for group in by_cause(findings)] == codes
    few = [finding(LENIENT, "tone"), finding(SOME_UNREADABLE), finding(AMBIGUOUS, "tone")]
    assert [group[0].code for group in by_cause(few)] == ["ambiguous", "lenient", "unreadable"]
