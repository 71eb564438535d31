"""Adds the core's families of options to the table of families."""

from markscheme.calibration.options import AcceptingOptions, LabelOptions
from markscheme.judges.options import AskOptions
from markscheme.options.reading import DamageOptions
from markscheme.options.table import OPTIONS, Family
from markscheme.pages.options import PageOptions
from markscheme.ratings.column_options import ColumnOptions
from markscheme.seam import Feature

CORE_OPTIONS = Feature(
    "options",
    OPTIONS(
        Family(lambda: AskOptions),
        Family(lambda: LabelOptions),
        Family(lambda: AcceptingOptions),
        Family(lambda: ColumnOptions),
        Family(lambda: DamageOptions),
        Family(lambda: PageOptions),
    ),
)
"""The core's own families of options, declared as features declare theirs, in the order of the settings file."""
