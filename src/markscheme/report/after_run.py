"""The table of reports that are printed after a run of Promptfoo, to which features add their own."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from markscheme.seam import OpenTable


class RunReport(NamedTuple):
    """A report on one run of Promptfoo.

    Attributes:
        lines: The lines that Promptfoo shows.
        save: Writes the files that are kept of the run, and returns lines that name them, to be shown after all
            reports.
    """

    lines: Sequence[str]
    save: Callable[[], Sequence[str]] = tuple


AFTER_RUN: OpenTable[tuple[int, Callable[[], Callable[[Mapping[str, Any]], RunReport]]]] = OpenTable()
"""All reports on a run.

Each has its rank among them, and a function that imports and returns the one that makes the report from what Promptfoo
passes to its hook.
"""


def reports_on(context: Mapping[str, Any]) -> list[RunReport]:
    """Make the reports of all features on a Promptfoo run, by rank.

    Args:
        context: What Promptfoo passes to its hook, with `results`.
    """
    return [load()(context) for _, load in sorted(AFTER_RUN, key=lambda row: row[0])]
