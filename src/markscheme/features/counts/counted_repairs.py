"""Changes of decisions if the judge were right on one criterion, from counts of decisions before and after."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from markscheme.calibration.comparison.comparison import Comparison
from markscheme.calibration.comparison.repairs import Repair, Totals, swap_of
from markscheme.features.counts.counts_file import REPAIR_PREFIX, CountedRows
from markscheme.stats.intervals import Floats


@dataclass(frozen=True, slots=True)
class CountedRepair(Repair):
    """Numbers of decisions that would change if the judge were right on one criterion, without ids of examples.

    Attributes:
        n_stopped: Number of false passes that become right.
        n_kept: Number of false fails that become right.
    """

    n_stopped: int
    n_kept: int

    @property
    def stopped(self) -> int:
        """Number of false passes that would be stopped if the judge were right on the criterion."""
        return self.n_stopped

    @property
    def kept(self) -> int:
        """Number of false fails that would pass if the judge were right on the criterion."""
        return self.n_kept

    def to_json(self) -> dict[str, Any]:
        """Return the changes that fixing the criterion would cause, as a dict with the keys of a calibration's JSON."""
        return {**Repair.to_json(self), "examples": None}


def changes_counted(comparison: Comparison) -> Iterator[tuple[str, list[Floats]]]:
    """Yield, for each criterion that can change decisions, the name and the columns of its part of the counts file.

    The first three columns are decisions: gold's, the judge's, and what the judge's would be with gold's level on the
    criterion; all three are nan if one is missing. The fourth column is 1 if the judge's score agrees with gold's only
    with gold's level on the criterion, -1 if it agrees only with the judge's own level, else 0.
    """
    sides = {"judge": comparison.judge.name, "gold": comparison.reference.name}
    swap = swap_of(comparison.table, **sides, tolerance=comparison.tolerance)
    if swap is None:
        return
    changes = swap.single
    people = swap.people
    before = comparison.judge.decisions
    for index, criterion in enumerate(comparison.rubric.decisive):
        is_counted = changes.counted[:, index]
        is_changed = (changes.false_passes | changes.false_fails | changes.held_up | changes.let_through)[:, index]
        scores = changes.scores_repaired[:, index].astype(np.float64) - changes.scores_broken[:, index]
        after = np.where(is_changed, 1 - before, before)
        decisions = [np.where(is_counted, column, np.nan) for column in (people, before, after)]
        is_told = is_counted | (scores != 0)
        yield f"{REPAIR_PREFIX}{criterion.name}", [column[is_told] for column in (*decisions, scores)]


def counted_repair(criterion: str, rows: CountedRows, totals: Totals) -> CountedRepair:
    """Compute how decisions change if the judge is right on a criterion, from the criterion's part of the counts.

    Args:
        criterion: The criterion's name.
        rows: The rows of the criterion's part.
        totals: Numbers of examples on which the judge is wrong before any repair.
    """
    people = rows.gold
    before = rows.judge
    after, scores = rows.people.T[:2]

    def reversed_of(gold: int, judge: int) -> int:
        return rows.groups.count((people == gold) & (before == judge) & (after == 1 - judge))

    return CountedRepair(
        criteria=(criterion,),
        totals=totals,
        decided=rows.groups.count(~np.isnan(people)),
        false_passes=(),
        false_fails=(),
        held_up=reversed_of(1, 1),
        let_through=reversed_of(0, 0),
        scores_repaired=rows.groups.count(scores == 1),
        scores_broken=rows.groups.count(scores == -1),
        n_stopped=reversed_of(0, 1),
        n_kept=reversed_of(1, 0),
    )
