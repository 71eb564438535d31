"""Random order in which a rater sees the two responses of a pair, which is reversed when the pair comes back."""

import hashlib
from dataclasses import replace

from markscheme.features.label.label_order import Step
from markscheme.ratings.rating import Rated
from markscheme.rubrics.preference import ShownOrder


def is_turned(step: Step, rater: str) -> bool:
    """Return True if a pair's second response is shown first.

    The order is random for each rater and pair, but always the same; when the pair is shown again, it is reversed.

    >>> is_turned(Step("q1:a~b"), "ann") != is_turned(Step("q1:a~b", 1), "ann")
    True
    """
    digest = hashlib.sha256(f"{rater}\n{step.id}".encode()).digest()
    return bool(digest[0] % 2) != bool(step.sample % 2)


def shown_order(*, turned: bool) -> ShownOrder:
    """Return the name under which ratings store the order in which a pair was shown.

    Args:
        turned: True if the pair's second response was shown first.
    """
    return "second-first" if turned else "first-second"


def turned_rated(rated: Rated) -> Rated:
    """Convert an answer on a pair between the order in which the pair was shown and the stored order."""
    return rated if rated.level is None else replace(rated, level=0.0 - rated.level)
