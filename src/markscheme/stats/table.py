"""Table to which features add statistics of two raters."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from markscheme.seam import OpenTable

if TYPE_CHECKING:
    from markscheme.stats.estimate import Estimate
    from markscheme.stats.pairs import Pairs

PairStatistic: TypeAlias = "Callable[[Pairs, float], Estimate]"
"""Function that computes an error or a correlation of paired ratings, with an interval of the given coverage."""
LoadStatistics: TypeAlias = Callable[[], Mapping[str, PairStatistic]]
"""Function that imports the statistics of a feature and returns them, by their keys in JSON."""
STATISTICS: OpenTable[LoadStatistics] = OpenTable()
"""Functions that load the statistics that features add to those of every criterion; `stats.severity` has the core's."""
