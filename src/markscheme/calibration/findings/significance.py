"""Which criteria exceed a bound, with Holm's correction for all criteria tested together."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from markscheme.calibration.findings.evidence import CriterionEvidence
from markscheme.stats import Estimate
from markscheme.stats.intervals import NO_SPREAD

StatisticAt: TypeAlias = Callable[[CriterionEvidence, float], Estimate]

SIGNIFICANT = 0.05


def significant(
    criteria: Mapping[str, CriterionEvidence],
    statistic: StatisticAt,
    exceeds: Callable[[CriterionEvidence, Estimate], bool],
    *,
    sides: int = 1,
) -> dict[str, Estimate]:
    """The criteria on which a statistic exceeds its bound, each tested at the level of its step in Holm's procedure.

    Args:
        criteria: Those tested together.
        statistic: The statistic of one criterion, with its interval at a level.
        exceeds: Whether an estimate, by its value and its limits, exceeds the criterion's bound.
        sides: 1 where one limit of the interval counts, 2 where either does.

    Returns:
        For each such criterion the estimate with its 95 % interval.
    """
    alpha = (3 - sides) * SIGNIFICANT
    alone = {name: _without_spread(statistic(one, 1 - alpha)) for name, one in criteria.items()}
    candidates = {name for name, found in alone.items() if exceeds(criteria[name], found)}
    tested = sum(found.low is not None for found in alone.values())
    shown: dict[str, Estimate] = {}
    while candidates:
        level = 1 - alpha / (tested - len(shown))
        new = {
            name for name in candidates if exceeds(criteria[name], _without_spread(statistic(criteria[name], level)))
        }
        if not new:
            break
        shown |= {name: statistic(criteria[name], 0.95) for name in criteria if name in new}
        candidates -= new
    return shown


def _without_spread(estimate: Estimate) -> Estimate:
    """An estimate that no single example changes, as its own interval; any other as it is."""
    if estimate.note != f"withheld: {NO_SPREAD}":
        return estimate
    return replace(estimate, low=estimate.value, high=estimate.value, note=None)
