"""The table of what Promptfoo's results without labels allow, to which features add their commands."""

from collections.abc import Callable
from typing import Final, TypeAlias

from markscheme.seam import OpenTable

FEWEST_RUNS: Final = 2
"""Runs of one output from which it is known how far its graders vary."""
ResultsUse: TypeAlias = tuple[int, Callable[[str, str, int], str | None], str]
"""A rank among the others; what returns the command, from the files as a shell has them, the name of the rubric that
they become and how often the same test was run, or None where they don't allow it; and what the command gives."""
RESULTS_USES: OpenTable[ResultsUse] = OpenTable()
"""All that can be done with results that have no labels."""
