"""Whether labels from before a rewording still count: what a random part of them, labelled again, must show.

Source:
    Chosen by simulation. A judge that follows the old words and exactly reaches the target is vouched for in at most
    .12 of draws, whatever share of labels the rewording changes; with one more difference allowed it would be .14-.17.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

CheckState: TypeAlias = Literal["too few", "old labels count", "relabel the rest"]

FEWEST_RELABELLED = 20
"""Examples that must be labelled again before any old label counts; with 20 and no difference the risk is .05."""
OLD_PER_NEW = 2
"""Old labels that count for each example labelled again; the figures above hold up to this many."""
_MAY_DIFFER = ((100, 3), (60, 2), (30, 1), (FEWEST_RELABELLED, 0))
"""How many examples may differ, from so many labelled again on; by the same simulation."""


@dataclass(frozen=True, slots=True)
class RelabellingCheck:
    """Conclusion about old labels from the examples that were labelled again.

    Attributes:
        may_differ: How many of them may differ; None with too few of them.
        old_counted: How many of the old labels count.
        state: What follows.
    """

    may_differ: int | None
    old_counted: int
    state: CheckState


def relabelling_check(relabelled: int, differ: int, old: int) -> RelabellingCheck:
    """Decide whether old labels count.

    Args:
        relabelled: Examples drawn at random and labelled again.
        differ: Those of them whose new labels differ.
        old: Examples with old labels.

    Example:
        >>> relabelling_check(30, 1, old=90)
        RelabellingCheck(may_differ=1, old_counted=60, state='old labels count')
        >>> relabelling_check(20, 1, old=40).state
        'relabel the rest'
    """
    may_differ = next((allowed for fewest, allowed in _MAY_DIFFER if relabelled >= fewest), None)
    if may_differ is None:
        return RelabellingCheck(None, 0, "too few")
    if differ > may_differ:
        return RelabellingCheck(may_differ, 0, "relabel the rest")
    return RelabellingCheck(may_differ, min(old, OLD_PER_NEW * relabelled), "old labels count")
