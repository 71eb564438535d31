"""The table of commands that work on Promptfoo's results without labels; features add theirs."""

from typing import TypeAlias

from markscheme.seam import OpenTable

ResultsUse: TypeAlias = tuple[int, int, str, str]
"""A use of results without labels: its rank, the fewest runs of the same test it needs, its command (with FILES for the
files and NAME for the rubric to be made), and what it does."""
RESULTS_USES: OpenTable[ResultsUse] = OpenTable()
"""The table of commands that work on results without labels."""
