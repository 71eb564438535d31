"""Test of a pass rate, by its confidence interval, against a required minimum."""

import math
from typing import Any

from markscheme.commands.output import TOO_FEW
from markscheme.phrases import counted, percent
from markscheme.report.document import Callout
from markscheme.stats.estimate import Estimate

RATE_BELOW = 1
"""Exit status if the rate is below the required minimum."""
_FARTHEST = 10_000
"""Largest number of additional labels that is stated."""


def rate_status(rate: Estimate, at_least: float) -> int:
    """Return the exit status for a rate's interval: 0 if above the required minimum, 1 if below, else 4."""
    if rate.value is None or rate.low is None or rate.high is None:
        return TOO_FEW
    return 0 if rate.low >= at_least else RATE_BELOW if rate.high < at_least else TOO_FEW


def labels_to_decide(rate: Estimate, at_least: float) -> int | None:
    """Return how many more labels would decide whether a rate reaches `at_least`, if the rate stays the same.

    None if the labels so far decide it, or if more than `_FARTHEST` labels would be needed in all.
    """
    status = rate_status(rate, at_least)
    if status != TOO_FEW or rate.value is None or rate.low is None or rate.high is None or not rate.n:
        return None
    reach = rate.value - rate.low if rate.value >= at_least else rate.high - rate.value
    distance = abs(rate.value - at_least)
    needed = math.ceil(rate.n * (reach / distance) ** 2) if distance else _FARTHEST + 1
    return needed - rate.n if needed <= _FARTHEST else None


def rate_callout(rate: Estimate, at_least: float) -> Callout:
    """Return a report's headline, which says whether a rate reaches its required minimum."""
    enough = percent(at_least)
    status = rate_status(rate, at_least)
    if status == 0:
        return Callout("good", f"At least {enough} would pass.")
    if status == RATE_BELOW:
        return Callout("bad", f"Fewer than {enough} would pass.")
    more = labels_to_decide(rate, at_least)
    decide = f"About {counted(more, 'more label')} would decide it." if more else "No number of labels would decide it."
    return Callout("open", f"Whether {enough} would pass is open.", decide if rate.value is not None else "")


def rate_json(rate: Estimate, at_least: float) -> dict[str, Any]:
    """Return the JSON entries on whether a rate reaches its required minimum.

    Args:
        rate: The pass rate, with its interval.
        at_least: The required minimum, 0 to 1.
    """
    answer = {0: "above", RATE_BELOW: "below", TOO_FEW: "open"}[rate_status(rate, at_least)]
    return {"at_least": at_least, "answer": answer, "labels_to_decide": labels_to_decide(rate, at_least)}
