"""Rule for whether labels from before a criterion's rewording still count, by a random part that is labelled again.

Source:
    Chosen by simulation. A judge that follows the old words and exactly reaches the target is accepted in at most .12
    of draws, whatever share of labels the rewording changes; with one more difference allowed it would be .14-.17.
"""

from typing import Literal, TypeAlias

CheckState: TypeAlias = Literal["too few", "old labels count", "relabel the rest"]

FEWEST_RELABELLED = 20
"""Smallest number of examples that must be labelled again before any old label counts; with 20 and no difference the
risk is .05."""
OLD_PER_NEW = 2
"""Largest number of old labels that count for each example labelled again; the risk of `FEWEST_RELABELLED` was
simulated with up to this many."""
_MAY_DIFFER = ((100, 3), (60, 2), (30, 1), (FEWEST_RELABELLED, 0))
"""Pairs of a number of examples labelled again and the largest number of them that may differ, at a simulated risk of
.05."""


def may_differ(relabelled: int) -> int | None:
    """Return the largest number of changed labels with which old labels still count after a rewording.

    A label is changed if an example that was labelled again got another one. Return None if too few are labelled again
    to tell.

    Args:
        relabelled: Number of examples drawn at random and labelled again.
    """
    return next((allowed for fewest, allowed in _MAY_DIFFER if relabelled >= fewest), None)


def relabelling_state(relabelled: int, differ: int) -> CheckState:
    """Return what becomes of the old labels after a criterion's rewording, by the examples labelled again.

    Args:
        relabelled: Number of examples drawn at random and labelled again.
        differ: Number of relabelled examples whose new labels differ.

    Example:
        >>> relabelling_state(30, 1), relabelling_state(20, 1), relabelling_state(10, 0)
        ('old labels count', 'relabel the rest', 'too few')
    """
    most = may_differ(relabelled)
    if most is None:
        return "too few"
    return "relabel the rest" if differ > most else "old labels count"


def old_counted(state: CheckState, relabelled: int, old: int) -> int:
    """Return how many examples with labels under the old wording count for a verdict after some were labelled again.

    If new labels agree with old ones, at most two examples count for each example labelled again; otherwise none.

    Args:
        state: The result of `relabelling_state`, which says if the labels given again agree with the old ones.
        relabelled: Number of examples drawn at random and labelled again.
        old: Number of examples on which some criterion has only labels under an earlier wording.

    Example:
        >>> old_counted("old labels count", 30, old=90), old_counted("too few", 10, old=90)
        (60, 0)
    """
    return min(old, OLD_PER_NEW * relabelled) if state == "old labels count" else 0
