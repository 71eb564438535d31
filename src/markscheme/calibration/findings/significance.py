"""Where a statistic lies beyond its bound, with Holm's allowance for all criteria looked at together."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from markscheme.calibration.findings.evidence import Seen
from markscheme.stats import Estimate
from markscheme.stats.intervals import NO_SPREAD

At: TypeAlias = Callable[[Seen, float], Estimate]

SIGNIFICANT = 0.05


def beyond_bounds(
    seen: Mapping[str, Seen], estimate: At, beyond: Callable[[Seen, Estimate], bool], *, sides: int = 1
) -> dict[str, Estimate]:
    """The criteria on which a statistic lies beyond its bound, each at the level that Holm's step leaves it.

    Args:
        seen: Criteria looked at together.
        estimate: The statistic of one criterion, with its interval at a level.
        beyond: Whether an estimate of a criterion, by its value and its limits, is beyond the bound.
        sides: 1 where one limit of the interval counts, 2 where either may.

    Returns:
        For each criterion beyond its bound, the estimate with the 95 % interval.
    """
    alpha = (3 - sides) * SIGNIFICANT
    alone = {name: _sure(estimate(one, 1 - alpha)) for name, one in seen.items()}
    in_question = {name for name, found in alone.items() if beyond(seen[name], found)}
    tested = sum(found.low is not None for found in alone.values())
    shown: dict[str, Estimate] = {}
    while in_question:
        level = 1 - alpha / (tested - len(shown))
        new = {name for name in in_question if beyond(seen[name], _sure(estimate(seen[name], level)))}
        if not new:
            break
        shown |= {name: estimate(seen[name], 0.95) for name in seen if name in new}
        in_question -= new
    return shown


def _sure(estimate: Estimate) -> Estimate:
    """An estimate that no example moves, taken for sure; any other as it is."""
    if estimate.note != f"withheld: {NO_SPREAD}":
        return estimate
    return replace(estimate, low=estimate.value, high=estimate.value, note=None)


def above(estimate: Estimate, bound: float) -> bool:
    """Whether the whole interval lies above a bound; False where there is none."""
    return estimate.low is not None and estimate.low > bound


def below(estimate: Estimate, bound: float) -> bool:
    """Whether the whole interval lies below a bound; False where there is none."""
    return estimate.high is not None and estimate.high < bound
