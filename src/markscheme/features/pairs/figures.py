"""What the core calls to compare raters and systems on pairs, gathered so that it loads together."""

from markscheme.features.pairs.measure import measure_of_pairs
from markscheme.features.pairs.run import rank_systems_of_pairs

__all__ = ["measure_of_pairs", "rank_systems_of_pairs"]
