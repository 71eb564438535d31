"""Table of reports that are printed after a run of Promptfoo, to which features add their own."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from markscheme.seam import OpenTable
from markscheme.text import escaped


class RunReport(NamedTuple):
    """A report printed after a run of Promptfoo: its lines, and a function that saves its files.

    Attributes:
        lines: Lines that Promptfoo shows.
        save: Function that writes the files to keep of the run, and returns lines that name them, to show after all
            reports.
    """

    lines: Sequence[str]
    save: Callable[[], Sequence[str]] = tuple


AFTER_RUN: OpenTable[tuple[int, Callable[[], Callable[[Mapping[str, Any]], RunReport]]]] = OpenTable()
"""Reports on a run, with their ranks.

Each has its rank among them, and a function that imports and returns the one that makes the report from what Promptfoo
passes to its hook.
"""


def lines_after(context: Mapping[str, Any]) -> list[str]:
    """Return the lines of all reports on a run of Promptfoo, safe to print; lines on saved files come last.

    An error is a line too: Promptfoo would drop a run whose hook fails.

    Args:
        context: What Promptfoo passes to its hook, with `results`.
    """
    try:
        reports = [load()(context) for _, load in sorted(AFTER_RUN, key=lambda row: row[0])]
        lines = [line for report in reports for line in report.lines]
        lines += [line for report in reports for line in report.save()]
    except Exception as error:
        lines = [f"no summary of this run: {error}"]
    return list(map(escaped, lines))
