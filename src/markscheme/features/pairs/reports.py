"""What the core calls to report on pairs, gathered so that it loads together."""

from markscheme.features.pairs.section import pair_tiles, pairs_data, sections_of_pairs
from markscheme.features.pairs.view_systems import SYSTEMS_REPORTER

__all__ = ["SYSTEMS_REPORTER", "pair_tiles", "pairs_data", "sections_of_pairs"]
