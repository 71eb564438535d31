"""The order and the severity of findings by what fixing them would change."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from markscheme.calibration.comparison.repairs import A_FIFTH, A_HALF, Repair, Repairs
from markscheme.calibration.findings.finding import SEVERITIES, Finding, Severity

FEWEST_FOR_HIGH = 3
"""Decisions that a finding of high severity must repair, whatever their share."""
FEWEST_FOR_MEDIUM = 2
"""Decisions that one of medium severity must repair."""


def ranked(findings: Iterable[Finding], repairs: Repairs | None) -> tuple[Finding, ...]:
    """Order findings: the costliest in score first, and those about a criterion's levels by what fixing them changes.

    Those about levels are ordered among themselves; every other finding keeps the place that its cost gives it.

    Args:
        findings: In the order in which they were found.
        repairs: What fixing each criterion would change; None where that can't be counted.
    """
    by_cost = sorted(findings, key=lambda finding: (-finding.cost, SEVERITIES.index(finding.severity)))
    counted = [_with_repair(finding, repairs) for finding in by_cost]
    return tuple(_reordered(counted))


def _with_repair(finding: Finding, repairs: Repairs | None) -> Finding:
    """Add to a finding about levels what fixing it changes and the severity that follows; return others as they are."""
    if repairs is None or not finding.kind.is_of_levels or finding.criterion is None:
        return finding
    repair = repairs.by_criterion.get(finding.criterion)
    return finding if repair is None else replace(finding, repair=repair, severity=severity_of(repair))


def severity_of(repair: Repair) -> Severity:
    """Grade a fault by the wrong decisions it causes: high from a half of them or of the false passes."""
    if repair.reaches(A_HALF, FEWEST_FOR_HIGH):
        return "high"
    return "medium" if repair.reaches(A_FIFTH, FEWEST_FOR_MEDIUM) else "low"


def _reordered(findings: Sequence[Finding]) -> list[Finding]:
    """Sort the findings that have a repair by what it changes; all others keep their index."""
    places = [index for index, finding in enumerate(findings) if finding.repair is not None]
    ordered = sorted((findings[row] for row in places), key=_rank, reverse=True)  # stable: equal ones by cost
    result = list(findings)
    for row, finding in zip(places, ordered, strict=True):
        result[row] = finding
    return result


def _rank(finding: Finding) -> tuple[int, int, int]:
    return finding.repair.rank if finding.repair is not None else (0, 0, 0)
