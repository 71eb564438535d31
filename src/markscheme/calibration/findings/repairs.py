"""The order and severity of findings, by the wrong decisions that fixing each would repair."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from markscheme.calibration.comparison.repairs import A_FIFTH, A_HALF, Repair, Repairs
from markscheme.calibration.findings.finding import SEVERITIES, Finding, Severity

FEWEST_FOR_HIGH = 3
"""Fewest wrong decisions that fixing a finding of high severity must repair, whatever their share."""
FEWEST_FOR_MEDIUM = 2
"""Fewest wrong decisions that fixing a finding of medium severity must repair."""


def ranked(findings: Iterable[Finding], repairs: Repairs | None) -> tuple[Finding, ...]:
    """Sort findings by cost; reorder those about levels, among themselves, by the number of decisions a fix corrects.

    A finding's cost is its share of the error in score. Every finding that isn't about levels stays at its position in
    the order of cost.

    Args:
        findings: The findings, in the order of the rules that report them.
        repairs: The repairs by fixing each criterion; None if they can't be counted.
    """
    by_cost = sorted(findings, key=lambda finding: (-finding.cost, SEVERITIES.index(finding.severity)))
    counted = [_with_repair(finding, repairs) for finding in by_cost]
    return tuple(_reordered(counted))


def _with_repair(finding: Finding, repairs: Repairs | None) -> Finding:
    """Add to a finding about a criterion's levels its repair and severity; return any other finding unchanged."""
    if repairs is None or not finding.kind.is_of_levels or finding.criterion is None:
        return finding
    repair = repairs.by_criterion.get(finding.criterion)
    return finding if repair is None else replace(finding, repair=repair, severity=severity_of(repair))


def severity_of(repair: Repair) -> Severity:
    """Return a finding's severity: "high", "medium" or "low", by how many errors the finding's repair corrects.

    Counted are the share of all wrong decisions and the share of the false passes; the larger share decides.
    """
    if repair.reaches(A_HALF, FEWEST_FOR_HIGH):
        return "high"
    return "medium" if repair.reaches(A_FIFTH, FEWEST_FOR_MEDIUM) else "low"


def _reordered(findings: Sequence[Finding]) -> list[Finding]:
    """Sort the findings with a repair by the repair's effect; all other findings keep their positions."""
    places = [index for index, finding in enumerate(findings) if finding.repair is not None]
    ordered = sorted((findings[row] for row in places), key=_rank, reverse=True)  # stable: equal ones by cost
    result = list(findings)
    for row, finding in zip(places, ordered, strict=True):
        result[row] = finding
    return result


def _rank(finding: Finding) -> tuple[int, int, int]:
    return finding.repair.rank if finding.repair is not None else (0, 0, 0)
