"""Findings are ordered, and have a severity, by what fixing them would change."""

from dataclasses import replace

import pytest

from markscheme.calibration.comparison.repairs import Repair, Repairs, Totals
from markscheme.calibration.findings.diagnosis import finding_kinds
from markscheme.calibration.findings.finding import Finding, Severity
from markscheme.calibration.findings.kinds import AMBIGUOUS, LENGTH, LENIENT, NOISY, FindingKind
from markscheme.calibration.findings.repairs import ranked, severity_of
from tests.calibration.made import diagnosed, examples, judged
from tests.calibration.unsafe_replies import SAFE_AND_STEPS, unsafe_replies


def repair(
    stopped: int = 0,
    kept: int = 0,
    broken: int = 0,
    *,
    passes: int = 10,
    fails: int = 30,
    decided: int = 200,
    scores: tuple[int, int] = (0, 0),
) -> Repair:
    """Make a Repair with given counts of repaired and broken decisions and scores."""
    stops = tuple(f"p{i}" for i in range(stopped))
    keeps = tuple(f"f{i}" for i in range(kept))
    return Repair(("c",), Totals(passes, fails, 50), decided, stops, keeps, broken, 0, *scores)


@pytest.mark.parametrize(
    ("changes", "severity"),
    [
        (repair(5), "high"),  # half of the false passes
        (repair(5, broken=1), "medium"),
        (repair(4), "medium"),
        (repair(kept=20), "high"),  # half of the wrong decisions
        (repair(kept=19), "medium"),
        (repair(kept=8), "medium"),
        (repair(kept=7), "low"),
        (repair(kept=10, broken=3), "low"),
        (repair(2, passes=2, fails=2), "medium"),  # under three is never high
        (repair(3, passes=3, fails=3), "high"),
        (repair(1, passes=1, fails=0), "low"),  # under two is never medium
        (repair(), "low"),
        (repair(5, broken=9), "low"),
        (repair(decided=0, scores=(25, 0)), "high"),
        (repair(decided=0, scores=(25, 3)), "medium"),
        (repair(decided=0, scores=(9, 0)), "low"),
        (repair(scores=(50, 0)), "low"),  # where decisions are counted, scores make nothing severe
    ],
)
def test_a_finding_s_severity_depends_on_decisions_that_a_fix_corrects_minus_decisions_that_it_breaks(
    changes: Repair, severity: Severity
) -> None:
    assert severity_of(changes) == severity


def finding(kind: FindingKind, criterion: str | None, cost: float = 0.0) -> Finding:
    return Finding(kind, criterion, "medium", "", cost=cost)


def repairs(**by_criterion: Repair) -> Repairs:
    return Repairs(Totals(10, 30, 50), by_criterion, (), None)


def order(findings: tuple[Finding, ...]) -> list[str | None]:
    return [finding.criterion for finding in findings]


def test_findings_are_ranked_by_corrected_false_passes_and_on_a_tie_by_corrected_decisions() -> None:
    counted = repairs(
        a=repair(0, 9),
        b=repair(2, 0),
        c=repair(0, 20, 12),
        d=repair(2, 3),
        e=repair(scores=(5, 1)),
        f=repair(),
        g=repair(),
    )
    ranking = [finding(LENIENT, name, cost) for name, cost in zip("abcdefg", (1, 2, 3, 4, 5, 6, 7), strict=True)]
    assert "".join(str(name) for name in order(ranked(ranking, counted))) == "dbacegf"


def test_a_finding_whose_fix_changes_no_decision_is_ranked_by_the_error_in_score_that_it_causes() -> None:
    counted = repairs(a=repair(1), b=repair(9), c=repair(5))
    ranking = [
        finding(LENIENT, "a", 5),
        finding(LENGTH, None, 4),
        finding(LENIENT, "b", 3),
        finding(AMBIGUOUS, "c", 2),
        finding(NOISY, "c", 1),
    ]
    result = ranked(ranking, counted)
    assert [(it.code, it.criterion) for it in result] == [
        ("lenient", "b"),
        ("length", None),
        ("noisy", "c"),
        ("ambiguous", "c"),
        ("lenient", "a"),
    ]
    assert [it.severity for it in result if it.repair is None] == ["medium", "medium"]
    assert [it.criterion for it in ranked(ranking, None)] == ["a", None, "b", "c", "c"]


def test_exactly_nine_kinds_of_findings_are_ranked_by_how_many_decisions_a_fix_would_correct() -> None:
    ranked_kinds = [kind for kind in finding_kinds() if kind.is_of_levels]
    assert {kind.cause for kind in ranked_kinds} == {"judge", "scale"}
    assert {kind.code for kind in ranked_kinds} == {
        "lenient",
        "severe",
        "central-tendency",
        "noisy",
        "stuck-judge",
        "rarely-found",
        "no-skill",
        "dead",
        "unused-level",
    }


def test_a_finding_on_a_required_criterion_comes_first_even_if_its_share_of_the_error_is_small() -> None:
    gold, judge = unsafe_replies()
    ranking = diagnosed(SAFE_AND_STEPS, examples(SAFE_AND_STEPS, {"p": gold, "q": gold}), judged(SAFE_AND_STEPS, judge))
    first = ranking[0]
    assert (first.code, first.criterion, first.severity) == ("lenient", "safe", "high")
    assert first.repair is not None
    assert (len(first.repair.false_passes), first.repair.totals.false_passes, first.repair.broken) == (20, 20, 0)
    assert all(other.severity == "low" for other in ranking[1:] if other.repair is not None)


def test_findings_are_ranked_by_the_error_in_score_they_cause_if_decisions_are_not_computed_from_levels() -> None:
    gold, judge = unsafe_replies()
    ratings = [replace(rated, passed=True) for rated in judged(SAFE_AND_STEPS, judge)]
    ranking = diagnosed(SAFE_AND_STEPS, examples(SAFE_AND_STEPS, {"p": gold, "q": gold}), ratings)
    assert ranking
    assert all(it.repair is None for it in ranking)
    costs = [it.cost for it in ranking]
    assert costs == sorted(costs, reverse=True)
